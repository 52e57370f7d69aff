"""Opening the largest product of a corpus, beside reading the tables whole and keeping its rows."""

import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.measure import Result, median_seconds
from prefer_core.corpus import CorpusParts, open_corpus, write_corpus

LARGEST = 4852
"""Sentences of the paper's largest product."""
OTHERS, OF_OTHERS = 1500, 100
RUNS = 7


def run() -> Result:
    """Write a made corpus and open its largest product: cold in a corpus just opened, warm a second time.

    The peer reads the two tables and three arrays of the same folder and filters by product, as a notebook would. The
    files are in the system's cache for both; checking their SHA-256, once a start, is told apart.
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "corpus"
        write_corpus(folder, _made(), dict)
        checked = median_seconds(lambda: open_corpus(folder), 3)
        cold = []
        for _ in range(RUNS):
            corpus = open_corpus(folder)
            began = time.perf_counter()
            product = corpus.product("P0")
            _touch(product.phi, product.s)
            cold.append(time.perf_counter() - began)
        warm = median_seconds(lambda: corpus.product("P0"), 100)
        if list(product.text or ()) != _whole(folder)["text"].tolist():
            raise AssertionError("the peer found other sentences")
        theirs = median_seconds(lambda: _whole(folder), RUNS)
    first = statistics.median(cold)
    return Result(
        "open_product",
        f"{LARGEST:,} of {LARGEST + OTHERS * OF_OTHERS:,} made sentences; ratio of the first opening",
        f"cold {1000 * first:.1f} ms, warm {1e6 * warm:.1f} microseconds (once a start: all files checked, "
        f"{1000 * checked:.0f} ms)",
        f"tables read whole {1000 * theirs:.0f} ms",
        theirs / first,
    )


def _touch(*arrays: NDArray[np.floating] | None) -> float:
    """Read memory-mapped rows, so that both have them in memory."""
    return float(sum(array.sum(dtype=np.float64) for array in arrays if array is not None))


def _whole(folder: Path) -> pd.DataFrame:
    sentences, support = (pd.read_parquet(folder / f"{name}.parquet") for name in ("sentences", "support"))
    rows = sentences[sentences["product"] == "P0"]
    arrays = [np.load(folder / f"{name}.npy")[rows.index] for name in ("embeddings", "reduced", "phi")]
    support[support["sentence"].isin(rows.index)].groupby("sentence")["reviewer"].agg(set)
    _touch(*arrays)
    return rows


def _made() -> CorpusParts:
    """Return a corpus of random sentences: P0, the largest product, before `OTHERS` of `OF_OTHERS` sentences each."""
    rng = np.random.default_rng(0)
    sizes = np.array([LARGEST] + [OF_OTHERS] * OTHERS)
    n, stops = int(sizes.sum()), np.cumsum(sizes)
    vocabulary = np.array([f"word{i}" for i in range(5000)])
    sentences = pd.DataFrame(
        {
            "id": [f"{i:016x}" for i in range(n)],
            "product": np.repeat([f"P{i}" for i in range(len(sizes))], sizes),
            "review": np.arange(n) // 3,
            "review_title": "As described",
            "text": [" ".join(words) for words in vocabulary[rng.integers(0, 5000, (n, 13))]],
            "reviewer": [f"{i:016x}" for i in rng.integers(0, n // 2, n)],
            "rating": rng.integers(1, 6, n).astype(float),
            **{name: rng.integers(0, 2, n) for name in ("helpful", "verified", "time", "flags")},
            "tokens": rng.integers(4, 40, n),
        }
    )
    support = sentences[["reviewer", "rating", "verified", "time"]].assign(sentence=np.arange(n))
    ends = {"start": stops - sizes, "stop": stops, "support_start": stops - sizes, "support_stop": stops}
    names = [f"P{i}" for i in range(len(sizes))]
    products = pd.DataFrame({"product_id": names, "title": names, "n_reviewers": sizes, **ends})
    return CorpusParts(
        name="made",
        is_sample=False,
        source_digest="",
        settings={},
        origin="made",
        counts={},
        embeddings=rng.normal(size=(n, 384)).astype(np.float16),
        reduced=rng.normal(size=(n, 17)).astype(np.float32),
        phi=rng.dirichlet(np.full(10, 0.3), n).astype(np.float32),
        sentences=sentences,
        support=support,
        products=products,
        aspects={"labels": [str(k) for k in range(10)]},
        diagnostics={},
    )
