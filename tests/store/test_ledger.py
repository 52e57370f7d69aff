"""Facts about the ledger: nothing is lost, nothing counts twice, everything follows from the rows."""

import sqlite3
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prefer_core import session as core
from prefer_core.errors import StoreError
from prefer_core.store import Ledger, Session, StoredRound, engine, schema
from prefer_core.types import LearnerState
from tests.store.conftest import SETTINGS, SHOWN, Shelf


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An empty ledger in a file."""
    return Ledger(f"sqlite:///{tmp_path / 'deep' / 'ledger.db'}")


def open_on(ledger: Ledger, shelf: Shelf, session: Session, product_id: str = "P") -> StoredRound:
    """Open a round."""
    return ledger.open(session, product_id, shelf.propose(product_id))


def play(ledger: Ledger, shelf: Shelf, session: Session, ratings: list[float]) -> None:
    """Rate rounds of product P."""
    for feedback in ratings:
        opened = open_on(ledger, shelf, session)
        ledger.rate(session, opened.number, feedback, shown=SHOWN, source="template")


def test_replay_gives_w_bit_for_bit(ledger: Ledger, shelf: Shelf) -> None:
    """The fold of the recorded ratings equals the live session exactly, and what each rating recorded."""
    session, _ = ledger.start("corpus", 5, SETTINGS)
    live = core.start(5, session.seed, SETTINGS)
    for number, feedback in enumerate([0.9, 0.15, 0.7, 0.33, 1.0, 0.0], start=1):
        proposal = core.propose(shelf, "P", live, SETTINGS, number)
        live = core.rate(live, proposal, feedback, SETTINGS)
        opened = open_on(ledger, shelf, session)
        outcome = ledger.rate(session, opened.number, feedback, shown=SHOWN, source="model")
        assert outcome.state.w.tolist() == live.w.tolist()
    assert ledger.record_of(session).state.w.tolist() == live.w.tolist()
    assert ledger.record_of(session).state.baseline == live.baseline
    assert ledger.record_of(session).rated[-1].w_after.tolist() == live.w.tolist()


def test_a_record_says_what_a_page_shows(ledger: Ledger, shelf: Shelf) -> None:
    """State, steps, evidence and the open round with its text, as the ledger's own questions give them one by one."""
    session, token = ledger.start("corpus", 5, SETTINGS)
    first = open_on(ledger, shelf, session)
    outcome = ledger.rate(session, first.number, 0.9, shown=SHOWN, source="template")
    second = open_on(ledger, shelf, session)
    ledger.add_text(session, second.number, SHOWN, seconds_first=None, seconds_last=None)
    record = ledger.record(token)
    assert record.session == session
    assert record.state.w.tolist() == ledger.record_of(session).state.w.tolist() == outcome.state.w.tolist()
    assert record.steps[0].w_after.tolist() == outcome.step.w_after.tolist()
    assert [one.evidence for one in record.rated] == [first.evidence]
    assert record.opened is not None
    assert (record.opened.number, record.opened.text) == (second.number, SHOWN)
    product = shelf.product("P")
    for one in (*first.evidence, *record.opened.evidence):
        assert one.position is not None
        assert one.id == core.sentence(product, one.position).id


def test_a_round_that_is_open_is_read_without_a_write_lock(ledger: Ledger, shelf: Shelf, tmp_path: Path) -> None:
    """While another connection holds the write lock, the open round is shown, from a record and from the ledger."""
    session, token = ledger.start("corpus", 5, SETTINGS)
    opened = open_on(ledger, shelf, session)
    record = ledger.record(token)
    other = sqlite3.connect(tmp_path / "deep" / "ledger.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        assert open_on(ledger, shelf, session).number == opened.number
        assert ledger.open(session, "P", shelf.propose("P"), record).number == opened.number
        assert ledger.record(token).opened is not None
    finally:
        other.execute("ROLLBACK")
        other.close()


def test_what_another_tab_adds_while_a_round_is_proposed_is_noticed(ledger: Ledger, shelf: Shelf) -> None:
    """Nothing is locked while proposing: a rating that comes in between counts, and the round is proposed again."""
    session, token = ledger.start("corpus", 5, SETTINGS)
    on_p = open_on(ledger, shelf, session)
    record = ledger.record(token)
    asked: list[int] = []

    def slow(state: LearnerState, number: int, shown: Sequence[Sequence[str]]) -> Any:
        if not asked:
            ledger.rate(session, on_p.number, 0.9, shown=SHOWN, source="template")
        asked.append(state.t)
        return shelf.propose("Q")(state, number, shown)

    on_q = ledger.open(session, "Q", slow, record)
    assert asked == [1, 2]
    assert (on_q.t, on_q.number) == (2, 2)
    assert on_q.w.tolist() == ledger.record_of(session).state.w.tolist()


def test_a_resumed_session_is_the_same(ledger: Ledger, shelf: Shelf) -> None:
    """The token brings back reader, preference and the open round; another token brings nothing."""
    session, token = ledger.start("corpus", 5, SETTINGS, participant="P-07")
    play(ledger, shelf, session, [0.8, 0.3])
    opened = open_on(ledger, shelf, session)
    again = ledger.resume(token)
    assert again == session
    assert open_on(ledger, shelf, again).number == opened.number
    assert ledger.of_participant("P-07", "corpus") == [session]
    assert ledger.of_participant("P-07", "other corpus") == []
    with pytest.raises(StoreError, match="start anew"):
        ledger.resume("guess")


def test_the_token_is_never_stored(ledger: Ledger, tmp_path: Path) -> None:
    """The database file holds no trace of the token itself."""
    _, token = ledger.start("corpus", 5, SETTINGS)
    for file in (tmp_path / "deep").iterdir():
        assert token.encode() not in file.read_bytes()


def test_a_double_click_counts_once(ledger: Ledger, shelf: Shelf) -> None:
    """Rating a rated round again, even with another value, changes nothing and returns the first outcome."""
    session, _ = ledger.start("corpus", 5, SETTINGS)
    opened = open_on(ledger, shelf, session)
    first = ledger.rate(session, opened.number, 0.9, shown=SHOWN, source="draft")
    second = ledger.rate(session, opened.number, 0.1, shown=SHOWN, source="draft")
    assert second.repeated
    assert second.state.w.tolist() == first.state.w.tolist()
    assert ledger.counts()["ratings"] == 1


def test_twenty_simultaneous_clicks_count_once(ledger: Ledger, shelf: Shelf) -> None:
    """Threads that rate the same round at once leave one rating and one preference."""
    session, _ = ledger.start("corpus", 5, SETTINGS)
    opened = open_on(ledger, shelf, session)
    outcomes: list[list[float]] = []
    barrier = threading.Barrier(20)

    def click() -> None:
        barrier.wait()
        outcome = ledger.rate(session, opened.number, 0.9, shown=SHOWN, source="draft")
        outcomes.append(outcome.state.w.tolist())

    threads = [threading.Thread(target=click) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 20
    assert all(w == outcomes[0] for w in outcomes)
    assert ledger.counts()["ratings"] == 1


def test_simultaneous_tabs_open_one_round(ledger: Ledger, shelf: Shelf) -> None:
    """Two tabs that open the same product at once see the same round."""
    session, _ = ledger.start("corpus", 5, SETTINGS)
    numbers: list[int] = []
    threads = [
        threading.Thread(target=lambda: numbers.append(open_on(ledger, shelf, session).number)) for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numbers == [1] * 12


def test_writers_of_one_process_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve threads write at once, each holding on for longer than SQLite lets anybody wait; none is refused."""
    monkeypatch.setattr(engine, "BUSY_MILLISECONDS", 20)
    ledgers = [Ledger(f"sqlite:///{tmp_path / 'ledger.db'}") for _ in range(12)]

    def write(ledger: Ledger) -> None:
        for _ in range(3):
            with ledger._write():
                time.sleep(0.03)

    with ThreadPoolExecutor(len(ledgers)) as pool:
        assert list(pool.map(write, ledgers)) == [None] * len(ledgers)


def test_a_round_that_was_put_aside_cannot_be_rated_but_comes_back(ledger: Ledger, shelf: Shelf) -> None:
    """Changing the product shelves the open round; returning before the next rating shows it again, same number."""
    session, _ = ledger.start("corpus", 5, SETTINGS)
    on_p = open_on(ledger, shelf, session, "P")
    on_q = open_on(ledger, shelf, session, "Q")
    assert on_q.t == on_p.t
    assert on_q.number == 2
    with pytest.raises(StoreError, match="another tab"):
        ledger.rate(session, on_p.number, 0.5, shown=SHOWN, source="draft")
    assert open_on(ledger, shelf, session, "P").number == on_p.number
    ledger.rate(session, on_p.number, 0.9, shown=SHOWN, source="draft")
    assert open_on(ledger, shelf, session, "Q").number == 3


def test_undo_gives_back_exactly_what_was(ledger: Ledger, shelf: Shelf) -> None:
    """Taking a rating back restores w bit for bit and opens its round again, which can then be rated otherwise."""
    session, _ = ledger.start("corpus", 5, SETTINGS)
    play(ledger, shelf, session, [0.9, 0.4])
    before = ledger.record_of(session).state
    opened = open_on(ledger, shelf, session)
    ledger.rate(session, opened.number, 0.0, shown=SHOWN, source="draft")
    later = open_on(ledger, shelf, session)
    again = ledger.undo(session)
    assert again is not None
    assert again.number == opened.number
    assert ledger.record_of(session).state.w.tolist() == before.w.tolist()
    assert ledger.record_of(session).state.t == before.t
    ledger.rate(session, opened.number, 1.0, shown=SHOWN, source="draft")
    assert [r.feedback for r in ledger.record_of(session).rated] == [0.9, 0.4, 1.0]
    fresh = open_on(ledger, shelf, session)
    assert fresh.number > later.number, "a round proposed from a preference that was undone must not be shown"


def test_a_file_that_goes_away_takes_nothing_with_it(ledger: Ledger, shelf: Shelf, tmp_path: Path) -> None:
    """No open connection writes on into a file that was moved; once it is back, everything is there and goes on."""
    session, _ = ledger.start("corpus", 5, SETTINGS)
    play(ledger, shelf, session, [0.9])
    opened = open_on(ledger, shelf, session)
    path = tmp_path / "deep" / "ledger.db"
    away = path.rename(tmp_path / "away.db")
    for _ in range(2):
        with pytest.raises(StoreError, match=r"ledger\.db is gone; put it back"):
            ledger.rate(session, opened.number, 0.4, shown=SHOWN, source="draft")
    assert not path.exists()
    away.rename(path)
    ledger.rate(session, opened.number, 0.4, shown=SHOWN, source="draft")
    assert [one.feedback for one in ledger.record_of(session).rated] == [0.9, 0.4]
    with sqlite3.connect(path) as plain:
        assert plain.execute("SELECT count(*) FROM ratings").fetchone() == (2,)


def test_undo_without_ratings_is_harmless(ledger: Ledger) -> None:
    """There is nothing to take back in a new session."""
    session, token = ledger.start("corpus", 5, SETTINGS)
    assert ledger.undo(session) is None
    record = ledger.record(token)
    assert (record.rated, record.steps, record.opened) == ((), (), None)


def test_a_refused_rating_leaves_no_trace(ledger: Ledger, shelf: Shelf) -> None:
    """A value outside [0, 1] is refused before anything is written."""
    session, _ = ledger.start("corpus", 5, SETTINGS)
    opened = open_on(ledger, shelf, session)
    with pytest.raises(Exception, match="between 0 and 1"):
        ledger.rate(session, opened.number, 1.7, shown=SHOWN, source="draft")
    assert ledger.counts()["ratings"] == 0


def test_texts_are_kept_with_their_round(ledger: Ledger, shelf: Shelf) -> None:
    """The latest text of a round comes back as it was."""
    session, _ = ledger.start("corpus", 5, SETTINGS)
    opened = open_on(ledger, shelf, session)
    assert ledger.text(session, opened.number) is None
    for writer in ("template", "Gemma 3 270M"):
        summary = {"writer": writer, "paragraph": "Größe & “quotes” $5"}
        ledger.add_text(session, opened.number, summary, seconds_first=0.1, seconds_last=0.2)
    kept = ledger.text(session, opened.number)
    assert kept == {"writer": "Gemma 3 270M", "paragraph": "Größe & “quotes” $5"}


def test_erasing_leaves_no_row(ledger: Ledger, shelf: Shelf, tmp_path: Path) -> None:
    """Every row about the reader is gone, others stay, the receipt names nobody, and the old tab is told."""
    keep, _ = ledger.start("corpus", 5, SETTINGS)
    play(ledger, shelf, keep, [0.6])
    session, token = ledger.start("corpus", 5, SETTINGS, participant="P-09")
    play(ledger, shelf, session, [0.9, 0.4])
    ledger.undo(session)
    on_disk = [path for path in (tmp_path / "deep").iterdir() if path.name != "ledger.db-shm"]
    assert any(b"P-09" in path.read_bytes() for path in on_disk)
    receipt, counts = ledger.erase(session)
    assert not any(b"P-09" in path.read_bytes() for path in on_disk)
    assert counts == {
        "crowd_ratings": 0, "permissions": 0, "corrections": 0, "retractions": 1, "ratings": 2, "texts": 0,
        "openings": 3, "rounds": 2, "sessions": 1,
    }  # fmt: skip
    connection = sqlite3.connect(tmp_path / "deep" / "ledger.db")
    for table in (t.name for t in schema.OF_A_SESSION):
        found = connection.execute(f"SELECT count(*) FROM {table} WHERE session_id = ?", (session.id,))  # noqa: S608 - names from our schema
        assert found.fetchone() == (0,)
    assert connection.execute("SELECT receipt FROM deletions").fetchall() == [(receipt,)]
    connection.close()
    with pytest.raises(StoreError):
        ledger.resume(token)
    with pytest.raises(StoreError, match="deleted"):
        open_on(ledger, shelf, session)
    assert len(ledger.record_of(keep).rated) == 1


def test_the_export_has_pseudonyms_only(ledger: Ledger, shelf: Shelf) -> None:
    """One row a round, rated or not; participant code and token nowhere in it."""
    session, token = ledger.start("corpus", 5, SETTINGS, participant="secret-code")
    play(ledger, shelf, session, [0.9, 0.4])
    open_on(ledger, shelf, session)
    rows = ledger.export()
    assert [row["feedback"] for row in rows] == [0.9, 0.4, None]
    assert {row["reader"] for row in rows} == {session.pseudonym}
    assert "secret-code" not in str(rows)
    assert token not in str(rows)
    assert rows[1]["w_after"] == str(ledger.record_of(session).state.w.tolist())


def test_an_old_ledger_is_migrated_once(tmp_path: Path) -> None:
    """Opening twice applies each migration once and keeps what is there."""
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    first = Ledger(url)
    first.start("corpus", 5, SETTINGS)
    again = Ledger(url)
    assert again.counts()["sessions"] == 1
    connection = sqlite3.connect(tmp_path / "ledger.db")
    assert connection.execute("SELECT version FROM schema_versions").fetchall() == [
        (v,) for v in range(1, len(schema.MIGRATIONS) + 1)
    ]
    connection.close()


def test_a_folder_that_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    """A ledger below a file, and an address that is none, are StoreErrors with the remedy."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="PREFER_HOME"):
        Ledger(f"sqlite:///{tmp_path / 'file' / 'ledger.db'}")
    with pytest.raises(StoreError, match="PREFER_DATABASE_URL"):
        Ledger("not a database")


def test_a_state_is_independent_of_other_readers(ledger: Ledger, shelf: Shelf) -> None:
    """Ratings of one reader leave another's preference at the start."""
    one, _ = ledger.start("corpus", 5, SETTINGS)
    two, _ = ledger.start("corpus", 5, SETTINGS)
    play(ledger, shelf, one, [1.0, 1.0])
    np.testing.assert_array_equal(ledger.record_of(two).state.w, np.full(5, 0.2))
    assert one.pseudonym != two.pseudonym
