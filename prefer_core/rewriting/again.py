"""The second layer of the check: a text is asked again in its evidence's own words."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from prefer_core.rewriting.align import APART, whole
from prefer_core.rewriting.denial import straight
from prefer_core.rewriting.entailed import entailed
from prefer_core.rewriting.form import clause_of
from prefer_core.rewriting.lexicon import EXACT, NUMBERS
from prefer_core.rewriting.marks import Source
from prefer_core.rewriting.meaning import LEAST, LEAST_OWN, LEAST_RETOLD, Meaning, in_words_of
from prefer_core.rewriting.phrases import canonical, in_phrases_of
from prefer_core.rewriting.synonyms import opposed
from prefer_core.rewriting.truth import Rules, untrue
from prefer_core.rewriting.words import VAGUE, content_stems, sentences, stem, tokens

_NEVER_GUESSED = frozenset(map(stem, NUMBERS | EXACT)) | VAGUE | {stem("true"), stem("false")}
_FAR = "far from the evidence in meaning"


@dataclass(frozen=True)
class Asked:
    """What a text is held against when it is asked again in other words.

    Attributes
    ----------
    sources : sequence of str
        Its evidence.
    free : set of str
        Stems that need no support.
    rules : Rules
        As in the first layer.
    meaning : Meaning
        Compares by an encoder.
    """

    sources: Sequence[str]
    free: set[str]
    rules: Rules
    meaning: Meaning


def asked_again(bare: str, truth: list[str], asked: Asked) -> list[str]:
    """Return what is wrong with a text in its evidence's words: nothing if it holds in one of three ways to tell it.

    The ways: with phrases of one form written alike, with listed phrases as the evidence has them, and with both.
    """
    told = [*asked.sources, *(text for source in asked.sources for text in entailed(source))]
    alike_told = [canonical(one) for one in told]
    phrased = in_phrases_of(bare, asked.sources)
    written = {stem for one in {*told, *alike_told} for stem in content_stems(one)}
    ways = [(canonical(bare), alike_told), (phrased, told)]
    if phrased != bare:
        ways.append((canonical(phrased), alike_told))
    for text, given in ways:
        again = _reworded(text, given, written, asked)
        truth = truth if again is None else again
        if not truth:
            break
    return truth


def _reworded(bare: str, given: Sequence[str], written: Collection[str], asked: Asked) -> list[str] | None:
    """Ask again of the text in the words of what is given: nothing if it holds, how far it is, None if rules object.

    No word of it may be the opposite of one whose stem is written in any form of the evidence.
    """
    free, meaning, sources = asked.free, asked.meaning, asked.sources
    read = [Source.read(_conditions(one, bare)) for one in given]
    known = free | {stem for source in read for stem in source.stems}
    said = straight(in_words_of(bare, read, free), read, free)
    clause = clause_of(said)
    missing = {t.stem for t in tokens(clause) if t.content} - known
    if missing & asked.rules.foreign or any(opposed(a, b) for a in missing for b in known.union(written)):
        return None
    extra = set() if missing & _NEVER_GUESSED else meaning.meant(clause, missing, sources)
    wrong = untrue(said, read, free | extra, asked.rules)
    retold = bool(wrong) and all(reason.startswith(APART) for reason in wrong) and whole(clause, read, free | extra)
    if wrong and not retold:
        return None
    near = meaning.closeness([clause_of(one) or one for one in sentences(bare)], sources)
    if near is None:
        return None
    least = LEAST_RETOLD if retold else LEAST if extra else LEAST_OWN
    return [] if near.max(axis=1).min() >= least else None if retold else [_FAR]


def _conditions(source: str, text: str) -> str:
    """Write a source's "if" as the text's "when", and the reverse: both keep the condition."""
    words = {t.word for t in tokens(text)}
    if {"when", "whenever", "once"} & words and "if" not in words:
        return re.sub(r"\bif\b", "when", source, flags=re.IGNORECASE)
    return re.sub(r"\bwhen\b", "if", source, flags=re.IGNORECASE) if "if" in words else source
