"""One round without text, and the paper's convergence run, against the limits they must keep."""

import os
import time
from dataclasses import replace

import numpy as np

from benchmarks.measure import Result, median_seconds
from prefer_core import session
from prefer_core.config import PRESETS
from prefer_core.experiments import simulator
from prefer_core.experiments.paper import variants
from prefer_core.experiments.play import Run, play
from prefer_core.types import ProductCorpus

LIMIT_ROUND = 0.002
PAPERS_SECONDS = 98.0
"""What 100 rounds of one seed took the paper, text included."""


class Shelf:
    """One product of the paper's largest size."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self._product = ProductCorpus(
            phi=rng.dirichlet(np.full(10, 0.3), 4852), s=rng.normal(size=(4852, 17)), tokens=np.full(4852, 18)
        )

    def product(self, product_id: str) -> ProductCorpus:
        """Return the product."""
        return self._product


def one_round() -> Result:
    """Propose and rate with Gumbel extraction, k = 10: the slower of both learners."""
    shelf, seconds = Shelf(), {}
    for learner in ("omd", "posterior"):
        settings = replace(PRESETS["person"], learner=learner, max_sentences=10, max_tokens=None)
        state = session.updater(settings).start(10, 0)

        def both() -> None:
            proposal = session.propose(shelf, "P", state, settings, 1)  # noqa: B023  # called before the next turn
            session.rate(state, proposal, 0.7, settings)  # noqa: B023

        seconds[learner] = median_seconds(both, 100)
    ours = max(seconds.values())
    told = ", ".join(f"{name} {1000 * value:.2f} ms" for name, value in seconds.items())
    return Result("round", "propose + rate, k = 10 of 4,852 sentences", told, "limit 2 ms", LIMIT_ROUND / ours)


def experiments() -> Result:
    """Play one seed of all four variants for 100 rounds: rounds a second on one core."""
    shelf, reader = Shelf(), simulator.single(10, 3)
    began = time.perf_counter()
    rounds = sum(
        len(list(play(shelf, Run("convergence", "made", name, "P", reader, settings, 100, 0))))
        for name, settings in variants().items()
    )
    seconds = time.perf_counter() - began
    whole = 4000 / (rounds / seconds) / 2
    return Result(
        "experiments",
        f"convergence run, one core of {os.cpu_count()}; ratio of seconds for 100 rounds of one seed",
        f"{rounds / seconds:.0f} rounds/s (whole figure, 40 x 100 on two cores: about {whole:.0f} s)",
        f"paper {PAPERS_SECONDS:.0f} s for 100 rounds, with text",
        PAPERS_SECONDS / (seconds / rounds * 100),
    )
