"""The quicker analyser and patterns give what the plain ones give."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from prefer_core.data import flags, splitting
from prefer_core.data.cleaning import clean
from prefer_core.data.polarity import Analyser
from prefer_core.data.sources import read_source
from prefer_core.data.wordlist import AnyOf, any_of, words

PLAIN, QUICK = SentimentIntensityAnalyzer(), Analyser()
TURNS = sorted(
    words(
        """never so this without doubt not isn't but no nor or least at very kind of sort just enough the shit bomb bad
        ass badass bus stop yeah right kiss death to die for beating heart REALLY GOOD awful GREAT love HATE ! ?? !!!!
        😀 ❤️ most :) :D good. "great" great, can't ain't"""
    )
)
HARM = sorted(
    words(
        """allergic to this it these them mould mold can you burn burned fat candle candles orange burnt my cut injury
        the back old bled through color dye melted into skin mouth no never free of sparks joy ſparks BURN hives’ rash
        rashes caught on fire and , . - burning’s"""
    )
)


def test_polarity_on_reviews() -> None:
    """Every sentence of the sample has the package's four scores, digit for digit."""
    for text in read_source("sample").rows["text"]:
        for sentence in splitting.split_sentences(clean(text)):
            assert QUICK.polarity_scores(sentence) == PLAIN.polarity_scores(sentence)


def test_polarity_of_every_turn() -> None:
    """So has every mixture of words that negate, strengthen, contrast or make an idiom, and the empty text."""
    rng = random.Random(0)
    vocabulary = TURNS * 20 + list(PLAIN.lexicon)[::25]
    for _ in range(6000):
        text = " ".join(rng.choices(vocabulary, k=rng.randint(0, 12)))
        assert QUICK.polarity_scores(text) == PLAIN.polarity_scores(text), text


@pytest.mark.slow
def test_polarity_on_real_reviews(real_data: Path) -> None:
    """So have 6,366 real reviews."""
    for text in read_source(str(real_data / "clothing_top12.jsonl.gz")).rows["text"]:
        assert QUICK.polarity_scores(text) == PLAIN.polarity_scores(text)


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
