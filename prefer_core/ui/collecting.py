"""Garbage is collected by a timer, beside the visitors, and never over what stays as long as the application.

A full collection goes over every object that the process holds while all visitors wait. Streamlit runs one after each
run of a script unless `runner.postScriptGC` is false (`.streamlit/config.toml`). What is loaded once (packages,
corpora, models) is frozen: no collection looks at it again.
"""

import gc
import threading
import time

import streamlit as st
from streamlit import runtime

YOUNG_SECONDS, ALL_SECONDS = 5.0, 120.0
"""How often young objects are collected, and all that is not frozen."""


def begin() -> None:
    """Start the timer at the end of the first page that a server draws: what it needs is loaded by then.

    A test that runs a page in its own process keeps Python's way.
    """
    # Not isinstance: the stand-in of Streamlit's tests passes for a runtime.
    if runtime.exists() and type(runtime.get_instance()) is runtime.Runtime:
        _timer()


@st.cache_resource(show_spinner=False)
def _timer() -> threading.Thread:
    thread = threading.Thread(target=_collect, name="garbage", daemon=True)
    thread.start()
    return thread


def _collect() -> None:
    gc.disable()
    gc.freeze()  # with the little garbage that is in it: a full collection now would hold the first visitors up
    last = time.monotonic()
    while True:
        time.sleep(YOUNG_SECONDS)
        if time.monotonic() - last < ALL_SECONDS:
            gc.collect(1)
        else:
            gc.collect()
            last = time.monotonic()
