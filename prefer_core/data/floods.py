"""Reviews that copy one another: the same text by many accounts within days, fillers, and accounts with hundreds."""

import re
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
        True for every copy but the first about its product.
    floods : list of Flood
        The largest first.
    """
    table = pd.DataFrame({"text": rows["text"].str.slice(0, 1000).map(_key).to_numpy()})
    for name, column in (("account", "user_id"), ("product", "parent_asin"), ("time", "timestamp")):
        table[name] = rows[column].to_numpy()
    copies = np.zeros(len(rows), dtype=bool)
    floods: list[Flood] = []
    accounts = table.groupby("text", sort=False)["account"].transform("nunique")
    for key, same in table[accounts >= LEAST_LONG].groupby("text", sort=False):
        words = count_words(str(key))
        if words < LEAST_WORDS:
            continue
        for run in _runs(same, LEAST_LONG if words >= LONG_WORDS else LEAST_SHORT):
            again = _after_the_first(run)
            copies[again] = True
            if len(again) or words < LONG_WORDS:
                floods.append(_flood(rows, run.index))
    reviews = table.groupby("account", sort=False)["text"].transform("size")
    for _, own in table[~copies & (reviews >= MANY)].groupby("account", sort=False):
        if 2 * own["text"].nunique() < len(own):
            for _, same in own[own["text"].duplicated(keep=False)].groupby("text", sort=False):
                copies[_after_the_first(same)] = True
                floods.append(_flood(rows, same.index, "account"))
    return copies, sorted(floods, key=lambda flood: -flood.reviews)


def _runs(same: pd.DataFrame, least: int) -> list[pd.DataFrame]:
    """Cut the reviews of one text into floods: unknown times stand together, known ones where no week lies between."""
    known = same[same["time"] >= 0].sort_values("time", kind="stable")
    weeks = known.groupby((known["time"].diff() > WINDOW).cumsum())
    parts = [same[same["time"] < 0], *(part.sort_index() for _, part in weeks)]
    return [part for part in parts if part["account"].nunique() >= least]


def _after_the_first(run: pd.DataFrame) -> pd.Index:
    """Return the places without the first of every product: no product loses its only review."""
    return run.index[run["product"].duplicated()]


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


def _flood(rows: pd.DataFrame, places: pd.Index, kind: Kind | None = None) -> Flood:
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
