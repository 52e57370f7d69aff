"""What a rating did, aspect by aspect, and in one plain sentence."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from prefer_core.types import Step

VISIBLE = 0.005


def sentence(
    step: Step,
    labels: Sequence[str],
    dominant: Sequence[int],
    words: Mapping[str, str],
    never_named: Collection[int] = (),
    units: str = "sentences",
) -> str:
    """Say what a rating changed and why, in one sentence for people.

    Parameters
    ----------
    step : Step
        The step taken.
    labels : sequence of K str
        Names of the aspects.
    dominant : sequence of int
        Dominant aspect of each sentence or point that was shown.
    words : mapping of str to str
        The reader's language: texts whose keys begin with ``receipt_``.
    never_named : collection of int
        Aspects that nobody cares about; the sentence speaks of another one, if one moved the way of the rating.
    units : {"sentences", "points"}
        Which of the two they are.
    """
    change = step.w_after - step.w_before
    raised = step.centred > 0
    named = change.copy()
    named[list(never_named)] = 0.0
    if (named if raised else -named).max() >= VISIBLE:
        change = named
    if np.abs(change).max() < VISIBLE:
        if abs(step.centred) < 0.02:
            return words["receipt_expected"]
        return words["receipt_little"]
    aspect = int(np.argmax(change) if raised else np.argmin(change))
    shown = sum(1 for k in dominant if k == aspect)
    moved = f"{round(100 * change[aspect]):+d}".replace("-", "\N{MINUS SIGN}")
    now = f"{round(100 * step.w_after[aspect])} %"
    number = {0: "none", 1: "one"}.get(shown, "some")
    about = words[f"receipt_{number}_{units}"].format(shown=shown, count=len(dominant))
    how = words["receipt_above" if raised else "receipt_below"]
    return how.format(aspect=labels[aspect], moved=moved, now=now, about=about)
