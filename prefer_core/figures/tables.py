"""Tables of a corpus beside the paper's: plain rows, the caller draws them."""

from collections.abc import Mapping, Sequence
from typing import Any

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
