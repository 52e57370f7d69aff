"""Facts about learning, against an independent solver and the paper's statements."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from prefer_core import simplex
from prefer_core.errors import ConfigError, DataError
from prefer_core.learning import OMD, UPDATERS
from prefer_core.learning.base import BASELINES
from prefer_core.learning.omd import entropic_step
from prefer_core.learning.profile import WEIGHTINGS, aspect_profile
from prefer_core.learning.receipt import sentence
from prefer_core.schedules import Beta, StepSize
from prefer_core.study.texts import texts


def on_simplex(seed: int, k: int = 6, spread: float = 0.7) -> np.ndarray:
    """Draw a point of the simplex."""
    return np.random.default_rng(seed).dirichlet(np.full(k, spread))


@pytest.mark.parametrize("seed", range(10))
def test_the_step_is_the_numeric_argmin_of_mirror_descent(seed: int) -> None:
    """Eq. exp-gradient-update solves Eq. omd-update: a general solver finds the same point."""
    w, z = simplex.project(on_simplex(seed), 1e-3), on_simplex(seed + 50)
    centred, eta = np.random.default_rng(seed).uniform(-1, 1), 2.5
    found = minimize(
        lambda v: eta * (-centred * z) @ v + np.sum(v * np.log(v / w)),
        simplex.uniform(6),
        jac=lambda v: -eta * centred * z + np.log(v / w) + 1,
        bounds=[(1e-12, 1)] * 6,
        constraints={"type": "eq", "fun": lambda v: v.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-15},
    )
    np.testing.assert_allclose(entropic_step(w, z, centred, eta, floor=0), found.x, atol=2e-6)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10_000), st.floats(-1, 1), st.floats(0.01, 60))
def test_the_step_stays_in_the_truncated_simplex(seed: int, centred: float, eta: float) -> None:
    """Assumption omd-delta holds after every step, however large."""
    w = entropic_step(on_simplex(seed), on_simplex(seed + 1), centred, eta, floor=1e-4)
    assert w.sum() == pytest.approx(1, abs=1e-12)
    assert w.min() >= 1e-4 - 1e-18


@pytest.mark.parametrize("name", sorted(UPDATERS))
def test_every_updater_keeps_the_contract(name: str) -> None:
    """On the simplex, above the floor, t counts, state unchanged, same seed same answer, equivariant to permutation."""
    learner = UPDATERS[name]()
    state = learner.start(6, seed=4)
    rng = np.random.default_rng(0)
    order = rng.permutation(6)
    permuted = state
    for t in range(1, 30):
        z, f = rng.dirichlet(np.ones(6)), float(rng.uniform())
        old = state.w.copy()
        after = learner.update(state, z, f)
        assert after.w.tolist() == learner.update(state, z, f).w.tolist()
        np.testing.assert_array_equal(state.w, old)
        permuted = learner.update(permuted, z[order], f)
        np.testing.assert_allclose(permuted.w, after.w[order], atol=1e-12)
        assert after.t == t + 1
        assert after.w.sum() == pytest.approx(1)
        assert after.w.min() >= 1e-4 - 1e-18
        np.testing.assert_array_equal(learner.learn(state, z, f)[1].w_after, after.w)
        used = learner.target(after, np.random.default_rng(t))
        np.testing.assert_array_equal(used, learner.target(after, np.random.default_rng(t)))
        simplex.check(used)
        assert used.min() >= 1e-4 - 1e-18
        np.testing.assert_array_equal(learner.target(after), after.w)
        state = after
    for bad in (-0.1, 1.1, float("nan")):
        with pytest.raises(DataError, match="between 0 and 1"):
            learner.update(state, state.w, bad)
    with pytest.raises(ValueError, match="read-only"):
        state.w[0] = 1


def test_a_rating_as_expected_changes_nothing() -> None:
    """f~ = 0 is the identity of OMD."""
    learner = OMD(step_size=20.0)
    state = learner.start(5, 0)
    np.testing.assert_allclose(learner.update(state, on_simplex(1, 5), 0.5).w, state.w, atol=1e-15)


def test_centred_feedback_is_clipped() -> None:
    """|f~| <= c (Lemma bounded-feedback)."""
    step = OMD(clip=0.2).learn(OMD().start(4, 0), on_simplex(0, 4), 1.0)[1]
    assert step.centred == 0.2
    assert step.baseline == 0.5


def test_baselines_start_at_one_half_and_follow_their_formulas() -> None:
    """EMA and running mean as the paper's footnote writes them; b_1 = 0.5 drops out of the mean."""
    ratings = [0.9, 0.1, 0.4, 0.8]
    expected = {"ema": 0.5, "mean": 0.5}
    for t, f in enumerate(ratings, start=1):
        for name, rule in BASELINES.items():
            expected[name] = rule(expected[name], f, t, 0.3)
        assert expected["mean"] == pytest.approx(np.mean(ratings[:t]))
    by_hand = 0.5
    for f in ratings:
        by_hand = 0.7 * by_hand + 0.3 * f
    assert expected["ema"] == pytest.approx(by_hand)


def test_schedules_are_the_papers() -> None:
    """eta_t falls as 1 / sqrt(1 + c t); beta_t grows with log(t + 2) up to its cap."""
    assert StepSize(2.0, 0.5)(6) == 1.0
    assert Beta(50, 5)(1) == pytest.approx(1 + 5 * np.log(3))
    assert Beta(3, 5)(10) == 3
    with pytest.raises(ConfigError):
        StepSize(0, 1)
    with pytest.raises(ConfigError):
        Beta(0, 1)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_the_profile_is_a_mixture_of_the_evidence(weighting: str) -> None:
    """alpha and z are on the simplex, and alpha has the stated proportions."""
    rng = np.random.default_rng(1)
    phi, scores = rng.dirichlet(np.ones(5), 4), rng.uniform(0, 0.5, 4)
    alpha, z = aspect_profile(phi, scores, weighting, utility_weight=5, rank_decay=0.3)
    raw = {
        "uniform": np.ones(4),
        "utility": np.exp(5 * scores),
        "rank": np.exp(-0.3 * np.arange(4)),
        "blend": np.exp(5 * scores - 0.3 * np.arange(4)),
    }[weighting]
    np.testing.assert_allclose(alpha, raw / raw.sum())
    np.testing.assert_allclose(z, sum(a * row for a, row in zip(alpha, phi, strict=True)))
    assert z.sum() == pytest.approx(1)


def test_a_profile_of_nothing_or_of_another_weighting_is_refused() -> None:
    """Errors in words for an empty selection and an unknown name."""
    with pytest.raises(DataError, match="evidence"):
        aspect_profile(np.empty((0, 3)), np.empty(0))
    with pytest.raises(ConfigError, match="uniform, utility, rank, blend"):
        aspect_profile(np.ones((1, 3)) / 3, np.ones(1), "magic")


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10_000), st.floats(0, 1), st.floats(0.5, 40))
def test_a_step_adds_up(seed: int, feedback: float, eta: float) -> None:
    """Gain, scale and projection sum to the change of log w within 1e-9 (B1)."""
    learner = OMD(step_size=eta, floor=1e-3)
    state = learner.start(6, 0)
    for i in range(3):
        step = learner.learn(state, on_simplex(seed + i), feedback)[1]
        gain = step.step_size * step.centred * step.z
        scale = -np.log(np.sum(step.w_before * np.exp(gain)))
        projection = np.log(step.w_after / step.w_step)
        change = np.log(step.w_after) - np.log(step.w_before)
        np.testing.assert_allclose(gain + scale + projection, change, atol=1e-9)
        if not step.floor_acted:
            np.testing.assert_allclose(projection, 0, atol=1e-12)
        state = learner.update(state, step.z, feedback)


def test_the_receipt_speaks_plainly() -> None:
    """The sentence names the aspect that moved, how far, and why."""
    learner = OMD(step_size=4.0)
    state = learner.start(3, 0)
    z = np.array([0.7, 0.2, 0.1])
    labels = ("Scent", "Price", "Lid")
    up = sentence(learner.learn(state, z, 1.0)[1], labels, [0, 0, 1], texts("en"))
    assert up.startswith("Scent +")
    assert "2 of 3 sentences were mainly about it and you rated above your usual" in up
    down = sentence(learner.learn(state, z, 0.0)[1], labels, [0, 0, 1], texts("en"))
    assert down.startswith("Scent \N{MINUS SIGN}")
    assert "below" in down
    little = OMD(step_size=0.15)
    one = sentence(little.learn(state, z, 1.0)[1], labels, [0, 1, 2], texts("en"))
    assert one.startswith("Scent +1 to 34 %: 1 of 3 sentences was mainly about it")
    assert "as they were" in sentence(learner.learn(state, z, 0.5)[1], labels, [0, 0, 1], texts("en"))


def test_the_receipt_tells_a_move_that_was_made() -> None:
    """What nobody cares about is named only where nothing else moved the way of the rating, and then by its move."""
    learner = OMD(step_size=4.0)
    step = learner.learn(learner.start(3, 0), np.array([0.7, 0.2, 0.1]), 1.0)[1]
    labels, words = ("Other", "Price", "Lid"), texts("en")
    assert sentence(step, labels, [0], words, never_named=[0]) == sentence(step, labels, [0], words)
    both = learner.learn(learner.start(3, 0), np.array([0.6, 0.4, 0.0]), 1.0)[1]
    assert sentence(both, labels, [0], words, never_named=[0]).startswith("Price +")


def test_settings_that_cannot_work_are_refused() -> None:
    """Each wrong setting is a ConfigError that names it."""
    for wrong, word in (
        ({"step_size": 0.0}, "initial"),
        ({"baseline": "median"}, "baseline"),
        ({"ema_rate": 0.0}, "ema_rate"),
        ({"clip": 0.0}, "clip"),
    ):
        with pytest.raises(ConfigError, match=word):
            OMD(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="leaves no room"):
        OMD(floor=0.3).start(5, 0)
