"""Which points to keep: greedily those that tell of most reviewers whom no kept point has told of yet."""

from collections.abc import Sequence

import numpy as np

from prefer_core.types import BoolArray, IntArray


def writers(rows: IntArray, supporters: Sequence[IntArray]) -> set[int]:
    """Return the codes of all reviewers who wrote one of the sentences `rows` (r,)."""
    return {int(code) for row in rows for code in supporters[int(row)]}


def cover(
    members: Sequence[IntArray], supporters: Sequence[IntArray], same: BoolArray, least_gain: int, most: int
) -> list[int]:
    """Choose points until the next one would add fewer than `least_gain` reviewers.

    A point's gain is the number of reviewers with a sentence that says it and that no chosen point counts yet. A point
    that says the same as a chosen one is passed over.

    Parameters
    ----------
    members : sequence of c int arrays
        Rows of the sentences that say each candidate.
    supporters : sequence of n int arrays
        Codes of the reviewers who wrote each sentence.
    same : ndarray of shape (c, c)
        Which candidates say each other.
    least_gain, most : int
        When to stop.

    Returns
    -------
    list of int
        Places of the chosen candidates, in order of choice.

    Examples
    --------
    >>> who = [np.array([i]) for i in range(5)]
    >>> cover([np.array([0, 1, 2]), np.array([1, 2]), np.array([3, 4])], who, np.eye(3, dtype=bool), 2, 9)
    [0, 2]
    """
    counted = np.zeros(len(supporters), dtype=bool)
    open_ = set(range(len(members)))
    chosen: list[int] = []
    while open_ and len(chosen) < most:
        gains = {c: len(writers(members[c][~counted[members[c]]], supporters)) for c in sorted(open_)}
        best = max(gains, key=lambda c: (gains[c], -c))
        if gains[best] < least_gain:
            break
        chosen.append(best)
        counted[members[best]] = True
        open_ = {c for c in open_ if c != best and not same[c, best]}
    return chosen
