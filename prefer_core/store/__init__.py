"""The append-only ledger of sessions, rounds and ratings."""

from prefer_core.store.ledger import Ledger, Outcome
from prefer_core.store.rows import Rated, Session, SessionRecord, StoredRound
from prefer_core.store.studies import StudyBook

__all__ = ["Ledger", "Outcome", "Rated", "Session", "SessionRecord", "StoredRound", "StudyBook"]
