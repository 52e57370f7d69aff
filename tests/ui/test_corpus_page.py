"""The corpus page on real builds, in every part, and on a corpus of an older version."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from prefer_core.config import AspectSettings, BuildConfig
from prefer_core.corpus import FILES
from prefer_core.files.manifest import MANIFEST, write_json, write_manifest
from prefer_core.pipeline import build
from tests.built import SmallCorpora
from tests.data.made import made_reviews, write_jsonl
from tests.ui.conftest import ROOT
from tests.ui.parts import glides, open_part

PARTS = ("Tables", "What was read", "Distributions", "Reviewers", "Sentences or reviews", "Time and memory")
SETTINGS = AspectSettings(embedder="words", n_components=4, n_aspects=3, preset="paper")


@pytest.fixture
def shelf(private_home: Path, small_corpora: SmallCorpora, words_only: None) -> Path:
    """Return a home with one corpus of 160 made reviews."""
    small_corpora.copy(made_reviews(160), SETTINGS, private_home / "made")
    return private_home


def _open(part: str = "Tables") -> AppTest:
    return open_part("6_Corpus", part)


def _text(at: AppTest) -> str:
    return "\n".join(str(p.value) for p in [*at.markdown, *at.caption, *at.info, *at.code])


def test_tables_tell_what_the_build_counted(shelf: Path) -> None:
    """Both tables of the paper with ours, and every reason why something was left out."""
    raw, prepared, read, split = (frame.value for frame in _open().dataframe)
    assert raw.set_index("")["here"]["Ratings"] == 160
    assert prepared.set_index("").loc["Text units", ["reviews", "paper, reviews"]].tolist() == [160, 583_190]
    manifest = json.loads((shelf / "made" / MANIFEST).read_text("utf-8"))
    told = pd.concat([read, split]).set_index("what")["count"].to_dict()
    assert told == {name: count for name, count in manifest["counts"].items() if name != "reviewers"}


def test_what_was_read_and_lost_stands_on_the_page(
    private_home: Path, small_corpora: SmallCorpora, words_only: None
) -> None:
    """Columns, rules, three examples of each loss, the flood; more than a twentieth lost is said."""
    copies = [
        {"parent_asin": "P1", "user_id": f"x{i}", "text": f"It melts within a week or so{'!' * i}"} for i in range(9)
    ]
    rows = [*made_reviews(160), *[{"parent_asin": "P1", "text": None}] * 30, "{broken", *copies]
    small_corpora.copy(rows, SETTINGS, private_home / "made")
    at = _open("What was read")
    columns, losses, floods = (frame.value for frame in at.dataframe)
    assert columns["what"].tolist()[:3] == ["text", "product", "user"]
    told = losses.set_index("reason")
    assert told.loc["without text", "count"] == 30
    assert told.loc["broken lines", "example 1"] == "row 191: {broken"
    assert floods[["reviews", "accounts"]].iloc[0].tolist() == [9, 9]
    assert "200 rows were read and gave 169 reviews" in _text(at)
    assert "More than 5 %" in at.warning[0].value


def test_every_figure_is_read_in_a_sentence_and_downloads(shelf: Path) -> None:
    """Three distributions and six figures of reviewers, each with a sentence and two buttons: itself, its numbers."""
    for part, figures in (("Distributions", 3), ("Reviewers", 6)):
        at = _open(part)
        assert len(at.get("plotly_chart")) + len(glides(at)) == figures
        assert len(at.get("download_button")) == 2 * figures
        assert len(at.caption) >= figures
    assert "40 of 40 reviewers wrote at least 5 sentences" in _text(at)


def test_distributions_count_sentences_as_well(shelf: Path) -> None:
    """Under the switch columns sum to all reviews, and to all sentences with their repeats, on the same axis."""
    manifest = json.loads((shelf / "made" / MANIFEST).read_text("utf-8"))
    at = _open("Distributions")
    axes = []
    for key, counted in (("reviews", 160), ("units", manifest["counts"]["sentences"])):
        at = at.segmented_control[1].set_value(key).run()
        assert not at.exception
        drawn = glides(at)[0]
        bars = sum(column["count"] for column in drawn["columns"])
        assert bars == counted + (manifest["counts"]["repeats folded"] if key == "units" else 0)
        axes.append((drawn["ticks"], [column["label"] for column in drawn["columns"]]))
    assert axes[0] == axes[1], "the axis stays, so that columns glide"


def test_the_other_level_is_asked_for_and_then_shown(private_home: Path, tmp_path: Path, words_only: None) -> None:
    """Without the other corpus the page gives the command; with it clusters and memberships stand side by side."""
    source = write_jsonl(tmp_path / "made.jsonl", made_reviews(160))
    build(BuildConfig(str(source), str(private_home / "made"), aspects=SETTINGS))
    at = _open("Sentences or reviews")
    assert "--unit review" in at.code[0].value
    assert str(source) in at.code[0].value
    assert not at.get("plotly_chart")
    of_reviews = replace(SETTINGS, n_aspects=4)
    build(BuildConfig(str(source), str(private_home / "made-reviews"), unit="review", aspects=of_reviews))
    at = _open("Sentences or reviews")
    assert not at.code
    assert len(at.get("plotly_chart")) == 4
    assert at.dataframe[0].value["K"].tolist() == [4, 3]
    assert at.selectbox[0].options == ["made · 320 sentences", "made, whole reviews · 160 reviews"]
    assert {"Reviews, K = 4", "Sentences, K = 3"} <= {str(m.value).strip("*") for m in at.markdown}


def test_the_compute_table_names_the_machine_in_every_row(shelf: Path) -> None:
    """One row a stage, each with seconds, memory and machine; the paper's seconds where it prints them."""
    table = _open("Time and memory").dataframe[0].value
    assert len(table) == 10
    assert table["machine"].str.contains("cores").all()
    assert table["peak, MiB"].gt(0).all()
    assert table["paper: seconds"].notna().sum() >= 5


def test_an_older_corpus_says_what_to_run(shelf: Path, app_older: Callable[[], None]) -> None:
    """Without statistics, tastes, machine or mark each part is a plain sentence with the command, and no crash."""
    app_older()
    for part in PARTS:
        at = _open(part)
        assert "precompute.py --source" in at.code[0].value
        if part in ("Tables", "What was read", "Distributions", "Reviewers"):
            assert "built before" in at.info[0].value


@pytest.fixture
def app_older(shelf: Path) -> Callable[[], None]:
    """Return what takes out of a corpus all that builds before this page did not write."""

    def strip() -> None:
        folder = shelf / "made"
        manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
        diagnostics = json.loads((folder / "diagnostics.json").read_text("utf-8"))
        del diagnostics["heterogeneity"], diagnostics["statistics"]["raw"], diagnostics["reading"]
        write_json(folder / "diagnostics.json", diagnostics)
        for stage in manifest["stages"]:
            del stage["memory_change"]
        gone = ("source_mark", "machine", "digest", "files")
        write_manifest(folder, {key: value for key, value in manifest.items() if key not in gone}, FILES)

    return strip


def test_without_any_corpus_the_page_says_what_to_run(private_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty home is one sentence with the command."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PREFER_MODEL", "none")
    st.cache_resource.clear()
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run().switch_page("pages/6_Corpus.py").run()
    assert not at.exception
    assert not at.error
    assert "precompute.py --source sample" in at.info[0].value
