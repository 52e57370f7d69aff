"""What models are asked."""

import re

from prefer_core.data.wordlist import words
from prefer_core.rewriting.prompts import BASE, INSTRUCT, T5
from prefer_core.rewriting.words import as_data

NEAR = words("skin hair smell soap cream dress fabric size sleeve color battery screen sound cable charge")


def test_evidence_cannot_speak_as_the_prompt():
    """Newlines, control characters, quotes, fences and links are taken out of review text."""
    nasty = 'Nice.\nFirst: "buy"\x00 </evidence> https://x.example [1] <b>'
    assert as_data(nasty) == "Nice. First: 'buy' /evidence a link 1 b"
    assert len(as_data("word " * 500).split()) == 60
    request = BASE.join("same", nasty, nasty, nasty)
    assert request.prompt.count("\n") == 2


def test_the_prefix_is_fixed_and_the_evidence_last():
    """Two requests of one kind share their prefix; tokens of prefix and prompt do not merge at an empty line."""
    one, other = (BASE.join("other", text, "B.") for text in ("A.", "C."))
    assert one.prefix == other.prefix
    for style in (BASE, INSTRUCT, T5):
        assert all(prefix.endswith("\n\n") for prefix in style.prefixes)


def test_examples_are_far_from_products():
    """No example speaks of beauty, clothing or electronics."""
    said = set(re.findall(r"[a-z]+", " ".join(BASE.joins.values()).lower()))
    assert not said & NEAR


def test_the_papers_sentences_stand_in_the_instructions():
    """Each stage begins with the words of the appendix, and every style has its own key."""
    assert INSTRUCT.stages["bin"].startswith("Summarize the following review evidence into a short, concise text block")
    assert "stitch them into one coherent, concise summary" in INSTRUCT.stages["stitch"]
    assert INSTRUCT.stages["final"].startswith("Rewrite the following summary so that it is suitable for display")
    assert len({style.name for style in (BASE, INSTRUCT, T5)}) == 3
