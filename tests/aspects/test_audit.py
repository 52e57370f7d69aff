"""Facts about stability, slices, cards and temperatures of an aspect space."""

import itertools

import numpy as np
import pandas as pd
import pytest

from prefer_core.aspects.audit import KINDS, Division, cards, divisions, slices, thin
from prefer_core.aspects.clustering import fit_clusters
from prefer_core.aspects.membership import (
    TEMPERATURES,
    memberships,
    squared_distances,
    temperature_sweep,
    top_memberships,
)
from prefer_core.aspects.stability import compare, stability
from prefer_core.config import AspectSettings
from prefer_core.data.reviews import ReviewTable
from prefer_core.data.sentences import SentenceTable
from prefer_core.types import FloatArray


def blobs(spread: float, n: int = 300, k: int = 4, m: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Make n points around k far-apart centres."""
    rng = np.random.default_rng(0)
    centres = np.linalg.qr(rng.normal(size=(m, m)))[0][:k]
    return centres[rng.integers(0, k, n)] + spread * rng.normal(size=(n, m)), centres


def test_matching_finds_a_permutation_and_agrees_with_brute_force() -> None:
    """A shuffled copy is matched at cosine 1 and index 1; of random sets the best of all permutations is taken."""
    s, centres = blobs(0.1)
    same = compare(s, centres, centres[[2, 0, 3, 1]])
    np.testing.assert_allclose(same.cosine, 1)
    assert same.agreement == pytest.approx(1)
    others = np.random.default_rng(1).normal(size=centres.shape)
    unit = others / np.linalg.norm(others, axis=1, keepdims=True)
    best = max(
        sum(float(centres[i] @ unit[j]) for i, j in enumerate(order)) for order in itertools.permutations(range(4))
    )
    assert compare(s, centres, others).cosine.sum() == pytest.approx(best)


def test_agreement_is_the_adjusted_rand_index_counted_by_pairs() -> None:
    """The index equals the one counted pair by pair from its definition."""
    s, centres = blobs(0.4, n=60)
    others = centres + np.random.default_rng(3).normal(scale=0.5, size=centres.shape)
    a, b = (squared_distances(s, c).argmin(axis=1) for c in (centres, others))
    pairs = list(itertools.combinations(range(60), 2))
    together_a = np.array([a[i] == a[j] for i, j in pairs])
    together_b = np.array([b[i] == b[j] for i, j in pairs])
    both, chance = (together_a & together_b).sum(), together_a.sum() * together_b.sum() / len(pairs)
    wanted = (both - chance) / ((together_a.sum() + together_b.sum()) / 2 - chance)
    assert compare(s, centres, others).agreement == pytest.approx(wanted)


def test_clear_groups_are_stable_and_a_structureless_cloud_is_not() -> None:
    """Far-apart groups come back in every run; a round cloud gives other aspects each time."""
    s, centres = blobs(0.05)
    settings = AspectSettings(n_init=2, preset="paper")

    def four(points: FloatArray, weights: FloatArray, seed: int) -> FloatArray:
        return fit_clusters(points, 4, weights, seed, 2).centroids

    clear = stability(s, np.ones(len(s)), centres, four, settings, 0, runs=2)
    assert [a["found"] for a in clear["aspects"]] == [4, 4, 4, 4]
    assert min(clear["seeds"]["agreement"] + clear["bootstraps"]["agreement"]) == pytest.approx(1)
    cloud = np.random.default_rng(5).normal(size=(300, 6))
    vague = stability(cloud, np.ones(300), cloud[:4], four, settings, 0, runs=2)
    assert max(vague["bootstraps"]["agreement"]) < 0.6
    assert stability(s, np.ones(len(s)), centres, four, settings, 0, runs=2) == clear


def test_slices_add_up_and_count_every_occurrence() -> None:
    """Parts of a division sum to the mass of all occurrences; a repeat counts each time, the unknown not at all."""
    phi = np.random.default_rng(0).dirichlet(np.ones(3), 5)
    sentence = np.array([0, 0, 1, 2, 3, 4, 4])
    code = np.array([0, 1, 1, 0, -1, 0, 0])
    found = slices(phi, sentence, Division("x", ("a", "b"), code))
    np.testing.assert_allclose(found["mass"][0], phi[0] + phi[2] + 2 * phi[4])
    np.testing.assert_allclose(found["mass"][1], phi[0] + phi[1])
    assert found["sentences"] == [4, 2]
    assert thin(np.array(found["mass"])).all()


def test_divisions_take_stars_and_activity_of_each_occurrence() -> None:
    """Stars, verification and activity follow the reviewer of the occurrence, length the review; one part is none."""
    reviews = pd.DataFrame({"text": ["a b", "c " * 30, "d " * 70], "reviewer": ["u", "u", "v"]})
    rows = pd.DataFrame({"review": [0, 1, 2], "product": ["P", "P", "Q"]})
    support = pd.DataFrame(
        {"sentence": [0, 0, 1, 2], "reviewer": ["u", "v", "u", "v"], "rating": [5, np.nan, 1, 2], "verified": -1}
    )
    found = {
        d.name: d
        for d in divisions(ReviewTable(reviews, {}), SentenceTable(rows, support, {}), {"P": "shoes", "Q": "hats"})
    }
    assert found["stars"].code.tolist() == [4, -1, 0, 1]
    assert found["activity of the reviewer"].code.tolist() == [1, 0, 1, 0]
    assert found["length of the review"].code.tolist() == [0, 0, 1, 2]
    assert [found["category of the product"].parts[c] for c in found["category of the product"].code] == [
        *("shoes", "shoes", "shoes", "hats")
    ]
    assert "verified purchase" not in found


def test_cards_hold_what_they_say() -> None:
    """Nearest are nearest, boundary has the smallest lead, products and texts do not repeat while there are others."""
    s, centres = blobs(0.3, n=400)
    phi = memberships(s, centres, 8.0)
    rows = pd.DataFrame(
        {
            "text": [f"text {i // 2}" for i in range(400)],
            "product": [f"P{i % 7}" for i in range(400)],
            "rating": [np.nan if i % 2 else 4.0 for i in range(400)],
        }
    )
    found = cards(phi, s, centres, rows, 0)
    first = phi.argmax(axis=1)
    lead = -np.diff(np.sort(phi, axis=1)[:, ::-1][:, :2], axis=1)[:, 0]
    for k, card in enumerate(found):
        own = np.flatnonzero(first == k)
        nearest = own[np.linalg.norm(s[own] - centres[k], axis=1).argmin()]
        assert card["nearest"][0]["text"] == rows["text"][nearest]
        edge = own[lead[own].argmin()]
        assert card["boundary"][0]["share"] == pytest.approx(phi[edge, k])
        assert card["boundary"][0]["other_share"] == pytest.approx(np.sort(phi[edge])[-2])
        for kind in KINDS:
            assert len({c["text"] for c in card[kind]}) == len({c["product"] for c in card[kind]}) == 5
    assert cards(phi, s, centres, rows, 0) == found


def test_a_cold_temperature_is_even_and_a_hot_one_is_hard() -> None:
    """Sharpness rises over the sweep; at tau* the median first membership is `r` times the second."""
    s, centres = blobs(0.5, n=500)
    gaps = -np.diff(np.sort(squared_distances(s, centres), axis=1)[:, :2][:, ::-1], axis=1)[:, 0]
    tau = float(np.log(10) / np.median(gaps))
    found = temperature_sweep(s, centres, tau, 0)
    assert [row["temperature"] for row in found] == [*TEMPERATURES, tau]
    assert found[-1]["ratio"] == pytest.approx(10, rel=1e-4)
    by_tau = sorted(found, key=lambda row: row["temperature"])
    assert all(a["mean_top"] < b["mean_top"] for a, b in itertools.pairwise(by_tau))
    assert all(a["effective"] > b["effective"] for a, b in itertools.pairwise(by_tau))
    cold = temperature_sweep(s, centres, 1e-9, 0)[-1]
    assert cold["effective"] == pytest.approx(4)
    assert cold["entropy"] == pytest.approx(1)
    hot = temperature_sweep(s, centres, 1e9, 0)[-1]
    assert hot["mean_top"] == pytest.approx(1)


def test_top_memberships_count_every_sentence() -> None:
    """The histogram holds all sentences; mean and median are theirs."""
    phi = np.random.default_rng(2).dirichlet(np.ones(4), 99)
    found = top_memberships(phi)
    assert sum(found["counts"]) == 99
    assert found["median"] == pytest.approx(np.median(phi.max(axis=1)))
