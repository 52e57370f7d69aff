"""How sharply units belong to aspects, how much of each there is, and where it is thin (paper, sec 4.1, C.1)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from prefer_core.aspects.audit import thin
from prefer_core.figures import paper
from prefer_core.figures.tables import Row
from prefer_core.figures.theme import GRID, INK, PALETTE, QUIET, colours, named_rows, styled
from prefer_core.types import FloatArray

SPOKEN_OF = 0.1
"""A product speaks of an aspect when at least this part of what is written about it is about the aspect."""

_BAR = PALETTE[9]


def gaps(found: Mapping[str, Any], median: float) -> go.Figure:
    """Draw Delta, by how much the second centroid is farther than the nearest, and its median, which sets tau.

    Parameters
    ----------
    found : mapping
        The block ``gaps`` of the diagnostics; what is above its last edge was counted in the last bin.
    median : float
        Delta_med.
    """
    figure = _histogram(found, "gap Δ, squared distance")
    return _marked(figure, median, f"median {median:.3f}", {"color": INK, "width": 2})


def top_memberships(found: Mapping[str, Any]) -> go.Figure:
    """Draw the distribution of max_k phi_ik over the units (paper, Figure aspect_diagnostics a)."""
    figure = _histogram(found, "largest membership")
    figure.update_xaxes(range=[0, 1])
    return _marked(figure, found["median"], f"median {found['median']:.2f}", {"color": INK, "width": 2})


def temperatures(rows: Sequence[Mapping[str, float]]) -> go.Figure:
    """Draw how sharp memberships are at each temperature of the paper's sweep and at tau*, the last row.

    Parameters
    ----------
    rows : sequence of mapping
        The block ``temperatures`` of the diagnostics.
    """
    ordered = sorted(rows, key=lambda row: row["temperature"])
    tau = [row["temperature"] for row in ordered]
    figure = go.Figure()
    for field, name, ink in (("mean_top", "largest membership", PALETTE[0]), ("entropy", "entropy", PALETTE[6])):
        figure.add_scatter(
            x=tau, y=[row[field] for row in ordered], name=name, mode="lines+markers", marker={"size": 7},
            line={"color": ink, "width": 2.5}, customdata=[row["effective"] for row in ordered],
            hovertemplate=f"τ = %{{x:.1f}}: {name} %{{y:.2f}}, %{{customdata:.1f}} aspects in effect<extra></extra>",
        )  # fmt: skip
    star = rows[-1]["temperature"]
    figure = _marked(figure, star, f"τ* = {star:.1f}", {"color": INK, "width": 2})
    figure.add_vline(paper.TEMPERATURE, line={"color": QUIET, "width": 1.5, "dash": "dot"})
    return styled(
        figure, height=300, showlegend=True, legend={"orientation": "h", "y": 1.1, "yanchor": "bottom", "x": 0},
        margin={"l": 8, "r": 8, "t": 34, "b": 8},
        xaxis={"title": "temperature τ", "range": [0, max(*tau, paper.TEMPERATURE) + 1.5]},
        yaxis={"title": "mean over all", "range": [0, 1.02]},
    )  # fmt: skip


def temperature_table(rows: Sequence[Mapping[str, float]]) -> list[Row]:
    """Return the sweep in words, tau* last."""
    return [
        {
            "τ": row["temperature"],
            "largest membership, mean": row["mean_top"],
            "entropy, mean": row["entropy"],
            "aspects in effect, mean": row["effective"],
            "first over second, median": row["ratio"],
            "": "τ*" if row is rows[-1] else "",
        }
        for row in rows
    ]


def mass(
    shares: Sequence[float], products: FloatArray, labels: Sequence[str], marks: Sequence[int] | None = None
) -> go.Figure:
    """Draw how much is written about each aspect, and in how many products (paper, Figure aspect_diagnostics b).

    Parameters
    ----------
    shares : sequence of K float
        m_k, on the simplex.
    products : ndarray of shape (P, K)
        The same share in every product.
    labels : sequence of K str
        Names of the aspects.
    marks : sequence of K int or None
        The aspect whose colour each has, if not that of its position.
    """
    spoken = (np.asarray(products) >= SPOKEN_OF).mean(axis=0)
    rows = list(range(len(labels)))
    titles = ("of all that is written", f"of the products: at least {100 * SPOKEN_OF:.0f} % about it")
    figure = make_subplots(1, 2, shared_yaxes=True, subplot_titles=titles, horizontal_spacing=0.06)
    for place, (name, values) in enumerate((("sentences", shares), ("products", spoken)), 1):
        figure.add_bar(
            x=[100 * float(v) for v in values], y=rows, orientation="h", name=name, cliponaxis=False,
            marker={"color": colours(len(rows), marks)}, text=[f"{100 * v:.0f} %" for v in values],
            textposition="outside", hovertemplate="%{x:.1f} %<extra></extra>", row=1, col=place,
        )  # fmt: skip
    figure.update_annotations(font={"size": 13, "color": QUIET})
    figure = styled(figure, height=80 + 26 * len(labels), margin={"l": 8, "r": 30, "t": 30, "b": 8})
    figure.update_xaxes(ticksuffix=" %", rangemode="tozero", nticks=5)
    return figure.update_yaxes(**named_rows(labels), showgrid=False, color=INK)


def slice_rows(divisions: Sequence[Mapping[str, Any]], aspect: int) -> list[Row]:
    """Return one row a part of the corpus: how much of it is about an aspect, and whether the aspect is thin there.

    Parameters
    ----------
    divisions : sequence of mapping
        The block ``slices`` of the diagnostics.

    Returns
    -------
    list of dict
        by, part, sentences (all of the part), about it (sum of memberships, in sentences), share, usual (share in the
        whole division), thin.
    """
    rows: list[Row] = []
    for division in divisions:
        sums = np.asarray(division["mass"])
        flags, usual = thin(sums), sums[:, aspect].sum() / max(sums.sum(), 1e-300)
        rows += [
            {
                "by": division["name"],
                "part": part,
                "sentences": int(size),
                "about it": float(sums[i, aspect]),
                "share": float(sums[i, aspect] / max(sums[i].sum(), 1e-300)),
                "usual": float(usual),
                "thin": bool(flags[i, aspect]),
            }
            for i, (part, size) in enumerate(zip(division["parts"], division["sentences"], strict=True))
        ]
    return rows


def slice_bars(rows: Sequence[Row], ink: str) -> go.Figure:
    """Draw the rows of `slice_rows` in a colour: a bar a part, hollow where it is thin, a line at the usual share."""
    places, names, place = [], [], 0.0
    heads: list[tuple[float, str]] = []
    for row, before in zip(rows, [None, *rows], strict=False):
        if before is None or before["by"] != row["by"]:
            heads.append((place, str(row["by"])))
            place += 1
        places.append(place)
        names.append(f"{row['part']} · thin" if row["thin"] else str(row["part"]))
        place += 1
    share = [100 * row["share"] for row in rows]
    figure = go.Figure(
        go.Bar(
            x=share, y=places, orientation="h", name="", cliponaxis=False,
            marker={"color": ["#ffffff" if row["thin"] else ink for row in rows],
                    "line": {"color": ink, "width": 1.5}},
            text=[f"{value:.0f} %" for value in share], textposition="inside",
            insidetextanchor="start", textangle=0, constraintext="none",
            customdata=[[row["about it"], row["sentences"]] for row in rows],
            hovertemplate="%{x:.1f} %: %{customdata[0]:,.0f} of %{customdata[1]:,} sentences<extra></extra>",
        )
    )  # fmt: skip
    for at, head in heads:
        figure.add_annotation(
            x=0, y=at, text=f"<b>by {head}</b>", xanchor="left", showarrow=False, font={"size": 12, "color": QUIET},
        )  # fmt: skip
    figure.add_vline(100 * rows[0]["usual"], line={"color": QUIET, "width": 1, "dash": "dash"}, layer="below")
    return styled(
        figure, height=50 + round(22 * place), bargap=0.25, margin={"l": 8, "r": 30, "t": 4, "b": 8},
        xaxis={"ticksuffix": " %", "rangemode": "tozero", "nticks": 5},
        yaxis={"tickvals": places, "ticktext": names, "range": [place - 0.4, -0.6], "automargin": True,
               "showgrid": False, "color": INK},
    )  # fmt: skip


def _histogram(found: Mapping[str, Any], title: str) -> go.Figure:
    edges, counts = np.array(found["edges"]), np.array(found["counts"])
    figure = go.Figure(
        go.Bar(
            x=(edges[:-1] + edges[1:]) / 2, y=100 * counts / max(counts.sum(), 1), width=np.diff(edges) * 0.94,
            marker={"color": _BAR, "line": {"width": 0}}, hovertemplate="%{x:.3f}: %{y:.1f} %<extra></extra>",
        )
    )  # fmt: skip
    return styled(
        figure, height=300, margin={"l": 8, "r": 8, "t": 24, "b": 8}, xaxis={"title": title, "gridcolor": GRID},
        yaxis={"title": "% of all", "automargin": True},
    )  # fmt: skip


def _marked(figure: go.Figure, x: float, text: str, line: Mapping[str, Any]) -> go.Figure:
    figure.add_vline(x, line=dict(line))
    return figure.add_annotation(
        x=x, y=1, yref="paper", yanchor="bottom", text=text, showarrow=False, font={"size": 12, "color": INK}
    )
