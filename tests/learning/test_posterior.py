"""Facts about the posterior learner, against textbook formulas and independent solvers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from prefer_core import simplex
from prefer_core.errors import ConfigError, DataError
from prefer_core.experiments.simulator import feedback
from prefer_core.learning import OMD, Posterior
from prefer_core.learning.posterior import EXTREME, nearest

K = 6


def logit(f: float) -> float:
    """Log-odds of a rating that is kept off the ends."""
    f = min(max(f, EXTREME), 1 - EXTREME)
    return float(np.log(f) - np.log1p(-f))


@pytest.mark.parametrize("forgetting", [1.0, 0.9])
def test_the_posterior_is_the_weighted_regression(forgetting: float) -> None:
    """Mean and covariance equal those of one batch: old ratings weigh less, the prior regains what they lose."""
    learner = Posterior(forgetting=forgetting)
    rng = np.random.default_rng(1)
    z, f = rng.dirichlet(np.ones(K), 12), rng.uniform(size=12)
    state = learner.start(K, 0)
    for row, rating in zip(z, f, strict=True):
        state = learner.update(state, row, float(rating))
    prior = 9.0 * (np.eye(K) - 1 / K) + 0.25 * np.ones((K, K))
    weights = forgetting ** np.arange(12)[::-1] / 0.49
    precision = np.linalg.inv(prior) + (z * weights[:, None]).T @ z
    mean, covariance = learner.theta(state)
    np.testing.assert_allclose(covariance, np.linalg.inv(precision), atol=1e-9)
    np.testing.assert_allclose(mean, np.linalg.solve(precision, (z * weights[:, None]).T @ [logit(x) for x in f]))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 8))
def test_nearest_is_the_euclidean_projection(seed: int, k: int) -> None:
    """A general solver finds the same point of the simplex."""
    v = np.random.default_rng(seed).normal(scale=0.7, size=k)
    found = minimize(
        lambda w: np.sum((w - v) ** 2), simplex.uniform(k), jac=lambda w: 2 * (w - v), bounds=[(0, 1)] * k,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": np.ones_like}, method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    np.testing.assert_allclose(nearest(v), found.x, atol=1e-5)


@pytest.mark.parametrize("w_true", [[1, 0, 0, 0, 0, 0], [0.5, 0, 0.5, 0, 0, 0], [0.3, 0.25, 0.2, 0.1, 0.1, 0.05]])
def test_without_noise_the_hidden_preference_is_found(w_true: list[float]) -> None:
    """Log-odds are linear in z, so with a wide prior and the reader's own response w-hat becomes w."""
    learner = Posterior(prior_scale=100.0, common_scale=1e-3, rating_noise=0.01, response=4.0, forgetting=1.0)
    state, rng = learner.start(K, 0), np.random.default_rng(2)
    for _ in range(30):
        z = rng.dirichlet(np.ones(K))
        state = learner.update(state, z, feedback(np.array(w_true), z, 4.0, 0.0))
    np.testing.assert_allclose(state.w, w_true, atol=2e-3)


def test_credible_intervals_hold_as_often_as_they_say() -> None:
    """Over 400 readers drawn from the prior, the 90 % intervals hold 88 to 92 % of the weights."""
    learner = Posterior(forgetting=1.0, prior_scale=0.4, common_scale=0.1)
    rng = np.random.default_rng(5)
    held = []
    for _ in range(400):
        theta = 0.4 * rng.standard_normal(K)
        theta = theta - theta.mean() + 0.1 * rng.standard_normal()
        state = learner.start(K, 0)
        for _ in range(15):
            z = rng.dirichlet(np.ones(K))
            y = theta @ z + 0.7 * rng.standard_normal()
            state = learner.update(state, z, float(1 / (1 + np.exp(-y))))
        low, high = learner.intervals(state, 0.9)
        weight = 1 / K + (theta - theta.mean()) / learner.response
        assert np.all((weight > 0) & (weight < 1))
        held.append((low <= weight) & (weight <= high))
    assert 0.88 <= np.mean(held) <= 0.92
    assert np.all(low <= state.w + 1e-9)
    assert np.all(state.w <= high + 1e-9)


def test_intervals_shrink_with_ratings() -> None:
    """Ten ratings say more than none."""
    learner, rng = Posterior(), np.random.default_rng(0)
    state = first = learner.start(K, 0)
    for _ in range(10):
        state = learner.update(state, rng.dirichlet(np.ones(K)), 0.5)
    widths = [np.mean(high - low) for low, high in (learner.intervals(first), learner.intervals(state))]
    assert widths[1] < widths[0]


def test_draws_focus_on_one_or_two_aspects_and_follow_the_posterior() -> None:
    """Before a rating every aspect comes up; afterwards the ones that were liked do."""
    learner = Posterior()
    state = learner.start(K, 0)
    leaders = [learner.target(state, np.random.default_rng(i)) for i in range(300)]
    assert all(np.sum(w > 0.4) in (1, 2) for w in leaders)
    counts = np.sum([w > 0.4 for w in leaders], axis=0)
    assert counts.min() > 0.5 * counts.max()
    for _ in range(4):
        state = learner.update(state, np.array([0.95, 0.01, 0.01, 0.01, 0.01, 0.01]), 0.97)
        state = learner.update(state, np.array([0.0, 0.2, 0.2, 0.2, 0.2, 0.2]), 0.25)
    liked = [learner.target(state, np.random.default_rng(i))[0] > 0.4 for i in range(200)]
    assert np.mean(liked) > 0.98


def test_two_aspects_are_both_found_where_mirror_descent_locks_in_on_one() -> None:
    """A reader who wants two aspects equally, shown what each learner asks for, on profiles as pure as they come."""
    w_true = np.array([0.5, 0, 0.5, 0, 0, 0])
    found = {"omd": [], "posterior": []}
    for name, learner in (("omd", OMD(step_size=16.0)), ("posterior", Posterior())):
        for seed in range(15):
            state = learner.start(K, seed)
            for t in range(12):
                rng = np.random.default_rng([seed, t])
                wanted = learner.target(state, rng)
                shown = rng.choice(K, 6, p=wanted**8 / np.sum(wanted**8))
                z = 0.9 * np.bincount(shown, minlength=K) / 6 + 0.1 / K
                state = learner.update(state, z, feedback(w_true, z, 10.0, 0.05, rng))
            found[name].append(simplex.cosine(state.w, w_true))
    assert np.median(found["posterior"]) > 0.9
    assert np.median(found["posterior"]) > np.median(found["omd"])


def test_limits_are_exact() -> None:
    """K = 2, ratings of 0 and 1, no exploration, and a floor of 1/K that leaves no freedom."""
    learner = Posterior(exploration=0.0)
    state = learner.start(2, 0)
    for f in (0.0, 1.0):
        after = learner.update(state, np.array([0.9, 0.1]), f)
        assert np.all(np.isfinite(after.w))
        assert (after.w[0] > 0.5) == (f == 1.0)
    assert (
        learner.target(after, np.random.default_rng(0)).tolist()
        == learner.target(after, np.random.default_rng(1)).tolist()
    )
    stiff = replace(learner, floor=0.25)
    state = stiff.update(stiff.start(4, 0), np.array([0.7, 0.1, 0.1, 0.1]), 1.0)
    assert state.w.tolist() == [0.25] * 4


def test_intervals_of_sums_are_those_of_draws() -> None:
    """The interval of two weights together is that of their sum over draws of theta, not a sum of ends."""
    learner, rng = Posterior(), np.random.default_rng(5)
    state = learner.start(4, 0)
    for _ in range(6):
        state = learner.update(state, rng.dirichlet(np.ones(4)), float(rng.uniform()))
    mean, covariance = learner.theta(state)
    theta = rng.multivariate_normal(mean, covariance, 200_000)
    weights = 1 / 4 + (theta - theta.mean(axis=1, keepdims=True)) / learner.response
    pair = weights[:, 0] + weights[:, 2]
    low, high = learner.intervals(state, rows=[(0, 2), (1,), (3,)])
    ends = np.clip(np.quantile(pair, [0.05, 0.95]), 0, 1)
    np.testing.assert_allclose([low[0], high[0]], ends, atol=0.01)
    np.testing.assert_allclose([low[1], high[1]], [end[1] for end in learner.intervals(state)], atol=1e-12)


def test_settings_that_cannot_work_are_refused() -> None:
    """Each wrong setting, level or shape is an error that names it."""
    for wrong, word in (
        ({"prior_scale": 0.0}, "prior_scale"),
        ({"response": float("inf")}, "response"),
        ({"rating_noise": float("nan")}, "rating_noise"),
        ({"forgetting": 0.0}, "forgetting"),
        ({"second_share": 1.5}, "second_share"),
        ({"exploration": -1.0}, "exploration"),
        ({"baseline": "median"}, "baseline"),
    ):
        with pytest.raises(ConfigError, match=word):
            Posterior(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="no room"):
        Posterior(floor=0.3).start(5, 0)
    with pytest.raises(ConfigError, match="level"):
        Posterior().intervals(Posterior().start(3, 0), 0.42)
    with pytest.raises(DataError, match="shape"):
        Posterior().update(Posterior().start(3, 0), np.ones(4) / 4, 0.5)
