"""Support bins and reviewers who say the same."""

import time

import numpy as np
import pytest

from prefer_core.config import SupportSettings
from prefer_core.rewriting.support import backers, bins, quantifier, reviewers_saying, total_reviewers
from prefer_core.types import Flag


def names(dominant, reviewer=None, relevance=None):
    """Return bin names with their members."""
    return [(b.name, b.members, b.rule) for b in bins(np.asarray(dominant), reviewer, relevance)]


def test_bins_are_strict_at_the_quantiles():
    """The first screen of a newcomer (n_k = 2,2,1,1,1,1,1,1) is not all high, as FACTS says of strict rules."""
    dominant = [0, 0, 1, 1, 2, 3, 4, 5, 6, 7]
    found = {name: members for name, members, _ in names(dominant)}
    assert found == {"high": (0, 1, 2, 3), "mid": (4, 5, 6, 7, 8, 9)}


def test_bins_count_reviewers_not_sentences():
    """Three sentences of one reviewer on an aspect count once."""
    assert names([0, 0, 0, 1, 1], np.array([5, 5, 5, 1, 2])) == [
        ("high", (3, 4), "support"),
        ("low", (0, 1, 2), "support"),
    ]


def test_bins_of_one_aspect_are_terciles_of_relevance():
    """One aspect alone gives relevance strata and says so."""
    found = names([3, 3, 3], relevance=np.array([0.1, 0.9, 0.5]))
    assert found == [("high", (1,), "relevance"), ("mid", (2,), "relevance"), ("low", (0,), "relevance")]


def test_no_evidence_has_no_bins():
    """An empty S_t gives no bin, and one sentence gives one."""
    assert names([]) == []
    assert names([2]) == [("mid", (0,), "relevance")]


@pytest.mark.parametrize("seed", range(5))
def test_bins_part_the_evidence(seed):
    """Every position is in exactly one bin, in order of extraction, and empty bins are left out."""
    rng = np.random.default_rng(seed)
    parts = bins(rng.integers(0, 4, 9), rng.integers(0, 5, 9))
    assert sorted(i for part in parts for i in part.members) == list(range(9))
    assert all(part.members == tuple(sorted(part.members)) and part.members for part in parts)


def test_saying_the_same_needs_closeness_and_polarity(make_product, unit_vectors):
    """N counts close reviewers of equal polarity, every supporter included."""
    product = make_product(
        n=4,
        embedding=unit_vectors([0.0, 0.1, 0.1, 1.5]),
        flags=np.array([0, 0, Flag.NEGATIVE, 0]),
        reviewer=np.array([1, 2, 3, 4]),
        supporters=[np.array([1]), np.array([2, 9]), np.array([3]), np.array([4])],
    )
    assert reviewers_saying(product, [0], 0.9) == 3
    assert backers(product, [0], 0.9) == (frozenset({1, 2, 9}),)
    assert reviewers_saying(product, [0, 3], 0.9) == 4


def test_without_embedding_only_the_cited_reviewers_count(make_product):
    """Without vectors N is the distinct reviewers of the cited sentences."""
    product = make_product(n=5, reviewer=np.array([1, 1, 2, 3, 3]))
    assert reviewers_saying(product, [0, 1, 3], 0.5) == 2
    assert reviewers_saying(make_product(n=5), [0, 1], 0.5) == 2


def test_agrees_with_the_direct_count(make_product):
    """The blocked product equals a double loop in float64."""
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(300, 384)) + 2 * rng.normal(size=(1, 384))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    flags, who = rng.integers(0, 2, 300), rng.integers(0, 60, 300)
    product = make_product(n=300, embedding=vectors, flags=flags, reviewer=who)
    wide = vectors.astype(np.float64)

    def same(i, j):
        return i == j or (flags[i] == flags[j] and wide[i] @ wide[j] >= 0.81)

    said = {int(who[j]) for j in range(300) if same(5, j) or same(17, j)}
    assert reviewers_saying(product, [5, 17], 0.81) == len(said)


def test_five_thousand_sentences_take_a_moment(make_product):
    """N for six cited sentences of 5,000 is there within a second on a busy machine."""
    vectors = np.random.default_rng(0).normal(size=(5000, 384)).astype(np.float16)
    product = make_product(n=5000, embedding=vectors, reviewer=np.arange(5000))
    start = time.perf_counter()
    reviewers_saying(product, range(6), 0.5)
    assert time.perf_counter() - start < 1.0


@pytest.mark.parametrize(
    ("n", "total", "word"),
    [
        (1, 1, "One reviewer"),
        (0, 9, "One reviewer"),
        (2, 4, "A few reviewers"),
        (4, 10, "Some reviewers"),
        (5, 25, "Many reviewers"),
        (5, 26, "Some reviewers"),
        (3, 60, "Some reviewers"),
        (3, 61, "A few reviewers"),
    ],
)
def test_words_keep_both_limits(n, total, word):
    """A share and a least count are both needed for "many" and for "some"."""
    assert quantifier(n, total, SupportSettings()) == word


def test_total_knows_reviewers_that_were_filtered_out(make_product):
    """M is the product's own count where it is larger than what the table still shows."""
    assert total_reviewers(make_product(n=3, reviewer=np.array([1, 1, 2]))) == 2
    assert total_reviewers(make_product(n=3, reviewer=np.array([1, 1, 2]), n_reviewers=40)) == 40
