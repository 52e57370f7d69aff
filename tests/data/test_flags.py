"""Negative and safety flags on hand-labelled sentences."""

import math

import pytest

from prefer_core.data.flags import flag_sentence
from prefer_core.types import Flag

NEGATIVE = [
    "The lid cracked after two days.",
    "It fell apart in the wash.",
    "A complete waste of money.",
    "It does not work at all.",
    "It stopped working within a week.",
    "The pump won't close and it leaks everywhere.",
    "Very flimsy and cheaply made.",
    "I'm so disappointed in this cream.",
    "It is too small for my hands.",
    "This one will be going back.",
    "The smell is awful.",
    "I would not recommend it.",
    "I hate the way it feels.",
    "The sleeves were way too long.",
]
FINE = [
    "It smells great and lasts all day.",
    "No complaints here at all.",
    "You can't go wrong with this soap.",
    "I can't wait to wear it.",
    "It is not too sweet.",
    "Never had a problem with it.",
    "Worth every penny I paid.",
    "The tips don't come off under use.",
    "No batteries required for this one.",
    "I love the lower price.",
    "My skin is not dry anymore.",
]
SAFETY = [
    "It gave me hives on my neck.",
    "My eye was swollen for two days.",
    "It burned my scalp almost immediately.",
    "I had an allergic reaction to it.",
    "My gums were bleeding after one use.",
    "There was mold under the lid.",
    "The jar arrived with broken glass in it.",
    "It caused an infection on my ear.",
    "The battery overheated and caught fire.",
    "I got a rash from this lotion.",
    "Not only did it itch, but it gave me blisters.",
    "Smells nice, however it irritated my skin.",
    "My son is allergic to this.",
    "It is irritating to my skin.",
    "My eyes were red and irritated.",
    "The charger got so hot that it melted.",
    "My dog choked on a loose button.",
]
HARMLESS = [
    "No rash at all, so gentle.",
    "It did not burn my skin.",
    "It never irritates my face.",
    "It helps with my rash.",
    "Works without any burning or stinging.",
    "I love the burnt orange color.",
    "The candle burns evenly for hours.",
    "It melts into my skin like butter.",
    "I am allergic to wool, so cotton is great.",
    "You can mold the wire to fit.",
    "My rash is gone after two days.",
    "The dye bled onto the white part.",
    "It's so irritating that I have to return this again!",
    "The wrinkles are super irritating.",
    "The collar was practically choking me.",
    "It felt suffocating in the sleeves.",
    "It is mostly cotton so I don't get overheated.",
    "The sheer part dips quite low and could be a little dangerous.",
    "I am concerned that when it is cleaned it will bleed again.",
    "My first balm melted in the truck and was ruined.",
    "The brush cut my ingrown hairs to none.",
    "My scalp has finally stopped itching.",
]


@pytest.mark.parametrize("text", NEGATIVE)
def test_complaints_are_negative(text: str) -> None:
    """Words of complaint count even in a five-star review."""
    assert Flag.NEGATIVE in flag_sentence(text, 5.0)


@pytest.mark.parametrize("text", FINE)
def test_praise_is_not_negative(text: str) -> None:
    """Words of praise, also those with a negation in them, are not negative."""
    assert Flag.NEGATIVE not in flag_sentence(text, 4.0)


@pytest.mark.parametrize(
    ("rating", "negative"), [(1.0, True), (2.0, True), (3.0, False), (5.0, False), (math.nan, False)]
)
def test_stars_decide_where_words_are_silent(rating: float, negative: bool) -> None:
    """A sentence without a word of judgement follows the stars of its review, if there are any."""
    assert (Flag.NEGATIVE in flag_sentence("The bottle is made of plastic.", rating)) == negative


@pytest.mark.parametrize("text", SAFETY)
def test_harm_is_flagged(text: str) -> None:
    """A report of harm is about safety."""
    assert Flag.SAFETY in flag_sentence(text, 3.0)


@pytest.mark.parametrize("text", HARMLESS)
def test_absence_of_harm_is_not(text: str) -> None:
    """Harm that is denied, healed, or another sense of the word is not about safety."""
    assert Flag.SAFETY not in flag_sentence(text, 3.0)
