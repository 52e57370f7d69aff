"""A column of text is the same whether it lies in memory or on the disk."""

from pathlib import Path

import numpy as np
import pytest

from prefer_core.config import home
from prefer_core.data import compact
from prefer_core.data.compact import Strings
from prefer_core.data.sources import read_source
from prefer_core.errors import DataError
from tests.data.made import made_reviews, write_jsonl

TEXTS = [None if number % 7 == 0 else f"größe {number} " * (number % 5) for number in range(200)]


def _column() -> Strings:
    column = Strings()
    for start in range(0, len(TEXTS), 10):
        column.add(TEXTS[start : start + 10])
    return column


def test_a_column_on_the_disk_is_the_column(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values, missing ones, rows kept and values added after it was read come as in memory; no file stays behind."""
    monkeypatch.setattr(compact, "_IN_MEMORY", 500)
    before = set(home().iterdir()) if home().is_dir() else set()
    column = _column()
    assert column.tolist() == TEXTS
    column.add(["late"])
    assert (len(column), column[200], column[3]) == (201, "late", TEXTS[3])
    kept = np.arange(201) % 3 == 0
    column.keep(kept)
    assert column.tolist() == [text for text, is_kept in zip([*TEXTS, "late"], kept, strict=True) if is_kept]
    assert column.is_known().tolist() == [text is not None for text in column.tolist()]
    assert column.series(missing="").tolist() == [text or "" for text in column.tolist()]
    assert set(home().iterdir()) == before


def test_a_disk_without_room_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A place that cannot be written to is one sentence with the remedy."""
    monkeypatch.setattr(compact, "_IN_MEMORY", 500)
    monkeypatch.setattr(compact, "home", lambda: Path("/dev/null/prefer"))
    with pytest.raises(DataError, match="PREFER_HOME"):
        _column()


def test_a_source_on_the_disk_is_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of which next to nothing stays in memory gives the same table."""
    path = write_jsonl(tmp_path / "a.jsonl", [*made_reviews(300), {"parent_asin": "P", "text": ""}])
    expected = read_source(str(path)).rows
    monkeypatch.setattr(compact, "_IN_MEMORY", 500)
    found = read_source(str(path)).rows
    assert found.to_dict("list") == expected.to_dict("list")
