"""The numbers behind a round: what the latest rating did, in the paper's letters."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from prefer_core.experiments.regret import static_bound
from prefer_core.insight.hindsight import hindsight
from prefer_core.types import Step
from prefer_core.ui import html
from prefer_core.ui.reader import Reader
from prefer_core.ui.rounds import OpenRound


def numbers(shown: OpenRound) -> None:
    """Explain the numbers of the latest rating, and of the round that is open."""
    with st.expander("The numbers of this round"):
        rows = [
            (
                "β, sharpness of choice",
                _number(shown.stored.beta),
                f"How strictly the best-scoring {'points' if shown.stored.claims else 'sentences'} are taken; it grows "
                "with your ratings.",
            )
        ]
        taken = shown.reader.record.steps
        if taken:
            step = taken[-1]
            rows = [
                ("f, your rating", f"{step.feedback:.2f}", "What you set on the slider, from 0 to 1."),
                ("b, expected", f"{step.baseline:.3f}", "Your usual rating: a moving average that starts at 0.5."),
                (
                    "f̃ = f − b, surprise",
                    f"{step.centred:+.3f}",
                    "Above zero, what was shown gains weight; below, it loses.",
                ),
                (
                    "η, step size",
                    f"{step.step_size:.3f}",
                    "How far one rating may move your preferences; it shrinks slowly.",
                ),
                *rows,
            ]
            if step.floor_acted:
                rows.append(
                    (
                        "δ, floor",
                        f"{shown.reader.session.settings.floor:g}",
                        "An aspect reached the smallest weight and was kept there, so that it can come back.",
                    )
                )
            rows += _looking_back(shown.reader, taken)
        st.html(html.facts(rows))


def _looking_back(reader: Reader, taken: Sequence[Step]) -> list[tuple[str, str, str]]:
    settings = reader.session.settings
    found = hindsight(taken, settings.floor)
    if found is None:
        return []
    bound = ""
    if settings.learner == "omd" and settings.floor > 0 and settings.decay > 0:
        most = static_bound(len(taken), settings.floor, settings.step_size, settings.decay, settings.clip)
        bound = f" It can never be above {most / len(taken):.2f}."
    best = int(np.argmax(found.best))
    theme = "nothing in particular" if best == reader.corpus.other else reader.corpus.labels[best]
    return [
        (
            "regret",
            f"{found.average_regret:+.3f}",
            f"A rating, against always wanting {theme}: best in hindsight.{bound}",
        ),
        ("min w", f"{found.smallest:.2g}", "The smallest weight that any aspect has had."),
    ]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
