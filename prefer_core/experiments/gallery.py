"""The paper's figures, drawn from the rows of an experiment, whole or as far as they have come."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from prefer_core.experiments.play import Row
from prefer_core.figures.learning import Band, Curves, Frame, curves, squares
from prefer_core.figures.theme import colour
from prefer_core.types import FloatArray

Gallery = dict[str, go.Figure]

MMR_INK, GUMBEL_INK, STATIC_INK, BOUND_INK = "#CC6677", "#332288", "#777777", "#999933"
OMD_INK, POSTERIOR_INK = "#332288", "#44AA99"

KNOWN, FITTING, RATINGS = "How well the preference is known (A_pref)", "How well the summaries fit (A_evid)", "Ratings"
SMALLEST, WEIGHTS, REGRET = (
    "Smallest weight, and the floor", "Weights followed", "Average regret of OMD",
)  # fmt: skip
"""Titles of the learning lab's figures."""


def table(rows: Sequence[Row], column: str, rounds: int | None = None) -> FloatArray:
    """Return one column of rows as an array (n_seeds, T); rounds not played yet are NaN."""
    seeds = {seed: i for i, seed in enumerate(dict.fromkeys(row["seed"] for row in rows))}
    last = rounds or max((row["t"] for row in rows), default=1)
    values = np.full((max(1, len(seeds)), last), np.nan)
    for row in rows:
        values[seeds[row["seed"]], row["t"] - 1] = row[column]
    return values


def variants(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of each variant, in order of appearance."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["variant"], []).append(row)
    return found


def ink(variant: str) -> str:
    """Return the colour of a variant or learner: the same one in every figure."""
    name = variant.lower()
    if name.startswith("static"):
        return STATIC_INK
    if name.startswith("posterior"):
        return POSTERIOR_INK
    if name.startswith("omd"):
        return OMD_INK
    return MMR_INK if "mmr" in name else GUMBEL_INK


def alignment(rows: Sequence[Row], window: tuple[int, int] | None = None) -> go.Figure:
    """Draw A_evid (solid) and A_pref (dashed), a panel an extractor (Figures convergence_seeds, drift_alignmentAt)."""
    panels = []
    for extractor in extractors(rows):
        bands = []
        for name, part in variants(rows).items():
            if extractor in name:
                shown = "Static" if part[0]["learner"] == "static" else name  # the legend names what looks alike once
                bands += [
                    Band(f"{shown} A_evid", ink(name), table(part, "a_evid")),
                    Band(f"{shown} A_pref", ink(name), table(part, "a_pref"), dash="dash"),
                ]
        panels.append((extractor, bands))
    return curves(panels, Frame("alignment", (0, 1.03), window=window))


def average_regret(rows: Sequence[Row], window: tuple[int, int] | None = None) -> Curves:
    """Return the average regret, and on the right axis its bound (Figures avg_regret_diagnostic, drift_avg_regret)."""
    panels = [
        (
            name,
            [
                Band(name, ink(name), table(part, "avg_regret")),
                Band("bound (right axis)", BOUND_INK, table(part, "bound"), dash="dash", right=True),
            ],
        )
        for name, part in variants(rows).items()
        if part[0]["learner"] == "omd"
    ]
    return Curves(panels, Frame("average regret", y_right="bound", window=window, from_zero=True))


def smallest_coordinate(rows: Sequence[Row], floor: float, window: tuple[int, int] | None = None) -> go.Figure:
    """Draw min w before and after each update with the floor (Figures truncated_simplex, preference_drift_simplex)."""
    panels = [
        (
            name,
            [
                Band("before the update", BOUND_INK, table(part, "min_w_before")),
                Band(f"after it, {name}", ink(name), table(part, "min_w_after"), dash="dash"),
            ],
        )
        for name, part in variants(rows).items()
        if part[0]["learner"] != "static"
    ]
    return curves(panels, Frame("smallest coordinate", log=True, window=window, limit=(floor, f"floor {floor:g}")))


def feedback(rows: Sequence[Row], window: tuple[int, int] | None = None) -> go.Figure:
    """Draw the ratings of all variants in one panel (Figure drift_feedback)."""
    bands = [Band(name, ink(name), table(part, "feedback"), _dash(name)) for name, part in variants(rows).items()]
    return curves([("", bands)], Frame("rating", (0, 1.03), window=window))


def tracking(rows: Sequence[Row], aspects: Mapping[int, str], window: tuple[int, int] | None = None) -> Curves:
    """Return hidden and learned weights of some aspects (Figure preference_drift_alignment), a panel a variant."""
    panels = []
    for name, part in variants(rows).items():
        bands = []
        for aspect, label in aspects.items():
            flat = [row | {"learned": row["w"][aspect], "hidden": row["w_true"][aspect]} for row in part]
            bands += [
                Band(f"{label}: learned", colour(aspect), table(flat, "learned")),
                Band(f"{label}: hidden", colour(aspect), table(flat, "hidden"), dash="dot"),
            ]
        panels.append((name, bands))
    return Curves(panels, Frame("weight", (0, 1.03), window=window))


def horizon(rows: Sequence[Row], column: str = "a_pref") -> go.Figure:
    """Draw learners side by side on the first 40 ratings, a panel a kind of reader."""
    kinds = list(dict.fromkeys(name.rpartition(" · ")[2] for name in variants(rows)))
    panels = [
        (
            kind,
            [
                Band(part[0]["learner"], ink(part[0]["learner"]), table(part, column))
                for name, part in variants(rows).items()
                if name.endswith(f" · {kind}")
            ],
        )
        for kind in kinds
    ]
    return curves(panels, Frame("A_pref" if column == "a_pref" else "rating", (0, 1.03)))


def heterogeneity(rows: Sequence[Row]) -> go.Figure:
    """Draw G_cos of each profile and extractor (Table cross_user_heterogeneity), the mean over seeds."""
    readers = list(dict.fromkeys(row["reader"] for row in rows))
    names = list(variants(rows))
    values = [
        [np.mean([r["a_evid"] for r in rows if (r["reader"], r["variant"]) == (p, n)]) for n in names] for p in readers
    ]
    return squares(readers, names, np.array(values), "G_cos")


def figures_of(
    experiment: str, rows: Sequence[Row], floor: float, window: tuple[int, int], labels: Sequence[str]
) -> Gallery:
    """Return every figure of an experiment by file name; `labels` are the names of the K aspects."""
    if experiment == "heterogeneity":
        return {"g_cos": heterogeneity(rows)}
    if experiment == "horizon":
        return {"horizon_a_pref": horizon(rows), "horizon_feedback": horizon(rows, "feedback")}
    shade = window if experiment == "drift" else None
    found = {
        "alignment": alignment(rows, shade),
        "average_regret": average_regret(rows, shade).figure(),
        "smallest_coordinate": smallest_coordinate(rows, floor, shade),
        "feedback": feedback(rows, shade),
    }
    if experiment == "drift":
        start, end = (int(np.argmax(rows[i]["w_true"])) for i in (0, -1))
        found["tracking"] = tracking(rows, {k: f"{labels[k]} ({k})" for k in (start, end)}, shade).figure()
    return {f"{experiment}_{name}": figure for name, figure in found.items()}


def extractors(rows: Sequence[Row]) -> list[str]:
    """Return the extractors among the variants' names, each once."""
    return list(dict.fromkeys(name.rpartition("-")[2] for name in variants(rows)))


def _dash(variant: str) -> str:
    return {"Static-MMR": "dot", "Static-Gumbel": "dash"}.get(variant, "solid")


def compared(rows: Sequence[Row], column: str, frame: Frame) -> Curves:
    """Return one column of all variants in one panel, as far as they have been played."""
    bands = [
        Band(name, ink(name), table(part, column), "dot" if "mmr" in name.lower() else "solid")
        for name, part in variants(rows).items()
    ]
    return Curves([("", bands)], frame)


def lab_curves(
    rows: Sequence[Row], floor: float, window: tuple[int, int] | None, aspects: Mapping[int, str]
) -> dict[str, Curves]:
    """Return what the learning lab draws, by title; `aspects` are the ones whose weights are tracked."""
    found = {
        KNOWN: compared(rows, "a_pref", Frame("A_pref", (0, 1.03), window=window)),
        FITTING: compared(rows, "a_evid", Frame("A_evid", (0, 1.03), window=window)),
        RATINGS: compared(rows, "feedback", Frame("rating", (0, 1.03), window=window)),
        SMALLEST: compared(
            rows, "min_w_after", Frame("smallest weight", log=True, window=window, limit=(floor, f"floor {floor:g}"))
        ),
        WEIGHTS: tracking(rows, aspects, window),
    }
    if any(row["learner"] == "omd" for row in rows):
        found[REGRET] = average_regret(rows, window)
    return found
