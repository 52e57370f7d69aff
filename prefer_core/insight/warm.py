"""Texts written ahead: corner, mixed and uniform profiles of chosen products; pages then find them in the cache."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from prefer_core.corpus import Corpus
from prefer_core.errors import BackendError, DataError
from prefer_core.files.progress import Tick, silent
from prefer_core.insight import comparison
from prefer_core.insight.profiles import profile
from prefer_core.rewriting import Evidence, Writer
from prefer_core.types import ProductCorpus

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


def profiles(product: ProductCorpus, other: int | None = None) -> list[str]:
    """Return the codes of uniform w, of each aspect that is dominant somewhere, and of mixes of the heaviest ones.

    `other` is the aspect that nobody cares about, if there is one.
    """
    present = [int(k) for k in np.unique(product.dominant) if k != other]
    mass = np.asarray(product.phi, dtype=np.float64).sum(axis=0)
    heaviest = sorted(present, key=lambda k: (-mass[k], k))[:MIXED]
    mixes = (f"mix-{min(pair)}-{max(pair)}" for pair in combinations(heaviest, 2))
    return ["even", *(f"theme-{k}" for k in present), *mixes]


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


def warm(corpus: Corpus, writer: Writer, products: Sequence[str], tick: Tick = silent) -> Warmed:
    """Have the texts of all profiles of some products written and kept; errors as in `write_ahead`.

    They are those that the page which compares profiles asks for, unless it is told otherwise.
    """
    asked = [(name, code) for name in products for code in profiles(corpus.product(name), corpus.other)]

    def texts() -> Iterator[Evidence]:
        for name, code in asked:
            product = corpus.product(name)
            one = comparison.shown_to(corpus, name, profile(code, product, corpus.labels), comparison.settings())
            yield comparison.column_evidence(product, one)

    return write_ahead(writer, texts(), len(asked), tick)


def write_ahead(writer: Writer, texts: Iterable[Evidence], total: int, tick: Tick = silent) -> Warmed:
    """Have texts written and kept.

    Parameters
    ----------
    writer : Writer
        Who writes.
    texts : iterable of Evidence
        What is to be written up.
    total : int
        How many they are.
    tick : callable
        Told how many are done, of how many.

    Raises
    ------
    BackendError
        If there is no model, or the first text that needs it shows that it cannot write.
    """
    if not writer.has_model:
        raise BackendError(f"There is nothing to warm without a model. {writer.note}")
    found = Warmed()
    begun, can_write = time.perf_counter(), False
    for done, evidence in enumerate(texts):
        tick(done, total)
        job = writer.submit(evidence)
        found.asked += 1
        found.cached += job.cached
        job.wait()
        if job.error is not None:
            found.failed += 1
            found.reasons += [job.error] if job.error not in found.reasons else []
            if not can_write:
                raise BackendError(job.error)
        can_write = can_write or (job.summary is not None and job.summary.paragraph_source == "model")
    tick(total, total)
    found.seconds = round(time.perf_counter() - begun, 1)
    return found
