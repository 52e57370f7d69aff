"""A participant's link: who came by it, and what else this browser may open meanwhile.

While somebody takes part, a cookie of the browser session holds the token of their own link, so that another address
typed into the same browser leads back to the study. The database, not the cookie, says whether they still take part.
"""

import json
from functools import lru_cache
from urllib.parse import quote

import streamlit as st

from prefer_core.errors import PreferError
from prefer_core.store.studies import ParticipantRecord
from prefer_core.study.definition import parse
from prefer_core.study.participation import Participation
from prefer_core.study.texts import texts
from prefer_core.ui import resources

JOIN, LINK, CODE = "join", "p", "code"
"""Parts of the address: a study that all may join, a personal link, and a code that the study's link brings along."""
PAGE = "Study"
COOKIE = "prefer-study"
NOTICE = "study-notice"
_JOBS = "study-jobs"
definition = lru_cache(32)(parse)
"""Read a stored definition; each text once."""


def came_by_link() -> bool:
    """Whether the address is a participant's."""
    return JOIN in st.query_params or LINK in st.query_params


def address(**query: str) -> str:
    """Return a link to the study page."""
    return resources.link(PAGE, "&".join(f"{name}={quote(value)}" for name, value in query.items()))


def participation(token: str) -> Participation:
    """Open a personal link."""
    book = resources.studies()
    participant = book.participant(token)
    stored = book.study_of(participant)
    return Participation(
        book, resources.ledger(), resources.corpus_of(stored.corpus_id), definition(stored.definition), participant,
        resources.writer(), st.session_state.setdefault(_JOBS, {}),
    )  # fmt: skip


def remember(token: str) -> None:
    """Let this browser know, until it is closed, by which link somebody takes part."""
    st.session_state[COOKIE] = token
    _set_cookie(token, "")


def forget() -> None:
    """Let the browser go: its owner has finished or withdrawn."""
    st.session_state.pop(COOKIE, None)
    _set_cookie("", "; max-age=0")


def under_way() -> tuple[str, Participation, ParticipantRecord] | None:
    """Return the token, the participation and the record of who takes part in this browser; None where nobody does.

    Who has not agreed yet, has finished or withdrawn, or whose study is closed, does not take part.
    """
    token = st.session_state.get(COOKIE) or st.context.cookies.get(COOKIE)
    if not isinstance(token, str) or not token:  # Streamlit's test client gives a stand-in for every cookie
        return None
    try:
        going = participation(token)
        record = going.record()
    except PreferError:
        return None
    over = {"completed", "withdrawn"} & record.answers.keys()
    return None if over or "consent" not in record.answers or record.status == "closed" else (token, going, record)


def keep_inside(page: str) -> None:
    """Lead a browser in which somebody takes part back to the study, unless their arm shows the other pages."""
    found = under_way()
    if found is None:
        return
    token, going, record = found
    if page != PAGE and "pages" in going.shows(record):
        return
    st.session_state[NOTICE] = texts(going.study.about.language)["sent_back"]
    st.switch_page("pages/7_Study.py", query_params={LINK: token})


def _set_cookie(value: str, more: str) -> None:
    cookie = json.dumps(f"{COOKIE}={quote(value)}; path=/; SameSite=Lax{more}")
    with st.container(key="study-cookie"):
        st.html(f"<script>document.cookie = {cookie}</script>", unsafe_allow_javascript=True)
