"""What each clause of a text claims, held against its evidence: strength, number, people, negation, pairs of words."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from prefer_core.rewriting.align import paired
from prefer_core.rewriting.degree import bounds, half_compares, intense, miscounts, same_quantity, unhedged, weaker
from prefer_core.rewriting.form import clause_of
from prefer_core.rewriting.lexicon import INTENSE, QUANTITY, TELLING
from prefer_core.rewriting.marks import Source, agree, before_but
from prefer_core.rewriting.persons import feels, invents_people, swaps_reader, swaps_subject, swaps_thing
from prefer_core.rewriting.words import sentences, tokens

_SUBJECTS = frozenset({"i", "it", "you", "we", "they", "he", "she", "this", "that", "the", "my", "if", "when", "far"})
_ARTICLES = frozenset({"the", "a", "an", "their", "his", "her", "my", "this"})


def claims(bare: str, read: Sequence[Source], free: set[str]) -> list[str]:
    """Return what the clauses of a text claim that its evidence does not.

    Parameters
    ----------
    bare : str
        The text without its quotes.
    read : sequence of Source
        Its evidence.
    free : set of str
        Stems that need no support.
    """
    said = {t.word for source in read for t in source.words}
    # "Love the color": someone does, though no one is named.
    telling = any(source.words and source.words[0].word in TELLING for source in read)
    elided = all(source.words and source.words[0].word not in _ARTICLES | {"there"} for source in read)
    found = []
    for one in sentences(bare):
        clause = clause_of(one)
        words = {t.word for t in tokens(clause)}
        if (strong := intense(clause)) and not said & INTENSE and not weaker(clause, read):
            found.append(f"stronger than the evidence: {', '.join(sorted(strong))}")
        if counted := sorted(word for word in words & QUANTITY - said if not same_quantity(word, said)):
            found.append(f"a quantity that the evidence lacks: {', '.join(counted)}")
        if not telling and invents_people(words, said, elided):
            found.append("they, where the evidence speaks of no one")
        found += [reason for holds, reason in _RULES if holds(clause, read)]
        if turned := _nouned(clause, read):
            found.append(f"a verb of the evidence as a thing: {', '.join(turned)}")
        if doubled := _doubled(clause, read):
            found.append(f"repeats a word: {', '.join(doubled)}")
        found += agree(clause, read, free)
        found += paired(clause, read, free)
        found += before_but(clause, read, free)
    return found


def _cut_from_so(clause: str, read: Sequence[Source]) -> bool:
    """Whether a clause starts behind a "so" that it leaves out: "massive it looks sloppy"."""
    start = tuple(t.word for t in tokens(clause)[:2])
    there = [[t.word for t in source.words] for source in read]
    return (
        len(start) == 2
        and any(("so", *start) == run for words in there for run in zip(words, words[1:], words[2:], strict=False))
        and not start[0].endswith("ly")
        and "because" not in {t.word for t in tokens(clause)}
        and start[0] not in _SUBJECTS
    )


def _nouned(clause: str, read: Sequence[Source]) -> list[str]:
    """Return words with an article that only act upon someone in the evidence: "drives me crazy", "their drives"."""
    words = [t.word for t in tokens(clause)]
    named = {b for a, b in pairwise(words) if a in _ARTICLES and not (a == "this" and b.endswith("s"))}
    there = [(a.word, b.word) for source in read for a, b in pairwise(source.words)]
    acting = {a for a, b in there if b in {"me", "us", "him", "her", "them", "you"}}
    return sorted(named & acting - {b for a, b in there if a in _ARTICLES})


def _doubled(clause: str, read: Sequence[Source]) -> list[str]:
    """Content stems that a clause has more often than any source sentence."""
    counts = Counter(t.stem for t in tokens(clause) if t.content)
    most = {stem: max((len(s.marks.get(stem, [])) for s in read), default=0) for stem in counts}
    return [stem for stem, n in counts.items() if n > max(1, most[stem])]


_RULES: tuple[tuple[Callable[[str, Sequence[Source]], bool], str], ...] = (
    (swaps_subject, "it, where the evidence speaks of someone"),
    (swaps_thing, "they, where the evidence speaks of it"),
    (swaps_reader, "they, where the evidence speaks to its readers"),
    (feels, "a thing with a reviewer's feelings"),
    (unhedged, "flatly, what the evidence half says"),
    (bounds, "a number with another bound"),
    (miscounts, "another number than in the evidence"),
    (_cut_from_so, "what follows from a so, without it"),
    (half_compares, "a comparison without what it is compared with"),
)
