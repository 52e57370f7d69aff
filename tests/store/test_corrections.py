"""Facts about what readers correct: which counted sentences do not say a point."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from prefer_core import session as core
from prefer_core.config import PRESETS
from prefer_core.store import Ledger, Session
from prefer_core.store.ledger import Propose
from prefer_core.types import EvidenceSentence, LearnerState, ProductCorpus, Round, ShownPoint
from tests.shelf import Shelf
from tests.shown import shown_point

SETTINGS = PRESETS["person"]
LARGE = shown_point("It runs large", id="s1", opposed=shown_point("It is true to size", id="s7"))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An empty ledger in a file."""
    return Ledger(f"sqlite:///{tmp_path / 'ledger.db'}")


@pytest.fixture
def propose(make_product: Callable[..., ProductCorpus]) -> Propose:
    """A proposer whose every round shows one opposed pair."""
    shelf = Shelf(make_product(n=60))

    def propose(
        state: LearnerState, number: int, shown: Sequence[Sequence[str]]
    ) -> tuple[Round, tuple[EvidenceSentence, ...], tuple[ShownPoint, ...]]:
        seen.append(shown)
        proposal = core.propose(shelf, "P", state, SETTINGS, number)
        return proposal, core.evidence(shelf.product("P"), proposal), (LARGE,)

    seen: list[Sequence[Sequence[str]]] = []
    propose.seen = seen  # type: ignore[attr-defined]
    return propose


def opened(ledger: Ledger, propose: Propose) -> tuple[Session, int]:
    """Start a session and open its first round."""
    session, _ = ledger.start("corpus", 5, SETTINGS)
    return session, ledger.open(session, "P", propose).number


def test_points_are_kept_as_they_were_shown_and_told_to_the_next_proposal(ledger: Ledger, propose: Propose) -> None:
    """A round keeps its claims; the next proposal on the product hears both ids of the pair, another product none."""
    session, number = opened(ledger, propose)
    current = ledger.record_of(session).opened
    assert current is not None
    assert (current.pool, current.claims) == ("keypoints", (LARGE,))
    ledger.rate(session, number, 0.7, shown={}, source="template")
    ledger.open(session, "P", propose)
    ledger.open(session, "Q", propose)
    assert propose.seen == [[], [("s1", "s7")], []]  # type: ignore[attr-defined]
    [first, *_] = ledger.export()
    assert first["choices"] == '["s1"]'
    assert first["pool"] == "keypoints"


def test_a_correction_survives_undo_and_can_be_taken_back(ledger: Ledger, propose: Propose) -> None:
    """It stays when the rating is undone; the last word counts; every word stays in the table."""
    session, number = opened(ledger, propose)
    ledger.correct(session, number, LARGE, "s3", "Order your usual size.")
    ledger.rate(session, number, 0.7, shown={}, source="template")
    ledger.undo(session)
    assert ledger.corrected(session, "P") == {("s1", "s3")}
    ledger.correct(session, number, LARGE, "s3", "Order your usual size.", withdrawn=True)
    assert ledger.corrected(session, "P") == set()
    assert ledger.corrections() == []
    ledger.correct(session, number, LARGE, "s3", "Order your usual size.")
    assert ledger.corrected(session, "P") == {("s1", "s3")}


def test_corrections_of_all_readers_are_one_label_each(ledger: Ledger, propose: Propose) -> None:
    """Two readers who agree make one row with both texts, label 0; erasing a reader takes the own word along."""
    first, number = opened(ledger, propose)
    second, other = opened(ledger, propose)
    for session, round_number in ((first, number), (second, other)):
        ledger.correct(session, round_number, LARGE, "s3", "Order your usual size.")
    [row] = ledger.corrections()
    assert row == {
        "corpus": "corpus", "product": "P", "point_id": "s1", "point": "It runs large", "sentence_id": "s3",
        "sentence": "Order your usual size.", "label": 0, "readers": 2,
    }  # fmt: skip
    _, counts = ledger.erase(first)
    assert counts["corrections"] == 1
    assert [row["readers"] for row in ledger.corrections()] == [1]
