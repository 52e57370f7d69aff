"""Facts about the calibration: what is searched, what is reported, and what the pages read from it."""

import json
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

import precompute
from prefer_core.config import PERSON, PRESETS, SessionSettings
from prefer_core.corpus import annotate, open_corpus
from prefer_core.errors import CorpusError, DataError
from prefer_core.evaluation import calibration
from prefer_core.evaluation.calibration import Outcome, calibrate, ratings_left, report_of, settings_of, trial
from prefer_core.evaluation.population import KINDS, Population
from tests.data.made import BagOfWords, made_reviews, write_jsonl


def test_outcomes_are_medians_and_tenths() -> None:
    """Median, worst tenth and mean rating against numpy, over all readers and by kind."""
    rng = np.random.default_rng(0)
    a_pref, ratings = rng.uniform(size=(8, 12)), rng.uniform(size=(8, 12))
    outcome = Outcome(("single", "two") * 4, a_pref, ratings)
    assert outcome.median(10) == np.median(a_pref[:, 9])
    assert outcome.median(3, "two") == np.median(a_pref[1::2, 2])
    assert outcome.worst_tenth(12) == np.quantile(a_pref[:, 11], 0.1)
    assert outcome.mean_rating() == pytest.approx(ratings[:, :10].mean())


def test_a_trial_is_the_same_every_time(sample_corpus: Path) -> None:
    """Equal numbers of each kind of reader, equal results in every call."""
    corpus = open_corpus(sample_corpus)
    one = trial(corpus, "tuning", PRESETS["person"], 2, 4)
    two = trial(open_corpus(sample_corpus), "tuning", PRESETS["person"], 2, 4)
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
    from prefer_core.aspects.embedders import EMBEDDERS

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
