"""Other words for the same: the thesaurus of phrases, what follows from a sentence, one sentence in another order."""

import itertools
import re

import pytest

from prefer_core.config import WritingSettings
from prefer_core.rewriting.entailed import entailed
from prefer_core.rewriting.grounding import check
from prefer_core.rewriting.lexicon import lines_of
from prefer_core.rewriting.meaning import shared
from prefer_core.rewriting.phrases import canonical, in_phrases_of
from prefer_core.rewriting.words import OPPOSITES, stem

SETTINGS = WritingSettings()

SAME = [
    ("the handle burned their hand", "I burned my hand on the handle."),
    ("it did not fit in the overhead bin", "It was too big for the overhead bin on my flight."),
    ("the cord does not reach their outlet", "The cord is too short to reach my outlet."),
    ("the cord is short for their counter", "The cord is too short for my counter."),
    ("around five pounds of seeds fit in it", "It holds about five pounds of seeds."),
    ("it lasted only two weeks", "It died after only two weeks."),
    ("they weigh more than the old pair", "They are heavier than my old pair."),
    ("the lines on the cup are not clear", "The cup has no clear lines."),
    ("the anchor held and did not leave marks", "The anchor holds and left no marks."),
    ("it wobbles if it is not fixed to the wall", "It wobbles unless you fix it to the wall."),
    ("it is easy to put together", "It is easily assembled."),
    ("it quit working within a week", "It gave out within a week."),
    ("for the price the tube is tiny", "The tube is tiny for the price."),
    ("they still look like new", "They look like new."),
    ("it split in under a month", "It split within a month."),
]
DIFFERENT = [
    ("the cord does reach their outlet", "The cord is too short to reach my outlet."),
    ("it did fit in the overhead bin", "It was too big for the overhead bin on my flight."),
    ("the rod is too small for the grommets", "The grommets are too small for my rod."),
    ("it wobbles if it is fixed to the wall", "It wobbles unless you fix it to the wall."),
    ("it is lighter than described", "It is heavier than the description says."),
    ("the red is paler than shown", "The red is darker than in the picture."),
    ("coffee stays hot for one hour", "My coffee is still hot eight hours later."),
    ("the fabric dries slowly", "The fabric dries fast after rain."),
    ("it is not loud like a jet engine", "It sounds like a jet engine."),
    ("it is not a shoe", "It is not a sneaker."),
    ("the blue is darker than the red", "The red is darker than the blue."),
    ("it is not true that it lasted two weeks", "It died after two weeks."),
]


@pytest.mark.parametrize(("clause", "source"), SAME)
def test_the_same_in_other_words_holds(clause, source):
    """Each way of saying it again is known."""
    assert check(f"One reviewer says {clause}.", [source], SETTINGS, meaning=shared()).reasons == ()


@pytest.mark.parametrize(("clause", "source"), DIFFERENT)
def test_what_only_looks_the_same_fails(clause, source):
    """The same roads do not let through what turns a sentence round."""
    assert not check(f"One reviewer says {clause}.", [source], SETTINGS, meaning=shared()).ok


def test_only_phrases_of_one_line_stand_for_one_another():
    """A phrase changes where the evidence has another of its line; anything else stays as it is."""
    assert in_phrases_of("The cord QUIT WORKING in may", ["It gave out."]) == "The cord gave out in may"
    text = "it quit working, in no time"
    assert in_phrases_of(text, ["The cord is red.", ""]) == text
    assert in_phrases_of("it quit, working all day", ["It gave out."]) == "it quit, working all day"
    assert in_phrases_of("", ["It gave out."]) == ""


def test_what_follows_from_a_sentence_stands_beside_it():
    """Entailed texts are few, and nothing follows from a plain sentence."""
    assert entailed("It was too big for the bin.") == ("does not fit the bin", "big for the bin")
    assert "The battery lasted five months" in entailed("The battery died after five months.")
    assert entailed("The lid is red.") == ()
    assert entailed("") == ()


@pytest.mark.parametrize("name", ["synonyms.txt", "phrases.txt"])
def test_lists_are_well_formed(name):
    """No line is empty, doubled or of one member; words and signs are those that the program reads."""
    lines = lines_of(name)
    assert len(lines) == len(set(lines))
    for line in lines:
        members = re.split(r" = | > ", line) if name == "phrases.txt" else line.replace(">", " ").split()
        assert len(members) > 1, line
        assert line == " ".join(line.split()), line
        assert re.fullmatch(r"[a-z0-9é'()|=> /-]+", line), line


def test_no_synonyms_are_opposites():
    """No two words of one group stand in the table of opposites."""
    for line in lines_of("synonyms.txt"):
        stems = {stem(word) for word in line.replace(">", " ").split()}
        assert not [pair for pair in itertools.combinations(sorted(stems), 2) if pair in OPPOSITES], line


def test_no_phrase_of_a_line_denies_another():
    """A line does not hold a phrase and its denial: "works" and "does not work"."""
    bare = re.compile(r"\b(?:(?:do|does|did|is|are|was|were|has|have|had|will|would|can|could)(?: not|n't)|not|never) ")
    for line in lines_of("phrases.txt"):
        members = set(line.split(" = "))
        denied = {bare.sub("", member) for member in members if bare.search(member)}
        assert not denied & members, line


def test_canonical_forms_of_denials_meet():
    """What does not do so any more no longer does."""
    assert canonical("it does not hurt any more") == canonical("it no longer hurt")
