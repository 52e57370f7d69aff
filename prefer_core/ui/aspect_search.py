"""Search over all sentences of a corpus, by meaning and by words."""

import time
from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from prefer_core.aspects import search as find
from prefer_core.aspects.search import Found
from prefer_core.corpus import Corpus
from prefer_core.data.spreadsheet import to_csv
from prefer_core.encoders import light, multilingual
from prefer_core.errors import ConfigError
from prefer_core.figures.theme import colour
from prefer_core.types import BoolArray, IntArray
from prefer_core.ui.html import stars

MOST = 50
"""Sentences shown."""

MOST_SAVED = 10_000
"""Sentences in a download."""

_LAST = "search-last"
_MODES = {"meaning": "By meaning", "words": "By words"}
_COLUMNS = ("text", "product", "rating", "time", "id")
_HOW = {
    "meaning": f"The {MOST} sentences nearest in meaning, each with its cosine: 1 is the same.",
    "words": "Sentences that hold every word, whatever case or accents; words in quotes must stand side by side.",
}
_EXAMPLES = {
    "meaning": "for example: it broke after a few weeks",
    "words": 'for example: zipper "too small"',
}


def search(corpus: Corpus) -> None:
    """Draw the search and what it finds."""
    rows = corpus.view.rows
    mode = st.segmented_control(
        "Look for sentences", list(_MODES), default="meaning", required=True, format_func=_MODES.__getitem__,
        key="search-mode", label_visibility="collapsed",
    )  # fmt: skip
    what, which = st.columns([3, 1])
    query = what.text_input("What to look for", max_chars=300, placeholder=_EXAMPLES[mode], key="search-query").strip()
    places = range(-1, len(rows))
    asked = which.selectbox(
        "Aspect",
        places,
        format_func=lambda i: "All aspects" if i < 0 else rows[i].label,
        key=f"search-aspect-{corpus.id}",
    )
    st.caption(_HOW[mode])
    if not query:
        return
    try:
        found, seconds = _find_once(corpus, mode, query, None if asked < 0 else rows[asked].members)
    except ConfigError as error:
        st.warning(str(error))
        return
    if len(found.rows):
        _results(corpus, found, seconds)
    else:
        st.info("No sentence fits. Try fewer words, or look by meaning.")


def _results(corpus: Corpus, found: Found, seconds: float) -> None:
    shown = table(corpus, found.rows[:MOST], found)
    if found.similarity is not None:
        st.markdown(f"**The {len(shown)} nearest of {found.total:,} sentences**, in {seconds:.2f} s")
    else:
        more = f"; the first {MOST}, product after product" if found.total > MOST else ""
        st.markdown(f"**{found.total:,} found** among {len(corpus.array('phi')):,}, in {seconds:.2f} s{more}")
    st.html("".join(_line(row) for row in shown.to_dict("records")))
    saved = found.rows[:MOST_SAVED]

    def as_csv() -> str:
        return to_csv(table(corpus, saved, found).drop(columns="mark"))

    st.download_button(
        f"These {len(saved):,} sentences (CSV)", as_csv, f"{corpus.id}-sentences.csv", "text/csv", on_click="ignore"
    )


def _find_once(corpus: Corpus, mode: str, query: str, members: tuple[int, ...] | None) -> tuple[Found, float]:
    """Search, unless this tab did so just now: other widgets of a page run it again too. Return the seconds as well."""
    key = (corpus.id, mode, query, members)
    last: tuple[object, Found, float] | None = st.session_state.get(_LAST)
    if last is not None and last[0] == key:
        return last[1], last[2]
    begun = time.perf_counter()
    found = _find(corpus, mode, query, members)
    seconds = time.perf_counter() - begun
    st.session_state[_LAST] = (key, found, seconds)
    return found, seconds


def _find(corpus: Corpus, mode: str, query: str, members: tuple[int, ...] | None) -> Found:
    among: BoolArray | None = None if members is None else find.dominant_among(corpus.array("phi"), members)
    if mode == "words":
        return find.by_words(corpus.path / "sentences.parquet", query, among)
    reads_all = corpus.manifest["config"]["aspects"].get("embedder") == multilingual.NAME
    vector = (multilingual.shared() if reads_all else light.shared()).encode([query])[0]
    return find.by_meaning(corpus.array("embeddings"), vector, MOST, among)


def table(corpus: Corpus, rows: IntArray, found: Found) -> pd.DataFrame:
    """Return what is known about found sentences (r,): words, product, stars, aspect by both names, similarity."""
    view = corpus.view
    result = find.details(corpus.path / "sentences.parquet", rows, _COLUMNS)
    titles = dict(zip(corpus.products["product_id"], corpus.products["title"], strict=True))
    dominant = np.argmax(corpus.array("phi")[rows], axis=1)
    written = pd.to_datetime(result["time"].where(result["time"] >= 0), unit="ms")
    return pd.DataFrame(
        {
            "sentence": result["text"],
            "product": result["product"].map(titles),
            "product_id": result["product"],
            "stars": result["rating"],
            "written": written.dt.strftime("%Y-%m-%d"),
            "aspect": [view.row(int(k)).label for k in dominant],
            "built_aspect": [view.built[int(k)] for k in dominant],
            "similarity": np.nan if found.similarity is None else found.similarity[: len(rows)].astype(np.float64),
            "id": result["id"],
            "mark": [view.row(int(k)).mark for k in dominant],
        }
    )


def _line(row: dict[str, object]) -> str:
    given = "" if pd.isna(row["stars"]) else f" · {stars(float(str(row['stars'])))}"
    written = "" if pd.isna(row["written"]) else f" · {row['written']}"
    likeness = "" if pd.isna(row["similarity"]) else f"{float(str(row['similarity'])):.2f}"
    chip = (
        f'<span class="p-chip" style="border-color:{colour(int(str(row["mark"])))}">{escape(str(row["aspect"]))}</span>'
    )
    return (
        f'<div class="p-found"><p dir="auto">{escape(str(row["sentence"]))}</p><span class="p-number">{likeness}</span>'
        f'<p class="p-quiet">{escape(str(row["product"]))}{given}{written}</p>{chip}</div>'
    )
