"""What a rating did, aspect by aspect, and in one plain sentence."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from prefer_core.types import FloatArray, Step

VISIBLE = 0.005


@dataclass(frozen=True)
class Receipt:
    """Where each aspect's change came from; the three parts sum to log(w_after / w_before).

    Attributes
    ----------
    gain : ndarray of shape (K,)
        eta f~ z_k: what the rating of the shown evidence did.
    scale : float
        -log Z, the same for all aspects: what keeps the sum at one.
    projection : ndarray of shape (K,)
        What the floor did; zero where it did not act.
    """

    gain: FloatArray
    scale: float
    projection: FloatArray


def receipt(step: Step) -> Receipt:
    """Take a step apart into the parts of Eq. exp-gradient-update and of the floor."""
    gain = step.step_size * step.centred * step.z
    scale = -float(np.log(np.sum(step.w_before * np.exp(gain))))
    return Receipt(gain=gain, scale=scale, projection=np.log(step.w_after / step.w_step))


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
