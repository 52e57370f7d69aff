"""Facts about the study page: shut to strangers, and a participant sees a study and nothing else."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from prefer_core.corpus import Corpus
from prefer_core.store import StudyBook
from prefer_core.ui import study_desk

ROOT = Path(__file__).resolve().parents[2]
DEFINITION = """
[study]
name = "tiny"
title = "Costs $5 and *more*"
corpus = "{corpus}"
design = "pairs"
rounds = {rounds}
consent = "Do you agree?"
practice = false
completion_code = "C-77"
{more}

[[arms]]
name = "arm-learns"

[[arms]]
name = "arm-generic"
learner = "static"

[quality]
repeats = 0
"""


@pytest.fixture
def page(small: Corpus, monkeypatch: pytest.MonkeyPatch, private_home: Path) -> Iterator[Callable[..., AppTest]]:
    """Return an opener of the study page with a query, as from this machine or another."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PREFER_CORPUS", str(small.path))
    monkeypatch.setenv("PREFER_MODEL", "none")
    st.cache_resource.clear()

    def open_page(local: bool = True, **query: str) -> AppTest:
        monkeypatch.setattr(study_desk, "_on_this_machine", lambda: local)
        at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run().switch_page("pages/7_Study.py")
        for name, value in query.items():
            at.query_params[name] = value
        return at.run()

    yield open_page
    st.cache_resource.clear()


def written(corpus: Corpus, more: str = "", rounds: int = 1) -> str:
    """Return a definition on a corpus."""
    return DEFINITION.format(corpus=corpus.id, more=more, rounds=rounds)


def keep(page: Callable[..., AppTest], definition: str) -> None:
    """Keep a definition, as the researcher does."""
    at = page()
    at.text_area[0].set_value(definition)
    assert not press(at, "Keep").error


def press(at: AppTest, label: str) -> AppTest:
    """Press a button by its label."""
    at = next(button for button in at.button if button.label == label).click().run()
    assert not at.exception
    return at


def test_without_a_password_the_desk_opens_on_this_machine_only(page: Callable[..., AppTest]) -> None:
    """From elsewhere the page says how to open it, and shows nothing else."""
    at = page(local=False)
    assert "opens from other machines with a password only" in at.info[0].value
    assert not at.button
    assert {button.label for button in page().button} == {"Check", "Keep"}


def test_with_a_password_the_desk_asks_for_it(page: Callable[..., AppTest]) -> None:
    """A wrong one is refused; the right one opens, also from elsewhere."""
    at = page(local=False)
    at.secrets["study_password"] = "fig"
    at = at.run()
    assert [button.label for button in at.button] == ["Open"]
    at.text_input[0].set_value("date")
    at = press(at, "Open")
    assert "not the password" in at.error[0].value
    at.text_input[0].set_value("fig")
    assert "Keep" in {button.label for button in press(at, "Open").button}


def test_a_mistake_in_a_definition_is_told_on_the_page(page: Callable[..., AppTest], small: Corpus) -> None:
    """With its line, and nothing is kept."""
    at = page()
    at.text_area[0].set_value(written(small).replace("rounds", "ronds"))
    at = press(at, "Keep")
    assert "line 7: [study] has no setting 'ronds'; did you mean 'rounds'?" in at.error[0].value


def test_a_participant_sees_a_study_and_nothing_else(
    page: Callable[..., AppTest], small: Corpus, private_home: Path
) -> None:
    """Two blind summaries, sliders that must be moved, the code, and the names after the vote only."""
    keep(page, written(small, 'reveal = "end"'))
    at = page(join="tiny")
    assert not at.sidebar.children
    at = press(at, "I agree and take part")
    token = at.query_params["p"]
    assert len(at.slider) == 2
    assert at.slider[0].value != 50 or at.slider[1].value != 50
    send = next(button for button in at.button if button.label == "Send")
    assert send.disabled
    seen = str(at.main) + str([html.proto for html in at.get("html")])
    assert "arm-" not in seen
    assert "omd" not in seen
    at.slider[0].set_value(90)
    at = at.run()
    at.slider[1].set_value(20)
    at = press(at.run(), "Send")
    assert at.code[0].value == "C-77"
    assert "arm-learns" in at.text[-1].value
    book = StudyBook(f"sqlite:///{private_home.resolve() / 'ledger.db'}")
    assert [
        one.feedback for one in book.record(book.participant(token[0] if isinstance(token, list) else token)).placed
    ] == [0.9, 0.2]


def test_a_link_that_is_none_is_told(page: Callable[..., AppTest]) -> None:
    """In one sentence, without anything else; an e-mail address is no code."""
    assert "not known here" in page(p="guess").error[0].value
    assert "no study under this link" in page(join="guess").error[0].value


def test_other_pages_lead_back_while_somebody_takes_part(page: Callable[..., AppTest], small: Corpus) -> None:
    """Every page typed into the browser shows the open step again, until the end; arm names are never told."""
    keep(page, written(small))
    at = press(page(join="tiny"), "I agree and take part")
    for other in ("app.py", "pages/1_Rate_summaries.py", "pages/8_System.py", "pages/7_Study.py"):
        at.switch_page(other)
        del at.query_params["p"]
        at = at.run()
        assert len(at.slider) == 2, other
        assert "Other pages open again" in at.warning[0].value
        assert not at.sidebar.children
    for slider in at.slider:
        slider.set_value(40)
    at = press(at.run(), "Send")
    assert at.code[0].value == "C-77"
    assert "arm-" not in str(at.main)
    at.switch_page("pages/8_System.py")
    assert "System" in at.run().markdown[0].value


def test_an_arm_may_show_what_was_learned_and_the_other_pages(page: Callable[..., AppTest], small: Corpus) -> None:
    """With it come the bars, after a rating the sentence on it, and the menu; other pages stay open."""
    shown = 'name = "arm-learns"\nshows = ["preferences", "receipt", "pages"]'
    other = '[[arms]]\nname = "arm-generic"\nlearner = "static"\n'
    one_arm = written(small, rounds=2).replace('"pairs"', '"between"').replace(other, "")
    keep(page, one_arm.replace('name = "arm-learns"', shown))
    at = press(page(join="tiny"), "I agree and take part")
    assert len(at.get("plotly_chart")) == 1
    assert len(at.sidebar.get("page_link")) > 5
    at.slider[0].set_value(90)
    at = press(at.run(), "Send")
    assert any("%" in text.value or "point" in text.value for text in at.text)
    at.switch_page("pages/8_System.py")
    assert "System" in at.run().markdown[0].value


def test_the_texts_around_a_study_are_in_its_language(page: Callable[..., AppTest], small: Corpus) -> None:
    """Buttons, questions' ends and refusals are German where the definition says so."""
    keep(page, written(small, 'language = "de"'))
    at = press(page(join="tiny"), "Ich bin einverstanden und nehme teil")
    assert {"Absenden", "Von dieser Studie zurücktreten"} <= {button.label for button in at.button}
    assert at.slider[0].label == "Wie nützlich ist diese Zusammenfassung für Sie?"
    assert "E-Mail-Adresse" in page(join="tiny", code="anna@example.org").error[0].value
