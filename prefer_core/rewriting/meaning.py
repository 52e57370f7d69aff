"""The second layer of the check: a text in other words than its evidence, compared by meaning.

Synonyms put the text into its evidence's own words, and every rule of the first layer is asked again of that; a small
sentence encoder then has to agree that the two are close. Where its packages are missing the first layer stands alone.
"""

from collections.abc import Collection, Sequence
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from prefer_core.aspects import light
from prefer_core.errors import DataError
from prefer_core.rewriting.lexicon import words_of
from prefer_core.rewriting.marks import Source
from prefer_core.rewriting.synonyms import alike
from prefer_core.rewriting.words import PAST, Token, sentences, stem, tokens

Vectors = NDArray[np.float32]

LEAST = 0.5
"""Least cosine of a reworded text to its evidence or a part of it."""

_OTHER_WORDS = 0.7
"""The same where words remain that no synonym explains; with `meant` chosen on the tuning half (`planted`)."""

_LIGHT = frozenset(map(stem, words_of("fit hold come arrive look take make keep use give sit go need turn run last")))
_LIGHT_LOSS = 0.08
"""Verbs that say little beside what they stand with ("the bottle holds 200 ml") may take a text this far away."""

_PARTS = words_of("because so and that when while which as since if")
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

    def meant(self, clause: str, missing: Collection[str], sources: Sequence[str]) -> set[str]:
        """Return which stems of a clause its evidence lacks and still means: all of `missing`, or none.

        A word that the evidence means brings the clause closer to it, one that it does not mean takes it away: each is
        left out in turn. Opposites are as close as synonyms, and are for the rules to find.
        """
        words = [t for t in tokens(clause) if t.content]
        if not missing or 2 * len(missing) > len(words) or any(c.isdigit() for one in missing for c in one):
            return set()
        without = [" ".join(t.word for t in tokens(clause) if t.stem != one) for one in sorted(missing)]
        near = self.closeness([clause, *without], sources)
        if near is None:
            return set()
        whole, *less = near.max(axis=1)
        loss = max(one - _LIGHT_LOSS * (word in _LIGHT) for word, one in zip(sorted(missing), less, strict=True))
        return set(missing) if whole >= _OTHER_WORDS and whole >= loss else set()

    def _parts(self, source: str) -> Vectors:
        if source not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[source] = self._encoder.encode(_parts_of(source))
        return self._known[source]


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
    parts: list[str] = []
    end = 0
    for token in tokens(text):
        if not token.content or token.stem in known or any(c.isdigit() for c in token.word):
            continue
        same = [other.word for other in there if alike(token.stem, other.stem)]
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
