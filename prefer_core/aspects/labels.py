"""Names for aspects: the terms that set each apart (class-based TF-IDF), a label, and example sentences."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from prefer_core.aspects.words import GENERIC, base_forms, count_words, words_of
from prefer_core.types import FloatArray, IntArray

_GENERIC_FACTOR = 0.3
_ONE_PRODUCT_FACTOR = 0.25
_ONE_PRODUCT_SHARE = 0.75
_SECOND = 0.45  # least worth of a second word in a name, against the first
_EXAMPLE_WORDS = range(6, 26)
_CANDIDATES = 40

Place = Callable[[Sequence[str]], FloatArray]
"""Gives the memberships (n, K) of n words in the aspect space."""


@dataclass(frozen=True)
class AspectName:
    """How one aspect is shown to people.

    Attributes
    ----------
    label : str
        One or two words, capitalised, different from all other labels.
    terms : tuple of (str, float)
        The words that set the aspect apart, with their class TF-IDF, best first.
    examples : tuple of int
        Rows of sentences close to its centroid, of different products where possible.
    """

    label: str
    terms: tuple[tuple[str, float], ...]
    examples: tuple[int, ...]


@dataclass(frozen=True)
class Texts:
    """Sentences that names are made from, and the products they belong to, n of each."""

    texts: Sequence[str]
    products: Sequence[str]

    @cached_property
    def words(self) -> list[set[str]]:
        """The different words of each sentence."""
        return [words_of(text) for text in self.texts]

    @cached_property
    def bases(self) -> dict[str, str]:
        """Base form of every word."""
        return base_forms(count_words(self.words))


@dataclass(frozen=True)
class Sentences(Texts):
    """Sentences of a fitted space.

    Attributes
    ----------
    phi : ndarray of shape (n, K)
        Memberships.
    weights : ndarray of shape (n,)
        How often each sentence was written.
    """

    phi: FloatArray
    weights: FloatArray

    @cached_property
    def dominant(self) -> NDArray[np.intp]:
        """Aspect that holds most of each sentence (n,)."""
        return np.asarray(np.argmax(self.phi, axis=1))


def name_aspects(sentences: Sentences, place: Place, n_terms: int, n_examples: int = 5) -> tuple[AspectName, ...]:
    """Name every aspect from the sentences that it dominates.

    Terms are ranked by class TF-IDF times the root of the word's own membership in the aspect, so that a word names the
    aspect in which it lies itself; words of general praise and words of one product only step back.

    Parameters
    ----------
    place : callable
        Gives the memberships of single words.
    """
    counts, surface = _count(sentences)
    factors = _factors(sentences)
    scores = class_tf_idf(counts)
    value = [{base: row[base] * factors[base] for base in row} for row in scores]
    best = [sorted(row, key=lambda base: (-row[base], base))[:_CANDIDATES] for row in value]
    shown = [{base: _shown(surface[aspect][base]) for base in bases} for aspect, bases in enumerate(best)]
    at_home = _memberships_of(sorted({word for forms in shown for word in forms.values()}), place)
    names: list[AspectName] = []
    taken: set[str] = set()
    for aspect, forms in enumerate(shown):
        final = {base: value[aspect][base] * at_home[word][aspect] ** 0.5 for base, word in forms.items()}
        ranked = sorted(final, key=lambda base: (-final[base], base))
        label = _label([forms[base] for base in ranked], [final[base] for base in ranked], taken)
        taken.add(label)
        terms = tuple((forms[base], scores[aspect][base]) for base in ranked[:n_terms])
        names.append(AspectName(label, terms, _examples(sentences, aspect, set(ranked[:n_terms]), n_examples)))
    return tuple(names)


def _memberships_of(words: Sequence[str], place: Place) -> dict[str, FloatArray]:
    return dict(zip(words, place(words), strict=True)) if words else {}


def class_tf_idf(counts: Sequence[Mapping[str, float]]) -> list[dict[str, float]]:
    """Return the class-based TF-IDF of every term in every class.

    tf is the term's part of the class, idf is log(1 + A / f_t): A the mean class size, f_t the term's count in all.

    >>> [{t: round(v, 3) for t, v in row.items()} for row in class_tf_idf([{"lid": 2, "box": 2}, {"box": 4}])]
    [{'lid': 0.549, 'box': 0.255}, {'box': 0.511}]
    """
    total: Counter[str] = Counter()
    for row in counts:
        for term, value in row.items():
            total[term] += value  # type: ignore[assignment]  # weights may be fractions
    sizes = [sum(row.values()) for row in counts]
    mean_size = sum(sizes) / max(len(sizes), 1)
    return [
        {term: value / size * float(np.log1p(mean_size / total[term])) for term, value in row.items()}
        for row, size in zip(counts, sizes, strict=True)
    ]


def _count(sentences: Sentences) -> tuple[list[dict[str, float]], list[dict[str, Counter[str]]]]:
    """Count base forms by aspect, and the forms in which they stand there."""
    n_aspects = sentences.phi.shape[1]
    counts: list[dict[str, float]] = [defaultdict(float) for _ in range(n_aspects)]
    surface: list[dict[str, Counter[str]]] = [defaultdict(Counter) for _ in range(n_aspects)]
    bases = sentences.bases
    for found, aspect, weight in zip(sentences.words, sentences.dominant, sentences.weights, strict=True):
        for base in {bases[word] for word in found}:
            counts[aspect][base] += float(weight)
        for word in found:
            surface[aspect][bases[word]][word] += 1
    return counts, surface


def _factors(sentences: Sentences) -> dict[str, float]:
    """Weigh down words that name no aspect: those of general praise, and those that mostly one product has."""
    by_product: dict[str, Counter[str]] = defaultdict(Counter)
    bases, products = sentences.bases, sentences.products
    for found, product in zip(sentences.words, products, strict=True):
        for base in {bases[word] for word in found}:
            by_product[base][product] += 1
    largest = max(Counter(products).values()) / max(len(products), 1)
    limit = max(_ONE_PRODUCT_SHARE, (1 + largest) / 2)
    generic = GENERIC | {bases[word] for word in GENERIC if word in bases}
    factors = {}
    for base, counts in by_product.items():
        alone = counts.total() >= 4 and max(counts.values()) > limit * counts.total()
        factors[base] = (_GENERIC_FACTOR if base in generic else 1.0) * (_ONE_PRODUCT_FACTOR if alone else 1.0)
    return factors


def _label(words: Sequence[str], values: Sequence[float], taken: set[str]) -> str:
    """Choose one or two words that no other aspect is called by."""
    two = len(words) > 1 and values[1] >= _SECOND * values[0]
    options = [f"{words[0]}, {words[1]}"] if two else list(words[:1])
    options += [f"{words[0]}, {other}" for other in words[1:]]
    options += [f"aspect {len(taken) + 1}"]
    return next(label for option in options if (label := option[:1].upper() + option[1:]) not in taken)


def _shown(forms: Counter[str]) -> str:
    """Return the most frequent form of a word; of equals the shortest."""
    return min(forms, key=lambda form: (-forms[form], len(form), form))


def _examples(sentences: Sentences, aspect: int, terms: set[str], n_examples: int) -> tuple[int, ...]:
    """Pick clear sentences of readable length that use the terms, each of another product while there is one."""
    order = [int(i) for i in np.argsort(-sentences.phi[:, aspect], kind="stable") if sentences.dominant[i] == aspect]
    good = [
        i
        for i in order
        if len(sentences.texts[i].split()) in _EXAMPLE_WORDS
        and terms & {sentences.bases[w] for w in sentences.words[i]}
    ]
    pool = good if len(good) >= n_examples else order
    chosen: list[int] = []
    seen: set[str] = set()
    for i in pool:
        if sentences.products[i] not in seen and len(chosen) < n_examples:
            chosen.append(i)
            seen.add(sentences.products[i])
    chosen += [i for i in pool if i not in chosen][: n_examples - len(chosen)]
    return tuple(chosen)


SHARE = 0.1
"""Least part of an aspect's sentences in which a word of its name stands."""
MOSTLY = 0.5
"""Part of a cluster's sentences from which it is mostly one product's."""

CATCH_ALL = 0.18
"""Part of all sentences from which a cluster holds what belongs nowhere, whatever word it could be named by."""

_USING = frozenset(("wear", "wears", "wearing", "wore", "worn", "use", "uses", "using", "used"))
"""Words that say that a thing was used, not what it is like."""

_TIMES = 2.0  # by how much that part must exceed the product's part of all sentences
_AT_LEAST = 5


class FreeClusters:
    """Judges and names clusters of a corpus that no anchor names.

    Parameters
    ----------
    material : Texts
        Its sentences.
    masked : collection of str
        Words of products, which name no aspect.
    """

    def __init__(self, material: Texts, masked: Collection[str] = ()) -> None:
        self._material = material
        self._no_names = GENERIC | _USING | set(masked)

    def is_aspect(self, rows: IntArray) -> bool:
        """Whether the sentences in `rows` have a name, are not mostly about one product, and are no catch-all."""
        if len(rows) > CATCH_ALL * len(self._material.texts):
            return False
        return self.one_product(rows) is None and self.name(rows) is not None

    def one_product(self, rows: IntArray) -> str | None:
        """Return the product that most of the sentences in `rows` are about, if it is no such part of the corpus."""
        if not len(rows) or len(self._sizes) < 2:
            return None
        product, count = Counter(self._material.products[int(i)] for i in rows).most_common(1)[0]
        usual = self._sizes[product] / len(self._material.products)
        part = count / len(rows)
        return product if part > MOSTLY and part > _TIMES * usual else None

    def name(self, rows: IntArray, taken: Collection[str] = ()) -> str | None:
        """Return one or two words that each stand in a tenth of the sentences, or None where no word does.

        The words are those that are most over-represented: by their part of the sentences times the logarithm of how
        much larger it is than in the whole corpus. Praise, buying and product words are no names. Each word is shown in
        its most frequent form.
        """
        bases, words_in = self._material.bases, self._material.words
        here = [{bases[word] for word in words_in[int(i)]} for i in rows]
        counts = count_words(here)
        worth = {
            base: count / len(rows) * np.log(count / len(rows) / (self._totals[base] / len(words_in)))
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
        return Counter(self._material.products)

    @cached_property
    def _totals(self) -> Counter[str]:
        return count_words({self._material.bases[word] for word in words} for words in self._material.words)

    @cached_property
    def _shown(self) -> dict[str, str]:
        """The most frequent form of every base; of equals the shortest."""
        forms: dict[str, Counter[str]] = {}
        for word, count in count_words(self._material.words).items():
            forms.setdefault(self._material.bases[word], Counter())[word] += count
        return {base: _shown(found) for base, found in forms.items()}
