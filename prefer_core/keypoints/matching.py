"""Who says a point: the decision that makes the counts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from prefer_core.encoders import entailment
from prefer_core.encoders.entailment import OPPOSES, SAYS, Entailment
from prefer_core.errors import DataError
from prefer_core.types import BoolArray, FloatArray

GATE = 0.45
"""Cosine below which a sentence is not asked whether it says a point: hardly any does."""
SAME_MATTER = 0.4
"""Cosine below which two points are not of one matter, whatever the model says: "good value" and "very noisy"."""


@dataclass(frozen=True)
class Decision:
    """When a sentence says a point, or its opposite: set in ``training/`` on pairs that were labelled by reading.

    Attributes
    ----------
    cosine : float
        Weight of the cosine beside the log odds of the entailment model.
    threshold : float
        Least sum at which a sentence says the point.
    opposed : float
        Least probability, over both directions, at which two points contradict each other.
    """

    cosine: float
    threshold: float
    opposed: float

    def strength(self, says: FloatArray, cosine: FloatArray) -> NDArray[np.float64]:
        """Return log odds (n,), higher for surer matches, from probabilities and cosines (n,)."""
        p = np.clip(np.asarray(says, dtype=np.float64), 1e-6, 1 - 1e-6)
        return np.asarray(np.log(p / (1 - p)) + self.cosine * np.asarray(cosine) - self.threshold)


@cache
def decision(folder: Path = entailment.FOLDER) -> Decision:
    """Return the decision that was stored with the model.

    Raises
    ------
    DataError
        If the file is missing or damaged.
    """
    try:
        return Decision(**json.loads((folder / "decision.json").read_text("utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise DataError(
            "decision.json in assets/models/says is missing or damaged; restore the file from the repository."
        ) from error


def says(point: str, sentences: Sequence[str]) -> BoolArray:
    """Return which sentences (n,) say the point: the decision that the build makes, for texts at hand.

    Examples
    --------
    >>> says("it runs large", ["It runs very large.", "It runs small.", "Fast delivery."])
    array([ True, False, False])
    """
    if not len(sentences):
        return np.zeros(0, dtype=bool)
    from prefer_core.encoders.light import shared as light

    vectors = light().encode([point, *sentences])
    cosine = vectors[1:] @ vectors[0]
    found = np.zeros(len(sentences), dtype=bool)
    near = np.flatnonzero(cosine >= GATE)
    judged = entailment.shared().score([(sentences[int(i)], point) for i in near])
    found[near] = decision().strength(judged, cosine[near]) >= 0
    return found


def opposing(
    points: Sequence[str], vectors: FloatArray, model: Entailment, least_cosine: float
) -> list[tuple[int, int, float]]:
    """Return pairs (i < j) of points that deny each other in both directions, with how surely, the surest first.

    Parameters
    ----------
    points : sequence of n str
        Clauses.
    vectors : ndarray of shape (n, d)
        Their unit vectors.
    least_cosine : float
        Only pairs as close as this are looked at.
    """
    cosine = vectors @ vectors.T
    first, second = np.nonzero(np.triu(cosine >= least_cosine, k=1))
    asked = [(int(i), int(j)) for i, j in zip(first, second, strict=True)]
    if not asked:
        return []
    there = model.probabilities([(points[i], points[j]) for i, j in asked])
    back = model.probabilities([(points[j], points[i]) for i, j in asked])
    sure = (there[:, OPPOSES] + back[:, OPPOSES]) / 2
    said = np.maximum(there[:, SAYS], back[:, SAYS])
    order = [p for p in np.argsort(-sure, kind="stable") if sure[p] >= decision().opposed and said[p] < 0.5]
    return [(*asked[p], float(sure[p])) for p in order]


def contradicting(points: Sequence[str], vectors: FloatArray, model: Entailment) -> list[tuple[int, int]]:
    """Return pairs of points that contradict each other, the surest first, no point twice; arguments as `opposing`."""
    taken: set[int] = set()
    found = []
    for i, j, _ in opposing(points, vectors, model, SAME_MATTER):
        if not taken & {i, j}:
            found.append((i, j))
            taken |= {i, j}
    return found
