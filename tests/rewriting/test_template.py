"""Summaries without a model."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefer_core.rewriting import write_template
from prefer_core.rewriting.base import WORDS, Evidence
from prefer_core.rewriting.template import lowered, paired, quotation
from tests.rewriting.conftest import SETS, make_claim, make_evidence


@pytest.mark.parametrize("text", SETS)
def test_each_claim_is_said_once_with_its_word(text):
    """One statement a claim with its counts and citations; the paragraph is the same each time."""
    evidence = make_evidence(text)
    summary = write_template(evidence)
    assert [one.word for one in summary.statements] == [claim.word for claim in evidence.claims]
    assert [one.cites for one in summary.statements] == [(i,) for i in range(len(text))]
    assert sorted(i for cites in summary.paragraph_cites for i in cites) == list(range(len(text)))
    assert (summary.writer, summary.model_share) == ("template", 0.0)
    assert summary == write_template(evidence)


def test_neighbours_on_one_aspect_share_a_sentence():
    """Claims of one aspect are joined where they agree, what "it" says first, and never against each other."""
    lid, good, bad = (
        make_claim("The lid is great", 0),
        make_claim("It closes well", 1, "One reviewer"),
        make_claim("It leaks", 1, "One reviewer"),
    )
    joined = write_template(Evidence("P", "", ("a", "b"), (lid, good))).paragraph
    assert joined == "One reviewer says it closes well, and many say the lid is great."
    apart = write_template(Evidence("P", "", ("a", "b"), (lid, bad))).paragraph
    assert apart == "Many reviewers say the lid is great. One reviewer says it leaks."


@pytest.mark.parametrize("text", ["The lid is blue", "The lid was just gone."])
def test_claims_of_which_nobody_knows_the_tone_keep_a_sentence_of_their_own(text):
    """Praise and complaint are never joined by "and": where one is neither, there are two sentences."""
    claims = (make_claim("The cup is great", 0), replace(make_claim(text, 1), aspect=0))
    said = text[0].lower() + text[1:].rstrip(".")
    paragraph = write_template(Evidence("P", "", ("a", "b"), claims)).paragraph
    assert paragraph == f"Many reviewers say the cup is great. Many reviewers say {said}."
    known = (claims[0], replace(claims[1], tone=1))
    paragraph = write_template(Evidence("P", "", ("a", "b"), known)).paragraph
    assert paragraph == f"Many reviewers say the cup is great and that {said}."


@pytest.mark.parametrize(
    ("second", "text"),
    [
        (make_claim("It closes well", 1), "Many reviewers say it closes well and that the lid is great."),
        (make_claim("The cup is nice", 1), "Many reviewers say the lid is great and that the cup is nice."),
        (
            make_claim("Nice to hold", 1, form="adjective"),
            "Many reviewers find it nice to hold and say the lid is great.",
        ),
    ],
)
def test_claims_of_one_word_share_their_beginning(second, text):
    """Who says it is named once."""
    claims = (make_claim("The lid is great", 0), replace(second, aspect=0))
    assert write_template(Evidence("P", "", ("a", "b"), claims)).paragraph == text


def test_claims_about_two_aspects_are_joined_unless_one_is_a_single_voice():
    """What praises on two aspects shares a sentence; a single voice shares one on its own aspect only."""
    lid, price = make_claim("The lid is great", 0), make_claim("It is lovely value", 1, aspect=1)
    joined = write_template(Evidence("P", "", ("a", "b"), (lid, price))).paragraph
    assert joined == "Many reviewers say it is lovely value and that the lid is great."
    fewer = replace(price, word="Some reviewers")
    joined = write_template(Evidence("P", "", ("a", "b"), (lid, fewer))).paragraph
    assert joined == "Some reviewers say it is lovely value, and many say the lid is great."
    voice = replace(price, word="One reviewer")
    apart = write_template(Evidence("P", "", ("a", "b"), (lid, voice))).paragraph
    assert apart == "Many reviewers say the lid is great. One reviewer says it is lovely value."


def test_two_single_voices_are_two_people():
    """They may share a sentence, and stay one and another; quotes stand alone."""
    one, other = (
        make_claim("Zipper is great too!", 0, WORDS[3], form="bare"),
        make_claim("The wool is lovely", 1, WORDS[3]),
    )
    quoted = make_claim("I love it.", 2, WORDS[3], form="quote")
    told = "One reviewer says the zipper is great, and another says the wool is lovely."
    evidence = Evidence("P", "", ("a", "b", "c"), (one, other, quoted))
    assert write_template(evidence).paragraph == f'{told} Another reviewer writes: "I love it."'


def test_opinions_that_part_stand_in_one_sentence():
    """Both counts, both clauses, the citations of both."""
    pair = replace(make_claim("It runs true", 0), opposed=make_claim("Runs large", 1, "A few reviewers"))
    summary = write_template(Evidence("P", "", ("a", "b"), (pair,)))
    assert summary.paragraph == "Reviewers differ: 30 say it runs true, while 2 say it runs large."
    assert summary.paragraph_cites == ((0, 1),)


def test_quotations_stay_whole_or_end_at_a_clause():
    """Up to 25 words whole, with single quotes inside; longer ones are cut at a border with an ellipsis."""
    assert quotation('I say "no"') == "I say 'no'"
    assert quotation("I liked the cup, it is " + "very " * 30) == "I liked the cup …"
    assert lowered("I like it") == "I like it"


def test_no_claims_give_an_empty_text():
    """Nothing to say is nothing said."""
    assert write_template(make_evidence(())).paragraph == ""


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80), st.sampled_from(WORDS))
def test_any_unicode_gives_a_summary(text, word):
    """Whatever reviewers type, there is one statement a claim."""
    claims = (make_claim(text, 0, word, form="quote"), make_claim(text, 1, word, form="clause"))
    summary = write_template(Evidence("P", "", (text, text), claims))
    assert len(summary.statements) == 2


def test_it_is_the_product_and_never_what_the_other_claim_speaks_of():
    """The claim with "it" comes first, whichever was chosen first; "this" and "its" are told as "it" and "the"."""
    claims = (
        make_claim("Skin is lovely", 0, form="bare"),
        make_claim("This is great", 1),
        make_claim("Its lid is nice", 2),
        make_claim("They are great", 3),
        make_claim("This jar is great", 4),
    )
    evidence = Evidence("P", "A large jar", ("a", "b", "c", "d", "e"), claims)
    paragraph = write_template(evidence).paragraph
    assert paragraph.startswith(
        "Many reviewers say it is great and that their skin is lovely. Many reviewers say these"
    )
    assert paired(evidence, 1, 3) is None  # a product is "it" or "they"
    assert paired(evidence, 0, 2) is None  # from a skin to a lid
    assert paired(evidence, 1, 4) == (4, 1)  # its name comes before "it"
