"""The quicker patterns give what the plain ones give."""

import re

from hypothesis import given
from hypothesis import strategies as st

from prefer_core.data import flags, splitting
from prefer_core.data.wordlist import AnyOf, any_of, words

HARM = sorted(
    words(
        """allergic to this it these them mould mold can you burn burned fat candle candles orange burnt my cut injury
        the back old bled through color dye melted into skin mouth no never free of sparks joy ſparks BURN hives’ rash
        rashes caught on fire and , . - burning’s"""
    )
)


@given(st.lists(st.sampled_from(HARM), max_size=12).map(" ".join))
def test_masking_makes_no_harm(text: str) -> None:
    """Where the plain text tells no harm, the text without harmless senses tells none: the short way is right."""
    masked = flags._HARMLESS.sub(lambda match: " " * len(match[0]), text)
    assert flags._HARM.search(text) or not flags._HARM.search(masked)


@given(st.text("abBkKſs ’é", max_size=12))
def test_lower_case_patterns_find_the_same(text: str) -> None:
    """The pattern for plain text finds the places that the pattern without case finds, foreign letters or not."""
    patterns = (r"b(?:as|k)?", r"a \w+", r"s")
    spans = [match.span() for match in any_of(*patterns).finditer(text)]
    assert [match.span() for match in AnyOf(*patterns).finditer(text)] == spans
    assert bool(AnyOf(*patterns).search(text)) == bool(spans)


@given(st.text("ab.!? A I.itve", max_size=16))
def test_glued_stops_touch(text: str) -> None:
    """Every place where a stop is glued to the next sentence has a stop beside a letter."""
    if splitting._GLUED.search(text):
        assert re.search(r"[.!?][A-Za-z]", text)
        assert splitting._TOUCHES.search(text)
