"""Facts about the command that writes every figure and table of the paper."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from prefer_core import session
from prefer_core.config import PRESETS, AspectSettings, BuildConfig
from prefer_core.corpus import open_corpus
from prefer_core.data.sentences import Unit
from prefer_core.experiments.__main__ import main
from prefer_core.figures import paper
from prefer_core.pipeline import build
from tests.built import kept

FIGURES = (
    "clouds_{}", "five_components_{}", "spectrum_{}", "variance_{}", "cosines_{}", "k_sweep_{}", "memberships_{}",
    "top_membership_{}", "aspect_mass_{}",
)  # fmt: skip
PLAYED = (
    "convergence_alignment", "convergence_average_regret", "convergence_smallest_coordinate", "drift_tracking",
    "drift_alignment", "drift_feedback", "drift_average_regret", "drift_smallest_coordinate", "g_cos", "reviewers",
    "corpus_words", "corpus_per_product", "corpus_per_reviewer",
)  # fmt: skip


def read(file: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with file.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.slow
def test_one_command_writes_the_whole_paper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every figure at both levels, every table, each printed number beside ours, and a page that leads to all."""
    monkeypatch.setenv("PREFER_MODEL", "none")
    units: tuple[tuple[Unit, int], ...] = (("sentence", 6), ("review", 7))
    for unit, k in units:
        settings = AspectSettings(preset="paper", n_aspects=k)
        config = BuildConfig("sample", "", unit=unit, aspects=settings, keypoints=None)
        kept(f"paper_{unit}", lambda folder, config=config: build(replace(config, out=str(folder))), tmp_path / unit)
    out = tmp_path / "out"
    arguments = ["--experiment", "paper", "--corpus", str(tmp_path / "sentence"), "--out", str(out), "--seeds", "1"]
    assert main([*arguments, "--reviews", str(tmp_path / "review"), "--workers", "1", "--no-png"]) == 0
    told = capsys.readouterr().out
    assert "over 10 tie orders" in told
    assert told.splitlines()[-1].startswith(f"results: {out / 'index.html'}")
    page = (out / "index.html").read_text(encoding="utf-8")
    for name in (*(name.format(f"{unit}s") for name in FIGURES for unit in ("sentence", "review")), *PLAYED):
        assert (out / f"{name}.html").stat().st_size > 2000, name
        assert f'href="{name}.html"' in page
    assert (out / "plotly.min.js").is_file()
    values = read(out / "values.csv")
    corpus = open_corpus(tmp_path / "sentence")
    found = {(row["what"], row["corpus"]): (float(row["paper"]), row["here"]) for row in values}
    assert found["tau", "sample, sentences"] == (paper.TEMPERATURE, str(corpus.diagnostics()["temperature"]))
    assert [row["paper"] for row in values if row["what"].startswith("G_cos")] == [
        "0.9995",
        "0.9914",
        "0.7527",
        "0.9897",
    ]
    profiles = read(out / "profiles.csv")
    assert len(profiles) == 4
    assert all(row["summary"] for row in profiles)
    timed = {row["component"]: row for row in read(out / "compute.csv")}
    assert {row.component for row in paper.COMPUTE} <= set(timed)
    assert timed["Convergence run"]["input"] == "1 seed; 100 rounds; Gumbel; OMD"
    assert timed["Convergence run"]["paper: seconds"] == "97.8"
    assert {row["tie_order"] for row in read(out / "drift.csv") if row["variant"] == "PREFER-MMR"} == set("0123456789")


def test_one_command_writes_table_2(
    sample_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its values are those of a round that is proposed to each preference, to all digits, in each of the files."""
    monkeypatch.setenv("PREFER_MODEL", "none")
    asked = ["--experiment", "table2", "--corpus", str(sample_corpus), "--product", "SAMPLE-SCRUB", "--aspects", "1,3"]
    assert main([*asked, "--out", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out.splitlines()
    rows = read(tmp_path / "out" / "profiles.csv")
    tex = (tmp_path / "out" / "profiles.tex").read_text(encoding="utf-8")
    page = (tmp_path / "out" / "profiles.html").read_text(encoding="utf-8")
    corpus = open_corpus(sample_corpus)
    how = replace(PRESETS["paper"], learner="static", extractor="mmr")
    k = corpus.n_aspects
    wanted = np.eye(k)[[1, 3]]
    for row, w, line in zip(rows, [*wanted, wanted.mean(axis=0), np.full(k, 1 / k)], told, strict=False):
        state = replace(session.start(k, 0, how), w=w)
        z = session.propose(corpus, "SAMPLE-SCRUB", state, how, 1).z
        assert [float(x) for x in row["z"].split()] == z.tolist()
        cosine = float(w @ z / np.linalg.norm(w) / np.linalg.norm(z))
        assert float(row["g_cos"]) == pytest.approx(cosine, abs=1e-12)
        assert f" & {cosine:.4f} & " in tex
        assert f"<td>{cosine:.4f}</td>" in page
        assert f"G_cos {cosine:.4f}" in line
    assert len(rows) == 4


def test_a_review_level_that_is_none_is_refused(
    sample_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--reviews must name a corpus whose units are whole reviews."""
    arguments = ["--experiment", "paper", "--corpus", str(sample_corpus), "--reviews", str(sample_corpus)]
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 2
    assert "--unit review" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
