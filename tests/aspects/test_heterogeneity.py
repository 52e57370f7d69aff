"""Tastes of reviewers: means, entropies and groups, against the paper's formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefer_core import simplex
from prefer_core.aspects.heterogeneity import GROUPS, entropies, groups, heterogeneity, tastes
from prefer_core.config import ReviewerSettings

SETTINGS = ReviewerSettings(least_sentences=3, sample=50)


def _made(n_reviewers: int = 120, seed: int = 0, k: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Four products; every reviewer has a taste of its own and 1 to 8 sentences on one product."""
    rng = np.random.default_rng(seed)
    product = np.sort(rng.integers(0, 4, n_reviewers))
    sizes = rng.integers(1, 9, n_reviewers)
    reviewer = np.repeat(np.arange(n_reviewers), sizes)
    taste = rng.dirichlet(np.full(k, 0.5), n_reviewers)
    phi = np.stack([rng.dirichlet(0.1 + 8 * taste[r]) for r in reviewer]).astype(np.float32)
    return phi, np.arange(len(reviewer)), reviewer, product[reviewer]


@given(st.integers(0, 50))
def test_a_taste_is_the_mean_over_all_occurrences(seed: int) -> None:
    """Means and counts equal a plain loop; repeats count for everyone who wrote them, nobody (-1) is left out."""
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.ones(4), 12)
    at, reviewer = rng.integers(0, 12, 40), rng.integers(-1, 9, 40)
    found = tastes(phi, at, reviewer, 4)
    expected = [phi[at[reviewer == who]].mean(axis=0) for who in range(9) if np.count_nonzero(reviewer == who) >= 4]
    np.testing.assert_allclose(found.means, np.array(expected).reshape(-1, 4), atol=1e-12)
    assert found.sentences.sum() == sum(n for n in np.bincount(reviewer[reviewer >= 0]) if n >= 4)


def test_entropy_is_normalised() -> None:
    """A corner has 0, the centre 1, and each row the value of the simplex module."""
    means = np.random.default_rng(1).dirichlet(np.ones(6), 20)
    np.testing.assert_allclose(entropies(means), [simplex.entropy(row) for row in means], atol=1e-12)
    np.testing.assert_allclose(entropies(np.array([[1.0, 0, 0], [1 / 3, 1 / 3, 1 / 3]])), [0, 1], atol=1e-12)


def test_groups_follow_the_papers_quantiles() -> None:
    """Below Q20, Q35 to Q65, above Q80; about 20, 30 and 20 of 100 reviewers, and 30 in no group."""
    entropy = np.random.default_rng(2).random(1000)
    group, marks = groups(entropy, SETTINGS)
    assert list(marks) == ["0.2", "0.35", "0.65", "0.8"]
    assert [int((group == g).sum()) for g in (0, 1, 2, -1)] == pytest.approx([200, 300, 200, 300], abs=1)
    assert entropy[group == 0].max() < marks["0.2"] <= marks["0.35"] <= entropy[group == 1].min()
    assert entropy[group == 1].max() <= marks["0.65"] <= marks["0.8"] < entropy[group == 2].min()


def test_what_is_stored_agrees_with_itself() -> None:
    """Counts of groups are those of their aspects, profiles lie on the simplex, the sample is of real reviewers."""
    phi, at, reviewer, product = _made()
    found = heterogeneity(phi, at, reviewer, product, 0, SETTINGS)
    whole = tastes(phi, at, reviewer, 3)
    assert found["all_reviewers"] == 120
    assert found["reviewers"] == len(whole.means) == sum(found["entropy"]["counts"]) == sum(found["dealt"]["counts"])
    for group in found["groups"]:
        assert group["reviewers"] == sum(part["reviewers"] for part in group["by_aspect"])
        assert sum(group["profile"]) == pytest.approx(1, abs=1e-3)
        for aspect, part in enumerate(group["by_aspect"]):
            assert (part["profile"] is None) == (part["reviewers"] == 0)
            assert part["profile"] is None or int(np.argmax(part["profile"])) == aspect
    sample = found["sample"]
    assert len(sample["entropy"]) == 50
    for profile, dominant, entropy in zip(sample["profiles"], sample["dominant"], sample["entropy"], strict=True):
        assert int(np.argmax(profile)) == dominant
        assert np.abs(whole.means - profile).max(axis=1).min() < 1e-4
        assert simplex.entropy(np.array(profile)) == pytest.approx(entropy, abs=2e-3)


def test_reviewers_of_one_taste_differ_more_than_dealt_sentences() -> None:
    """Tastes lower the entropy against the same sentences dealt out at random; without tastes it stays."""
    phi, at, reviewer, product = _made(400)
    found = heterogeneity(phi, at, reviewer, product, 0, SETTINGS)
    assert found["entropy"]["mean"] < found["dealt"]["mean"] - 0.05
    shuffled = np.random.default_rng(5).permutation(len(at))
    level = heterogeneity(phi[shuffled], at, reviewer, np.zeros_like(product), 0, SETTINGS)
    assert level["entropy"]["mean"] == pytest.approx(level["dealt"]["mean"], abs=0.02)


def test_sentences_are_dealt_within_a_product() -> None:
    """Where every product has one aspect only, dealing changes nothing: a product's subject is no taste."""
    reviewer = np.repeat(np.arange(40), 4)
    product = reviewer // 20
    phi = np.eye(2)[product] * 0.9 + 0.05
    found = heterogeneity(phi, np.arange(160), reviewer, product, 3, SETTINGS)
    assert found["dealt"]["counts"] == found["entropy"]["counts"]
    assert found["dealt_to_all"]["mean"] > found["dealt"]["mean"] + 0.2


def test_products_of_one_reviewer_are_told() -> None:
    """`shared` is the part of the sentences whose product has another reviewer."""
    reviewer = np.repeat([0, 1, 1, 2], [5, 5, 4, 6])
    product = np.repeat([0, 0, 1, 2], [5, 5, 4, 6])
    phi = np.random.default_rng(0).dirichlet(np.ones(3), 20)
    found = heterogeneity(phi, np.arange(20), reviewer, product, 0, SETTINGS)
    assert found["shared"] == 0.5
    assert sum(found["dealt_to_all"]["counts"]) == found["reviewers"] == 3


def test_few_reviewers_have_no_groups() -> None:
    """With fewer reviewers than groups need only the counts and histograms are told; the same seed gives the same."""
    phi, at, reviewer, product = _made(10)
    found = heterogeneity(phi, at, reviewer, product, 0, SETTINGS)
    assert "groups" not in found
    assert found == heterogeneity(phi, at, reviewer, product, 0, SETTINGS)
    nobody = heterogeneity(phi, at, reviewer, product, 0, ReviewerSettings(least_sentences=99))
    assert nobody["reviewers"] == 0
    assert nobody["entropy"]["mean"] is None
    assert len(GROUPS) == 3
