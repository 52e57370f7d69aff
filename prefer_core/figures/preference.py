"""The reader's preference: now, before, and over the rounds."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from prefer_core.figures.theme import INK, QUIET, colours, drawn, named_rows
from prefer_core.types import FloatArray

ROW = 25
SHORTEST = 17
TALLEST = 300
"""Height of a row in pixels, the least that still reads, and what all rows may take: a panel fits a laptop's screen."""


def bars(
    labels: Sequence[str], w: FloatArray, w_before: FloatArray, z: FloatArray, *, top: float,
    interval: tuple[FloatArray, FloatArray] | None = None, marks: Sequence[int] | None = None,
    hover: tuple[str, str, str] = ("now", "before", "in the summary"),
) -> go.Figure:  # fmt: skip
    """Draw w as bars with w before as a hollow outline and z as a marker, the numbers in a column of their own.

    Parameters
    ----------
    labels : sequence of K str
        Names of the aspects, drawn from the top.
    w, w_before, z : ndarray of shape (K,)
        Preference now, before the latest rating, and aspect profile of a summary; all on the simplex.
    top : float
        Right end of the axis in [0, 1]; kept by the caller so that it does not jump between ratings.
    interval : pair of ndarray of shape (K,) or None
        Lower and upper end of each weight's credible interval, where the learner knows one; a thin line.
    marks : sequence of K int or None
        The aspect whose colour each row has, if not that of its position.
    hover : tuple of three str
        What w, w before and z are called under the mouse.
    """
    rows = list(range(len(labels)))
    ink = colours(len(rows), marks)
    now, before, shown = 100 * np.asarray(w), 100 * np.asarray(w_before), 100 * np.asarray(z)
    traces: list[dict[str, Any]] = [
        {
            "type": "bar", "y": rows, "x": now, "orientation": "h", "width": 0.62, "marker": {"color": ink},
            "name": "you now", "customdata": np.column_stack([before, shown]), "text": list(labels),
            "textposition": "none",
            "hovertemplate": f"%{{text}}<br>{hover[0]} %{{x:.1f}} %<br>{hover[1]} %{{customdata[0]:.1f}} %"
            f"<br>{hover[2]} %{{customdata[1]:.1f}} %<extra></extra>",
        },
        {
            "type": "bar", "y": rows, "x": before, "orientation": "h", "width": 0.86, "name": "before",
            "hoverinfo": "skip", "marker": {"color": "rgba(0,0,0,0)", "line": {"color": QUIET, "width": 1}},
        },
        *([] if interval is None else [_whiskers(interval, top)]),
        {
            "type": "scatter", "y": rows, "x": shown, "mode": "markers", "name": "in the summary", "hoverinfo": "skip",
            "cliponaxis": False,
            "marker": {"symbol": "diamond", "size": 9, "color": "#ffffff", "line": {"color": INK, "width": 2}},
        },
    ]  # fmt: skip
    numbers = [
        {
            "y": k, "x": 1, "xref": "paper", "xanchor": "left", "xshift": 6, "showarrow": False, "align": "left",
            "text": f"{now[k]:.0f} %{_change(now[k] - before[k])}", "font": {"size": 13, "color": INK},
        }
        for k in rows
    ]  # fmt: skip
    return drawn(
        traces,
        annotations=numbers,
        height=round(max(SHORTEST, min(ROW, TALLEST / len(rows))) * len(rows)) + 34,
        barmode="overlay",
        margin={"l": 4, "r": 84, "t": 2, "b": 22},
        xaxis={"range": [-2.5 * top, 100 * top], "ticksuffix": " %", "nticks": 4, "fixedrange": True},
        yaxis={
            **named_rows([_short(label) for label in labels]),
            "showgrid": False,
            "color": INK,
            "ticklabelstandoff": 6,
            "fixedrange": True,
        },
    )


def lines(
    labels: Sequence[str], history: FloatArray, *, named: int = 3, marks: Sequence[int] | None = None
) -> go.Figure:
    """Draw w over the ratings, one line an aspect; the leading aspects are named at the end of their lines.

    Parameters
    ----------
    labels : sequence of K str
        Names of the aspects.
    history : ndarray of shape (T + 1, K)
        Preference at the start and after each rating.
    named : int
        How many aspects to name.
    marks : sequence of K int or None
        The aspect whose colour each line has, if not that of its position.
    """
    ink = colours(len(labels), marks)
    history = 100 * np.asarray(history)
    steps = np.arange(len(history))
    leaders = np.argsort(-history[-1], kind="stable")[: named if len(history) > 1 else 0]
    traces = [
        {
            "type": "scatter", "x": steps, "y": history[:, k], "mode": "lines+markers", "name": label,
            "line": {"color": ink[k], "width": 2.5}, "marker": {"size": 5},
            "hovertemplate": f"{label}: %{{y:.1f}} % after %{{x}}<extra></extra>",
        }
        for k, label in enumerate(labels)
    ]  # fmt: skip
    names: list[dict[str, Any]] = []
    placed: list[float] = []
    space = max(8.0, history.max()) * 0.13
    for k in leaders:
        height = float(history[-1, k])
        while any(abs(height - other) < space for other in placed):
            height -= space / 4
        placed.append(height)
        names.append(
            {"x": 1, "xref": "paper", "y": height, "xanchor": "left", "xshift": 6, "showarrow": False,
             "text": _short(labels[k], 14), "font": {"size": 12, "color": INK}}
        )  # fmt: skip
    return drawn(
        traces,
        annotations=names,
        height=170,
        margin={"l": 4, "r": 96, "t": 4, "b": 22},
        xaxis={
            "range": [-0.15, max(3, len(history) - 1) + 0.15],
            "tickvals": _ticks(len(history)),
            "ticktext": ["start" if t == 0 else str(t) for t in _ticks(len(history))],
            "showgrid": False,
            "fixedrange": True,
        },
        yaxis={"rangemode": "tozero", "ticksuffix": " %", "nticks": 4, "automargin": True, "fixedrange": True},
    )


def _whiskers(interval: tuple[FloatArray, FloatArray], top: float) -> dict[str, Any]:
    # One line with gaps, below the middle of the bars, so that the diamonds stay readable.
    low, high = (100 * np.minimum(np.asarray(end), top) for end in interval)
    x = [value for pair in zip(low, high, strict=True) for value in (*pair, None)]
    y = [value for k in range(len(low)) for value in (k + 0.2, k + 0.2, None)]
    return {"type": "scatter", "y": y, "x": x, "mode": "lines", "name": "likely between", "hoverinfo": "skip",
            "line": {"color": INK, "width": 1.5}}  # fmt: skip


def axis_top(*vectors: FloatArray) -> float:
    """Return the right end of the bars' axis: the next quarter above the largest value."""
    largest = max(float(np.max(v)) for v in vectors)
    return min(1.0, 0.25 * math.ceil((largest + 0.02) / 0.25))


def _change(points: float) -> str:
    rounded = round(points)
    if rounded == 0:
        return ""
    return f"  {'▲' if rounded > 0 else '▼'} {abs(rounded)}"


def _short(label: str, limit: int = 22) -> str:
    return label if len(label) <= limit else label[: limit - 1].rstrip(" ,·") + "…"


def _ticks(n: int) -> list[int]:
    last = max(3, n - 1)
    return list(range(0, last + 1, max(1, int(np.ceil(last / 8)))))
