"""Facts about who sees what: balance at any time, and the same plan from the same seed."""

from collections import Counter

import pytest

from prefer_core.study.assignment import Slot, cell_of, cells, plan
from prefer_core.study.definition import Arm, Quality
from tests.study.conftest import made_study

POOL = [f"P{i}" for i in range(6)]


@pytest.mark.parametrize("arms", [2, 3, 4])
def test_arms_differ_by_one_at_most_after_any_number_of_participants(arms: int) -> None:
    """Blocks of one participant an arm leave no more than that."""
    study = made_study(arms=tuple(Arm(f"arm{i}") for i in range(arms)))
    seen = Counter(dict.fromkeys(range(arms), 0))
    for number in range(101):
        seen[cell_of(study, number)] += 1
        assert max(seen.values()) - min(seen.values()) <= 1
    assert len({tuple(cell_of(study, arms * b + i) for i in range(arms)) for b in range(25)}) > 1, "blocks are shuffled"


@pytest.mark.parametrize("arms", [2, 3, 4])
def test_orders_of_arms_are_balanced_by_place(arms: int) -> None:
    """Within subjects every arm comes at every place equally often."""
    study = made_study("within", rounds=12, arms=tuple(Arm(f"arm{i}") for i in range(arms)))
    for place in range(arms):
        assert len(set(Counter(cell[place] for cell in cells(study)).values())) == 1


def test_products_come_up_equally_often_in_each_arm() -> None:
    """Over whole rounds of the pool every product has the same count in every arm and place."""
    study = made_study()
    seen: Counter[tuple[str, ...]] = Counter()
    for number in range(2 * len(POOL)):
        for slot in plan(study, POOL, number):
            if slot.name in ("round-1", "round-3"):
                seen[slot.name, slot.arms[0], slot.product_id] += 1
    assert set(seen.values()) == {1}
    assert len(seen) == 2 * 2 * len(POOL)


def test_sides_are_random_and_even() -> None:
    """In blind pairs each side has the learner in half of each participant's rounds, in orders that differ."""
    study = made_study("pairs", rounds=8)
    orders = set()
    for number in range(12):
        left = [slot.arms[0] == "learns" for slot in plan(study, POOL, number) if slot.name.startswith("round")]
        assert sum(left) == 4
        orders.add(tuple(left))
    assert len(orders) > 6


@pytest.mark.parametrize("repeats", [1, 2, 3])
def test_repeats_come_late_enough(repeats: int) -> None:
    """Three rounds at least lie between a summary and its repeat, and none is repeated twice."""
    study = made_study(rounds=9, quality=Quality(repeats=repeats))
    for number in range(40):
        slots = plan(study, POOL, number)
        names = [slot.name for slot in slots]
        again = [slot for slot in slots if slot.repeats]
        assert len({slot.repeats for slot in again}) == len(again) == repeats
        for slot in again:
            between = names[names.index(slot.repeats) : names.index(slot.name)]
            assert sum(name.startswith("round") for name in between) >= 3


def test_a_plan_is_the_same_every_time_and_survives_being_kept() -> None:
    """One seed, one number, one plan; as plain values it comes back as it was. Practice is on a product of its own."""
    study = made_study()
    slots = plan(study, POOL, 5)
    assert slots == plan(study, POOL, 5)
    assert [Slot.from_dict(slot.to_dict()) for slot in slots] == slots
    assert slots != plan(study, POOL, 6)
    assert slots[0].practice
    assert slots[0].product_id not in {slot.product_id for slot in slots[1:]}
