"""The aspect space: PCA, centroids and temperature as one value, and how it is fitted."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.aspects.clustering import fit_clusters
from prefer_core.aspects.k_selection import Candidate, sweep
from prefer_core.aspects.membership import calibrate_temperature, memberships, nearest_gaps
from prefer_core.aspects.reduction import fit_reduction, reduce_vectors
from prefer_core.config import AspectSettings
from prefer_core.data.progress import Tick, silent
from prefer_core.types import FloatArray

Stage = Callable[[str], AbstractContextManager[Tick]]
"""Opens a named stage of the work, timed by the caller; gives the callback for its progress."""

_FIELDS = ("mean", "components", "centroids")


@dataclass(frozen=True)
class AspectSpace:
    """Everything that turns a unit sentence vector into soft aspect memberships.

    Attributes
    ----------
    mean : ndarray of shape (d,)
        Centre of the embedded corpus.
    components : ndarray of shape (m, d)
        Principal directions.
    centroids : ndarray of shape (K, m)
        Prototypes of the aspects, the largest aspect first.
    temperature : float
        tau.
    """

    mean: NDArray[np.float64]
    components: NDArray[np.float64]
    centroids: NDArray[np.float64]
    temperature: float

    def reduce(self, embeddings: FloatArray) -> NDArray[np.float32]:
        """Return reduced vectors s (n, m) of unit vectors (n, d)."""
        return reduce_vectors(embeddings, self.mean, self.components)

    def memberships(self, s: FloatArray) -> NDArray[np.float64]:
        """Return phi (n, K) of reduced vectors (n, m)."""
        return memberships(s, self.centroids, self.temperature)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; floats survive JSON exactly."""
        return {name: getattr(self, name).tolist() for name in _FIELDS} | {"temperature": self.temperature}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "AspectSpace":
        """Make a space from plain values; other entries are ignored."""
        arrays = {name: np.array(values[name], dtype=np.float64) for name in _FIELDS}
        return cls(**arrays, temperature=float(values["temperature"]))


@dataclass(frozen=True)
class FittedSpace:
    """An aspect space with what the fit found on its own corpus.

    Attributes
    ----------
    space : AspectSpace
        The space.
    reduced : ndarray of shape (n, m)
        s of every sentence.
    phi : ndarray of shape (n, K)
        Memberships of every sentence.
    shares : ndarray of shape (K,)
        Part of the whole mass that each aspect holds, repeats counted; falling.
    gaps : ndarray of shape (n,)
        Delta of every sentence.
    spectrum : ndarray of shape (d,)
        Variance along every principal direction.
    candidates : tuple of Candidate
        The sweep over K.
    """

    space: AspectSpace
    reduced: NDArray[np.float32]
    phi: NDArray[np.float64]
    shares: NDArray[np.float64]
    gaps: NDArray[np.float64]
    spectrum: NDArray[np.float64]
    candidates: tuple[Candidate, ...]


def _untimed(name: str) -> AbstractContextManager[Tick]:
    return nullcontext(silent)


def fit_space(
    embeddings: FloatArray, weights: FloatArray, settings: AspectSettings, seed: int, stage: Stage = _untimed
) -> FittedSpace:
    """Discover aspects: PCA, the choice of K, K-means, temperature, memberships.

    Parameters
    ----------
    embeddings : ndarray of shape (n, d)
        Unit sentence vectors.
    weights : ndarray of shape (n,)
        How often each sentence was written.
    """
    with stage("reduce"):
        reduction = fit_reduction(embeddings, settings.n_components)
        reduced = reduction.apply(embeddings)
    with stage("choose K") as tick:
        swept = sweep(reduced, weights, settings, seed, tick)
    with stage("cluster"):
        centroids = fit_clusters(
            reduced, swept.chosen, weights, seed, settings.n_init, settings.cluster_sample
        ).centroids
    with stage("memberships"):
        gaps = nearest_gaps(reduced, centroids)
        temperature = calibrate_temperature(gaps, settings.mass_ratio)
        phi = memberships(reduced, centroids, temperature)
        shares = weights @ phi / weights.sum()
        order = np.argsort(-shares, kind="stable")
    space = AspectSpace(reduction.mean, reduction.components, centroids[order], temperature)
    return FittedSpace(space, reduced, phi[:, order], shares[order], gaps, reduction.spectrum, swept.candidates)
