"""The append-only ledger of sessions, rounds and ratings."""

from prefer_core.store.ledger import Ledger, Outcome, fold, steps
from prefer_core.store.rows import Rated, Session, StoredRound
from prefer_core.store.studies import StudyBook

__all__ = ["Ledger", "Outcome", "Rated", "Session", "StoredRound", "StudyBook", "fold", "steps"]
