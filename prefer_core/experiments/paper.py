"""The paper's experiments, and the human horizon, as lists of runs and generators of rows."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from prefer_core import session, simplex
from prefer_core.config import PRESETS, SessionSettings
from prefer_core.corpus import Corpus, open_corpus
from prefer_core.errors import ConfigError
from prefer_core.experiments import simulator
from prefer_core.experiments.play import Row, Run, play
from prefer_core.experiments.population import Shop, population
from prefer_core.insight import comparison
from prefer_core.insight.calibrated import settings_of

ROUNDS = {"convergence": 100, "drift": 200, "heterogeneity": 1, "horizon": 40}
WINDOW = (81, 120)
"""The paper's drift window."""
PAPERS_PRODUCT = "B0012Y0ZG2"
HUMAN_NOISE = 0.05


def paper_product(corpus: Shop) -> str:
    """Return the paper's product where the corpus has it, else the one with the most sentences."""
    table = corpus.products
    if PAPERS_PRODUCT in set(table["product_id"]):
        return PAPERS_PRODUCT
    return str(table.sort_values("n_sentences", ascending=False, kind="stable")["product_id"].iloc[0])


def paper_aspects(corpus: Shop) -> tuple[int, int]:
    """Return the aspects that the paper's reader wants first and after the drift, in this clustering.

    The paper's numbers 6 and 5 name nothing in another clustering. What its figures show holds here too: MMR converges,
    so the first aspect is the one that MMR's first summary, at uniform w, is most about (MMR never shows most of the
    others); the second is the one with the largest share of the product beside it.
    """
    product = corpus.product(paper_product(corpus))
    settings = variants()["PREFER-MMR"]
    state = session.start(corpus.n_aspects, 0, settings)
    wanted = np.array(corpus.cared_for)
    z = session.propose(corpus, product.product_id, state, settings, 1).z
    first = int(wanted[np.argmax(z[wanted])])
    share = product.phi.sum(axis=0)
    share[first] = 0.0
    return first, int(wanted[np.argmax(share[wanted])])


def variants() -> dict[str, SessionSettings]:
    """Return the paper's four variants: static or learning, MMR or Gumbel, all with preset `paper`."""
    base = PRESETS["paper"]
    return {
        f"{name}-{shown}": replace(base, learner=learner, extractor=extractor)
        for name, learner in (("Static", "static"), ("PREFER", "omd"))
        for shown, extractor in (("MMR", "mmr"), ("Gumbel", "gumbel"))
    }


def convergence(corpus: Shop, seeds: int) -> list[Run]:
    """Return the runs of section convergence_seeds: four variants, a reader of one aspect."""
    reader = simulator.single(corpus.n_aspects, paper_aspects(corpus)[0])
    return [
        Run("convergence", corpus.name, name, paper_product(corpus), reader, settings, ROUNDS["convergence"], seed)
        for name, settings in variants().items()
        for seed in range(seeds)
    ]


def drift(corpus: Shop, seeds: int) -> list[Run]:
    """Return the runs of section adaptive_preferences: the learning variants, a reader who moves to another aspect."""
    one, other = paper_aspects(corpus)
    reader = simulator.drift(corpus.n_aspects, one, other, *WINDOW)
    return [
        Run("drift", corpus.name, name, paper_product(corpus), reader, settings, ROUNDS["drift"], seed)
        for name, settings in variants().items()
        if settings.learner == "omd"
        for seed in range(seeds)
    ]


def heterogeneity(corpus: Shop, seeds: int) -> list[Run]:
    """Return the runs of section qualitative_goodness: e_a, e_b, their mix and uniform on one product, w known.

    `a_evid` is the paper's G_cos. Both extractors select as they would late in a session, at the cap of beta.
    """
    k = corpus.n_aspects
    mix = simulator.two_aspects(k, 0, min(2, k - 1))
    even = simulator.Fixed("uniform", simplex.uniform(k))
    readers = (simulator.single(k, 0), simulator.single(k, min(2, k - 1)), mix, even)
    return [
        replace(run, start=run.reader.at(1))
        for reader in readers
        for extractor in ("mmr", "gumbel")
        for seed in range(seeds)
        for run in [
            Run(
                "heterogeneity", corpus.name, "MMR" if extractor == "mmr" else "Gumbel", paper_product(corpus), reader,
                comparison.settings(extractor), 1, seed,
            )
        ]
    ]  # fmt: skip


def horizon(corpus: Corpus, seeds: int) -> list[Run]:
    """Return the runs on a human horizon: held-out readers of each kind, learners side by side, noise 0.05."""
    held_out = population(corpus, "held-out")
    return [
        Run(
            "horizon", corpus.name, f"{learner} · {kind}", held_out.product(seed), held_out.reader(kind, seed),
            settings_of(corpus.manifest, learner), ROUNDS["horizon"], seed, noise=HUMAN_NOISE,
        )
        for learner in ("omd", "posterior")
        for kind in held_out.kinds
        for seed in range(seeds)
    ]  # fmt: skip


EXPERIMENTS: dict[str, Callable[[Corpus, int], list[Run]]] = {
    "convergence": convergence,
    "drift": drift,
    "heterogeneity": heterogeneity,
    "horizon": horizon,
}


def plan(corpus: Corpus, experiment: str, seeds: int) -> list[Run]:
    """Return the runs of an experiment, in the order of their rows."""
    if experiment not in EXPERIMENTS:
        raise ConfigError(f"There is no experiment {experiment!r}; choose one of {', '.join(EXPERIMENTS)}.")
    if seeds < 1:
        raise ConfigError(f"An experiment needs at least 1 seed, found {seeds}.")
    return EXPERIMENTS[experiment](corpus, seeds)


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
