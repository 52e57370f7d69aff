"""Principal components of the unit point cloud (paper, app:aspect-discovery-diagnostics)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prefer_core.config import Components
from prefer_core.files.blocks import blocks, by_block
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


def kept_components(spectrum: FloatArray, wish: Components) -> int:
    """Return how many components a wish asks for, at least 1.

    Parameters
    ----------
    spectrum : ndarray of shape (d,)
        Variance along every direction, falling.
    wish : int, float or "curve"
        A number; the least number that holds a share of the variance; or the place where the curve of the explained
        variance bends: where it is farthest above the straight line from its first point to its last.

    Examples
    --------
    >>> [kept_components(np.array([6.0, 2.0, 1.0, 0.5, 0.5]), wish) for wish in (4, 0.75, "curve")]
    [4, 2, 2]
    """
    if isinstance(wish, int):
        return wish
    total = float(np.sum(spectrum))
    if total <= 0:
        return 1
    share = np.cumsum(spectrum) / total
    if wish == "curve":
        line = np.linspace(share[0], 1.0, len(share))
        return int(np.argmax(share - line)) + 1
    return int(np.searchsorted(share, float(wish) - 1e-12)) + 1


def fit_reduction(embeddings: FloatArray, n_components: Components) -> Reduction:
    """Fit a PCA with m = min(n_components, n - 1, d) components, from moments that are summed up block by block.

    Exact: one pass, products in float32 within a block, sums over blocks in float64, taken about the mean of the first
    block so that nothing cancels.

    Parameters
    ----------
    embeddings : ndarray of shape (n, d)
        Unit vectors, float16 or wider; a memory-mapped array stays on disk.
    n_components : int, float or "curve"
        See `kept_components`.
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
    m = max(1, min(kept_components(np.maximum(values[::-1], 0.0), n_components), n - 1, d))
    components = vectors[:, ::-1].T[:m]
    # The sign of an eigenvector is free; fixed here, so that a rebuild gives the same coordinates.
    largest = np.abs(components).argmax(axis=1)
    signs = np.sign(components[np.arange(m), largest])
    return Reduction(origin + shift, components * signs[:, None], np.maximum(values[::-1], 0.0))


def reduce_vectors(
    embeddings: FloatArray, mean: NDArray[np.float64], components: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Project vectors (n, d) on the components: (n, m)."""
    return by_block(lambda block: ((block - mean) @ components.T).astype(np.float32), embeddings, np.float64)
