"""The menu of products: all of a few, found ones of many."""

import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

from prefer_core.ui.products import FEW, FOUND, shelf

MANY = 20_000


def _corpus(n: int) -> SimpleNamespace:
    """Products numbered by how much is said about them, one of them with an accent and two stars."""
    titles = [f"Kettle number {i}" for i in range(n - 1)] + ["Crème brûlée torch"]
    table = pd.DataFrame({"product_id": [f"P{i}" for i in range(n)], "title": titles})
    return SimpleNamespace(
        id=f"made-{n}", products=table.assign(n_sentences=np.arange(n, 0, -1), n_reviews=1, mean_rating=2.0)
    )


def test_twenty_thousand_products_are_searched_at_once() -> None:
    """A search over 20,000 takes far less than half a second and finds words in any order, without accents."""
    known = shelf(_corpus(MANY), "many")
    began = time.perf_counter()
    assert known.find("torch creme") == ([f"P{MANY - 1}"], 1)
    found, count = known.find("kettle")
    assert time.perf_counter() - began < 0.5
    assert (found, count) == ([f"P{i}" for i in range(FOUND)], MANY - 1)
    assert known.find("p123 kettle")[0][0] == "P123"


def _page(n: int) -> None:
    import streamlit as st

    from prefer_core.ui import products
    from tests.ui.test_products import _corpus

    st.text(products.pick(_corpus(n), "P7", "pick"))


def test_the_menu_of_many_holds_what_was_found() -> None:
    """The product in force stays until another is chosen; a search changes the menu only; a few need no search."""
    at = AppTest.from_function(_page, args=(MANY,), default_timeout=60).run()
    assert len(at.selectbox[0].options) == FOUND
    at.text_input[0].set_value("TORCH").run()
    assert (len(at.selectbox[0].options), at.text[0].value) == (2, "P7")
    assert at.caption[0].value == "1 found: choose below."
    at.selectbox[0].set_value(f"P{MANY - 1}").run()
    at.text_input[0].set_value("no such thing").run()
    assert at.text[0].value == f"P{MANY - 1}"
    assert not at.exception
    few = AppTest.from_function(_page, args=(FEW,), default_timeout=60).run()
    assert len(few.selectbox[0].options) == FEW
    assert not few.text_input
