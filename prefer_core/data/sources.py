"""Where reviews come from: the sample, the hub, or a file; one table with the names of Amazon Reviews 2023."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from prefer_core.data.cleaning import clean, one_line
from prefer_core.data.columns import is_wanted, recognise
from prefer_core.data.hub import PREFIX, fetch_category
from prefer_core.data.progress import Tick, silent
from prefer_core.data.readers import read_rows, suffix_of
from prefer_core.data.tokens import count_all_tokens
from prefer_core.data.values import as_id, as_rating, as_text, as_time, as_verified, as_votes
from prefer_core.errors import DataError

NOBODY = "\0row"
"""How the user_id of a review begins whose source names no reviewer; the number of its row follows."""

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
        False where the source names no reviewer at all and each review stands for its own.
    is_sample : bool
        Whether these are the made-up reviews that come with the project.
    categories : mapping of str to str
        Category of every product whose reviews name one; the first named counts.
    metadata_tokens : int or None
        Tokens in the records of the products of `rows`; None where no file has them.
    """

    name: str
    rows: pd.DataFrame
    titles: Mapping[str, str]
    columns: Mapping[str, str]
    counts: Mapping[str, int]
    digest: str
    has_users: bool
    is_sample: bool
    categories: Mapping[str, str] = field(default_factory=dict)
    metadata_tokens: int | None = None


def read_source(
    source: str, columns: Mapping[str, str] | None = None, limit: int | None = None, tick: Tick = silent
) -> Source:
    """Read a source of reviews.

    Parameters
    ----------
    source : str
        ``sample``, ``amazon:CATEGORY``, or the path of a file of a kind in `readers.READERS`, packed with gzip or not.
        For ``X.jsonl`` a file ``X.meta.jsonl`` beside it (either may end in .gz) gives the titles of the products.
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
    path, meta = _files(source)
    raw, counts = _collect(path, columns or {}, limit, tick)
    mapping = recognise(raw, columns or {})
    rows = _standard_rows(raw, mapping, counts)
    if rows.empty:
        raise DataError(
            f"No review in {path} has both a text and a product; check the file, or name columns with --map."
        )
    known, metadata_tokens = _metadata(meta, set(rows["parent_asin"])) if meta else ({}, None)
    return Source(
        name="sample" if is_sample else path.name.removesuffix(suffix_of(path)),
        rows=rows.drop(columns=["category", "product_title"]),
        titles=_titles(rows, known),
        columns=mapping,
        counts=counts,
        digest=_digest([path, meta] if meta else [path]),
        has_users=not rows["user_id"].str.startswith(NOBODY).all(),
        is_sample=is_sample,
        categories=_categories(rows),
        metadata_tokens=metadata_tokens,
    )


def _files(source: str) -> tuple[Path, Path | None]:
    """Return the file of reviews and, where there is one, the file of product titles."""
    if source == "sample":
        return SAMPLE / "reviews.jsonl", SAMPLE / "meta.jsonl"
    if source.startswith(PREFIX):
        return fetch_category(source)
    path = Path(source).expanduser()
    return path, _meta_of(path)


def _collect(
    path: Path, given: Mapping[str, str], limit: int | None, tick: Tick
) -> tuple[dict[str, list[Any]], dict[str, int]]:
    """Read what may matter, column by column (a list a column takes a third of a dict a row); return it and counts.

    A column that nobody knows stays empty: its name is needed for the message that lists what there is.
    """
    found: dict[str, list[Any]] = {}
    wanted: dict[str, bool] = {}
    lines = broken = kept = 0
    for lines, row in enumerate(read_rows(path), 1):
        if row is None:
            broken += 1
        else:
            wanted |= {name: is_wanted(name, given) for name in row if name not in wanted}
            _append(found, {name: value for name, value in row.items() if wanted[name]}, kept)
            kept += 1
        if lines % 1000 == 0:
            tick(lines, 0)
        if kept == limit:
            break
    if lines == 0:
        raise DataError(f"{path} is empty; give a file with one review a line.")
    if 2 * broken > lines:
        raise DataError(
            f"{broken} of {lines} lines of {path} cannot be read, more than half; is it the right kind of file?"
        )
    for column in found.values():
        column.extend([None] * (kept - len(column)))
    return {name: found.get(name, []) for name in wanted}, {"lines read": lines, "broken lines": broken}


def _append(columns: dict[str, list[Any]], row: Mapping[str, Any], number: int) -> None:
    """Add row `number`; a column that rows before it did not have is filled up with None."""
    for name, value in row.items():
        column = columns.setdefault(name, [])
        column.extend([None] * (number - len(column)))
        column.append(value)


def _standard_rows(raw: dict[str, list[Any]], mapping: Mapping[str, str], counts: dict[str, int]) -> pd.DataFrame:
    """Bring the columns to the standard names and types; what has no product or no text is dropped and counted."""
    size = len(raw[mapping["text"]])
    nothing = [None] * size

    def column(name: str, read: Callable[[Any], Any]) -> list[Any]:
        return [read(value) for value in raw.get(mapping.get(name, ""), nothing)]

    products = column("parent_asin", as_id)
    fallback = raw.get("asin") or nothing
    products = [as_id(other) if known is None else known for known, other in zip(products, fallback, strict=True)]
    texts = column("text", as_text)
    keep = np.array([p is not None and t is not None for p, t in zip(products, texts, strict=True)], dtype=bool)
    stars = column("rating", as_rating)
    given = raw.get(mapping.get("rating", ""), nothing)
    odd = [math.isnan(star) and as_id(value) is not None for star, value in zip(stars, given, strict=True)]
    without = sum(product is None for product in products)
    counts |= {
        "without product": without,
        "without text": size - without - int(keep.sum()),
        "ratings outside 1 to 5": int(np.array(odd, dtype=bool)[keep].sum()),
    }
    table = pd.DataFrame(
        {
            "user_id": [known or f"{NOBODY}{i}" for i, known in enumerate(column("user_id", as_id))],
            "parent_asin": pd.Series(products, dtype="str"),
            "timestamp": np.array(column("timestamp", as_time), dtype=np.int64),
            "rating": np.array(stars, dtype=np.float64),
            "title": [known or "" for known in column("title", as_text)],
            "text": pd.Series(texts, dtype="str"),
            "helpful_vote": np.array(column("helpful_vote", as_votes), dtype=np.int64),
            "verified_purchase": np.array(column("verified_purchase", as_verified), dtype=np.int64),
            "category": [known or "" for known in column("category", as_text)],
            "product_title": [known or "" for known in column("product_title", as_text)],
        }
    )
    return table[keep].reset_index(drop=True)


def _titles(rows: pd.DataFrame, known: Mapping[str, str]) -> dict[str, str]:
    """Name every product: its title, else its category and id, else "Product" and id."""
    titles: dict[str, str] = {}
    for product, category, own in rows[["parent_asin", "category", "product_title"]].itertuples(index=False):
        if product not in titles:
            named = own if own != product else ""
            titles[product] = known.get(product) or named or f"{category.replace('_', ' ') or 'Product'} {product}"
    return titles


def _categories(rows: pd.DataFrame) -> dict[str, str]:
    named = rows[rows["category"] != ""].drop_duplicates("parent_asin")
    return dict(zip(named["parent_asin"], named["category"], strict=True))


def _meta_of(path: Path) -> Path | None:
    """Find the file of product titles beside a file of reviews."""
    suffix = suffix_of(path)
    if not suffix.startswith(".json"):
        return None
    stem = path.name[: -len(suffix)]
    return next((p for end in (".gz", "") if (p := path.with_name(f"{stem}.meta.jsonl{end}")).is_file()), None)


def _metadata(path: Path, wanted: set[str]) -> tuple[dict[str, str], int]:
    """Return the titles of the products wanted, and the tokens of all that is said about them."""
    titles: dict[str, str] = {}
    tokens = 0
    for row in read_rows(path):
        product = as_id(row.get("parent_asin")) or as_id(row.get("asin")) if row else None
        if row and product in wanted:
            tokens += count_all_tokens(row)
            if title := as_text(row.get("title")):
                titles.setdefault(product, one_line(clean(title)))
    return titles, tokens


def _digest(paths: list[Path]) -> str:
    """SHA-256 over the bytes of the files, each by its own digest, so that bytes cannot move from one to the next."""
    if len(paths) == 1:
        return _file_digest(paths[0])
    return sha256("".join(map(_file_digest, paths)).encode()).hexdigest()


def _file_digest(path: Path) -> str:
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
