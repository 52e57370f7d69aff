"""Where reviews come from: the sample, the hub, or a file; one table with the names of Amazon Reviews 2023."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from prefer_core.data.cleaning import clean, one_line
from prefer_core.data.columns import SAID, Choice, holds_names
from prefer_core.data.compact import Strings
from prefer_core.data.dates import read_times
from prefer_core.data.losses import EXAMPLES, Losses
from prefer_core.data.ratings import read_ratings
from prefer_core.data.raw_table import RawTable, read_table
from prefer_core.data.readers import read_rows, suffix_of
from prefer_core.data.values import as_id, as_text, as_verified, as_votes, count_all_tokens, read_ids
from prefer_core.errors import DataError
from prefer_core.files.manifest import hash_file
from prefer_core.files.progress import Tick, silent

PREFIX = "amazon:"
REPOSITORY = "McAuley-Lab/Amazon-Reviews-2023"

_FILES = ("raw/review_categories/{}.jsonl", "raw/meta_categories/meta_{}.jsonl")

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
    choices : tuple of Choice
        `columns`, each with the reason why it was taken.
    notes : tuple of str
        How the file was read, and what was decided for whole columns.
    losses : Losses
        Examples of what was left out.
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
    choices: tuple[Choice, ...] = ()
    notes: tuple[str, ...] = ()
    losses: Losses = field(default_factory=Losses)


def read_source(
    source: str,
    columns: Mapping[str, str] | None = None,
    limit: int | None = None,
    tick: Tick = silent,
    *,
    one_product: str | None = None,
    tell: Callable[[str], None] = lambda line: None,
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
    one_product : str, optional
        Name of the product that all reviews are of, where no column tells it.
    tell : callable
        Told which column was taken for what, as soon as that is known.

    Raises
    ------
    DataError
        If the source is missing, empty, more than half broken, or lacks the columns of text and product.
    """
    is_sample = source == "sample"
    path, meta = _files(source)
    raw = read_table(path, columns or {}, limit, tick, needs_product=one_product is None, tell=tell)
    rows, decided = _standard_rows(raw, one_product)
    if rows.empty:
        raise DataError(
            f"No review in {path} has both a text and a product; check the file, or name columns with --map."
        )
    known, metadata_tokens = _metadata(meta, set(rows["parent_asin"])) if meta else ({}, None)
    named_by_itself = one_product is not None or holds_names(raw.mapping["parent_asin"])
    return Source(
        name="sample" if is_sample else path.name.removesuffix(suffix_of(path)),
        rows=rows.drop(columns=["category", "product_title"]),
        titles=_titles(rows, known, named_by_itself=named_by_itself),
        columns=raw.mapping,
        counts=raw.counts,
        digest=_digest([path, meta] if meta else [path]),
        has_users=not rows["user_id"].str.startswith(NOBODY).all(),
        is_sample=is_sample,
        categories=_categories(rows),
        metadata_tokens=metadata_tokens,
        choices=raw.choices,
        notes=(*raw.how.notes(), *decided),
        losses=raw.losses,
    )


def _files(source: str) -> tuple[Path, Path | None]:
    """Return the file of reviews and, where there is one, the file of product titles."""
    if source == "sample":
        return SAMPLE / "reviews.jsonl", SAMPLE / "meta.jsonl"
    if source.startswith(PREFIX):
        return fetch_category(source)
    path = Path(source).expanduser()
    return path, _meta_of(path)


def _standard_rows(raw: RawTable, one_product: str | None) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Bring the columns to the standard names and types; what has no product or no text is dropped and counted.

    Returns
    -------
    tuple
        The table, and what was decided for whole columns, in words.
    """
    mapping, notes = raw.mapping, list[str]()

    def ids(name: str) -> Strings:
        found = read_ids(raw.values(name))
        notes.extend(f"{SAID[name]} ids: {note}" for note in found.notes)
        return found.values

    products = ids("parent_asin") if one_product is None else Strings.of(one_product, raw.size)
    if mapping.get("parent_asin") != "asin" and one_product is None and not products.is_known().all():
        products = products.otherwise(read_ids(raw.column("asin")).values)
    texts, bad = raw.texts("text"), raw.texts("negative_text")
    has_product, has_text = products.is_known(), texts.is_known() | bad.is_known()
    keep = has_product & has_text
    rated, timed = read_ratings(raw.values("rating")), read_times(raw.values("timestamp"))
    notes.extend(f"{word}: {rule}" for word, rule in (("ratings", rated.rule), ("times", timed.rule)) if rule)
    _count(raw, products, has_product, has_text, {"rating": rated.outside, "timestamp": timed.unknown}, keep)
    columns: dict[str, Strings | NDArray[Any]] = {
        "user_id": _named(ids("user_id")),
        "parent_asin": products,
        "timestamp": timed.milliseconds,
        "rating": rated.stars,
        "title": raw.texts("title"),
        "text": texts,
        "helpful_vote": raw.values("helpful_vote").mapped(as_votes, np.int64),
        "verified_purchase": raw.values("verified_purchase").mapped(as_verified, np.int64),
        "category": raw.values("category").texts(as_text),
        "product_title": raw.values("product_title").texts(as_text),
    }
    if raw.held_places:
        signs = ", ".join(list(dict.fromkeys(raw.placeholders.values()))[:EXAMPLES])
        notes.append(f"{raw.held_places:,} placeholders stand where a text should ({signs}) and are no text")
    if "negative_text" in mapping:
        columns["negative_text"] = bad
        notes.append(
            f"two texts are joined: {mapping['text']} (good) and {mapping['negative_text']} (bad, flagged as negative)"
        )
    return pd.DataFrame({name: _kept(column, keep) for name, column in columns.items()}), tuple(notes)


def _named(users: Strings) -> Strings:
    """Give a name of its own to every row without a reviewer."""
    if users.is_known().all():
        return users
    named, start = Strings(), 0
    for part in users.parts:
        named.add([name or f"{NOBODY}{start + row}" for row, name in enumerate(part.to_pylist())])
        start += len(part)
    return named


def _kept(column: Strings | NDArray[Any], keep: NDArray[np.bool_]) -> pd.Series | NDArray[Any]:
    if isinstance(column, Strings):
        if not keep.all():
            column.keep(keep)
        return column.series(missing="")
    return column if keep.all() else column[keep]


def _count(
    raw: RawTable,
    products: Strings,
    has_product: NDArray[np.bool_],
    has_text: NDArray[np.bool_],
    odd: Mapping[str, NDArray[np.int64]],
    keep: NDArray[np.bool_],
) -> None:
    """Count what is dropped and what is unknown, and keep examples."""
    texts = raw.texts("text")
    empty = has_product & ~has_text
    held_place = np.zeros(raw.size, dtype=bool)
    held_place[np.array(sorted(raw.placeholders), dtype=np.int64)] = True
    reasons = {
        "without product": ~has_product,
        "without text": empty & ~held_place,
        "placeholders instead of a text": empty & held_place,
    }
    for reason, dropped in reasons.items():
        raw.counts[reason] = int(dropped.sum())
    rows = np.flatnonzero(reasons["without product"])[:EXAMPLES].tolist()
    raw.losses.add("without product", (texts[row] or "(no text either)" for row in rows))
    rows = np.flatnonzero(reasons["without text"])[:EXAMPLES].tolist()
    raw.losses.add("without text", (f"row {row + 1:,}, product {products[row]}" for row in rows))
    raw.losses.add("placeholders instead of a text", dict.fromkeys(raw.placeholders.values()))
    for name, reason in (("rating", "ratings outside 1 to 5"), ("timestamp", "times unknown")):
        rows = odd[name][keep[odd[name]]].tolist()
        raw.counts[reason] = len(rows)
        given = raw.values(name)
        raw.losses.add(reason, (given[row] for row in rows[:EXAMPLES]))
    raw.counts["texts cut"] = raw.cut
    for reason in ("placeholders instead of a text", "times unknown", "texts cut"):
        if not raw.counts[reason]:
            del raw.counts[reason]


def _titles(rows: pd.DataFrame, known: Mapping[str, str], *, named_by_itself: bool) -> dict[str, str]:
    """Name every product: its title, else its category and id, else "Product" and id.

    Where the column of products holds names, a product is called so.
    """
    titles: dict[str, str] = {}
    first = rows[["parent_asin", "category", "product_title"]].drop_duplicates("parent_asin")
    for product, category, own in first.itertuples(index=False):
        named = product if named_by_itself else own if own != product else ""
        titles[product] = known.get(product) or named or f"{category.replace('_', ' ') or 'Product'} {product}"
    return titles


def _categories(rows: pd.DataFrame) -> dict[str, str]:
    named = rows.loc[rows["category"] != "", ["parent_asin", "category"]].drop_duplicates("parent_asin")
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
        if not isinstance(row, dict):
            continue
        product = as_id(row.get("parent_asin")) or as_id(row.get("asin"))
        if product in wanted:
            tokens += count_all_tokens(row)
            if title := as_text(row.get("title")):
                titles.setdefault(product, one_line(clean(title)))
    return titles, tokens


def _digest(paths: list[Path]) -> str:
    """SHA-256 over the bytes of the files, each by its own digest, so that bytes cannot move from one to the next."""
    if len(paths) == 1:
        return hash_file(paths[0])
    return sha256("".join(map(hash_file, paths)).encode()).hexdigest()


def fetch_category(source: str) -> tuple[Path, Path]:
    """Fetch the reviews and the product data of ``amazon:CATEGORY``.

    The hub's own bars tell the progress; a fetch that was cut off goes on where it was, and what has been fetched is
    used without a network.

    Returns
    -------
    tuple of Path
        The files of reviews and of product data.

    Raises
    ------
    DataError
        If the name is no category, or the hub cannot be reached and the files are not in the cache.
    """
    category = source.removeprefix(PREFIX)
    if not re.fullmatch(r"[A-Za-z0-9_]+", category):
        raise DataError(f"{source!r} names no category; write it as on the hub, for example amazon:All_Beauty.")
    from huggingface_hub import hf_hub_download

    reviews, meta = (_fetch(hf_hub_download, category, name.format(category)) for name in _FILES)
    return reviews, meta


def _fetch(download: Callable[..., str], category: str, name: str) -> Path:
    from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(download(REPOSITORY, name, repo_type="dataset"))
    except LocalEntryNotFoundError:
        raise DataError(
            f"amazon:{category} is not on this computer yet and the hub cannot be reached; connect to the network "
            f"once, or fetch {name} of {REPOSITORY} elsewhere and give its path with --source."
        ) from None
    except EntryNotFoundError:
        raise DataError(
            f"{REPOSITORY} has no category {category!r}; names are written as there, for example amazon:All_Beauty."
        ) from None
    except HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else "no answer"
        raise DataError(f"The hub refused {name} ({status}); try again later, it goes on where it stopped.") from None
    except OSError as error:
        raise DataError(
            f"{name} could not be fetched ({error}); see that there is room and network, then run it again: "
            "it goes on where it stopped."
        ) from None
