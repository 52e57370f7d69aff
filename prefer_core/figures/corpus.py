"""What a corpus consists of: distributions with long tails, and the same reviews at two levels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go

from prefer_core.aspects.heterogeneity import GROUPS
from prefer_core.figures.theme import GRID, INK, PALETTE, QUIET, colours, named_rows, scene, styled, titled
from prefer_core.types import FloatArray

_BAR = PALETTE[9]
_LOG_FROM = 50
_MARKS = 5
"""Most marks of an axis of counts, zero not counted."""
_FEW = 5
"""Where bins are few they are no thicker than many, and few things are counted one by one."""
CAMERA = {"eye": {"x": 1.15, "y": 1.15, "z": 0.7}, "center": {"x": 0, "y": 0, "z": -0.12}}
"""Where clouds are seen from: as large as leaves the names of the axes in sight."""
_SMALL = CAMERA | {"eye": {"x": 1.35, "y": 1.35, "z": 0.8}}
_HEAT = [[0, "#f4f4f7"], [0.5, "#6FB7C1"], [1, "#332288"]]


def distribution(histogram: Mapping[str, Any], x: str, y: str, *, log: bool) -> go.Figure:
    """Draw a histogram of `data.stats.log_histogram`; its bins are equally wide, so the axis is logarithmic.

    Parameters
    ----------
    x, y : str
        What is counted in a bin's name, and what the bars count.
    log : bool
        Whether large counts are on a logarithmic axis, for long tails.
    """
    held = np.flatnonzero(histogram["counts"])
    first, stop = held[0], held[-1] + 1
    edges, counts = histogram["edges"][first : stop + 1], histogram["counts"][first:stop]
    names = [bin_name(low, high) for low, high in pairwise(edges)]
    figure = go.Figure(
        go.Bar(
            x=names, y=counts, marker={"color": _BAR}, hovertemplate=f"%{{x}} {x}: %{{y:,}} {y}<extra></extra>",
        )
    )  # fmt: skip
    spare = max(0.0, _FEW - len(names)) / 2
    tall = log and max(counts) >= _LOG_FROM
    scale: dict[str, Any] = {"tickformat": ",d"} | ({"dtick": 1} if max(counts) <= _FEW else {})
    if tall:
        scale = {"type": "log", "dtick": 1, "range": [-0.3, np.log10(max(counts)) + 0.15]}
    return styled(
        figure, height=300, bargap=0.06,
        xaxis={
            "title": x, "type": "category", "showgrid": False, "nticks": 12, "tickangle": -45 if len(names) > 3 else 0,
            "range": [-0.5 - spare, len(names) - 0.5 + spare],
        },
        yaxis={"title": y, "automargin": True, **scale},
    )  # fmt: skip


@dataclass(frozen=True)
class Columns:
    """A histogram on axes that it shares with others.

    Attributes
    ----------
    names : list of str
        Of the bins.
    counts : list of int
        What each bin holds.
    heights : list of float
        Of the columns, as shares of the axis.
    ticks : list of (float, str)
        Where the vertical axis has its marks, and what they say.
    """

    names: list[str]
    counts: list[int]
    heights: list[float]
    ticks: list[tuple[float, str]]


def columns(histogram: Mapping[str, Any], beside: Sequence[Mapping[str, Any]], *, log: bool) -> Columns:
    """Return a histogram of `data.stats.log_histogram` as columns.

    Parameters
    ----------
    beside : sequence of mapping
        The histograms, this one among them, that share the axes; their bins begin alike.
    log : bool
        Whether large counts are on a logarithmic axis, for long tails.

    Examples
    --------
    >>> one, other = ({"edges": [1, 2, 3, 4], "counts": counts} for counts in ([2, 0, 4], [0, 0, 8]))
    >>> columns(one, (one, other), log=False).heights
    [0.25, 0.0, 0.5]
    """
    held = np.concatenate([np.flatnonzero(one["counts"]) for one in beside])
    first, stop = int(held.min()), int(held.max()) + 1
    edges = max((one["edges"] for one in beside), key=len)[first : stop + 1]
    counts = np.zeros(stop, dtype=np.int64)
    counts[: len(histogram["counts"])] = histogram["counts"][:stop]
    counts, top = counts[first:], max(max(one["counts"]) for one in beside)
    if log and top >= _LOG_FROM:
        low, high = -0.3, np.log10(top) + 0.15
        heights = np.where(counts > 0, (np.log10(np.maximum(counts, 1)) - low) / (high - low), 0.0)
        ticks = [((power - low) / (high - low), f"{10**power:,}") for power in range(int(high) + 1)]
    else:
        step = next(s * 10**p for p in range(12) for s in (1, 2, 5) if s * 10**p * _MARKS >= top)
        heights, ticks = counts / top, [(mark / top, f"{mark:,}") for mark in range(0, top + 1, step)]
    return Columns(
        [bin_name(low, high) for low, high in pairwise(edges)], counts.tolist(), heights.tolist(),
        [(float(at), label) for at, label in ticks],
    )  # fmt: skip


def bin_name(low: int, high: int) -> str:
    """Return what stands under the bin [low, high).

    >>> bin_name(3, 4), bin_name(8, 11)
    ('3', '8–10')
    """
    return f"{low:,}" if high == low + 1 else f"{low:,}–{high - 1:,}"


def clusters(
    s: FloatArray,
    phi: FloatArray,
    labels: Sequence[str],
    marks: Sequence[int] | None = None,
    texts: Sequence[str] = (),
) -> go.Figure:
    """Draw sampled units at their first three components, in the colour of their largest aspect.

    Parameters
    ----------
    s : ndarray of shape (n, m), m >= 3
        Reduced vectors.
    phi : ndarray of shape (n, K)
        Soft memberships.
    labels : sequence of K str
        Names of the aspects.
    marks : sequence of K int or None
        The aspect whose colour each has, if not that of its position.
    texts : sequence of n str, optional
        The units themselves: shown when a point is touched, and then the names stand beside the points as well.
    """
    ink = colours(len(labels), marks)
    aspect = phi.argmax(axis=1)
    figure = go.Figure()
    for k, label in enumerate(labels):
        held = np.flatnonzero(aspect == k)
        figure.add_scatter3d(
            x=s[held, 0], y=s[held, 1], z=s[held, 2], mode="markers", name=label,
            marker={"size": 2.6, "color": ink[k], "opacity": 0.75},
            hovertext=[_wrapped(texts[i]) for i in held.tolist()] if texts else None,
            hoverinfo="text+name" if texts else "name",
        )  # fmt: skip
    legend = {"itemsizing": "constant", "x": 1, "xanchor": "right", "y": 0.98, "bgcolor": "rgba(255,255,255,.8)"}
    return styled(
        figure, height=440 if texts else 400, margin={"l": 0, "r": 0, "t": 0, "b": 0},
        showlegend=bool(texts), legend=legend,
        scene=scene(CAMERA if texts else _SMALL),
    )  # fmt: skip


def _wrapped(text: str) -> str:
    """Return a text for a hover label: in short lines, its signs not taken for markup.

    Lines end at spaces only, so that `tables.unwrapped` gives the text back.
    """
    return "<br>".join(escape(line) for line in wrap(text, 56, break_long_words=False, break_on_hyphens=False))


def membership_map(phi: FloatArray, labels: Sequence[str], marks: Sequence[int] | None = None) -> go.Figure:
    """Draw memberships of sampled units as columns, ordered by largest aspect and by how large it is.

    Parameters
    ----------
    phi : ndarray of shape (n, K)
        Soft memberships.
    labels : sequence of K str
        Names of the aspects, from the top.
    marks : sequence of K int or None
        The aspect whose colour each has, if not that of its position.
    """
    ordered = phi[np.lexsort((-phi.max(axis=1), phi.argmax(axis=1)))]
    figure = heat(ordered.T, labels, "membership", height=90 + 20 * len(labels), x="one column each, by largest aspect")
    return figure.update_yaxes(ticktext=marked(labels, marks))


def heat(
    values: FloatArray, rows: Sequence[str], name: str, *, height: int, x: str, most: float = 1.0, hover: Any = None
) -> go.Figure:
    """Draw numbers from 0 to `most` as a map, one row for each aspect named in `rows`, from the top."""
    figure = go.Figure(
        go.Heatmap(
            z=values, y=list(range(len(rows))), zmin=0, zmax=most, colorscale=_HEAT, customdata=hover,
            text=[[row] * values.shape[1] for row in rows],
            hovertemplate="%{text}: %{z:.2f}" + ("" if hover is None else "<br>%{customdata}") + "<extra></extra>",
            colorbar={"thickness": 10, "title": {**titled(name), "side": "right"}, "len": 1.0},
        )
    )  # fmt: skip
    return styled(
        figure, height=height,
        xaxis={"title": x, "showgrid": False, "showticklabels": False},
        yaxis={
            "tickvals": list(range(len(rows))), "ticktext": marked(rows),
            "autorange": "reversed", "showgrid": False,
            "automargin": True, "color": QUIET,
        },
    )  # fmt: skip


def marked(rows: Sequence[str], marks: Sequence[int] | None = None) -> list[str]:
    """Return the names of R rows for an axis, each with a square in its colour (see `theme.colours`)."""
    inks = colours(len(rows), marks)
    return [f'{row} <span style="color:{ink}">■</span>' for row, ink in zip(rows, inks, strict=True)]


_A_GROUP = 60


def taste_map(found: Mapping[str, Any], labels: Sequence[str], marks: Sequence[int] | None = None) -> go.Figure:
    """Draw each sampled reviewer as a point: normalised entropy across, dominant aspect down, in the aspect's colour.

    Parameters
    ----------
    found : mapping
        What `aspects.heterogeneity` stored, with groups.
    labels : sequence of K str
        Names of the aspects.
    marks : sequence of K int or None
        The aspect whose colour each has, if not that of its position.
    """
    ink = colours(len(labels), marks)
    sample = found["sample"]
    dominant, sentences = np.array(sample["dominant"]), np.array(sample["sentences"])
    # Spread within a row, by a fixed rule: points of equal entropy would hide each other.
    lift = 0.6 * ((np.arange(len(dominant)) * 0.618034) % 1.0 - 0.5)
    hover = [_taste(profile, labels) for profile in sample["profiles"]]
    figure = go.Figure(
        go.Scatter(
            x=sample["entropy"], y=dominant + lift, mode="markers", text=hover, customdata=sentences,
            marker={"color": [ink[k] for k in dominant], "size": 5 + 2 * np.log2(sentences / sentences.min() + 1),
                    "opacity": 0.75, "line": {"width": 0.5, "color": "#ffffff"}},
            hovertemplate="%{text}<br>entropy %{x:.2f}, %{customdata} sentences<extra></extra>",
        )
    )  # fmt: skip
    low, left, right, high = found["quantiles"].values()
    ends = (min(sample["entropy"]) - 0.01, max(sample["entropy"]) + 0.01)
    for name, start, end in zip(GROUPS, (ends[0], left, high), (low, right, ends[1]), strict=True):
        figure.add_vrect(start, end, fillcolor=GRID, opacity=0.45, line_width=0, layer="below")
        figure.add_annotation(
            x=(start + end) / 2, y=1, yref="paper", yanchor="bottom", text=name, showarrow=False,
            font={"size": 12, "color": QUIET},
        )  # fmt: skip
    return styled(
        figure, height=90 + 34 * len(labels), margin={"l": 8, "r": 8, "t": 24, "b": 8},
        xaxis={"title": "normalised entropy: 0 one aspect, 1 all equally", "range": ends},
        yaxis=named_rows(labels),
    )  # fmt: skip


def entropy_figure(found: Mapping[str, Any]) -> go.Figure:
    """Draw the entropies of the reviewers, and of the same sentences dealt out at random in two ways."""
    edges = np.array(found["entropy"]["edges"])
    middle = (edges[:-1] + edges[1:]) / 2
    figure = go.Figure()
    figure.add_bar(
        x=middle, y=found["entropy"]["counts"], name="reviewers", marker={"color": PALETTE[9]},
        width=np.diff(edges) * 0.92, hovertemplate="entropy %{x:.2f}: %{y:,} reviewers<extra></extra>",
    )  # fmt: skip
    lines = {"dealt": ("dealt out within products", INK, "dot"), "dealt_to_all": ("dealt out to all", QUIET, "dash")}
    for key, (name, ink, dash) in lines.items():
        figure.add_scatter(
            x=middle, y=found[key]["counts"], name=name, mode="lines",
            line={"color": ink, "width": 2, "shape": "hvh", "dash": dash},
            hovertemplate=f"entropy %{{x:.2f}}: %{{y:,}} if {name}<extra></extra>",
        )  # fmt: skip
    held = np.flatnonzero(sum(np.array(found[key]["counts"]) for key in ("entropy", *lines)))
    return styled(
        figure, height=300, showlegend=True, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        margin={"l": 8, "r": 8, "t": 30, "b": 8},
        xaxis={"title": "normalised entropy", "range": [edges[held[0]], edges[held[-1] + 1]]},
        yaxis={"title": "reviewers", "automargin": True},
    )  # fmt: skip


def profile_map(found: Mapping[str, Any], labels: Sequence[str], marks: Sequence[int] | None = None) -> go.Figure:
    """Draw sampled reviewers as columns, group after group, the intermediate ones by dominant aspect (as the paper)."""
    sample = found["sample"]
    profiles, group = np.array(sample["profiles"]), np.array(sample["group"])
    entropy, dominant = np.array(sample["entropy"]), np.array(sample["dominant"])
    columns: list[int] = []
    borders = []
    for g in range(len(GROUPS)):
        members = np.flatnonzero(group == g)[:_A_GROUP]
        key = dominant[members] if g == 1 else np.zeros(len(members))
        columns += members[np.lexsort((entropy[members], key))].tolist()
        borders.append(len(columns))
    hover = [[f"{sample['sentences'][i]} sentences, entropy {entropy[i]:.2f}" for i in columns]] * len(labels)
    figure = heat(
        profiles[columns].T, labels, "preference", height=80 + 24 * len(labels), x="sampled reviewers",
        most=float(profiles[columns].max(initial=0.01)), hover=hover,
    )  # fmt: skip
    figure.update_yaxes(ticktext=marked(labels, marks))
    for name, start, end in zip(GROUPS, [0, *borders], borders, strict=False):
        if end > start:
            figure.add_annotation(
                x=(start + end - 1) / 2, y=1, yref="paper", yanchor="bottom", text=name, showarrow=False,
                font={"size": 13, "color": INK},
            )  # fmt: skip
        if 0 < end < len(columns):
            figure.add_vline(end - 0.5, line={"color": "#ffffff", "width": 4})
    return figure.update_layout(margin={"l": 8, "r": 8, "t": 26, "b": 8})


def group_bars(
    profile: Sequence[float], labels: Sequence[str], top: float, marks: Sequence[int] | None = None
) -> go.Figure:
    """Draw the mean profile of a group; `top` in [0, 1] is the end of the axis, shared by the groups."""
    rows = list(range(len(labels)))
    figure = go.Figure(
        go.Bar(
            x=[100 * value for value in profile], y=rows, orientation="h", marker={"color": colours(len(rows), marks)},
            text=[f"{100 * value:.0f} %" for value in profile], textposition="outside", cliponaxis=False,
            hovertemplate="%{x:.1f} %<extra></extra>",
        )
    )  # fmt: skip
    return styled(
        figure, height=60 + 22 * len(labels),
        xaxis={"range": [0, 118 * top], "ticksuffix": " %", "nticks": 4},
        yaxis=named_rows(labels) | {"showgrid": False},
    )  # fmt: skip


def _taste(profile: Sequence[float], labels: Sequence[str]) -> str:
    """Return the three largest aspects of a profile in words."""
    largest = np.argsort(-np.array(profile), kind="stable")[:3]
    return "<br>".join(f"{labels[k]} {100 * profile[k]:.0f} %" for k in largest)
