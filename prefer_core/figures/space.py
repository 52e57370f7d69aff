"""The space that aspects are found in: components, variance, cosines, and how K was chosen (paper, sec 4.1, B.1)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from prefer_core.aspects.k_selection import Candidate, choose, ranks
from prefer_core.figures import paper
from prefer_core.figures.corpus import CAMERA
from prefer_core.figures.tables import Row
from prefer_core.figures.theme import GRID, INK, PALETTE, QUIET, colours, scene, styled, titled
from prefer_core.types import FloatArray

_BAR = PALETTE[9]
_PALE = "#c9dbee"
_MATRIX = 5
_METRICS = (
    ("silhouette", "Silhouette, high is good"),
    ("davies_bouldin", "Davies-Bouldin, low is good"),
    ("calinski_harabasz", "Calinski-Harabasz, high is good"),
)
_OURS = {"color": INK, "width": 1.5}
_PAPER = {"color": PALETTE[6], "width": 1.5, "dash": "dot"}


def five_components(s: FloatArray) -> go.Figure:
    """Draw sampled units by their first five components: three axes, colour and size (paper, Figure pca-5d-review).

    Parameters
    ----------
    s : ndarray of shape (n, m), m >= 5
        Reduced vectors.
    """
    s = np.asarray(s, dtype=np.float64)
    low, high = s[:, 4].min(), s[:, 4].max()
    size = 2 + 8 * (s[:, 4] - low) / ((high - low) or 1.0)
    figure = go.Figure(
        go.Scatter3d(
            x=s[:, 0], y=s[:, 1], z=s[:, 2], mode="markers", customdata=s[:, 3:5], meta=["PC 4", "PC 5"],
            marker={"size": size, "color": s[:, 3], "colorscale": "Cividis", "opacity": 0.7, "line": {"width": 0},
                    "colorbar": {"title": {**titled("PC 4"), "side": "right"}, "thickness": 10, "len": 0.7}},
            hovertemplate="PC 4: %{customdata[0]:.2f}<br>PC 5: %{customdata[1]:.2f}<extra></extra>",
        )
    )  # fmt: skip
    return styled(figure, height=440, margin={"l": 0, "r": 0, "t": 0, "b": 0}, scene=scene(CAMERA))


def component_matrix(
    s: FloatArray, phi: FloatArray, labels: Sequence[str], marks: Sequence[int] | None = None
) -> go.Figure:
    """Draw every pair of the first five components, units in the colour of their largest aspect.

    Parameters
    ----------
    s : ndarray of shape (n, m)
        Reduced vectors.
    phi : ndarray of shape (n, K)
        Soft memberships.
    labels : sequence of K str
        Names of the aspects.
    marks : sequence of K int or None
        The aspect whose colour each has, if not that of its position.
    """
    ink = colours(len(labels), marks)
    shown = min(_MATRIX, s.shape[1])
    aspect = phi.argmax(axis=1)
    figure = go.Figure()
    for k, label in enumerate(labels):
        held = np.flatnonzero(aspect == k)
        figure.add_splom(
            dimensions=[{"label": f"PC {i + 1}", "values": s[held, i]} for i in range(shown)], name=label,
            marker={"size": 3.5, "color": ink[k], "opacity": 0.7}, hoverinfo="name",
            showupperhalf=False, diagonal={"visible": False},
        )  # fmt: skip
    axis = {"showticklabels": False, "zeroline": False, "gridcolor": GRID, "ticks": ""}
    axes = {f"{letter}axis{i}": axis for letter in "xy" for i in range(1, shown + 1)}
    return styled(
        figure, height=470, showlegend=True, dragmode=False, margin={"l": 30, "r": 8, "t": 8, "b": 30},
        legend={"itemsizing": "constant", "x": 1, "xanchor": "right", "y": 1}, **axes,
    )  # fmt: skip


def spectrum(values: Sequence[float], kept: int) -> go.Figure:
    """Draw the variance along each component, the kept ones strong (paper, Figure pca_spectrum_appendix a).

    Parameters
    ----------
    values : sequence of float
        Variance along every component, falling.
    kept : int
        m.
    """
    held = [v for v in values if v > 0]
    place = np.arange(1, len(held) + 1)
    figure = go.Figure(
        go.Bar(
            x=place, y=held, marker={"color": [_BAR if i <= kept else "#c9c9d4" for i in place], "line": {"width": 0}},
            hovertemplate="component %{x}: %{y:.4f}<extra></extra>",
        )
    )  # fmt: skip
    return styled(
        figure, height=300, bargap=0.0,
        xaxis={"title": "component", "showgrid": False}, yaxis={"title": "variance", "automargin": True},
    )  # fmt: skip


def cumulative(shares: Sequence[float], kept: int, printed: paper.TableStatistics) -> go.Figure:
    """Draw the variance that the first components hold together, the paper's points beside it (the same figure, b).

    Parameters
    ----------
    shares : sequence of float
        Cumulative share of the variance, in [0, 1].
    kept : int
        m.
    printed : TableStatistics
        What the paper prints of the same unit.
    """
    figure = go.Figure(
        go.Scatter(
            x=np.arange(1, len(shares) + 1), y=100 * np.asarray(shares), name="this corpus", mode="lines",
            line={"color": INK, "width": 2.5}, hovertemplate="%{x} components: %{y:.1f} %<extra></extra>",
        )
    )  # fmt: skip
    known = {16: printed.variance_at_16} | {count: share for share, count in printed.components_for.items()}
    figure.add_scatter(
        x=list(known), y=[100 * share for share in known.values()], name="the paper", mode="markers",
        marker={"symbol": "diamond-open", "size": 10, "color": PALETTE[6], "line": {"width": 2}},
        hovertemplate="paper: %{x} components, %{y:.0f} %<extra></extra>",
    )  # fmt: skip
    figure.add_vline(kept, line={"color": QUIET, "width": 1, "dash": "dash"})
    figure.add_annotation(
        x=kept, y=4, text=f"{kept} kept", xanchor="left", xshift=4, showarrow=False, font={"color": QUIET},
    )  # fmt: skip
    return styled(
        figure, height=300, showlegend=True, legend={"x": 1, "xanchor": "right", "y": 0.05, "yanchor": "bottom"},
        xaxis={"title": "components"},
        yaxis={"title": "variance held together, %", "range": [0, 102], "tickvals": [0, 25, 50, 70, 90]},
    )  # fmt: skip


def cosines(found: Mapping[str, Any]) -> go.Figure:
    """Draw the cosines of pairs of units, with mode, median and mean of ours and of the paper (pairwise-cosine).

    Parameters
    ----------
    found : mapping
        The block ``cosines`` of the diagnostics: edges, counts, mode, median, mean.
    """
    edges, counts = np.array(found["edges"]), np.array(found["counts"])
    part = 100 * counts / max(counts.sum(), 1)
    held = np.flatnonzero(part > 0.002)
    middle = (edges[:-1] + edges[1:]) / 2
    figure = go.Figure(
        go.Bar(
            x=middle, y=part, width=np.diff(edges), marker={"color": _PALE, "line": {"width": 0}}, name="pairs",
            hovertemplate="cosine %{x:.2f}: %{y:.2f} % of the pairs<extra></extra>", showlegend=False,
        )
    )  # fmt: skip
    top = 1.02 * float(part.max())
    for name, marks, line in (("this corpus", found, _OURS), ("the paper", vars(paper.COSINES), _PAPER)):
        for mark in ("mode", "median", "mean"):
            figure.add_scatter(
                x=[marks[mark]] * 2, y=[0.0, top], mode="lines", name=name, line=line, legendgroup=name,
                showlegend=mark == "mode", hovertemplate=f"{name}, {mark}: {marks[mark]:.3f}<extra></extra>",
            )  # fmt: skip
    return styled(
        figure, height=320, showlegend=True, legend={"x": 1, "xanchor": "right", "y": 1}, bargap=0,
        xaxis={"title": "cosine of a pair", "range": [edges[held[0]] - 0.01, edges[held[-1] + 1] + 0.01]},
        yaxis={"title": "% of the pairs", "range": [0, 1.05 * top]},
    )  # fmt: skip


def sweep(candidates: Sequence[Mapping[str, Any]], chosen: int, printed: int) -> go.Figure:
    """Draw the three metrics over K, the K used filled, the paper's K dotted (paper, Figure k-selection-review).

    Parameters
    ----------
    candidates : sequence of mapping
        The block ``k_sweep`` of the diagnostics.
    chosen, printed : int
        K of this corpus and of the paper at the same unit.
    """
    sizes = [row["n_aspects"] for row in candidates]
    figure = make_subplots(1, len(_METRICS), subplot_titles=[title for _, title in _METRICS], horizontal_spacing=0.07)
    for place, (name, title) in enumerate(_METRICS, 1):
        figure.add_scatter(
            x=sizes, y=[row[name] for row in candidates], mode="lines+markers", name=title.split(",")[0],
            line={"color": _BAR, "width": 2},
            marker={"size": 11, "line": {"color": INK, "width": 1.5},
                    "color": [INK if size == chosen else "#ffffff" for size in sizes]},
            hovertemplate="K = %{x}: %{y:.3f}<extra></extra>", row=1, col=place,
        )  # fmt: skip
        figure.add_vline(printed, line=_PAPER, row=1, col=place)
    figure.update_annotations(font={"size": 13, "color": INK})
    ticks = sorted({*sizes, printed})
    figure = styled(figure, height=280, margin={"l": 8, "r": 8, "t": 34, "b": 8})
    figure.update_xaxes(title_text="K", tickvals=ticks, range=[min(ticks) - 1.5, max(ticks) + 1.5])
    return figure.update_yaxes(automargin=True, nticks=5)


def sweep_table(candidates: Sequence[Mapping[str, Any]], chosen: int) -> list[Row]:
    """Return one row a K: its metrics, its two ranks, their mean by which K is chosen, and whether it is used."""
    return [
        {
            "K": row["n_aspects"],
            "Silhouette": row["silhouette"],
            "rank by Silhouette": 1 + by_silhouette,
            "Davies-Bouldin": row["davies_bouldin"],
            "rank by Davies-Bouldin": 1 + by_davies_bouldin,
            "mean rank": 1 + (by_silhouette + by_davies_bouldin) / 2,
            "Calinski-Harabasz": row["calinski_harabasz"],
            "used": "yes" if row["n_aspects"] == chosen else "",
        }
        for row, (by_silhouette, by_davies_bouldin) in zip(candidates, ranks(_measured(candidates)), strict=True)
    ]


def ruled(candidates: Sequence[Mapping[str, Any]]) -> int:
    """Return the K that the rule takes of those measured."""
    return choose(_measured(candidates))


def _measured(candidates: Sequence[Mapping[str, Any]]) -> list[Candidate]:
    return [
        Candidate(row["n_aspects"], *(np.nan if row[name] is None else row[name] for name, _ in _METRICS))
        for row in candidates
    ]
