"""A real corpus for the pages, and a clean Streamlit process for each test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from prefer_core.encoders.embedders import EMBEDDERS
from tests.data.made import BagOfWords

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let corpora be built on bags of words and pages run without a model; shared resources start anew."""
    monkeypatch.setitem(EMBEDDERS, "words", BagOfWords)
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PREFER_MODEL", "none")
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def app(sample_corpus: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], AppTest]]:
    """Return a maker of apps on the sample corpus, without a model; shared resources start anew."""
    yield from _apps(sample_corpus, monkeypatch)


@pytest.fixture
def counted(counted_corpus: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], AppTest]]:
    """Return a maker of apps like `app`, on reviews whose points are counted by likeness."""
    yield from _apps(counted_corpus, monkeypatch)


def _apps(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], AppTest]]:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PREFER_CORPUS", str(corpus))
    monkeypatch.setenv("PREFER_MODEL", "none")
    st.cache_resource.clear()
    yield lambda: AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    st.cache_resource.clear()
