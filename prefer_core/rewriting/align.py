"""Which words of a text belong together in its evidence."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from prefer_core.rewriting.lexicon import CONTRAST, words_of
from prefer_core.rewriting.marks import SUBJECTS, Source
from prefer_core.rewriting.phrases import COUNTS
from prefer_core.rewriting.synonyms import LIGHT
from prefer_core.rewriting.words import PAST, VERBS, Token, stem, tokens

APART = "words that the evidence does not bring together"

_WHOLE = 0.6
"""Least share of a source's content words in a text that tells the whole of it."""

_MOST = 0.8
"""The same of a source that goes on, or says of nothing that it is so."""

_REACH = 6
"""Most content words between two that belong together."""

_COMPOUND = 2
"""The same for two that stand side by side in a text: "online store" is not "saw it online, went to the store"."""

_PREPOSITIONS = words_of("in across around of with on for from by at without like over under than to")
_OFTEN = words_of("always often sometimes usually daily regularly now already again still")
_ADVERBS = words_of("very so really quite also still too rather pretty extremely not just")
_JOINING = frozenset({"for", "of", "in", "on", "with"})
_HAS = frozenset({"has", "have", "had"})
_WITHIN = frozenset({"in", "across", "around", "at"})
_COPULAS = frozenset({"is", "are", "was", "were", "be", "been", "being", "it's", "that's", "they're"})
_LISTED = _COPULAS | _ADVERBS | {"and"}
_LINKING = frozenset(
    map(stem, words_of("look seem stay turn come smell taste sound appear remain arrive get go feel become"))
)
"""Verbs that join what is said to its subject as "is" does."""

_JOINS = frozenset({"and", "or", "so"})
_NAMED = frozenset({"the", "a", "an", "my", "our", "there", "its", "his", "her", "their"})
_WHEN = words_of("when after before while during if because from with in on off under through without by")
_LINKS = frozenset({"and", "but", "or", "while", "which", "because", "so", "as"})


class Pair(NamedTuple):
    """Two neighbouring content words of a text, and the words between them."""

    one: str
    other: str
    between: frozenset[str]


def paired(clause: str, sources: Sequence[Source], free: Collection[str]) -> list[str]:
    """Return a reason if a clause pairs words that no source sentence brings together; see `apart`."""
    found = [f"{pair.one} with {pair.other}" for pair in apart(clause, sources, free)]
    return [f"{APART}: {', '.join(found)}"] if found else []


def apart(clause: str, sources: Sequence[Source], free: Collection[str]) -> list[Pair]:
    """Return the pairs of neighbouring content words that no source sentence brings together.

    "The lining is soft" must not come from "the top is soft" and "it has a lining". Across an "and" or a comma the
    pair may come from two sources, unless nothing but one predicate follows.
    """
    words = tokens(clause)
    content = [(i, t) for i, t in enumerate(words) if t.content and t.stem not in free and t.word not in _OFTEN]
    found = []
    for place, ((i, a), (j, b)) in enumerate(pairwise(content)):
        between = [t.word for t in words[i + 1 : j]]
        acts = b.stem in VERBS and b.word.endswith(("s", "ed"))
        joined = a.clause != b.clause or bool(_LINKS & set(between))
        rest = sum(1 for t in words[j:] if t.content)
        if joined and (rest >= 2 or place + 1 < len(content) - 1):
            continue
        known = all(any(t.stem in s.stems for s in sources) for t in (a, b))
        if known and not any(_near(s, a.stem, b.stem, between, acts) for s in sources):
            found.append(Pair(a.word, b.word, frozenset(between)))
    return found


def whole(clause: str, sources: Sequence[Source], free: Collection[str]) -> bool:
    """Whether a clause tells the whole of one simple source, so that the order of its words may be another.

    "The metal handle burned their hand" is all of "I burned my hand on the metal handle". Not where something is
    compared. Where the source says things of two subjects, only what joins them may be another: "the pole collapsed
    when the lock slipped" of "The lock slipped and the pole collapsed". Where it goes on about the same one, or where
    only the clause says that something *is* so, more of the source must be told.
    """
    words = tokens(clause)
    linked = all(pair.between & _WHEN and not pair.between & _COPULAS for pair in apart(clause, sources, free))
    said = {t.stem for t in words if t.content}
    for source in sources:
        there = {t.stem for t in source.words if t.content}
        if _compares(words) or _compares(source.words) or (_of_two(source) and not linked):
            continue
        is_so = any(t.word in _COPULAS or t.stem in _LINKING for t in source.words)
        equates = _COPULAS & {t.word for t in words} and not is_so
        least = _MOST if equates or any(t.word in _JOINS for t in source.words) else _WHOLE
        if said <= source.stems | LIGHT and len(said & there) >= least * len(there):
            return True
    return False


def _compares(words: Sequence[Token]) -> bool:
    """Whether words compare two things, "darker than the blue", "too big for it"; "more than two" does not."""
    following = (b.word for a, b in pairwise(words) if a.word == "than")
    return "too" in {t.word for t in words} or any(not (w in COUNTS.values() or w.isdigit()) for w in following)


def _of_two(source: Source) -> bool:
    """Whether a source says things of two subjects; "while" may join them to one, and "I did it and the" is no two."""
    if source.words and source.words[0].word in {"i", "we"}:
        return len({t.part for t in source.words}) > 1
    joined = any(a.word in _JOINS and b.word in _NAMED for a, b in pairwise(source.words))
    return joined or (
        len({t.part for t in source.words}) > 1 and CONTRAST & {t.word for t in source.words} != {"while"}
    )


def _near(source: Source, a: str, b: str, between: Sequence[str], acts: bool) -> bool:
    """Whether a source brings two stems together as a text does that has the words `between` them.

    They stand in one part of the source, few content words apart. Where the text says that a *is* b, the source must
    not join them by a preposition only ("cotton in a simple style"); where the text turns their order around with a
    verb between, they must be neighbours ("a soft top", "the top is soft").
    """
    words = [t for t in source.words if t.content or t.stem in (a, b) or t.word in _PREPOSITIONS | _COPULAS | _LINKS]
    content = [t for t in words if t.content or t.stem in (a, b)]
    # "Good enough that they are keeping it": what is, is another subject or an earlier one.
    says_is = (
        bool(set(between) & _COPULAS)
        and "to" not in between
        and not {w.split("'")[0] for w in between} & (SUBJECTS | _LINKS)
    )
    turns = bool(set(between) & (CONTRAST | {"not"}))
    fronted = set(between) & (_PREPOSITIONS | {"when", "if", "after", "before"})
    reach = _REACH if between else _COMPOUND + 2 * acts
    for i, first in enumerate(content):
        for j, second in enumerate(content):
            if first.stem != a or second.stem != b:
                continue
            if fronted and second.start < first.start and _opens(source, second, fronted):
                return True
            # A contrast parts the source as it parts the text: "deep, but not revealing", "better than online".
            together = first.part == second.part or (turns and abs(first.part - second.part) == 1)
            together = together or _goes_on(source, first, second)
            if together and second.start < first.start and _turned(source, first, second, between):
                return True
            if not together or not -1 <= j - i <= reach:
                continue
            low, high = sorted((first.start, second.start))
            inside = {t.word for t in words if low < t.start < high}
            if says_is and not _predicates(words, first, second, inside - (_PREPOSITIONS & set(between))):
                continue
            return True
    return False


def _goes_on(source: Source, first: Token, second: Token) -> bool:
    """Whether a source says the second of the first's subject behind a contrast: "the wool is thin but very warm"."""
    between = [t for t in source.words if t.part == second.part and t.start < second.start]
    return (
        second.part == first.part + 1
        and bool(between)
        and between[0].word in CONTRAST
        and all(t.word in _ADVERBS or t.word.endswith("ly") for t in between[1:])
    )


def _opens(source: Source, word: Token, prepositions: Collection[str]) -> bool:
    """Whether a word belongs to a phrase that opens its part of a source: "For 25 dollars these are hard to beat"."""
    before = [t for t in source.words if t.part == word.part and t.start < word.start]
    return bool(before) and len(before) <= 3 and before[0].word in prepositions


def _turned(source: Source, first: Token, second: Token, between: Sequence[str]) -> bool:
    """Whether a source says in the other order what a text says.

    "Heavy but fast" is "fast but heavy"; "they sent the wrong lens" is "the wrong lens was sent"; "the jar leaks at
    the base" is "the base of the jar leaks"; "a small dog's mouth" is "the mouth of a small dog".
    """
    inside = [t for t in source.words if second.start < t.start < first.start]
    far = sum(t.content for t in inside)
    # "The zippers are smooth and strong": strong zippers.
    said_of = [t.word in _LISTED or (t.content and t.stem not in VERBS) for t in inside]
    if not between and far <= _COMPOUND and all(said_of) and _COPULAS & {t.word for t in inside}:
        return True
    if second.clause == first.clause and not _LINKS & {t.word for t in inside}:
        # "We use it at the office ten times a day": ten times a day in the office. "A pocket for a bottle": its pocket.
        if set(between) & _PREPOSITIONS and far <= _COMPOUND:
            return True
        if not between and far <= 1 and any(t.word in _JOINING for t in inside):
            return True
    if set(between) & CONTRAST:
        return far <= _REACH
    done = second.word in PAST or second.word.endswith("ed") or second.stem in VERBS
    if set(between) & (_COPULAS | {"cannot"}) and done:
        return second.clause == first.clause and far <= _COMPOUND
    if set(between) & _HAS and any(t.word == "for" for t in inside):
        return far <= _REACH
    if set(between) <= {"in", "on", "the", "a", "its"} and between:
        return far <= 1 and any(t.word in _HAS | {"with"} for t in inside)
    return (
        list(between) in (["of"], ["of", "the"], ["of", "a"])
        and far <= 1
        and any(t.word in _PREPOSITIONS or t.word.endswith("'s") for t in inside)
    )


def _predicates(words: Sequence[Token], subject: Token, predicate: Token, inside: set[str]) -> bool:
    """Whether a source supports "subject is predicate"; `inside` are the words between the two."""
    if subject.start > predicate.start:
        between = [t for t in words if predicate.start < t.start < subject.start]
        # "Tight across the hips, huge in the middle": there it is so.
        if len(between) == 1 and between[0].word in _WITHIN and predicate.stem not in VERBS:
            return True
        return not between and predicate.stem not in VERBS
    copula = next((t.start for t in words if t.start > subject.start and t.word in _COPULAS), None)
    if copula is None or copula > predicate.start:
        content = [
            t for t in words if subject.start < t.start < predicate.start and t.content and t.stem not in _LINKING
        ]
        earlier = [t for t in words if t.start < subject.start and t.part == subject.part]
        verb = any(t.stem in VERBS for t in (earlier if len(earlier) > 1 else ()))
        after = [t for t in words if t.start > predicate.start and t.clause == predicate.clause and t.word in _COPULAS]
        near = subject.clause == predicate.clause and not content and not after
        return near and not verb and not inside & _PREPOSITIONS
    # "For the money, it's the best": what is, is it.
    opening = next(t for t in words if t.clause == subject.clause)
    joined = next(t for t in words if t.start == copula)
    if opening.word in _PREPOSITIONS and joined.clause != subject.clause and joined.word.endswith(("'s", "'re")):
        return False
    # "looks good with boots and is a fine dress": what is, is not the boots.
    if any(t.word in _LINKS and subject.start < t.start < copula for t in words):
        return False
    return sum(t.content for t in words if subject.start < t.start < copula) <= 1
