"""Facts about the simplex, each against an independent computation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from prefer_core import simplex
from prefer_core.errors import ConfigError, DataError

weights = arrays(np.float64, st.integers(2, 8), elements=st.floats(1e-6, 1.0))


def numeric_projection(v: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Minimise KL(w || v) by a general solver that knows nothing of the closed form."""
    found = minimize(
        lambda w: np.sum(w * np.log(w / v)),
        np.clip(np.full(len(v), 1 / len(v)), low, high),
        jac=lambda w: np.log(w / v) + 1,
        bounds=[(max(a, 1e-12), b) for a, b in zip(low, high, strict=True)],
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
    )
    return np.asarray(found.x)


@pytest.mark.parametrize("seed", range(12))
def test_projection_onto_the_floor_is_the_numeric_minimiser(seed: int) -> None:
    """The set-small-and-rescale rule minimises KL over the truncated simplex."""
    rng = np.random.default_rng(seed)
    v = rng.dirichlet(np.full(6, 0.3)) + 1e-9
    v /= v.sum()
    floor = 0.05
    expected = numeric_projection(v, np.full(6, floor), np.ones(6))
    np.testing.assert_allclose(simplex.project(v, floor), expected, atol=2e-6)


@pytest.mark.parametrize("seed", range(12))
def test_projection_between_limits_is_the_numeric_minimiser(seed: int) -> None:
    """The bisection minimises KL between lower and upper limits (locks)."""
    rng = np.random.default_rng(seed)
    v = rng.dirichlet(np.full(5, 0.5)) + 1e-6
    v /= v.sum()
    low, high = np.full(5, 0.02), np.array([0.3, 0.25, 1.0, 1.0, 0.5])
    np.testing.assert_allclose(simplex.project(v, low, high), numeric_projection(v, low, high), atol=2e-6)


@settings(max_examples=200, deadline=None)
@given(weights, st.floats(0.0, 1.0))
def test_projection_lands_in_the_truncated_simplex_and_keeps_order(v: np.ndarray, share: float) -> None:
    """Whatever goes in, the result sums to one, is nowhere below the floor, and ranks aspects as before."""
    floor = share / len(v)
    w = simplex.project(v, floor)
    assert w.sum() == pytest.approx(1, abs=1e-12)
    assert w.min() >= floor - 1e-15
    order = np.argsort(v, kind="stable")
    assert np.all(np.diff(w[order]) >= -1e-12)


@settings(max_examples=100, deadline=None)
@given(weights)
def test_both_ways_to_project_agree(v: np.ndarray) -> None:
    """Upper limits of one change nothing: the exact rule and the bisection give the same point."""
    floor = 0.3 / len(v)
    np.testing.assert_allclose(simplex.project(v, floor), simplex.project(v, floor, np.ones(len(v))), atol=1e-9)


def test_a_zero_coordinate_is_raised_to_the_floor() -> None:
    """A corner of the simplex is projected to a point that has every aspect."""
    np.testing.assert_allclose(simplex.project(np.array([1.0, 0, 0]), 0.1), [0.8, 0.1, 0.1])


def test_impossible_limits_are_refused() -> None:
    """Limits that leave no point of the simplex are a ConfigError."""
    with pytest.raises(ConfigError, match="between the limits"):
        simplex.project(np.ones(4), 0.3)
    with pytest.raises(ConfigError, match="between the limits"):
        simplex.project(np.ones(4), 0.0, 0.2)


def test_a_preference_without_mass_is_refused() -> None:
    """Zero, negative and infinite weights are a DataError."""
    for bad in ([0.0, 0.0], [1.0, -1.0], [np.inf, 1.0], [np.nan, 1.0]):
        with pytest.raises(DataError):
            simplex.normalise(np.array(bad))


def test_entropy_is_zero_at_a_corner_and_one_at_the_centre() -> None:
    """Normalised entropy spans [0, 1]."""
    assert simplex.entropy(np.array([1.0, 0, 0])) == 0
    assert simplex.entropy(simplex.uniform(7)) == pytest.approx(1)


@given(weights)
def test_kl_of_a_point_to_itself_is_zero_and_else_positive(v: np.ndarray) -> None:
    """KL is a divergence (Prop. kl-bregman)."""
    w = simplex.normalise(v)
    assert simplex.kl(w, w) == pytest.approx(0, abs=1e-12)
    assert simplex.kl(w, simplex.uniform(len(w))) >= -1e-12
