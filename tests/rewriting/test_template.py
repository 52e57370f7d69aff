"""Summaries without a model."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefer_core.config import WritingSettings
from prefer_core.rewriting import write_template
from prefer_core.rewriting.base import Evidence
from prefer_core.rewriting.form import first_person
from prefer_core.rewriting.grounding import check
from prefer_core.rewriting.template import excerpt, topic
from prefer_core.rewriting.words import tokens
from tests.rewriting.conftest import LABELS, SETS, make_evidence

AWKWARD = ("I", "my", "the", "lid", "cracks", '"', "“", "'", ",", "but", "not", "…", "8", "US", "don’t", "--")


def assert_valid(evidence: Evidence) -> None:
    """Assert that each statement passes its own checks and quotes at most eight words."""
    summary = write_template(evidence)
    assert len(summary.statements) == len(evidence.groups)
    for one in summary.statements:
        group = evidence.groups[one.group]
        sources = [evidence.text[i] for i in group.members]
        free = (topic(evidence.label(group)), "along these lines without words that can be quoted")
        verdict = check(one.text, sources, WritingSettings(), allowed=free)
        assert verdict.ok, (one.text, verdict.reasons)
        assert one.text.startswith(one.word)
        assert one.cites == group.members
        assert first_person(one.text) == ()
        for quote in re.findall(r'"[^"]*"', one.text):
            assert len(tokens(quote)) <= 8
    assert summary.writer == "template"
    assert summary.paragraph_source == "template"
    assert summary == write_template(evidence)


@pytest.mark.parametrize("text", SETS)
def test_ordinary_evidence(text):
    """Every set gives a valid summary, the same each time."""
    assert_valid(make_evidence(text))


def test_states_aspect_and_count_and_quotes():
    """The sentence of the design: quantifier, aspect, quotation."""
    summary = write_template(make_evidence(("The coconut smell hangs around the bathroom.",)))
    assert summary.paragraph == (
        'Many reviewers write about smell and coconut: "The coconut smell hangs around the bathroom".'
    )
    assert summary.paragraph_cites == ((0,),)
    assert summary.stages == {
        "high": summary.paragraph,
        "stitch": summary.paragraph,
        "final": summary.paragraph,
    }


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Soft", "Soft"),
        ("I like that.", "I like that"),
        ("2.) there are pockets in it!", "there are pockets in it"),
        ("I have had many of them, but the lid cracks every single time", "… the lid cracks every single time"),
        ("the dress will fit the size that you normally wear in summer", "the dress will fit the size …"),
        ('she said "wow" twice', "she said 'wow' twice"),
        ("👍👍", "👍👍"),
    ],
)
def test_excerpts(text, quote):
    """An excerpt is clause-like, cut at words, with an ellipsis only where something is left out."""
    assert excerpt(text) == quote


def test_missing_labels():
    """Without an aspect's name the quotation speaks alone."""
    summary = write_template(make_evidence(("The lid cracks.",), labels=()))
    assert summary.paragraph == 'Many reviewers write along these lines: "The lid cracks".'


def test_one_reviewer_agrees_in_number():
    """One reviewer writes."""
    summary = write_template(make_evidence(("The lid cracks.",), reviewers=(1,), labels=("lid",)))
    assert summary.paragraph == 'One reviewer writes about lid: "The lid cracks".'


def test_no_evidence():
    """Nothing to write about gives an empty summary."""
    summary = write_template(Evidence("P", "", (), ()))
    assert (summary.statements, summary.paragraph) == ((), "")


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(max_size=120), min_size=1, max_size=4), st.lists(st.text(max_size=30), max_size=3))
def test_any_unicode_gives_a_valid_summary(text, labels):
    """Whatever reviewers type and aspects are called, each statement passes its own checks."""
    assert_valid(make_evidence(text, labels=labels))


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(AWKWARD), max_size=25))
def test_awkward_words_give_a_valid_summary(words):
    """Quotes, pronouns and ellipses inside the evidence do not break the sentence around them."""
    assert_valid(make_evidence((" ".join(words),), labels=LABELS))
