"""Texts written ahead: corner, mixed and uniform profiles of chosen products; pages then find them in the cache."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from prefer_core import session, simplex
from prefer_core.config import SessionSettings
from prefer_core.corpus import Corpus
from prefer_core.errors import BackendError, DataError
from prefer_core.evaluation.calibration import settings_of
from prefer_core.rewriting import Evidence, Writer, gather
from prefer_core.types import FloatArray, ProductCorpus

Tick = Callable[[int, int], None]

MIXED = 3
"""Aspects of a product, the heaviest first, whose pairs are mixed half and half."""


@dataclass
class Warmed:
    """What warming came to.

    Attributes
    ----------
    asked, cached, failed : int
        Texts asked for, those that were in the cache already, and those that a model could not write.
    reasons : list of str
        Why, each once.
    seconds : float
        Wall time.
    """

    asked: int = 0
    cached: int = 0
    failed: int = 0
    reasons: list[str] = field(default_factory=list)
    seconds: float = 0.0


def profiles(product: ProductCorpus) -> Iterator[FloatArray]:
    """Yield uniform w, e_k for each aspect that is dominant somewhere, and half and half of the heaviest (K,)."""
    n_aspects = product.phi.shape[1]
    yield simplex.uniform(n_aspects)
    present = np.unique(product.dominant)
    corner = np.eye(n_aspects)
    yield from (corner[k] for k in present)
    mass = np.asarray(product.phi, dtype=np.float64).sum(axis=0)
    heaviest = sorted(present, key=lambda k: (-mass[k], k))[:MIXED]
    yield from ((corner[a] + corner[b]) / 2 for a, b in combinations(heaviest, 2))


def profile_evidence(corpus: Corpus, product_id: str, w: FloatArray, settings: SessionSettings) -> Evidence:
    """Return what a reader with the known preference `w` (K,) is shown: seed 0, round 1, nothing learned.

    A page that shows a profile comes through here too; then its text is the one that was warmed.
    """
    known = replace(settings, learner="static")
    state = replace(session.updater(known).start(corpus.n_aspects, 0), w=w)
    proposal = session.propose(corpus, product_id, state, known, 1)
    return gather(corpus.product(product_id), proposal.selection, corpus.labels)


def chosen_products(corpus: Corpus, wish: str) -> list[str]:
    """Return the products that ``--warm-products`` names: a number takes the largest, else ids with commas between.

    Raises
    ------
    DataError
        If an id is not in the corpus.
    """
    table = corpus.products.sort_values(["n_sentences", "product_id"], ascending=[False, True])
    known = [str(name) for name in table["product_id"]]
    names = [name.strip() for name in wish.split(",") if name.strip()]
    if len(names) == 1 and names[0].isdigit() and names[0] not in known:
        return known[: int(names[0])]
    if unknown := [name for name in names if name not in known]:
        raise DataError(f"{corpus.name} has no product {unknown[0]!r}; its largest are {', '.join(known[:3])}.")
    return names


def warm(corpus: Corpus, writer: Writer, products: Sequence[str], tick: Tick = lambda done, total: None) -> Warmed:
    """Have the texts of all profiles of some products written and kept.

    Raises
    ------
    BackendError
        If there is no model, or the first text shows that it cannot write.
    """
    if not writer.has_model:
        raise BackendError(f"There is nothing to warm without a model. {writer.note}")
    settings = settings_of(corpus.manifest)
    found = Warmed()
    begun = time.perf_counter()
    asked = [(name, w) for name in products for w in profiles(corpus.product(name))]
    for done, (name, w) in enumerate(asked):
        tick(done, len(asked))
        job = writer.submit(profile_evidence(corpus, name, w, settings))
        found.asked += 1
        found.cached += job.cached
        job.wait()
        if job.error is not None:
            found.failed += 1
            found.reasons += [job.error] if job.error not in found.reasons else []
            if done == 0:
                raise BackendError(job.error)
    tick(len(asked), len(asked))
    found.seconds = round(time.perf_counter() - begun, 1)
    return found
