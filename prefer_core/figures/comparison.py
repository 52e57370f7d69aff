"""Profiles side by side: what each wants, and what its evidence is about."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from prefer_core.figures.preference import axis_top
from prefer_core.figures.theme import INK, colours, styled
from prefer_core.types import FloatArray

ROW = 25


def profiles(
    names: Sequence[str], labels: Sequence[str], w: FloatArray, z: FloatArray, marks: Sequence[int] | None = None
) -> go.Figure:
    """Draw N small panels with one axis: w as bars, z of the evidence as diamonds.

    Parameters
    ----------
    names : sequence of N str
        Titles of the panels.
    labels : sequence of K str
        Names of the aspects, drawn from the top.
    w, z : ndarray of shape (N, K)
        Preferences and aspect profiles of their evidence, on the simplex.
    marks : sequence of K int or None
        The aspect whose colour each row has, if not that of its position.
    """
    w, z = np.atleast_2d(w), np.atleast_2d(z)
    rows = list(range(len(labels)))
    figure = make_subplots(1, len(names), shared_yaxes=True, horizontal_spacing=0.03)
    for column, (name, wanted, shown) in enumerate(zip(names, 100 * w, 100 * z, strict=True), 1):
        figure.add_bar(
            y=rows, x=wanted, orientation="h", width=0.62, name=f"{name}: wanted",
            marker={"color": colours(len(rows), marks)},
            customdata=np.column_stack([shown, rows]), text=list(labels), textposition="none",
            hovertemplate="%{text}<br>wants %{x:.1f} %<br>evidence %{customdata[0]:.1f} %<extra></extra>",
            row=1, col=column,
        )  # fmt: skip
        figure.add_scatter(
            y=rows, x=shown, mode="markers", name=f"{name}: evidence", hoverinfo="skip", cliponaxis=False,
            row=1, col=column,
            marker={"symbol": "diamond", "size": 9, "color": "#ffffff", "line": {"color": INK, "width": 2}},
        )  # fmt: skip
    top = 100 * axis_top(w, z)
    styled(figure, height=ROW * len(rows) + 34, margin={"l": 4, "r": 12, "t": 4, "b": 24})
    figure.update_xaxes(range=[-0.05 * top, 1.05 * top], ticksuffix=" %", nticks=3)
    figure.update_yaxes(
        tickvals=rows,
        ticktext=list(labels),
        range=[len(rows) - 0.4, -0.6],
        showgrid=False,
        color=INK,
        automargin=True,
        ticklabelstandoff=8,
    )
    return figure
