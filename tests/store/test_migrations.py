"""Facts about a ledger that an earlier version wrote, and about the steps that bring it up to date."""

import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import MetaData, create_engine, insert

from prefer_core.rewriting import Summary
from prefer_core.store import Ledger, schema

OLD = Path(__file__).with_name("version-1.db")
"""Two readers on a made product: two ratings and an open round; one rating that was taken back. No key points yet."""

W_AFTER_TWO_RATINGS = [0.1447410405603046, 0.0883855726614072, 0.48663209204099483, 0.2802412947372934]


def test_a_ledger_of_version_1_keeps_every_session_round_and_text(tmp_path: Path) -> None:
    """All rows are there, w replays as it was written, texts open, and a round says it chose among sentences."""
    path = tmp_path / "ledger.db"
    shutil.copy(OLD, path)
    ledger = Ledger(f"sqlite:///{path}")
    assert ledger.counts() == {"sessions": 2, "rounds": 4, "ratings": 3, "deletions": 0}
    [session] = ledger.of_participant("p-01", "old-corpus")
    assert session.settings.pool == "sentences"
    np.testing.assert_allclose(ledger.record_of(session).state.w, W_AFTER_TWO_RATINGS, rtol=0, atol=1e-12)
    assert [rated.feedback for rated in ledger.record_of(session).rated] == [0.9, 0.2]
    current = ledger.record_of(session).opened
    assert current is not None
    assert (current.number, current.pool, current.claims) == (3, "sentences", ())
    assert [piece.position for piece in current.evidence] == [None] * len(current.evidence)
    assert all(piece.text and piece.rating for piece in current.evidence)
    for number in (1, 2):
        kept = ledger.text(session, number)
        assert kept is not None
        opened = Summary.from_dict(kept)
        assert len(opened.statements) == len(opened.paragraph_cites) == 4
        assert opened.paragraph.startswith(opened.statements[0].text)
    assert [row["feedback"] for row in ledger.export()] == [0.9, 0.2, None, None]
    assert {row["who"] for row in ledger.export()} == {"unknown"}
    assert current.earlier == frozenset()
    _, counts = ledger.erase(session)
    assert counts["rounds"] == 3


def test_opening_an_old_ledger_twice_changes_it_once(tmp_path: Path) -> None:
    """The second opening finds nothing to do."""
    path = tmp_path / "ledger.db"
    shutil.copy(OLD, path)
    for _ in range(2):
        Ledger(f"sqlite:///{path}")
    connection = sqlite3.connect(path)
    versions = [row[0] for row in connection.execute("SELECT version FROM schema_versions ORDER BY version")]
    connection.close()
    assert versions == list(range(1, len(schema.MIGRATIONS) + 1))


def test_the_steps_lead_to_the_tables_that_the_code_uses(tmp_path: Path) -> None:
    """A new ledger and one of version 1 have every table, column and type of `schema`, and no other."""
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    shutil.copy(OLD, old)
    for path in (old, new):
        Ledger(f"sqlite:///{path}")
        found = MetaData()
        found.reflect(create_engine(f"sqlite:///{path}"))
        assert _columns(found) == _columns(schema.metadata)


@pytest.mark.parametrize("version", range(1, len(schema.MIGRATIONS)))
def test_every_earlier_version_is_brought_up_to_date(version: int, tmp_path: Path) -> None:
    """A database of each version gets the missing steps, once, and ends with the tables of today."""
    engine = create_engine(f"sqlite:///{tmp_path / 'ledger.db'}")
    with engine.begin() as connection:
        schema.versions.create(connection)
        for number, change in enumerate(schema.MIGRATIONS[:version], start=1):
            change(connection)
            connection.execute(insert(schema.versions).values(version=number))
    ledger = Ledger(f"sqlite:///{tmp_path / 'ledger.db'}")
    assert ledger.counts()["sessions"] == 0
    found = MetaData()
    found.reflect(engine)
    assert _columns(found) == _columns(schema.metadata)
    engine.dispose()


def _columns(tables: MetaData) -> set[tuple[str, str, str, bool]]:
    return {
        (table.name, column.name, str(column.type), bool(column.nullable))
        for table in tables.tables.values()
        for column in table.columns
    }
