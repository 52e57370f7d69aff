"""The compute table (paper, Table compute_resources): every measured stage beside the paper's."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from prefer_core.figures import paper

_BUILD = {
    "read": ("Preprocessing", "Reading the source", ""),
    "clean": ("Preprocessing", "Sentence table construction", "Sentence table construction"),
    "embed": ("Embeddings", "Embedding creation", "Embedding creation"),
    "mask": ("Aspect discovery", "Hiding words of products", ""),
    "reduce": ("Aspect discovery", "PCA transform", "PCA transform"),
    "choose K": ("Aspect discovery", "K-selection", "K-selection"),
    "cluster": ("Aspect discovery", "Final KMeans", "Final KMeans"),
    "memberships": ("Aspect discovery", "Final soft assignment", "Final soft assignment"),
    "audit": ("Aspect discovery", "Stability, slices, cards, tastes", ""),
    "key points": ("Key points", "Who says the same", ""),
    "label": ("Aspect discovery", "Names, examples, diagnostics", "Embedding diagnostics"),
}
_UNKNOWN = "not recorded"


def build_rows(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return one row a stage of a build: what, on how much, how long, memory in MiB, the machine; then the paper's.

    Builds that did not record machine or change of memory say so, or leave the cell empty.
    """
    rows = []
    for stage in manifest["stages"]:
        group, component, printed = _BUILD.get(stage["stage"], ("Build", stage["stage"], ""))
        size, items = _size(stage["stage"], manifest)
        rows.append(
            _row(
                (group, component, size),
                stage["seconds"],
                items,
                (stage.get("memory_change"), stage["peak_memory"]),
                manifest.get("machine", _UNKNOWN),
                _paper_row(printed, manifest["config"]["unit"]),
            )
        )
    return rows


def played_rows(measured: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Return one row an experiment that ran here, from the table that experiments keep."""
    return [
        _row(
            (row["stage"], row["component"], row["input"]),
            float(row["seconds"]),
            0,
            (float(row["memory change MiB"]), float(row["memory peak MiB"]) if row["memory peak MiB"] else None),
            row["worker"],
            _paper_row(row["component"], "sentence"),
        )
        for row in measured
    ]


def _row(
    what: tuple[str, str, str],
    seconds: float,
    items: int,
    memory: tuple[float | None, float | None],
    machine: str,
    printed: paper.Stage | None,
) -> dict[str, Any]:
    """Return one row; `items` are what the stage goes through once, 0 where a rate says nothing."""
    return {
        "component": what[1],
        "input": what[2],
        "seconds": seconds,
        "per second": round(items / seconds) if items and seconds else None,
        "change, MiB": memory[0],
        "peak, MiB": memory[1],
        "paper: seconds": printed and round(60 * printed.minutes, 1),
        "paper: per second": printed and _rate(printed),
        "paper: change, MB": printed and round(1000 * printed.rss_change),
        "stage": what[0],
        "machine": machine,
        "paper: input": printed and printed.size,
        "paper: machine": printed and paper.WORKERS[printed.worker],
    }


def _rate(printed: paper.Stage) -> int | None:
    """Return reviews or sentences a second, where the paper's input is so many of them."""
    found = re.match(r"([\d,]+) (?:reviews|sentences)", printed.size)
    return round(int(found[1].replace(",", "")) / (60 * printed.minutes)) if found else None


def _size(stage: str, manifest: Mapping[str, Any]) -> tuple[str, int]:
    """Return the input of a stage in words, and the number of things that it goes through once."""
    counts, aspects, unit = manifest["counts"], manifest["config"]["aspects"], manifest["config"]["unit"]
    n, read, m = counts["sentences"], counts["lines read"], aspects["n_components"]
    m = {"curve": "as many as the curve says"}.get(m, f"{100 * m:.0f} % of the variance" if isinstance(m, float) else m)
    given, tried = aspects["n_aspects"], ", ".join(map(str, aspects["candidates"]))
    sizes = {
        "read": (f"{read:,} rows", read),
        "clean": (f"{read:,} reviews", read),
        "embed": (f"{n:,} {unit}s", n),
        "mask": (f"{n:,} {unit}s", n),
        "reduce": (f"{n:,} × 384, components: {m}, fit included", n),
        "choose K": (f"K in {tried}" + (f"; {given}, as set" if given else ""), 0),
        "cluster": (f"{n:,} × {m}, n_init = {aspects['n_init']}", 0),
        "memberships": (f"{n:,} {unit}s, temperature included", n),
        "audit": (f"{n:,} {unit}s, 10 runs of K-means", 0),
        "key points": (f"{n:,} {unit}s", n),
        "label": (f"{n:,} {unit}s", 0),
    }
    return sizes.get(stage, ("", 0))


def _paper_row(component: str, unit: str) -> paper.Stage | None:
    """Return the paper's row of a component; of its two embeddings the one of this unit."""
    other = {"sentence": "Review embeddings", "review": "Sentence embeddings"}[unit]
    return next((row for row in paper.COMPUTE if row.component == component and row.stage != other), None)
