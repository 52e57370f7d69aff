"""The second layer of the check: texts in other words than their evidence."""

import numpy as np
import pytest

from prefer_core.config import WritingSettings
from prefer_core.errors import DataError
from prefer_core.rewriting.grounding import check, cites
from prefer_core.rewriting.marks import Source
from prefer_core.rewriting.meaning import Meaning, in_words_of, shared
from prefer_core.rewriting.openings import openings
from prefer_core.rewriting.synonyms import alike, opposed
from prefer_core.rewriting.words import stem

SETTINGS = WritingSettings()

REWORDED = [
    ("the fabric feels pricey", "The material feels expensive."),
    ("it stopped working after six months", "It quit working after six months."),
    ("bagels fit easily", "Bagels fit without any trouble."),
    ("the zip got stuck", "The zipper got stuck twice and then snapped off."),
    ("they can't complain for under ten dollars", "For under ten dollars you can't complain."),
    ("the wrong lens was sent", "They sent me the wrong lens."),
    ("the base of the jar leaks", "The jar leaks at the base."),
    ("the handle does not get hot on the stove", "The handle stays cool on the stove."),
    ("the outside gets very hot", "The outside gets scorching, keep children away."),
    ("the red bleeds in the wash", "The red runs in the wash."),
    ("the back has no camera", "There is no camera on the back."),
    ("the parts are dishwasher safe", "Parts can go in the dishwasher."),
    ("it is loud like a jet engine", "It sounds like a jet engine."),
    ("it is too large for the mouth of a small dog", "It is too big for a small dog's mouth."),
]
UNTRUE = [
    ("it is bulky", "It adds almost no bulk to the phone."),
    ("the handle does not stay cool on the stove", "The handle stays cool on the stove."),
    ("the clasp broke at first use", "The strap broke the first time I used it."),
    ("the back has a camera", "There is no camera on the back."),
    ("it is not true that bagels fit easily", "Bagels fit without any trouble."),
    ("it is quick like a jet engine", "It sounds like a jet engine."),
    ("the fabric feels cheap", "The material feels expensive."),
    ("the feet were dry after five minutes of rain", "My feet were soaked after five minutes in the rain."),
    ("the coconut smell stays for days", "The coconut smell stays for hours."),
    ("five ports are dead", "Two of the four ports are dead."),
    ("it hums when it is not on", "It hums when it is on."),
    ("bagels fit barely", "Bagels fit easily."),
    ("their mother can not push it", "My mother has no trouble pushing it."),
    ("it had to have it", "I had to have it."),
    ("their drives are crazy", "It drives me crazy."),
    ("it was more like the dress", "I would have liked it to be more like the dress."),
    ("the staples will last long", "I doubt the staples will last long."),
    ("the sleeve is soft", "The hem is soft."),
    ("the lining is soft", "It has a lining."),
    ("this top looks much nicer", "This top looks much nicer on the model than in person."),
]


class Absent:
    """An encoder whose packages are missing."""

    asked = 0

    def encode(self, texts):
        """Fail as the real one does."""
        self.asked += 1
        raise DataError("Comparing texts by meaning needs the package onnxruntime.")


class Far:
    """An encoder to which nothing is close to anything else."""

    def encode(self, texts):
        """Return a direction of its own for each text."""
        vectors = np.zeros((len(texts), 4096), dtype=np.float32)
        vectors[np.arange(len(texts)), [hash(text) % 4096 for text in texts]] = 1.0
        return vectors


def verdict(clause, source, meaning=None):
    return check(f"One reviewer says {clause}.", [source], SETTINGS, meaning=meaning)


@pytest.mark.parametrize(("clause", "source"), REWORDED)
def test_other_words_pass_only_by_meaning(clause, source):
    """A true sentence in other words is supported with the second layer."""
    found = verdict(clause, source, shared())
    assert found.ok, found.reasons


@pytest.mark.parametrize(("clause", "source"), UNTRUE)
def test_meaning_excuses_no_untruth(clause, source):
    """Opposites, numbers, units, denials, doubts and other subjects fail with both layers."""
    assert not verdict(clause, source).ok
    assert not verdict(clause, source, shared()).ok


def test_without_the_encoder_the_first_layer_stands_alone():
    """Missing packages are noticed once; own words pass, other words fail, nothing raises."""
    absent = Absent()
    meaning = Meaning(absent)
    assert verdict("the lid cracks", "The lid cracked.", meaning).ok
    for clause, source in REWORDED:
        assert verdict(clause, source, meaning).ok == verdict(clause, source).ok
    assert absent.asked == 1


def test_synonyms_alone_are_not_enough():
    """A text whose words all have synonyms in the evidence still has to be close to it in meaning."""
    found = verdict("the fabric feels pricey", "The material feels expensive.", Meaning(Far()))
    assert found.reasons == ("far from the evidence in meaning",)


def test_a_text_is_put_into_the_words_of_its_evidence():
    """Synonyms are exchanged, the form of the word is kept where it can be, numbers are left alone."""
    read = [Source.read("Shipping was fast, it arrived two days early.")]
    assert in_words_of("it came 2 days early", read, ()) == "it arrived 2 days early"
    assert in_words_of("the shop is red", read, ()) == "the shop is red"


def test_what_is_alike_is_never_opposed():
    """The two questions about a pair of words exclude each other, in both directions for opposites."""
    words = [
        "fabric",
        "material",
        "soft",
        "rough",
        "cheap",
        "expensive",
        "quick",
        "slow",
        "wet",
        "soaked",
        "dry",
        "loud",
        "noisy",
        "quiet",
        "love",
        "hate",
    ]
    for one in map(stem, words):
        for other in map(stem, words):
            assert not (one != other and alike(one, other) and opposed(one, other)), (one, other)
            assert opposed(one, other) == opposed(other, one)


def test_citations_follow_meaning_where_words_tie():
    """Of two sources that share as many words the closer one is cited; a synonym counts as a shared word."""
    sources = ["The material was late.", "The cloth feels expensive.", "It was a gift."]
    assert cites("the fabric feels pricey", sources, shared()) == (1,)


def test_openings_are_the_notes_own_first_words():
    """Each opening is made of words of the note, turned into the third person, and ends with a verb."""
    assert openings("I normally wear a medium.") == ["they normally wear"]
    assert openings("this coat is warm, but the sleeves are short") == ["the sleeves are", "this coat is"]
    assert openings("") == openings("So cute!") == []
