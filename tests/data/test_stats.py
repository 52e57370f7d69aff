"""Corpus statistics, against counts made another way."""

import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefer_core.config import TextSettings
from prefer_core.data.reviews import review_table
from prefer_core.data.sentences import sentence_table
from prefer_core.data.sources import read_source
from prefer_core.data.stats import corpus_statistics, log_edges, log_histogram, raw_statistics
from prefer_core.data.values import count_all_tokens, count_tokens
from tests.data.made import made_reviews, write_jsonl


@given(st.lists(st.integers(1, 100_000), min_size=1, max_size=60))
def test_every_value_lies_in_one_bin(values: list[int]) -> None:
    """Counts sum to the values, each bin holds what lies in [edge, next edge), and `at_most` is met by its share."""
    found = log_histogram(np.array(values))
    edges = found["edges"]
    assert sum(found["counts"]) == len(values)
    assert edges == sorted(set(edges))
    assert edges[-2] <= max(values) < edges[-1]
    for low, high, count in zip(edges, edges[1:], found["counts"], strict=False):
        assert count == sum(low <= value < high for value in values)
    for mark, limit in found["at_most"].items():
        assert sum(value <= limit for value in values) >= float(mark) * len(values) - 1e-9
        assert sum(value < limit for value in values) < float(mark) * len(values)


def test_bins_are_equally_wide_on_a_logarithmic_axis() -> None:
    """From 8 on, each edge is sqrt(2) times the one before, to rounding."""
    edges = np.array(log_edges(10**6))
    ratios = edges[6:] / edges[5:-1]
    assert np.abs(ratios - np.sqrt(2)).max() < 0.05


def test_tokens_of_records() -> None:
    """Words and signs count one each, nested texts too; links, switches and names of fields do not."""
    assert count_tokens("It's 100% soft.") == 7
    assert count_tokens("") == 0
    row = {"title": "A b", "images": [{"large": "https://x.org/a b.jpg"}], "features": ["c.", "d"], "ok": True, "n": 12}
    assert count_all_tokens(row) == 2 + 2 + 1 + 1


def test_raw_statistics_of_made_files(tmp_path: Path) -> None:
    """All five counts, with a broken line, an empty text and a foreign item."""
    rows = made_reviews(20)
    path = write_jsonl(tmp_path / "made.jsonl", [*rows, "{broken", rows[0] | {"text": None}])
    meta = [{"parent_asin": "P0", "title": "Rose soap"}, {"parent_asin": "ZZ", "title": "Not reviewed here"}]
    write_jsonl(tmp_path / "made.meta.jsonl", meta)
    found = raw_statistics(read_source(str(path)))
    assert found == {
        "ratings": 21,
        "users": 20,
        "items": 4,
        "review_tokens": sum(count_tokens(row["text"]) for row in rows),
        "metadata_tokens": 3,
    }


def test_a_source_without_users_has_none(tmp_path: Path) -> None:
    """Where nobody is named there is no count of users, and without a file of items no count of their tokens."""
    rows = [{name: row[name] for name in ("parent_asin", "text")} for row in made_reviews(8)]
    found = raw_statistics(read_source(str(write_jsonl(tmp_path / "made.jsonl", rows))))
    assert found["users"] is None
    assert found["metadata_tokens"] is None


@pytest.mark.slow
def test_statistics_of_real_reviews_by_hand(real_data: Path) -> None:
    """Both tables of the paper on genuine user histories, counted again with plain dictionaries."""
    source = read_source(str(real_data / "amazon_2023_users.jsonl.gz"))
    reviews = review_table(source, TextSettings()).rows
    table = sentence_table(reviews, TextSettings(), "sentence")
    found = corpus_statistics(raw_statistics(source), reviews, table)
    with gzip.open(real_data / "amazon_2023_users.jsonl.gz", "rt", encoding="utf-8") as stream:
        raw = [json.loads(line) for line in stream]
    assert found["raw"]["ratings"] == len(raw)
    assert found["raw"]["users"] == len({row["user_id"] for row in raw if row["text"].strip()})
    assert found["raw"]["metadata_tokens"] > 0
    texts = [table.rows["text"][i] for i in table.support["sentence"]]
    writers = Counter(table.support["reviewer"])
    goods = Counter(table.rows["product"][i] for i in table.support["sentence"])
    units = found["units"]
    assert units["units"] == len(texts)
    assert units["mean_words"] == pytest.approx(sum(len(text.split()) for text in texts) / len(texts))
    assert units["mean_units_per_reviewer"] == pytest.approx(len(texts) / len(writers))
    assert units["max_units_per_reviewer"] == max(writers.values())
    assert units["max_units_per_product"] == max(goods.values())
    assert sum(units["per_product"]["counts"]) == len(goods)
    assert found["reviews"]["units"] == len(reviews)
    assert found["reviews"]["words"]["at_most"]["0.99"] >= found["units"]["words"]["at_most"]["0.99"]


def test_statistics_count_repeats(tmp_path: Path) -> None:
    """Two who wrote the same sentence are two units of one product; a review without a long sentence is still one."""
    texts = (("Q", "a", "It smells so good."), ("P", "a", "Bad."), ("P", "b", "It is good."), ("P", "c", "It is good."))
    rows = [{"parent_asin": p, "user_id": u, "text": t} for p, u, t in texts]
    source = read_source(str(write_jsonl(tmp_path / "four.jsonl", rows)))
    settings = TextSettings(min_words=3)
    reviews = review_table(source, settings).rows
    table = sentence_table(reviews, settings, "sentence")
    found = corpus_statistics(raw_statistics(source), reviews, table)
    assert len(table.rows) == 2
    assert (found["reviews"]["units"], found["units"]["units"]) == (4, 3)
    assert found["units"]["max_units_per_product"] == 2
    assert found["reviews"]["mean_units_per_reviewer"] == pytest.approx(4 / 3)
