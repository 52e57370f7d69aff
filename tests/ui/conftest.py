"""A real corpus for the pages, and a clean Streamlit process for each test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from prefer_core.config import AspectSettings
from prefer_core.encoders.embedders import EMBEDDERS
from tests.built import SmallCorpora
from tests.data.made import BagOfWords, made_reviews

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def words_only(packages_read_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let corpora be built on bags of words and pages run without a model; shared resources start anew."""
    monkeypatch.setitem(EMBEDDERS, "words", BagOfWords)
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PREFER_MODEL", "none")
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def three_sentences(private_home: Path, small_corpora: SmallCorpora, words_only: None) -> str:
    """Put reviews into the home of which one product has three sentences; return its id."""
    said = (
        "The lid leaks when the bottle lies on its side",
        "It smells of old rubber",
        "The price is fair for the size",
    )
    rows = [{"parent_asin": "TINY", "user_id": f"t{i}", "rating": 3 + i % 2, "text": text, "title": ""}
            for i, text in enumerate(said)]  # fmt: skip
    settings = AspectSettings(embedder="words", n_components=4, n_aspects=3, preset="paper")
    small_corpora.copy([*made_reviews(60), *rows], settings, private_home / "made")
    return "TINY"


@pytest.fixture
def app(
    sample_corpus: Path, packages_read_once: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], AppTest]]:
    """Return a maker of apps on the sample corpus, without a model; shared resources start anew."""
    yield from _apps(sample_corpus, monkeypatch)


@pytest.fixture
def counted(
    counted_corpus: Path, packages_read_once: None, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], AppTest]]:
    """Return a maker of apps like `app`, on reviews whose points are counted by likeness."""
    yield from _apps(counted_corpus, monkeypatch)


def _apps(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], AppTest]]:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PREFER_CORPUS", str(corpus))
    monkeypatch.setenv("PREFER_MODEL", "none")
    st.cache_resource.clear()
    yield lambda: AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    st.cache_resource.clear()
