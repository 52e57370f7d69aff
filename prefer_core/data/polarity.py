"""VADER's polarity of a sentence, to the last digit, without the work that most sentences do not need."""

import string
from collections.abc import Sequence
from typing import Any

from vaderSentiment.vaderSentiment import (
    BOOSTER_DICT,
    N_SCALAR,
    NEGATE,
    SPECIAL_CASES,
    SentimentIntensityAnalyzer,
    SentiText,
)

from prefer_core.data.wordlist import words

_NEGATE = frozenset(NEGATE)
_IN_PHRASES = words(" ".join(phrase for phrase in (*SPECIAL_CASES, *BOOSTER_DICT) if " " in phrase))


class Analyser(SentimentIntensityAnalyzer):  # type: ignore[misc]  # the package has no types
    """The analyser of the package; each method here gives what its namesake there gives, sooner.

    Those look up the emoji of every character, write the whole sentence in lower case several times a word, and walk
    the list of negations for each.
    """

    def __init__(self) -> None:
        super().__init__()
        self._emoji = frozenset(self.emojis)

    def polarity_scores(self, text: str) -> dict[str, float]:
        """Return neg, neu and pos (shares, 0..1) and compound (-1..1) of a text."""
        if not self._emoji.isdisjoint(text):
            return dict(super().polarity_scores(text))
        plain, lexicon = text.lower().split(), self.lexicon
        if plain and not any(word in lexicon or word.strip(string.punctuation) in lexicon for word in plain):
            return {"neg": 0.0, "neu": 1.0, "pos": 0.0, "compound": 0.0}
        found = SentiText(text.strip())
        tokens = found.words_and_emoticons
        lower = [token.lower() for token in tokens]
        sentiments: list[float] = []
        for i, word in enumerate(lower):
            kind_of = word == "kind" and lower[i + 1 : i + 2] == ["of"]
            if word not in lexicon or word in BOOSTER_DICT or kind_of:
                sentiments.append(0)
            else:
                self.sentiment_valence(0, found, tokens[i], i, sentiments)
        if "but" in lower:
            sentiments = self._but_check(tokens, sentiments)
        return dict(self.score_valence(sentiments, text.strip()))

    @staticmethod
    def _negation_check(valence: float, tokens: Sequence[str], start_i: int, i: int) -> float:
        """Turn the valence of word `i` round where word `i - start_i - 1` negates it."""
        before = tokens[i - start_i - 1].lower()
        if start_i > 0:
            one, two = tokens[i - 1].lower(), tokens[i - 2].lower()
            near = {one} if start_i == 1 else {one, two}
            # The package's precedence of "and" and "or": three words on, a "so" or "this" just before needs no "never".
            if (before == "never" and not near.isdisjoint(("so", "this"))) or (start_i == 2 and one in ("so", "this")):
                return valence * 1.25
            if before == "without" and "doubt" in near:
                return valence
        return valence * N_SCALAR if before in _NEGATE or "n't" in before else valence

    @staticmethod
    def _special_idioms_check(valence: float, tokens: Sequence[str], i: int) -> float:
        """Give an idiom around word `i` its own valence."""
        if _IN_PHRASES.isdisjoint(token.lower() for token in tokens[i - 3 : i + 3]):
            return valence
        idiom: Any = SentimentIntensityAnalyzer._special_idioms_check(valence, tokens, i)
        return float(idiom)
