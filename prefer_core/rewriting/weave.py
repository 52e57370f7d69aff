"""Paragraphs that a model wrote, sentence by sentence: what stays, and what is put back in."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from prefer_core.config import WritingSettings
from prefer_core.rewriting.base import Evidence, Statement
from prefer_core.rewriting.form import clause_of, first_person
from prefer_core.rewriting.instruct import InstructStyle
from prefer_core.rewriting.judge import judge
from prefer_core.rewriting.paragraph import lead_and_clause, pieces
from prefer_core.rewriting.support import ORDER, BinName
from prefer_core.rewriting.words import content_stems, plain, sentences, tokens

PEOPLE = r"(?:users?|customers?|buyers?|shoppers?|consumers?|purchasers?|people)"
BULLET = re.compile(r"^\s*(?:[-*•>#]+|\(?\d{1,2}[.):])\s*|\*\*|__")

_NAMED = re.compile(rf"\b(many|some|a few|one)(?: of the)? {PEOPLE}\b", re.IGNORECASE)


class Woven(NamedTuple):
    """A paragraph of checked sentences: its text by bin, what each sentence cites, and how many a model wrote."""

    sentences: tuple[str, ...]
    cites: tuple[tuple[int, ...], ...]
    bins: tuple[BinName, ...]
    by_model: int

    @property
    def text(self) -> str:
        """The sentences as one paragraph."""
        return " ".join(self.sentences)

    @property
    def paragraphs(self) -> str:
        """One paragraph a bin, as the stitch stage writes it."""
        parts = (" ".join(s for s, b in zip(self.sentences, self.bins, strict=True) if b == name) for name in ORDER)
        return "\n".join(part for part in parts if part)


def weave(
    text: str, evidence: Evidence, statements: Sequence[Statement], style: InstructStyle, settings: WritingSettings
) -> Woven | None:
    """Check a paragraph of several statements sentence by sentence; None if none of its sentences may stay."""
    open_ones = {i for i, one in enumerate(statements) if one.source == "model"}
    kept: list[tuple[int, str, tuple[int, ...]]] = []
    for sentence in _clean_sentences(text):
        found = _reported(sentence, evidence, statements, open_ones, style, settings)
        if found is not None:
            places, cited = found
            open_ones -= set(places)
            kept.append((min(places), sentence, cited))
    if not kept:
        return None
    taken = {i for i, one in enumerate(statements) if one.source == "model"} - open_ones
    parts = kept + [(i, one.text, tuple(one.cites)) for i, one in enumerate(statements) if i not in taken]
    parts.sort(key=lambda part: part[0])
    names = tuple(evidence.groups[statements[place].group].bin for place, _, _ in parts)
    return Woven(tuple(p[1] for p in parts), tuple(p[2] for p in parts), names, len(kept))


def _clean_sentences(text: str) -> list[str]:
    lines = [BULLET.sub("", plain(line)).strip() for line in text.splitlines()]
    return [_NAMED.sub(r"\1 reviewers", one) for line in lines for one in sentences(line)]


def _reported(
    sentence: str,
    evidence: Evidence,
    statements: Sequence[Statement],
    open_ones: set[int],
    style: InstructStyle,
    settings: WritingSettings,
) -> tuple[list[int], tuple[int, ...]] | None:
    """Return which statements a sentence reports and what it cites, or None if one of its parts reports none."""
    parts = pieces(sentence)
    if not parts or not sentence.endswith(".") or '"' in sentence or first_person(sentence):
        return None
    places: list[int] = []
    cited: set[int] = set()
    for piece in parts:
        found = _matching(piece, evidence, statements, open_ones - set(places), style, settings)
        if found is None:
            return None
        places.append(found[0])
        cited |= set(found[1])
    return places, tuple(sorted(cited))


def _matching(
    piece: str,
    evidence: Evidence,
    statements: Sequence[Statement],
    open_ones: set[int],
    style: InstructStyle,
    settings: WritingSettings,
) -> tuple[int, tuple[int, ...]] | None:
    """Return the statement that a part of a sentence reports: most words in common, same quantifier, same evidence."""
    split = lead_and_clause(piece)
    if split is None or not open_ones:
        return None
    word, clause = split
    stems = content_stems(clause)
    place = max(sorted(open_ones), key=lambda i: len(stems & content_stems(clause_of(statements[i].text))))
    one = statements[place]
    members = [i for i in evidence.groups[one.group].sent if i in one.cites] or list(one.cites)
    found = judge(evidence, one.group, members, clause, style, settings)
    if found.statement is None or not found.statement.word.lower().startswith(word):
        return None
    if len(tokens(clause)) < 2 or not one.word.lower().startswith(word):
        return None
    return place, found.statement.cites
