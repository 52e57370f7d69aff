"""The paper's experiments, and the human horizon, as lists of runs and generators of rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from prefer_core import simplex
from prefer_core.config import PRESETS, SessionSettings
from prefer_core.corpus import Corpus, open_corpus
from prefer_core.errors import ConfigError
from prefer_core.experiments import simulator
from prefer_core.experiments.play import Row, Run, play
from prefer_core.experiments.population import population
from prefer_core.experiments.simulator import SimulatedReader
from prefer_core.insight import comparison
from prefer_core.insight.calibrated import settings_of

ROUNDS = {"convergence": 100, "drift": 200, "heterogeneity": 1, "horizon": 40}
WINDOW = (81, 120)
"""First and last round of the drift. The paper prints none; this one is ours."""
MIXED_POOL = "B0012Y0ZG2"
"""A pool of mixed products in all_beauty_2018, on which the numbers of preset `paper` were chosen.

The paper shows a Salux wash cloth, which no source at hand holds.
"""
TIE_ORDERS = 10
"""Least number of tie orders over which MMR is reported: which one it is decides whether MMR converges."""
HUMAN_NOISE = 0.05


@dataclass(frozen=True)
class Setup:
    """What an experiment may be asked for; the paper prints none of it but the baseline.

    Attributes
    ----------
    product : str or None
        Product shown; None takes the mixed pool where the corpus has it, else the product with most sentences.
    aspects : pair of int or None
        What the reader wants first, and after a drift; None takes the two that the product says most about.
    window : pair of int
        First and last round of the drift.
    sharpness : float
        gamma of the feedback protocol.
    noise : float or None
        sigma of the feedback protocol; None is 0, and 0.05 where people are imitated (horizon).
    changed : mapping of str to value
        Settings that differ from preset `paper`, such as weighting or baseline.
    """

    product: str | None = None
    aspects: tuple[int, int] | None = None
    window: tuple[int, int] = WINDOW
    sharpness: float = 10.0
    noise: float | None = None
    changed: Mapping[str, Any] = field(default_factory=dict)


AS_WE_CHOSE = Setup()


def shown_product(corpus: Corpus, setup: Setup = AS_WE_CHOSE) -> str:
    """Return the product that a setup shows."""
    table = corpus.products
    known = set(table["product_id"])
    if setup.product is not None:
        if setup.product not in known:
            raise ConfigError(
                f"{corpus.name} has no product {setup.product!r}; name one of its products with --product."
            )
        return setup.product
    if MIXED_POOL in known:
        return MIXED_POOL
    return str(table.sort_values("n_sentences", ascending=False, kind="stable")["product_id"].iloc[0])


def wanted_aspects(corpus: Corpus, setup: Setup = AS_WE_CHOSE) -> tuple[int, int]:
    """Return the aspects that the reader wants first and after the drift.

    The paper's numbers 6 and 5 name nothing in another clustering. Unless a setup names two, they are the aspects with
    the largest shares of the product: no extractor has a say in it.
    """
    if setup.aspects is not None:
        one, other = setup.aspects
        if one == other or not all(0 <= k < corpus.n_aspects for k in setup.aspects):
            raise ConfigError(f"--aspects takes two different numbers below {corpus.n_aspects}, found {one},{other}.")
        return one, other
    share = corpus.product(shown_product(corpus, setup)).phi.sum(axis=0)
    first, second = sorted(corpus.cared_for, key=lambda k: -share[k])[:2]
    return int(first), int(second)


def variants(setup: Setup = AS_WE_CHOSE) -> dict[str, SessionSettings]:
    """Return the paper's four variants: static or learning, MMR or Gumbel, all with preset `paper`."""
    base = replace(PRESETS["paper"], **setup.changed)
    return {
        f"{name}-{shown}": replace(base, learner=learner, extractor=extractor)
        for name, learner in (("Static", "static"), ("PREFER", "omd"))
        for shown, extractor in (("MMR", "mmr"), ("Gumbel", "gumbel"))
    }


def repeats(extractor: str, seeds: int) -> range:
    """Return the seeds of a variant: MMR does not depend on them, so each stands for a tie order, ten at least."""
    return range(max(TIE_ORDERS, seeds) if extractor == "mmr" else seeds)


def convergence(corpus: Corpus, seeds: int, setup: Setup = AS_WE_CHOSE) -> list[Run]:
    """Return the runs of section convergence_seeds: four variants, a reader of one aspect."""
    reader = simulator.single(corpus.n_aspects, wanted_aspects(corpus, setup)[0])
    return _runs("convergence", corpus, reader, variants(setup), seeds, setup)


def drift(corpus: Corpus, seeds: int, setup: Setup = AS_WE_CHOSE) -> list[Run]:
    """Return the runs of section adaptive_preferences: the learning variants, a reader who moves to another aspect."""
    reader = simulator.drift(corpus.n_aspects, *wanted_aspects(corpus, setup), *setup.window)
    learning = {name: settings for name, settings in variants(setup).items() if settings.learner == "omd"}
    return _runs("drift", corpus, reader, learning, seeds, setup)


def heterogeneity(corpus: Corpus, seeds: int, setup: Setup = AS_WE_CHOSE) -> list[Run]:
    """Return the runs of section qualitative_goodness: e_a, e_b, their mix and uniform on one product, w known.

    `a_evid` is the paper's G_cos. Both extractors select as they would late in a session, at the cap of beta.
    """
    k = corpus.n_aspects
    one, other = setup.aspects or (0, min(2, k - 1))
    readers = (
        simulator.single(k, one),
        simulator.single(k, other),
        simulator.two_aspects(k, one, other),
        simulator.Fixed("uniform", simplex.uniform(k)),
    )
    late = {
        name: replace(comparison.settings(extractor, preset="paper"), **setup.changed)
        for name, extractor in (("MMR", "mmr"), ("Gumbel", "gumbel"))
    }
    return [
        replace(run, start=reader.at(1))
        for reader in readers
        for run in _runs("heterogeneity", corpus, reader, late, seeds, setup)
    ]


def horizon(corpus: Corpus, seeds: int, setup: Setup = AS_WE_CHOSE) -> list[Run]:
    """Return the runs on a human horizon: held-out readers of each kind, learners side by side, noise 0.05."""
    held_out = population(corpus, "held-out")
    return [
        Run(
            "horizon", corpus.name, f"{learner} · {kind}", held_out.product(seed), held_out.reader(kind, seed),
            settings_of(corpus.manifest, learner), ROUNDS["horizon"], seed, setup.sharpness,
            HUMAN_NOISE if setup.noise is None else setup.noise,
        )
        for learner in ("omd", "posterior")
        for kind in held_out.kinds
        for seed in range(seeds)
    ]  # fmt: skip


def _runs(
    experiment: str,
    corpus: Corpus,
    reader: SimulatedReader,
    variants: Mapping[str, SessionSettings],
    seeds: int,
    setup: Setup,
) -> list[Run]:
    product = shown_product(corpus, setup)
    return [
        Run(
            experiment, corpus.name, name, product, reader, settings, ROUNDS[experiment], seed, setup.sharpness,
            setup.noise or 0.0, tie_order=seed if settings.extractor == "mmr" else 0,
        )
        for name, settings in variants.items()
        for seed in repeats(settings.extractor, seeds)
    ]  # fmt: skip


EXPERIMENTS: dict[str, Callable[[Corpus, int, Setup], list[Run]]] = {
    "convergence": convergence,
    "drift": drift,
    "heterogeneity": heterogeneity,
    "horizon": horizon,
}


def plan(corpus: Corpus, experiment: str, seeds: int, setup: Setup = AS_WE_CHOSE) -> list[Run]:
    """Return the runs of an experiment, in the order of their rows."""
    if experiment not in EXPERIMENTS:
        raise ConfigError(f"There is no experiment {experiment!r}; choose one of {', '.join(EXPERIMENTS)}.")
    if seeds < 1:
        raise ConfigError(f"An experiment needs at least 1 seed, found {seeds}.")
    return EXPERIMENTS[experiment](corpus, seeds, setup)


def execute(folder: Path, runs: Sequence[Run], workers: int) -> Iterator[list[Row]]:
    """Play runs on the corpus in `folder` and yield the rows of each, in the order of `runs`.

    The rows do not depend on the number of workers: a run's randomness comes from its own seed alone.
    """
    if workers < 1:
        raise ConfigError(f"The number of workers must be at least 1, found {workers}.")
    if workers == 1:
        corpus = open_corpus(folder)
        for run in runs:
            yield list(play(corpus, run))
        return
    with ProcessPoolExecutor(workers, initializer=_open, initargs=(folder,)) as pool:
        yield from pool.map(_play, runs)


_corpora: list[Corpus] = []
"""The corpus of this worker process, opened once."""


def _open(folder: Path) -> None:
    _corpora.append(open_corpus(folder))


def _play(run: Run) -> list[Row]:
    return list(play(_corpora[-1], run))
