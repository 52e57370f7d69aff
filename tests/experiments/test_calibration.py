"""Facts about the calibration: what is searched, what is reported, and what the pages read from it."""

import json
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest

import precompute
from prefer_core.config import PERSON, PRESETS, SessionSettings
from prefer_core.corpus import annotate, open_corpus
from prefer_core.errors import CorpusError, DataError
from prefer_core.experiments import calibration
from prefer_core.experiments.__main__ import main
from prefer_core.experiments.calibration import Outcome, calibrate, targets, trial
from prefer_core.experiments.population import HALVES, KINDS, Population
from prefer_core.insight.calibrated import ratings_left, report_of, settings_of
from tests.data.made import BagOfWords, made_reviews, write_jsonl


def test_outcomes_are_medians_and_tenths() -> None:
    """Median, worst tenth and mean rating against numpy, over all readers and by kind."""
    rng = np.random.default_rng(0)
    a_pref, a_evid, ratings = (rng.uniform(size=(8, 12)) for _ in range(3))
    outcome = Outcome(("single", "two") * 4, a_pref, a_evid, ratings)
    assert outcome.median(10) == np.median(a_pref[:, 9])
    assert outcome.median(3, "two") == np.median(a_pref[1::2, 2])
    assert outcome.worst_tenth(12) == np.quantile(a_pref[:, 11], 0.1)
    assert outcome.shown("two") == np.median(a_evid[1::2, 7:12])
    assert outcome.mean_rating() == pytest.approx(ratings[:, :10].mean())


def test_a_trial_is_the_same_every_time(sample_corpus: Path) -> None:
    """Equal numbers of each kind of reader, equal results in every call."""
    corpus = open_corpus(sample_corpus)
    one = trial(corpus, Population(corpus, "tuning"), PRESETS["person"], 2, 4)
    again = open_corpus(sample_corpus)
    two = trial(again, Population(again, "tuning"), PRESETS["person"], 2, 4)
    assert one.a_pref.tolist() == two.a_pref.tolist()
    assert [one.kinds.count(kind) for kind in set(one.kinds)] == [2] * len(set(one.kinds))
    assert one.a_pref.shape == (2 * len(set(one.kinds)), 4)


def test_an_unknown_half_is_refused(sample_corpus: Path) -> None:
    """There are two halves."""
    with pytest.raises(DataError, match="tuning, held-out"):
        Population(open_corpus(sample_corpus), "both")  # type: ignore[arg-type]


def test_the_report_goes_into_the_manifest_and_the_pages_read_it(sample_corpus: Path, tmp_path: Path) -> None:
    """The id stays, the preset and the curve come back as they were, and a changed byte is still found."""
    folder = tmp_path / "c"
    copytree(sample_corpus, folder)
    corpus = open_corpus(folder)
    assert report_of(corpus.manifest) is None
    assert settings_of(corpus.manifest) == PRESETS["person"]
    assert ratings_left(corpus.manifest, "omd", 3) is None
    preset = replace(PRESETS["person"], step_size=3.5)
    curve = [0.3, 0.5, 0.7, 0.79, 0.81, 0.8]
    annotate(folder, calibration.BLOCK, {"presets": {"omd": preset.to_dict()}, "held_out": {"omd": {"curve": curve}}})
    again = open_corpus(folder)
    assert again.id == corpus.id
    assert settings_of(again.manifest) == preset
    assert settings_of(again.manifest, "posterior") == PERSON["posterior"]
    assert settings_of(again.manifest, "static").learner == "static"
    assert [ratings_left(again.manifest, "omd", rated) for rated in (0, 2, 5, 30)] == [5, 3, 0, 0]
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text("utf-8").replace('"step_size": 3.5', '"step_size": 9.5'), "utf-8")
    with pytest.raises(CorpusError, match=r"manifest\.json"):
        open_corpus(folder)


def test_a_curve_that_never_gets_there_promises_nothing() -> None:
    """No number is shown where the typical reader is not found within the horizon."""
    report = {"calibration": {"held_out": {"omd": {"curve": [0.2, 0.5]}}, "presets": {}}}
    assert ratings_left(report, "omd", 0) is None
    assert ratings_left(report, "posterior", 0) is None


def test_a_small_calibration_reports_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`precompute.py --calibrate` leaves preset, marks by kind, sharpness 3 and drift in the manifest."""
    from prefer_core.encoders.embedders import EMBEDDERS

    monkeypatch.setitem(EMBEDDERS, "minilm", BagOfWords)
    monkeypatch.setattr(
        precompute, "calibrate", lambda corpus, tick: calibrate(corpus, candidates=4, each=1, tick=tick)
    )
    source = write_jsonl(tmp_path / "a.jsonl", made_reviews())
    out = tmp_path / "c"
    assert precompute.main(["--source", str(source), "--out", str(out), "--aspects", "3", "--calibrate"]) == 0
    printed = capsys.readouterr().out
    assert "calibrated in" in printed
    assert printed.splitlines()[-1].startswith("corpus: ")
    corpus = open_corpus(out)
    report = report_of(corpus.manifest)
    assert report is not None
    for learner in ("omd", "posterior"):
        assert SessionSettings.from_dict(report["presets"][learner]) == settings_of(corpus.manifest, learner)
        reached = report["held_out"][learner]
        assert len(reached["curve"]) == calibration.HORIZON
        assert reached["median"]["10"] == reached["curve"][9]
        assert set(reached["by_kind"]) <= set(KINDS)
        assert set(report["held_out_sharpness_3"][learner]) == set(reached)
        assert 0 <= report["drift"][learner]["within_15"] <= 1
    assert not set(report["products"]["tuning"]) & set(report["products"]["held-out"])
    assert json.loads(json.dumps(report)) == report


def test_another_fold_is_another_split_with_readers_of_its_own(sample_corpus: Path) -> None:
    """Its halves share nobody, together they are all products, and its readers and products differ from fold 0's."""
    corpus = open_corpus(sample_corpus)
    plain = [Population(corpus, half) for half in HALVES]
    dealt = [Population(corpus, half, 3) for half in HALVES]
    assert not set(dealt[0].products) & set(dealt[1].products)
    assert {*dealt[0].products, *dealt[1].products} == {*plain[0].products, *plain[1].products}
    assert set(dealt[0].products) != set(plain[0].products)
    for old, new in zip(plain, dealt, strict=True):
        assert new.reader("diffuse", 0).w.tolist() != old.reader("diffuse", 0).w.tolist()
        assert new.reader("diffuse", 5).w.tolist() == new.reader("diffuse", 5).w.tolist()
    with pytest.raises(DataError, match="found -1"):
        Population(corpus, "tuning", -1)
    one = trial(corpus, plain[1], PRESETS["person"], 1, 3)
    assert one.feedback.tolist() != trial(corpus, dealt[1], PRESETS["person"], 1, 3).feedback.tolist()


def made_report(**changes: float) -> dict[str, Any]:
    """Make a report that meets every target by a hair; `changes` replace single numbers."""
    at = {"median": 0.8, "tenth": 0.5, "single": 0.9, "two": 0.9, "diffuse": 0.85, "rating": 0.6, "within": 0.5}
    at |= changes
    kinds = {kind: {"10": at[kind]} for kind in ("single", "two", "diffuse")}
    held_out = {
        "omd": {"median": {"12": at["median"]}, "worst_tenth": {"12": at["tenth"]}, "mean_rating_1_to_10": 0.6},
        "posterior": {"by_kind": kinds, "mean_rating_1_to_10": at["rating"]},
    }
    return {"held_out": held_out, "drift": {"posterior": {"within_15": at["within"]}}}


def test_each_target_can_be_missed() -> None:
    """A report at the goals meets all seven; one number below its goal makes exactly one missed, and says so."""
    assert [target.met for target in targets(made_report())] == [True] * 7
    for name in ("median", "tenth", "single", "two", "diffuse", "rating", "within"):
        found = targets(made_report(**{name: 0.3}))
        assert [str(target).startswith("MISSED") for target in found].count(True) == 1, name
        assert ": 0.300, goal" in next(str(target) for target in found if not target.met)


def test_the_experiment_writes_a_fold_and_leaves_the_corpus_alone(
    sample_corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--experiment calibration` prints the targets of a split of its own; the manifest keeps its bytes."""
    monkeypatch.setattr(
        calibration, "calibrate", lambda corpus, fold: calibrate(corpus, candidates=4, each=1, fold=fold)
    )
    before = (sample_corpus / "manifest.json").read_bytes()
    arguments = ["--corpus", str(sample_corpus), "--experiment", "calibration", "--fold", "2", "--out", str(tmp_path)]
    assert main(arguments) == 0
    report = json.loads((tmp_path / "calibration.json").read_text("utf-8"))
    assert report["fold"] == 2
    assert report["products"]["held-out"] == list(Population(open_corpus(sample_corpus), "held-out", 2).products)
    printed = capsys.readouterr().out
    assert [line for line in printed.splitlines() if "goal" in line] == [str(target) for target in targets(report)]
    assert (sample_corpus / "manifest.json").read_bytes() == before
