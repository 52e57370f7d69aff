"""How words of a text sit in its evidence: negation, wishes, and which words belong together."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from prefer_core.rewriting.words import CONTRAST, NEGATORS, UNREAL, Token, tokens

_SCOPE = 3
"""Content words that a negation reaches."""

_REACH = 6
"""Most content words between two that belong together."""

_BENIGN = frozenset({"recommend", "bui", "sai", "say", "purchas", "order", "lov", "lik"})
"""After "would", these state a fact: "I would recommend it"."""

_LINKS = frozenset({"and", "but", "or", "while", "which", "because", "so", "as"})


@dataclass(frozen=True)
class Source:
    """One evidence sentence, read once.

    Attributes
    ----------
    words : tuple of Token
        All its words.
    stems : frozenset of str
        Stems of all its words.
    marks : dict of str to list of frozenset of str
        For each content stem, the marks of each of its occurrences.
    """

    words: tuple[Token, ...]
    stems: frozenset[str]
    marks: dict[str, list[frozenset[str]]]

    @classmethod
    def read(cls, text: str) -> "Source":
        """Read one sentence."""
        words = tokens(text)
        return cls(words, frozenset(t.stem for t in words), flags_of(words))


def flags_of(words: Sequence[Token]) -> dict[str, list[frozenset[str]]]:
    """Return the marks of each occurrence of each content stem.

    Marks are "not" (the next content word after a negation), "not?" (the two after it), "unreal" (after if, wish,
    would, thought, up to the end of the clause) and "too" (too long is not long).

    Examples
    --------
    >>> flags_of(tokens("It is not itchy, but I wish it had pockets."))
    {'itchi': [frozenset({'not'})], 'wish': [frozenset()], 'pocket': [frozenset({'unreal'})]}
    """
    found: dict[str, list[frozenset[str]]] = {}
    reach, unreal, too, clause = 0, False, False, -1
    for i, token in enumerate(words):
        if token.clause != clause:
            clause, reach, unreal, too = token.clause, 0, False, False
        if token.content:
            marks = {"not"} if reach == _SCOPE else {"not?"} if reach else set()
            if unreal and token.word not in UNREAL:
                marks.add("unreal")
            if too:
                marks.add("too")
            found.setdefault(token.stem, []).append(frozenset(marks))
            reach, too = max(0, reach - 1), False
        if token.word in NEGATORS or token.word.endswith("n't"):
            reach = _SCOPE
        if token.word in CONTRAST:
            reach = 0
        if token.word in UNREAL or token.word.split("'")[-1] == "d":
            following = next((t.stem for t in words[i + 1 :] if t.content), "")
            unreal = unreal or not (token.word == "would" and following in _BENIGN)
        too = too or token.word == "too"
    return found


def agree(clause: str, sources: Sequence[Source], free: Collection[str]) -> list[str]:
    """Return what a clause negates, wishes or exaggerates differently from every source that has the word."""
    negated, turned = [], []
    for stem, occurrences in flags_of(tokens(clause)).items():
        there = [marks for source in sources for marks in source.marks.get(stem, [])]
        if not there or stem in free:
            continue
        for marks in occurrences:
            if not any(_same_negation(marks, other) for other in there):
                negated.append(stem)
            elif not any(marks & {"unreal", "too"} == other & {"unreal", "too"} for other in there):
                turned.append(stem)
    found = []
    if negated:
        found.append(f"a negation that the evidence lacks, or the reverse: {', '.join(negated)}")
    if turned:
        found.append(f"a wish, condition or excess that the evidence states otherwise: {', '.join(turned)}")
    return found


def _same_negation(text: frozenset[str], source: frozenset[str]) -> bool:
    if "not" in text:
        return bool(source & {"not", "not?"})
    return "not" not in source or "not?" in text


def paired(clause: str, sources: Sequence[Source], free: Collection[str]) -> list[str]:
    """Return pairs of neighbouring content words that no source sentence brings together.

    "The lining is soft" must not come from "the top is soft" and "it has a lining". Across an "and" or a comma the
    pair may come from two sources, unless nothing but one predicate follows.
    """
    words = tokens(clause)
    content = [(i, t) for i, t in enumerate(words) if t.content and t.stem not in free]
    found = []
    for place, ((i, a), (j, b)) in enumerate(zip(content, content[1:], strict=False)):
        joined = a.clause != b.clause or any(t.word in _LINKS for t in words[i + 1 : j])
        rest = sum(1 for t in words[j:] if t.content)
        if joined and rest >= 2:
            continue
        here = [s for s in sources if a.stem in s.stems and b.stem in s.stems]
        if here and any(_near(s, a.stem, b.stem) for s in here):
            continue
        if joined and place + 1 < len(content) - 1:
            continue
        if any(a.stem in s.stems for s in sources) and any(b.stem in s.stems for s in sources):
            found.append(f"{a.word} with {b.word}")
    return [f"words that the evidence does not bring together: {', '.join(found)}"] if found else []


def _near(source: Source, a: str, b: str) -> bool:
    """Whether two stems stand in one part of the source, at most `_REACH` content words apart."""
    content = [t for t in source.words if t.content or t.stem in (a, b)]
    places_a = [(i, t.part) for i, t in enumerate(content) if t.stem == a]
    places_b = [(i, t.part) for i, t in enumerate(content) if t.stem == b]
    return any(part == other and abs(i - j) <= _REACH for i, part in places_a for j, other in places_b)
