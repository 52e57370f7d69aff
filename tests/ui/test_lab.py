"""Facts about the learning lab, played through Streamlit's own test client."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import NumberInput

from prefer_core.corpus import annotate
from prefer_core.insight.calibrated import BLOCK
from prefer_core.learning import Posterior
from prefer_core.store import Ledger
from tests.ui.parts import bars, glides

LAB = "pages/4_Learning_lab.py"


def lab(app: Callable[[], AppTest]) -> AppTest:
    """Open the lab and set a short run."""
    at = app().run().switch_page(LAB).run()
    assert not at.exception
    number(at, "Ratings").set_value(4)
    number(at, "Seeds").set_value(2)
    return at.run()


def number(at: AppTest, label: str) -> NumberInput:
    """Find a number input."""
    return next(n for n in at.number_input if n.label == label)


def press(at: AppTest, label: str) -> AppTest:
    """Press a button by its label."""
    return next(b for b in at.button if b.label == label).click().run()


def finish(at: AppTest) -> AppTest:
    """Go on until the run is done, as the page's own timer does."""
    for _ in range(40):
        if not at.session_state["lab-job"].running:
            return at.run()
        at.run()
    raise AssertionError("the run never ends")


def test_a_run_plays_both_learners_and_draws_what_the_session_did(app: Callable[[], AppTest]) -> None:
    """Two learners, two seeds, four ratings: sixteen rows, a table of both, all figures, and downloads."""
    at = finish(press(lab(app), "Run"))
    assert not at.exception
    assert not at.error
    job = at.session_state["lab-job"]
    assert len(job.rows) == 16
    assert {row["learner"] for row in job.rows} == {"omd", "posterior"}
    shown = next(table.value for table in at.dataframe if "seeds" in table.value)
    assert list(shown["seeds"]) == [2, 2, 2, 2]
    assert list(shown["variant"]) == ["OMD · Gumbel"] * 2 + ["posterior · Gumbel"] * 2
    for line, (learner, column) in enumerate(product(("omd", "posterior"), ("a_pref", "a_evid"))):
        by_hand = np.median([r[column] for r in job.rows if r["learner"] == learner and r["t"] == 3])
        assert shown["after 3"][line] == round(float(by_hand), 2)
    assert [row["learner"] for row in job.rows[:4]] == ["omd", "posterior"] * 2, "learners go in step"
    drawn = [one for one in glides(at) if "panels" in one]
    assert [len(one["panels"]) for one in drawn] == [1, 1, 1, 1, 2, 1], "weights of each, regret of OMD alone"
    assert {one["rounds"] for one in drawn} == {4}
    for curve, learner in zip(drawn[0]["panels"][0]["series"], ("omd", "posterior"), strict=True):
        known = np.array([[r["a_pref"] for r in job.rows if (r["learner"], r["seed"]) == (learner, s)] for s in (0, 1)])
        assert curve["middle"] == pytest.approx(known.mean(axis=0), abs=1e-5)
        assert curve["upper"] == pytest.approx(np.minimum(known.mean(axis=0) + known.std(axis=0), 1), abs=1e-5)
    assert any(b.label == "Replay" for b in at.button)
    promised = next(table.value for table in at.dataframe if "average regret" in table.value)
    assert len(promised) == 1
    own = [r for r in job.rows if r["learner"] == "omd" and r["seed"] == 0]
    assert promised["average regret"][0] == float(f"{own[-1]['avg_regret']:.3g}")


def test_stop_keeps_what_was_played(app: Callable[[], AppTest]) -> None:
    """After Stop nothing more is played, and the rows so far stay."""
    at = lab(app)
    number(at, "Ratings").set_value(400)
    number(at, "Seeds").set_value(20)
    at = press(press(at.run(), "Run"), "Stop")
    job = at.session_state["lab-job"]
    played = len(job.rows)
    assert 0 < played < job.total
    at.run()
    assert len(job.rows) == played
    assert not at.exception


def test_a_replayed_run_is_a_visitor_with_the_same_preference(app: Callable[[], AppTest], private_home: Path) -> None:
    """The ledger's session has the run's ratings, and its replayed w equals the lab's bit for bit."""
    at = finish(press(lab(app), "Run"))
    job = at.session_state["lab-job"]
    at = press(at, "Replay")
    assert not at.exception
    book = Ledger(f"sqlite:///{private_home / 'ledger.db'}")
    token = at.session_state["reader"]
    session = book.resume(token)
    own = [r for r in job.rows if r["variant"] == job.runs[0].variant and r["seed"] == job.runs[0].seed]
    assert [r.feedback for r in book.record_of(session).rated] == [r["feedback"] for r in own]
    assert book.record_of(session).state.w.tolist() == own[-1]["w"].tolist()
    assert {row["who"] for row in book.export()} == {"replay"}


def test_every_kind_of_reader_can_be_chosen_and_nothing_wanted_is_told(app: Callable[[], AppTest]) -> None:
    """Each kind draws its inputs without an error; sliders at zero give one sentence."""
    at = lab(app)
    box = next(s for s in at.selectbox if s.label == "Simulated reader")
    for kind in box.options:
        at = next(s for s in at.selectbox if s.label == "Simulated reader").set_value(kind).run()
        assert not at.exception, kind
        assert not at.error, kind
    at = next(s for s in at.selectbox if s.label == "Simulated reader").set_value("sliders").run()
    at.slider[0].set_value(0)
    at = at.run()
    assert not at.exception
    assert "must want something" in at.error[0].value


def test_no_learner_is_told_in_one_sentence(app: Callable[[], AppTest]) -> None:
    """An empty choice never starts a run."""
    at = lab(app)
    at.multiselect[0].set_value([])
    at = press(at.run(), "Run")
    assert not at.exception
    assert "at least one learner" in at.error[0].value


def test_what_calibration_found_is_shown_where_it_was_done(
    app: Callable[[], AppTest], sample_corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a report the page says how to make one; with it every learner and kind has its line."""
    at = app().run().switch_page(LAB).run()
    assert any("--calibrate" in str(c.value) for c in at.caption)
    folder = tmp_path / "calibrated"
    copytree(sample_corpus, folder)
    found = {
        "median": {"3": 0.5, "10": 0.81},
        "by_kind": {"single": {"10": 0.97}, "persona": {"10": 0.7}},
        "curve": [0.5],
    }
    drift = {"omd": {"median_ratings": None}, "posterior": {"median_ratings": 4.0}}
    held_out = {"omd": found, "posterior": found}
    annotate(folder, BLOCK, {"presets": {}, "held_out": held_out, "drift": drift, "readers of each kind": 40})
    monkeypatch.setenv("PREFER_CORPUS", str(folder))
    at = app().run().switch_page(LAB).run()
    assert not at.exception
    table = at.dataframe[0].value
    assert list(table["reader"]) == ["all", "one aspect", "real reviewer"] * 2
    assert list(table.columns) == ["learner", "reader", "after 3", "after 10"]
    assert list(table["after 10"]) == [0.81, 0.97, 0.7] * 2
    assert any("OMD does not get there, posterior 4." in str(c.value) for c in at.caption)


def test_starting_over_keeps_the_learner_and_forgets_the_rest(app: Callable[[], AppTest], private_home: Path) -> None:
    """The plain offer after the alarm: a new session of the same learner, no rating, the uniform preference."""
    at = press(app().run(), "Start as a visitor").switch_page("pages/1_Rate_summaries.py").run()
    for value in (51, 60, 70, 80, 85, 90, 90, 90, 90, 90, 10, 10, 10):
        at.slider[0].set_value(value).run()
        at = press(at, "Rate")
    old = at.session_state["reader"]
    at = press(at, "Start over")
    assert not at.exception
    book = Ledger(f"sqlite:///{private_home / 'ledger.db'}")
    fresh = book.resume(at.session_state["reader"])
    assert at.session_state["reader"] != old
    assert fresh.settings.learner == "omd"
    assert book.record_of(fresh).rated == ()
    w = book.record_of(fresh).state.w
    assert w.tolist() == [1 / len(w)] * len(w)
    assert len(book.record_of(book.resume(old)).rated) == 13


def test_falling_ratings_bring_one_quiet_question(app: Callable[[], AppTest], private_home: Path) -> None:
    """After ten good and three bad ratings the page asks; the faster learner is one click away and starts at none."""
    at = press(app().run(), "Start as a visitor").switch_page("pages/1_Rate_summaries.py").run()
    for value in (51, 60, 70, 80, 85, 90, 90, 90, 90, 90):
        at.slider[0].set_value(value).run()
        at = press(at, "Rate")
    assert not any(b.label == "Start over, learn faster" for b in at.button)
    for value in (10, 10, 10):
        at.slider[0].set_value(value).run()
        at = press(at, "Rate")
    assert any("looking for something else" in str(c.value) for c in at.caption)
    at = press(at, "Start over, learn faster")
    assert not at.exception
    session = Ledger(f"sqlite:///{private_home / 'ledger.db'}").resume(at.session_state["reader"])
    assert session.settings.learner == "posterior"
    at.slider[0].set_value(90).run()
    at = press(at, "Rate")
    assert not at.exception
    at = at.switch_page("pages/8_System.py").run()
    assert not at.exception
    assert len(at.get("download_button")) == 2


def test_the_posterior_shows_how_sure_it_is_and_how_long_it_takes(
    app: Callable[[], AppTest], private_home: Path, sample_corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bars get the posterior's own intervals; a calibrated corpus says about how many more ratings are needed."""
    folder = tmp_path / "calibrated"
    copytree(sample_corpus, folder)
    held_out = {name: {"curve": [0.5, 0.6, 0.7, 0.95]} for name in ("omd", "posterior")}
    annotate(folder, BLOCK, {"presets": {}, "held_out": held_out})
    monkeypatch.setenv("PREFER_CORPUS", str(folder))
    at = press(app().run(), "Start as a visitor").switch_page("pages/1_Rate_summaries.py").run()
    assert any("about 4 more ratings" in str(m.value) for m in at.markdown)
    assert not any("90 %" in str(c.value) for c in at.caption)
    for value in (51, 60, 70, 80, 85, 90, 90, 90, 90, 90, 10, 10, 10):
        at.slider[0].set_value(value).run()
        at = press(at, "Rate")
    at = press(at, "Start over, learn faster")
    assert not at.exception
    assert any("90 % probability" in str(c.value) for c in at.caption)
    book = Ledger(f"sqlite:///{private_home / 'ledger.db'}")
    session = book.resume(at.session_state["reader"])
    low, high = Posterior(prior_scale=session.settings.prior_scale).intervals(book.record_of(session).state)
    np.testing.assert_allclose([row["low"] for row in bars(at)], low)
    np.testing.assert_allclose([row["high"] for row in bars(at)], high)
