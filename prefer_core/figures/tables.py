"""Rows behind pages: tables of a corpus and of its build beside the paper's, and the numbers that a figure draws."""

import re
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any

import plotly.graph_objects as go

from prefer_core.aspects.heterogeneity import entropies
from prefer_core.figures import paper

Row = dict[str, Any]

LEVELS = {"reviews": "review", "units": "sentence"}
"""Key in the statistics to the unit of the paper's table."""

_RAW = {
    "users": "Users",
    "items": "Items",
    "ratings": "Ratings",
    "review_tokens": "Tokens in reviews",
    "metadata_tokens": "Tokens in the items' records",
}
_PREPROCESSED = {
    "units": "Text units",
    "mean_words": "Mean words a unit",
    "mean_units_per_reviewer": "Mean units a user",
    "max_units_per_product": "Most units of a product",
    "max_units_per_reviewer": "Most units of a user",
}
_READ = (
    ("lines read", "rows in the file"),
    ("broken lines", "no row: cut off, or not of the file's kind"),
    ("without product", "no product to belong to"),
    ("without text", "no text, or only white space"),
    ("placeholders instead of a text", "No Negative, Early Access Review"),
    ("too short", "fewer characters than a review needs"),
    ("in another language", "not the language asked for"),
    ("duplicates", "same reviewer, product and time"),
    ("copies of one text, counted once", "floods and fillers; the reviews stay"),
    ("texts cut", "longer than is read of one review"),
    ("ratings outside 1 to 5", "stars unknown; the review stays"),
    ("times unknown", "none, or ambiguous; review stays"),
    ("reviews", "kept"),
)
_SPLIT = (
    ("sentences that are no review", "advertising, or orders to readers"),
    ("sentences too short", "fewer words than a unit needs"),
    ("sentences too long", "a run-on without a place to cut"),
    ("sentences over the cap", "more than one review may give"),
    ("sentences without a vector", "the embedder gave no numbers"),
    ("repeats folded", "same words; their reviewers stay"),
    ("sentences", "kept"),
    ("products without a sentence", "nothing usable about them"),
    ("products", "kept"),
)


def raw_table(raw: Mapping[str, Any], name: str) -> list[Row]:
    """Return Table all_beauty_stats with a column for this corpus; None where the source does not tell."""
    return [{"": label, name: raw[key], "paper": getattr(paper.RAW, key)} for key, label in _RAW.items()]


def preprocessed_table(statistics: Mapping[str, Any], unit: str) -> list[Row]:
    """Return Table preprocessed_corpus_stats, the paper's two columns beside those of this corpus.

    A corpus whose units are whole reviews has the review column only.
    """
    levels = {key: level for key, level in LEVELS.items() if unit == "sentence" or key == "reviews"}
    return [
        {"": label}
        | {f"{level}s": statistics[key][field] for key, level in levels.items()}
        | {f"paper, {level}s": getattr(paper.TABLES[level], field) for level in levels.values()}
        for field, label in _PREPROCESSED.items()
    ]


def dropped_tables(counts: Mapping[str, int], unit: str) -> tuple[list[Row], list[Row]]:
    """Return what was read and left out on the way to reviews, and on the way to units, each with its reason.

    Counts under names that are not known here come last, as they are told. Where the units are whole reviews, a count
    of sentences is told as one of units.
    """
    left = {key: count for key, count in counts.items() if key != "reviewers"}
    halves: list[list[Row]] = []
    for reasons in (_READ, _SPLIT):
        found = [(key, why) for name, why in reasons for key in left if key == name or key.startswith(f"{name} than ")]
        halves.append([{"what": key, "count": left.pop(key), "why": why} for key, why in found])
    halves[1] += [{"what": key, "count": count, "why": ""} for key, count in left.items()]
    if unit == "review":
        halves[1] = [row | {"what": row["what"].replace("sentence", "unit")} for row in halves[1]]
    return halves[0], halves[1]


def levels_table(corpora: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any], Any]]) -> list[Row]:
    """Return a row a level: size, K, temperature, variance, how sharp the memberships are, and the paper's figures.

    Parameters
    ----------
    corpora : mapping
        Unit to (manifest, diagnostics, sampled phi of shape (s, K)).
    """
    return [_level(unit, *found) for unit, found in corpora.items()]


def _level(unit: str, manifest: Mapping[str, Any], diagnostics: Mapping[str, Any], phi: Any) -> Row:
    printed = paper.TABLES[unit]
    variance = diagnostics["cumulative_variance"]
    size, k = manifest["counts"]["sentences"], phi.shape[1]
    swept: Mapping[str, Any] = next((row for row in diagnostics["k_sweep"] if row["n_aspects"] == k), {})
    return {
        "units are": f"{unit}s",
        "units": size,
        "K": k,
        "K was": "set" if manifest["config"]["aspects"]["n_aspects"] else "chosen",
        "τ": diagnostics["temperature"],
        "variance at 16, %": 100 * variance[min(16, len(variance)) - 1],
        "mean largest membership": float(phi.max(axis=1).mean()),
        "mean entropy of a unit": float(entropies(phi).mean()),
        "Silhouette": swept.get("silhouette"),
        "paper: units": printed.units,
        "paper: K": printed.n_aspects,
        "paper: variance at 16, %": 100 * printed.variance_at_16,
    }


def long_table(tables: Mapping[str, Sequence[Row]]) -> list[Row]:
    """Return several tables as rows of table, statistic, column, value, for one file."""
    return [
        {"table": table, "statistic": next(iter(row.values())), "column": column, "value": value}
        for table, rows in tables.items()
        for row in rows
        for column, value in list(row.items())[1:]
    ]


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


def build_rows(manifest: Mapping[str, Any]) -> list[Row]:
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


def played_rows(measured: Sequence[Mapping[str, str]]) -> list[Row]:
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
) -> Row:
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
