"""How words of a text sit in its evidence: negation, wishes, and which words belong together."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from prefer_core.rewriting.lexicon import CONTRAST, NEGATORS, PLURAL, UNREAL
from prefer_core.rewriting.words import PAST, VERBS, Token, stem, tokens

_SCOPE = 3
"""Content words that a negation reaches."""

_REACH = 6
"""Most content words between two that belong together."""

_SUBJECTS = PLURAL | {"i", "it", "he", "she", "ive", "im", "this", "that"}

_COMPOUND = 2
"""The same for two that stand side by side in a text: "online store" is not "saw it online, went to the store"."""

_BENIGN = frozenset(map(stem, ("recommend", "buy", "purchase", "order", "love", "like")))
"""After "would", these state a fact: "I would recommend it"."""

_TROUBLE = frozenset(map(stem, ("trouble", "problem", "issue", "difficulty", "hassle", "effort", "fuss", "complaint")))

_PREPOSITIONS = frozenset(
    {"in", "of", "with", "on", "for", "from", "by", "at", "without", "like", "over", "under", "than", "to"}
)
_COPULAS = frozenset({"is", "are", "was", "were", "be", "been", "being", "it's", "that's", "they're"})
_TURNS = frozenset({"but", "however", "except", "though"})
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
    reach, unreal, too, clause, condition = 0, False, False, -1, -1
    last, open_negation = "", False
    for i, token in enumerate(words):
        if token.clause != clause:
            if open_negation and last:
                found[last][-1] |= {"not"}
            last, open_negation = "", False
            # What follows from a condition holds only under it: "if you are tall, it is short".
            clause, reach, unreal, too = token.clause, 0, token.part == condition, False
        if token.content:
            marks = {"not"} if reach == _SCOPE else {"not?"} if reach else set()
            last, open_negation = token.stem, False
            if unreal and token.word not in UNREAL:
                marks.add("unreal")
            if too:
                marks.add("too")
            found.setdefault(token.stem, []).append(frozenset(marks))
            # "No trouble pushing it": the trouble is denied, not the pushing.
            reach, too = 0 if reach == _SCOPE and token.stem in _TROUBLE else max(0, reach - 1), False
        if _negator(token):
            reach, open_negation = _SCOPE, True
        new_subject = token.word == "and" and i + 1 < len(words) and words[i + 1].word.split("'")[0] in _SUBJECTS
        if token.word in CONTRAST or new_subject:
            reach = 0
        if token.word in {"if", "unless"}:
            condition = token.part
        if token.word in UNREAL or token.word.split("'")[-1] == "d":
            following = next((t.stem for t in words[i + 1 :] if t.content), "")
            benign = token.word == "would" or token.word.endswith("'d")
            unreal = unreal or not (benign and following in _BENIGN)
        too = too or token.word == "too"
    if open_negation and last:
        # Nothing follows the negation in its clause: "it fits barely", "it hums when it is not on".
        found[last][-1] |= {"not"}
    return found


def _negator(token: Token) -> bool:
    return token.word in NEGATORS or token.word.endswith("n't")


def agree(clause: str, sources: Sequence[Source], free: Collection[str]) -> list[str]:
    """Return what a clause negates, wishes or exaggerates differently from every source that has the word."""
    negated, turned = [], []
    for word, occurrences in flags_of(tokens(clause)).items():
        there = [marks for source in sources for marks in source.marks.get(word, [])]
        if not there or word in free:
            continue
        for marks in occurrences:
            if not any(_same_negation(marks, other) for other in there):
                negated.append(word)
            elif not any(marks & {"unreal", "too"} == other & {"unreal", "too"} for other in there):
                turned.append(word)
    words = tokens(clause)
    found = []
    if any(_negator(a) and _negator(b) for a, b in pairwise(words)):
        found.append("a double negation")
    if negated:
        found.append(f"a negation that the evidence lacks, or the reverse: {', '.join(negated)}")
    if turned:
        found.append(f"a wish, condition or excess that the evidence states otherwise: {', '.join(turned)}")
    return found


def _same_negation(text: frozenset[str], source: frozenset[str]) -> bool:
    reached = {"not", "not?"}
    return bool(source & reached) if "not" in text else not source & reached or "not?" in text


def paired(clause: str, sources: Sequence[Source], free: Collection[str]) -> list[str]:
    """Return pairs of neighbouring content words that no source sentence brings together.

    "The lining is soft" must not come from "the top is soft" and "it has a lining". Across an "and" or a comma the
    pair may come from two sources, unless nothing but one predicate follows.
    """
    words = tokens(clause)
    content = [(i, t) for i, t in enumerate(words) if t.content and t.stem not in free]
    found = []
    for place, ((i, a), (j, b)) in enumerate(pairwise(content)):
        between = [t.word for t in words[i + 1 : j]]
        joined = a.clause != b.clause or bool(_LINKS & set(between))
        rest = sum(1 for t in words[j:] if t.content)
        if joined and (rest >= 2 or place + 1 < len(content) - 1):
            continue
        known = all(any(t.stem in s.stems for s in sources) for t in (a, b))
        if known and not any(_near(s, a.stem, b.stem, between) for s in sources):
            found.append(f"{a.word} with {b.word}")
    return [f"words that the evidence does not bring together: {', '.join(found)}"] if found else []


def _near(source: Source, a: str, b: str, between: Sequence[str]) -> bool:
    """Whether a source brings two stems together as a text does that has the words `between` them.

    They stand in one part of the source, few content words apart. Where the text says that a *is* b, the source must
    not join them by a preposition only ("cotton in a simple style"); where the text turns their order around with a
    verb between, they must be neighbours ("a soft top", "the top is soft").
    """
    words = [t for t in source.words if t.content or t.stem in (a, b) or t.word in _PREPOSITIONS | _COPULAS | _LINKS]
    content = [t for t in words if t.content or t.stem in (a, b)]
    # "Good enough that they are keeping it": what is, is another subject or an earlier one.
    says_is = bool(set(between) & _COPULAS) and not {w.split("'")[0] for w in between} & (_SUBJECTS | _LINKS)
    turns = bool(set(between) & (CONTRAST | {"not"}))
    fronted = set(between) & (_PREPOSITIONS | {"when", "if", "after", "before"})
    reach = _REACH if between else _COMPOUND
    for i, first in enumerate(content):
        for j, second in enumerate(content):
            if first.stem != a or second.stem != b:
                continue
            if fronted and second.start < first.start and _opens(source, second, fronted):
                return True
            # A contrast parts the source as it parts the text: "deep, but not revealing", "better than online".
            together = first.part == second.part or (turns and abs(first.part - second.part) == 1)
            if together and second.start < first.start and _turned(source, first, second, between):
                return True
            if not together or not -1 <= j - i <= reach:
                continue
            low, high = sorted((first.start, second.start))
            inside = {t.word for t in words if low < t.start < high}
            if says_is and not _predicates(words, first, second, inside):
                continue
            return True
    return False


def _opens(source: Source, word: Token, prepositions: Collection[str]) -> bool:
    """Whether a word belongs to a phrase that opens its part of a source: "For 25 dollars these are hard to beat"."""
    before = [t for t in source.words if t.part == word.part and t.start < word.start]
    return bool(before) and len(before) <= 3 and before[0].word in prepositions


def _turned(source: Source, first: Token, second: Token, between: Sequence[str]) -> bool:
    """Whether a source says in the other order what a text says.

    "Heavy but fast" is "fast but heavy"; "they sent the wrong lens" is "the wrong lens was sent"; "the jar leaks at
    the base" is "the base of the jar leaks".
    """
    inside = [t for t in source.words if second.start < t.start < first.start]
    far = sum(t.content for t in inside)
    if set(between) & CONTRAST:
        return far <= _REACH
    if set(between) & _COPULAS and (second.word in PAST or second.word.endswith("ed")):
        return second.clause == first.clause and far <= _COMPOUND
    if set(between) <= {"in", "on", "the", "a", "its"} and between:
        return far <= 1 and any(t.word in {"has", "have", "had", "with"} for t in inside)
    return list(between) in (["of"], ["of", "the"], ["of", "a"]) and far <= 1 and any(t.word in _PREPOSITIONS for t in inside)


def _predicates(words: Sequence[Token], subject: Token, predicate: Token, inside: set[str]) -> bool:
    """Whether a source supports "subject is predicate"; `inside` are the words between the two."""
    if subject.start > predicate.start:
        between = [t for t in words if predicate.start < t.start < subject.start]
        return not between and predicate.stem not in VERBS
    copula = next((t.start for t in words if t.start > subject.start and t.word in _COPULAS), None)
    if copula is None or copula > predicate.start:
        content = [t for t in words if subject.start < t.start < predicate.start and t.content]
        earlier = [t for t in words if t.start < subject.start and t.part == subject.part]
        verb = any(t.stem in VERBS for t in (earlier if len(earlier) > 1 else ()))
        return subject.clause == predicate.clause and not content and not verb and not inside & _PREPOSITIONS
    # "looks good with boots and is a fine dress": what is, is not the boots.
    if any(t.word in _LINKS and subject.start < t.start < copula for t in words):
        return False
    return sum(t.content for t in words if subject.start < t.start < copula) <= 1


def before_but(clause: str, sources: Sequence[Source], free: Collection[str]) -> list[str]:
    """Return a reason if a clause reports a source only up to its "but", after which the point comes."""
    said = {t.stem for t in tokens(clause) if t.content} - set(free)
    for source in sources:
        turn = next((i for i, t in enumerate(source.words) if i and t.word in _TURNS), None)
        if turn is None or len(said & source.stems) < max(len(said & other.stems) for other in sources):
            continue
        rest = source.words[turn + 1 :]
        after = {t.stem for t in rest if t.content}
        turned = bool(after) or any(_negator(t) for t in rest)
        earlier = {t.stem for t in source.words[:turn] if t.content}
        if turned and earlier & said and not (after - earlier) & said:
            return [f'stops before the evidence\'s "{source.words[turn].word}"']
    return []
