"""The second layer of the check: a text in other words than its evidence, compared by meaning.

Synonyms put the text into its evidence's own words, and every rule of the first layer is asked again of that; a small
sentence encoder then has to agree that the two are close. Where its packages are missing the first layer stands alone.
"""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from prefer_core.aspects import light
from prefer_core.errors import DataError
from prefer_core.rewriting.lexicon import words_of
from prefer_core.rewriting.marks import Source, denies
from prefer_core.rewriting.synonyms import LIGHT, alike, implied, opposites_of
from prefer_core.rewriting.words import PAST, Token, sentences, tokens

Vectors = NDArray[np.float32]
Pieces = tuple[Vectors, NDArray[np.int64]]
T = TypeVar("T")

LEAST = 0.5
"""Least cosine of a text to its evidence or a part of it where a word of it was let through by meaning."""

LEAST_OWN = 0.35
"""The same where each word has its synonym in the evidence."""

LEAST_RETOLD = 0.8
"""The same where a text tells the whole of its evidence in another order."""

_OTHER_WORDS = 0.7
"""Least cosine at which a word that no synonym explains is let through for bringing the text closer."""

_LIGHT_LOSS = 0.08
"""A light verb ("the bottle holds 200 ml") may take a text this far away."""

_STANDS_FOR = 0.37
"""Least cosine of a word as it stands in a text to a word as it stands in the evidence, for the one to mean the other.
With the others here chosen on the tuning half (`planted`); foreign words stay below .34 there."""

_NAMES = 0.6
"""The same for a word that names a thing: a lid is no handle, however alike what is said of both."""

_AS_CLOSE = 0.02
"""What the opposite of a word may be closer by."""

_NAMING = words_of("the a an its their his her my this these those of no")
_PARTS = words_of("because so and that when while which as since if")
_KEPT = 512


class Encoder(Protocol):
    """What turns texts into unit vectors."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors (n, d) of n texts; DataError if the encoder cannot be loaded."""
        ...

    def encode_pieces(self, text: str) -> "Pieces":
        """Return unit vectors (p, d) of a text's word pieces as they stand there, and their places (p, 2)."""
        ...


class Meaning:
    """Compares texts with evidence; vectors of evidence are kept, a text's are made once a question.

    Parameters
    ----------
    encoder : Encoder
        Of sentences; the first text loads it.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known: dict[str, Vectors] = {}
        self._read: dict[str, Pieces] = {}
        self._absent = False

    def closeness(
        self, texts: Sequence[str], sources: Sequence[str], *, whole: bool = False
    ) -> NDArray[np.float64] | None:
        """Return cosines (n, m) of n texts to m sources, each source at its closest part, or taken `whole`.

        None without an encoder.
        """
        if self._absent or not texts or not sources:
            return None
        try:
            said = self._encoder.encode(texts)
            parts = [self._parts(source)[: 1 if whole else None] for source in sources]
        except DataError:
            self._absent = True
            return None
        return np.stack([(said @ part.T).max(axis=1) for part in parts], axis=1).astype(np.float64)

    def meant(self, clause: str, missing: Collection[str], sources: Sequence[str]) -> set[str]:
        """Return which stems of a clause its evidence lacks and still means: all of `missing`, or none.

        A word is meant if it stands in the clause as some word stands in the evidence, or if it brings the clause
        closer to the evidence: it is left out in turn. Opposites are as close as synonyms, and denials cannot be
        compared: a word is refused where its opposite does better, and a clause denies only where its evidence does.
        """
        words = tokens(clause)
        content = [t for t in words if t.content]
        if (
            self._absent
            or not missing
            or 3 * len(missing) > 2 * len(content)
            or any(c.isdigit() for one in missing for c in one)
        ):
            return set()
        try:
            whole, closest = self._closest(clause, sources)
        except DataError:
            self._absent = True
            return set()
        if denies(tokens(closest)) != denies(words):
            return set()
        for i, token in enumerate(words):
            if token.stem not in missing:
                continue
            if self._opposite_is_closer(token, clause, whole, sources):
                return set()
            named = i == 0 or words[i - 1].word in _NAMING
            if self._stands_for(token, clause, sources) >= (_NAMES if named else _STANDS_FOR):
                continue
            if named or whole < _OTHER_WORDS or not self._brings_closer(token, words, whole, sources):
                return set()
        return set(missing)

    def _opposite_is_closer(self, token: Token, clause: str, whole: float, sources: Sequence[str]) -> bool:
        """Whether a clause with a word's opposite would be closer: "quiet like a jet engine" with "loud"."""
        turned = [clause[: token.start] + other + clause[token.end :] for other in opposites_of(token.stem)]
        if not turned or token.stem in LIGHT:
            return False
        near = np.concatenate([self._parts(source) for source in sources])
        return bool((self._encoder.encode(turned) @ near.T).max() > whole + _AS_CLOSE)

    def _closest(self, clause: str, sources: Sequence[str]) -> tuple[float, str]:
        """Return the cosine of a clause to the part of the evidence that is closest to it, and that part."""
        said = self._encoder.encode([clause])[0]
        near = np.concatenate([self._parts(source) for source in sources]) @ said
        best = int(np.argmax(near))
        return float(near[best]), [part for source in sources for part in _parts_of(source)][best]

    def _brings_closer(self, token: Token, words: Sequence[Token], whole: float, sources: Sequence[str]) -> bool:
        rest, _ = self._closest(" ".join(t.word for t in words if t.stem != token.stem), sources)
        return whole >= rest - _LIGHT_LOSS * (token.stem in LIGHT)

    def _stands_for(self, token: Token, clause: str, sources: Sequence[str]) -> float:
        """Return how close a word of a clause is to a word of the evidence, each as it stands there."""
        vectors, places = self._pieces(clause)
        here = vectors[(places[:, 0] < token.end) & (places[:, 1] > token.start)]
        there = np.concatenate([self._pieces(source)[0] for source in sources])
        return float((here @ there.T).max(axis=1).mean()) if here.size and there.size else 0.0

    def _pieces(self, text: str) -> Pieces:
        return _kept(self._read, text, self._encoder.encode_pieces)

    def _parts(self, source: str) -> Vectors:
        return _kept(self._known, source, lambda text: self._encoder.encode(_parts_of(text)))


def _kept(known: dict[str, T], text: str, make: Callable[[str], T]) -> T:
    """Return what is kept of a text, or make and keep it; other threads may empty `known` at any moment."""
    found = known.get(text)
    if found is None:
        found = make(text)
        if len(known) >= _KEPT:
            known.clear()
        known[text] = found
    return found


def _parts_of(source: str) -> list[str]:
    """Return a source whole, by sentence and by clause of three words or more."""
    words = tokens(source)
    clauses: list[list[Token]] = [[]]
    for token in words:
        if clauses[-1] and (token.clause != clauses[-1][-1].clause or token.word in _PARTS):
            clauses.append([])
        clauses[-1].append(token)
    cut = [source[run[0].start : run[-1].end] for run in clauses if len(run) >= 3]
    return list(dict.fromkeys([source, *sentences(source), *cut]))


def in_words_of(text: str, read: Sequence[Source], free: Collection[str]) -> str:
    """Return a text in which each content word that the evidence lacks is its synonym there, if it has one.

    Examples
    --------
    >>> in_words_of("the fabric feels pricey", [Source.read("The material is expensive.")], ())
    'the material feels expensive'
    """
    known = {stem for source in read for stem in source.stems} | set(free)
    there = [t for source in read for t in source.words if t.content]
    denied = {stem for source in read for stem, marks in source.marks.items() if any("not" in one for one in marks)}
    parts: list[str] = []
    end = 0
    for token in tokens(text):
        if not token.content or token.stem in known or any(c.isdigit() for c in token.word):
            continue
        # What is no sneaker may be a shoe.
        same = [
            other.word
            for other in there
            if alike(token.stem, other.stem) and not (other.stem in denied and implied(token.stem, other.stem))
        ]
        found = max(same, key=lambda word: _inflection(word) == _inflection(token.word), default=None)
        if found is not None:
            parts += [text[end : token.start], found]
            end = token.end
    return "".join([*parts, text[end:]])


def _inflection(word: str) -> str:
    return "ed" if word in PAST else next((end for end in ("ing", "ed", "ly", "s") if word.endswith(end)), "")


@cache
def shared() -> Meaning:
    """Return the one that pages and experiments share."""
    return Meaning(light.shared())
