"""Facts about the editor of names: what a person does there is what the file says."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from prefer_core.aspects.names import NameBook
from prefer_core.corpus import open_corpus


@pytest.fixture
def editor(sample_corpus: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], AppTest]:
    """Return a maker of pages with nothing but the editor."""
    monkeypatch.setenv("PREFER_CORPUS", str(sample_corpus))
    st.cache_resource.clear()

    def page() -> None:
        from prefer_core.ui import resources
        from prefer_core.ui.aspect_names import edit

        edit(resources.required()[0])

    return lambda: AppTest.from_function(page, default_timeout=60).run()


@pytest.fixture
def book(sample_corpus: Path) -> NameBook:
    corpus = open_corpus(sample_corpus)
    return NameBook(corpus.id, corpus.labels)


def press(at: AppTest, label: str, which: int = 0) -> AppTest:
    """Press a button by its label."""
    at = [b for b in at.button if b.label == label][which].click().run()
    assert not at.exception
    return at


def field(at: AppTest, label: str) -> Any:
    """Return a text field by its label."""
    return next(one for one in at.text_input if one.label == label)


def test_a_name_is_changed_in_place(editor: Callable[[], AppTest], book: NameBook) -> None:
    """Typing a name keeps it; a bad one costs a sentence and changes nothing; undo brings the old one back."""
    at = editor()
    assert not at.exception
    assert [one.value for one in at.text_input[: len(book.built)]] == list(book.built)
    at = field(at, f"Name of {book.built[0]}").set_value("  Lather ").run()
    assert book.view().labels[0] == "Lather"
    assert field(at, "Name of Lather").value == "Lather"
    before = book.path.read_bytes()
    for bad, said in (("", "at least one letter"), ("x" * 41, "at most 40"), (book.built[1], "called"), ("<i>", "not")):
        at = field(at, "Name of Lather").set_value(bad).run()
        assert not at.exception
        assert len(at.error) == 1
        assert said in at.error[0].value
        assert "still called Lather" in "".join(element.proto.body for element in at.get("html"))
    assert book.path.read_bytes() == before
    at = press(at, "Undo the last edit")
    assert not at.error
    assert field(at, f"Name of {book.built[0]}").value == book.built[0]


def test_themes_are_merged_split_hidden_and_shown(editor: Callable[[], AppTest], book: NameBook) -> None:
    """Mark two, one button; then split, hide, show: the file says each, and the history tells it newest first."""
    at = editor()
    merge = next(b for b in at.button if b.label == "Merge")
    assert merge.disabled
    at.checkbox[0].check()
    at = at.checkbox[2].check().run()
    proposed = field(at, "Name of the merged aspect")
    assert proposed.value == f"{book.built[0]} & {book.built[2]}"
    proposed.set_value("Skin & lather")
    at = press(at, "Merge 2 aspects")
    assert not at.error
    assert book.view().names[0] == "Skin & lather"
    at = press(at, "Split")
    assert book.view().names == book.built
    at = press(at, "Hide", 1)
    assert book.view().names[-1] == "Hidden aspects"
    at = press(at, "Show")
    assert not book.view().changed
    told = at.dataframe[0].value["What"].tolist()
    assert told == [
        f"{book.built[1]} shown again", f"{book.built[1]} hidden", "Skin & lather split",
        f"{book.built[0]} + {book.built[2]} merged as Skin & lather",
    ]  # fmt: skip


def test_two_editors_see_each_others_work(editor: Callable[[], AppTest], book: NameBook) -> None:
    """What another person merged meanwhile is renamed as a whole; nothing is lost."""
    at = editor()
    book.add("merge", [0, 1], "Theirs")
    at = field(at, f"Name of {book.built[0]}").set_value("Mine").run()
    assert not at.exception
    assert book.view().names[0] == "Mine"
    assert book.view().rows[0].members == (0, 1)


def test_a_damaged_file_can_be_put_aside(editor: Callable[[], AppTest], book: NameBook) -> None:
    """The editor says what is wrong, offers the way out, and keeps the file."""
    book.add("rename", [0], "Lather")
    book.path.write_text("{")
    at = editor()
    assert "is damaged" in at.error[0].value
    assert not at.text_input
    at = press(at, "Put the file aside and begin anew")
    assert "kept as" in at.success[0].value
    assert at.text_input[0].value == book.built[0]
    assert [p.read_text() for p in book.path.parent.glob("*.damaged-*.json")] == ["{"]


def test_the_download_is_the_whole_history(editor: Callable[[], AppTest], book: NameBook) -> None:
    """The JSON holds names and edits; without edits there is nothing to download."""
    assert not editor().get("download_button")
    book.add("rename", [3], "Shade")
    at = editor()
    assert at.get("download_button")[0].proto.label == "Names and history (JSON)"
    assert json.loads(book.export())["names"][3]["given"] == "Shade"
