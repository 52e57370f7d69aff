"""Rounds on key points: what is chosen, what it rests on, and what is not repeated."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from prefer_core import session
from prefer_core.config import PERSON, SessionSettings
from prefer_core.keypoints.pool import pool_of, tone_of
from prefer_core.selection import EXTRACTORS
from prefer_core.types import Flag, KeyPoint, ProductCorpus
from tests.shelf import Shelf

ASPECTS = 4


def product(points_per_aspect: int = 6, opposed: bool = False, safety: bool = False) -> ProductCorpus:
    """Return a product whose point j has aspect j mod 4, a sentence of its own and five of others who say it."""
    rng = np.random.default_rng(3)
    n_points, each = ASPECTS * points_per_aspect, 6
    n = n_points * each
    phi = np.full((n, ASPECTS), 0.02)
    aspect = np.repeat(np.arange(n_points) % ASPECTS, each)
    phi[np.arange(n), aspect] = 0.94
    flags = np.zeros(n, dtype=np.int64)
    if safety:
        flags[:each] = Flag.SAFETY
    points = [
        KeyPoint(
            representative=j * each,
            aspect=j % ASPECTS,
            negative=False,
            reviewers=each + j % 3,
            about=40,
            members=np.arange(j * each, (j + 1) * each),
            opposed=(j ^ 1) if opposed and j < 2 else None,
        )
        for j in range(n_points)
    ]
    return ProductCorpus(
        product_id="P",
        phi=phi,
        s=rng.normal(size=(n, 8)),
        tokens=rng.integers(4, 12, n),
        text=[f"Sentence {i} says its point." for i in range(n)],
        supporters=[np.array([i]) for i in range(n)],
        reviewer=np.arange(n),
        flags=flags,
        keypoints=points,
    )


def rounds(made: ProductCorpus, w: Sequence[float], how: SessionSettings, number: int = 8) -> list[session.Round]:
    """Return rounds of a reader who keeps one preference."""
    state = replace(session.updater(how).start(ASPECTS, 1), w=np.array(w))
    found: list[session.Round] = []
    for t in range(1, number + 1):
        shown = [r.points.tolist() for r in found]
        found.append(session.propose(Shelf(made), "P", state, how, t, shown))
    return found


@pytest.mark.parametrize("extractor", sorted(EXTRACTORS))
def test_a_round_rests_on_the_cited_sentences(extractor: str) -> None:
    """z = alpha @ mean phi of what is cited, at most four sentences a point, each of another reviewer."""
    made = product()
    how = replace(PERSON["omd"], extractor=extractor)
    [found] = rounds(made, [0.7, 0.1, 0.1, 0.1], how, 1)
    assert len(found.points) == len(found.cited) == how.max_sentences
    means = np.stack([made.phi[rows].mean(axis=0) for rows in found.cited])
    np.testing.assert_allclose(found.z, found.alpha @ means)
    for point, rows in zip(found.points, found.cited, strict=True):
        assert set(rows) <= set(made.keypoints[point].members.tolist())
        assert rows[0] == made.keypoints[point].representative
        assert len(rows) <= 4
    assert found.evidence.tolist() == [row for rows in found.cited for row in rows]


def test_propensities_are_those_of_the_frequencies() -> None:
    """Over many draws the first choice falls on each candidate as often as the propensity says (chi-square)."""
    made = product(2)
    how = replace(PERSON["omd"], max_sentences=1, focused_beta=None, focused_trade_off=None, reserve=False)
    state = replace(session.updater(how).start(ASPECTS, 1), w=np.array([0.4, 0.3, 0.2, 0.1]))
    drawn = [session.propose(Shelf(made), "P", state, how, t) for t in range(1, 3001)]
    told = {int(r.selection.indices[0]): float(r.selection.propensities[0]) for r in drawn}
    counts = np.bincount([int(r.selection.indices[0]) for r in drawn], minlength=8)
    expected = np.array([told[i] for i in range(8)]) * len(drawn)
    assert expected.sum() == pytest.approx(len(drawn))
    assert ((counts - expected) ** 2 / expected).sum() < 24.3  # chi-square, 7 degrees, .999


@pytest.mark.parametrize("learner", sorted(PERSON))
def test_the_points_follow_the_weight(learner: str) -> None:
    """At a weight of .7 on an aspect three of four points are about it and the first always is, over eight rounds."""
    made = product(12)
    for aspect in range(ASPECTS):
        w = np.full(ASPECTS, 0.1)
        w[aspect] = 0.7
        how = replace(PERSON[learner], learner="omd")
        for found in rounds(made, w.tolist(), how):
            about = [made.keypoints[p].aspect for p in found.points]
            assert about[0] == aspect
            assert about.count(aspect) >= 3


def test_no_point_comes_back_within_three_rounds_while_another_is_left() -> None:
    """Sixteen points of an aspect are enough for four rounds of four without a repeat."""
    made = product(16)
    found = rounds(made, [0.97, 0.01, 0.01, 0.01], replace(PERSON["omd"], reserve=False), 9)
    for t, one in enumerate(found):
        lately = {p for r in found[max(0, t - 3) : t] for p in r.points.tolist()}
        assert not lately & set(one.points.tolist())


def test_with_few_points_the_wanted_aspect_still_leads() -> None:
    """Four points of an aspect come back at once rather than leave the reader without it."""
    made = product(4)
    for one in rounds(made, [0.97, 0.01, 0.01, 0.01], replace(PERSON["omd"], reserve=False)):
        assert all(made.keypoints[p].aspect == 0 for p in one.points)


def test_an_opposed_pair_is_one_candidate_with_sentences_of_both() -> None:
    """Two sentences of each side are cited, N is the union, and the claim knows what others say."""
    made = product(opposed=True)
    pool = pool_of(made)
    assert len(pool.points) == len(made.keypoints) - 1
    place = pool.points.tolist().index(1)  # the second is said by one more
    assert pool.reviewers[place] == 12
    assert [int(row) // 6 for row in pool.cited[place]] == [1, 1, 0, 0]
    [found] = rounds(made, [0.01, 0.97, 0.01, 0.01], PERSON["omd"], 1)
    said = [claim for claim in session.claims(made, found) if claim.opposed]
    for claim in said:
        assert claim.point == 1
        assert claim.opposed.point == 0
        assert len(claim.cites) == len(claim.opposed.cites) == 2


def test_the_reserved_place_goes_to_safety_and_does_not_repeat() -> None:
    """The point of safety is shown whatever the reader wants; what was shown before waits for the others."""
    made = product(safety=True)
    found = rounds(made, [0.01, 0.01, 0.01, 0.97], PERSON["omd"], 4)
    assert found[0].points[found[0].selection.reserved] == 0
    assert found[0].selection.propensities[found[0].selection.reserved] == 1.0


def test_an_even_preference_is_shown_what_most_people_say() -> None:
    """At an even w the points chosen are among the commonest, apart from the reserved place."""
    made = product()
    [found] = rounds(made, [0.25] * 4, replace(PERSON["omd"], extractor="mmr", reserve=False), 1)
    assert all(made.keypoints[p].reviewers == 8 for p in found.points)


def test_a_product_without_points_is_summarised_from_its_sentences() -> None:
    """The pool of preset `person` falls back to sentences; claims are empty."""
    made = replace(product(), keypoints=())
    [found] = rounds(made, [0.7, 0.1, 0.1, 0.1], PERSON["omd"], 1)
    assert len(found.points) == 0
    assert session.claims(made, found) == ()
    assert found.evidence.tolist() == found.selection.indices.tolist()


@pytest.mark.parametrize(
    ("words", "stars", "voice", "tone"),
    [
        ("The lid is blue.", 5.0, False, 1),  # those who say it like the product
        ("The lid is blue.", 1.0, False, -1),
        ("The lid is blue.", 3.0, False, 0),
        ("The lid is flimsy.", 3.0, False, -1),  # the stars are silent
        ("The lid is flimsy.", 5.0, False, 0),  # they contradict the words
        ("The lid is blue.", 5.0, True, 0),  # one reviewer's stars may be for something else
        ("The lid is lovely.", 5.0, True, 1),
    ],
)
def test_a_point_praises_or_complains_by_stars_and_words(words: str, stars: float, voice: bool, tone: int) -> None:
    """Stars of those who say it against those of all; words where they are silent; for one reviewer both."""
    made = product()
    text = [words, *made.text[1:]]
    rating = np.full(len(made), 3.0)
    rating[made.keypoints[0].members] = stars
    points = [replace(made.keypoints[0], voice=voice), *made.keypoints[1:]]
    assert tone_of(replace(made, text=text, rating=rating, keypoints=points), 0) == tone
