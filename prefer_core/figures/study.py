"""A study's arms round by round."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from prefer_core.figures.theme import PALETTE, styled

HEIGHT = 320


def by_round(values: Mapping[str, Mapping[int, Sequence[float]]], title: str) -> go.Figure:
    """Draw the mean of each arm by round, with bars of 1.96 standard errors over participants.

    Parameters
    ----------
    values : mapping of str to mapping of int to sequence of float
        By arm and round: one value a participant.
    title : str
        Of the vertical axis.
    """
    figure = go.Figure()
    for place, (arm, rounds) in enumerate(values.items()):
        numbers = sorted(rounds)
        means = [float(np.mean(rounds[n])) for n in numbers]
        errors = [1.96 * float(np.std(rounds[n], ddof=1)) / len(rounds[n]) ** 0.5 if len(rounds[n]) > 1 else 0.0
                  for n in numbers]  # fmt: skip
        figure.add_scatter(
            x=[n + 0.06 * place for n in numbers], y=means, mode="lines+markers", name=arm,
            line={"color": PALETTE[6 * place % len(PALETTE)]}, error_y={"type": "data", "array": errors, "width": 3},
            hovertemplate="%{y:.2f}",
        )  # fmt: skip
    figure.update_xaxes(title_text="round", dtick=1)
    figure.update_yaxes(title_text=title, range=[0, 1.02])
    return styled(figure, height=HEIGHT, showlegend=True, legend={"orientation": "h", "y": 1.12})
