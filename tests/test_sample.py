"""Facts about the sample corpus: large and varied enough, individually written."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

SAMPLE = Path(__file__).resolve().parents[1] / "assets" / "sample"


@pytest.fixture(scope="module")
def reviews() -> list[dict[str, Any]]:
    """All sample reviews."""
    return [json.loads(line) for line in (SAMPLE / "reviews.jsonl").read_text(encoding="utf-8").splitlines()]


def words(text: str) -> list[str]:
    """Return lower-case words without markup."""
    return re.findall(r"[a-z0-9'$]+", re.sub(r"<[^>]+>", " ", text).lower())


def test_there_is_enough_of_everything(reviews: list[dict[str, Any]]) -> None:
    """Products, reviews, reviewers and critical voices reach what the demo needs."""
    products = Counter(r["parent_asin"] for r in reviews)
    reviewers = Counter(r["user_id"] for r in reviews)
    assert len(products) >= 14
    assert len(reviews) >= 1000
    assert min(products.values()) >= 40
    assert sum(60 <= n <= 160 for n in products.values()) >= 5
    assert len(reviewers) >= 250
    assert sum(n >= 4 for n in reviewers.values()) >= 30
    assert 0.20 <= sum(r["rating"] <= 3 for r in reviews) / len(reviews) <= 0.30
    titles = [json.loads(line) for line in (SAMPLE / "meta.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {t["parent_asin"] for t in titles} == set(products)
    assert all(t["title"] for t in titles)


def test_every_review_is_written_for_itself(reviews: list[dict[str, Any]]) -> None:
    """At least 98 % of sentences are distinct; under 2 % of five-word runs occur more than twice."""
    sentences: Counter[str] = Counter()
    runs: Counter[tuple[str, ...]] = Counter()
    for review in reviews:
        text = re.sub(r"<[^>]+>", " ", review["text"])
        sentences.update(" ".join(words(s)) for s in re.split(r"(?<=[.!?])\s+", text) if len(words(s)) >= 4)
        spoken = words(review["text"])
        runs.update(tuple(spoken[i : i + 5]) for i in range(len(spoken) - 4))
    assert sum(sentences.values()) >= 1500
    assert len(sentences) / sum(sentences.values()) >= 0.98
    assert sum(n for n in runs.values() if n > 2) / sum(runs.values()) < 0.02


def test_the_reviews_have_the_dirt_of_real_ones(reviews: list[dict[str, Any]]) -> None:
    """Markup, capitals, emoji, dollar signs, very short and long texts all occur."""
    texts = [r["text"] for r in reviews]
    assert any("<br" in t for t in texts)
    assert any(re.search(r"\$\d[^.]* and \$\d", t) for t in texts)
    assert any(len(re.findall(r"\b[A-Z]{4,}\b", t)) >= 3 for t in texts)
    assert any(re.search("[\U0001f300-\U0001faff]", t) for t in texts)
    assert min(len(words(t)) for t in texts) <= 10
    assert max(len(words(t)) for t in texts) >= 120


def test_the_fields_are_those_of_amazon_reviews_2023(reviews: list[dict[str, Any]]) -> None:
    """Each row has the schema's fields and types, and no reviewer reviews a product twice."""
    for review in reviews:
        assert set(review) == {
            "rating", "title", "text", "images", "asin", "parent_asin", "user_id", "timestamp", "helpful_vote",
            "verified_purchase",
        }  # fmt: skip
        assert review["rating"] in (1.0, 2.0, 3.0, 4.0, 5.0)
        assert isinstance(review["timestamp"], int)
        assert isinstance(review["verified_purchase"], bool)
    pairs = Counter((r["user_id"], r["parent_asin"]) for r in reviews)
    assert max(pairs.values()) == 1
