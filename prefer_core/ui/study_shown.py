"""What an arm may show its participants beside the summary: what was learned, and what the last rating changed."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from prefer_core import session as core
from prefer_core.learning.receipt import sentence
from prefer_core.store import Record
from prefer_core.study.participation import Participation, Shown
from prefer_core.ui import gliding


def beside(going: Participation, one: Shown, shows: tuple[str, ...]) -> None:
    """Draw what the arm of a summary shows."""
    if not {"preferences", "receipt"} & set(shows):
        return
    record = going.ledger.record_of(one.session)
    if "receipt" in shows and record.rated:
        st.text(_receipt(going, record))
    if "preferences" in shows:
        _preferences(going, one, record, going.texts)


def _receipt(going: Participation, record: Record) -> str:
    themes, rated, step = going.corpus.view, record.rated[-1], record.steps[-1]
    dominant = [int(themes.place[aspect]) for aspect in rated.aspects]
    units = "points" if rated.claims else "sentences"
    return sentence(themes.fold_step(step), themes.names, dominant, going.texts, themes.never_named, units)


def _preferences(going: Participation, one: Shown, record: Record, words: Mapping[str, str]) -> None:
    session, themes = one.session, going.corpus.view
    first = core.start(session.n_aspects, session.seed, session.settings).w
    trail = themes.fold(np.array([first, *(rated.w_after for rated in record.rated)]))
    now, z = themes.fold(one.stored.w), themes.fold(one.stored.z)
    before = themes.fold(record.steps[-1].w_before) if record.rated else None
    title = words["your_preferences"]
    st.markdown(f"**{title}**")
    gliding.preference(
        themes, now, "study-preferences", title, before=before, shown=z, end=gliding.top(trail, z),
        words=(words["bars_now"], words["bars_before"], words["bars_shown"]),
    )  # fmt: skip
    st.caption(words["your_preferences_help"])
