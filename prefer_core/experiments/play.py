"""One simulated reader in front of the real session: the same `propose` and `rate` as the pages."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from prefer_core import session, simplex
from prefer_core.config import SessionSettings
from prefer_core.experiments import regret
from prefer_core.experiments.alignment import evidence_alignment, preference_alignment
from prefer_core.experiments.simulator import SimulatedReader, feedback
from prefer_core.learning.loss import surrogate_loss
from prefer_core.session import Products, Stream, generator
from prefer_core.types import FloatArray, ProductCorpus

Row = dict[str, Any]

COLUMNS = (
    "experiment", "corpus", "product", "variant", "learner", "reader", "seed", "t", "a_pref", "a_evid", "feedback",
    "baseline", "loss", "avg_regret", "bound", "min_w_before", "min_w_step", "min_w_after", "tie_order",
)  # fmt: skip
"""What rows.csv holds. A row in memory also has `w` after the rating and `w_true`, both (K,), for the figures."""


@dataclass(frozen=True)
class Run:
    """One seed of one variant: everything that decides its rows.

    Attributes
    ----------
    experiment, corpus, variant : str
        Names that go into the rows.
    product : str
        Product shown in every round.
    reader : SimulatedReader
        Who rates.
    settings : SessionSettings
        Extractor, learner and their numbers.
    rounds, seed : int
        How many ratings, and the seed of session and reader.
    sharpness, noise : float
        How the reader rates (Eq. feedbackprotocol).
    start : ndarray of shape (K,) or None
        First w where it is not the uniform one.
    tie_order : int
        Which order breaks exact ties in MMR: 0 is the corpus's own, every other number is another one.
    """

    experiment: str
    corpus: str
    variant: str
    product: str
    reader: SimulatedReader
    settings: SessionSettings
    rounds: int
    seed: int
    sharpness: float = 10.0
    noise: float = 0.0
    start: FloatArray | None = None
    tie_order: int = 0


class InTieOrder:
    """A corpus whose exact ties are broken in another order.

    Parameters
    ----------
    corpus : Products
        Where the products are.
    order : int
        Which order.
    """

    def __init__(self, corpus: Products, order: int) -> None:
        self._corpus, self._order = corpus, order
        self._made: dict[str, ProductCorpus] = {}

    def product(self, product_id: str) -> ProductCorpus:
        """Return one product, made once."""
        if product_id not in self._made:
            product = self._corpus.product(product_id)
            self._made[product_id] = replace(product, digest=f"{product.digest} order {self._order}")
        return self._made[product_id]


def play(corpus: Products, run: Run) -> Iterator[Row]:
    """Play a run and yield one row a round, as soon as it is rated.

    In row t, `a_pref` is of w after rating t and `a_evid` of S_t, both against the reader's w in round t. Regret is
    against the reader's path, kept in the truncated simplex; `bound` is the theorem's bound over t, or NaN where no
    theorem holds (a learner other than OMD, no floor, no decay).
    """
    settings = run.settings
    if run.tie_order:
        corpus = InTieOrder(corpus, run.tie_order)
    state = session.start(corpus.product(run.product).n_aspects, run.seed, settings)
    if run.start is not None:
        state = replace(state, w=simplex.check(run.start, "The first preference"))
    total = variation = 0.0
    before: FloatArray | None = None
    shown: list[list[int]] = []
    for t in range(1, run.rounds + 1):
        w_true = run.reader.at(t)
        proposal = session.propose(corpus, run.product, state, settings, t, shown)
        shown.append(proposal.points.tolist())
        f = feedback(w_true, proposal.z, run.sharpness, run.noise, generator(run.seed, t, Stream.READER))
        state, step = session.learn(state, proposal, f, settings)
        comparator = simplex.project(w_true, settings.floor)
        loss = float(surrogate_loss(step.w_before, step.z, step.centred))
        total += loss - float(surrogate_loss(comparator, step.z, step.centred))
        variation += 0.0 if before is None else float(np.abs(comparator - before).sum())
        before = comparator
        yield {
            "experiment": run.experiment, "corpus": run.corpus, "product": run.product, "variant": run.variant,
            "learner": settings.learner, "reader": run.reader.name, "seed": run.seed, "t": t,
            "a_pref": preference_alignment(w_true, state.w), "a_evid": evidence_alignment(w_true, step.z),
            "feedback": f, "baseline": step.baseline, "loss": loss, "avg_regret": total / t,
            "bound": average_bound(settings, t, variation), "min_w_before": float(step.w_before.min()),
            "min_w_step": float(step.w_step.min()), "min_w_after": float(step.w_after.min()),
            "w": state.w, "w_true": w_true, "tie_order": run.tie_order,
        }  # fmt: skip


def average_bound(settings: SessionSettings, rounds: int, variation: float) -> float:
    """Return the bound on the average regret after `rounds`, NaN where the theorems do not apply."""
    if settings.learner != "omd" or settings.floor == 0 or settings.decay == 0:
        return math.nan
    bound = regret.dynamic_bound(rounds, settings.floor, settings.step_size, settings.decay, settings.clip, variation)
    return bound / rounds
