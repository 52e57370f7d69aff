"""Figures and tables of a corpus: their numbers against what they were made from."""

from typing import Any

import numpy as np
import pytest

from prefer_core.aspects.heterogeneity import heterogeneity
from prefer_core.config import AspectSettings, BuildConfig, ReviewerSettings
from prefer_core.data.stats import log_histogram
from prefer_core.figures import corpus, learning, paper, tables
from prefer_core.figures.corpus import clusters, distribution, membership_map
from prefer_core.figures.theme import HIDDEN_INK, PALETTE, colour

LABELS = ("Scent", "Price", "Lid")


@pytest.fixture(scope="module")
def tastes() -> dict[str, Any]:
    """Return the tastes of ninety made reviewers of two products."""
    rng = np.random.default_rng(0)
    reviewer = np.repeat(np.arange(90), 6)
    taste = rng.dirichlet(np.ones(3), 90)
    phi = np.stack([rng.dirichlet(0.1 + 5 * taste[r]) for r in reviewer])
    return heterogeneity(phi, np.arange(540), reviewer, reviewer // 45, 0, ReviewerSettings(sample=70))


def test_a_distribution_keeps_every_count() -> None:
    """Bars hold all values, empty bins at the ends are left out, long tails get a logarithmic axis."""
    values = np.array([30] * 60 + [45] * 3 + [400])
    figure = distribution(log_histogram(values), "words", "reviews", log=True)
    assert sum(figure.data[0].y) == 64
    assert figure.data[0].x[0] == "23–31"
    assert figure.data[0].x[-1] == "362–511"
    assert figure.layout.yaxis.type == "log"
    assert distribution(log_histogram(values[:20]), "words", "reviews", log=True).layout.yaxis.type is None


def test_reviewers_stand_at_their_entropy_and_aspect(tastes: dict[str, Any]) -> None:
    """One point a sampled reviewer, less than half a row from the dominant aspect, in its colour."""
    points = corpus.taste_map(tastes, LABELS).data[0]
    assert list(points.x) == tastes["sample"]["entropy"]
    assert np.abs(np.array(points.y) - tastes["sample"]["dominant"]).max() < 0.5
    assert list(points.marker.color) == [colour(k) for k in tastes["sample"]["dominant"]]


def test_the_map_of_tastes_goes_group_by_group(tastes: dict[str, Any]) -> None:
    """Columns are the profiles of the three groups in order, the intermediate ones by dominant aspect."""
    z = np.array(corpus.profile_map(tastes, LABELS).data[0].z)
    sample = tastes["sample"]
    sizes = [sample["group"].count(g) for g in range(3)]
    assert z.shape == (3, sum(sizes))
    stored = {tuple(profile): group for profile, group in zip(sample["profiles"], sample["group"], strict=True)}
    assert [stored[tuple(column)] for column in z.T] == [0] * sizes[0] + [1] * sizes[1] + [2] * sizes[2]
    middle = z[:, sizes[0] : sizes[0] + sizes[1]].argmax(axis=0)
    assert list(middle) == sorted(middle)


def test_bars_and_lines_count_the_same_reviewers(tastes: dict[str, Any]) -> None:
    """As many reviewers with their own sentences as with dealt ones; a group's bars sum to one."""
    bars, *lines = corpus.entropy_figure(tastes).data
    assert [sum(drawn.y) for drawn in (bars, *lines)] == [tastes["reviewers"]] * 3
    shown = corpus.group_bars(tastes["groups"][0]["profile"], LABELS, 0.5).data[0]
    assert sum(shown.x) == pytest.approx(100, abs=0.1)


def test_clusters_and_memberships_show_every_unit() -> None:
    """Each sampled unit is one point in the colour of its largest aspect, and one column of the map."""
    rng = np.random.default_rng(1)
    s, phi = rng.normal(size=(30, 4)), rng.dirichlet(np.ones(3), 30)
    figure = clusters(s, phi, LABELS)
    assert [len(trace.x) for trace in figure.data] == np.bincount(phi.argmax(axis=1), minlength=3).tolist()
    assert [trace.marker.color for trace in figure.data] == [colour(k) for k in range(3)]
    z = np.array(membership_map(phi, LABELS).data[0].z)
    assert z.shape == (3, 30)
    np.testing.assert_allclose(np.sort(z.max(axis=0)), np.sort(phi.max(axis=1)))
    assert list(z.argmax(axis=0)) == sorted(z.argmax(axis=0))


def test_rows_have_the_colours_they_are_marked_with() -> None:
    """A merged aspect has its first member's colour in every figure, hidden ones a grey that no aspect has."""
    rng = np.random.default_rng(2)
    s, phi, w = rng.normal(size=(30, 4)), rng.dirichlet(np.ones(3), 30), rng.dirichlet(np.ones(3), 2)
    marks = (1, 4, -1)
    wanted = [colour(1), colour(4), HIDDEN_INK]
    assert HIDDEN_INK not in PALETTE
    assert [trace.marker.color for trace in clusters(s, phi, LABELS, marks).data] == wanted
    axis = membership_map(phi, LABELS, marks).layout.yaxis.ticktext
    assert [ink in name for ink, name in zip(wanted, axis, strict=True)] == [True] * 3
    assert list(learning.preference_bars(LABELS, w[0], w[0], w[1], marks=marks).data[0].marker.color) == wanted
    assert [trace.line.color for trace in learning.preference_lines(LABELS, w, marks=marks).data] == wanted
    assert list(corpus.group_bars(w[0].tolist(), LABELS, 1, marks).data[0].marker.color) == wanted


def _statistics() -> dict[str, Any]:
    level = {
        "units": 7, "mean_words": 5.5, "mean_units_per_reviewer": 1.5, "max_units_per_product": 4,
        "max_units_per_reviewer": 2,
    }  # fmt: skip
    raw = {"users": None, "items": 2, "ratings": 8, "review_tokens": 90, "metadata_tokens": None}
    return {"raw": raw, "reviews": level, "units": level | {"units": 12}}


def test_tables_have_the_papers_numbers_beside_ours() -> None:
    """Rows and columns of both tables of the paper, as it prints them; unknown stays unknown."""
    raw = tables.raw_table(_statistics()["raw"], "here")
    assert [row["paper"] for row in raw] == [632_000, 112_600, 701_500, 31_600_000, 74_100_000]
    assert [row["here"] for row in raw] == [None, 2, 8, 90, None]
    rows = tables.preprocessed_table(_statistics(), "sentence")
    assert rows[0] == {
        "": "Text units", "reviews": 7, "sentences": 12, "paper, reviews": 583_190, "paper, sentences": 1_336_813,
    }  # fmt: skip
    assert [row["paper, sentences"] for row in rows] == [1_336_813, 13.3, 2.84, 4_852, 1_087]
    assert list(tables.preprocessed_table(_statistics(), "review")[0]) == ["", "reviews", "paper, reviews"]
    flat = tables.long_table({"raw": raw})
    assert len(flat) == 10
    assert flat[2] == {"table": "raw", "statistic": "Items", "column": "here", "value": 2}


def test_every_count_is_told_once_with_a_reason() -> None:
    """All counts of a build but the reviewers come back, the language with its name, an unknown one at the end."""
    counts = {
        "lines read": 9, "broken lines": 1, "without product": 0, "without text": 1, "too short": 1,
        "in another language than en": 2, "duplicates": 1, "ratings outside 1 to 5": 0, "reviews": 3,
        "sentences too short": 1, "sentences": 4, "odd ones": 5, "products": 1, "reviewers": 3,
    }  # fmt: skip
    read, split = tables.dropped_tables(counts, "sentence")
    told = {row["what"]: row["count"] for row in read + split}
    assert told == {name: count for name, count in counts.items() if name != "reviewers"}
    assert len(read) + len(split) == len(told)
    assert read[5]["what"] == "in another language than en"
    assert split[-1] == {"what": "odd ones", "count": 5, "why": ""}
    whole = [row["what"] for row in tables.dropped_tables(counts, "review")[1]]
    assert whole == [row["what"].replace("sentences", "units") for row in split]
    assert read[0]["count"] == sum(row["count"] for row in read[1:] if row["why"] != "stars unknown; the review stays")


def _manifest(unit: str, **changes: Any) -> dict[str, Any]:
    stage = {"stage": "embed", "seconds": 2.0, "memory": 90.0, "peak_memory": 100.0, "memory_change": -5.0}
    config = BuildConfig(source="s", out="o", unit=unit, aspects=AspectSettings(preset="paper")).to_dict()  # type: ignore[arg-type]
    made = {"stages": [stage], "counts": {"sentences": 700, "lines read": 300}, "config": config, "machine": "box"}
    return made | changes


def test_stages_stand_beside_the_papers() -> None:
    """Rate, memory and machine of a stage, and the paper's row of the same unit with its rate worked out."""
    (row,) = tables.build_rows(_manifest("sentence"))
    assert (row["input"], row["per second"], row["change, MiB"], row["machine"]) == ("700 sentences", 350, -5.0, "box")
    assert row["paper: per second"] == 384
    (row,) = tables.build_rows(_manifest("review"))
    assert (row["paper: per second"], row["paper: seconds"]) == (255, pytest.approx(38.18 * 60, abs=0.1))
    assert row["paper: machine"] == paper.WORKERS["MC1"]


def test_an_older_build_says_what_it_did_not_record() -> None:
    """Without machine and change of memory the row says so; a stage of another name is told as it is."""
    stage = {"stage": "polish", "seconds": 2.0, "memory": 90.0, "peak_memory": 100.0}
    older = _manifest("sentence", stages=[stage])
    del older["machine"]
    (row,) = tables.build_rows(older)
    assert (row["machine"], row["change, MiB"], row["component"]) == ("not recorded", None, "polish")
    assert row["paper: seconds"] is None


def test_experiments_stand_beside_the_papers() -> None:
    """One seed of 100 rounds took the paper 98 s; what it does not time, such as all seeds together, has no figure."""
    measured = {
        "stage": "Online experiments", "component": "Convergence run", "input": "1 run", "worker": "m",
        "seconds": "3.5",
        "memory change MiB": "1.0", "memory peak MiB": "", "ended": "",
    }  # fmt: skip
    first, second = tables.played_rows([measured, measured | {"component": "convergence", "memory peak MiB": "7"}])
    assert first["paper: seconds"] == pytest.approx(97.8)
    assert (first["seconds"], first["peak, MiB"]) == (3.5, None)
    assert (second["paper: seconds"], second["peak, MiB"]) == (None, 7.0)


def test_levels_stand_side_by_side() -> None:
    """Sharpness is computed from the memberships, the Silhouette is that of the K used, the paper's K stands beside."""
    phi = np.array([[0.5, 0.5], [1.0, 0.0]])
    sweep = [{"n_aspects": 2, "silhouette": 0.25}, {"n_aspects": 5, "silhouette": 0.5}]
    found = {"temperature": 20.0, "cumulative_variance": [0.3, 0.5], "k_sweep": sweep}
    (row,) = tables.levels_table({"review": (_manifest("review"), found, phi)})
    assert row["mean largest membership"] == pytest.approx(0.75)
    assert row["mean entropy of a unit"] == pytest.approx(0.5)
    assert (row["K"], row["K was"], row["Silhouette"], row["paper: K"]) == (2, "chosen", 0.25, 20)
    assert row["variance at 16, %"] == pytest.approx(50)
