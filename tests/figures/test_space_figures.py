"""Figures of the aspect space: their numbers against what they were made from."""

from typing import Any

import numpy as np
import pytest

from prefer_core.aspects.audit import thin
from prefer_core.aspects.k_selection import Candidate, choose
from prefer_core.figures import membership, paper, space
from prefer_core.figures.corpus import clusters, membership_map
from prefer_core.figures.tables import numbers
from prefer_core.figures.theme import INK, colour

LABELS = ("Scent", "Price", "Lid")


@pytest.fixture
def cloud() -> tuple[np.ndarray, np.ndarray]:
    """Return reduced vectors (40, 6) and memberships (40, 3)."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 6)), rng.dirichlet(np.full(3, 0.5), 40)


def test_five_components_are_place_colour_and_size(cloud: tuple[np.ndarray, np.ndarray]) -> None:
    """Components 1 to 3 are the axes, the fourth the colour, and the fifth grows with the size."""
    s, _ = cloud
    points = space.five_components(s).data[0]
    np.testing.assert_array_equal(np.stack([points.x, points.y, points.z], axis=1), s[:, :3])
    np.testing.assert_array_equal(points.marker.color, s[:, 3])
    np.testing.assert_array_equal(np.argsort(points.marker.size), np.argsort(s[:, 4]))
    assert min(points.marker.size) > 0


def test_the_matrix_holds_every_unit_in_its_colour(cloud: tuple[np.ndarray, np.ndarray]) -> None:
    """One series an aspect with five components of its units; fewer components where there are fewer."""
    s, phi = cloud
    figure = space.component_matrix(s, phi, LABELS)
    for k, trace in enumerate(figure.data):
        held = phi.argmax(axis=1) == k
        assert trace.marker.color == colour(k)
        np.testing.assert_array_equal(np.stack([d["values"] for d in trace.dimensions], axis=1), s[held, :5])
    assert len(space.component_matrix(s[:, :3], phi, LABELS).data[0].dimensions) == 3


def test_variance_and_its_sum_with_the_papers_points() -> None:
    """Bars are the spectrum without zeros, the line its running sum, the diamonds the paper's three printed points."""
    values = [4.0, 3.0, 2.0, 1.0, 0.0]
    bars = space.spectrum(values, 2).data[0]
    assert list(bars.y) == values[:4]
    assert len(set(bars.marker.color[:2])) == 1
    assert set(bars.marker.color[2:]).isdisjoint(bars.marker.color[:2])
    line, marks = space.cumulative([0.4, 0.7, 0.9, 1.0, 1.0], 2, paper.TABLES["sentence"]).data
    assert list(line.y) == pytest.approx([40, 70, 90, 100, 100])
    assert dict(zip(marks.x, marks.y, strict=True)) == {16: 44, 65: 70, 172: 90}


def test_cosines_carry_our_marks_and_the_papers() -> None:
    """Bars sum to 100 per cent; the six lines stand at the three numbers of ours and of the paper."""
    found = {"edges": [-0.2, 0.0, 0.2, 0.4], "counts": [10, 70, 20], "mode": 0.1, "median": 0.11, "mean": 0.13}
    bars, *lines = space.cosines(found).data
    assert sum(bars.y) == pytest.approx(100)
    assert [line.x[0] for line in lines] == [0.1, 0.11, 0.13, 0.120, 0.1466, 0.1595]
    assert [line.x[0] for line in lines if line.showlegend] == [0.1, 0.120]


SWEEP: list[dict[str, Any]] = [
    {"n_aspects": 5, "silhouette": 0.2, "davies_bouldin": 1.9, "calinski_harabasz": 80.0},
    {"n_aspects": 10, "silhouette": 0.15, "davies_bouldin": 1.5, "calinski_harabasz": 90.0},
    {"n_aspects": 15, "silhouette": 0.05, "davies_bouldin": 1.8, "calinski_harabasz": 70.0},
    {"n_aspects": 20, "silhouette": None, "davies_bouldin": None, "calinski_harabasz": None},
]


def test_the_sweep_shows_metrics_and_the_k_in_use() -> None:
    """Three lines of stored values, the K in use filled; an undefined metric is a gap."""
    figure = space.sweep(SWEEP, 10, 20)
    for trace, name in zip(figure.data, ("silhouette", "davies_bouldin", "calinski_harabasz"), strict=True):
        assert list(trace.y) == [row[name] for row in SWEEP]
        assert [c == INK for c in trace.marker.color] == [False, True, False, False]
    assert {shape.x0 for shape in figure.layout.shapes} == {20}


def test_the_rule_in_the_table_is_the_rule_that_chooses() -> None:
    """The smallest mean rank of the table is at the K that `choose` takes, over random sweeps."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        rows = [
            {"n_aspects": k, "silhouette": rng.random(), "davies_bouldin": rng.random(), "calinski_harabasz": 1.0 * k}
            for k in (5, 10, 15, 20, 25)
        ]
        chosen = choose([Candidate(**row) for row in rows])
        table = space.sweep_table(rows, chosen)
        best = next(row for row in table if row["used"])
        assert best["K"] == space.ruled(rows) == chosen
        assert best["mean rank"] == min(row["mean rank"] for row in table)
        assert sorted(row["rank by Silhouette"] for row in table) == [1, 2, 3, 4, 5]
    assert space.sweep_table(SWEEP, 10)[3]["rank by Silhouette"] == 4


def test_temperatures_are_in_order_and_the_calibrated_is_named() -> None:
    """Both lines run from low to high tau; the mark stands at the row stored last."""
    rows = [
        {"temperature": t, "mean_top": t / 30, "entropy": 1 - t / 30, "effective": 2.0, "ratio": 3.0}
        for t in (1.0, 25.0, 20.0)
    ]
    figure = membership.temperatures(rows)
    assert [list(trace.x) for trace in figure.data] == [[1.0, 20.0, 25.0]] * 2
    assert list(figure.data[1].y) == pytest.approx([1 - 1 / 30, 1 / 3, 1 / 6])
    assert [a.text for a in figure.layout.annotations] == ["τ* = 20.0"]
    assert [row[""] for row in membership.temperature_table(rows)] == ["", "", "τ*"]


def test_histograms_are_shares_with_the_median_marked() -> None:
    """Gaps and largest memberships are in per cent of the units."""
    found = {"edges": [0.0, 0.5, 1.0], "counts": [3, 9], "median": 0.8}
    for figure in (membership.gaps(found, 0.8), membership.top_memberships(found)):
        assert list(figure.data[0].y) == [25, 75]
        assert figure.layout.shapes[0].x0 == 0.8


def test_mass_counts_sentences_and_products() -> None:
    """Left the stored shares, right the part of the products with at least a tenth about the aspect."""
    products = np.array([[0.85, 0.1, 0.05], [0.5, 0.45, 0.05], [0.05, 0.9, 0.05], [0.95, 0.02, 0.03]])
    left, right = membership.mass([0.5, 0.4, 0.1], products, LABELS).data
    assert list(left.x) == pytest.approx([50, 40, 10])
    assert list(right.x) == pytest.approx([75, 75, 0])
    assert list(left.marker.color) == [colour(k) for k in range(3)]


DIVISIONS = [
    {"name": "stars", "parts": ["1", "5"], "sentences": [100, 400], "mass": [[90.0, 10.0], [200.0, 200.0]]},
    {"name": "verified purchase", "parts": ["verified", "not verified"], "sentences": [480, 20],
     "mass": [[280.0, 200.0], [10.0, 10.0]]},
]  # fmt: skip


def test_slices_tell_shares_and_where_an_aspect_is_thin() -> None:
    """Shares are within a part, the usual one within the division; hollow bars are the parts that the rule flags."""
    rows = membership.slice_rows(DIVISIONS, 1)
    assert [row["share"] for row in rows] == pytest.approx([0.1, 0.5, 200 / 480, 0.5])
    assert [row["usual"] for row in rows] == pytest.approx([0.42] * 4)
    flags = np.concatenate([thin(np.array(d["mass"]))[:, 1] for d in DIVISIONS]).tolist()
    assert [row["thin"] for row in rows] == flags == [True, False, False, True]
    bars = membership.slice_bars(rows, colour(1)).data[0]
    assert [c == "#ffffff" for c in bars.marker.color] == flags
    assert list(bars.x) == pytest.approx([100 * row["share"] for row in rows])
    assert len(set(bars.y)) == 4


def test_numbers_of_a_figure_are_what_it_draws(cloud: tuple[np.ndarray, np.ndarray]) -> None:
    """Every unit of a point cloud, every cell of a map, every part of a slice comes back, under the axes' names."""
    s, phi = cloud
    rows = numbers(clusters(s, phi, LABELS))
    assert len(rows) == 40
    assert sorted(row["PC 2"] for row in rows) == pytest.approx(sorted(s[:, 1]))
    assert {row["series"] for row in rows} == set(LABELS)
    assert len(numbers(space.component_matrix(s, phi, LABELS))) == 40
    cells = numbers(membership_map(phi, LABELS))
    assert len(cells) == 120
    assert sum(cell["membership"] for cell in cells if cell["row"] == "Price") == pytest.approx(phi[:, 1].sum())
    slices = numbers(membership.slice_bars(membership.slice_rows(DIVISIONS, 1), colour(1)))
    assert [row["y"] for row in slices] == ["1 · thin", "5", "verified", "not verified · thin"]
    assert {row["series"] for row in numbers(membership.mass([0.5, 0.5], np.eye(2), LABELS[:2]))} == {
        "sentences", "products",
    }  # fmt: skip
    sweep = numbers(space.sweep(SWEEP, 10, 20))
    assert len(sweep) == 9
    assert sweep[0] == {"series": "Silhouette", "K": 5, "y": 0.2}


def test_hovered_text_is_text(cloud: tuple[np.ndarray, np.ndarray]) -> None:
    """Signs of markup in a review do not reach the hover label as markup."""
    s, phi = cloud
    figure = clusters(s, phi, LABELS, texts=["<b>5 & up</b>"] * 40)
    shown = {text for trace in figure.data for text in trace.hovertext}
    assert shown == {"&lt;b&gt;5 &amp; up&lt;/b&gt;"}
    assert figure.layout.showlegend
