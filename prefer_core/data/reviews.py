"""The review table: one row for each review that counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import pandas as pd

from prefer_core.config import TextSettings
from prefer_core.data.cleaning import clean, one_line, same_words
from prefer_core.data.compact import Lines, Strings
from prefer_core.data.language import in_language
from prefer_core.data.parallel import map_chunks
from prefer_core.data.progress import Tick, silent
from prefer_core.data.sources import Source


@dataclass(frozen=True)
class ReviewTable:
    r"""Reviews that count.

    Attributes
    ----------
    rows : DataFrame
        One row a review, numbered 0..R-1 in the order of the source: product, reviewer (hash), rating, title, text
        (cleaned, ``\n`` where a line break ends a sentence), time, helpful, verified.
    counts : mapping of str to int
        Reviews dropped, by reason.
    """

    rows: pd.DataFrame
    counts: Mapping[str, int]


def review_table(source: Source, settings: TextSettings, tick: Tick = silent) -> ReviewTable:
    """Clean the reviews, drop what is too short or in another language, and apply the duplicate rule (DESIGN no. 1)."""
    raw = source.rows
    texts, titles = Strings(), Strings()
    for chunk in map_chunks(_cleaned, Lines(raw[["text", "title"]]), tick):
        texts.add([text for text, _ in chunk])
        titles.add([title for _, title in chunk])
    rows = raw.assign(text=texts.series().array, title=titles.series().array)
    long_enough = rows["text"].str.len() >= settings.min_review_characters
    rows, counts = rows[long_enough], {"too short": int((~long_enough).sum())}
    if settings.language:
        spoken = in_language(rows["text"].tolist(), settings.language, tick)
        counts[f"in another language than {settings.language}"] = int((~spoken).sum())
        rows = rows[spoken]
    kept = drop_duplicates(rows)
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
    ).reset_index(drop=True)
    return ReviewTable(table, counts | {"duplicates": len(rows) - len(kept)})


def _cleaned(reviews: Sequence[tuple[Any, ...]]) -> list[tuple[str, str]]:
    """Clean texts and titles."""
    return [(clean(text), one_line(clean(title))) for text, title in reviews]


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
