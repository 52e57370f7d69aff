"""One look for every figure: colours that stay apart for colour-blind readers, one layout function."""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

PALETTE = (
    "#332288", "#88CCEE", "#44AA99", "#DDCC77", "#999933", "#117733", "#CC6677", "#882255", "#AA4499", "#6699CC",
    "#EE7733", "#661100", "#009988", "#BBBBBB", "#0077BB", "#BBCC33", "#EE3377", "#225555", "#FFAABB", "#663333",
    "#99DDFF", "#555555", "#CCBB44", "#228833", "#AA3377",
)  # fmt: skip
"""Paul Tol's muted scheme first (nine hues safe for all common colour vision), then his bright and vibrant ones."""

INK = "#1b1b22"
QUIET = "#5b5b66"
GRID = "#e6e6ec"
HIDDEN_INK = "#a9a9b4"
"""The grey of what is no single aspect."""
FONT = "Source Sans, Source Sans Pro, Helvetica, Arial, sans-serif"
"""The pages' own first; a figure that was taken along falls back to what is there."""


def colour(aspect: int) -> str:
    """Return the colour of an aspect: the same one everywhere; grey below 0, for aspects that are hidden."""
    if aspect < 0:
        return HIDDEN_INK
    return PALETTE[aspect % len(PALETTE)]


def colours(rows: int, marks: Sequence[int] | None = None) -> list[str]:
    """Return a colour for each of R rows: that of the aspect in `marks` (R,), by position where it is left out."""
    return [colour(k) for k in (range(rows) if marks is None else marks)]


def titled(name: str) -> dict[str, Any]:
    """Return the title of a colour bar or of an axis in space, in the size that `styled` gives to flat axes."""
    return {"text": name, "font": {"size": 13}}


_AXIS: dict[str, Any] = {
    "gridcolor": GRID, "zeroline": False, "fixedrange": True, "ticks": "", "color": QUIET, "automargin": True,
    "tickfont": {"size": 12},
}  # fmt: skip
_TITLE: dict[str, Any] = {"title": {"font": {"size": 13}, "standoff": 8}}
_COMMON: dict[str, Any] = {
    "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
    "font": {"family": FONT, "size": 13, "color": INK},
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "showlegend": False,
    "hoverlabel": {"font": {"family": FONT, "size": 13}},
}


def styled(figure: go.Figure, *, height: int, **layout: Any) -> go.Figure:
    """Give a figure the common look; `layout` adds to it or overrides it."""
    figure.update_xaxes(**_AXIS)
    figure.update_yaxes(ticklabelstandoff=5, **_AXIS)
    figure.update_layout(**({"height": height} | _COMMON | layout))
    figure.update_xaxes(**_TITLE)
    figure.update_yaxes(**_TITLE)
    return figure


def named_rows(labels: Sequence[str]) -> dict[str, Any]:
    """Return the settings of a vertical axis whose rows 0, 1, ... have names, from the top."""
    rows = list(range(len(labels)))
    return {"tickvals": rows, "ticktext": list(labels), "range": [len(rows) - 0.4, -0.6], "automargin": True}


def scene(camera: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a cube whose axes are the first three components."""
    axis = {"showbackground": False, "gridcolor": "#d9d9e2", "showticklabels": False, "zeroline": False}
    axes = {f"{name}axis": {**axis, "title": titled(f"PC {i}")} for i, name in enumerate("xyz", 1)}
    return {**axes, "aspectmode": "cube", "camera": camera}


def large(figure: go.Figure) -> go.Figure:
    """Return a styled figure with type for a large screen, and higher to make room for it."""
    larger = go.Figure(figure)
    larger.update_layout(font_size=19, height=1.4 * figure.layout.height)
    larger.update_xaxes(tickfont_size=18, title_font_size=19)
    larger.update_yaxes(tickfont_size=18, title_font_size=19)
    return larger.update_annotations(font_size=18)
