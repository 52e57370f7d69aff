"""From raw model text to a clause."""

import pytest

from prefer_core.rewriting.sentence import clauses, statement_text, third_person


@pytest.mark.parametrize(
    ("raw", "clause"),
    [
        (" the lid cracks.\n\nNotes:", "the lid cracks"),
        (" that The lid cracks. It also leaks.", "the lid cracks"),
        (' "It\'s 2.5 times as big!"', "it's 2.5 times as big"),
        (" USB works", "USB works"),
        (" I'm happy with my jar", "they are happy with their jar"),
        ("", None),
        (" ...", None),
    ],
)
def test_the_first_sentence_is_cleaned(raw, clause):
    """One line, one sentence, lower start, third person, no stray marks."""
    found = clauses(raw, ["some source"])
    assert (found[0] if found else None) == clause


def test_names_keep_their_capital():
    """A word that the evidence capitalises inside a sentence is a name."""
    assert clauses("Kindle is fast", ["My Kindle is fast"])[0] == "Kindle is fast"


def test_shorter_forms():
    """Fillers go, tails go, but nothing before a "but" is left alone and no negated phrase loses its end."""
    assert "the lid is tight" in clauses("the lid is really tight and it holds well", [])
    assert "it fits" not in clauses("it fits well, but the zip broke", [])
    assert "the zip broke" in clauses("it fits well, but the zip broke", [])
    assert "it is not good" not in clauses("it is not good for tall people", [])


def test_third_person_and_number():
    """Reported speech agrees with its subject."""
    assert third_person("I was glad that we've kept ours") == "they were glad that they have kept theirs"
    assert statement_text("One reviewer", "it is soft.") == "One reviewer says it is soft."
    assert statement_text("Many reviewers", "it is soft") == "Many reviewers say it is soft."
