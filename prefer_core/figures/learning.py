"""Curves of learning: lines with bands over seeds, a preference as bars or over ratings, the arms of a study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from prefer_core.figures.theme import INK, PALETTE, QUIET, colours, named_rows, styled
from prefer_core.types import FloatArray, IntArray

HEIGHT = 340


@dataclass(frozen=True)
class Band:
    """One curve: its mean over seeds, and one standard deviation to either side.

    Attributes
    ----------
    name : str
        What the legend says.
    colour : str
        As ``#rrggbb``.
    values : ndarray of shape (n_seeds, T)
        One row a seed; rounds that a seed has not played yet are NaN.
    dash : str
        Plotly's name of the line style.
    right : bool
        Whether the curve belongs to the axis on the right.
    """

    name: str
    colour: str
    values: FloatArray
    dash: str = "solid"
    right: bool = False


@dataclass(frozen=True)
class Frame:
    """What a figure of curves looks like around its curves.

    Attributes
    ----------
    y : str
        Title of the axis.
    y_range : pair of float or None
        Fixed ends of the axis; None follows the data.
    y_right : str
        Title of the axis on the right, where a curve uses it.
    log : bool
        Whether the axis is logarithmic.
    window : pair of int or None
        First and last round of a shaded drift window.
    limit : pair of (float, str) or None
        A dotted line across, with its name.
    from_zero : bool
        Whether the axis shows 0, whatever the data.
    """

    y: str
    y_range: tuple[float, float] | None = None
    y_right: str = ""
    log: bool = False
    window: tuple[int, int] | None = None
    limit: tuple[float, str] | None = None
    from_zero: bool = False


@dataclass(frozen=True)
class Curves:
    """Panels of curves and the frame around each; `curves` draws them."""

    panels: Sequence[tuple[str, Sequence[Band]]]
    frame: Frame

    def figure(self) -> go.Figure:
        """Draw them."""
        return curves(self.panels, self.frame)


def curves(panels: Sequence[tuple[str, Sequence[Band]]], frame: Frame) -> go.Figure:
    """Draw panels of curves side by side; a curve's name stands in the legend once.

    Parameters
    ----------
    panels : sequence of (title, bands)
        The panels from left to right.
    frame : Frame
        Axes, window and limit, the same in all panels.
    """
    two = any(band.right for _, bands in panels for band in bands)
    figure = make_subplots(
        rows=1, cols=len(panels), subplot_titles=[title for title, _ in panels],
        horizontal_spacing=0.11 if two else 0.07, specs=[[{"secondary_y": two}] * len(panels)],
    )  # fmt: skip
    named: set[str] = set()
    for column, (_, bands) in enumerate(panels, start=1):
        for band in bands:
            _add(figure, band, span(band, frame), column, two, band.name not in named)
            named.add(band.name)
        if frame.window is not None:
            first, last = frame.window
            figure.add_vrect(first - 0.5, last + 0.5, fillcolor=QUIET, opacity=0.13, line_width=0, row=1, col=column)
            for edge in (first - 0.5, last + 0.5):
                figure.add_vline(edge, line={"color": QUIET, "width": 1, "dash": "dot"}, row=1, col=column)
        if frame.limit is not None:
            _limit(figure, frame.limit, column, max((band.values.shape[1] for band in bands), default=1))
    top = 34 if any(title for title, _ in panels) else 8
    styled(
        figure, height=HEIGHT, showlegend=True, margin={"l": 8, "r": 18, "t": top, "b": 8},
        legend={"orientation": "h", "y": -0.28, "x": 0, "yanchor": "top"}, hovermode="x unified", uirevision="keep",
    )  # fmt: skip
    figure.update_annotations(font_size=13)
    figure.update_xaxes(title_text="ratings", rangemode="tozero", nticks=8)
    figure.update_yaxes(automargin=True, nticks=6)
    scale = {"type": "log", "exponentformat": "power", "dtick": 1} if frame.log else {}
    main = {"title_text": frame.y, **scale} | ({} if frame.y_range is None else {"range": list(frame.y_range)})
    main |= {"rangemode": "tozero"} if frame.from_zero else {}
    figure.update_yaxes(**main, secondary_y=False) if two else figure.update_yaxes(**main)
    if two:
        right = {"title_text": frame.y_right, "showgrid": False, "rangemode": "tozero", "tickmode": "auto"}
        figure.update_yaxes(**right, secondary_y=True)
    for column in range(2, len(panels) + 1):
        figure.update_yaxes(title_text="", col=column, secondary_y=False) if two else figure.update_yaxes(
            title_text="", col=column
        )
    return figure


def squares(rows: Sequence[str], columns: Sequence[str], values: FloatArray, title: str) -> go.Figure:
    """Draw a grid of numbers between 0 and 1, each written into its square.

    Parameters
    ----------
    rows, columns : sequence of str
        Names from the top, and from the left.
    values : ndarray of shape (rows, columns)
        What the colours and numbers are.
    title : str
        Name of the numbers.
    """
    values = np.asarray(values, dtype=np.float64)
    figure = go.Figure(
        go.Heatmap(
            x=list(columns), y=list(rows), z=values, zmin=0, zmax=1, xgap=3, ygap=3, texttemplate="%{z:.3f}",
            colorscale=[[0, "#f4f4f7"], [1, "#44AA99"]], colorbar={"title": title, "thickness": 12},
            hovertemplate="%{y}, %{x}: %{z:.4f}<extra></extra>",
        )
    )  # fmt: skip
    return styled(
        figure, height=70 + 44 * len(rows), yaxis={"autorange": "reversed", "showgrid": False, "automargin": True},
        xaxis={"side": "top", "showgrid": False},
    )  # fmt: skip


@dataclass(frozen=True)
class Span:
    """A curve over the rounds that were played: its mean, and one standard deviation to either side, each (T,)."""

    t: IntArray
    middle: FloatArray
    lower: FloatArray
    upper: FloatArray


def span(band: Band, frame: Frame) -> Span:
    """Return what is drawn of a curve; the deviation is cut where no value can be."""
    values = np.asarray(band.values, dtype=np.float64)
    played = np.isfinite(values).any(axis=0)
    t = np.arange(1, values.shape[1] + 1)[played]
    if not played.any():
        return Span(t, *np.empty((3, 0)))
    middle, spread = np.nanmean(values[:, played], axis=0), np.nanstd(values[:, played], axis=0)
    if frame.log:
        ends = (float(np.nanmin(values)), np.inf)
    else:
        ends = (-np.inf, np.inf) if frame.y_range is None else (0.0, 1.0)
    return Span(t, middle, np.clip(middle - spread, *ends), np.clip(middle + spread, *ends))


def _add(figure: go.Figure, band: Band, shown: Span, column: int, two: bool, legend: bool) -> None:
    t, middle, lower, upper = shown.t, shown.middle, shown.lower, shown.upper
    if not len(t):
        return
    where = {"row": 1, "col": column} | ({"secondary_y": band.right} if two else {})
    if (upper - lower).max() > 1e-12:
        figure.add_scatter(
            x=np.concatenate([t, t[::-1]]), y=np.concatenate([upper, lower[::-1]]), fill="toself",
            fillcolor=_faint(band.colour), line={"width": 0}, hoverinfo="skip", showlegend=False,
            legendgroup=band.name, **where,
        )  # fmt: skip
    figure.add_scatter(
        x=t, y=middle, mode="lines" if len(t) > 1 else "markers", name=band.name, legendgroup=band.name,
        showlegend=legend, line={"color": band.colour, "width": 2.3, "dash": band.dash}, marker={"color": band.colour},
        hovertemplate="%{y:.3g}", **where,
    )  # fmt: skip


def _limit(figure: go.Figure, limit: tuple[float, str], column: int, rounds: int) -> None:
    # A curve and not a shape with a note: Plotly puts a note on a logarithmic axis in the wrong place.
    level, name = limit
    figure.add_scatter(
        x=[1, rounds], y=[level, level], mode="lines", name=name, legendgroup=name, showlegend=column == 1,
        line={"color": INK, "width": 1.5, "dash": "dot"}, hoverinfo="skip", row=1, col=column,
    )  # fmt: skip


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.16)"


_ROW = 25
"""Height of a row in pixels."""


def preference_bars(
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
    return styled(figure, height=_ROW * len(rows) + 80, barmode="overlay", showlegend=True)


def preference_lines(labels: Sequence[str], history: FloatArray, marks: Sequence[int] | None = None) -> go.Figure:
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


_ARMS_HEIGHT = 320


def arms_by_round(values: Mapping[str, Mapping[int, Sequence[float]]], title: str) -> go.Figure:
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
    return styled(figure, height=_ARMS_HEIGHT, showlegend=True, legend={"orientation": "h", "y": 1.12})
