"""Which sentences can stand for a key point."""

import numpy as np
import pytest

from prefer_core.keypoints.candidates import (
    can_be_quoted,
    form_of,
    form_of_voice,
    of_other_number,
    plain,
    plural,
    standing_alone,
    thinned,
)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("The fabric is super comfortable", "clause"),
        ("It runs very large.", "clause"),
        ("The lid leaks after a week!", "clause"),
        ("It's just the right size.", "clause"),
        ("The zipper doesn't stay up.", "clause"),
        ("It does not keep you dry.", "clause"),
        ("fits true to size", "predicate"),
        ("Smells like hot dog water.", "predicate"),
        ("Way too noisy for a small apartment.", "adjective"),
        ("very easy to learn to use", "adjective"),
        ("Zipper broke after a week.", "bare"),
        ("Battery life is great too", "bare"),
        ("Sleeves are way too long", "clause"),
        ("Nothing has come loose so far", "clause"),
        ("It is easy to put on", "clause"),
        ("The color is spot on", "clause"),
        ("The back of the top is lined", "clause"),
        ("Cleaning it is easy", "clause"),
        ("Even the small size is huge", "clause"),
    ],
)
def test_a_short_whole_claim_about_the_product_can_stand_for_a_point(text: str, form: str) -> None:
    """Clauses, predicates and adjectives are told apart, since they read on differently."""
    assert form_of(text) == form


@pytest.mark.parametrize(
    "text",
    [
        "I love the way it fits",  # a person
        "My husband says the lid leaks",
        "The fabric is soft and the cut is nice",  # two claims
        "The fabric is soft, warm",
        "The lid leaks but the jar is pretty",
        "Great shirt that runs true to size",
        "Does the lid leak a lot?",
        "If the lid leaks it is ruined",
        "Very soft fabric all around",  # no verb
        "Buy this one instead of the other one",
        "You can see the seams",
        'The sleeves are 24" long',
        "It is better than the old one",
        "THIS LID LEAKS ALL OVER THE PLACE",
        "It leaks",
        "Relief for cracked hands!",  # a participle is no verb
        "The other one leaks all the time",
        "The too itself is gorgeous!",  # slips of the pen
        "It is flattering blouse.",
        "The colors is excellent",
        "Lots of color options to accessorize with",
        "Too bad it lets water through",
        "The longer length is nice too for.",
        "The shirt is loose around the midsection whi",
        "This calmed it down in one wash.",  # of what?
        "This one is no exception.",
        "The scent is nice & its light",
        "Very happy with the purchase!",
        "This dress is beautiful on.",  # on whom?
        "The lid of the jar that came with the second order leaks all over the kitchen floor",
        "",
        "🙂🙂🙂",
    ],
)
def test_what_cannot_stand_alone_is_no_candidate(text: str) -> None:
    """People, joined claims, questions, conditions, measures, comparisons, fragments and very short or long texts."""
    assert form_of(text) is None


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("Also, the tube was half full!", "the tube was half full"),
        ("There is no smell either.", "There is no smell"),
        ("It is way too big", "It is way too big"),
        ("Delivery was quick, too.", "Delivery was quick"),
    ],
)
def test_words_that_lean_on_the_sentence_before_are_left_out(text: str, alone: str) -> None:
    """At the edges only: within a sentence they say something."""
    assert standing_alone(text) == alone


@pytest.mark.parametrize(
    "text",
    [
        "i've washed the garment once on the",
        "Why is it so loud?",
        "Too short now",
        "word " * 26,
        "But I cannot knock them for the price.",
        "It lets me control everything from here.)",
        "",
    ],
)
def test_fragments_questions_and_long_sentences_are_not_quoted(text: str) -> None:
    """A quotation is a whole sentence."""
    assert not can_be_quoted(text)
    assert can_be_quoted("i've washed it once and it shrank")


def test_thinning_keeps_the_densest_and_nothing_close_to_it() -> None:
    """Of two near twins the denser one stays; ties go to the earlier one; the limit holds."""
    vectors = np.array([[1.0, 0.0], [0.99, 0.141], [0.0, 1.0], [-1.0, 0.0]])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert thinned(vectors, np.array([3, 5, 2, 2]), 9, 0.75).tolist() == [1, 2, 3]
    assert thinned(vectors, np.array([3, 5, 2, 2]), 2, 0.75).tolist() == [1, 2]
    assert thinned(vectors, np.array([3, 5, 2, 2]), 9, 0.75, frozenset([(0, 1)])).tolist() == [1, 0, 2, 3]


@pytest.mark.parametrize(
    "text", ["The cord is so short", "It leaks a lot", "The sleeves are too long", "A bit small", "A nicer screen"]
)
def test_the_utmost_and_the_hedged_are_no_plain_points(text: str) -> None:
    """Fewer people say them: who finds the cord short need not find it too short."""
    assert not plain(text)
    assert plain("The cord is very short")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("The lid leaks at the seams.", "clause"),
        ("Wears off by noon.", "predicate"),
        ("The noise was just gone.", None),
        ("The cap was just gone.", "told"),
        ("Cap broke after a week on my shelf.", "told bare"),
        ("Smells like my old soap.", "told predicate"),
        ("They were red until noon today.", "quote"),
        ("I put it on at eight and it was still there after dinner.", "told"),
        ("No irritation at all on my skin.", "quote"),
        ("Like a candle, and for $13 you get next to nothing.", None),
        ("itching gone hair soft what else is there", None),
        ("It would accommodate just about any", None),
    ],
)
def test_what_one_reviewer_says_is_reported_told_quoted_or_left_out(text: str, form: str | None) -> None:
    """Reported is what holds in the present; what happened once is told or quoted; what runs on is left out."""
    assert form_of_voice(text, ("cap",)) == form


@pytest.mark.parametrize(
    "text",
    [
        "This calmed it down in one wash.",  # what?
        "The hives took two days to go down.",  # which?
        "I get razor burn from everything.",  # the writer only
        "I'm a potter and the clay sucks every drop of moisture out.",
        "My cuticles look great so I put up with it.",
        "Woke up with my eyes swollen nearly shut.",
        "My hair got some in it and looked dirty until I washed it.",
        "It does come off easy with vinegar.",  # against whom?
        "It's a red spot, nothing terrible, but with kids I'd think twice.",
        "The broken edge is sharp, it cut my thumb.",  # two sentences
        "It's messy to rinse though, wear an old shirt.",
        "You can pick up your phone right after.",
        "Three days at the lake with no outlet and still half full.",  # no verb
    ],
)
def test_a_voice_that_needs_the_sentences_around_it_is_left_out(text: str) -> None:
    """It is about the product from its beginning and points to nothing that was said before."""
    assert form_of_voice(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "My skin is so soft when I use it.",
        "My eyes were red the whole week I wore it, and then I got an infection.",
        "When it is hot, it burns my hand.",
        "No irritation at all on my skin.",
        "Big enough for a full press plus two cups.",
        "Wore it for one hour and broke out in a red rash.",
        "My neck had welts where the collar touched.",
    ],
)
def test_a_voice_that_names_the_product_stands_alone(text: str) -> None:
    """What begins with its writer may say what the product did to them."""
    assert form_of_voice(text, ("collar",)) is not None


def test_a_product_is_called_it_or_they() -> None:
    """What calls it otherwise than most sentences do is a worse point, and a voice that is quoted."""
    assert plural(["They fit.", "These are loud.", "It broke."])
    assert of_other_number("It cancels noise", "clause", True)
    assert not of_other_number("The lid leaks", "clause", True)
    assert of_other_number("These are loud", "clause", False)
