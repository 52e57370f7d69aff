"""How far a participant's ratings can be relied on, with the reasons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from prefer_core.study.definition import SUS, Study

SPREAD = 0.05
"""Standard deviation of ratings from which they count as told apart."""
AGREEMENT = 0.4
"""Difference between a rating and its repeat at which the two have nothing to do with each other."""


@dataclass(frozen=True)
class Reliability:
    """A score in [0, 1], the mean of what could be measured, and what spoke against the participant."""

    score: float
    parts: Mapping[str, float]
    reasons: tuple[str, ...]


def reliability(
    study: Study,
    ratings: Sequence[float],
    seconds: Sequence[float],
    repeats: Sequence[tuple[float, float]],
    answers: Mapping[str, Mapping[str, Any]],
) -> Reliability | None:
    """Judge one participant; None before there is anything to judge by.

    Parameters
    ----------
    study : Study
        The definition: reading time, attention items, questionnaires.
    ratings, seconds : sequence of float
        Of each rated round, in order.
    repeats : sequence of (float, float)
        First and second rating of each summary that was shown twice.
    answers : mapping of str to dict
        By step, as the record keeps them.

    Notes
    -----
    Parts, each in [0, 1]: `attention`, share of items passed; `repeats`, agreement of first and second rating;
    `spread`, whether ratings differ at all; `reading`, share of rounds read for at least the time of the definition;
    `questionnaire`, agreement of the positive with the negative items of the usability scale.
    """
    measured = [
        _attention(study, answers),
        _repeats(repeats),
        _spread(ratings),
        _reading(seconds, study.quality.seconds),
        _questionnaire(answers.get("after", {})),
    ]
    found = [one for one in measured if one is not None]
    if not found:
        return None
    parts = {name: value for name, value, _ in found}
    return Reliability(float(np.mean(list(parts.values()))), parts, tuple(reason for *_, reason in found if reason))


_Part = tuple[str, float, str]
"""Name, value in [0, 1], and what it says against the participant, or nothing."""


def _attention(study: Study, answers: Mapping[str, Mapping[str, Any]]) -> _Part | None:
    passed = [
        answers[f"attention-{i}"][f"attention_{i}"] == item.expected
        for i, item in enumerate(study.attention, start=1)
        if f"attention-{i}" in answers
    ]
    if not passed:
        return None
    failed = len(passed) - sum(passed)
    return "attention", float(np.mean(passed)), f"{failed} of {len(passed)} attention items failed" if failed else ""


def _repeats(pairs: Sequence[tuple[float, float]]) -> _Part | None:
    if not pairs:
        return None
    gaps = [abs(one - other) for one, other in pairs]
    value = float(np.mean([max(0.0, 1.0 - gap / AGREEMENT) for gap in gaps]))
    return "repeats", value, f"the same summary was rated {100 * max(gaps):.0f} % apart" if value < 0.5 else ""


def _spread(ratings: Sequence[float]) -> _Part | None:
    if len(ratings) < 3:
        return None
    value = min(1.0, float(np.std(ratings)) / SPREAD)
    return "spread", value, "nearly the same rating every time" if value < 1.0 else ""


def _reading(seconds: Sequence[float], least: float) -> _Part | None:
    if not seconds:
        return None
    quick = sum(one < least for one in seconds)
    reason = f"{quick} of {len(seconds)} summaries in view for less than {least:g} s" if quick else ""
    return "reading", 1.0 - quick / len(seconds), reason


def _questionnaire(answers: Mapping[str, Any]) -> _Part | None:
    said = [answers.get(name) for name in SUS]
    if any(one is None for one in said):
        return None
    scale = np.array(said, dtype=np.float64)
    # Who agrees with a sentence and with its opposite has read neither.
    value = 1.0 - abs(float(scale[::2].mean() + scale[1::2].mean()) - 6.0) / 4.0
    return "questionnaire", value, "agrees with opposite statements" if value < 0.5 else ""


def sus_score(answers: Mapping[str, Any]) -> float | None:
    """Return the usability score in [0, 100] of Brooke (1996); None where an item was not answered.

    >>> sus_score({f"sus_{i}": 5 if i % 2 else 1 for i in range(1, 11)})
    100.0
    """
    said = [answers.get(name) for name in SUS]
    if any(one is None for one in said):
        return None
    scale = np.array(said, dtype=np.float64)
    return float(2.5 * ((scale[::2] - 1).sum() + (5 - scale[1::2]).sum()))
