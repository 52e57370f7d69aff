"""Bars and lines whose elements stay while their numbers change, so that they glide to their new places.

Streamlit draws a plotly chart anew for each change, so nothing in it can move. `figures/learning.py` draws the same
numbers as plotly figures for those who take them along.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from prefer_core.aspects.names import View
from prefer_core.figures.corpus import Columns
from prefer_core.figures.learning import Band, Curves, Frame, Span, span
from prefer_core.figures.theme import PALETTE, colour
from prefer_core.types import FloatArray
from prefer_core.ui.resources import ASSETS

LED = 0.3
"""Weight from which an aspect's name is bold."""


def top(*vectors: FloatArray) -> float:
    """Return the right end of the bars and the upper end of the lines: one half, or 1 from there on."""
    return 0.5 if max(float(np.max(v)) for v in vectors) <= 0.5 else 1.0


def preference(
    themes: View, now: FloatArray, key: str, alt: str, *, before: FloatArray | None = None,
    shown: FloatArray | None = None, likely: tuple[FloatArray, FloatArray] | None = None, end: float = 1.0,
    words: tuple[str, str, str] = ("now", "before", "in the summary"),
) -> None:  # fmt: skip
    """Draw weights as bars, with those before as outlines, a summary's profile as diamonds, and intervals as lines.

    Parameters
    ----------
    themes : View
        Gives names and colours of the K aspects.
    now, before, shown : ndarray of shape (K,)
        Weights now and before the latest rating, and the aspect profile of a summary; all on the simplex.
    key, alt : str
        Key of the figure, and what it is for those who hear it.
    likely : pair of ndarray of shape (K,), optional
        Lower and upper ends of intervals.
    end : float
        Right end of the axis, from `top`.
    words : tuple of three str
        What now, before and shown are called under the mouse.
    """
    told = [(words[0], "now", now), (words[1], "before", before), (words[2], "shown", shown)]
    if likely is not None:
        told += [("", "low", likely[0]), ("", "high", likely[1])]
    rows = []
    for i, name in enumerate(themes.names):
        values = {part: float(values[i]) for _, part, values in told if values is not None}
        hover = ", ".join(f"{word} {100 * values[part]:.0f} %" for word, part, _ in told if word and part in values)
        rows.append(
            {"label": name, "colour": colour(themes.marks[i]), "led": bool(now[i] >= LED), "hover": hover} | values
        )
    bars(rows, key, alt, end)


def bars(rows: Sequence[Mapping[str, Any]], key: str, alt: str, end: float = 1.0) -> None:
    """Draw one bar a row: `label`, `now`, `colour`, and what else `assets/bars.js` reads; values are shares."""
    component = _component("bars", '<div class="bars" role="img"></div>')
    component(key=key, data={"rows": list(rows), "end": end, "alt": alt})


def lines(
    themes: View, trail: FloatArray, named: Sequence[int], key: str, alt: str, *, rounds: int, end: float = 1.0,
    high: int = 470, turn: int | None = None, told: str = "",
) -> None:  # fmt: skip
    """Draw weights over the ratings, those of some aspects in colour and with their names.

    Parameters
    ----------
    themes : View
        Gives names and colours of the K aspects.
    trail : ndarray of shape (T + 1, K)
        Weights at the start and after each rating.
    named : sequence of int
        Places of the aspects in colour.
    key, alt : str
        Key of the figure, and what it is for those who hear it.
    rounds : int
        Right end of the axis, in ratings.
    end : float
        Upper end of the axis, from `top`.
    high : int
        Height where the width is 800.
    turn, told : int and str, optional
        A rating at which something happens, and what.
    """
    series = [
        {"label": name, "values": trail[:, i].tolist(), "colour": colour(themes.marks[i]), "named": i in named}
        for i, name in enumerate(themes.names)
    ]
    series.sort(key=lambda one: bool(one["named"]))
    data = {"series": series, "rounds": rounds, "end": end, "high": high, "turn": turn, "told": told, "alt": alt}
    _component("lines", '<svg role="img"><g class="grid"></g><g class="lines"></g></svg>')(key=key, data=data)


def curves(drawn: Curves, key: str, alt: str, rounds: int) -> None:
    """Draw curves over the ratings that grow while they are played; only those of the axis on the left.

    Parameters
    ----------
    drawn : Curves
        Panels and frame.
    key, alt : str
        Key of the figure, and what it is for those who hear it.
    rounds : int
        Right end of the axis, in ratings.
    """
    frame = drawn.frame
    panels, tops = [], [0.0]
    for title, bands in drawn.panels:
        series = [_series(band, span(band, frame)) for band in bands if not band.right]
        tops += [value for one in series for value in one["upper"]]
        panels.append({"title": title, "series": series})
    low, high, ticks = _axis(frame, max(tops))
    data = {
        "panels": panels, "rounds": rounds, "low": low, "high": high, "log": frame.log, "ticks": ticks,
        "cut": frame.limit, "window": frame.window, "alt": alt,
    }  # fmt: skip
    body = '<div class="curves" role="img"><div class="panels"></div><div class="names"></div></div>'
    _component("curves", body)(key=key, data=data)


def columns(drawn: Columns, key: str, alt: str, under: str) -> None:
    """Draw a histogram; `key` and `alt` as above, `under` is the title of the horizontal axis."""
    shown = [
        {"label": name, "height": height, "count": count}
        for name, height, count in zip(drawn.names, drawn.heights, drawn.counts, strict=True)
    ]
    data = {"columns": shown, "ticks": drawn.ticks, "colour": PALETTE[9], "under": under, "alt": alt}
    body = '<div class="plot" role="img"><div class="rules"></div><div class="bars"></div></div>'
    _component("columns", body)(key=key, data=data)


def _series(band: Band, shown: Span) -> dict[str, Any]:
    parts = {"middle": shown.middle, "lower": shown.lower, "upper": shown.upper}
    return {"label": band.name, "colour": band.colour, "dash": band.dash} | {
        name: np.round(values, 5).tolist() for name, values in parts.items()
    }


def _axis(frame: Frame, top: float) -> tuple[float, float, list[tuple[float, str]]]:
    """Return the ends of the vertical axis, the same for all ratings where that can be, and its marks."""
    if frame.log:
        low = frame.limit[0] if frame.limit is not None and frame.limit[0] > 0 else 1e-4
        powers = range(math.floor(math.log10(low)), 1)
        return 10.0 ** powers[0] / 1.3, 1.0, [(10.0**power, f"{10.0**power:g}") for power in powers]
    high = frame.y_range[1] if frame.y_range is not None else _round_up(top)
    marks = np.linspace(0, min(high, 1.0) if frame.y_range is not None else high, 6)
    return 0.0, high, [(float(mark), f"{mark:.3g}") for mark in marks]


def _round_up(value: float) -> float:
    """Return the next of 1, 2, 5, 10 ... above a value, so that an axis seldom changes."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value)


def _component(name: str, body: str) -> Any:
    return st.components.v2.component(
        f"prefer-{name}", html=body, css=_asset(f"{name}.css"), js=_asset(f"{name}.js"),
    )  # fmt: skip


@st.cache_data
def _asset(name: str) -> str:
    return (ASSETS / name).read_text("utf-8")
