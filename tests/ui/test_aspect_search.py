"""Facts about the search on the page, on the sample's real vectors."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from prefer_core.aspects.names import Edit, view_of
from prefer_core.aspects.search import Found
from prefer_core.corpus import open_corpus
from prefer_core.ui.aspect_search import table


@pytest.fixture
def page(sample_corpus: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], AppTest]:
    """Return a maker of pages with nothing but the search."""
    monkeypatch.setenv("PREFER_CORPUS", str(sample_corpus))
    st.cache_resource.clear()

    def drawn() -> None:
        from prefer_core.ui import resources
        from prefer_core.ui.aspect_search import search

        search(resources.required()[0])

    return lambda: AppTest.from_function(drawn, default_timeout=60).run()


def results(at: AppTest) -> list[str]:
    """Return the markup of every result."""
    return "".join(element.proto.body for element in at.get("html")).split('class="p-found"')[1:]


def test_meaning_finds_what_words_do_not(page: Callable[[], AppTest], sample_corpus: Path) -> None:
    """Fifty results, best first, the first ones about the query; one aspect alone can be asked for."""
    at = page()
    assert not at.exception
    assert not results(at)
    at = at.text_input[0].set_value("the fragrance is lovely").run()
    assert not at.exception
    found = results(at)
    assert len(found) == 50
    likeness = [float(one.split('p-number">')[1][:4]) for one in found]
    assert likeness == sorted(likeness, reverse=True)
    assert sum("smell" in one.lower() or "scent" in one.lower() or "fragrance" in one.lower() for one in found) >= 25
    corpus = open_corpus(sample_corpus)
    price = next(k for k, label in enumerate(corpus.labels) if "rice" in label)
    at = at.selectbox[0].set_value(price).run()
    assert all(corpus.labels[price] in one for one in results(at))


def test_words_are_counted_and_escaped(page: Callable[[], AppTest], sample_corpus: Path) -> None:
    """As many as reading the file finds; a query that finds nothing, or is none, gets a sentence."""
    at = page()
    at.segmented_control[0].set_value("words")
    at = at.text_input[0].set_value("smells").run()
    assert not at.exception
    texts = pq.read_table(sample_corpus / "sentences.parquet")["text"].to_pylist()
    count = sum("smells" in "".join(c if c.isalnum() else " " for c in text.lower()).split() for text in texts)
    assert any(f"**{count:,} found** among {len(texts):,}" in m.value for m in at.markdown)
    assert len(results(at)) == min(50, count)
    at = at.text_input[0].set_value("zyzzyva").run()
    assert "No sentence fits" in at.info[0].value
    at = at.text_input[0].set_value("<$>").run()
    assert "at least one word" in at.warning[0].value


def test_the_table_has_both_names_and_the_right_rows(sample_corpus: Path) -> None:
    """Words, product, stars and aspect of scattered sentences, against the corpus's own products."""
    corpus = open_corpus(sample_corpus)
    corpus = corpus.named(view_of(corpus.labels, [Edit("merge", (0, 1), "Use"), Edit("hide", (2,))]))
    rows = np.array([2000, 5, 900, 901])
    found = table(corpus, rows, Found(rows, np.array([0.9, 0.8, 0.7, 0.6]), 4))
    for position, row in enumerate(rows):
        held = corpus.products[(corpus.products["start"] <= row) & (row < corpus.products["stop"])].iloc[0]
        product = corpus.product(held["product_id"])
        local = row - held["start"]
        one = found.iloc[position]
        assert one["sentence"] == product.text[local]
        assert one["product"] == held["title"]
        assert one["id"] == product.ids[local]
        assert one["stars"] == product.rating[local]
        assert one["built_aspect"] == corpus.view.built[product.dominant[local]]
        assert one["aspect"] == corpus.view.row(int(product.dominant[local])).label
    assert found["similarity"].tolist() == [0.9, 0.8, 0.7, 0.6]
