"""Facts about stage mode, played through Streamlit's own test client."""

import os
import signal
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from prefer_core.config import WritingSettings
from prefer_core.rewriting import Evidence, Writer, write_template
from prefer_core.rewriting.prompts import INSTRUCT
from prefer_core.rewriting.worker import LlamaProcess
from prefer_core.store import Ledger
from prefer_core.ui import resources, stage
from tests.ui.conftest import ROOT
from tests.ui.test_pages import ledger, press, visible

PLAY, DRIFT, CROWD, VISITOR = 5, 7, 8, 9
"""Scenes of the default script."""


@pytest.fixture
def on_stage(app: Callable[[], AppTest]) -> Callable[..., AppTest]:
    """Return an opener of the stage at a scene."""

    def opened(scene: int = 1, present: str = "1", **query: str) -> AppTest:
        at = app()
        for name, value in ({"present": present, "scene": str(scene)} | query).items():
            at.query_params[name] = value
        return at.run()

    return opened


def show(at: AppTest) -> stage.Show:
    """Return the show of a tab."""
    return stage._shows()[name_of(at)]


def name_of(at: AppTest) -> str:
    """Return the name of a tab's show, as its address has it."""
    found = at.query_params["show"]
    return found if isinstance(found, str) else found[0]


def sessions(home: Path, at: AppTest) -> list[list[float]]:
    """Return the ratings of the show's sessions."""
    book: Ledger = ledger(home)
    return [[one.feedback for one in book.record_of(book.resume(token)).rated] for token in show(at).tokens.values()]


def button(at: AppTest, key: str) -> AppTest:
    """Press a button by its key, which ends in the show's version."""
    return found(at, key).click().run()


def found(at: AppTest, key: str) -> Button:
    """Return a button by its key."""
    return next(b for b in at.button if b.key is not None and b.key.startswith(f"{key}-"))


def test_each_scene_stands_alone_without_menu_or_settings(on_stage: Callable[..., AppTest]) -> None:
    """Next walks through all scenes and back; nothing is in the sidebar, notes stay off the screen until asked for."""
    at = on_stage()
    for scene in range(1, 10):
        assert not at.exception
        assert not at.error
        assert len(at.sidebar) == 0
        assert f"Scene {scene} of 9" in visible(at)
        assert "Everything runs on this computer" not in visible(at)
        at = button(at, "stage-next") if scene < 9 else at
    assert found(at, "stage-next").disabled
    at = button(at, "stage-back")
    assert "Scene 8 of 9" in visible(at)
    at = button(at, "stage-notes")
    assert "Phones need the network of this computer" in visible(at)


def test_a_press_that_is_told_twice_counts_once(on_stage: Callable[..., AppTest]) -> None:
    """A button acts on what it was drawn with alone, and every version of the screen has buttons of its own."""
    at = on_stage(4)
    old = found(at, "stage-next")
    at = button(at, "stage-next")
    assert found(at, "stage-next").key != old.key
    one = show(at)
    one.go(1, 9, one.version - 1)
    assert "Scene 5 of 9" in visible(at.run())
    one.go(1, 9, one.version)
    assert "Scene 6 of 9" in visible(at.run())


def test_the_speakers_window_has_the_notes_and_moves_the_screen(on_stage: Callable[..., AppTest]) -> None:
    """Both windows share one show."""
    screen = on_stage(4)
    name = name_of(screen)
    speaker = on_stage(1, "notes", show=name)
    assert "Let somebody from the audience choose the value" in visible(speaker)
    button(speaker, "stage-next")
    assert "Scene 5 of 9" in visible(screen.run())


def test_a_simulated_reader_plays_and_a_visitor_takes_over(
    on_stage: Callable[..., AppTest], private_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slider moves before it is rated; who takes over rates by hand; given back, the reader goes on."""
    clock = [1000.0]
    monkeypatch.setattr(stage.time, "monotonic", lambda: clock[0])

    def later(at: AppTest) -> AppTest:
        clock[0] += 10
        return at.run()

    at = on_stage(PLAY)
    before = at.slider[0].value
    at = later(at)
    said = at.slider[0].value
    assert (before, sessions(private_home, at)) == (50, [[]])
    at = later(at)
    assert sessions(private_home, at) == [[said / 100]]
    at = press(at, "Take over")
    at = later(later(at))
    assert len(sessions(private_home, at)[0]) == 1
    at.slider[0].set_value(7).run()
    at = press(at, "Rate")
    assert sessions(private_home, at) == [[said / 100, 0.07]]
    at = press(at, "Give back to the simulated reader")
    for _ in range(3):
        at = later(at)
    assert len(sessions(private_home, at)[0]) == 3
    book = ledger(private_home)
    [token] = show(at).tokens.values()
    assert book.resume(token).who == "stage"
    assert token not in str(dict(at.query_params))
    assert {row["who"] for row in book.export()} == {"stage"}


def test_a_drift_is_found_and_the_scene_ends(
    on_stage: Callable[..., AppTest], private_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After its last rating the scene stands still, and the new wish has the largest weight."""
    clock = [1000.0]
    monkeypatch.setattr(stage.time, "monotonic", lambda: clock[0])
    at = on_stage(DRIFT)
    for _ in range(3 * 20 + 4):
        clock[0] += 10
        at = at.run()
    assert not at.exception
    [rated] = sessions(private_home, at)
    assert len(rated) == 20
    book = ledger(private_home)
    session = book.resume(next(iter(show(at).tokens.values())))
    corpus = resources.corpus_of(session.corpus_id)
    assert corpus.labels[int(np.argmax(book.record_of(session).state.w))] == "Smell"
    assert "20 ratings. What is learned fits the hidden wish to" in visible(at)


def test_a_product_of_three_sentences_carries_a_show(
    three_sentences: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every scene of the default script is drawn, and a summary can be rated, again and again."""
    text = (stage._FOLDER / "default.toml").read_text("utf-8")
    (tmp_path / "tiny.toml").write_text(text.replace("[stage]", f'[stage]\nproduct = "{three_sentences}"'), "utf-8")
    monkeypatch.setenv("PREFER_STAGE", str(tmp_path / "tiny.toml"))
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.query_params["present"] = "1"
    at = at.run()
    for scene in range(1, 10):
        assert not at.exception
        assert not at.error, at.error[0].value
        assert f"Scene {scene} of 9" in visible(at)
        assert scene != 2 or "Nobody reads 3 reviews" in visible(at)
        for value in (90, 10, 60) if scene == 4 else ():
            at.slider[0].set_value(value).run()
            at = press(at, "Rate")
        at = button(at, "stage-next") if scene < 9 else at
    stage._crowd().close()


def test_a_session_erased_elsewhere_begins_anew(on_stage: Callable[..., AppTest], private_home: Path) -> None:
    """The scene goes on with an empty session, without an error."""
    at = on_stage(4)
    at.slider[0].set_value(90).run()
    at = press(at, "Rate")
    book = ledger(private_home)
    [token] = show(at).tokens.values()
    book.erase(book.resume(token))
    at = at.run()
    assert not at.exception
    assert not at.error
    assert sessions(private_home, at) == [[]]
    assert token not in show(at).tokens.values()


def test_the_next_visitor_is_greeted_and_nothing_is_left(on_stage: Callable[..., AppTest], private_home: Path) -> None:
    """A reset erases the visitor's rows and begins anew."""
    at = on_stage(VISITOR)
    at.slider[0].set_value(90).run()
    at = press(at, "Rate")
    assert sessions(private_home, at) == [[0.9]]
    at = press(at, "Next visitor")
    assert "Welcome! Erased: 1 rating of the visitor before you." in visible(at)
    assert sessions(private_home, at) == [[]]
    assert ledger(private_home).counts()["ratings"] == 0


def test_a_visitor_who_just_goes_is_erased_too(
    on_stage: Callable[..., AppTest], private_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told for 20 seconds, erased two minutes after the last touch; a touch in between keeps all; nothing, no reset."""
    clock = [1000.0]
    monkeypatch.setattr(stage.time, "monotonic", lambda: clock[0])

    def later(at: AppTest, seconds: float) -> AppTest:
        clock[0] += seconds
        return at.run()

    at = later(on_stage(VISITOR), 500)
    assert "Welcome" not in visible(at), "nobody was there"
    at.slider[0].set_value(90).run()
    at = press(at, "Rate")
    at = later(at, 110)
    assert "Still there? In 10 seconds all is erased for the next visitor." in visible(at)
    at.slider[0].set_value(20).run()
    at = later(at, 90)
    assert "Still there?" not in visible(at)
    assert sessions(private_home, at) == [[0.9]]
    at = later(at, 121)
    assert "Welcome! Erased: 1 rating of the visitor before you." in visible(at)
    assert sessions(private_home, at) == [[]]
    assert ledger(private_home).counts()["ratings"] == 0
    assert "Welcome" not in visible(later(at, 500))


def test_the_audience_teaches_the_next_summary(on_stage: Callable[..., AppTest], private_home: Path) -> None:
    """Ratings of phones show as mean and spread; the mean counts as one rating; elsewhere phones wait."""
    at = on_stage(CROWD)
    crowd = stage._crowd()
    assert crowd.port is not None
    now = crowd.now()
    for i, value in enumerate((80, 90, 100)):
        assert crowd.rate({"phone": f"phone{i:04d}", "round": now["round"], "value": value}) == 200
    at = at.run()
    assert "<b>3</b> rated this summary, 90 % on average" in visible(at)
    at = press(at, "Next summary")
    assert sessions(private_home, at) == [[0.9]]
    assert crowd.now()["round"] not in (None, now["round"])
    assert "<b>0</b> rated this summary" in visible(at)
    button(at, "stage-next")
    assert crowd.now() == {"round": None}
    crowd.close()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[[scenes]]\nkind = "words"\nhaeding = "a"\n', "The stage script, line 3: [scenes] has no setting 'haeding'"),
        ('[[scenes]]\nkind = "play"\nreader = "Taste"\n', "The stage script, line 3: sample has no aspect 'Taste'"),
        ('[[scenes]]\nkind = "words"\n[stage]\ncorpus = "mine"\n', "asks for the reviews 'mine'; there are sample"),
    ],
)  # fmt: skip
def test_a_script_that_does_not_fit_is_one_sentence(
    on_stage: Callable[..., AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str
) -> None:
    """The screen says what is wrong and how to mend it."""
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setenv("PREFER_STAGE", str(file))
    at = on_stage()
    assert not at.exception
    assert told in at.error[0].value


def test_a_script_is_found_by_name(on_stage: Callable[..., AppTest], private_home: Path) -> None:
    """One in PREFER_HOME comes first; a name leads nowhere else."""
    folder = private_home / "stage"
    folder.mkdir(parents=True)
    (folder / "short.toml").write_text('[[scenes]]\nkind = "words"\nheading = "Hello"\n', encoding="utf-8")
    at = on_stage(script="short")
    assert "Hello" in visible(at)
    assert "Scene 1 of 1" in visible(at)
    assert "There is no script '../short'" in on_stage(script="../short").error[0].value


class Sleeper(LlamaProcess):
    """A model in a process of its own that never answers."""

    def command(self) -> list[str]:
        """Return a child that passes its test and then sleeps."""
        return [sys.executable, "-c", textwrap.dedent("""
            import os, time
            from prefer_core.rewriting.worker import serve
            class Engine:
                def answers(self, request):
                    if request["prompt"] != "self-test":
                        time.sleep(120)
                    yield {"piece": "yes"}
            serve(Engine, {"prompt": "self-test"})
        """)]  # fmt: skip


def test_a_text_written_ahead_is_called_prepared(
    on_stage: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each kind of scene, when it is drawn first and again."""

    def found(evidence: Evidence) -> SimpleNamespace:
        text = replace(write_template(evidence), paragraph_source="model", sources=(), writer="Small model")
        return SimpleNamespace(
            state="done", finished=True, cached=True, error=None, summary=text, seconds_first=0.0, seconds_last=0.0
        )

    writer = SimpleNamespace(name="Small model", submit=found)
    monkeypatch.setattr(resources, "writer", lambda: writer)
    for scene in (3, 4, PLAY, 6, CROWD, VISITOR):
        at = on_stage(scene)
        for _ in range(2):
            assert "<b>Prepared</b>, by Small model, checked against the reviews." in visible(at), scene
            at = at.run()


def test_a_model_killed_in_the_middle_of_a_scene_costs_nothing(
    on_stage: Callable[..., AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text by rule stands, before and after `kill -9`; the page says who was writing and what happened."""
    backend = Sleeper(tmp_path / "m.gguf", WritingSettings(start_timeout=60), name="Small model")
    # One that follows instructions is asked for every text; a base model only where claims can be joined.
    writer = Writer(lambda: backend, None, WritingSettings(), name="Small model", style=INSTRUCT)
    monkeypatch.setattr(resources, "writer", lambda: writer)
    at = on_stage(4)
    text = next(h.proto.body for h in at.get("html") if "s-said" in h.proto.body)
    assert "By rule</b>, in reviewers’ own words. Small model is writing." in visible(at)
    deadline = time.monotonic() + 60
    while backend.pid is None or backend._line is None or backend._number == 0:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.kill(backend.pid, signal.SIGKILL)
    spent = time.process_time()
    at = at.run()
    assert time.process_time() - spent < 1
    while "is writing" in visible(at):
        assert time.monotonic() < deadline
        at = at.run()
    assert not at.exception
    assert text in visible(at)
    assert "without a model. Small model was ended by signal SIGKILL" in visible(at)
    at.slider[0].set_value(90).run()
    assert not press(at, "Rate").exception
    writer.close()


def test_another_page_is_large_and_has_no_menu(app: Callable[[], AppTest]) -> None:
    """`?present=1` on any page leaves the sidebar empty."""
    at = app().run()
    assert len(at.sidebar) > 0
    at.query_params["present"] = "1"
    at = at.switch_page("pages/3_Aspect_space.py").run()
    assert not at.exception
    assert len(at.sidebar) == 0
