"""How well what was learned, or shown, agrees with what a reader wants (section experiments_fixedpref)."""

from prefer_core import simplex
from prefer_core.types import FloatArray


def preference_alignment(w_true: FloatArray, w: FloatArray) -> float:
    """Return A_pref, the cosine of hidden and learned preference (K,).

    Examples
    --------
    >>> import numpy as np
    >>> round(preference_alignment(np.array([1.0, 0.0]), np.array([0.5, 0.5])), 4)
    0.7071
    """
    return simplex.cosine(simplex.check(w_true, "The hidden preference"), simplex.check(w, "The learned preference"))


def evidence_alignment(w_true: FloatArray, z: FloatArray) -> float:
    """Return A_evid, the cosine of hidden preference and aspect profile of the evidence (K,); G_cos of the paper."""
    return simplex.cosine(simplex.check(w_true, "The hidden preference"), simplex.check(z, "The aspect profile"))
