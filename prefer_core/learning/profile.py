"""The aspect profile z_t of the evidence shown."""

import numpy as np

from prefer_core.errors import ConfigError, DataError
from prefer_core.types import FloatArray

WEIGHTINGS = ("uniform", "utility", "rank", "blend")


def aspect_profile(
    phi: FloatArray,
    scores: FloatArray,
    weighting: str = "uniform",
    *,
    utility_weight: float = 5.0,
    rank_decay: float = 0.3,
) -> tuple[FloatArray, FloatArray]:
    """Return (alpha, z): weights of the evidence and its aspect profile z = sum_i alpha_i phi_i.

    Parameters
    ----------
    phi : ndarray of shape (k, K)
        Memberships of the selected sentences, in order of extraction.
    scores : ndarray of shape (k,)
        Marginal scores a_{t,i}.
    weighting : {"uniform", "utility", "rank", "blend"}
        alpha_i is equal, proportional to exp(utility_weight a_i), to exp(-rank_decay (i - 1)), or to their product.
    utility_weight, rank_decay : float
        beta_alpha and gamma_alpha.

    Returns
    -------
    alpha : ndarray of shape (k,)
        On the simplex.
    z : ndarray of shape (K,)
        On the simplex (Lemma bounded-feedback).

    Examples
    --------
    >>> aspect_profile(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.5, 0.1]))[1]
    array([0.5, 0.5])
    """
    phi, scores = np.asarray(phi, dtype=np.float64), np.asarray(scores, dtype=np.float64)
    if weighting not in WEIGHTINGS:
        raise ConfigError(f"weighting must be one of {', '.join(WEIGHTINGS)}, found {weighting!r}.")
    if len(phi) == 0 or len(phi) != len(scores):
        raise DataError(f"An aspect profile needs evidence with one score each, found {len(phi)} and {len(scores)}.")
    exponent = np.zeros(len(phi))
    if weighting in ("utility", "blend"):
        exponent = exponent + utility_weight * scores
    if weighting in ("rank", "blend"):
        exponent = exponent - rank_decay * np.arange(len(phi))
    alpha = np.exp(exponent - exponent.max())
    alpha /= alpha.sum()
    return alpha, alpha @ phi
