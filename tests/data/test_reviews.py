"""The review table: the duplicate rule by cases, lengths, and hashed reviewers."""

from pathlib import Path
from typing import Any

import pytest

from prefer_core.config import TextSettings
from prefer_core.data.reviews import review_table
from prefer_core.data.sources import read_source
from tests.data.made import made_reviews, write_jsonl

BASE = {"user_id": "U", "parent_asin": "P", "timestamp": 1_600_000_000_005, "text": "first text", "helpful_vote": 0}


def _kept(tmp_path: Path, *changes: dict[str, Any]) -> list[str]:
    path = write_jsonl(tmp_path / "a.jsonl", [BASE | change for change in changes])
    return list(review_table(read_source(str(path)), TextSettings()).rows["text"])


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ([{}, {"text": "second"}], ["first text"]),
        ([{}, {"text": "second", "helpful_vote": 2}], ["second"]),
        ([{}, {"text": "second", "verified_purchase": True}], ["second"]),
        ([{"helpful_vote": 1}, {"text": "second", "verified_purchase": True}], ["first text"]),
        ([{"verified_purchase": False}, {"text": "second"}], ["first text"]),
        ([{}, {"text": "second", "timestamp": 1_600_000_000_006}], ["first text", "second"]),
        ([{}, {"text": "second", "user_id": "V"}], ["first text", "second"]),
        ([{}, {"text": "second", "parent_asin": "Q"}], ["first text", "second"]),
        ([{"timestamp": None}, {"text": "second", "timestamp": None}], ["first text", "second"]),
        ([{"timestamp": None}, {"text": "First  TEXT", "timestamp": None, "helpful_vote": 3}], ["First TEXT"]),
        ([{}, {"timestamp": None}], ["first text", "first text"]),
        ([{"user_id": None}, {"user_id": None}], ["first text", "first text"]),
    ],
)
def test_duplicate_rule(tmp_path: Path, changes: list[dict[str, Any]], kept: list[str]) -> None:
    """Of rows with one key the more helpful, then the verified, then the first stays; no timestamp is no key."""
    assert _kept(tmp_path, *changes) == kept


def test_short_reviews_are_dropped_and_counted(tmp_path: Path) -> None:
    """A review that is empty once its markup is gone does not count."""
    rows = [BASE, BASE | {"text": "<br />", "user_id": "V"}, BASE | {"text": "[[VIDEOID:1]]ok", "user_id": "W"}]
    table = review_table(read_source(str(write_jsonl(tmp_path / "a.jsonl", rows))), TextSettings())
    assert len(table.rows) == 1
    assert table.counts["too short"] == 2


def test_reviewers_are_hashed_with_the_salt_of_the_source(tmp_path: Path) -> None:
    """One reviewer has one hash in a source, another in another source, and the raw id is nowhere."""
    made = made_reviews(50)
    one = review_table(read_source(str(write_jsonl(tmp_path / "a.jsonl", made))), TextSettings()).rows
    two = review_table(read_source(str(write_jsonl(tmp_path / "b.jsonl", made[:49]))), TextSettings()).rows
    assert one["reviewer"].nunique() == 40
    assert one["reviewer"][0] == one["reviewer"][40]
    assert set(one["reviewer"]).isdisjoint(two["reviewer"])
    assert not set(one["reviewer"]) & {row["user_id"] for row in made}
