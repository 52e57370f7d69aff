"""Who is reading: the session behind this tab, found again after a refresh by the token in the address."""

from dataclasses import dataclass, replace

import streamlit as st

from prefer_core.config import slider_start
from prefer_core.corpus import Corpus
from prefer_core.errors import PreferError
from prefer_core.insight.calibrated import settings_of
from prefer_core.store import Session, SessionRecord
from prefer_core.ui import resources

TOKEN = "reader"
NOTICE = "notice"


@dataclass(frozen=True)
class Reader:
    """One reader: what the ledger holds about the session, its token, and the corpus it is about."""

    record: SessionRecord
    token: str
    corpus: Corpus

    @property
    def session(self) -> Session:
        """The reader's session."""
        return self.record.session


def current() -> Reader | None:
    """Return the reader of this tab, or None before a session has begun."""
    token = st.query_params.get(TOKEN) or st.session_state.get(TOKEN)
    if not token:
        return None
    try:
        record = resources.ledger().record(token)
    except PreferError:
        forget()
        raise
    remember(token)
    return Reader(record, token, resources.corpus_of(record.session.corpus_id))


def begin(corpus: Corpus, participant: str | None = None, learner: str | None = None) -> None:
    """Start a session in this tab, with the numbers calibrated for the corpus and their learner unless one is named."""
    settings = replace(settings_of(corpus.manifest, learner or "omd"), slider_start=slider_start())
    _, token = resources.ledger().start(corpus.id, corpus.n_aspects, settings, participant)
    remember(token)


def remember(token: str) -> None:
    """Keep the token in this tab and in its address."""
    st.session_state[TOKEN] = token
    if st.query_params.get(TOKEN) != token:
        st.query_params[TOKEN] = token


def forget() -> None:
    """Let go of the session in this tab; what the ledger keeps stays."""
    st.session_state.pop(TOKEN, None)
    st.query_params.pop(TOKEN, None)


def address(reader: Reader) -> str:
    """Return the link that resumes the session in any browser."""
    return resources.link("", f"{TOKEN}={reader.token}")


def query(reader: Reader | None) -> dict[str, str]:
    """Return the query parameters that links to other pages must carry."""
    return {} if reader is None else {TOKEN: reader.token}


def say(text: str) -> None:
    """Keep one sentence to be shown at the top of the next run."""
    st.session_state[NOTICE] = text


def heard() -> str | None:
    """Take the sentence that was kept."""
    text: str | None = st.session_state.pop(NOTICE, None)
    return text
