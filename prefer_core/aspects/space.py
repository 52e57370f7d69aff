"""The aspect space: PCA, centroids and temperature as one value, and how it is fitted, once for each preset."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from prefer_core.aspects.anchors import fit_anchored, near_shares
from prefer_core.aspects.clustering import fit_clusters
from prefer_core.aspects.k_selection import Candidate, choose_plan, sweep
from prefer_core.aspects.mask import Mask
from prefer_core.aspects.membership import calibrate_temperature, memberships, nearest_gaps
from prefer_core.aspects.reduction import Reduction, fit_reduction, reduce_vectors
from prefer_core.aspects.stability import Refit
from prefer_core.config import AspectSettings
from prefer_core.files.progress import Tick, silent
from prefer_core.types import FloatArray

Stage = Callable[[str], AbstractContextManager[Tick]]
"""Opens a named stage of the work, timed by the caller; gives the callback for its progress."""

Kind = Literal["anchored", "free", "other"]
"""Whether an aspect was named beforehand, found freely, or is what is near neither."""

OTHER = "Other"
"""What the aspect of kind "other" is called."""

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
    masked : tuple of str
        Words that stand as "item" in every text that is placed here, in lower case, with their forms.
    """

    mean: NDArray[np.float64]
    components: NDArray[np.float64]
    centroids: NDArray[np.float64]
    temperature: float
    masked: tuple[str, ...] = ()

    def as_read(self, texts: Sequence[str]) -> list[str]:
        """Return texts as they must be embedded to be placed here: product words masked."""
        return Mask(self.masked).apply_all(texts) if self.masked else list(texts)

    def reduce(self, embeddings: FloatArray) -> NDArray[np.float32]:
        """Return reduced vectors s (n, m) of unit vectors (n, d)."""
        return reduce_vectors(embeddings, self.mean, self.components)

    def memberships(self, s: FloatArray) -> NDArray[np.float64]:
        """Return phi (n, K) of reduced vectors (n, m)."""
        return memberships(s, self.centroids, self.temperature)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; floats survive JSON exactly."""
        arrays = {name: getattr(self, name).tolist() for name in _FIELDS}
        masked = {"masked": list(self.masked)} if self.masked else {}
        return arrays | {"temperature": self.temperature} | masked

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "AspectSpace":
        """Make a space from plain values; other entries are ignored."""
        arrays = {name: np.array(values[name], dtype=np.float64) for name in _FIELDS}
        return cls(**arrays, temperature=float(values["temperature"]), masked=tuple(values.get("masked", ())))


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
        Part of the whole mass that each aspect holds, repeats counted; falling, but "other" is last.
    gaps : ndarray of shape (n,)
        Delta of every sentence.
    spectrum : ndarray of shape (d,)
        Variance along every principal direction.
    candidates : tuple of Candidate
        The sweep over K.
    refit : callable
        Finds the centroids again in other sentences or with another seed.
    kinds : tuple of K str
        Kind of every aspect; in preset `paper` all are free.
    names : tuple of K (str or None)
        Name of an anchored aspect and of "other"; None where the sentences must give one.
    dropped : mapping of str to float
        Anchors that are no aspect here, with the part of all sentences that is near each.
    """

    space: AspectSpace
    reduced: NDArray[np.float32]
    phi: NDArray[np.float64]
    shares: NDArray[np.float64]
    gaps: NDArray[np.float64]
    spectrum: NDArray[np.float64]
    candidates: tuple[Candidate, ...]
    refit: Refit
    kinds: tuple[Kind, ...]
    names: tuple[str | None, ...]
    dropped: Mapping[str, float]


def _untimed(name: str) -> AbstractContextManager[Tick]:
    return nullcontext(silent)


def fit_space(
    embeddings: FloatArray, weights: FloatArray, settings: AspectSettings, seed: int, stage: Stage = _untimed
) -> FittedSpace:
    """Discover aspects as the paper does: PCA, the choice of K, K-means, temperature, memberships.

    Parameters
    ----------
    embeddings : ndarray of shape (n, d)
        Unit sentence vectors.
    weights : ndarray of shape (n,)
        How often each sentence was written.
    """
    with stage("reduce"):
        reduction = fit_reduction(embeddings, settings.components)
        reduced = reduction.apply(embeddings)
    with stage("choose K") as tick:
        n_aspects, candidates = sweep(reduced, weights, settings, seed, tick)

    def refit(s: FloatArray, w: FloatArray, other_seed: int) -> NDArray[np.float64]:
        return fit_clusters(s, n_aspects, w, other_seed, settings.n_init, settings.cluster_sample).centroids

    with stage("cluster"):
        centroids = refit(reduced, weights, seed)
    with stage("memberships"):
        kinds: list[Kind] = ["free"] * n_aspects
        return _fitted(
            reduction, reduced, weights, centroids, settings, candidates, refit, kinds, (None,) * n_aspects, {}
        )


def fit_anchored_space(
    vectors: FloatArray,
    weights: FloatArray,
    anchors: Mapping[str, FloatArray],
    texts: Sequence[str],
    products: Sequence[str],
    settings: AspectSettings,
    seed: int,
    stage: Stage = _untimed,
    masked: tuple[str, ...] = (),
    middle: FloatArray | None = None,
) -> FittedSpace:
    """Discover aspects that people recognise: anchored and free ones, and "other"; the rest is the paper's.

    Parameters
    ----------
    vectors : ndarray of shape (n, d)
        Unit sentence vectors, of masked texts where a mask is used.
    weights : ndarray of shape (n,)
        How often each sentence was written.
    anchors : mapping of str to ndarray of shape (d,)
        Unit vector of each anchor by its name.
    texts, products : sequence of n str
        The sentences and the products they belong to: free clusters are judged by them.
    masked : tuple of str
        The words that were masked, kept with the space.
    middle : ndarray of shape (d,), optional
        From where aspects are seen: the mean of the shopper's anchors; the corpus's own mean if left out.
    """
    with stage("reduce"):
        reduction = fit_reduction(vectors, settings.components)
        reduced = reduction.apply(vectors)
    with stage("choose K") as tick:
        seen_from = reduction.mean if middle is None else np.asarray(middle, dtype=np.float64)
        names, directions, dropped = _spoken_of(vectors, reduction, seen_from, weights, anchors, settings)
        at = reduction.apply(seen_from[None])[0].astype(np.float64)
        plan, candidates = choose_plan(reduced, directions, at, weights, texts, products, masked, settings, tick)
        dropped |= dict(list(names.items())[len(plan.anchors) :])

    def refit(s: FloatArray, w: FloatArray, other_seed: int) -> NDArray[np.float64]:
        return fit_anchored(s, plan, w, other_seed, settings.n_init, settings.cluster_sample)

    with stage("cluster"):
        centroids = refit(reduced, weights, seed)
    with stage("memberships"):
        given = list(names)[: len(plan.anchors)]
        anchored: list[Kind] = ["anchored"] * len(given)
        free: list[Kind] = ["free"] * plan.n_free
        called = (*given, *[None] * plan.n_free, OTHER)
        return _fitted(
            reduction,
            reduced,
            weights,
            centroids,
            settings,
            candidates,
            refit,
            [*anchored, *free, "other"],
            called,
            dropped,
            masked,
        )


def _spoken_of(
    vectors: FloatArray,
    reduction: Reduction,
    middle: NDArray[np.float64],
    weights: FloatArray,
    anchors: Mapping[str, FloatArray],
    settings: AspectSettings,
) -> tuple[dict[str, float], NDArray[np.float64], dict[str, float]]:
    """Return the anchors that enough sentences are near, the most spoken of first.

    Returns
    -------
    tuple
        Shares of these anchors by name, their unit directions (A, m), and the shares of the others by name.
    """
    if not anchors:
        return {}, np.empty((0, len(reduction.components))), {}
    given = np.stack(list(anchors.values()))
    placed = (given - middle) @ reduction.components.T
    directions = placed / np.maximum(np.linalg.norm(placed, axis=1, keepdims=True), 1e-12)
    shares = near_shares(vectors, middle, given, weights, settings.near)
    named = list(anchors)
    order = [int(i) for i in np.argsort(-shares, kind="stable")]
    kept = [i for i in order if shares[i] >= settings.least_near]
    return (
        {named[i]: float(shares[i]) for i in kept},
        directions[kept].astype(np.float64),
        {named[i]: float(shares[i]) for i in order if i not in kept},
    )


def _fitted(
    reduction: Reduction,
    reduced: NDArray[np.float32],
    weights: FloatArray,
    centroids: NDArray[np.float64],
    settings: AspectSettings,
    candidates: tuple[Candidate, ...],
    refit: Refit,
    kinds: Sequence[Kind],
    names: Sequence[str | None],
    dropped: Mapping[str, float],
    masked: tuple[str, ...] = (),
) -> FittedSpace:
    """Calibrate the temperature, take the memberships, and order the aspects by share, "other" last."""
    gaps = nearest_gaps(reduced, centroids)
    temperature = calibrate_temperature(gaps, settings.mass_ratio)
    phi = memberships(reduced, centroids, temperature)
    shares = weights @ phi / weights.sum()
    is_other = np.array([kind == "other" for kind in kinds])
    order = np.lexsort((np.arange(len(shares)), -shares, is_other))
    space = AspectSpace(reduction.mean, reduction.components, centroids[order], temperature, masked)
    return FittedSpace(
        space, reduced, phi[:, order], shares[order], gaps, reduction.spectrum, candidates, refit,
        tuple(kinds[k] for k in order), tuple(names[k] for k in order), dropped,
    )  # fmt: skip
