"""How words of a text are meant in its evidence: denied, wished for, under a condition, in excess."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from prefer_core.rewriting.lexicon import CONTRAST, NEGATORS, PLURAL, UNREAL
from prefer_core.rewriting.words import PAST, Token, stem, tokens

_SCOPE = 3
"""Content words that a negation reaches."""

SUBJECTS = PLURAL | {"i", "it", "he", "she", "ive", "im", "this", "that"}

_BENIGN = frozenset(map(stem, ("recommend", "buy", "purchase", "order", "love", "like")))
"""After "would", these state a fact: "I would recommend it"."""

_TROUBLE = frozenset(map(stem, ("trouble", "problem", "issue", "difficulty", "hassle", "effort", "fuss", "complaint")))
_DENIALS = frozenset({"not", "never", "cannot", "didnt", "doesnt", "dont", "isnt", "cant", "wont", "wasnt"})
_PLACES = frozenset({"in", "on", "at", "when", "while", "after", "during", "since"})
"""What follows these is where there is none, and is not denied: "no camera on the back"."""

_FAILS = frozenset({"refuse", "refuses", "refused", "fail", "fails", "failed", "unable", "impossible"})
_NEARLY = frozenset({"nearly", "almost"})
_TURNS = frozenset({"but", "however", "except", "though", "unless"})


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
    reach, nothing, unreal, too, clause, condition = 0, False, False, False, -1, -1
    bare = _bare_negations(words)
    for i, token in enumerate(words):
        if token.clause != clause:
            # What follows from a condition holds only under it: "if you are tall, it is short".
            clause, reach, unreal, too = token.clause, 0, token.part == condition, False
        if token.content:
            wished = (unreal and token.word not in UNREAL) or (i > 0 and words[i - 1].word in _NEARLY)
            given = ("not" if reach == _SCOPE or i in bare else "", "not?" if 0 < reach < _SCOPE else "",
                     "unreal" if wished else "", "too" if too else "")  # fmt: skip
            found.setdefault(token.stem, []).append(frozenset(filter(None, given)))
            # "No trouble pushing it": the trouble is denied, not the pushing.
            reach, too = 0 if reach == _SCOPE and token.stem in _TROUBLE else max(0, reach - 1), False
        if _negator(token) or token.word == "unless":
            reach, nothing = _SCOPE, token.word == "no"
        elif _little(words, i) or _too_much_for(words, i) or _fails_to(words, i):
            reach = 1
        if token.word in CONTRAST or _new_subject(words, i) or (nothing and token.word in _PLACES):
            reach = 0
        if token.word in {"if", "unless"}:
            condition = token.part
        unreal = unreal or _unreal(words, i)
        too = (too or token.word == "too") and token.word not in {"much", "many"}
    return found


def _too_much_for(words: Sequence[Token], i: int) -> bool:
    """Whether word i is the "to" before what is not done: "too short to reach", "too hot to touch"."""
    if i + 1 == len(words) or not words[i + 1].content:
        return False
    doing = words[i + 1].word.endswith("ing") or words[i + 1].word == "use"
    opens = words[i].word == "to" or (words[i].word == "for" and doing)
    return opens and "too" in {t.word for t in words[max(0, i - 4) : i - 1]}


def _fails_to(words: Sequence[Token], i: int) -> bool:
    """Whether word i is the "to" of "refuses to scan"."""
    return i > 0 and words[i].word == "to" and words[i - 1].word in _FAILS


def _little(words: Sequence[Token], i: int) -> bool:
    """Whether word i is the "little" that hardly any is: "adds little bulk", not "a little bulk"."""
    near = words[max(0, i - 1) : i + 2]
    return words[i].word == "little" and len(near) == 3 and all(t.content for t in near)


def _new_subject(words: Sequence[Token], i: int) -> bool:
    return words[i].word == "and" and i + 1 < len(words) and words[i + 1].word.split("'")[0] in SUBJECTS


def _unreal(words: Sequence[Token], i: int) -> bool:
    """Whether word i takes what follows out of the world of facts; "I would recommend it" and "I'd buy it" do not."""
    token = words[i]
    contracted = token.word.endswith("'d")
    if (token.word not in UNREAL and not contracted) or token.word in _NEARLY:
        return False
    if i + 1 < len(words) and words[i + 1].word == "have":  # "would have liked it longer"
        return True
    following = next((t.stem for t in words[i + 1 :] if t.content), "")
    return not ((token.word == "would" or contracted) and following in _BENIGN)


def _bare_negations(words: Sequence[Token]) -> set[int]:
    """Return which content words a later negation denies: nothing follows it, "it fits barely", "hums when not on"."""
    found: set[int] = set()
    for i, token in enumerate(words):
        if not _negator(token):
            continue
        here = [j for j, other in enumerate(words) if other.content and other.clause == token.clause]
        before = [j for j in here if j < i]
        if before and len(before) == len(here):
            found.add(before[-1])
    return found


def _negator(token: Token) -> bool:
    return token.word in NEGATORS or token.word.endswith("n't")


def denies(words: Sequence[Token]) -> bool:
    """Whether any of some words denies what is said; "no trouble" and "without a struggle" deny no more than that."""
    return any(token.word in _DENIALS or token.word.endswith("n't") for token in words)


def agree(clause: str, sources: Sequence[Source], free: Collection[str]) -> list[str]:
    """Return what a clause negates, wishes or exaggerates differently from every source that has the word."""
    negated, turned = [], []
    words = tokens(clause)
    marked = flags_of(words)
    turned_round = set(marked) if _denied_alike(marked, sources) else _suffers(words)
    for word, occurrences in marked.items():
        there = [marks for source in sources for marks in source.marks.get(word, [])]
        if not there or word in free:
            continue
        for marks in occurrences:
            if not any(_same_negation(marks, other) or (word in turned_round and "not?" in other) for other in there):
                negated.append(word)
            elif not any(marks & {"unreal", "too"} == other & {"unreal", "too"} for other in there):
                turned.append(word)
    found = []
    if any(_negator(a) and _negator(b) for a, b in pairwise(words)):
        found.append("a double negation")
    if negated:
        found.append(f"a negation that the evidence lacks, or the reverse: {', '.join(negated)}")
    if turned:
        found.append(f"a wish, condition or excess that the evidence states otherwise: {', '.join(turned)}")
    return found


def _denied_alike(marked: dict[str, list[frozenset[str]]], sources: Sequence[Source]) -> bool:
    """Whether a clause denies what a source denies: "the lines are not clear", "it has no clear lines"."""
    denied = {word for word, occurrences in marked.items() if any("not" in marks for marks in occurrences)}
    return bool(denied) and all(
        any("not" in marks for source in sources for marks in source.marks.get(word, [])) for word in denied
    )


def _suffers(words: Sequence[Token]) -> set[str]:
    """Return stems of what is not done to a thing, before its denial: "the level cannot be seen", "I can't see it"."""
    for i, token in enumerate(words[1:-1], 1):
        denied = token.word in {"not", "cannot"} or token.word.endswith("n't")
        following = words[i + 1].word
        if denied and (
            following in {"be", "been"} or following in PAST or following.endswith("ed") or token.word == "cannot"
        ):
            return {t.stem for t in words[:i] if t.clause == token.clause and t.content}
    return set()


def _same_negation(text: frozenset[str], source: frozenset[str]) -> bool:
    reached = {"not", "not?"}
    return bool(source & reached) if "not" in text else not source & reached or "not?" in text


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
