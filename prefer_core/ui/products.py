"""Choosing a product: a few hundred stand in one menu; of more the server searches, the menu holds what it found."""

import unicodedata
from dataclasses import dataclass
from typing import Literal

import numpy as np
import streamlit as st

from prefer_core.corpus import Corpus
from prefer_core.ui import html

FEW = 300
"""Products up to which the menu holds all of them; every one travels to the browser at each change of the page."""
FOUND = 50
"""Most products that a search puts into the menu."""


@dataclass(frozen=True)
class Shelf:
    """The products of a corpus, those with most sentences first.

    Attributes
    ----------
    label : dict of str to str
        What the menu says of each product id.
    searched : list of str
        Title and id of each, in the form of `fold`.
    """

    label: dict[str, str]
    searched: list[str]

    def find(self, words: str, most: int = FOUND) -> tuple[list[str], int]:
        """Return the first products whose title or id has all of the words, and how many there are.

        >>> shelf = Shelf({"A1": "Crème, 8 oz", "B2": "Soap"}, [fold("Crème A1"), fold("Soap B2")])
        >>> shelf.find("CREME a1"), shelf.find("")
        ((['A1'], 1), (['A1', 'B2'], 2))
        """
        wanted = fold(words).split()
        ids = [name for name, text in zip(self.label, self.searched, strict=True) if all(w in text for w in wanted)]
        return ids[:most], len(ids)


def fold(text: str) -> str:
    """Return a text without capitals and accents.

    >>> fold("Crème BRÛLÉE")
    'creme brulee'
    """
    apart = unicodedata.normalize("NFKD", text.casefold())
    return apart if apart.isascii() else "".join(sign for sign in apart if not unicodedata.combining(sign))


@st.cache_resource(show_spinner=False, max_entries=16)
def shelf(_corpus: Corpus, corpus_id: str) -> Shelf:
    """Return the shelf of a corpus."""
    table = _corpus.products.sort_values("n_sentences", ascending=False, kind="stable")
    label = {
        row.product_id: f"{html.apart(row.title)} · {row.n_reviews:,} review{'s' * (row.n_reviews != 1)}"
        + ("" if np.isnan(row.mean_rating) else f" · {row.mean_rating:.1f} stars")
        for row in table.itertuples()
    }
    return Shelf(label, [fold(f"{row.title} {row.product_id}") for row in table.itertuples()])


def pick(corpus: Corpus, first: str | None, key: str, *, titled: bool = False) -> str:
    """Let a person choose a product.

    Parameters
    ----------
    first : str or None
        Id of the product that is chosen at the beginning; the one with most sentences if it is not known.
    key : str
        Of the menu.
    titled : bool
        Whether the word "Product" stands above the menu.
    """
    known = shelf(corpus, corpus.id)
    names = list(known.label)
    opened = first if first in known.label else names[0]
    shown: Literal["visible", "collapsed"] = "visible" if titled else "collapsed"
    note = "Type to search."
    if len(names) > FEW:
        opened = st.session_state.get(key) or opened
        words = st.text_input(
            "Search products", key=f"{key}-search", label_visibility="collapsed",
            placeholder=f"Search {len(names):,} products by name, then press Enter",
        )  # fmt: skip
        names, count = known.find(words)
        if words.strip():
            some = f", the first {FOUND} in the menu" if count > FOUND else ""
            st.caption(f"{count:,} found{some}: choose below." if count else "None found; try fewer words.")
        names = list(dict.fromkeys([opened, *names]))
        note = "The products with most reviews, or those that the search above found."
    chosen: str = st.selectbox(
        "Product", names, names.index(opened), format_func=known.label.__getitem__, key=key, label_visibility=shown,
        help=note,
    )  # fmt: skip
    return chosen
