"""Which column of a file holds what: names that are recognised, and names given with ``--map``."""

import re
from collections.abc import Iterable, Mapping

from prefer_core.errors import ConfigError, DataError

ALIASES: dict[str, tuple[str, ...]] = {
    "text": ("text", "review", "review_text", "reviewtext", "review_body", "body", "content", "comment", "comments"),
    "parent_asin": (
        *("parent_asin", "asin", "product_id", "productid", "prod_id", "product", "item_id", "itemid", "item", "sku"),
        *("product_name", "product_title"),
    ),
    "user_id": (
        *("user_id", "userid", "user", "reviewer_id", "reviewerid", "reviewer", "customer_id", "customer", "author"),
        *("username", "user_name", "profile_name", "profilename"),
    ),
    "rating": ("rating", "stars", "star_rating", "score", "overall", "review_rating", "star"),
    "title": ("title", "review_title", "review_headline", "headline", "summary", "subject"),
    "timestamp": (
        *("timestamp", "unixreviewtime", "unix_review_time", "time", "review_time", "reviewtime", "review_date"),
        *("reviewdate", "date", "created_at", "date_posted", "submission_time"),
    ),
    "helpful_vote": ("helpful_vote", "helpful_votes", "helpful", "votes", "vote", "helpful_count"),
    "verified_purchase": ("verified_purchase", "verified", "verifiedpurchase", "is_verified"),
    "category": ("category", "main_category", "product_label", "department"),
    "product_title": ("product_title", "product_name", "item_name"),
}
"""Names by which each standard column is recognised, best first; capitals, spaces and dashes do not matter."""

SHORT = {
    "product": "parent_asin",
    "user": "user_id",
    "time": "timestamp",
    "helpful": "helpful_vote",
    "verified": "verified_purchase",
}
"""Short names that ``--map`` takes beside the standard ones."""


def recognise(found: Iterable[str], given: Mapping[str, str]) -> dict[str, str]:
    """Say which of the columns `found` holds what.

    Parameters
    ----------
    found : iterable of str
        Column names as they stand in the file.
    given : mapping of str to str
        Standard or short name to column, as given with ``--map``; it wins over what is recognised.

    Returns
    -------
    dict of str to str
        Standard name to column name; ``text`` and ``parent_asin`` are always there.

    Raises
    ------
    ConfigError
        If `given` uses a name that is not known.
    DataError
        If a given column, the text or the product is not there; the message lists the columns found.

    Examples
    --------
    >>> recognise(["prod_id", "Review", "review_id"], {})
    {'text': 'Review', 'parent_asin': 'prod_id'}
    """
    columns = list(found)
    listing = ", ".join(columns) or "none"
    mapping: dict[str, str] = {}
    for name, column in given.items():
        standard = SHORT.get(name, name)
        if standard not in ALIASES:
            known = ", ".join([*(n for n in ALIASES if n not in SHORT.values()), *SHORT])
            raise ConfigError(f"--map does not know {name!r}; it takes {known}, for example --map text=review.")
        if column not in columns:
            raise DataError(f"There is no column {column!r} to take as {name}; the file has: {listing}.")
        mapping[standard] = column
    by_name = {_fold(column): column for column in reversed(columns)}
    for standard, aliases in ALIASES.items():
        hits = [by_name[alias] for alias in aliases if alias in by_name]
        if hits and standard not in mapping:
            mapping[standard] = hits[0]
    for standard, word in (("text", "text"), ("parent_asin", "product")):
        if standard not in mapping:
            raise DataError(
                f"No column holds the {word} of a review; the file has: {listing}. "
                f"Name it with --map {word}=COLUMN (several: --map text=review,product=prod_id)."
            )
    return {name: mapping[name] for name in ALIASES if name in mapping}


def is_wanted(column: str, given: Mapping[str, str]) -> bool:
    """Whether `column` may hold something that is read, so that the rest need not be kept."""
    return column in given.values() or _fold(column) in _KNOWN


def _fold(column: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", column.strip().lower()).strip("_")


_KNOWN = frozenset(alias for aliases in ALIASES.values() for alias in aliases)
