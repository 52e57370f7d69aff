"""Evidence for the tests of rewriting: written for them, none of it taken from real reviews."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from prefer_core.config import WritingSettings
from prefer_core.rewriting.base import Evidence, Group
from prefer_core.rewriting.support import BinName

LABELS = ("smell, coconut", "skin feel", "packaging", "price", "size and fit", "delivery")

SETS: tuple[tuple[str, ...], ...] = (
    (
        "I love how the coconut smell stays in my bathroom for hours.",
        "my skin felt really soft after the first shower",
        "The lid cracked after two weeks and mine leaked in the cupboard.",
        "It is a bit pricey for such a small jar.",
    ),
    (
        "The sleeves are too long for me but the wool is warm.",
        "I wish this sweater had pockets.",
        "runs true to size, I am usually a medium",
        "The colour faded after one wash, I was so disappointed!",
    ),
    (
        "These headphones stay in my ears when I run.",
        "Bass is strong and the voices are clear.",
        "the cable broke after a month of daily use",
        "I don't like the tiny buttons at all.",
    ),
    (
        "My kettle boils a full litre in three minutes.",
        "The handle gets hot, so I use a towel.",
        "We have had it for two years and it still looks new.",
    ),
    (
        "I bought this backpack for my son and he loves the pockets.",
        "The zip does not close properly.",
        "Straps are wide and comfortable on long walks.",
        "It was delivered a week late.",
    ),
    (
        "This lamp is not as bright as I expected.",
        "I like that the light can be dimmed.",
        "The base wobbles on our uneven table.",
    ),
    (
        "The shampoo makes my hair shiny without drying my scalp.",
        "I don't care for the medicinal smell.",
        "A little goes a long way, one bottle lasted us four months.",
    ),
    (
        "The shoes squeak when I walk on tiles.",
        "Very light, I hardly notice them on my feet.",
        "I had to order half a size up.",
        "The soles wore through within a year.",
    ),
    (
        "The keyboard is quiet enough for our office.",
        "I keep hitting the wrong key because the layout is odd.",
        "Battery lasts about six months for me.",
    ),
    (
        "The tent kept us dry through a whole night of rain.",
        "I could not get the poles back into the bag.",
        "It is roomy for two people but heavy to carry.",
        "Setting it up took me ten minutes.",
    ),
)


def make_evidence(
    text: Sequence[str],
    *,
    reviewers: Sequence[int] = (),
    total: int = 100,
    labels: Sequence[str] = LABELS,
    members: Sequence[tuple[int, ...]] = (),
) -> Evidence:
    """Make evidence with one group a sentence unless `members` says otherwise."""
    names: tuple[BinName, ...] = ("high", "mid", "low")
    parts = tuple(members) or tuple((i,) for i in range(len(text)))
    counts = tuple(reviewers) or (30, 8, 2, 1, 1, 1)
    backers = tuple(frozenset(range(100 * i, 100 * i + counts[i % len(counts)])) for i in range(len(text)))
    groups = tuple(
        Group(
            bin=names[min(place * 3 // len(parts), 2)],
            aspect=place % max(1, len(labels)),
            members=part,
            reviewers=len(frozenset().union(*(backers[i] for i in part))),
            total=total,
        )
        for place, part in enumerate(parts)
    )
    return Evidence("P", "A product", tuple(text), groups, tuple(labels), backers)


@pytest.fixture
def evidence() -> Evidence:
    """Return the first evidence set."""
    return make_evidence(SETS[0])


@pytest.fixture
def quick() -> WritingSettings:
    """Return settings with two candidates and short limits."""
    return WritingSettings(candidates=2, job_timeout=5.0, call_timeout=5.0)


@pytest.fixture
def unit_vectors() -> Callable[[Sequence[float]], np.ndarray]:
    """Return a maker of unit vectors (n, 384) at the given angles, as float16."""

    def make(angles: Sequence[float]) -> np.ndarray:
        vectors = np.zeros((len(angles), 384), dtype=np.float16)
        vectors[:, 0] = np.cos(angles)
        vectors[:, 1] = np.sin(angles)
        return vectors

    return make
