"""MMR with cached redundancy against the direct O(k^2 n) rule in numpy, on a product of the paper's largest size."""

import numpy as np

from benchmarks.measure import Result, median_seconds
from prefer_core.selection import MMR
from prefer_core.types import Budget, FloatArray, ProductCorpus


def run() -> Result:
    """Compare on 4,852 sentences, m = 17, k = 10, and check that both choose the same."""
    rng = np.random.default_rng(0)
    product = ProductCorpus(
        phi=rng.dirichlet(np.full(10, 0.3), 4852), s=rng.normal(size=(4852, 17)), tokens=np.full(4852, 18)
    )
    w = rng.dirichlet(np.ones(10))
    chooser = MMR(trade_off=0.8)
    same = chooser.select(product, w, Budget(10)).indices.tolist() == direct(product, w, 10, 0.8)
    if not same:
        raise AssertionError("the cached and the direct rule chose different sentences")
    ours = median_seconds(lambda: chooser.select(product, w, Budget(10)), 50)
    theirs = median_seconds(lambda: direct(product, w, 10, 0.8), 20)
    what = "k = 10 of 4,852 sentences, same choices"
    return Result("selection", what, f"{1000 * ours:.2f} ms", f"direct rule {1000 * theirs:.2f} ms", theirs / ours)


def direct(product: ProductCorpus, w: FloatArray, k: int, trade_off: float) -> list[int]:
    """Select by the rule as it is written: the redundancy of every candidate anew in every step."""
    relevance = product.phi @ w
    chosen: list[int] = []
    for _ in range(k):
        score = trade_off * relevance
        if chosen:
            score = score - (1 - trade_off) * np.maximum(0, (product.unit @ product.unit[chosen].T).max(axis=1))
        score[chosen] = -np.inf
        chosen.append(int(np.argmax(score)))
    return chosen
