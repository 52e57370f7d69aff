"""What a text says that its evidence does not: its words, and what its clauses claim."""

from collections.abc import Sequence
from dataclasses import dataclass

from prefer_core.rewriting.claims import claims
from prefer_core.rewriting.lexicon import UNREAL
from prefer_core.rewriting.marks import Source
from prefer_core.rewriting.words import OPPOSITES, VAGUE, stem, tokens

_WISHES = frozenset(map(stem, UNREAL))


@dataclass(frozen=True)
class Rules:
    """What the check of truth needs beside text and evidence.

    Attributes
    ----------
    foreign : frozenset of str
        Content stems of the few-shot examples.
    anchored : float
        Least share of a text's content words that stand in its evidence, in [0, 1].
    quotes : bool
        Whether the text quotes.
    """

    foreign: frozenset[str]
    anchored: float
    quotes: bool


def untrue(bare: str, read: Sequence[Source], free: set[str], rules: Rules) -> list[str]:
    """Return what a text says that its evidence does not, by its words."""
    return [*_vocabulary(bare, read, free, rules), *claims(bare, read, free)]


def _vocabulary(bare: str, read: Sequence[Source], free: set[str], rules: Rules) -> list[str]:
    """Check the words: each must come from the evidence, and they must say something."""
    known = free | {stem for source in read for stem in source.stems}
    words = [t for t in tokens(bare) if t.content]
    missing = [t for t in words if t.stem not in known]
    found = []
    telling = {t.stem for t in words} - VAGUE - _WISHES
    if not rules.quotes and not telling and any(set(source.marks) - VAGUE - _WISHES for source in read):
        found.append("says nothing of what the evidence tells")
    if numbers := [t.word for t in missing if any(c.isdigit() for c in t.word)]:
        found.append(f"numbers that the evidence lacks: {', '.join(numbers)}")
    if leaked := [t.word for t in missing if t.stem in rules.foreign]:
        found.append(f"words of the prompt's examples: {', '.join(leaked)}")
    if words and 1 - len(missing) / len(words) < rules.anchored:
        found.append(f"words that the evidence lacks: {', '.join(t.word for t in missing)}")
    if flips := sorted((a, b) for a, b in OPPOSITES if b in known - free and any(t.stem == a for t in missing)):
        found.append(f"the opposite of the evidence: {', '.join(f'{a} for {b}' for a, b in flips)}")
    return found
