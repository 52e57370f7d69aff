"""Facts about the file of names: nothing is lost, whatever happens to it."""

import json
import multiprocessing
from pathlib import Path
from threading import Thread

import pytest

from prefer_core.aspects.names import NameBook, View
from prefer_core.errors import ConfigError, CorpusError

BUILT = ("Dry, lather", "Jar, tube", "Skin, rash", "Colour, dark")


@pytest.fixture
def book(tmp_path: Path) -> NameBook:
    return NameBook("abc", BUILT, tmp_path / "names")


def _rename_often(folder: Path, writer: int, times: int) -> None:
    book = NameBook("abc", BUILT, folder)
    for i in range(times):
        book.add("rename", [writer], f"Writer {writer} name {i}")


def test_edits_are_kept_in_order_with_their_time(book: NameBook) -> None:
    """What is read back is what was done, oldest first, undo included; the view follows."""
    assert book.view() == View.of(BUILT)
    book.add("rename", [0], "Lather ")
    book.add("merge", [0, 2], "On the skin")
    after = book.add("undo")
    again = NameBook("abc", BUILT, book.path.parent)
    assert [(e.kind, e.aspects, e.name) for e in again.edits()] == [
        ("rename", (0,), "Lather"), ("merge", (0, 2), "On the skin"), ("undo", (), ""),
    ]  # fmt: skip
    assert all(edit.at.endswith("+00:00") for edit in again.edits())
    assert again.view() == after
    assert after.labels[0] == "Lather"
    assert set(json.loads(book.path.read_text())) == {"format", "corpus", "built", "edits"}


def test_a_refused_edit_leaves_the_file_as_it_was(book: NameBook) -> None:
    """Nothing is written where an edit cannot be made."""
    book.add("rename", [0], "Lather")
    before = book.path.read_bytes()
    for kind, aspects, name in (("rename", [1], "lather"), ("rename", [1], ""), ("split", [0], ""), ("hide", [7], "")):
        with pytest.raises(ConfigError):
            book.add(kind, aspects, name)
    assert book.path.read_bytes() == before


def test_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    """Two processes and two threads of a third edit the same file; every edit is there afterwards."""
    folder, times = tmp_path / "names", 12
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_rename_often, args=(folder, w, times)) for w in (0, 1)]
    workers += [Thread(target=_rename_often, args=(folder, w, times)) for w in (2, 3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    edits = NameBook("abc", BUILT, folder).edits()
    for writer in range(4):
        assert [e.name for e in edits if e.aspects == (writer,)] == [f"Writer {writer} name {i}" for i in range(times)]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace("rename", "rname"),
        lambda text: text.replace('"abc"', '"abd"'),
        lambda text: text.replace("Jar, tube", "Jar"),
        lambda text: text.replace("[\n    0\n   ]", "[true]"),
        lambda text: "[]",
        lambda text: "\x00" * 100,
    ],
)
def test_a_damaged_file_is_kept_and_said(book: NameBook, damage: object) -> None:
    """Half a file, a changed one, another corpus's: reading and editing say so, and not a byte is changed."""
    book.add("rename", [0], "Lather")
    book.path.write_text(damage(book.path.read_text()))  # type: ignore[operator]
    before = book.path.read_bytes()
    for attempt in (book.view, lambda: book.add("rename", [1], "Pot"), book.export):
        with pytest.raises(CorpusError, match="is damaged"):
            attempt()
    assert book.path.read_bytes() == before
    assert book.set_aside().read_bytes() == before
    assert book.view() == View.of(BUILT)
    book.add("rename", [1], "Pot")
    book.path.write_text("{")
    assert book.set_aside().name == "abc.damaged-2.json"


def test_a_newer_file_is_not_touched(book: NameBook) -> None:
    """A format from the future is refused in a sentence."""
    book.add("hide", [0])
    book.path.write_text(book.path.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(CorpusError, match="format 2, newer than 1"):
        book.add("hide", [1])


def test_a_folder_that_may_not_be_written_is_one_sentence(tmp_path: Path) -> None:
    """A file where the folder should be is said."""
    (tmp_path / "names").write_text("")
    with pytest.raises(CorpusError, match="make room or change its permissions"):
        NameBook("abc", BUILT, tmp_path / "names").add("hide", [0])


def test_the_export_says_both_names(book: NameBook) -> None:
    """People get every built aspect with the name it was given, and the history."""
    book.add("merge", [1, 3], "Look")
    content = json.loads(book.export())
    assert [one["given"] for one in content["names"]] == ["Dry, lather", "Look", "Skin, rash", "Look"]
    assert [one["built"] for one in content["names"]] == list(BUILT)
    assert content["edits"][0]["kind"] == "merge"
