"""Texts written ahead."""

from pathlib import Path

import numpy as np
import pytest

from prefer_core.config import WritingSettings
from prefer_core.corpus import open_corpus
from prefer_core.errors import BackendError, DataError
from prefer_core.insight.comparison import Column, column_evidence, compare
from prefer_core.insight.profiles import profile
from prefer_core.insight.warm import chosen_products, profiles, warm
from prefer_core.rewriting import Writer
from prefer_core.rewriting.cache import TextCache
from prefer_core.rewriting.fake import FakeBackend


def copies(prompt: str) -> str:
    """Answer with what is given."""
    return f" {prompt.splitlines()[0]}"


def writer_on(folder: Path, backend: FakeBackend) -> Writer:
    """Return a writer with a cache."""
    return Writer(lambda: backend, TextCache(folder), WritingSettings(candidates=1), name="Fake model")


@pytest.fixture
def corpus(sample_corpus):
    """Return the sample corpus."""
    return open_corpus(sample_corpus)


def test_profiles_are_uniform_corners_and_mixes(corpus):
    """One uniform, e_k for every aspect the product has, "other" aside, three mixes of its heaviest."""
    product = corpus.product(chosen_products(corpus, "1")[0])
    found = [profile(code, product, corpus.labels).w for code in profiles(product, corpus.other)]
    present = set(product.dominant.tolist()) - {corpus.other}
    assert len(found) == 1 + len(present) + 3
    assert np.allclose(found[0], 1 / corpus.n_aspects)
    assert {int(np.argmax(w)) for w in found if w.max() == 1} == present
    mass = product.phi.sum(axis=0)
    heaviest = set(sorted(present, key=lambda k: -mass[k])[:3])
    assert {int(k) for w in found if w.max() == 0.5 for k in np.flatnonzero(w)} == heaviest


def test_a_page_that_asks_for_the_same_evidence_is_answered_from_the_cache(corpus, tmp_path):
    """After warming, another process with the same cache writes every profile's text without calling its model."""
    names = chosen_products(corpus, "1")
    first = writer_on(tmp_path, FakeBackend(default=copies))
    warmed = warm(corpus, first, names)
    first.close()
    product = corpus.product(names[0])
    codes = profiles(product, corpus.other)
    assert (warmed.asked, warmed.failed) == (len(codes), 0)
    backend = FakeBackend(default=lambda prompt: pytest.fail("the model was asked"))
    page = writer_on(tmp_path, backend)
    for i in range(len(codes) - 1):
        shown = [Column(profile(code, product, corpus.labels)) for code in codes[i : i + 2]]
        for one in compare(corpus, names[0], shown):
            job = page.submit(column_evidence(product, one))
            assert (job.state, job.cached, job.error) == ("done", True, None)
    assert backend.requests == []
    assert warm(corpus, page, names).cached == len(codes)
    page.close()


def test_products_by_number_and_by_name(corpus):
    """A number takes the largest; an unknown id names some that are known."""
    table = corpus.products.set_index("product_id")["n_sentences"]
    largest = chosen_products(corpus, "3")
    assert len(largest) == 3
    assert min(table[largest]) >= max(table.drop(largest))
    assert chosen_products(corpus, f"{largest[2]}, {largest[0]}") == [largest[2], largest[0]]
    with pytest.raises(DataError, match=rf"has no product 'nothing'; its largest are {largest[0]}"):
        chosen_products(corpus, f"{largest[0]},nothing")


def test_without_a_model_nothing_is_warmed(corpus, tmp_path):
    """The reason is the writer's note, or the first text's error."""
    names = chosen_products(corpus, "1")
    with pytest.raises(BackendError, match=r"nothing to warm without a model\. It is gone"):
        warm(corpus, Writer(None, None, WritingSettings(), note="It is gone."), names)
    dead = FakeBackend()
    dead.dead = True
    writer = writer_on(tmp_path, dead)
    with pytest.raises(BackendError, match="SIGKILL"):
        warm(corpus, writer, names)
    writer.close()
