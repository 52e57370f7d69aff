"""Facts about what a process remembers of a session: it reads and learns only what is new, and is never wrong."""

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from prefer_core import session as core
from prefer_core.config import PRESETS, SessionSettings
from prefer_core.errors import StoreError
from prefer_core.learning import OMD
from prefer_core.store import Ledger, Session, SessionRecord
from prefer_core.store.ledger import REMEMBERED, proposer
from tests.store.conftest import SHOWN, Shelf


def servers(tmp_path: Path, many: int) -> list[Ledger]:
    """Several servers on one database."""
    return [Ledger(f"sqlite:///{tmp_path / 'ledger.db'}") for _ in range(many)]


def open_and_rate(server: Ledger, shelf: Shelf, session: Session, feedback: float, product_id: str = "P") -> None:
    """Open a round and rate it."""
    opened = server.open(session, product_id, proposer(shelf, product_id, session.settings))
    server.rate(session, opened.number, feedback, shown=SHOWN, source="template")


def told(record: SessionRecord) -> tuple[object, ...]:
    """All that a record says, comparable bit for bit."""
    state, opened = record.state, record.opened
    return (
        record.session,
        [(one.id, one.round, one.feedback, one.z.tolist(), one.evidence, one.claims) for one in record.rated],
        (state.t, state.w.tolist(), state.baseline, {name: value.tolist() for name, value in state.extra.items()}),
        [(step.w_before.tolist(), step.w_after.tolist(), step.centred) for step in record.steps],
        None if opened is None else (opened.number, opened.earlier, opened.evidence),
        record.comparable,
    )


@pytest.mark.parametrize("learner", ["omd", "posterior"])
def test_what_is_remembered_is_what_a_full_replay_gives(tmp_path: Path, shelf: Shelf, learner: str) -> None:
    """Two servers take turns in rating, undoing and opening; each says bit for bit what one says that knows nothing."""
    one, other = servers(tmp_path, 2)
    settings = replace(PRESETS["person"], learner=learner)
    session, token = one.start("corpus", 5, settings)
    rng = np.random.default_rng(7)
    for _ in range(25):
        server = (one, other)[rng.integers(2)]
        act = rng.choice(["rate", "rate", "rate", "undo", "open", "allow"])
        if act == "rate":
            open_and_rate(server, shelf, session, float(rng.random()), "PQ"[rng.integers(2)])
        elif act == "undo":
            server.undo(session)
        elif act == "open":
            server.open(session, "Q", proposer(shelf, "Q", settings), server.record(token))
        else:
            server.allow_comparison(session, bool(rng.integers(2)))
        [fresh] = servers(tmp_path, 1)
        expected = fresh.record(token)
        full = core.replay(5, session.seed, settings, [(r.z, r.feedback) for r in expected.rated])
        assert expected.state.w.tolist() == full.state.w.tolist()
        assert [rated.w_after.tolist() for rated in expected.rated] == [step.w_after.tolist() for step in full.steps]
        assert told(one.record(token)) == told(other.record(token)) == told(expected)


def test_a_run_learns_no_more_the_longer_a_session_is(tmp_path: Path, shelf: Shelf) -> None:
    """Rating, and reading the record for the page after it, take as many learning steps late as early."""
    [server] = servers(tmp_path, 1)
    session, token = server.start("corpus", 5, PRESETS["person"])
    taken: list[int] = []
    learn = OMD.learn

    def counted(self: OMD, *given: object) -> object:
        taken[-1] += 1
        return learn(self, *given)  # type: ignore[arg-type]

    with patch.object(OMD, "learn", counted):
        for _ in range(12):
            taken.append(0)
            open_and_rate(server, shelf, session, 0.7)
            server.record(token)
    assert taken[2] == taken[-1] > 0


def test_nothing_is_remembered_of_an_erased_session(tmp_path: Path, shelf: Shelf) -> None:
    """Erased by another server, a session is gone here too; one that takes its number in the database starts fresh."""
    here, elsewhere = servers(tmp_path, 2)
    settings = PRESETS["person"]
    gone, token = here.start("corpus", 5, settings)
    for feedback in (0.9, 0.8, 0.1):
        open_and_rate(here, shelf, gone, feedback)
    assert len(here.record(token).rated) == 3
    elsewhere.erase(gone)
    with pytest.raises(StoreError, match="not known here"):
        here.record(token)
    with pytest.raises(StoreError, match="has been deleted"):
        here.open(gone, "P", proposer(shelf, "P", settings))
    assert here.record_of(gone).rated == ()
    after, new_token = elsewhere.start("corpus", 5, settings)
    assert after.id == gone.id  # what makes this a trap
    open_and_rate(elsewhere, shelf, after, 0.3)
    assert [one.feedback for one in here.record(new_token).rated] == [0.3]


def test_settings_belong_to_what_is_remembered(tmp_path: Path, shelf: Shelf) -> None:
    """Two sessions that differ in their settings alone are learned apart."""
    [server] = servers(tmp_path, 1)
    slow: SessionSettings = replace(PRESETS["person"], step_size=1.0)
    found = []
    for settings in (slow, replace(slow, step_size=20.0)):
        session, token = server.start("corpus", 5, settings, seed=3)
        open_and_rate(server, shelf, session, 1.0)
        found.append(server.record(token).state.w)
    assert not np.array_equal(*found)


def test_more_sessions_than_are_remembered(tmp_path: Path, shelf: Shelf) -> None:
    """What was let go is read again."""
    [server] = servers(tmp_path, 1)
    first, token = server.start("corpus", 5, PRESETS["person"])
    open_and_rate(server, shelf, first, 0.9)
    before = told(server.record(token))
    for _ in range(REMEMBERED + 1):
        server.record(server.start("corpus", 5, PRESETS["person"])[1])
    assert told(server.record(token)) == before
