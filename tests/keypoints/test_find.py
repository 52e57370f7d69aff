"""Points of one product: who is counted, what is kept, what contradicts what."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefer_core.config import KeyPointSettings
from prefer_core.encoders.entailment import OTHER, SAYS
from prefer_core.keypoints.cover import cover, writers
from prefer_core.keypoints.find import key_points, match
from prefer_core.types import Flag
from tests.keypoints.made import TOPICS, Judge, made

LID, SWEET, LARGE, SMALL = TOPICS
SETTINGS = KeyPointSettings(apart=0.995)


def test_counts_are_the_reviewers_who_say_it() -> None:
    """N is the number of reviewers with a matching sentence, members begin with the point's own sentence."""
    material, phi = made({LID: 9, SWEET: 6, LARGE: 5})
    points = key_points(material, match(material, Judge(), SETTINGS), phi, SETTINGS)
    counted = {material.texts[p.representative]: p.reviewers for p in points if not p.voice}
    assert counted == {LID: 9, SWEET: 6, LARGE: 5}
    for point in points:
        assert point.members[0] == point.representative
        assert point.about >= point.reviewers
        assert len(set(point.members.tolist())) == len(point.members)


def test_one_reviewer_with_many_sentences_counts_once() -> None:
    """A flood by a single account makes no point."""
    material, phi = made({LID: 9, SWEET: 6})
    pairs = zip(material.texts, material.supporters, strict=True)
    flood = [np.array([0]) if "lid" in text else codes for text, codes in pairs]
    found = match(replace(material, supporters=flood), Judge(), replace(SETTINGS, least_reviewers=2))
    points = key_points(replace(material, supporters=flood), found, phi, SETTINGS)
    assert [material.texts[p.representative] for p in points if not p.voice] == [SWEET]


def test_points_that_contradict_each_other_know_it() -> None:
    """Large and small are opposed, both ways; the others are not."""
    material, phi = made({LID: 5, LARGE: 7, SMALL: 6})
    points = key_points(material, match(material, Judge(), SETTINGS), phi, SETTINGS)
    names = [material.texts[p.representative] for p in points]
    opposed = {name: None if p.opposed is None else names[p.opposed] for name, p in zip(names, points, strict=True)}
    assert opposed[LARGE] == SMALL
    assert opposed[SMALL] == LARGE
    assert opposed[LID] is None


def test_a_sentence_is_never_counted_for_two_opposite_points() -> None:
    """What the model takes for both large and small stays with the size that is nearer."""
    material, _ = made({LARGE: 7, SMALL: 6})
    texts = [text.replace("number 3", "and they have no large one") for text in material.texts]
    both = texts.index("Mine was far too small, and they have no large one.")
    found = match(replace(material, texts=texts), Judge(), SETTINGS)
    members = {texts[row]: set(rows.tolist()) for row, rows in zip(found.chosen, found.members, strict=True)}
    assert not members[LARGE] & members[SMALL]
    assert both in members[SMALL]


class Loose(Judge):
    """Takes half of what says small for large as well."""

    def _relation(self, sentence: str, point: str) -> int:
        half = sentence == SMALL or any(number in sentence for number in ("number 1", "number 2"))
        if point == LARGE and "small" in sentence:
            return SAYS if half else OTHER
        return super()._relation(sentence, point)


def test_a_point_that_says_another_and_shares_a_third_of_its_sentences_is_that_one() -> None:
    """Three reviewers are left to the smaller point, enough to stand alone, but it is the larger one in other words."""
    material, _ = made({LARGE: 7, SMALL: 6})
    found = match(material, Loose(), SETTINGS)
    assert [material.texts[row] for row in found.chosen] == [LARGE]
    assert len(found.members[0]) == 10


@pytest.mark.parametrize(("reviewers", "has"), [(19, False), (20, True)])
def test_a_product_of_few_reviewers_has_no_points(reviewers: int, has: bool) -> None:
    """Twenty reviewers are enough, nineteen are not."""
    material, _ = made({LID: 9}, strangers=reviewers - 9)
    found = match(material, Judge(), SETTINGS)
    assert bool(len(found.chosen)) == has


def test_what_is_rare_or_about_safety_stays_as_a_voice() -> None:
    """A lone candidate of a thin aspect and a sentence about safety that stands alone are voices with N = 1."""
    material, phi = made({LID: 9, SWEET: 1})
    flags = material.flags.copy()
    flags[-2:] = Flag.SAFETY
    texts = [*material.texts[:-2], "It burned my hand in a minute.", "I had blisters for a week."]
    marked = replace(material, flags=flags, texts=texts)
    points = key_points(marked, match(marked, Judge(), SETTINGS), phi, SETTINGS)
    voices = {texts[p.representative]: p for p in points if p.voice}
    assert SWEET in voices
    assert voices[texts[-2]].form == "told"
    assert texts[-1] not in voices  # of what?
    assert all(p.reviewers == 1 for p in voices.values())


def test_without_a_model_only_equal_sentences_are_counted() -> None:
    """Nobody is counted for what a missing model would have had to read."""
    material, phi = made({LID: 9})
    three = [
        np.array([0, 40, 41]) if text == LID else codes
        for text, codes in zip(material.texts, material.supporters, strict=True)
    ]
    found = match(replace(material, supporters=three), None, SETTINGS)
    points = key_points(replace(material, supporters=three), found, phi, SETTINGS)
    assert [(p.reviewers, len(p.members)) for p in points if not p.voice] == [(3, 1)]


@given(st.lists(st.lists(st.integers(0, 11), min_size=1, unique=True), min_size=1, max_size=6), st.integers(1, 4))
def test_the_cover_stops_where_nothing_new_is_told(said: list[list[int]], least: int) -> None:
    """Each chosen point adds at least the least gain, no open one would, and the first is the largest."""
    members = [np.array(rows) for rows in said]
    who = [np.array([i // 2]) for i in range(12)]
    chosen = cover(members, who, np.eye(len(said), dtype=bool), least, 9)
    counted: set[int] = set()

    def gain(c: int) -> int:
        return len(writers(np.array([row for row in said[c] if row not in counted], dtype=int), who))

    for c in chosen:
        assert gain(c) == max(gain(other) for other in range(len(said)) if other not in chosen[: chosen.index(c)])
        assert gain(c) >= least
        counted |= set(said[c])
    assert all(gain(c) < least for c in range(len(said)) if c not in chosen)
