"""Facts about the study page: shut to strangers, and a participant sees a study and nothing else."""

import csv
import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from sqlalchemy import text
from streamlit.testing.v1 import AppTest

from prefer_core.corpus import Corpus
from prefer_core.store import StudyBook
from prefer_core.study.definition import parse
from prefer_core.study.export import bundle
from prefer_core.study.texts import texts
from prefer_core.ui import study_desk
from tests.ui.parts import bars

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
def page(
    small: Corpus, packages_read_once: None, monkeypatch: pytest.MonkeyPatch, private_home: Path
) -> Iterator[Callable[..., AppTest]]:
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


def token_of(at: AppTest) -> str:
    """Return the token of the personal link in the address."""
    token = at.query_params["p"]
    return token[0] if isinstance(token, list) else token


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
    assert len(at.slider) == 2
    assert at.slider[0].value != 50 or at.slider[1].value != 50
    token = token_of(at)
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
    assert [one.feedback for one in book.record(book.participant(token)).placed] == [0.9, 0.2]


def test_a_link_that_is_none_is_told(page: Callable[..., AppTest]) -> None:
    """In one sentence, without anything else; an e-mail address is no code."""
    assert "not known here" in page(p="guess").error[0].value
    assert "no study under this link" in page(join="guess").error[0].value


def test_a_full_study_says_so_before_anybody_agrees(page: Callable[..., AppTest], small: Corpus) -> None:
    """Who comes last by the link for all reads that there is no place, and is asked for nothing."""
    keep(page, written(small, "participants = 1"))
    press(page(join="tiny"), "I agree and take part")
    at = page(join="tiny")
    assert "All places of this study are taken" in at.error[0].value
    assert not at.button


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
    assert len(bars(at)) == small.n_aspects
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


def test_counts_and_receipts_are_in_the_studys_language(page: Callable[..., AppTest], small: Corpus) -> None:
    """Around the summary's own sentences nothing is English: counts, where a review comes from, what a rating did."""
    one_arm = written(small, 'language = "de"', rounds=2).replace('"pairs"', '"between"')
    generic = '[[arms]]\nname = "arm-generic"\nlearner = "static"\n'
    shows = 'name = "arm-learns"\nshows = ["preferences", "receipt"]'
    keep(page, one_arm.replace(generic, "").replace('name = "arm-learns"', shows))
    at = press(page(join="tiny"), "Ich bin einverstanden und nehme teil")
    at.slider[0].set_value(97)
    at = press(at.run(), "Absenden")
    drawn = "".join(html.proto.body for html in at.get("html"))
    english, german = texts("en"), texts("de")
    footers = [part.split("</footer>")[0] for part in drawn.split("<footer>")[1:]]
    assert footers
    for footer in footers:
        assert english["verified"] not in footer.split(" \u00b7 ")
    assert german["verified"] in drawn
    receipt = next(line.value for line in at.text if "Vorlieben" in line.value or "bewertet" in line.value)
    assert "rated" not in receipt


def stored_database(home: Path) -> Path:
    """Return the file in which the app keeps the studies."""
    return home.resolve() / "ledger.db"


def test_a_rating_that_the_database_refuses_stays_on_the_screen(
    page: Callable[..., AppTest], small: Corpus, private_home: Path
) -> None:
    """It goes away in mid-write: the page says so, both sliders stand where they were, and sending again is enough."""
    keep(page, written(small))
    at = press(page(join="tiny"), "I agree and take part")
    at.slider[0].set_value(90)
    at.slider[1].set_value(20)
    at = at.run()
    book = StudyBook(f"sqlite:///{stored_database(private_home)}")
    with book._write() as connection:
        broken = "CREATE TRIGGER away BEFORE INSERT ON ratings BEGIN SELECT RAISE(ABORT, 'gone'); END"
        connection.execute(text(broken))
    at = press(at, "Send")
    assert at.warning[0].value == texts("en")["not_kept"]
    assert [slider.value for slider in at.slider] == [90, 20]
    with book._write() as connection:
        connection.execute(text("DROP TRIGGER away"))
    at = press(at, "Send")
    assert at.code[0].value == "C-77"
    [record] = book.records(book.study("tiny"))
    assert [one.feedback for one in record.placed] == [0.9, 0.2]


def test_a_page_that_cannot_be_drawn_keeps_what_was_entered(
    page: Callable[..., AppTest], small: Corpus, private_home: Path
) -> None:
    """While the database is away the page says so in its language; once it is back, sliders stand where they were."""
    keep(page, written(small, 'language = "de"'))
    at = press(page(join="tiny"), "Ich bin einverstanden und nehme teil")
    at.slider[0].set_value(90)
    at.slider[1].set_value(20)
    at = at.run()
    database = stored_database(private_home)
    away = database.rename(database.with_suffix(".away"))
    at = press(at, "Absenden")
    assert at.error[0].value == texts("de")["not_read"]
    assert not at.slider
    away.replace(database)
    at = press(at, "Noch einmal versuchen")
    assert not at.error
    assert [slider.value for slider in at.slider] == [90, 20]
    at = press(at, "Absenden")
    assert at.code[0].value == "C-77"


def test_a_link_that_is_open_twice_goes_on_in_one_tab(page: Callable[..., AppTest], small: Corpus) -> None:
    """The earlier tab is told and can take over, its sliders as they were moved; at the end the link shows the end."""
    keep(page, written(small))
    first = press(page(join="tiny"), "I agree and take part")
    token = token_of(first)
    first.slider[0].set_value(90)
    first = first.run()
    second = page(p=token)
    assert [slider.value for slider in second.slider] != [90, first.slider[1].value]
    first.slider[1].set_value(20)
    first = first.run()
    assert "another tab" in first.info[0].value
    assert not first.slider
    first = press(first, "Go on here")
    assert [slider.value for slider in first.slider] == [90, 20]
    assert "another tab" in second.run().info[0].value
    first = press(first, "Send")
    assert first.code[0].value == "C-77"
    assert page(p=token).code[0].value == "C-77"


def test_too_few_products_are_told_on_the_page(page: Callable[..., AppTest], small: Corpus) -> None:
    """With how many the design needs, before anything is kept."""
    at = page()
    at.text_area[0].set_value(written(small, rounds=30))
    at = press(at, "Keep")
    assert "needs 30 products for each participant and there are 8" in at.error[0].value


def test_emoji_right_to_left_and_a_formula_come_through_the_page(
    page: Callable[..., AppTest], small: Corpus, private_home: Path
) -> None:
    """What is typed into a free answer is in the export as it was, but no formula in CSV."""
    said = "=1+1 \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \U0001f469\u200d\U0001f52c\x00 end"
    asked = '\n[[after]]\nname = "remarks"\ntext = "Anything?"\nkind = "text"\n'
    keep(page, written(small) + asked)
    at = press(page(join="tiny"), "I agree and take part")
    at.slider[0].set_value(90)
    at.slider[1].set_value(20)
    at = press(at.run(), "Send")
    at.text_area[0].set_value(said)
    at = press(at, "Go on")
    assert at.code[0].value == "C-77"
    book = StudyBook(f"sqlite:///{stored_database(private_home)}")
    stored = book.study("tiny")
    with zipfile.ZipFile(io.BytesIO(bundle(book, parse(stored.definition), stored, small))) as archive:
        [row] = csv.DictReader(io.StringIO(archive.read("wide.csv").decode("utf-8-sig")))
    assert row["remarks"] == "'" + said.replace("\x00", "")
