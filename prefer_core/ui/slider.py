"""The slider that rates a summary: a rating counts only after somebody touched it.

`assets/slider.js` does what the server cannot see: it lets a finger that scrolls pass over the slider, and takes a
press on the handle, or a key that changes nothing, as the choice of the value where the slider stands.
"""

import streamlit as st

from prefer_core import session as core
from prefer_core.ui.resources import ASSETS
from prefer_core.ui.rounds import OpenRound, rate

_MOVED = "slider-moved"
"""Where a tab keeps the name of the slider that was touched."""
_PUT = "slider-put"
"""Where a tab keeps the name of the slider that `put` moved in this run."""


def name(shown: OpenRound) -> str:
    """Return the key of a round's slider."""
    return f"feedback-{shown.reader.session.id}-{shown.stored.number}"


def rate_by_hand(shown: OpenRound) -> None:
    """Draw the slider and the button, which is off until the slider was moved or its start was chosen on purpose."""
    key = name(shown)
    session = shown.reader.session
    start = round(100 * core.slider_start(session.settings, session.seed, shown.stored.number))
    if key not in st.session_state:  # drawn for the first time, or again after another page
        st.session_state.pop(_MOVED, None)
    # The start is the slider's own value. Put into the state it would be told once, and a browser that is too busy to
    # draw that very run would show 0 and send it.
    put_now = st.session_state.pop(_PUT, None) == key
    moved = st.session_state.get(_MOVED) == key
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    left.slider(
        "How useful is this summary to you?",
        0, 100, None if put_now else start,
        format="%d %%",
        key=key,
        on_change=_move, args=(key,),
        help="0 % is not useful at all, 100 % is exactly what you need. Arrow keys work too.",
    )  # fmt: skip
    with right:
        st.button(
            f"{start} % is right", type="tertiary", width="stretch", disabled=moved, key=f"keep-{key}",
            on_click=_move, args=(key,), help="Rate with the value where the slider stands.",
        )  # fmt: skip
        st.button(
            "Rate", type="primary", width="stretch", disabled=not moved, key=f"rate-{key}",
            on_click=_rate, args=(shown, key, start), help="On as soon as the slider was moved.",
        )  # fmt: skip


def put(shown: OpenRound, value: int) -> None:
    """Move a round's slider, in percent, before it is drawn: a simulated reader does what a hand would do."""
    key = name(shown)
    st.session_state[key] = value
    st.session_state[_MOVED] = st.session_state[_PUT] = key


def is_moved() -> bool:
    """Whether the slider of this tab was moved and its value is not rated yet."""
    return _MOVED in st.session_state


def guard() -> None:
    """Put `assets/slider.js` onto the page."""
    with st.container(key="slider-guard"):
        st.html(f"<script>{_script()}</script>", unsafe_allow_javascript=True)


def _move(key: str) -> None:
    st.session_state[_MOVED] = key


def _rate(shown: OpenRound, key: str, start: int) -> None:
    value = st.session_state[key]
    # Moved and pressed in one go: the press may be told first.
    if value == start and st.session_state.get(_MOVED) != key:
        return
    st.session_state.pop(_MOVED, None)
    rate(shown, value / 100, start / 100)
    st.rerun()  # the whole page, not only the slider's part of it


@st.cache_data
def _script() -> str:
    return (ASSETS / "slider.js").read_text("utf-8")
