"""Principal components of the unit point cloud (paper, app:aspect-discovery-diagnostics)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prefer_core.types import FloatArray

_CHUNK = 65_536


@dataclass(frozen=True)
class Reduction:
    """A fitted PCA.

    Attributes
    ----------
    mean : ndarray of shape (d,)
        Centre of the cloud.
    components : ndarray of shape (m, d)
        Principal directions, orthonormal rows; the largest entry of each is positive.
    spectrum : ndarray of shape (d,)
        Variance along every direction, falling.
    """

    mean: NDArray[np.float64]
    components: NDArray[np.float64]
    spectrum: NDArray[np.float64]

    def apply(self, embeddings: FloatArray) -> NDArray[np.float32]:
        """Reduce vectors (n, d) to (n, m)."""
        return reduce_vectors(embeddings, self.mean, self.components)


def fit_reduction(embeddings: FloatArray, n_components: int) -> Reduction:
    """Fit a PCA with m = min(n_components, n - 1, d) components.

    Parameters
    ----------
    embeddings : ndarray of shape (n, d)
        Unit vectors, float16 or wider; read in chunks, so a memory-mapped array stays on disk.
    """
    n, d = embeddings.shape
    mean = sum((chunk.sum(axis=0) for chunk in _chunks(embeddings)), np.zeros(d)) / n
    scatter = np.zeros((d, d))
    for chunk in _chunks(embeddings):
        centred = chunk - mean
        scatter += centred.T @ centred
    values, vectors = np.linalg.eigh(scatter / max(n - 1, 1))
    m = max(1, min(n_components, n - 1, d))
    components = vectors[:, ::-1].T[:m]
    # The sign of an eigenvector is free; fixed here, so that a rebuild gives the same coordinates.
    largest = np.abs(components).argmax(axis=1)
    signs = np.sign(components[np.arange(m), largest])
    return Reduction(mean, components * signs[:, None], np.maximum(values[::-1], 0.0))


def reduce_vectors(
    embeddings: FloatArray, mean: NDArray[np.float64], components: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Project vectors (n, d) on the components: (n, m)."""
    parts = [((chunk - mean) @ components.T).astype(np.float32) for chunk in _chunks(embeddings)]
    return np.concatenate(parts) if parts else np.empty((0, len(components)), dtype=np.float32)


def _chunks(embeddings: FloatArray) -> list[NDArray[np.float64]]:
    return [
        np.asarray(embeddings[start : start + _CHUNK], dtype=np.float64) for start in range(0, len(embeddings), _CHUNK)
    ]
