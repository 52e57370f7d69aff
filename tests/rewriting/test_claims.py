"""Who does, is and feels what, and how much of it: rules of the check, one by one."""

import pytest

from prefer_core.rewriting.claims import claims
from prefer_core.rewriting.degree import bounds
from prefer_core.rewriting.marks import Source

WRONG = [
    ("the screen is really impressed", "I am really impressed with the screen.", "feelings"),
    ("the goods are again pleased", "I am once again pleased with the goods.", "feelings"),
    ("the write speed was underwhelmed", "I was underwhelmed by the write speed.", "feelings"),
    ("they don't want them", "You don't want them.", "speaks to its readers"),
    ("they hate earbuds", "I kind of hate earbuds.", "half says"),
    ("the fit was boxy", "The fit was slightly boxy.", "half says"),
    ("it shut down for 15 minutes", "It shut down within 15 minutes.", "another bound"),
    ("it lasted over 3 hours", "It lasted under 3 hours.", "another bound"),
    ("the money is the best", "For the money, it's the best.", "bring together"),
    ("they would size down", "I would size down, unless you wear layers.", "unless"),
]

RIGHT = [
    ("they are really impressed with the screen", "I am really impressed with the screen."),
    ("their husband is happy with it", "My husband is happy with it."),
    ("they can't go wrong with it", "You can't go wrong with it."),
    ("they kind of hate earbuds", "I kind of hate earbuds."),
    ("the fabric pills", "This kind of fabric pills."),
    ("they hate earbuds", "I kind of hate earbuds, no, I hate earbuds."),
    ("it shut down in 15 minutes", "It shut down within 15 minutes."),
    ("the lid is the best", "The lid is the best."),
    ("it is used ten times a day in the office", "We use it at the office ten times a day."),
    ("the water level can't be seen", "I can't see the water level."),
]


@pytest.mark.parametrize(("clause", "source", "reason"), WRONG)
def test_what_the_evidence_does_not_claim_is_named(clause, source, reason):
    """Each rule names what it refuses."""
    found = claims(f"One reviewer says {clause}.", [Source.read(source)], set())
    assert any(reason in one for one in found), found


@pytest.mark.parametrize(("clause", "source"), RIGHT)
def test_what_the_evidence_claims_passes(clause, source):
    """The same words pass where the evidence has them so."""
    assert claims(f"One reviewer says {clause}.", [Source.read(source)], set()) == []


def test_what_was_used_for_a_year_may_last_after_a_year():
    """One bound stands for another in one way only."""
    assert not bounds("it looks new after 2 years", [Source.read("I have used it for 2 years and it looks new.")])
    assert bounds("they used it for 2 years", [Source.read("It broke after 2 years.")])
