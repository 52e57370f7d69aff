"""From a selection to evidence."""

import dataclasses

import numpy as np
import pytest

from prefer_core.errors import DataError
from prefer_core.rewriting import gather
from prefer_core.types import Flag, Selection


def select(*indices):
    """Return a selection of these sentences."""
    count = len(indices)
    return Selection(np.array(indices), np.linspace(1, 0.5, count), np.ones(count))


def phi_of(*aspects, n_aspects=3):
    """Return memberships whose dominant aspects are these."""
    return np.eye(n_aspects)[list(aspects)] * 0.9 + 0.1


def test_groups_share_bin_aspect_and_polarity(make_product, unit_vectors):
    """Close sentences of one aspect are one group, a negative one stands alone, and order is high to low."""
    product = make_product(
        n=5,
        phi=phi_of(0, 0, 0, 1, 2),
        text=["soft skin", "my skin is soft", "my skin is not soft", "lid cracks", "cheap"],
        embedding=unit_vectors([0.0, 0.5, 0.2, 1.5, 3.0]),
        flags=np.array([0, 0, Flag.NEGATIVE, 0, 0]),
        reviewer=np.array([1, 2, 3, 4, 5]),
    )
    evidence = gather(product, select(0, 3, 1, 2, 4), ["skin", "lid", "price"])
    assert [(g.bin, g.aspect, g.members) for g in evidence.groups] == [
        ("high", 0, (0, 2)),
        ("high", 0, (3,)),
        ("mid", 1, (1,)),
        ("mid", 2, (4,)),
    ]
    assert evidence.groups[0].about == 3
    assert evidence.label(evidence.groups[0]) == "skin"


def test_near_duplicates_are_cited_but_not_sent(make_product, unit_vectors):
    """A repeat (cosine above .95, or the same words) stays a member and leaves the model's notes."""
    product = make_product(
        n=3,
        phi=phi_of(0, 0, 0),
        text=["The lid cracks.", "the lid cracks", "lid broke"],
        embedding=unit_vectors([0.0, 0.4, 0.1]),
    )
    selection = Selection(np.array([0, 1, 2]), np.ones(3), np.ones(3))
    (group,) = gather(product, selection).groups
    assert group.members == (0, 1, 2)
    assert group.kept == (0,)


def test_evidence_knows_nothing_about_the_reader(make_product):
    """No field of the evidence holds w or a score."""
    product = make_product(n=6, text=[f"sentence {i}" for i in range(6)])
    evidence = gather(product, select(0, 1, 2))
    assert {f.name for f in dataclasses.fields(evidence)} == {
        "product_id", "product_title", "text", "groups", "labels", "backers", "support",
        "reviewer",
    }  # fmt: skip


def test_the_word_follows_the_cited_sentences(make_product, unit_vectors):
    """N of a group is the union over its members, N of a statement the union over what it cites."""
    product = make_product(
        n=4,
        phi=phi_of(0, 0, 0, 0),
        text=["a b", "c d", "e f", "g h"],
        embedding=unit_vectors([0.0, 0.7, 0.05, 1.4]),
        reviewer=np.array([1, 2, 3, 4]),
        n_reviewers=10,
    )
    evidence = gather(product, Selection(np.array([0, 1]), np.array([1.0, 1.0]), np.ones(2)))
    (group,) = evidence.groups
    assert group.reviewers == 4
    assert evidence.reviewers(group, (0,)) == 3
    assert evidence.word(group, (0,)) == "Some reviewers"


def test_a_product_without_texts_is_refused(make_product):
    """Texts are needed, and the error says so."""
    with pytest.raises(DataError, match="no sentence texts"):
        gather(make_product(), select(0))
