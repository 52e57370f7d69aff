"""The second layer of the check: a text in other words than its evidence, compared by meaning.

Synonyms put the text into its evidence's own words, and every rule of the first layer is asked again of that; a small
sentence encoder then has to agree that the two are close. Where its packages are missing the first layer stands alone.
"""

from collections.abc import Collection, Sequence
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from prefer_core.aspects.light import LightMiniLM
from prefer_core.errors import DataError
from prefer_core.rewriting.align import Source
from prefer_core.rewriting.lexicon import words_of
from prefer_core.rewriting.synonyms import alike
from prefer_core.rewriting.words import Token, sentences, stem, tokens

Vectors = NDArray[np.float32]

LEAST = 0.5
"""Least cosine of a reworded text to its evidence or a part of it, chosen on the tuning half (`evaluation.planted`)."""

_LIGHT_LEAST = 0.7
_LIGHT_LOSS = 0.02
_LIGHT = frozenset(map(stem, words_of("fit hold come arrive look take make keep use give sit")))
"""Verbs that say little beside what they stand with: "the case fits in a pocket", "the bottle holds 200 ml"."""

_KEPT = 512


class Encoder(Protocol):
    """What turns texts into unit vectors."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors (n, d) of n texts; DataError if the encoder cannot be loaded."""
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
        self._absent = False

    def closeness(self, texts: Sequence[str], sources: Sequence[str]) -> NDArray[np.float64] | None:
        """Return cosines (n, m) of n texts to m sources, each source at its closest part; None without an encoder."""
        if self._absent or not texts or not sources:
            return None
        try:
            said = self._encoder.encode(texts)
            parts = [self._parts(source) for source in sources]
        except DataError:
            self._absent = True
            return None
        return np.stack([(said @ part.T).max(axis=1) for part in parts], axis=1).astype(np.float64)

    def light_words(self, clause: str, missing: Collection[str], sources: Sequence[str]) -> set[str]:
        """Return which stems of a clause its evidence lacks and still means, all of them or none.

        Only light verbs can be: the clause must be close to its evidence, and no closer without them.
        """
        words = [t for t in tokens(clause) if t.content]
        if not missing or not set(missing) <= _LIGHT or len(words) - len(missing) < 2:
            return set()
        bare = " ".join(t.word for t in tokens(clause) if t.stem not in missing)
        near = self.closeness([clause, bare], sources)
        if near is None:
            return set()
        with_them, without = near.max(axis=1)
        return set(missing) if with_them >= max(_LIGHT_LEAST, without - _LIGHT_LOSS) else set()

    def _parts(self, source: str) -> Vectors:
        if source not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[source] = self._encoder.encode(_parts_of(source))
        return self._known[source]


def _parts_of(source: str) -> list[str]:
    """Return a source whole, by sentence and by clause of three words or more."""
    words = tokens(source)
    clauses: dict[int, list[Token]] = {}
    for token in words:
        clauses.setdefault(token.clause, []).append(token)
    cut = [source[run[0].start : run[-1].end] for run in clauses.values() if len(run) >= 3]
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
    parts: list[str] = []
    end = 0
    for token in tokens(text):
        if not token.content or token.stem in known or any(c.isdigit() for c in token.word):
            continue
        found = next((other.word for other in there if alike(token.stem, other.stem)), None)
        if found is not None:
            parts += [text[end : token.start], found]
            end = token.end
    return "".join([*parts, text[end:]])


@cache
def shared() -> Meaning:
    """Return the one that pages and experiments share."""
    return Meaning(LightMiniLM())
