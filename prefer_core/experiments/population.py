"""Who calibration and the horizon experiment play: four kinds of readers, in two halves that share nobody."""

from collections.abc import Sequence
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from prefer_core.aspects.heterogeneity import product_tastes
from prefer_core.corpus import Corpus
from prefer_core.errors import DataError
from prefer_core.experiments import simulator
from prefer_core.experiments.simulator import Fixed
from prefer_core.types import FloatArray

KINDS = ("single", "two", "diffuse", "persona")
"""One aspect; two aspects by half; drawn from the whole simplex; the empirical taste of a real reviewer."""

Half = Literal["tuning", "held-out"]
HALVES: tuple[Half, Half] = ("tuning", "held-out")
LEAST_SENTENCES = 100


class Population:
    """Readers and products of one half of a corpus.

    Products with at least 100 sentences (all, where fewer than two have as many), the largest first, go to the halves
    in turn, and so do the reviewers that personas are drawn from; a corpus of one product lends it to both halves.

    Parameters
    ----------
    corpus : Corpus
        Where products and reviewers come from.
    half : {"tuning", "held-out"}
        Which half.
    fold : int
        Which split: 0 is as said; any other deals products and reviewers by lot and makes readers of its own.
    """

    def __init__(self, corpus: Corpus, half: Half, fold: int = 0) -> None:
        if half not in HALVES:
            raise DataError(f"A half is one of {', '.join(HALVES)}, found {half!r}.")
        if fold < 0:
            raise DataError(f"A fold is a number from 0, found {fold}.")
        self.half, self.fold = half, fold
        self.n_aspects, self._cared_for = corpus.n_aspects, list(corpus.cared_for)
        self._side = HALVES.index(half)
        table = corpus.products.sort_values(["n_sentences", "product_id"], ascending=[False, True])
        large = table[table["n_sentences"] >= LEAST_SENTENCES]
        ranked = list((large if len(large) > 1 else table)["product_id"])
        names = [ranked[i] for i in self._order(len(ranked))]
        self.products: Sequence[str] = names[self._side :: 2] or names
        self._profiles = self._side_of(product_tastes([corpus.product(p) for p in self.products]))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds there are here: personas need reviewers with at least three sentences."""
        return KINDS if len(self._profiles) else KINDS[:3]

    def product(self, index: int) -> str:
        """Return the product of reader `index`."""
        return self.products[index % len(self.products)]

    def reader(self, kind: str, index: int) -> Fixed:
        """Return reader `index` of a kind; the same one in every call."""
        own = [self.fold] if self.fold else []
        rng = np.random.default_rng([self._side, KINDS.index(kind), index, *own])
        if kind == "single":
            return simulator.single(self.n_aspects, self._cared_for[int(rng.integers(len(self._cared_for)))])
        if kind == "two":
            one, other = rng.choice(self._cared_for, 2, replace=False)
            return simulator.two_aspects(self.n_aspects, int(one), int(other))
        if kind == "diffuse":
            return simulator.diffuse(self.n_aspects, rng)
        return simulator.persona(self._profiles, rng)

    def _side_of(self, profiles: FloatArray) -> FloatArray:
        return profiles[self._order(len(profiles))][self._side :: 2] if len(profiles) > 1 else profiles

    def _order(self, n: int) -> NDArray[np.int64]:
        """Return the order in which n things are dealt to the halves."""
        return np.random.default_rng([self.fold, n]).permutation(n) if self.fold else np.arange(n)


_made: WeakKeyDictionary[Corpus, dict[tuple[Half, int], Population]] = WeakKeyDictionary()


def population(corpus: Corpus, half: Half, fold: int = 0) -> Population:
    """Return the population of one half of a corpus; made once for each corpus value, and gone with it."""
    halves = _made.setdefault(corpus, {})
    if (half, fold) not in halves:
        halves[half, fold] = Population(corpus, half, fold)
    return halves[half, fold]
