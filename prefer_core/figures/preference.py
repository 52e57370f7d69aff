"""The reader's preference as figures to take along: now, before, and over the rounds."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from prefer_core.figures.theme import INK, QUIET, colours, named_rows, styled
from prefer_core.types import FloatArray

ROW = 25
"""Height of a row in pixels."""


def bars(
    labels: Sequence[str], w: FloatArray, w_before: FloatArray | None, z: FloatArray,
    interval: tuple[FloatArray, FloatArray] | None = None, marks: Sequence[int] | None = None,
) -> go.Figure:  # fmt: skip
    """Draw w as bars with w before as a hollow outline and z as a marker.

    Parameters
    ----------
    labels : sequence of K str
        Names of the aspects, drawn from the top.
    w, w_before, z : ndarray of shape (K,)
        Preference now, before the latest rating, and aspect profile of a summary; all on the simplex.
    interval : pair of ndarray of shape (K,) or None
        Lower and upper end of each weight's credible interval, where the learner knows one; a thin line.
    marks : sequence of K int or None
        The aspect whose colour each row has, if not that of its position.
    """
    rows = list(range(len(labels)))
    figure = go.Figure(
        go.Bar(y=rows, x=100 * w, orientation="h", width=0.62, marker_color=colours(len(rows), marks), name="you now")
    )
    if w_before is not None:
        outline = {"color": "rgba(0,0,0,0)", "line": {"color": QUIET, "width": 1}}
        figure.add_bar(y=rows, x=100 * w_before, orientation="h", width=0.86, marker=outline, name="before")
    if interval is not None:
        # One line with gaps, below the middle of the bars, so that the diamonds stay readable.
        low, high = (100 * np.asarray(end) for end in interval)
        ends = [value for pair in zip(low, high, strict=True) for value in (*pair, None)]
        places = [value for k in rows for value in (k + 0.2, k + 0.2, None)]
        figure.add_scatter(y=places, x=ends, mode="lines", name="likely between", line={"color": INK, "width": 1.5})
    diamond = {"symbol": "diamond", "size": 9, "color": "#ffffff", "line": {"color": INK, "width": 2}}
    figure.add_scatter(y=rows, x=100 * z, mode="markers", name="in the summary", marker=diamond)
    figure.update_xaxes(range=[0, 100], ticksuffix=" %")
    figure.update_yaxes(**named_rows(labels), showgrid=False)
    return styled(figure, height=ROW * len(rows) + 80, barmode="overlay", showlegend=True)


def lines(labels: Sequence[str], history: FloatArray, marks: Sequence[int] | None = None) -> go.Figure:
    """Draw w over the ratings, one line an aspect.

    Parameters
    ----------
    labels : sequence of K str
        Names of the aspects.
    history : ndarray of shape (T + 1, K)
        Preference at the start and after each rating.
    marks : sequence of K int or None
        The aspect whose colour each line has, if not that of its position.
    """
    figure = go.Figure()
    for values, label, ink in zip(100 * history.T, labels, colours(len(labels), marks), strict=True):
        figure.add_scatter(x=np.arange(len(history)), y=values, mode="lines+markers", name=label, line_color=ink)
    figure.update_xaxes(title_text="ratings", showgrid=False)
    figure.update_yaxes(range=[0, 100], ticksuffix=" %")
    return styled(figure, height=340, showlegend=True)
