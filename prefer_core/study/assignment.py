"""Who sees what: arms by seeded blocks, products, sides, slider starts and hidden repeats, all from one seed.

A participant's number is given out when they agree to take part, so that links that nobody opens leave no gap.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from prefer_core.study.definition import REPEAT_GAP, Study


class Stream(IntEnum):
    """One stream of randomness a purpose."""

    BLOCK = 1
    PRODUCTS = 2
    SIDES = 3
    STARTS = 4
    REPEATS = 5
    SESSIONS = 6


@dataclass(frozen=True)
class Slot:
    """One place in a participant's plan: what is shown there.

    Attributes
    ----------
    name : str
        "practice", "round-3" or "repeat-1".
    product_id : str
        The product; of a repeat that of the round it repeats.
    arms : tuple of str
        Arms whose summaries are shown, from left to right.
    starts : tuple of int
        Where each slider starts, in per cent.
    repeats : str
        Name of the slot that is shown again, or empty.
    """

    name: str
    product_id: str
    arms: tuple[str, ...]
    starts: tuple[int, ...]
    repeats: str = ""

    @property
    def practice(self) -> bool:
        """Whether it counts for nothing."""
        return self.name == "practice"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Slot":
        """Make a slot from plain values."""
        return cls(**{**values, "arms": tuple(values["arms"]), "starts": tuple(values["starts"])})


def cells(study: Study) -> list[tuple[str, ...]]:
    """Return the conditions to which participants are dealt: an arm each, or an order of arms.

    Orders of a within-subject study are a Williams design: every arm comes at every place equally often, and, with an
    even number of arms, after every other arm equally often.
    """
    names = [arm.name for arm in study.arms]
    if study.about.design == "between":
        return [(name,) for name in names]
    if study.about.design == "pairs":
        return [tuple(names)]
    n = len(names)
    first = [(i + 1) // 2 if i % 2 else (n - i // 2) % n for i in range(n)]
    rows = [[(place + shift) % n for place in first] for shift in range(n)]
    if n % 2:
        rows += [row[::-1] for row in rows]
    return [tuple(names[place] for place in row) for row in rows]


def cell_of(study: Study, number: int) -> int:
    """Return the condition of participant `number` = 0, 1, ...: each block holds every condition once, in random order.

    At any time the conditions' sizes differ by one at most.
    """
    block, place = divmod(number, len(cells(study)))
    return int(_rng(study, Stream.BLOCK, block).permutation(len(cells(study)))[place])


def plan(study: Study, pool: Sequence[str], number: int) -> list[Slot]:
    """Return what participant `number` is shown, in order.

    Parameters
    ----------
    study : Study
        The definition.
    pool : sequence of str
        `Study.pool` of the corpus.
    number : int
        The participant's, from 0.
    """
    about = study.about
    order = cells(study)[cell_of(study, number)]
    products = _products(study, pool, number)
    practice = [products.pop()] if about.practice else []
    shown = order if about.design == "within" else ("",)
    per_arm = about.rounds // len(shown)
    rounds: list[tuple[str, tuple[str, ...]]] = []
    for arm in shown:
        of_arm = [products.pop(0) for _ in range(-(-per_arm // study.products.in_a_row))]
        for i in range(per_arm):
            arms = order if about.design != "within" else (arm,)
            rounds.append((of_arm[i // study.products.in_a_row], arms))
    flips = _sides(study, number, about.rounds)
    slots = [
        Slot(f"round-{i + 1}", product, arms[::-1] if flip else arms, _starts(study, number, i + 1, len(arms)))
        for i, ((product, arms), flip) in enumerate(zip(rounds, flips, strict=True))
    ]
    if practice:
        # Both sides of a practice pair and every arm's practice look alike: it is made without learning.
        arms = order if about.design == "pairs" else order[:1]
        slots.insert(0, Slot("practice", practice[0], arms, _starts(study, number, 0, len(arms))))
    return _with_repeats(study, number, slots)


def session_seed(study: Study, number: int, arm: str) -> int:
    """Return the seed of the session that plays an arm for participant `number`."""
    place = [one.name for one in study.arms].index(arm)
    return int(_rng(study, Stream.SESSIONS, number, place).integers(2**31))


def _products(study: Study, pool: Sequence[str], number: int) -> list[str]:
    needed = study.products_needed
    if study.products.choose == "fixed":
        return list(pool[:needed])
    if study.products.choose == "drawn":
        picked = _rng(study, Stream.PRODUCTS, number).permutation(len(pool))[:needed]
        return [pool[i] for i in picked]
    # Each next participant of a condition begins one product later: all come up equally often at every place.
    order = _rng(study, Stream.PRODUCTS, 0).permutation(len(pool))
    begin = number // len(cells(study))
    rounds = [pool[order[(begin + i) % len(pool)]] for i in range(needed - study.about.practice)]
    spare = [pool[i] for i in order if pool[i] not in rounds]
    return [*rounds, *spare[-1:]] if study.about.practice else rounds


def _sides(study: Study, number: int, rounds: int) -> list[bool]:
    """Return whether each round's sides are swapped; over a participant each order comes up equally often."""
    if study.about.design != "pairs":
        return [False] * rounds
    rng = _rng(study, Stream.SIDES, number)
    swapped = np.arange(rounds) < rounds // 2 + (rounds % 2) * int(rng.integers(2))
    return [bool(one) for one in rng.permutation(swapped)]


def _starts(study: Study, number: int, place: int, sides: int) -> tuple[int, ...]:
    if not study.quality.random_start:
        return (50,) * sides
    return tuple(int(one) for one in _rng(study, Stream.STARTS, number, place).integers(10, 91, sides))


def _with_repeats(study: Study, number: int, slots: list[Slot]) -> list[Slot]:
    """Put hidden repeats into the second half, each at least REPEAT_GAP rounds after what it repeats."""
    count, rounds = study.quality.repeats, study.about.rounds
    if not count:
        return slots
    rng = _rng(study, Stream.REPEATS, number)
    free, placed = list(range(1, rounds - REPEAT_GAP + 1)), []
    for i in range(count):
        # The last repeats follow the last round, earlier ones are spread over the second half.
        after = rounds - (count - 1 - i) * max(1, (rounds - REPEAT_GAP) // (2 * count))
        allowed = [one for one in free if one <= after - REPEAT_GAP] or free
        source = int(rng.choice(allowed))
        free.remove(source)
        placed.append((max(after, source + REPEAT_GAP), source))
    by_name = {slot.name: slot for slot in slots}
    for i, (after, source) in enumerate(placed, start=1):
        old = by_name[f"round-{source}"]
        starts = _starts(study, number, rounds + i, len(old.arms))
        repeat = Slot(f"repeat-{i}", old.product_id, old.arms, starts, repeats=old.name)
        where = next(place for place, slot in enumerate(slots) if slot.name == f"round-{after}") + 1
        while where < len(slots) and slots[where].repeats:
            where += 1
        slots.insert(where, repeat)
    return slots


def _rng(study: Study, stream: Stream, *more: int) -> np.random.Generator:
    return np.random.default_rng([study.about.seed, int(stream), *more])
