"""Copies in slightly other words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefer_core.config import WritingSettings
from prefer_core.rewriting.form import longest_run
from prefer_core.rewriting.grounding import check
from prefer_core.rewriting.meaning import shared
from prefer_core.rewriting.unlike import unlike

LONGEST = WritingSettings().longest_copy

TURNED = [
    ("you will never be able to put it down", "you'll never be able to put it down"),
    ("this does not take away from the rating of the product", "this doesn't take away from the rating of the product"),
    (
        "the unit began to overheat and shut down within 15 minutes of startup",
        "the unit began to overheat and also shut down within 15 minutes of startup",
    ),
    (
        "they keep burning them in for about another 10-15 hours",
        "they keep burning them in for around another 10-15 hours",
    ),
]

LEFT = [
    "they ordered a large and the sleeves of it are long on them",
    "the purchase of this very nice tent was the best of the summer",
    "it's got an orange undertone to it that looks good outdoors",
    "they find the size of the red one as good as they are told",
]


@pytest.mark.parametrize(("clause", "wanted"), TURNED)
def test_a_copy_takes_turns_in_its_words(clause, wanted):
    """Words that mean the same stand for one another, and what comes out passes the whole check."""
    found = unlike(clause, [clause], LONGEST)
    assert found == wanted
    text = f"One reviewer says {found}."
    assert check(text, [clause + "."], WritingSettings(), meaning=shared()).ok


@pytest.mark.parametrize("clause", LEFT)
def test_words_that_mean_something_else_there_are_left_alone(clause):
    """A size is not big, a purchase no buy, and "it's got" is not "it is got"."""
    assert unlike(clause, [clause], LONGEST) is None


def test_a_short_copy_stays_as_it_is():
    """Up to the limit nothing is changed."""
    assert (
        unlike("it is soft and does not pill", ["it is soft and does not pill"], LONGEST)
        == "it is soft and does not pill"
    )


WORDS = ("it", "is", "it's", "and", "broke", "about", "3", "hours", "began", "to", "they", "are", "a", "lot", "of",
         "the", "lid", "soft", "don't", "do", "not", "maybe")  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=30), st.integers(3, 9))
def test_what_comes_out_is_never_a_long_copy(words, longest):
    """Whatever the words: either nothing, or a clause with no longer run, which has the same numbers in it."""
    clause = " ".join(words)
    found = unlike(clause, [clause], longest)
    if found is not None:
        assert longest_run(found, clause) <= longest
        assert len(re.findall(r"\b(?:3|three)\b", found)) == words.count("3")
