"""Sentences that show what an aspect is: nearest to its prototype, typical, at its edge, and drawn by chance."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from prefer_core.types import FloatArray

KINDS = ("nearest", "typical", "boundary", "random")
PER_KIND = 5

_LOOKED_AT = 400


def cards(
    phi: FloatArray, s: FloatArray, centroids: FloatArray, rows: pd.DataFrame, seed: int
) -> list[dict[str, list[dict[str, Any]]]]:
    """Choose sentences for the card of every aspect, each kind from different products while there are some.

    Nearest has the smallest distance to the centroid, typical is closest to the median distance of the aspect's own
    sentences, boundary has the smallest lead of its first aspect over the second, random is a seeded draw.

    Parameters
    ----------
    phi : ndarray of shape (n, K)
        Memberships.
    s : ndarray of shape (n, m)
        Reduced vectors.
    centroids : ndarray of shape (K, m)
        Prototypes.
    rows : DataFrame
        The n sentences: text, product, rating.

    Returns
    -------
    list of K dict
        Kind to sentences: text, product, rating (None if unknown), share (phi of the aspect), other (the next aspect),
        other_share.
    """
    order = np.argpartition(phi, -2, axis=1)[:, -2:] if phi.shape[1] > 2 else np.argsort(phi, axis=1)
    pair = np.take_along_axis(phi, order, axis=1)
    swap = pair[:, 0] > pair[:, 1]
    first = np.where(swap, order[:, 0], order[:, 1])
    second = np.where(swap, order[:, 1], order[:, 0])
    lead = np.abs(pair[:, 1] - pair[:, 0])
    found = []
    for k, centroid in enumerate(centroids):
        own = np.flatnonzero(first == k)
        distance = np.linalg.norm(np.asarray(s[own], dtype=np.float64) - centroid, axis=1)
        middle = float(np.median(distance)) if len(own) else 0.0
        keys = {
            "nearest": distance,
            "typical": np.abs(distance - middle),
            "boundary": lead[own],
            "random": np.random.default_rng([seed, k, len(own)]).random(len(own)),
        }
        found.append(
            {
                kind: [
                    _sentence(i, k, int(second[i]), phi, rows)
                    for i in _spread(own[np.argsort(key, kind="stable")[:_LOOKED_AT]], rows)
                ]
                for kind, key in keys.items()
            }
        )
    return found


def _spread(order: NDArray[np.intp], rows: pd.DataFrame) -> list[int]:
    """Take the first of the order that come from different products; fill up with other texts in order."""
    # These rows alone: the texts of a large corpus stand in blocks, and would all be made into objects.
    texts, products = (rows[name].iloc[order].to_numpy() for name in ("text", "product"))
    taken: list[int] = []
    for fresh_product in (True, False):
        for place in range(len(order)):
            if len(taken) == PER_KIND:
                break
            if place in taken or any(texts[place].lower() == texts[other].lower() for other in taken):
                continue
            if not fresh_product or all(products[place] != products[other] for other in taken):
                taken.append(place)
    return [int(order[place]) for place in sorted(taken)]


def _sentence(i: int, aspect: int, other: int, phi: FloatArray, rows: pd.DataFrame) -> dict[str, Any]:
    row = rows.iloc[i]
    stars = float(row["rating"])
    return {
        "text": str(row["text"]),
        "product": str(row["product"]),
        "rating": None if np.isnan(stars) else stars,
        "share": float(phi[i, aspect]),
        "other": other,
        "other_share": float(phi[i, other]),
    }
