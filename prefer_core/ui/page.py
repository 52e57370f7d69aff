"""The frame of every page: look, menu, and errors in one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from prefer_core.errors import PreferError
from prefer_core.rewriting.template import NAME as WITHOUT_MODEL
from prefer_core.ui import collecting, resources, study_link
from prefer_core.ui import reader as readers
from prefer_core.ui.account import account
from prefer_core.ui.reader import Reader
from prefer_core.ui.resources import ASSETS

PAGES = (
    ("app.py", "Home"),
    ("pages/1_Rate_summaries.py", "Rate summaries"),
    ("pages/2_Compare_profiles.py", "Compare profiles"),
    ("pages/3_Aspect_space.py", "Aspect space"),
    ("pages/4_Learning_lab.py", "Learning lab"),
    ("pages/6_Corpus.py", "Corpus"),
    ("pages/7_Study.py", "Study"),
    ("pages/8_System.py", "System"),
)

PRESENT, SCREEN = "present", "1"
"""The part of an address that asks for large type without settings, and what it says."""


@contextmanager
def page(title: str) -> Iterator[Reader | None]:
    """Draw the frame and yield the reader of this tab; an expected error ends the page with its sentence."""
    study_link.keep_inside(title)
    st.set_page_config(page_title=f"{title} · PREFER", layout="wide", initial_sidebar_state=230)
    st.html(ASSETS / "prefer.css")
    presenting = st.query_params.get(PRESENT) == SCREEN
    if presenting:
        st.html(ASSETS / "present.css")
    reader = None
    try:
        if notice := readers.heard():
            st.info(notice)
        reader = readers.current()
    except PreferError as error:
        st.error(str(error))
    if not presenting:
        _sidebar(reader)
    try:
        yield reader
    except PreferError as error:
        (st.info if str(error) == resources.NO_REVIEWS else st.error)(str(error))
    collecting.begin()


def _sidebar(reader: Reader | None) -> None:
    with st.sidebar:
        st.html('<p class="p-brand">PREFER</p><p class="p-quiet">Review summaries that learn what you care about.</p>')
        for path, label in PAGES:
            st.page_link(path, label=label, query_params=readers.query(reader))
        st.divider()
        if reader is not None:
            account(reader)
            note = " These reviews were written for this app." if reader.corpus.is_sample else ""
            st.caption(f"Reviews: {reader.corpus.name}.{note}")
        st.caption(_who_writes())


def _who_writes() -> str:
    name = resources.writer().name
    if name == WITHOUT_MODEL:
        return "Summaries are quoted from the evidence, without a model."
    # The name of a model that a server has says where it is. Below each text stands whether it wrote that one.
    return f"Language model: {name}." if " at " in name else f"Language model: {name}, on this computer."
