"""Texts written ahead are what the pages show."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from prefer_core.config import WritingSettings
from prefer_core.corpus import open_corpus
from prefer_core.insight.warm import chosen_products, warm
from prefer_core.rewriting import Writer
from prefer_core.rewriting.cache import TextCache
from prefer_core.rewriting.fake import FakeBackend
from prefer_core.types import TOLD
from prefer_core.ui import resources
from tests.ui.test_compare import compare, markup


def joins(prompt: str) -> str:
    """Answer with the two given sentences as one, or with what somebody wrote as it is told."""
    first, second = (line.split(": ", 1)[1].rstrip(".") for line in prompt.splitlines()[:2])
    if prompt.startswith("Who"):
        return f" {first} {'says' if first == 'One reviewer' else 'say'} that {second[:1].lower()}{second[1:]}."
    return f" {first}, and {second[:1].lower()}{second[1:]}."


def test_the_comparison_page_never_asks_the_model_for_a_warmed_text(
    app: Callable[[], AppTest], sample_corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fresh page with two warmed profiles shows the model's sentences at once, and its model is not called."""
    corpus = open_corpus(sample_corpus)
    product = chosen_products(corpus, "1")[0]
    fake = FakeBackend(default=joins)
    limits = WritingSettings(candidates=1)
    first = Writer(lambda: fake, TextCache(tmp_path), limits, name="Fake model")
    warm(corpus, first, [product])
    first.close()
    silent = FakeBackend(name="Fake model")
    page = Writer(lambda: silent, TextCache(tmp_path), limits, name="Fake model")
    monkeypatch.setattr(resources, "writer", lambda: page)
    told = [point.aspect for point in corpus.product(product).keypoints if point.form in TOLD]
    aspect = max(told, key=told.count)
    at = compare(app, product=product, profile=["even", f"theme-{aspect}"])
    assert "sentences by Fake model, checked" in "".join(c.value for c in at.caption)
    assert ">B · " in markup(at)
    assert silent.requests == []
    page.close()
