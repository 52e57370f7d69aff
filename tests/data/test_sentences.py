"""The sentence table: filter, cap, repeats with all their supporters."""

import numpy as np
import pandas as pd
import pytest

from prefer_core.config import TextSettings
from prefer_core.data.sentences import SentenceTable, count_words, sentence_id, sentence_table
from prefer_core.data.stats import product_table
from prefer_core.errors import DataError


def _reviews(*rows: tuple[str, str, str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["product", "reviewer", "text"])
    return frame.assign(rating=np.arange(len(frame)) % 5 + 1.0, title="t", time=-1, helpful=0, verified=1)


def _table(*rows: tuple[str, str, str], unit: str = "sentence", **settings: int) -> SentenceTable:
    return sentence_table(_reviews(*rows), TextSettings(**settings), unit)  # type: ignore[arg-type]


def test_short_sentences_are_left_out() -> None:
    """Three words are too few, four are enough."""
    table = _table(("P", "a", "Love this soap. It smells so good."))
    assert list(table.rows["text"]) == ["It smells so good."]
    assert table.counts["sentences too short"] == 1


def test_at_most_twenty_sentences_a_review() -> None:
    """The 21st sentence of a review is left out and counted."""
    text = " ".join(f"This is sentence number {i}." for i in range(25))
    table = _table(("P", "a", text))
    assert len(table.rows) == 20
    assert table.counts["sentences over the cap"] == 5


def test_repeats_in_a_product_are_one_candidate() -> None:
    """The same words in other capitals are one sentence with all reviewers behind it; another product keeps its own."""
    table = _table(
        ("P", "a", "It smells so good."),
        ("Q", "b", "It smells so good."),
        ("P", "c", "it  SMELLS so good."),
        ("P", "d", "The lid broke in a day. It smells so good."),
    )
    assert list(zip(table.rows["product"], table.rows["text"], strict=True)) == [
        ("P", "It smells so good."),
        ("P", "The lid broke in a day."),
        ("Q", "It smells so good."),
    ]
    assert list(table.support["sentence"]) == [0, 0, 0, 1, 2]
    assert list(table.support["reviewer"]) == ["a", "c", "d", "d", "b"]
    assert list(table.weights) == [3.0, 1.0, 1.0]
    assert table.counts["repeats folded"] == 2


def test_ids_survive_a_rebuild_with_other_reviews() -> None:
    """The id hangs on product and words only."""
    one = _table(("P", "a", "It smells so good."))
    two = _table(("P", "z", "A whole new sentence here. IT smells so good."))
    assert one.rows["id"][0] in set(two.rows["id"])
    assert sentence_id("P", "a b c d") != sentence_id("Q", "a b c d")


def test_whole_reviews_as_units() -> None:
    """With unit review the text is one unit on one line."""
    table = _table(("P", "a", "It smells.\nThe lid broke. Sad."), unit="review")
    assert list(table.rows["text"]) == ["It smells. The lid broke. Sad."]


def test_nothing_left_is_an_error() -> None:
    """Reviews without one sentence of enough words stop the build."""
    with pytest.raises(DataError, match="No sentence of at least 4 words"):
        _table(("P", "a", "Good."))


def test_words_are_counted_as_people_do() -> None:
    """A dash alone is no word, an emoji neither."""
    assert count_words("Good - but 2 small 😍 !") == 4


def test_product_table_counts_candidates_and_all_reviewers() -> None:
    """Sentences are candidates, reviews and reviewers are all of them."""
    reviews = _reviews(
        ("Q", "a", "It smells so good."), ("P", "a", "Bad."), ("P", "b", "It is so good."), ("P", "c", "It is so good.")
    )
    table = sentence_table(reviews, TextSettings(), "sentence")
    products = product_table(reviews, table, {"P": "Soap", "Q": "Box"})
    assert products.drop(columns="mean_rating").to_dict("list") == {
        "product_id": ["P", "Q"],
        "title": ["Soap", "Box"],
        "n_sentences": [1, 1],
        "n_reviews": [3, 1],
        "n_reviewers": [3, 1],
        "start": [0, 1],
        "stop": [1, 2],
        "support_start": [0, 2],
        "support_stop": [2, 3],
    }
    assert list(products["mean_rating"]) == [3.0, 1.0]
