"""The review table: one row for each review that counts."""

import re
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from prefer_core.config import TextSettings
from prefer_core.data.cleaning import clean, one_line, same_words
from prefer_core.data.compact import Strings
from prefer_core.data.language import in_language
from prefer_core.data.losses import EXAMPLES, Losses, shortened
from prefer_core.data.sources import Source
from prefer_core.data.splitting import count_words
from prefer_core.files.parallel import map_chunks
from prefer_core.files.progress import Tick, silent

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


@dataclass(frozen=True)
class ReviewTable:
    r"""Reviews that count.

    Attributes
    ----------
    rows : DataFrame
        One row a review, numbered 0..R-1 in the order of the source: product, reviewer (hash), rating, title, text
        (cleaned, ``\n`` where a line break ends a sentence), time, helpful, verified. Only where they tell something:
        bad_from (place in `text` from which it is about what was bad, -1 unknown), is_copy (repeats another review and
        counts once with it).
    counts : mapping of str to int
        Reviews dropped, by reason.
    losses : Losses
        Examples of those dropped.
    floods : tuple of Flood
        Which texts were repeated.
    busy : tuple of dict
        What `busy_accounts` tells.
    """

    rows: pd.DataFrame
    counts: Mapping[str, int]
    losses: Losses = field(default_factory=Losses)
    floods: tuple[Flood, ...] = ()
    busy: tuple[dict[str, Any], ...] = ()


def review_table(source: Source, settings: TextSettings, tick: Tick = silent) -> ReviewTable:
    """Clean the reviews, drop what is too short or in another language, and apply the duplicate rule (DESIGN no. 1)."""
    rows = _clean_rows(source.rows, tick)
    losses = Losses()
    long_enough = rows["text"].str.len() >= settings.min_review_characters
    losses.add("too short", rows["text"][~long_enough].iloc[:EXAMPLES])
    rows, counts = rows[long_enough], {"too short": int((~long_enough).sum())}
    if settings.language:
        spoken = in_language(rows["text"].tolist(), settings.language, tick)
        reason = f"in another language than {settings.language}"
        losses.add(reason, rows["text"][~spoken].iloc[:EXAMPLES])
        counts[reason] = int((~spoken).sum())
        rows = rows[spoken]
    kept = drop_duplicates(rows)
    counts["duplicates"] = len(rows) - len(kept)
    losses.add("duplicates", rows["text"][~rows.index.isin(kept.index)].iloc[:EXAMPLES])
    copies, floods = find_floods(kept)
    table = pd.DataFrame(
        {
            "product": kept["parent_asin"],
            "reviewer": hash_reviewers(kept["user_id"], source.digest),
            "rating": kept["rating"],
            "title": kept["title"],
            "text": kept["text"],
            "time": kept["timestamp"],
            "helpful": kept["helpful_vote"],
            "verified": kept["verified_purchase"],
        }
    )
    if "bad_from" in kept:
        table["bad_from"] = kept["bad_from"]
    if copies.any():
        table["is_copy"] = copies
        counts["copies of one text, counted once"] = int(copies.sum())
        losses.add("copies of one text, counted once", dict.fromkeys(kept["text"][copies]))
    busy = tuple(busy_accounts(kept)) if source.has_users else ()
    return ReviewTable(table.reset_index(drop=True), counts, losses, tuple(floods), busy)


def _clean_rows(raw: pd.DataFrame, tick: Tick) -> pd.DataFrame:
    """Clean texts and titles; what was good and what was bad become one text, with the place where the bad begins."""
    texts, titles, bad_from = Strings(), Strings(), array("q")
    both = "negative_text" in raw
    names = ["text", "title", "negative_text"] if both else ["text", "title"]
    for chunk in map_chunks(_cleaned, raw[names], tick):
        texts.add([text for text, _, _ in chunk])
        titles.add([title for _, title, _ in chunk])
        bad_from.extend([place for _, _, place in chunk])
    rows = raw.assign(text=texts.series().array, title=titles.series().array)
    return rows.drop(columns="negative_text").assign(bad_from=np.array(bad_from)) if both else rows


def _cleaned(reviews: pd.DataFrame) -> list[tuple[str, str, int]]:
    """Clean texts and titles; return them with the place where the text about what was bad begins, -1 unknown."""
    found = []
    for text, title, *more in reviews.itertuples(index=False, name=None):
        good, bad = clean(text), clean(more[0]) if more else ""
        joined = f"{good}\n{bad}" if good and bad else good or bad
        place = (len(joined) - len(bad) if bad else len(joined)) if more else -1
        found.append((joined, one_line(clean(title)), place))
    return found


def drop_duplicates(rows: pd.DataFrame) -> pd.DataFrame:
    """Keep one row per (user_id, parent_asin, timestamp).

    The larger helpful_vote wins, then a verified purchase, then the order of the file. An unknown timestamp is no key:
    such rows are duplicates only if their text is equal as well.

    Parameters
    ----------
    rows : DataFrame
        Columns user_id, parent_asin, timestamp (-1 unknown), text, helpful_vote, verified_purchase.

    Returns
    -------
    DataFrame
        The rows kept, in their old order.
    """
    ranked = rows.assign(
        _text=[same_words(t) if time < 0 else "" for t, time in zip(rows["text"], rows["timestamp"], strict=True)],
        _verified=rows["verified_purchase"] == 1,
    ).sort_values(["helpful_vote", "_verified"], ascending=False, kind="stable")
    first = ranked.drop_duplicates(["user_id", "parent_asin", "timestamp", "_text"])
    return rows.loc[rows.index.isin(first.index)]


def hash_reviewers(user_ids: pd.Series, digest: str) -> pd.Series:
    """Replace user ids by hashes.

    The salt comes from the bytes of the source, which the corpus folder does not hold: whoever has only the corpus
    cannot try out known user ids.
    """
    salt = sha256(f"prefer reviewer salt\0{digest}".encode()).digest()
    codes, unique = pd.factorize(user_ids)
    hashes = pd.Series([sha256(salt + str(user).encode()).hexdigest()[:16] for user in unique], dtype="str")
    return pd.Series(hashes.to_numpy()[codes], index=user_ids.index)
