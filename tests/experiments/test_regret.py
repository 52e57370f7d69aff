"""Facts about regret, against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefer_core.errors import ConfigError, DataError, PreferError
from prefer_core.experiments import regret
from prefer_core.learning import loss


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 12), st.sampled_from([0.0, 1e-4, 0.05, 0.25]))
def test_the_best_fixed_preference_beats_a_grid(seed: int, rounds: int, floor: float) -> None:
    """On K = 4 no point of a fine grid of the truncated simplex has a lower total loss (B12)."""
    rng = np.random.default_rng(seed)
    z, centred = rng.dirichlet(np.ones(4), rounds), rng.uniform(-1, 1, rounds)
    steps = np.array(
        [(a, b, c, 10 - a - b - c) for a in range(11) for b in range(11 - a) for c in range(11 - a - b)], dtype=float
    )
    grid = floor + (1 - 4 * floor) * steps / 10
    losses = -(grid @ z.T) @ centred
    best = loss.best_fixed(z, centred, floor)
    assert best.min() >= floor - 1e-15
    assert best.sum() == pytest.approx(1)
    assert -(z @ best) @ centred == pytest.approx(losses.min(), abs=1e-12)


def test_regret_is_the_running_sum_of_differences() -> None:
    """R_t by hand for three rounds, fixed and moving comparator."""
    w = np.array([[0.5, 0.5], [0.6, 0.4], [0.7, 0.3]])
    z = np.array([[1.0, 0.0], [0.5, 0.5], [0.2, 0.8]])
    centred = np.array([0.4, -0.2, 0.3])
    fixed = loss.regret(w, z, centred, np.array([0.9, 0.1]))
    np.testing.assert_allclose(fixed, np.cumsum([0.4 * (0.9 - 0.5), 0.0, 0.3 * (0.26 - 0.38)]))
    path = np.array([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9]])
    moving = loss.regret(w, z, centred, path)
    assert moving[2] - moving[1] == pytest.approx(0.3 * (0.74 - 0.38))
    np.testing.assert_allclose(loss.path_variation(path), [0, 0, 1.6])


@pytest.mark.parametrize(
    "arguments",
    [
        (0, 1e-4, 1.0, 0.1, 1.0),
        (10, 1e-4, 0.0, 0.1, 1.0),
        (10, 1e-4, float("inf"), 0.1, 1.0),
        (10, 1e-4, 1.0, 0.0, 1.0),
        (10, 1e-4, 1.0, 0.1, 0.0),
        (10, 1e-4, 1.0, 0.1, float("nan")),
    ],
)
def test_bounds_refuse_what_the_theorem_excludes(arguments: tuple[int, float, float, float, float]) -> None:
    """T = 0, eta0 = 0 or infinite, c_eta = 0 and c = 0 are errors that give the value."""
    with pytest.raises(ConfigError, match="found"):
        regret.static_bound(*arguments)


def test_nan_and_shapes_are_refused() -> None:
    """A NaN rating, unequal shapes, a floor with no room and a negative variation never give a number."""
    z = np.full((2, 3), 1 / 3)
    for call in (
        lambda: loss.surrogate_loss(z, z, np.array([0.1, np.nan])),
        lambda: loss.surrogate_loss(z, z[:, :2], 0.1),
        lambda: loss.best_fixed(z, np.array([np.nan, 0.0]), 0.0),
        lambda: loss.best_fixed(z, np.zeros(2), 0.5),
        lambda: regret.dynamic_bound(10, 1e-4, 1.0, 0.1, 1.0, -1.0),
        lambda: regret.sample_complexity(0.0, 1e-4, 0.1, 1.0),
    ):
        with pytest.raises(PreferError):
            call()
    with pytest.raises(DataError, match="NaN"):
        loss.surrogate_loss(z, z, np.nan)


def test_a_huge_step_still_has_a_finite_bound() -> None:
    """The c^2 eta0 / c_eta part dominates and is exact."""
    huge = regret.static_bound(1, 1e-4, 1e6, 0.1, 1.0)
    assert huge == pytest.approx(np.sqrt(1.1) * (np.log(1e4) / 1e6 + 1e7))
