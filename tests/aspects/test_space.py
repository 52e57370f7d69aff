"""The aspect space against direct formulas and scikit-learn."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

from prefer_core.aspects.clustering import fit_clusters
from prefer_core.aspects.diagnostics import diagnose
from prefer_core.aspects.k_selection import Candidate, candidate_sizes, choose, measure
from prefer_core.aspects.membership import calibrate_temperature, memberships, nearest_gaps, squared_distances
from prefer_core.aspects.reduction import fit_reduction
from prefer_core.aspects.space import AspectSpace, fit_space
from prefer_core.config import AspectSettings
from prefer_core.errors import ConfigError, DataError
from prefer_core.files.blocks import sampled_rows

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def unit() -> NDArray[np.float64]:
    """Three loose groups of unit vectors (300, 24), around directions with a common part."""
    centres = np.random.default_rng(1).normal(size=(3, 24)) + 0.5
    points = np.repeat(centres, [150, 100, 50], axis=0) + 0.5 * np.random.default_rng(2).normal(size=(300, 24))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def test_pca_is_scikit_learns(unit: NDArray[np.float64]) -> None:
    """Mean, spectrum and projections equal those of scikit-learn's PCA up to the sign of a component."""
    ours, theirs = fit_reduction(unit, 5), PCA(5, svd_solver="full").fit(unit)
    assert ours.mean == pytest.approx(theirs.mean_, abs=1e-7)
    assert ours.spectrum[:5] == pytest.approx(theirs.explained_variance_, rel=1e-4)
    assert np.abs(ours.apply(unit)) == pytest.approx(np.abs(theirs.transform(unit)), abs=1e-5)
    assert ours.components @ ours.components.T == pytest.approx(np.eye(5), abs=1e-12)
    # The sine of the largest angle between the two subspaces.
    assert np.linalg.norm(ours.components - ours.components @ theirs.components_.T @ theirs.components_, 2) < 1e-4


def test_components_have_a_fixed_sign(unit: NDArray[np.float64]) -> None:
    """The largest entry of every component is positive, so a rebuild gives the same coordinates."""
    components = fit_reduction(unit, 7).components
    assert np.all(components[np.arange(7), np.abs(components).argmax(axis=1)] > 0)


def test_a_small_corpus_has_fewer_components() -> None:
    """m = min(17, n - 1): five vectors span four directions."""
    assert fit_reduction(RNG.normal(size=(5, 24)), 17).components.shape == (4, 24)


def test_blocks_from_disk_give_the_same_fit(
    unit: NDArray[np.float64], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Neither the size of the blocks nor reading them from a memory-mapped file changes the space."""
    whole = fit_reduction(unit.astype(np.float16), 4)
    np.save(tmp_path / "unit.npy", unit.astype(np.float16))
    on_disk = np.load(tmp_path / "unit.npy", mmap_mode="r")
    monkeypatch.setattr("prefer_core.files.blocks.ROWS", 37)
    parts = fit_reduction(on_disk, 4)
    assert parts.components == pytest.approx(whole.components, abs=1e-5)
    assert parts.mean == pytest.approx(whole.mean, abs=1e-7)
    assert parts.apply(on_disk) == pytest.approx(whole.apply(unit.astype(np.float16)), abs=1e-5)
    s, centroids = whole.apply(unit), whole.apply(unit[[0, 200, 290]])
    one_by_one = np.concatenate([memberships(s[i : i + 1], centroids, 9.0) for i in range(len(s))])
    assert np.array_equal(memberships(s, centroids, 9.0), one_by_one)


def test_metrics_are_scikit_learns(unit: NDArray[np.float64]) -> None:
    """Silhouette, Davies-Bouldin and Calinski-Harabasz of a clustering, by their own functions."""
    labels = np.repeat([0, 1, 2], [150, 100, 50]).astype(np.int32)
    found = measure(unit, labels, 3)
    assert found.silhouette == pytest.approx(metrics.silhouette_score(unit, labels))
    assert found.davies_bouldin == pytest.approx(metrics.davies_bouldin_score(unit, labels))
    assert found.calinski_harabasz == pytest.approx(metrics.calinski_harabasz_score(unit, labels))


def test_metrics_that_are_not_defined_are_none() -> None:
    """As many clusters as points: no metric, and JSON gets null."""
    found = measure(np.eye(3), np.arange(3, dtype=np.int32), 3)
    assert found.to_dict() == {
        "n_aspects": 3,
        "silhouette": None,
        "davies_bouldin": None,
        "calinski_harabasz": None,
    }
    assert choose([found]) == 3


@pytest.mark.parametrize(
    ("rows", "chosen"),
    [
        ([(5, 0.3, 1.0, 9.0), (10, 0.2, 2.0, 99.0)], 5),
        ([(5, 0.1, 2.0, 99.0), (10, 0.2, 1.0, 9.0)], 10),
        ([(5, 0.3, 2.0, 9.0), (10, 0.2, 1.0, 99.0)], 10),
        ([(5, 0.3, 2.0, 99.0), (10, 0.2, 1.0, 9.0)], 5),
        ([(5, 0.1, 3.0, 999.0), (10, 0.2, 1.0, 5.0), (15, 0.3, 2.0, 4.0)], 10),
        ([(5, 0.2, 1.0, 7.0), (10, 0.2, 1.0, 7.0)], 5),
    ],
)
def test_choice_of_k(rows: list[tuple[int, float, float, float]], chosen: int) -> None:
    """The best mean rank of Silhouette and Davies-Bouldin wins; Calinski-Harabasz breaks ties, then the smaller K."""
    assert choose([Candidate(*row) for row in rows]) == chosen


@pytest.mark.parametrize(
    ("n", "sizes"), [(5000, (5, 10, 15, 20, 25)), (600, (5, 10, 12)), (260, (5,)), (170, (3,)), (20, (2,))]
)
def test_small_corpora_have_few_candidates(n: int, sizes: tuple[int, ...]) -> None:
    """At most n / 50 aspects, at least 2."""
    assert candidate_sizes(n, (5, 10, 15, 20, 25)) == sizes


def test_a_sample_of_rows_is_seeded() -> None:
    """The same rows each time, others with another seed, all where there are few."""
    assert np.array_equal(sampled_rows(900, 50, 3), sampled_rows(900, 50, 3))
    assert not np.array_equal(sampled_rows(900, 50, 3), sampled_rows(900, 50, 4))
    assert np.array_equal(sampled_rows(40, 50, 3), np.arange(40))


def test_weights_stand_for_repeats(unit: NDArray[np.float64]) -> None:
    """K-means with weight 3 gives the centroids of a table in which the rows stand three times."""
    s = fit_reduction(unit, 5).apply(unit)
    weights = np.where(np.arange(300) % 2, 3.0, 1.0)
    ours = fit_clusters(s, 3, weights, 0, 10)
    written_out = np.repeat(s.astype(np.float64), weights.astype(int), axis=0)
    theirs = KMeans(3, n_init=10, random_state=0).fit(written_out)
    order, other = np.lexsort(ours.centroids.T), np.lexsort(theirs.cluster_centers_.T)
    assert ours.centroids[order] == pytest.approx(theirs.cluster_centers_[other], abs=1e-3)


def test_a_large_table_goes_on_from_a_sample() -> None:
    """Starts on a sample, Lloyd's steps on everything: the centroids and the inertia of K-means on all vectors."""
    rng = np.random.default_rng(5)
    centres = rng.normal(size=(6, 8))
    s = (centres[rng.integers(6, size=20_000)] + 0.3 * rng.normal(size=(20_000, 8))).astype(np.float32)
    weights = rng.integers(1, 4, size=20_000).astype(float)
    ours = fit_clusters(s, 6, weights, 0, 10, most=1500)
    whole = fit_clusters(s, 6, weights, 0, 10)
    order, other = np.lexsort(ours.centroids.T), np.lexsort(whole.centroids.T)
    assert ours.centroids[order] == pytest.approx(whole.centroids[other], abs=0.01)
    assert ours.inertia == pytest.approx(whole.inertia, rel=1e-3)
    nearest = ((s[:, None].astype(float) - ours.centroids) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == ours.assignment).mean() > 0.999


def test_more_clusters_than_sentences_is_refused() -> None:
    """Four different vectors cannot make five aspects."""
    with pytest.raises(ConfigError, match="5 aspects cannot be made of 4"):
        fit_clusters(np.repeat(np.eye(4), 3, axis=0), 5, np.ones(12), 0, 2)


def test_distances_and_phi_by_the_paper() -> None:
    """phi_ik is proportional to exp(-tau |s_i - c_k|^2), computed entry by entry."""
    s, centroids = RNG.normal(size=(6, 3)), RNG.normal(size=(4, 3))
    direct = np.array([[sum((a - b) ** 2 for a, b in zip(x, c, strict=True)) for c in centroids] for x in s])
    assert squared_distances(s, centroids) == pytest.approx(direct)
    raw = np.exp(-2.5 * direct)
    assert memberships(s, centroids, 2.5) == pytest.approx(raw / raw.sum(axis=1, keepdims=True))


def test_extreme_temperature_does_not_overflow() -> None:
    """At a huge tau phi is the nearest centroid alone, without NaN."""
    phi = memberships(np.array([[0.0], [9.0]]), np.array([[1.0], [10.0]]), 1e6)
    assert phi == pytest.approx(np.eye(2))


def test_median_gap_sentence_has_the_mass_ratio(unit: NDArray[np.float64]) -> None:
    """With tau = log(r) / median gap, the sentence with the median gap gives its nearest aspect r times the next."""
    odd = unit[:299]
    fitted = fit_space(odd, np.ones(299), AspectSettings(preset="paper", n_aspects=3, mass_ratio=10.0), 0)
    middle = np.argsort(fitted.gaps)[149]
    top = np.sort(fitted.phi[middle])[::-1]
    assert top[0] / top[1] == pytest.approx(10.0, rel=1e-9)


def test_coinciding_aspects_are_refused() -> None:
    """A median gap of zero has no temperature."""
    with pytest.raises(DataError, match="ask for fewer aspects"):
        calibrate_temperature(np.zeros(5), 10.0)


def test_gaps_are_second_minus_first() -> None:
    """Delta of a point at distances 1, 2, 3 is 4 - 1."""
    assert nearest_gaps(np.array([[0.0]]), np.array([[3.0], [1.0], [-2.0]])) == pytest.approx([3.0])


def test_fit_is_ordered_by_share_and_repeatable(unit: NDArray[np.float64]) -> None:
    """Aspects fall by weighted share, rows are on the simplex, and a second fit is bit-equal."""
    weights = np.ones(300)
    one = fit_space(unit, weights, AspectSettings(preset="paper", n_aspects=3), 0)
    two = fit_space(unit, weights, AspectSettings(preset="paper", n_aspects=3), 0)
    assert np.array_equal(one.phi, two.phi)
    assert np.array_equal(one.space.centroids, two.space.centroids)
    assert one.phi.sum(axis=1) == pytest.approx(np.ones(300))
    assert one.shares == pytest.approx(one.phi.mean(axis=0))
    assert np.all(np.diff(one.shares) <= 0)
    assert one.shares == pytest.approx([1 / 2, 1 / 3, 1 / 6], abs=0.05)


def test_space_survives_json_exactly(unit: NDArray[np.float64]) -> None:
    """A space read back from JSON gives bit-equal memberships."""
    fitted = fit_space(unit, np.ones(300), AspectSettings(preset="paper", n_aspects=3), 0)
    back = AspectSpace.from_dict(json.loads(json.dumps(fitted.space.to_dict() | {"labels": ["a"]})))
    assert np.array_equal(back.memberships(back.reduce(unit)), fitted.phi)


def test_diagnostics(unit: NDArray[np.float64]) -> None:
    """Variance adds up to one, the cosines are those of all pairs."""
    fitted = fit_space(unit, np.ones(300), AspectSettings(preset="paper", n_aspects=3), 0)
    found = diagnose(fitted, unit, 0)
    share = np.cumsum(PCA().fit(unit).explained_variance_ratio_)
    assert found["cumulative_variance"] == pytest.approx(share.tolist())
    assert found["components_for"]["0.7"] == int(np.argmax(share >= 0.7)) + 1
    pairs = (unit @ unit.T)[np.triu_indices(300, 1)]
    assert found["cosines"]["median"] == pytest.approx(float(np.median(pairs)), abs=1e-6)
    assert sum(found["cosines"]["counts"]) == len(pairs)
    json.dumps(found, allow_nan=False)
