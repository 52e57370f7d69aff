"""How much is said: strength, hedges, bounds of numbers, comparisons, held against the evidence."""

import re
from collections.abc import Sequence
from itertools import pairwise

from prefer_core.rewriting.lexicon import INTENSE, SAME_QUANTITY, words_of
from prefer_core.rewriting.marks import Source
from prefer_core.rewriting.phrases import COUNTS
from prefer_core.rewriting.synonyms import implied, implies
from prefer_core.rewriting.words import tokens

_SUBJECT_OPENS = words_of("it they the there he she you this these their that a an")
_ANYTHING = frozenset({"ever", "before", "expected", "usual", "i", "we", "they", "it", "any"})
_OWN = frozenset({"my", "our", "his", "her", "their"})
_HEDGES = words_of("kind sort somewhat slightly little bit fairly almost nearly rather pretty less")
_HEDGED = re.compile(
    r"\b(?:(?:i|it|is|was|are|were|looks?|feels?|felt|seems?) (?:kind|sort) of|kinda|sorta|somewhat|slightly|almost"
    r"|nearly) (?:an? |the )?([\w'-]+)",
    re.IGNORECASE,
)
_SAME_BOUND = tuple(
    map(words_of, ("in within", "over than above exceeding", "under below", "within in under",
                   "about around roughly", "for", "after",
                   "before", "until till", "since", "every each per", "up", "least"))
)  # fmt: skip
_NUMBER_WORDS = {word: digit for digit, word in COUNTS.items()}
_BESIDE = words_of("another only just the a an some about around roughly")


def intense(clause: str) -> set[str]:
    """Return the words of a clause that strengthen; the "so" of "so it is easy to fill" does not."""
    words = [t.word for t in tokens(clause)]
    found = {word for word in words if word in INTENSE - {"so"}}
    return found | {"so" for a, b in pairwise(words) if a == "so" and b.split("'")[0] not in _SUBJECT_OPENS}


def weaker(clause: str, read: Sequence[Source]) -> bool:
    """Whether what a clause strengthens stands for something stronger: "very hot" for "scorching"."""
    words = tokens(clause)
    there = {stem for source in read for stem in source.stems}
    told = [b.stem for a, b in pairwise(words) if a.word in INTENSE - {"too"}]
    return bool(told) and all(
        any(implied(stem, strong) for strong in there) or (stem in there and implies(stem)) for stem in told
    )


def same_quantity(word: str, said: set[str]) -> bool:
    """Whether a word of quantity has its like among the words of the evidence."""
    return any(word in group and group & said for group in SAME_QUANTITY)


def unhedged(clause: str, read: Sequence[Source]) -> bool:
    """Whether a clause says flatly what its evidence only half says: "hates earbuds" of "kind of hate earbuds"."""
    words = tokens(clause)
    if _HEDGES & {t.word for t in words}:
        return False
    halves = {
        tokens(match[1])[0].stem
        for source in read
        for match in _HEDGED.finditer(" ".join(t.word for t in source.words))
    }
    flat = {t.stem for source in read for t in source.words if len(source.marks.get(t.stem, [])) > 1}
    return bool({t.stem for t in words if t.content} & (halves - flat))


def bounds(clause: str, read: Sequence[Source]) -> bool:
    """Whether a number has another bound than in the evidence: "for 15 minutes" of "within 15 minutes"."""
    there: dict[str, set[str]] = {}
    for source in read:
        for number, bound in _bounds([t.word for t in source.words]):
            there.setdefault(number, set()).add(bound)
    return any(
        number in there and "" not in there[number] and not any(_alike(bound, other) for other in there[number])
        for number, bound in _bounds([t.word for t in tokens(clause)])
        if bound
    )


def miscounts(clause: str, read: Sequence[Source]) -> bool:
    """Whether a clause counts by "one" what its evidence counts otherwise: "one hour" of "eight hours"."""
    there: dict[str, set[str]] = {}
    for source in read:
        for number, noun in _counted([(t.word, t.stem) for t in source.words]):
            there.setdefault(noun, set()).add(number)
    said = _counted([(t.word, t.stem) for t in tokens(clause)])
    return any(number == "1" and noun in there and "1" not in there[noun] for number, noun in said)


def _counted(words: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return each number that stands right before a word, with that word's stem."""
    numbered = ((_NUMBER_WORDS.get(word, word), stem) for (word, _), (_, stem) in pairwise(words))
    return [(number, stem) for number, stem in numbered if number.isdigit()]


def half_compares(clause: str, read: Sequence[Source]) -> bool:
    """Whether a clause leaves out the "than": "looks much nicer" of "looks much nicer on the model than in person"."""
    words = {t.word for t in tokens(clause)}
    for source in read:
        there = [t.word for t in source.words]
        if "than" in words or "than" not in there[:-1]:
            continue
        place = there.index("than")
        compared = [w for w in there[max(0, place - 6) : place] if w in words and (w.endswith("er") or w == "more")]
        with_what = next(w for w in there[place + 1 :] if w not in _OWN or w == there[-1])
        if compared and with_what not in _ANYTHING:
            return True
    return False


def _bounds(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return each number with the word that bounds it, or an empty string."""
    found = []
    for place, word in enumerate(words):
        number = _NUMBER_WORDS.get(word, word if word[0].isdigit() else "")
        if not number:
            continue
        at = place - 1
        while at >= 0 and words[at] in _BESIDE:
            at -= 1
        bound = words[at] if at >= 0 and any(words[at] in group for group in _SAME_BOUND) else ""
        found.append((number, bound))
    return found


def _alike(one: str, other: str) -> bool:
    """Whether a text's bound may stand for one of its evidence: what was used for a year lasted after a year."""
    return (one, other) in {("after", "for"), ("in", "after")} or any(
        one in group and other in group for group in _SAME_BOUND
    )
