"""Facts about given names on the pages: they are labels everywhere, and nothing else changes."""

import base64
import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from prefer_core.aspects.names import HIDDEN, NameBook
from prefer_core.corpus import Corpus, open_corpus
from prefer_core.figures.theme import HIDDEN_INK, colour
from prefer_core.store import Ledger
from tests.ui.parts import bars

RATE = "pages/1_Rate_summaries.py"


@pytest.fixture
def corpus(sample_corpus: Path) -> Corpus:
    return open_corpus(sample_corpus)


@pytest.fixture
def book(corpus: Corpus) -> NameBook:
    return NameBook(corpus.id, corpus.labels)


def press(at: AppTest, label: str) -> AppTest:
    """Press a button by its label."""
    return next(b for b in at.button if b.label == label).click().run()


def numbers(values: Any) -> np.ndarray:
    """Return an axis of a figure, packed or plain."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])
    return np.array(values)


def markup(at: AppTest) -> str:
    """Everything drawn as HTML."""
    return "".join(element.proto.body for element in at.get("html"))


def test_names_given_in_mid_session_change_names_only(
    app: Callable[[], AppTest], private_home: Path, corpus: Corpus, book: NameBook
) -> None:
    """Rename, merge and hide between two ratings: bars are sums of the stored w, which replays bit for bit."""
    at = press(app().run(), "Start as a visitor").switch_page(RATE).run()
    at.slider[0].set_value(90).run()
    at = press(at, "Rate")
    ledger = Ledger(f"sqlite:///{private_home / 'ledger.db'}")
    session = ledger.resume(at.session_state["reader"])
    before = ledger.record_of(session).rated
    np.testing.assert_allclose([row["now"] for row in bars(at)], before[-1].w_after)
    opened = ledger.record_of(session).opened

    book.add("rename", [1], "Pot & lid")
    book.add("merge", [0, 3, 4], "Senses")
    view = book.add("hide", [5])
    at = at.run()
    assert not at.exception
    assert not at.error
    again = ledger.record_of(session).opened
    assert again is not None
    assert opened is not None
    assert (again.number, again.evidence) == (opened.number, opened.evidence)
    for name in ("w", "w_used", "z", "alpha", "propensities"):
        np.testing.assert_array_equal(getattr(again, name), getattr(opened, name))
    names, inks, now = ([row[part] for row in bars(at)] for part in ("label", "colour", "now"))
    assert names == list(view.names)
    assert names[:2] == ["Senses", "Pot & lid"]
    assert names[-1] == HIDDEN
    w = before[-1].w_after
    np.testing.assert_allclose(now[0], w[0] + w[3] + w[4])
    np.testing.assert_allclose(now[-1], w[5])
    assert inks == [colour(0), colour(1), colour(2), colour(6), colour(7), HIDDEN_INK, HIDDEN_INK]
    drawn = markup(at)
    cards = drawn[drawn.index('class="p-cards"') :]
    for piece in opened.evidence:
        assert view.row(piece.aspect).label.replace("&", "&amp;") in cards
    assert not any(f">{corpus.labels[k]}<" in drawn for k in (0, 1, 3, 4, 5))

    at.slider[0].set_value(20).run()
    at = press(at, "Rate")
    assert not at.exception
    after = ledger.record_of(session).rated
    assert len(after[-1].w_after) == corpus.n_aspects
    np.testing.assert_array_equal(after[0].w_after, before[0].w_after)
    np.testing.assert_array_equal(ledger.record_of(session).state.w, after[-1].w_after)


def test_the_comparison_and_its_files_use_given_names(
    app: Callable[[], AppTest], corpus: Corpus, book: NameBook
) -> None:
    """A profile of one aspect is titled by the name given, in the heat map the merged aspects are one column."""
    book.add("rename", [0], "Lather")
    view = book.add("merge", [1, 2], "Use")
    at = app().run()
    at.query_params["profile"] = ["theme-0", "theme-2", "even"]
    at = at.switch_page("pages/2_Compare_profiles.py").run()
    assert not at.exception
    assert not at.warning
    assert "A · Lather<" in markup(at)
    assert f"B · Use: {corpus.labels[2]}<" in markup(at)
    shown = at.segmented_control[0].set_value("Aspects and stars").run()
    table = markup(shown)[markup(shown).index('<table class="p-heat') :]
    assert all(f"</span>{name}</th>" in table for name in view.names)
    wanted = table[table.index("B · Use") :]
    assert wanted[: wanted.index("</tr>")].count('style="--v:100%"') == 1
    book.add("rename", [0], "Foam")
    at = at.segmented_control[0].set_value("Summaries").run()
    assert not at.exception
    assert "A · Foam<" in markup(at)


def test_the_corpus_page_folds_what_is_stored(app: Callable[[], AppTest], corpus: Corpus, book: NameBook) -> None:
    """Group bars of the reviewers' section hold the sums of the stored tastes."""
    view = book.add("merge", [0, 4], "Nose and foam")
    at = app().run().switch_page("pages/6_Corpus.py").run()
    at = at.segmented_control[0].set_value("Reviewers").run()
    assert not at.exception
    stored = [g for g in corpus.diagnostics()["heterogeneity"]["groups"] if g["profile"]]
    drawn = [json.loads(c.proto.spec) for c in at.get("plotly_chart")][-len(stored) :]
    for figure, group in zip(drawn, stored, strict=True):
        np.testing.assert_allclose(numbers(figure["data"][0]["x"]), 100 * view.fold(np.array(group["profile"])))
        assert figure["layout"]["yaxis"]["ticktext"] == list(view.names)


def test_a_damaged_file_costs_the_names_and_one_sentence(app: Callable[[], AppTest], book: NameBook) -> None:
    """Pages go on with the names of the build, and say where the file lies."""
    book.add("rename", [0], "Lather")
    book.path.write_text("{")
    at = app().run().switch_page("pages/2_Compare_profiles.py").run()
    assert not at.exception
    assert "is damaged, so the names from the build are shown" in at.warning[0].value
    assert "Lather" not in markup(at)


def test_the_ledgers_export_says_both_names(
    app: Callable[[], AppTest], corpus: Corpus, book: NameBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row of the CSV tells, beside the w of the built aspects, what each was called by the build and by people."""
    book.add("rename", [0], "Lather")
    at = press(app().run(), "Start as a visitor").switch_page(RATE).run()
    made: dict[str, Any] = {}
    monkeypatch.setattr("streamlit.download_button", lambda label, data, *a, **k: made.setdefault(label, data))
    at = at.switch_page("pages/8_System.py").run()
    assert not at.exception
    row = next(csv.DictReader(io.StringIO(made["Download rounds and ratings (CSV)"])))
    names = json.loads(row["aspects"])
    assert [one["built"] for one in names] == list(corpus.labels)
    assert names[0]["given"] == "Lather"
    assert len(json.loads(row["w"])) == len(names)
