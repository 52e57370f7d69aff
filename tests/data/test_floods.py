"""Reviews that copy one another count once."""

from pathlib import Path

import pandas as pd

from prefer_core.config import TextSettings
from prefer_core.data.reviews import busy_accounts, find_floods, review_table
from prefer_core.data.sentences import sentence_table
from prefer_core.data.sources import read_source
from tests.data.made import made_reviews, write_jsonl

DAY = 86_400_000
START = 1_600_000_000_000


def _table(
    texts: list[str], users: list[str], products: list[str] | None = None, days: list[int] | None = None
) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "text": texts,
            "user_id": users,
            "parent_asin": products or ["P"] * len(texts),
            "timestamp": [-1] * len(texts) if days is None else [START + day * DAY for day in days],
        }
    )


def test_one_text_by_many_accounts_within_days() -> None:
    """Other signs and capitals make no other text; copies a month apart are no flood, nor are two accounts."""
    texts = [f"The base of this kettle melts{'!' * i} AVOID it" for i in range(6)]
    users = [f"x{i}" for i in range(6)]
    copies, floods = find_floods(_table(texts, users, days=[0, 1, 2, 3, 4, 5]))
    assert copies.tolist() == [False, *[True] * 5]
    assert (floods[0].kind, floods[0].accounts, floods[0].last - floods[0].first) == ("flood", 6, 5 * DAY)
    assert not find_floods(_table(texts, users, days=[30 * i for i in range(6)]))[0].any()
    assert not find_floods(_table(texts, ["a", "b"] * 3, days=[0] * 6))[0].any()
    assert find_floods(_table(texts, users))[0].sum() == 5


def test_fillers_tell_nothing_of_any_product() -> None:
    """A short text about several products by many accounts is a filler, once a product; two who say so are none."""
    table = _table(["Do not know yet."] * 8, [f"u{i}" for i in range(8)], ["P", "Q"] * 4)
    copies, floods = find_floods(table)
    assert (copies.tolist(), [flood.kind for flood in floods]) == ([False] * 2 + [True] * 6, ["filler"])
    assert not find_floods(table.iloc[:4])[0].any()


def test_an_account_that_repeats_itself() -> None:
    """Of 120 reviews by one account with ten texts about two products 20 count; one with 120 texts is only named."""
    one = _table(
        [f"The lid is fine number {i % 10}" for i in range(120)], ["a"] * 120, [f"P{i // 60}" for i in range(120)]
    )
    copies, floods = find_floods(one)
    assert (copies.sum(), {flood.kind for flood in floods}) == (100, {"account"})
    other = _table([f"The lid is fine number {i}" for i in range(120)], ["a"] * 120, days=[0] * 120)
    assert not find_floods(other)[0].any()
    assert busy_accounts(other) == [{"reviews": 120, "products": 1, "different texts": 120, "most on one day": 120}]


def test_a_flood_is_one_support(tmp_path: Path) -> None:
    """The flood's sentence has one supporter, the product keeps its reviewers, and the rest is as without it."""
    flood = [
        {"parent_asin": "P0", "user_id": f"x{i}", "text": f"The base melts within a week{'!' * i}"} for i in range(20)
    ]
    plain = sentence_table(_reviews(tmp_path, made_reviews()), TextSettings(), "sentence")
    reviews = _reviews(tmp_path, [*made_reviews(), *flood])
    found = sentence_table(reviews, TextSettings(), "sentence")
    melts = found.rows.index[found.rows["text"].str.startswith("The base melts")]
    assert len(melts) == 1
    assert (found.support["sentence"] == melts[0]).sum() == 1
    assert set(found.rows["id"]) - set(plain.rows["id"]) == {found.rows["id"][melts[0]]}
    assert reviews[reviews["product"] == "P0"]["reviewer"].nunique() > 20


def _reviews(folder: Path, rows: list[dict[str, object]]) -> pd.DataFrame:
    return review_table(read_source(str(write_jsonl(folder / "a.jsonl", rows))), TextSettings()).rows
