"""Facts about the lines that an experiment prints."""

import numpy as np

from prefer_core.experiments.paper import WINDOW
from prefer_core.experiments.play import Row
from prefer_core.experiments.results import alarm, spread


def told(centred: dict[int, list[float]]) -> list[Row]:
    """Make the rows of some seeds whose ratings surprise by `centred`."""
    return [
        {"seed": seed, "t": t, "feedback": 0.5 + value, "baseline": 0.5}
        for seed, values in centred.items()
        for t, value in enumerate(values, start=1)
    ]


def test_delays_and_false_alarms_are_counted_from_the_window() -> None:
    """Four drops of .3 ring with the third: three ratings into the window, or falsely before it, or never."""
    first, rounds = WINDOW[0], 200
    prompt, early, never = np.zeros(rounds), np.zeros(rounds), np.zeros(rounds)
    prompt[first - 1 : first + 3] = -0.3
    early[40:44] = -0.3
    early[44:60] = 0.3
    rows = told({0: prompt.tolist(), 1: early.tolist(), 2: never.tolist()})
    line = alarm("one", rows, WINDOW)
    assert "false in 1 of 3 seeds" in line
    assert "heard in 1 of 3, 3 ratings (at most 3) after the drift began" in line
    assert alarm("one", rows, None).endswith("false in 2 of 3 seeds")


def test_a_spread_tells_how_many_converged() -> None:
    """Both ends and the number of tie orders at .9 or more: a mean of .69 would hide that one of two sticks."""
    rows = [
        {"seed": order, "t": t, "a_pref": value, "tie_order": order}
        for order, last in enumerate((0.98, 0.4, 0.9))
        for t, value in ((1, 0.3), (2, last))
    ]
    told = spread("MMR", rows)
    assert "over 3 tie orders: median 0.900, 0.400 to 0.980; at least 0.9 in 2 of 3" in told
    assert "over 3 seeds" in spread("Gumbel", [row | {"tie_order": 0} for row in rows])
