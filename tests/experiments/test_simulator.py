"""Facts about simulated readers and alignment."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefer_core import simplex
from prefer_core.aspects.heterogeneity import product_tastes
from prefer_core.errors import ConfigError, DataError
from prefer_core.experiments import alignment, simulator
from prefer_core.types import ProductCorpus

Make = Callable[..., ProductCorpus]


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 12), st.floats(0, 200), st.floats(0, 2))
def test_feedback_is_eq_feedbackprotocol(seed: int, k: int, sharpness: float, noise: float) -> None:
    """The rating is the written formula with q = w.z + noise and the mean of w subtracted; always in [0, 1]."""
    rng = np.random.default_rng(seed)
    w, z = rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k))
    f = simulator.feedback(w, z, sharpness, noise, np.random.default_rng(seed))
    q = w @ z + (noise * np.random.default_rng(seed).standard_normal() if noise > 0 else 0)
    assert f == pytest.approx(1 / (1 + np.exp(-np.clip(sharpness * (q - w.sum() / k), -700, 700))), abs=1e-12)
    assert 0 <= f <= 1


def test_the_limits_are_exact() -> None:
    """Sharpness 0 rates everything one half; the uniform reader too; a huge one is a step without overflow."""
    w, z, even = np.array([1.0, 0.0]), np.array([0.8, 0.2]), np.array([0.5, 0.5])
    assert simulator.feedback(w, z, 0.0, 0.0) == 0.5
    assert simulator.feedback(even, z, 50.0, 0.0) == 0.5
    assert simulator.feedback(w, z, 1e9, 0.0) == 1.0
    assert simulator.feedback(w, z[::-1], 1e9, 0.0) == 0.0


def test_on_the_logit_scale_feedback_is_linear() -> None:
    """Logit f = sharpness (w . z - 1/K): what the posterior learner rests on."""
    rng = np.random.default_rng(0)
    w, z = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5))
    f = simulator.feedback(w, z, 4.0, 0.0)
    assert np.log(f / (1 - f)) == pytest.approx(4.0 * (w @ z - 0.2))


def test_bad_input_is_refused_with_its_value() -> None:
    """NaN, off the simplex, one aspect, unequal lengths, negative settings, noise without a generator."""
    good = np.array([0.5, 0.5])
    for bad in (np.array([np.nan, 1.0]), np.array([0.7, 0.7]), np.array([1.5, -0.5]), np.array([1.0]), np.eye(2)):
        with pytest.raises(DataError, match="must"):
            simulator.feedback(bad, good, 1.0, 0.0)
        with pytest.raises(DataError, match="must"):
            simulator.feedback(good, bad, 1.0, 0.0)
        with pytest.raises(DataError, match="must"):
            alignment.preference_alignment(good, bad)
    with pytest.raises(DataError, match="one length"):
        simulator.feedback(good, np.full(3, 1 / 3), 1.0, 0.0)
    for sharpness, noise in ((-1.0, 0.0), (1.0, -0.1), (float("nan"), 0.0), (1.0, float("inf"))):
        with pytest.raises(ConfigError, match="found"):
            simulator.feedback(good, good, sharpness, noise, np.random.default_rng(0))
    with pytest.raises(ConfigError, match="generator"):
        simulator.feedback(good, good, 1.0, 0.1)


def test_a_drift_is_a_straight_line_inside_its_window() -> None:
    """The paper's 81-120: untouched through round 80, one fortieth a round, arrived at 120; V is 2 for two corners."""
    reader = simulator.drift(10, 6, 5, 81, 120)
    path = np.array([reader.at(t) for t in range(1, 201)])
    assert path[79, 6] == 1
    assert path[80, 6] == pytest.approx(1 - 1 / 40)
    assert path[99, 5] == pytest.approx(0.5)
    assert path[119, 5] == path[199, 5] == 1
    assert np.abs(np.diff(path, axis=0)).sum() == pytest.approx(2)
    np.testing.assert_allclose(path.sum(axis=1), 1)
    for first, last in ((0, 5), (6, 5)):
        with pytest.raises(ConfigError, match="window"):
            simulator.drift(10, 6, 5, first, last)


def test_kinds_of_readers_are_what_they_say() -> None:
    """One corner, two halves, and an even draw from the simplex; an aspect that is not there is refused."""
    assert simulator.single(4, 2).at(9).tolist() == [0, 0, 1, 0]
    assert simulator.two_aspects(4, 0, 3).at(1).tolist() == [0.5, 0, 0, 0.5]
    draws = np.array([simulator.diffuse(4, np.random.default_rng(i)).w for i in range(2000)])
    np.testing.assert_allclose(draws.mean(axis=0), 0.25, atol=0.02)
    with pytest.raises(ConfigError, match="found 4"):
        simulator.single(4, 4)


def test_a_persona_is_one_real_reviewers_mean(make_product: Make) -> None:
    """Reviewers with enough sentences give their mean membership; the others none."""
    author = np.array([7] * 4 + [3] * 2 + [5] * 5)
    product = make_product(n=11, reviewer=author)
    found = product_tastes([product], least=3)
    np.testing.assert_allclose(found, [product.phi[author == 5].mean(axis=0), product.phi[author == 7].mean(axis=0)])
    taste = simulator.persona(found, np.random.default_rng(0)).w
    assert any(np.allclose(taste, row) for row in found)
    with pytest.raises(DataError, match="enough sentences"):
        simulator.persona(product_tastes([make_product()]), np.random.default_rng(0))


def test_alignment_is_the_cosine() -> None:
    """A_pref and A_evid against the formula; the smallest coordinate is the minimum."""
    rng = np.random.default_rng(3)
    w, z = rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(6))
    expected = w @ z / np.sqrt((w @ w) * (z @ z))
    assert alignment.preference_alignment(w, z) == pytest.approx(expected)
    assert alignment.evidence_alignment(w, z) == pytest.approx(expected)
    assert alignment.evidence_alignment(simplex.uniform(4), simplex.uniform(4)) == pytest.approx(1)
