"""The home page's parts: what this is, and starting or resuming a session."""

import streamlit as st

from prefer_core.corpus import Corpus
from prefer_core.errors import PreferError
from prefer_core.store.codes import participant_code
from prefer_core.ui import reader as readers
from prefer_core.ui import resources
from prefer_core.ui.page import PRESENT, SCREEN
from prefer_core.ui.reader import Reader
from prefer_core.ui.resources import ASSETS

RATE = "pages/1_Rate_summaries.py"
KEPT = (
    "What is kept on this computer: the summaries you were shown, your ratings, and the preferences learned from them, "
    "under a made-up name. No real name, no IP address. You can delete all of it at any time."
)


def introduction() -> None:
    """Say what this is, with the loop as one drawing."""
    st.markdown("# Review summaries that learn what you care about")
    st.markdown(
        "Two people look for different things in the same product's reviews. Read a short summary, say how useful it "
        "was, and the next one is closer to what matters to you."
    )
    with st.container(key="loop"):
        st.image(str(ASSETS / "loop.svg"), width="stretch", alt="The loop from reviews to a summary to your rating")


def welcome(reader: Reader | None) -> None:
    """Offer to go on, or to start."""
    if reader is not None:
        rated = len(reader.record.rated)
        how_many = "no ratings yet" if rated == 0 else f"{rated} rating{'s' if rated > 1 else ''} so far"
        st.markdown(f"You are reader **{reader.session.pseudonym}**, {how_many}.")
        if st.button("Go on", type="primary"):
            st.switch_page(RATE, query_params=readers.query(reader))
        st.divider()
    corpora = resources.available()
    if not corpora:
        st.info(resources.NO_REVIEWS)
        return
    corpus = _choose(corpora)
    visitor, participant, speaker = st.columns(3, gap="large")
    with visitor:
        st.markdown("**Just looking?**" if reader is None else "**Somebody else?**")
        if st.button("Start as a visitor", type="primary", width="stretch"):
            _start(corpus, None)
    with participant, st.form("participant", border=False):
        st.markdown("**In a study?**")
        code = st.text_input(
            "Participant code", max_chars=64, placeholder="Your participant code", label_visibility="collapsed"
        )
        if st.form_submit_button("Start with this code", width="stretch"):
            st.session_state["code"] = code
    with speaker:
        st.markdown("**Giving a talk?**")
        if st.button("Show it on a stage", icon=":material/slideshow:", width="stretch"):
            st.switch_page("app.py", query_params={PRESENT: SCREEN})
    if pending := st.session_state.get("code"):
        _participant(corpus, pending)
    st.caption(KEPT + " To resume an earlier session, open its link.")


def invitation() -> None:
    """Offer a start where a page needs a reader and there is none."""
    st.markdown("# Rate summaries")
    corpora = resources.required()
    st.markdown("Nobody is reading in this tab yet. Start here, or open your own link to go on where you were.")
    if st.button("Start as a visitor", type="primary"):
        readers.begin(corpora[0])
        st.rerun()
    st.caption(KEPT)


def _choose(corpora: list[Corpus]) -> Corpus:
    if len(corpora) == 1:
        st.caption(f"Reviews: {_described(corpora[0])}.")
        return corpora[0]
    return st.selectbox("Reviews", corpora, format_func=_described, width=420)


def _described(corpus: Corpus) -> str:
    kind = ", written for this app" if corpus.is_sample else ""
    return f"{corpus.name}, {len(corpus.products)} products{kind}"


def _start(corpus: Corpus, participant: str | None) -> None:
    readers.begin(corpus, participant)
    st.session_state.pop("code", None)
    st.switch_page(RATE, query_params={readers.TOKEN: st.session_state[readers.TOKEN]})


def _participant(corpus: Corpus, typed: str) -> None:
    """Start under a code; where it has been used, whoever it was goes on by their own link only."""
    try:
        code = participant_code(typed)
    except PreferError as error:
        st.error(str(error))
        return
    earlier = resources.ledger().of_participant(code, corpus.id)
    if not earlier:
        _start(corpus, code)
    session = earlier[0]
    rated = len(resources.ledger().record_of(session).rated)
    st.info(
        f"The code {code} was used before: {rated} rating(s), begun {session.created_at:%d %B %Y, %H:%M} UTC. If that "
        "was you, open the link that you got then; it goes on where you were."
    )
    if st.button("Start anew with this code"):
        _start(corpus, code)
