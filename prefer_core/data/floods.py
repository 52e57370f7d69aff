"""Reviews that copy one another: the same text by many accounts within days, fillers, and accounts with hundreds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
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
        True for every copy but the first about its product.
    floods : list of Flood
        The largest first.
    """
    table = _Codes(rows)
    copies = np.zeros(len(rows), dtype=bool)
    floods: list[Flood] = []
    for key, places in table.repeated():
        words = count_words(key)
        if words < LEAST_WORDS:
            continue
        for run in table.runs(places, LEAST_LONG if words >= LONG_WORDS else LEAST_SHORT):
            again = table.after_the_first(run)
            copies[again] = True
            if len(again) or words < LONG_WORDS:
                floods.append(_flood(rows, run))
    for run in table.of_accounts(copies):
        copies[table.after_the_first(run)] = True
        floods.append(_flood(rows, run, "account"))
    return copies, sorted(floods, key=lambda flood: -flood.reviews)


class _Codes:
    """Reviews as numbers: text, account and product of each, equal where they are equal; and its time."""

    def __init__(self, rows: pd.DataFrame) -> None:
        keys = rows["text"].str.slice(0, 1000).map(_key)
        self.text, names = pd.factorize(keys)
        self.names = list(names)
        self.account = pd.factorize(rows["user_id"])[0]
        self.product = pd.factorize(rows["parent_asin"])[0]
        self.time = rows["timestamp"].to_numpy()

    def repeated(self) -> Iterator[tuple[str, NDArray[np.int64]]]:
        """Yield every text that occurs often enough to be a flood, with its places in order."""
        order = np.argsort(self.text, kind="stable")
        starts = np.flatnonzero(np.diff(self.text[order], prepend=-1))
        for start, stop in pairwise([*starts.tolist(), len(order)]):
            if stop - start >= LEAST_LONG and (name := self.names[self.text[order[start]]]):
                yield name, order[start:stop]

    def runs(self, places: NDArray[np.int64], least: int) -> list[NDArray[np.int64]]:
        """Cut the places of one text into floods: unknown times stand together, known ones where no week lies."""
        if self._accounts(places) < least:
            return []
        known = places[self.time[places] >= 0]
        parts = [places[self.time[places] < 0]]
        order = known[np.argsort(self.time[known], kind="stable")]
        gaps = np.flatnonzero(np.diff(self.time[order]) > WINDOW) + 1
        parts += [np.sort(part) for part in np.split(order, gaps)]
        return [part for part in parts if self._accounts(part) >= least]

    def after_the_first(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places without the first of every product: no product loses its only review."""
        again: NDArray[np.bool_] = pd.Series(self.product[places]).duplicated().to_numpy()
        return places[again]

    def of_accounts(self, copies: NDArray[np.bool_]) -> Iterator[NDArray[np.int64]]:
        """Yield what accounts with a hundred reviews repeat, where less than half of their texts differ."""
        for account in np.flatnonzero(np.bincount(self.account, minlength=1) >= MANY).tolist():
            own = np.flatnonzero((self.account == account) & ~copies)
            if 2 * len(np.unique(self.text[own])) < len(own):
                groups = pd.Series(own).groupby(self.text[own])
                yield from (group.to_numpy() for _, group in groups if len(group) > 1)

    def _accounts(self, places: NDArray[np.int64]) -> int:
        return len(np.unique(self.account[places]))


def busy_accounts(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Describe the accounts with a hundred reviews or more: reviews, products, different texts, most on one day."""
    found = []
    counts = rows["user_id"].value_counts()
    for account in counts.index[counts >= MANY]:
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


def _flood(rows: pd.DataFrame, places: NDArray[np.int64], kind: Kind | None = None) -> Flood:
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
