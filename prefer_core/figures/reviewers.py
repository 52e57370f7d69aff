"""How reviewers differ in what they write about (paper, Figure user_heterogeneity)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from prefer_core.aspects.heterogeneity import GROUPS
from prefer_core.figures.corpus import heat, marked
from prefer_core.figures.theme import GRID, INK, PALETTE, QUIET, colours, named_rows, styled

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
