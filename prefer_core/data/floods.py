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
    text, texts = pd.factorize(rows["text"].str.slice(0, 1000).map(_key))
    account, product = (pd.factorize(rows[name])[0] for name in ("user_id", "parent_asin"))
    table = pd.DataFrame({"text": text, "account": account, "product": product, "time": rows["timestamp"].to_numpy()})
    some = table[table.groupby("text")["account"].transform("nunique") >= LEAST_LONG]
    some = some.assign(words=some["text"].map({code: count_words(texts[code]) for code in some["text"].unique()}))
    some = some[some["words"] >= LEAST_WORDS].sort_values(["text", "time"], kind="stable")
    # Copies of unknown time stand first, as a run of their own; a week without a copy ends one of known times.
    time, before = some["time"], some["time"].shift()
    ends = (time >= 0) & ((before < 0) | (time - before > WINDOW))
    some = some.assign(run=((some["text"] != some["text"].shift()) | ends).cumsum()).sort_index()
    least = np.where(some["words"] >= LONG_WORDS, LEAST_LONG, LEAST_SHORT)
    some = some[some.groupby("run")["account"].transform("nunique") >= least]
    again = some.duplicated(["run", "product"])
    copies = np.zeros(len(rows), dtype=bool)
    copies[some.index[again]] = True
    floods = [
        _flood(rows, run.index)
        for _, run in some.groupby("run")
        if again[run.index].any() or run["words"].iloc[0] < LONG_WORDS
    ]
    # Accounts with many reviews that mostly repeat their own texts.
    own = table[~copies & (table.groupby("account")["text"].transform("size") >= MANY)]
    texts_of = own.groupby("account")["text"]
    own = own[2 * texts_of.transform("nunique") < texts_of.transform("size")]
    own = own[own.duplicated(["account", "text"], keep=False)]
    copies[own.index[own.duplicated(["account", "text", "product"])]] = True
    floods += [_flood(rows, same.index, "account") for _, same in own.groupby(["account", "text"])]
    return copies, sorted(floods, key=lambda flood: -flood.reviews)


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
