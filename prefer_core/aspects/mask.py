"""Words that name the kind of product or a brand, and how they are hidden from the aspect vectors.

"This dress is soft" and "this charger is soft" are about the same thing. Vectors made for the aspects therefore read
"this item is soft" in both; texts, search and key points keep the words as they stand.
"""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from prefer_core.aspects.words import GENERIC, STOP_WORDS, base_forms
from prefer_core.config import home
from prefer_core.errors import CorpusError
from prefer_core.files.folders import whole_file

STAND_IN = "item"
"""What stands for a masked word."""

LEAST = 5
"""Times that a word must occur to be masked."""
POINTED = 0.10
"""Least part of a kind's occurrences that follow "this" or "these"."""
NOUN = 0.25
"""Least part that follow "this", "these", an article or a possessive: what does not is hardly a noun."""
CAPITAL = 0.60
"""Least part of a brand's occurrences inside a sentence that begin with a capital letter."""
NARROW = 0.15
"""Least divergence (in nats) of a word's products from those of all sentences; price and size lie under it."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_PIECE = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[^\w\s]")
_POINTERS = frozenset({"this", "these"})
_OPENERS = frozenset({"the", "a", "an", "my", "your", "our"})
_LONGEST_PHRASE = 3
_RARE = 0.0005
_TRADE = frozenset({"product", "products", "item", "items"})


@dataclass(frozen=True)
class ProductWord:
    """A word that is masked, with its inflected forms and why.

    Attributes
    ----------
    word : str
        Base form, in lower case.
    forms : tuple of str
        Every form that is masked.
    why : {"kind", "brand", "title"}
        Follows "this" and "these"; is written with a capital; stands in the titles of the products that it is used of.
    count : int
        Occurrences.
    """

    word: str
    forms: tuple[str, ...]
    why: Literal["kind", "brand", "title"]
    count: int


class Mask:
    """Replaces product words.

    Parameters
    ----------
    words : collection of str
        Forms to be masked, in lower case.

    Examples
    --------
    >>> Mask({"dress", "dresses"}).apply("This Dress is soft, not like other dresses.")
    'This item is soft, not like other item.'
    """

    def __init__(self, words: Collection[str]) -> None:
        self.words = frozenset(words)

    def apply(self, text: str) -> str:
        """Return the text with product words replaced; the text itself where nothing else would be left of it."""
        masked = _WORD.sub(lambda found: STAND_IN if _plain(found[0]) in self.words else found[0], text)
        if masked == text:
            return text
        masked = _AGAIN.sub(STAND_IN, masked)
        left = (word for word in map(_plain, _WORD.findall(masked)) if word != STAND_IN and word not in STOP_WORDS)
        return masked if any(left) else text

    def apply_all(self, texts: Iterable[str]) -> list[str]:
        """Return every text masked."""
        return [self.apply(text) for text in texts]


_AGAIN = re.compile(rf"\b{STAND_IN}(?:\s+{STAND_IN})+\b")


def find_product_words(
    texts: Sequence[str],
    products: Sequence[str],
    titles: Mapping[str, str] | None = None,
    kept: Collection[str] = (),
) -> tuple[ProductWord, ...]:
    """Find the words that name the kind of product or a brand, the most frequent first.

    A kind is a noun that often heads a phrase opened by "this" or "these" ("this black dress") and that belongs to
    some products more than to others. A brand is written with a capital inside sentences and belongs to some products.
    A title word is either, half as clearly, but is used mostly of products whose titles hold it. Where there is one
    product only, nothing can be said of whom a word belongs to, and the first two rules go without it.

    Parameters
    ----------
    texts, products : sequence of n str
        Sentences and the products they belong to.
    titles : mapping of str to str, optional
        Titles of products.
    kept : collection of str
        Words that stay, in any form: those of the anchors, and those that a person has put back.
    """
    counts = _Counts()
    for text, product in zip(texts, products, strict=True):
        counts.add(text, product)
    sizes = Counter(products)
    in_titles = _title_words(titles or {}, sizes)
    bases = base_forms(counts.all)
    forms: dict[str, list[str]] = defaultdict(list)
    for word, base in bases.items():
        forms[base].append(word)
    spared = set(kept) | (GENERIC - _TRADE)
    least = max(LEAST, _RARE * len(texts))
    found = []
    for base, inflected in forms.items():
        total = sum(counts.all[word] for word in inflected)
        if total < least or spared & {base, *inflected}:
            continue
        why = _reason(counts, inflected, total, sizes, in_titles)
        if why is not None:
            found.append(ProductWord(base, tuple(sorted(inflected)), why, total))
    return tuple(sorted(found, key=lambda one: (-one.count, one.word)))


class _Counts:
    """How words stand in the sentences."""

    def __init__(self) -> None:
        self.all: Counter[str] = Counter()
        self.pointed: Counter[str] = Counter()
        self.opened: Counter[str] = Counter()
        self.inside: Counter[str] = Counter()
        self.capital: Counter[str] = Counter()
        self.by_product: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, text: str, product: str) -> None:
        """Count the words of one sentence."""
        pieces = _PIECE.findall(text)
        words = [_plain(piece) for piece in pieces]
        bare = [not word[:1].isalpha() or word in STOP_WORDS or "'" in word for word in words]
        for word in {w for w, is_bare in zip(words, bare, strict=True) if not is_bare and len(w) > 2}:
            self.by_product[word][product] += 1
        for i, (piece, word) in enumerate(zip(pieces, words, strict=True)):
            if bare[i] or len(word) < 3:
                continue
            self.all[word] += 1
            if i and pieces[i - 1][0].isalpha():
                self.inside[word] += 1
                # A word all in capitals is an acronym (USB) or a shout.
                self.capital[word] += piece[0].isupper() and not piece.isupper()
            if i + 1 == len(words) or bare[i + 1]:  # the last word of its phrase
                first = i - 1
                while first >= 0 and first > i - _LONGEST_PHRASE and not bare[first]:
                    first -= 1
                if first >= 0:
                    self.pointed[word] += words[first] in _POINTERS
                    self.opened[word] += words[first] in _OPENERS


def _reason(
    counts: _Counts, forms: Sequence[str], total: int, sizes: Counter[str], in_titles: Mapping[str, set[str]]
) -> Literal["kind", "brand", "title"] | None:
    by_product: Counter[str] = Counter()
    for word in forms:
        by_product.update(counts.by_product[word])
    if len(sizes) > 1 and _divergence(by_product, sizes) < NARROW:
        return None
    pointed = sum(counts.pointed[word] for word in forms)
    opened = pointed + sum(counts.opened[word] for word in forms)
    inside = sum(counts.inside[word] for word in forms)
    capital = sum(counts.capital[word] for word in forms) / max(inside, 1)
    if pointed >= LEAST / 2 and pointed >= POINTED * total and opened >= NOUN * total:
        return "kind"
    if inside >= LEAST and capital >= CAPITAL:
        return "brand"
    titled = set().union(*(in_titles.get(word, set()) for word in forms))
    if titled and sum(by_product[product] for product in titled) > by_product.total() / 2:
        half_kind = 2 * pointed >= POINTED * total and opened >= NOUN * total
        if half_kind or (inside >= LEAST and 2 * capital >= CAPITAL):
            return "title"
    return None


def _divergence(part: Counter[str], whole: Counter[str]) -> float:
    """Return the Kullback-Leibler divergence (nats) of a word's products from those of all sentences."""
    n, size = part.total(), whole.total()
    return sum(count / n * math.log(count / n / (whole[product] / size)) for product, count in part.items())


def _title_words(titles: Mapping[str, str], products: Collection[str]) -> dict[str, set[str]]:
    """Return, for each word of the titles, the products in whose titles it stands."""
    found: dict[str, set[str]] = defaultdict(set)
    for product in products:
        for word in _WORD.findall(titles.get(product, "")):
            found[_plain(word)].add(product)
    return found


def _plain(word: str) -> str:
    """Return a word in lower case, without possessive "'s"."""
    return word.lower().replace("’", "'").removesuffix("'s")


class KeptWords:
    """The words of one corpus that are to be kept.

    Parameters
    ----------
    corpus_id : str
        Whose words these are.
    folder : Path, optional
        Where the file lies; ``names`` in PREFER_HOME if left out.
    """

    def __init__(self, corpus_id: str, folder: Path | None = None) -> None:
        self.path = (folder or home() / "names") / f"{corpus_id}.words.json"

    def read(self) -> tuple[str, ...]:
        """Return the words, sorted; none where nobody chose any.

        Raises
        ------
        CorpusError
            If the file is damaged or cannot be read.
        """
        try:
            found = json.loads(self.path.read_text("utf-8"))
        except FileNotFoundError:
            return ()
        except (OSError, ValueError) as error:
            raise CorpusError(f"{self.path} cannot be read ({error}); repair it, or move it away.") from None
        if not isinstance(found, list) or not all(isinstance(word, str) for word in found):
            raise CorpusError(f"{self.path} holds no list of words; repair it, or move it away.")
        return tuple(sorted(set(found)))

    def write(self, words: Iterable[str]) -> None:
        """Keep these words and no others; CorpusError where they cannot be written."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(self.path) as fresh:
                fresh.write_text(json.dumps(sorted(set(words)), ensure_ascii=False), "utf-8")
        except OSError as error:
            raise CorpusError(f"{self.path} cannot be written ({error.strerror or error}); make room.") from error
