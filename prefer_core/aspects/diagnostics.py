"""What a researcher wants to know of an aspect space (paper, app:aspect-discovery-diagnostics)."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.aspects.membership import temperature_sweep, top_memberships
from prefer_core.aspects.space import FittedSpace
from prefer_core.errors import DataError
from prefer_core.files.blocks import sampled_rows
from prefer_core.types import BoolArray, FloatArray

_PAIR_SAMPLE = 5000
_BINS = 50
_COSINE_BINS = 200


def diagnose(fitted: FittedSpace, embeddings: FloatArray, seed: int) -> dict[str, Any]:
    """Return plain values: spectrum, K sweep, gaps, temperatures, top memberships, cosines of pairs.

    Parameters
    ----------
    embeddings : ndarray of shape (n, d)
        Unit sentence vectors; the cosines are taken over all pairs of 5,000 of them.
    """
    total = float(fitted.spectrum.sum())
    cumulative = np.cumsum(fitted.spectrum) / total if total else np.zeros_like(fitted.spectrum)
    median = float(np.median(fitted.gaps))
    return {
        "spectrum": fitted.spectrum.tolist(),
        "cumulative_variance": cumulative.tolist(),
        "n_components": len(fitted.space.components),
        "components_for": {str(share): int(np.searchsorted(cumulative, share)) + 1 for share in (0.5, 0.7, 0.9)},
        "variance_at": {str(m): float(cumulative[min(m, len(cumulative)) - 1]) for m in (16, 17)},
        "k_sweep": [candidate.to_dict() for candidate in fitted.candidates],
        "temperature": fitted.space.temperature,
        "median_gap": median,
        "gaps": _histogram(fitted.gaps, 0.0, float(np.quantile(fitted.gaps, 0.99)) or 1.0),
        "temperatures": temperature_sweep(fitted.reduced, fitted.space.centroids, fitted.space.temperature, seed),
        "top_membership": top_memberships(fitted.phi),
        "cosines": pair_cosines(embeddings, seed),
    }


def _histogram(values: FloatArray, low: float, high: float, bins: int = _BINS) -> dict[str, Any]:
    counts, edges = np.histogram(np.clip(values, low, high), bins=bins, range=(low, high))
    return {"edges": edges.tolist(), "counts": counts.tolist()}


def pair_cosines(embeddings: FloatArray, seed: int) -> dict[str, Any]:
    """Return histogram, mode, median and mean of the cosines of all pairs of 5,000 units (Figure pairwise-cosine)."""
    n = len(embeddings)
    rows = sampled_rows(n, _PAIR_SAMPLE, seed)
    values = _pairs(np.asarray(embeddings[rows], dtype=np.float32))
    histogram = _histogram(values, -1.0, 1.0, _COSINE_BINS)
    top = int(np.argmax(histogram["counts"]))
    return histogram | {
        "mode": float(np.mean(histogram["edges"][top : top + 2])),
        "median": float(np.median(values)),
        "mean": float(values.mean()),
        "negative": float((values < 0).mean()),
    }


def _pairs(unit: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cosines of all pairs (n (n - 1) / 2,), row after row: the whole matrix would take ten times that."""
    n = len(unit)
    values = np.empty(n * (n - 1) // 2, dtype=np.float32)
    start = 0
    for row in range(n - 1):
        stop = start + n - 1 - row
        np.matmul(unit[row + 1 :], unit[row], out=values[start:stop])
        start = stop
    return values


LEAST = 5
"""Sentences of a class, and of others, that a product needs for an AUC inside it."""
_PRODUCT = 20  # labelled sentences that a product needs for an NMI inside it


@dataclass(frozen=True)
class Labelled:
    """Sentences of which people said what they are about.

    Attributes
    ----------
    texts, products : tuple of n str
        All sentences, with labels or without: the aspects are found on all.
    single : ndarray of shape (n,)
        Which have exactly one class; they are scored.
    classes : tuple of n str
        The class of these, else empty.
    """

    texts: tuple[str, ...]
    products: tuple[str, ...]
    single: BoolArray
    classes: tuple[str, ...]


def read_labelled(path: Path) -> Labelled:
    """Read a JSON Lines file (also .gz) with product, text, classes and single.

    Raises
    ------
    DataError
        If it cannot be read, or fewer than two classes have sentences.
    """
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        rows = [json.loads(line) for line in raw.decode().splitlines() if line.strip()]
        single = np.array([bool(row["single"]) for row in rows])
        classes = tuple(row["classes"][0] if one else "" for row, one in zip(rows, single, strict=True))
        found = Labelled(tuple(r["text"] for r in rows), tuple(r["product"] for r in rows), single, classes)
    except (OSError, EOFError, ValueError, KeyError, IndexError, TypeError) as error:
        raise DataError(
            f"{path} holds no labelled sentences ({error!r}); each line is JSON with product, text, classes and single."
        ) from None
    if len(set(found.classes) - {""}) < 2:
        raise DataError(f"{path} has fewer than two classes; give sentences that people told apart.")
    return found


def scores(phi: FloatArray, labelled: Labelled) -> dict[str, float]:
    """Score memberships (n, K) of all sentences on those with one class.

    Returns
    -------
    dict
        nmi: normalised mutual information of class and largest membership; nmi_in_product: the same inside each
        product with 20 labelled sentences or more, weighted by them; f1: mean over classes after matching classes and
        aspects one to one (Hungarian, highest sum); f1_weighted: the same, classes weighted by their sentences; auc:
        for each class the AUC of the membership that tells it apart best on the whole file, mean over classes;
        auc_in_product: AUC of that same membership among the sentences of one product, mean over pairs of product and
        class with 5 sentences inside and 5 outside the class, weighted by those inside.
    """
    from sklearn.metrics import normalized_mutual_info_score

    rows = np.flatnonzero(labelled.single)
    phi = np.asarray(phi)[rows]
    classes = np.array(labelled.classes)[rows]
    products = np.array(labelled.products)[rows]
    names = sorted(set(classes))
    sizes = np.array([(classes == name).sum() for name in names])
    largest = phi.argmax(axis=1)
    in_product = [
        (float(normalized_mutual_info_score(classes[here], largest[here])), int(here.sum()))
        for here in (products == product for product in sorted(set(products)))
        if here.sum() >= _PRODUCT
    ]
    by_class = _f1(classes, largest, names, phi.shape[1])
    whole = np.array([[auc(phi[:, k], classes == name) for k in range(phi.shape[1])] for name in names])
    best = whole.argmax(axis=1)
    inside = []
    for name, k in zip(names, best, strict=True):
        for product in sorted(set(products)):
            here = products == product
            positive = classes[here] == name
            if positive.sum() >= LEAST and (~positive).sum() >= LEAST:
                inside.append((auc(phi[here, k], positive), int(positive.sum())))
    return {
        "nmi": float(normalized_mutual_info_score(classes, largest)),
        "nmi_in_product": _weighted(in_product),
        "f1": float(by_class.mean()),
        "f1_weighted": float(np.average(by_class, weights=sizes)),
        "auc": float(whole.max(axis=1).mean()),
        "auc_in_product": _weighted(inside),
    }


def auc(values: FloatArray, positive: BoolArray) -> float:
    """Return the probability that a positive has a larger value than a negative, ties counted half.

    >>> auc(np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True]))
    0.75
    """
    from scipy.stats import rankdata  # type: ignore[import-untyped]  # it ships no types

    n = int(positive.sum())
    ranks = float(rankdata(values)[positive].sum())
    return (ranks - n * (n + 1) / 2) / (n * (len(values) - n))


def _f1(classes: NDArray[Any], largest: NDArray[Any], names: Sequence[str], n_aspects: int) -> FloatArray:
    from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]  # it ships no types

    table = np.array(
        [
            [
                2 * ((classes == name) & (largest == k)).sum() / max(1, (classes == name).sum() + (largest == k).sum())
                for k in range(n_aspects)
            ]
            for name in names
        ]
    )
    found = np.zeros(len(names))
    left, right = linear_sum_assignment(-table)
    found[left] = table[left, right]
    return found


def _weighted(pairs: Sequence[tuple[float, int]]) -> float:
    values, weights = zip(*pairs, strict=True) if pairs else ((float("nan"),), (1,))
    return float(np.average(values, weights=weights))
