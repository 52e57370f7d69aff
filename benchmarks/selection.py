"""Our MMR against KeyBERT's and LangChain's on the same vectors, at the paper's largest product."""

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from benchmarks.measure import Result, median_seconds
from prefer_core.selection import MMR
from prefer_core.types import Budget, FloatArray, ProductCorpus

N, M, K, TRADE_OFF = 4852, 17, 10, 0.8
MISSING = "pip install -r benchmarks/requirements.txt"


def run() -> Result:
    """Compare on vectors where all rules coincide; each peer must choose what ours does.

    The peers have no clamp at 0 and take the cosine with a query as relevance: vectors without negative numbers, and
    memberships (cosine, 1 - cosine) with w on the first aspect, make the rules one.
    """
    rng = np.random.default_rng(0)
    s, query = np.abs(rng.normal(size=(N, M))), np.abs(rng.normal(size=M))
    relevance = s @ query / np.linalg.norm(s, axis=1) / np.linalg.norm(query)
    product = ProductCorpus(phi=np.column_stack([relevance, 1 - relevance]), s=s, tokens=np.full(N, 18))
    w, chooser = np.array([1.0, 0.0]), MMR(trade_off=TRADE_OFF)
    chosen = chooser.select(product, w, Budget(K)).indices.tolist()
    ours = median_seconds(lambda: chooser.select(product, w, Budget(K)), 50)
    times: dict[str, float] = {}
    for name, peer in (
        ("KeyBERT", _keybert(s, query)),
        ("LangChain", _langchain(s, query)),
        ("direct", _direct(product)),
    ):
        if peer is None:
            continue
        if sorted(peer()) != sorted(chosen):
            raise AssertionError(f"{name} chose other sentences")
        times[name] = median_seconds(peer, 5)
    peers = ", ".join(f"{name} {1000 * seconds:.1f} ms" for name, seconds in times.items())
    if len(times) < 3:
        peers += f" (peers missing: {MISSING})"
    fastest = min(seconds for name, seconds in times.items() if name != "direct" or len(times) == 1)
    what = f"k = {K} of {N:,} sentences, equal choices; ratio to the faster package"
    return Result("selection", what, f"{1000 * ours:.2f} ms", peers, fastest / ours)


def _keybert(s: FloatArray, query: FloatArray) -> Callable[[], list[int]] | None:
    if find_spec("keybert") is None:
        return None
    from keybert._mmr import mmr

    names = [str(i) for i in range(len(s))]
    return lambda: [int(name) for name, _ in mmr(query[None], s, names, top_n=K, diversity=1 - TRADE_OFF)]


def _langchain(s: FloatArray, query: FloatArray) -> Callable[[], list[int]] | None:
    if find_spec("langchain_core") is None:
        return None
    from langchain_core.vectorstores.utils import maximal_marginal_relevance

    rows = list(s)
    return lambda: list(maximal_marginal_relevance(query, rows, lambda_mult=TRADE_OFF, k=K))


def _direct(product: ProductCorpus) -> Callable[[], list[int]]:
    """Return the rule as it is written: the redundancy of every candidate anew in every step."""
    relevance = product.phi[:, 0]

    def choose() -> list[int]:
        chosen: list[int] = []
        for _ in range(K):
            score = TRADE_OFF * relevance
            if chosen:
                score = score - (1 - TRADE_OFF) * (product.unit @ product.unit[chosen].T).max(axis=1)
            score[chosen] = -np.inf
            chosen.append(int(np.argmax(score)))
        return chosen

    return choose
