"""Where reviews come from: the sample, or a file; read into one table with the names of Amazon Reviews 2023."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import pandas as pd

from prefer_core.data.cleaning import clean, one_line
from prefer_core.data.columns import is_wanted, recognise
from prefer_core.data.progress import Tick, silent
from prefer_core.data.readers import Row, read_rows, suffix_of
from prefer_core.data.values import as_id, as_rating, as_text, as_time, as_verified, as_votes
from prefer_core.errors import DataError

SAMPLE = Path(__file__).resolve().parents[2] / "assets" / "sample"


@dataclass(frozen=True)
class Source:
    """Raw reviews, read.

    Attributes
    ----------
    name : str
        Label for people.
    rows : DataFrame
        One row a review, in file order: user_id, parent_asin, timestamp (ms, -1 unknown), rating (NaN unknown), title,
        text, helpful_vote, verified_purchase (1, 0, -1 unknown).
    titles : mapping of str to str
        Display name of every product in `rows`.
    columns : mapping of str to str
        Standard name to the column of the file that was taken for it.
    counts : mapping of str to int
        What was read, and what was left out for which reason.
    digest : str
        SHA-256 of the bytes of the source.
    has_users : bool
        False where the source names no reviewers and each review stands for its own.
    is_sample : bool
        Whether these are the made-up reviews that come with the project.
    """

    name: str
    rows: pd.DataFrame
    titles: Mapping[str, str]
    columns: Mapping[str, str]
    counts: Mapping[str, int]
    digest: str
    has_users: bool
    is_sample: bool


def read_source(
    source: str, columns: Mapping[str, str] | None = None, limit: int | None = None, tick: Tick = silent
) -> Source:
    """Read a source of reviews.

    Parameters
    ----------
    source : str
        ``sample``, or the path of a .jsonl, .jsonl.gz, .csv or .csv.gz file. For ``X.jsonl`` a file ``X.meta.jsonl``
        beside it (either may end in .gz) gives the titles of the products.
    columns : mapping of str to str, optional
        Which column holds what, for names that are not recognised.
    limit : int, optional
        Read at most this many reviews.

    Raises
    ------
    DataError
        If the source is missing, empty, more than half broken, or lacks the columns of text and product.
    """
    is_sample = source == "sample"
    path = SAMPLE / "reviews.jsonl" if is_sample else Path(source).expanduser()
    meta = SAMPLE / "meta.jsonl" if is_sample else _meta_of(path)
    raw, found, counts = _collect(path, columns or {}, limit, tick)
    mapping = recognise(found, columns or {})
    rows = _standard_rows(raw, mapping, counts)
    if rows.empty:
        raise DataError(
            f"No review in {path} has both a text and a product; check the file, or name columns with --map."
        )
    titles = _titles(rows, _meta_titles(meta) if meta else {})
    return Source(
        name="sample" if is_sample else path.name.removesuffix(suffix_of(path)),
        rows=rows.drop(columns=["category", "product_title"]),
        titles=titles,
        columns=mapping,
        counts=counts,
        digest=_digest([path, meta] if meta else [path]),
        has_users="user_id" in mapping,
        is_sample=is_sample,
    )


def _collect(
    path: Path, given: Mapping[str, str], limit: int | None, tick: Tick
) -> tuple[list[Row], list[str], dict[str, int]]:
    """Read the rows that are rows, with only the columns that may matter; return them, all column names, and counts."""
    rows: list[Row] = []
    wanted: dict[str, bool] = {}
    lines = broken = 0
    for lines, row in enumerate(read_rows(path), 1):
        if row is None:
            broken += 1
        else:
            wanted |= {name: is_wanted(name, given) for name in row if name not in wanted}
            rows.append({name: value for name, value in row.items() if wanted[name]})
        if lines % 1000 == 0:
            tick(lines, 0)
        if len(rows) == limit:
            break
    if lines == 0:
        raise DataError(f"{path} is empty; give a file with one review a line.")
    if 2 * broken > lines:
        raise DataError(
            f"{broken} of {lines} lines of {path} cannot be read, more than half; is it the right kind of file?"
        )
    return rows, list(wanted), {"lines read": lines, "broken lines": broken}


def _standard_rows(raw: list[Row], mapping: Mapping[str, str], counts: dict[str, int]) -> pd.DataFrame:
    """Bring the rows to the standard names and types; what has no product or no text is dropped and counted."""
    kept: list[dict[str, Any]] = []
    no_product = no_text = odd_rating = 0
    for number, row in enumerate(raw):
        standard = {name: row.get(column) for name, column in mapping.items()}
        product = as_id(standard["parent_asin"]) or as_id(row.get("asin"))
        text = as_text(standard["text"])
        if product is None or text is None:
            no_product += product is None
            no_text += product is not None
            continue
        rating = as_rating(standard.get("rating"))
        odd_rating += standard.get("rating") is not None and math.isnan(rating)
        kept.append(
            {
                "user_id": as_id(standard.get("user_id")) or f"\0row{number}",
                "parent_asin": product,
                "timestamp": as_time(standard.get("timestamp")),
                "rating": rating,
                "title": as_text(standard.get("title")) or "",
                "text": text,
                "helpful_vote": as_votes(standard.get("helpful_vote")),
                "verified_purchase": as_verified(standard.get("verified_purchase")),
                "category": as_text(standard.get("category")) or "",
                "product_title": as_text(standard.get("product_title")) or "",
            }
        )
    counts |= {"without product": no_product, "without text": no_text, "ratings outside 1 to 5": odd_rating}
    return pd.DataFrame(kept)


def _titles(rows: pd.DataFrame, known: Mapping[str, str]) -> dict[str, str]:
    """Name every product: its title, else its category and id, else "Product" and id."""
    titles: dict[str, str] = {}
    for product, category, own in rows[["parent_asin", "category", "product_title"]].itertuples(index=False):
        if product not in titles:
            named = own if own != product else ""
            titles[product] = known.get(product) or named or f"{category.replace('_', ' ') or 'Product'} {product}"
    return titles


def _meta_of(path: Path) -> Path | None:
    """Find the file of product titles beside a file of reviews."""
    suffix = suffix_of(path)
    if not suffix.startswith(".jsonl"):
        return None
    stem = path.name[: -len(suffix)]
    return next((p for end in (".gz", "") if (p := path.with_name(f"{stem}.meta.jsonl{end}")).is_file()), None)


def _meta_titles(path: Path) -> dict[str, str]:
    titles: dict[str, str] = {}
    for row in read_rows(path):
        product = as_id(row.get("parent_asin")) or as_id(row.get("asin")) if row else None
        title = as_text(row.get("title")) if row else None
        if product and title:
            titles.setdefault(product, one_line(clean(title)))
    return titles


def _digest(paths: list[Path]) -> str:
    """SHA-256 over the bytes of the files, each by its own digest, so that bytes cannot move from one to the next."""
    if len(paths) == 1:
        return _file_digest(paths[0])
    return sha256("".join(map(_file_digest, paths)).encode()).hexdigest()


def _file_digest(path: Path) -> str:
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
