"""How a benchmark measures and what it returns."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """One comparison; `ratio` over 1 means ours is better than the peer."""

    name: str
    what: str
    ours: str
    theirs: str
    ratio: float


def median_seconds(work: Callable[[], object], runs: int, warm_up: bool = True) -> float:
    """Return the median wall time of `work` over `runs` runs, after one to warm up unless told otherwise."""
    if warm_up:
        work()
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)
