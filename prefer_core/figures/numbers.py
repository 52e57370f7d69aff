"""The numbers that a figure draws, as rows: whoever takes a figure along can take its numbers along as well."""

import re
from collections.abc import Sequence
from html import unescape
from typing import Any

import plotly.graph_objects as go

from prefer_core.figures.tables import Row

_MARKUP = re.compile(r"<[^>]*>|■")


def numbers(figure: go.Figure) -> list[Row]:
    """Return one row a drawn value: its series where it has a name, and its coordinates under the axes' titles.

    A value that stands at a named place of an axis is told by that name. A map gives one row a cell. A point of a cloud
    keeps the text that it shows.

    Parameters
    ----------
    figure : Figure
        Made of bars, lines, points in two or three dimensions, maps and matrices of points.

    Examples
    --------
    >>> figure = go.Figure(go.Bar(name="ours", x=[5, 10], y=[0.2, 0.1]), {"xaxis": {"title": {"text": "K"}}})
    >>> numbers(figure)
    [{'series': 'ours', 'K': 5, 'y': 0.2}, {'series': 'ours', 'K': 10, 'y': 0.1}]
    """
    rows: list[Row] = []
    for trace in figure.data:
        rows += _cells(trace, figure) if trace.type == "heatmap" else _points(trace, figure)
    return rows


def _points(trace: Any, figure: go.Figure) -> list[Row]:
    columns = _columns(trace, figure)
    found = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    series = {"series": trace.name} if trace.name else {}
    return [series | row for row in found if None not in row.values()]


def _columns(trace: Any, figure: go.Figure) -> dict[str, list[Any]]:
    if trace.type == "splom":
        return {str(d.label): _plain(d.values) for d in trace.dimensions}
    if trace.type == "scatter3d":
        scene = figure.layout.scene
        return {_title(getattr(scene, f"{n}axis"), n): _plain(getattr(trace, n)) for n in "xyz"} | _beside(trace)
    x, y = (_axis(trace, figure, n) for n in "xy")
    return {_title(x, "x"): _named(x, _plain(trace.x)), _title(y, "y"): _named(y, _plain(trace.y))}


def _beside(trace: Any) -> dict[str, list[Any]]:
    """Return what a cloud's points have beside their place: columns that `meta` names, and the text that is shown."""
    named = trace.meta or ()
    columns = {str(name): _plain(trace.customdata[:, i]) for i, name in enumerate(named)}
    if trace.hovertext is not None:
        columns["text"] = [unwrapped(text) for text in trace.hovertext]
    return columns


def unwrapped(text: str) -> str:
    """Return the text of a hover label in one line, as it was before it was made safe for markup.

    >>> unwrapped("soft &amp; warm,<br>both")
    'soft & warm, both'
    """
    return unescape(text.replace("<br>", " "))


def _cells(trace: Any, figure: go.Figure) -> list[Row]:
    axis = _axis(trace, figure, "y")
    names = _named(axis, _plain(trace.y))
    across, value = _title(_axis(trace, figure, "x"), "column"), str(trace.colorbar.title.text or "value")
    return [
        {_title(axis, "row"): name, across: column, value: cell}
        for name, line in zip(names, trace.z, strict=True)
        for column, cell in enumerate(_plain(line), 1)
    ]


def _axis(trace: Any, figure: go.Figure, letter: str) -> Any:
    """Return the axis of a trace: `y2` of the trace is `yaxis2` of the layout."""
    own = getattr(trace, f"{letter}axis") or letter
    return figure.layout[f"{letter}axis{own[1:]}"]


def _title(axis: Any, otherwise: str) -> str:
    return _MARKUP.sub("", axis.title.text or "").strip() or otherwise


def _named(axis: Any, values: list[Any]) -> list[Any]:
    """Replace places by what stands there, where every place has a name."""
    if axis.ticktext is None or axis.tickvals is None:
        return values
    names = dict(zip(_plain(axis.tickvals), (_MARKUP.sub("", t).strip() for t in axis.ticktext), strict=True))
    return [names[v] for v in values] if all(v in names for v in values) else values


def _plain(values: Sequence[Any]) -> list[Any]:
    return [v.item() if hasattr(v, "item") else v for v in values]
