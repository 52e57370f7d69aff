"""Reviews that copy one another: the same text by many accounts within days, fillers, and accounts with hundreds."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from prefer_core.data.losses import shortened
from prefer_core.data.splitting import count_words

Kind = Literal["flood", "filler", "account"]

_SIGNS = re.compile(r"[\W_]+")
_DAY = 86_400_000
LONG_WORDS = 8
"""Words from which nobody hits upon another one's whole review by chance."""
LEAST_LONG, LEAST_SHORT = 3, 5
"""Accounts with one text from which it is a flood, for long and for shorter texts."""
WINDOW = 7 * _DAY
"""Milliseconds between one copy and the next within a flood."""
LEAST_WORDS = 4
"""Shorter texts give no sentence anyway."""
MANY = 100
"""Reviews of one account from which it is looked at."""


@dataclass(frozen=True)
class Flood:
    """Reviews that count once.

    Attributes
    ----------
    kind : {"flood", "filler", "account"}
        The same text by many accounts about one product; the same about several products, which tells nothing of any;
        texts that one account with hundreds of reviews repeats.
    text : str
        How the text begins.
    reviews, accounts, products : int
        How many there are.
    first, last : int
        Milliseconds since 1970, -1 unknown.
    """

    kind: Kind
    text: str
    reviews: int
    accounts: int
    products: int
    first: int
    last: int


def find_floods(rows: pd.DataFrame) -> tuple[NDArray[np.bool_], list[Flood]]:
    """Find the reviews that only repeat others.

    Two reviews have the same text if their words are the same; capitals and signs do not count. Copies whose time is
    known count as a flood only where each is within a week of the next.

    Parameters
    ----------
    rows : DataFrame
        user_id, parent_asin, timestamp (-1 unknown), text, in the order of the source.

    Returns
    -------
    copies : ndarray of bool of shape (n,)
        True for every copy but the first.
    floods : list of Flood
        The largest first.
    """
    copies = np.zeros(len(rows), dtype=bool)
    floods: list[Flood] = []
    keys = rows["text"].str.slice(0, 1000).map(_key).to_numpy()
    repeated = pd.Series(keys).duplicated(keep=False).to_numpy() & (keys != "")
    places = pd.Series(np.flatnonzero(repeated))
    for key, group in places.groupby(keys[repeated], sort=False):
        words = count_words(str(key))
        if words < LEAST_WORDS:
            continue
        least = LEAST_LONG if words >= LONG_WORDS else LEAST_SHORT
        for run in _runs(rows, group.to_numpy(), least):
            copies[run[1:]] = True
            floods.append(_flood(rows, run))
    for run in _accounts(rows, keys, copies):
        copies[run[1:]] = True
        floods.append(_flood(rows, run, "account"))
    return copies, sorted(floods, key=lambda flood: -flood.reviews)


def busy_accounts(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Describe the accounts with a hundred reviews or more: reviews, products, different texts, most on one day."""
    found = []
    for account in _many(rows):
        own = rows[rows["user_id"] == account]
        days = own["timestamp"][own["timestamp"] >= 0] // _DAY
        found.append(
            {
                "reviews": len(own),
                "products": int(own["parent_asin"].nunique()),
                "different texts": int(own["text"].map(_key).nunique()),
                "most on one day": int(days.value_counts().max()) if len(days) else None,
            }
        )
    return sorted(found, key=lambda account: -account["reviews"])


def _key(text: str) -> str:
    return _SIGNS.sub(" ", text.casefold()).strip()


def _many(rows: pd.DataFrame) -> list[str]:
    counts = rows["user_id"].value_counts()
    return list(counts.index[counts >= MANY])


def _runs(rows: pd.DataFrame, places: NDArray[np.int64], least: int) -> list[NDArray[np.int64]]:
    """Cut the places of one text into runs of copies: unknown times stand together, known ones where no week lies."""
    if len(places) < least or rows["user_id"].iloc[places].nunique() < least:
        return []
    times = rows["timestamp"].to_numpy()[places]
    parts = [places[times < 0]] if (times < 0).any() else []
    known = places[times >= 0]
    if len(known):
        order = known[np.argsort(rows["timestamp"].to_numpy()[known], kind="stable")]
        gaps = np.flatnonzero(np.diff(rows["timestamp"].to_numpy()[order]) > WINDOW) + 1
        parts += [np.sort(part) for part in np.split(order, gaps)]
    return [part for part in parts if rows["user_id"].iloc[part].nunique() >= least]


def _accounts(rows: pd.DataFrame, keys: NDArray[Any], copies: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """Return what accounts with a hundred reviews repeat, where less than half of their texts differ."""
    runs = []
    users = rows["user_id"].to_numpy()
    for account in _many(rows):
        own = np.flatnonzero((users == account) & ~copies)
        texts = pd.Series(keys[own])
        if 2 * texts.nunique() < len(own):
            runs += [
                own[group.to_numpy()]
                for _, group in pd.Series(np.arange(len(own))).groupby(keys[own])
                if len(group) > 1
            ]
    return runs


def _flood(rows: pd.DataFrame, places: Sequence[int] | NDArray[np.int64], kind: Kind | None = None) -> Flood:
    own = rows.iloc[places]
    products = int(own["parent_asin"].nunique())
    known = own["timestamp"][own["timestamp"] >= 0]
    return Flood(
        kind=kind or ("filler" if products > 1 else "flood"),
        text=shortened(own["text"].iloc[0]),
        reviews=len(own),
        accounts=int(own["user_id"].nunique()),
        products=products,
        first=int(known.min()) if len(known) else -1,
        last=int(known.max()) if len(known) else -1,
    )
