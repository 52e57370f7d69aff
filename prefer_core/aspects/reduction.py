"""Principal components of the unit point cloud (paper, app:aspect-discovery-diagnostics)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prefer_core.files.blocks import blocks
from prefer_core.types import FloatArray


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
    """Fit a PCA with m = min(n_components, n - 1, d) components, from moments that are summed up block by block.

    Exact: one pass, products in float32 within a block, sums over blocks in float64, taken about the mean of the first
    block so that nothing cancels.

    Parameters
    ----------
    embeddings : ndarray of shape (n, d)
        Unit vectors, float16 or wider; a memory-mapped array stays on disk.
    """
    n, d = embeddings.shape
    origin = np.zeros(d, dtype=np.float32)
    total, scatter = np.zeros(d), np.zeros((d, d))
    for number, block in enumerate(blocks(embeddings, np.float32)):
        if number == 0:
            origin = block.mean(axis=0, dtype=np.float64).astype(np.float32)
        block -= origin
        total += block.sum(axis=0, dtype=np.float64)
        scatter += block.T @ block
    shift = total / n
    values, vectors = np.linalg.eigh((scatter - n * np.outer(shift, shift)) / max(n - 1, 1))
    m = max(1, min(n_components, n - 1, d))
    components = vectors[:, ::-1].T[:m]
    # The sign of an eigenvector is free; fixed here, so that a rebuild gives the same coordinates.
    largest = np.abs(components).argmax(axis=1)
    signs = np.sign(components[np.arange(m), largest])
    return Reduction(origin + shift, components * signs[:, None], np.maximum(values[::-1], 0.0))


def reduce_vectors(
    embeddings: FloatArray, mean: NDArray[np.float64], components: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Project vectors (n, d) on the components: (n, m)."""
    reduced = np.empty((len(embeddings), len(components)), dtype=np.float32)
    done = 0
    for block in blocks(embeddings, np.float64):
        reduced[done : done + len(block)] = (block - mean) @ components.T
        done += len(block)
    return reduced
