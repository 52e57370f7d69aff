"""Facts about the experiments: the session's rounds, the stated columns, the same rows for any number of workers."""

import csv
import json
import shutil
import struct
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

from prefer_core import session, simplex
from prefer_core.config import PRESETS, SessionSettings
from prefer_core.corpus import open_corpus
from prefer_core.errors import ConfigError, DataError
from prefer_core.experiments import compute, regret, simulator
from prefer_core.experiments.__main__ import main
from prefer_core.experiments.gallery import figures_of, table
from prefer_core.experiments.paper import EXPERIMENTS, TIE_ORDERS, Setup, execute, plan, wanted_aspects
from prefer_core.experiments.play import COLUMNS, Run, play
from prefer_core.experiments.population import population
from prefer_core.experiments.results import write_figures
from prefer_core.learning import loss
from prefer_core.session import Stream, generator
from prefer_core.types import ProductCorpus
from tests.shelf import Shelf

Make = Callable[..., ProductCorpus]


def short(make_product: Make, **changes: object) -> tuple[Shelf, Run]:
    """Make a run of 30 ratings on a made product."""
    reader = simulator.drift(5, 0, 3, 11, 20)
    run = Run("drift", "made", "PREFER-Gumbel", "P", reader, PRESETS["paper"], 30, 4, 10.0, 0.05)
    return Shelf(make_product(n=200)), replace(run, **changes)  # type: ignore[arg-type]


def test_rows_are_what_the_session_did(make_product: Make) -> None:
    """Every column of every row, recomputed from `propose` and `rate` and the definitions."""
    shelf, run = short(make_product)
    rows = list(play(shelf, run))
    settings, state = run.settings, session.updater(run.settings).start(5, 4)
    w, z, centred, path = [], [], [], []
    for t, row in enumerate(rows, start=1):
        proposal = session.propose(shelf, "P", state, settings, t)
        w_true = run.reader.at(t)
        f = simulator.feedback(w_true, proposal.z, 10.0, 0.05, generator(4, t, Stream.READER))
        path.append(simplex.project(w_true, 1e-4))
        w.append(state.w)
        z.append(proposal.z)
        centred.append(f - state.baseline)
        assert (row["feedback"], row["baseline"], row["t"]) == (f, state.baseline, t)
        assert row["min_w_before"] == state.w.min()
        state = session.rate(state, proposal, f, settings)
        assert row["w"].tolist() == state.w.tolist()
        assert row["min_w_after"] == state.w.min()
        assert row["min_w_after"] >= 1e-4
        assert row["a_pref"] == pytest.approx(simplex.cosine(w_true, state.w))
        assert row["a_evid"] == pytest.approx(simplex.cosine(w_true, proposal.z))
    total = loss.regret(np.array(w), np.array(z), np.array(centred), np.array(path))
    variation = loss.path_variation(np.array(path))
    np.testing.assert_allclose([r["avg_regret"] for r in rows], total / np.arange(1, 31), atol=1e-12)
    bounds = [regret.dynamic_bound(t, 1e-4, 2.0, 0.002, 1.0, v) / t for t, v in enumerate(variation, start=1)]
    np.testing.assert_allclose([r["bound"] for r in rows], bounds)
    np.testing.assert_allclose([r["loss"] for r in rows], [-c * a @ b for a, b, c in zip(w, z, centred, strict=True)])


@pytest.mark.parametrize("learner", ["static", "posterior"])
def test_no_bound_is_claimed_where_no_theorem_holds(make_product: Make, learner: str) -> None:
    """Bounds are OMD's; the static learner never moves."""
    shelf, run = short(make_product)
    rows = list(play(shelf, replace(run, settings=replace(run.settings, learner=learner), rounds=5)))
    assert all(np.isnan(row["bound"]) for row in rows)
    if learner == "static":
        assert all(row["w"].tolist() == [0.2] * 5 for row in rows)


def test_limits_of_a_run(make_product: Make) -> None:
    """T = 1, a product of one sentence, sharpness 0 and a huge step all give finite rows; K = 2 works."""
    for product, changes in (
        (make_product(n=1), {"rounds": 1}),
        (make_product(n=30), {"sharpness": 0.0, "noise": 0.0}),
        (make_product(n=30), {"settings": replace(PRESETS["paper"], step_size=1e6)}),
        (make_product(n=30, n_aspects=2), {"reader": simulator.single(2, 1)}),
    ):
        _, run = short(make_product, **changes)
        rows = list(play(Shelf(product), run))
        assert len(rows) == run.rounds
        assert all(np.isfinite(row["avg_regret"]) and row["min_w_after"] > 0 for row in rows)
        if run.sharpness == 0:
            assert {row["feedback"] for row in rows} == {0.5}


def test_a_budget_of_nothing_and_a_wrong_start_are_refused(make_product: Make) -> None:
    """k = 0, and a first preference off the simplex, are errors that give the value."""
    shelf, run = short(make_product)
    with pytest.raises(ConfigError, match="found 0"):
        list(play(shelf, replace(run, settings=replace(run.settings, max_sentences=0))))
    with pytest.raises(DataError, match="sum to 1"):
        list(play(shelf, replace(run, start=np.array([1.0, 1.0, 0, 0, 0]))))


def test_workers_do_not_change_the_rows(sample_corpus: Path) -> None:
    """Two processes and one give equal rows in equal order."""
    runs = [replace(run, rounds=6) for run in plan(open_corpus(sample_corpus), "convergence", 2) if run.seed < 2]
    one = [row for part in execute(sample_corpus, runs, 1) for row in part]
    two = [row for part in execute(sample_corpus, runs, 2) for row in part]
    assert len(one) == 48
    for a, b in zip(one, two, strict=True):
        assert {c: a[c] for c in COLUMNS if c != "bound"} == {c: b[c] for c in COLUMNS if c != "bound"}
        assert a["w"].tolist() == b["w"].tolist()


def test_mmr_has_no_spread_over_seeds_and_static_ones_stay(sample_corpus: Path) -> None:
    """As the paper says: MMR is the same for every seed in one tie order, Gumbel is not, static w never moves."""
    corpus = open_corpus(sample_corpus)
    runs = [replace(run, rounds=12, tie_order=0) for run in plan(corpus, "convergence", 3) if run.seed < 3]
    by_variant = {
        name: [row for run in runs if run.variant == name for row in play(corpus, run)]
        for name in ("Static-MMR", "PREFER-MMR", "PREFER-Gumbel")
    }
    assert table(by_variant["PREFER-MMR"], "a_pref").std(axis=0).max() < 1e-12
    assert table(by_variant["PREFER-Gumbel"], "a_pref").std(axis=0).max() > 1e-3
    assert np.ptp(table(by_variant["Static-MMR"], "a_pref")) < 1e-12
    for rows in (by_variant["PREFER-MMR"], by_variant["PREFER-Gumbel"]):
        assert np.all(table(rows, "avg_regret") < table(rows, "bound"))


def test_the_halves_share_no_product_and_no_reader(sample_corpus: Path) -> None:
    """Tuning and held-out populations are disjoint; readers are the same ones in every call."""
    corpus = open_corpus(sample_corpus)
    one, other = population(corpus, "tuning"), population(corpus, "held-out")
    assert not set(one.products) & set(other.products)
    for kind in one.kinds:
        assert one.reader(kind, 3).w.tolist() == one.reader(kind, 3).w.tolist()
    assert one.reader("diffuse", 0).w.tolist() != other.reader("diffuse", 0).w.tolist()


def test_mmr_is_played_in_ten_tie_orders(make_product: Make) -> None:
    """Each order is another one, the same in every run; it decides what MMR shows at an even preference."""
    shelf, run = short(make_product, rounds=1)
    mmr = replace(run, settings=replace(run.settings, extractor="mmr"))
    shown = [next(play(shelf, replace(mmr, tie_order=order)))["a_evid"] for order in range(TIE_ORDERS)]
    again = [next(play(shelf, replace(mmr, tie_order=order, seed=9)))["a_evid"] for order in range(TIE_ORDERS)]
    assert shown == again
    assert len(set(shown)) > TIE_ORDERS / 2


def test_an_experiment_does_as_its_setup_says(sample_corpus: Path) -> None:
    """Product, aspects, window, noise and settings reach the runs; MMR has ten runs whatever the seeds."""
    corpus = open_corpus(sample_corpus)
    product = str(corpus.products["product_id"].iloc[3])
    setup = Setup(product, (2, 1), (5, 9), 3.0, 0.1, {"weighting": "blend", "baseline": "mean"})
    runs = plan(corpus, "drift", 2, setup)
    assert [(run.variant, run.tie_order) for run in runs if "MMR" in run.variant] == [
        ("PREFER-MMR", order) for order in range(TIE_ORDERS)
    ]
    assert sum("Gumbel" in run.variant for run in runs) == 2
    assert {(run.product, run.noise, run.sharpness) for run in runs} == {(product, 0.1, 3.0)}
    assert {(run.settings.weighting, run.settings.baseline) for run in runs} == {("blend", "mean")}
    assert [int(runs[0].reader.at(t).argmax()) for t in (1, 9)] == [2, 1]
    assert 0 < runs[0].reader.at(6)[1] < 1
    with pytest.raises(ConfigError, match="has no product 'nothing'"):
        plan(corpus, "drift", 1, Setup(product="nothing"))
    with pytest.raises(ConfigError, match="two different numbers"):
        plan(corpus, "drift", 1, Setup(aspects=(1, 1)))


def test_what_a_reader_wants_is_what_a_product_says_most_about(sample_corpus: Path) -> None:
    """No extractor has a say in it: the two largest shares, of aspects that one can care about."""
    corpus = open_corpus(sample_corpus)
    share = corpus.product(str(corpus.products.sort_values("n_sentences")["product_id"].iloc[-1])).phi.sum(axis=0)
    share[corpus.other] = 0.0
    assert wanted_aspects(corpus) == tuple(np.argsort(-share)[:2])


@pytest.mark.parametrize("experiment", ["heterogeneity", "horizon"])
def test_the_command_writes_rows_and_figures(
    experiment: str, sample_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """rows.csv has the stated columns, each figure is a page of its own, and the compute table gains a row."""
    out = tmp_path / "out"
    arguments = ["--corpus", str(sample_corpus), "--experiment", experiment, "--seeds", "1", "--out", str(out)]
    assert main([*arguments, "--workers", "1"]) == 0
    with (out / "rows.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert tuple(rows[0]) == COLUMNS
    corpus = open_corpus(sample_corpus)
    assert len(rows) == sum(run.rounds for run in plan(corpus, experiment, 1))
    assert len(list(out.glob("*.html"))) >= 1
    told = json.loads((out / "settings.json").read_text(encoding="utf-8"))
    assert set(told) == {row["variant"] for row in rows}
    assert all(SessionSettings.from_dict(one["settings"]) for one in told.values())
    assert compute.rows()[-1]["component"] == experiment
    assert "results:" in capsys.readouterr().out


@pytest.mark.slow
def test_figures_are_written_as_png_where_a_chrome_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is a PNG of the asked size; where a write fails the reason is told and the HTML is still there."""
    pytest.importorskip("kaleido", reason="kaleido is not installed (tests/requirements.txt)")
    if not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))):
        pytest.skip("no Chrome on this machine: figures are HTML only")
    figure = go.Figure(go.Bar(y=[1, 2]), layout={"height": 300})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # kaleido's browser driver leaves its own temporary files to the collector
        assert write_figures(tmp_path, {"f": figure}) is None
    data = (tmp_path / "f.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (2200, 600)

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no browser here\nand more")

    monkeypatch.setattr(go.Figure, "write_image", broken)
    told = write_figures(tmp_path, {"g": figure})
    assert told is not None
    assert "no browser here" in told
    assert (tmp_path / "g.html").exists()


def test_heterogeneity_finds_each_profile(sample_corpus: Path) -> None:
    """Evidence for one aspect is about it; evidence for a reader who wants nothing in particular is about many."""
    corpus = open_corpus(sample_corpus)
    rows = [row for run in plan(corpus, "heterogeneity", 1) for row in play(corpus, run)]
    best = {row["reader"]: row["a_evid"] for row in rows if row["variant"] == "MMR"}
    assert next(iter(best)) == "e_0"
    assert best["e_0"] > 0.9
    assert best["uniform"] > 0.5


def test_every_experiment_has_figures(sample_corpus: Path) -> None:
    """The paper's figures are all drawn from a few rows."""
    corpus = open_corpus(sample_corpus)
    names = set()
    for experiment in EXPERIMENTS:
        runs = [replace(run, rounds=min(run.rounds, 3)) for run in plan(corpus, experiment, 1)]
        rows = [row for run in runs for row in play(corpus, run)]
        names |= set(figures_of(experiment, rows, 1e-4, (81, 120), corpus.labels))
    assert {"convergence_alignment", "convergence_average_regret", "convergence_smallest_coordinate"} <= names
    assert {
        f"drift_{n}" for n in ("alignment", "tracking", "feedback", "average_regret", "smallest_coordinate")
    } <= names


def test_wrong_names_and_numbers_are_told(
    sample_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unknown experiment, no seeds, no workers, no corpus: one sentence each, exit 2."""
    corpus = open_corpus(sample_corpus)
    with pytest.raises(ConfigError, match="convergence"):
        plan(corpus, "magic", 1)
    with pytest.raises(ConfigError, match="found 0"):
        plan(corpus, "drift", 0)
    with pytest.raises(ConfigError, match="found 0"):
        list(execute(sample_corpus, [], 0))
    assert main(["--corpus", str(tmp_path / "no"), "--experiment", "drift", "--out", str(tmp_path / "o")]) == 2
    assert "There is no corpus" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()
