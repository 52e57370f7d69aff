"""Words of reviews that may stand for one another; whether two words do, and which never may."""

from functools import cache, lru_cache

from prefer_core.rewriting import lexicon
from prefer_core.rewriting.lexicon import lines_of, words_of
from prefer_core.rewriting.words import OPPOSITES, stem

_ENDINGS = words_of("y e i er en ed ing ness li ity ion ment al ful able ible ish ier s t ability ation") | {""}
"""What may follow the common beginning of two forms of one word; "less" turns it round and is not here."""

LIGHT = frozenset(map(stem, words_of("fit hold come arrive look take make keep use give sit go need turn run last")))
"""Verbs that say little beside what they stand with."""

_COMMON = 4
_FEW = 3


@cache
def _contrasts() -> dict[str, dict[int, str]]:
    """Return for each stem the numbers of the contrasts it is in, and on which side of each."""
    found: dict[str, dict[int, str]] = {}
    for number, line in enumerate(lines_of("opposites.txt")):
        for side, words in zip("ab", line.split("|"), strict=True):
            for word in words.split():
                found.setdefault(stem(word), {}).setdefault(number, side)
    return found


def _plain_degree(one: str) -> str:
    """Return the stem of the plain form of a comparative: "heavi" of "heavier", "big" of "bigger"; others as they are.

    Both of two words that are compared this way have to end alike: "cover" and "cov" never meet.
    """
    if one.endswith("ier"):
        return one[:-2]
    bare = one[:-2] if one.endswith("er") and len(one) > 4 else one
    return bare[:-1] if bare != one and bare[-1] == bare[-2] else bare


def _contrary(one: str, other: str) -> bool:
    here, there = _contrasts().get(one, {}), _contrasts().get(other, {})
    return any(there[number] != side for number, side in here.items() if number in there)


@lru_cache(maxsize=2_000)
def opposites_of(said: str) -> tuple[str, ...]:
    """Return opposites of a stem, a few words of each contrast that it is in.

    Examples
    --------
    >>> "quiet" in opposites_of("loud"), opposites_of("zipper")
    (True, ())
    """
    here, lines = _contrasts().get(said, {}), lines_of("opposites.txt")
    other = [lines[number].split("|")[side == "a"].split()[:_FEW] for number, side in here.items()]
    listed = [b if stem(a) == said else a for a, b in lexicon.OPPOSITES if said in (stem(a), stem(b))]
    return tuple(dict.fromkeys([*listed, *(word for words in other for word in words)]))


def _index() -> dict[str, frozenset[str]]:
    """Return for each stem of the evidence the stems that may stand for it in a text."""
    found: dict[str, set[str]] = {}
    for line in lines_of("synonyms.txt"):
        strong, _, weak = line.partition(">")
        stems = {stem(word) for word in strong.split()}
        for one in stems:
            found.setdefault(one, set()).update({stem(word) for word in weak.split()} if weak else stems)
    return {word: frozenset(others) for word, others in found.items()}


_MEANT = _index()
_STRONG = frozenset(there for there, weak in _MEANT.items() if any(there not in _MEANT.get(one, ()) for one in weak))


@lru_cache(maxsize=20_000)
def opposed(said: str, there: str) -> bool:
    """Whether a stem of a text, or a synonym of it, is the opposite of a stem of its evidence or a synonym of that.

    Verbs that say little by themselves have none: "fit" is not the opposite of "soft".

    Examples
    --------
    >>> opposed("slow", "rapid"), opposed("dri", "soak"), opposed("fabric", "soft")
    (True, True, False)
    """
    if said == there or said in LIGHT:
        return (said, there) in OPPOSITES
    if _contrary(said, there):
        return True
    if said.endswith("er") and there.endswith("er") and opposed(_plain_degree(said), _plain_degree(there)):
        return True
    return any((a, b) in OPPOSITES for a in {said, *_MEANT.get(said, ())} for b in {there, *_MEANT.get(there, ())})


def implied(said: str, there: str) -> bool:
    """Whether a stem of the evidence says more than a stem of a text, which it implies.

    Examples
    --------
    >>> implied("hot", "scorch"), implied("fabric", "material")
    (True, False)
    """
    return said in _MEANT.get(there, ()) and there not in _MEANT.get(said, ())


def implies(there: str) -> bool:
    """Whether a stem is the strong form of another: "scorch" of "hot"."""
    return there in _STRONG


@lru_cache(maxsize=20_000)
def alike(said: str, there: str) -> bool:
    """Whether a stem of a text may stand for a stem of its evidence: a synonym, something weaker, a form of one word.

    Examples
    --------
    >>> alike("fabric", "material"), alike("zip", "zipper"), alike("use", "useless"), alike("warm", "cold")
    (True, True, False, False)
    >>> alike("good", "perfect"), alike("perfect", "good")
    (True, False)
    """
    if (said, there) in OPPOSITES:
        return False
    return said in _MEANT.get(there, frozenset()) or _related(said, there)


def _related(one: str, other: str) -> bool:
    """Whether two stems begin alike and differ by an ending: "wood" and "wooden", "bulk" and "bulki"."""
    common = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    least = 3 if min(len(one), len(other)) == 3 and len(one) != len(other) else _COMMON
    return common >= least and one[common:] in _ENDINGS and other[common:] in _ENDINGS
