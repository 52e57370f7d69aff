"""What a free cluster must be to count as an aspect, and what it is called."""

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np

from prefer_core.aspects.words import GENERIC, base_forms, count_words, words_of
from prefer_core.types import IntArray

SHARE = 0.1
"""Least part of an aspect's sentences in which a word of its name stands."""
MOSTLY = 0.5
"""Part of a cluster's sentences from which it is mostly one product's."""

CATCH_ALL = 0.18
"""Part of all sentences from which a cluster holds what belongs nowhere, whatever word it could be named by."""

_USING = frozenset(("wear", "wears", "wearing", "wore", "worn", "use", "uses", "using", "used"))
"""Words that say that a thing was used, not what it is like."""

_TIMES = 2.0  # by how much that part must exceed the product's part of all sentences
_SECOND = 0.45
_AT_LEAST = 5


class FreeClusters:
    """Judges and names clusters of a corpus that no anchor names.

    Parameters
    ----------
    texts, products : sequence of n str
        Sentences and the products they belong to.
    masked : collection of str
        Words of products, which name no aspect.
    """

    def __init__(self, texts: Sequence[str], products: Sequence[str], masked: Collection[str] = ()) -> None:
        self._texts, self._products = texts, products
        self._no_names = GENERIC | _USING | set(masked)

    def is_aspect(self, rows: IntArray) -> bool:
        """Whether the sentences in `rows` have a name, are not mostly about one product, and are no catch-all."""
        if len(rows) > CATCH_ALL * len(self._texts):
            return False
        return self.one_product(rows) is None and self.name(rows) is not None

    def one_product(self, rows: IntArray) -> str | None:
        """Return the product that most of the sentences in `rows` are about, if it is no such part of the corpus."""
        if not len(rows) or len(self._sizes) < 2:
            return None
        product, count = Counter(self._products[int(i)] for i in rows).most_common(1)[0]
        usual = self._sizes[product] / len(self._products)
        part = count / len(rows)
        return product if part > MOSTLY and part > _TIMES * usual else None

    def name(self, rows: IntArray, taken: Collection[str] = ()) -> str | None:
        """Return one or two words that each stand in a tenth of the sentences, or None where no word does.

        The words are those that are most over-represented: by their part of the sentences times the logarithm of how
        much larger it is than in the whole corpus. Praise, buying and product words are no names. Each word is shown in
        its most frequent form.
        """
        here = [{self._bases[word] for word in self._words[int(i)]} for i in rows]
        counts = count_words(here)
        worth = {
            base: count / len(rows) * np.log(count / len(rows) / (self._totals[base] / len(self._texts)))
            for base, count in counts.items()
            if count >= max(_AT_LEAST, SHARE * len(rows)) and not ({base, self._shown[base]} & self._no_names)
        }
        ranked = sorted((base for base in worth if worth[base] > 0), key=lambda base: (-worth[base], base))
        if not ranked:
            return None
        words = [self._shown[base] for base in ranked]
        two = len(words) > 1 and worth[ranked[1]] >= _SECOND * worth[ranked[0]]
        options = [", ".join(words[: 2 if two else 1]), words[0], *(f"{words[0]}, {word}" for word in words[1:])]
        names = (option[:1].upper() + option[1:] for option in options)
        return next((name for name in names if name not in taken), None)

    @cached_property
    def _sizes(self) -> Counter[str]:
        return Counter(self._products)

    @cached_property
    def _words(self) -> list[set[str]]:
        return [words_of(text) for text in self._texts]

    @cached_property
    def _bases(self) -> dict[str, str]:
        return base_forms(count_words(self._words))

    @cached_property
    def _totals(self) -> Counter[str]:
        return count_words({self._bases[word] for word in words} for words in self._words)

    @cached_property
    def _shown(self) -> dict[str, str]:
        """The most frequent form of every base; of equals the shortest."""
        forms: dict[str, Counter[str]] = {}
        for word, count in count_words(self._words).items():
            forms.setdefault(self._bases[word], Counter())[word] += count
        return {base: min(found, key=lambda form: (-found[form], len(form), form)) for base, found in forms.items()}
