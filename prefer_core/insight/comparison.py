"""Several preferences in front of one product, side by side (Table cross_user_heterogeneity).

A column is a profile (`insight.profiles`) with a way of choosing evidence. Its code is the profile's, followed by what
differs from the desk's way, if anything does: ``theme-3.gumbel``, ``even.paper``, ``mine.mmr.reviews``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from prefer_core import session, simplex
from prefer_core.aspects.names import View
from prefer_core.config import PRESETS, SessionSettings
from prefer_core.errors import ConfigError
from prefer_core.insight.narrowing import Mix, mix, product_mix
from prefer_core.insight.profiles import Profile
from prefer_core.rewriting import Evidence, gather
from prefer_core.selection import EXTRACTORS
from prefer_core.session import Products
from prefer_core.types import EvidenceSentence, FloatArray, IntArray, ProductCorpus, Round, ShownPoint

MOST = 12
"""How many columns stand side by side."""

Preset = Literal["person", "paper", "reviews"]
"""Key points as people are shown them; sentences as in the paper; whole reviews with the numbers of the paper."""

PRESET: Preset = "person"
EXTRACTOR = "mmr"
"""How evidence is chosen unless the page is asked for something else; texts are warmed for this."""

SEED = 0
"""Of every draw of every column: what differs between two columns is no luck."""


@dataclass(frozen=True)
class Column:
    """A profile and how its evidence is chosen.

    Attributes
    ----------
    profile : Profile
    extractor, preset : str
        The way of choosing, and what is chosen from.
    code : str
        The column in a link.
    """

    profile: Profile
    extractor: str = EXTRACTOR
    preset: Preset = PRESET
    code: str = ""


@dataclass(frozen=True)
class Compared:
    """What one column is shown.

    Attributes
    ----------
    profile : Profile
        Whose preference it is.
    round : Round
        Its evidence S_t and z.
    evidence : tuple of EvidenceSentence
        S_t, in order of extraction.
    claims : tuple of ShownPoint
        What each chosen key point says and by how many, in order of selection; empty where none were chosen.
    alignment : float
        G_cos(w, z).
    how : SessionSettings
        As it was chosen.
    behind : tuple of s frozenset of int
        Positions in the product of the sentences that each piece of evidence is: one, or all of a review.
    preset : {"person", "paper", "reviews"}
        What was chosen from.
    """

    profile: Profile
    round: Round
    evidence: tuple[EvidenceSentence, ...]
    claims: tuple[ShownPoint, ...]
    alignment: float
    how: SessionSettings
    behind: tuple[frozenset[int], ...]
    preset: Preset = PRESET

    @property
    def rows(self) -> IntArray:
        """Positions in the product of the sentences that it rests on (r,), each once."""
        return np.array(sorted(frozenset().union(*self.behind)), dtype=np.int64)

    @property
    def chosen(self) -> list[int]:
        """Places of what was chosen: among the product's key points, its sentences, or its reviews."""
        return [int(i) for i in (self.round.points if self.claims else self.round.selection.indices)]

    @property
    def paper(self) -> bool:
        """Whether words for support count within S_t, as in the paper: many, some or a few of its sentences."""
        return self.preset == "paper"

    @property
    def kind(self) -> str:
        """What was chosen: points, sentences or reviews."""
        return "points" if self.claims else "reviews" if self.preset == "reviews" else "sentences"


def split(code: str) -> tuple[str, str | None, Preset | None]:
    """Take the code of a column apart: its profile, and extractor and preset where it has its own.

    >>> split("theme-3.gumbel.paper"), split("even")
    (('theme-3', 'gumbel', 'paper'), ('even', None, None))

    Raises
    ------
    ConfigError
        If a part is neither.
    """
    name, *parts = code.split(".")
    extractor: str | None = None
    preset: Preset | None = None
    for part in parts:
        if part in EXTRACTORS and extractor is None:
            extractor = part
        elif part in get_args(Preset) and preset is None:
            preset = part  # type: ignore[assignment]  # it is one of them
        else:
            known = ", ".join([*EXTRACTORS, *get_args(Preset)])
            raise ConfigError(f"A column is a profile, then of {known} one each at most; {code[:60]!r} is none.")
    return name, extractor, preset


def settings(extractor: str = EXTRACTOR, most: int | None = None, preset: Preset = PRESET) -> SessionSettings:
    """Return how evidence is chosen here: w known, Gumbel as sharp as it is late in a session.

    Parameters
    ----------
    extractor : str
        Name of the extractor.
    most : int or None
        Most points, or sentences, a profile is given; None leaves it to the preset.
    preset : {"person", "paper", "reviews"}
        What is chosen from.
    """
    start = PRESETS["person" if preset == "person" else "paper"]
    return replace(
        start, learner="static", extractor=extractor, max_sentences=most or start.max_sentences, beta_growth=1e6
    )


def shown_to(
    corpus: Products, product_id: str, profile: Profile, how: SessionSettings, preset: Preset | None = None
) -> Compared:
    """Select evidence for one profile with the code of a round; the same again for the same arguments.

    Parameters
    ----------
    how : SessionSettings
        As made by `settings`.
    preset : {"person", "paper", "reviews"}, optional
        What `how` was made for; by what it chooses from if left out.
    """
    preset = preset or ("paper" if how.pool == "sentences" else "person")
    products: Products = AsReviews(corpus) if preset == "reviews" else corpus
    product = products.product(product_id)
    start = session.start(product.n_aspects, SEED, how)
    made = session.propose(products, product_id, replace(start, w=profile.w), how, 1)
    pieces = whole_reviews(corpus.product(product_id)).sentences if preset == "reviews" else None
    return column_of(product, profile, made, how, preset, pieces)


def column_of(
    product: ProductCorpus, profile: Profile, made: Round, how: SessionSettings, preset: Preset = PRESET,
    pieces: Sequence[IntArray] | None = None,
) -> Compared:  # fmt: skip
    """Return the column of a round that was proposed to a profile.

    Parameters
    ----------
    pieces : sequence of int arrays, optional
        Sentences of each review, where reviews were chosen.
    """
    return Compared(
        profile=profile,
        round=made,
        evidence=session.evidence(product, made),
        claims=session.claims(product, made),
        alignment=simplex.cosine(profile.w, made.z),
        how=how,
        behind=tuple(frozenset([int(i)] if pieces is None else pieces[int(i)].tolist()) for i in made.evidence),
        preset=preset,
    )


def column_evidence(product: ProductCorpus, one: Compared) -> Evidence:
    """Return what one column is shown, ready to be written up."""
    within = whole_reviews(product).candidates if one.preset == "reviews" else product
    relevance = (within.phi[one.round.evidence] @ one.profile.w).tolist()
    return gather(product.product_id, product.title, one.evidence, one.claims, scores=relevance, paper=one.paper)


def compare(corpus: Products, product_id: str, columns: Sequence[Column], most: int | None = None) -> list[Compared]:
    """Select evidence for each of 1 to 12 columns, `most` points, sentences or reviews each; see `shown_to`."""
    if not 1 <= len(columns) <= MOST:
        raise ConfigError(f"A comparison holds 1 to {MOST} profiles, found {len(columns)}.")
    return [
        shown_to(corpus, product_id, one.profile, settings(one.extractor, most, one.preset), one.preset)
        for one in columns
    ]


def shared_with(compared: Sequence[Compared]) -> list[list[tuple[int, ...]]]:
    """Return, for each thing chosen by each column in order of selection, which other columns were given it too.

    A point, a sentence and a review are different things.

    Examples
    --------
    Columns 0 and 2 have point 5 in common: ``shared_with(...)[0]`` is ``[(2,), ()]`` where 5 is 0's first of two.
    """
    chosen = [{(one.kind, place) for place in one.chosen} for one in compared]
    return [
        [tuple(j for j, other in enumerate(chosen) if j != i and (one.kind, place) in other) for place in one.chosen]
        for i, one in enumerate(compared)
    ]


def sentences_shared_with(compared: Sequence[Compared]) -> list[list[tuple[int, ...]]]:
    """Return, for each piece of evidence of each column in order of extraction, which other columns rest on it too.

    A whole review counts as shared where another column rests on one of its sentences.
    """
    rows = [{int(row) for row in one.rows} for one in compared]
    return [
        [tuple(j for j, other in enumerate(rows) if j != i and own & other) for own in one.behind]
        for i, one in enumerate(compared)
    ]


@dataclass(frozen=True)
class Overlap:
    """What columns have in common, two by two; each (N, N).

    Attributes
    ----------
    chosen : ndarray of int
        Points, sentences or reviews that both were given.
    evidence : ndarray of int
        Sentences that both rest on.
    jaccard : ndarray
        Those over the sentences that either rests on, in [0, 1].
    cosine : ndarray
        Cosine of their z: 1 is the same mix of aspects.
    """

    chosen: IntArray
    evidence: IntArray
    jaccard: FloatArray
    cosine: FloatArray


def overlap(compared: Sequence[Compared]) -> Overlap:
    """Return what columns have in common."""
    chosen = [{(one.kind, place) for place in one.chosen} for one in compared]
    rows = [{int(row) for row in one.rows} for one in compared]
    z = np.array([one.round.z for one in compared])
    return Overlap(
        chosen=np.array([[len(a & b) for b in chosen] for a in chosen]),
        evidence=np.array([[len(a & b) for b in rows] for a in rows]),
        jaccard=np.array([[len(a & b) / len(a | b) for b in rows] for a in rows]),
        cosine=np.array([[simplex.cosine(a, b) for b in z] for a in z]),
    )


def interpretation(
    z: FloatArray, view: View, terms: Sequence[Sequence[str]], least: float = 0.15, words: int = 3
) -> list[tuple[int, tuple[str, ...]]]:
    """Tell what evidence is about: the rows of `view` that hold at least `least` of z, the largest first, with terms.

    Parameters
    ----------
    z : ndarray of shape (K,)
        Aspect profile of the evidence.
    view : View
        How aspects are shown.
    terms : sequence of K sequences of str
        What sets each aspect apart, the strongest first; words of its name are not said again.
    least : float
        Share from which an aspect is named; the largest one always is.
    words : int
        Terms for each.

    Returns
    -------
    list of (row, terms)
    """
    shares = view.fold(z)
    order = [int(i) for i in np.argsort(-shares, kind="stable")]
    named = [i for i in order if shares[i] >= least] or order[:1]
    found = []
    for i in named:
        said = set(view.rows[i].label.casefold().replace(",", " ").split())
        own = [term for k in view.rows[i].members for term in terms[k] if not said & set(term.casefold().split())]
        found.append((i, () if i in view.never_named else tuple(dict.fromkeys(own))[:words]))
    return found


def stars(product: ProductCorpus, compared: Sequence[Compared]) -> tuple[Mix, list[Mix]]:
    """Return the shares of 1 to 5 stars of all the product's sentences, and of those that each column rests on."""
    rating = np.full(len(product), np.nan) if product.rating is None else np.asarray(product.rating)
    own = [mix(product.dominant[one.rows], rating[one.rows], product.n_aspects) for one in compared]
    return product_mix(product), own


@dataclass(frozen=True, eq=False)
class WholeReviews:
    """The reviews of one product as candidates, in the aspect space of its sentences.

    A review is about what its sentences are about: phi and reduced vector are their means, so a preference means the
    same at both levels. (A corpus built with ``--unit review`` finds aspects of its own; a preference over those says
    nothing about these.)

    Attributes
    ----------
    candidates : ProductCorpus
        One row a review, without key points.
    sentences : sequence of r int arrays
        Product-local positions of the sentences of each.
    """

    candidates: ProductCorpus
    sentences: Sequence[IntArray]


_made: WeakKeyDictionary[ProductCorpus, WholeReviews] = WeakKeyDictionary()


def whole_reviews(product: ProductCorpus) -> WholeReviews:
    """Return the reviews of a product; made once for each product value.

    Sentences are of one review if reviewer, time and title are the same. A sentence that several wrote word for word
    stands in the review of the first of them.
    """
    if product not in _made:
        _made[product] = _whole(product)
    return _made[product]


class AsReviews:
    """The same products with whole reviews in place of sentences."""

    def __init__(self, corpus: Products) -> None:
        self._corpus = corpus

    def product(self, product_id: str) -> ProductCorpus:
        """Return one product."""
        return whole_reviews(self._corpus.product(product_id)).candidates


def _whole(product: ProductCorpus) -> WholeReviews:
    n = len(product)
    reviewer = np.arange(n) if product.reviewer is None else np.asarray(product.reviewer)
    time = np.full(n, -1) if product.time is None else np.asarray(product.time)
    titles = product.review_title or [""] * n
    found: dict[tuple[int, int, str], list[int]] = {}
    for row in range(n):
        found.setdefault((int(reviewer[row]), int(time[row]), str(titles[row])), []).append(row)
    members = [np.array(rows, dtype=np.int64) for rows in found.values()]
    first = np.array([rows[0] for rows in members])

    def of_first(values: NDArray[Any] | None) -> NDArray[Any] | None:
        return None if values is None else np.asarray(values)[first]

    def each(values: Sequence[str] | None) -> list[str] | None:
        return None if values is None else [str(values[int(row)]) for row in first]

    flags = None if product.flags is None else np.asarray(product.flags)
    candidates = ProductCorpus(
        product_id=product.product_id,
        title=product.title,
        text=None if product.text is None else [" ".join(str(product.text[i]) for i in rows) for rows in members],
        phi=np.stack([product.phi[rows].mean(axis=0) for rows in members]),
        s=np.stack([product.s[rows].mean(axis=0) for rows in members]),
        tokens=np.array([int(product.tokens[rows].sum()) for rows in members]),
        reviewer=reviewer[first],
        rating=of_first(product.rating),
        time=of_first(product.time),
        verified=of_first(product.verified),
        helpful=of_first(product.helpful),
        flags=None if flags is None else np.array([np.bitwise_or.reduce(flags[rows]) for rows in members]),
        supporters=None,
        ids=None if product.ids is None else [f"review-{name}" for name in each(product.ids) or ()],
        review_title=each(product.review_title),
        n_reviewers=product.n_reviewers,
        digest=product.digest,
    )
    return WholeReviews(candidates, members)


VALUES: dict[str, tuple[float, ...]] = {
    "lambda": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    "k": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    "beta": (1, 2, 5, 10, 20, 50, 100, 200),
}
"""What is tried of each."""


@dataclass(frozen=True)
class Strip:
    """What one profile is given at each of V values.

    Attributes
    ----------
    swept : {"lambda", "k", "beta"}
    values : tuple of V float
    columns : tuple of V Compared
    places : tuple of int
        Everything that was chosen at any of them (as `Compared.chosen`): what is there most often first.
    """

    swept: str
    values: tuple[float, ...]
    columns: tuple[Compared, ...]
    places: tuple[int, ...]

    def has(self, place: int) -> list[bool]:
        """Return at which values a thing was chosen (V)."""
        return [place in one.chosen for one in self.columns]


def sweep(corpus: Products, product_id: str, one: Compared, swept: str) -> Strip:
    """Select evidence for the profile of a column at each value, all else as the column has it.

    A value of lambda or beta holds as it is: it does not move as the preference gets clear. beta is for Gumbel, which
    takes MMR's place for it. Draws are those of every column.
    """
    tried = VALUES[swept]
    columns = tuple(
        shown_to(corpus, product_id, one.profile, _changed(one.how, swept, value), one.preset) for value in tried
    )
    first: dict[int, int] = {}
    count: dict[int, int] = {}
    for at, column in enumerate(columns):
        for place in column.chosen:
            first.setdefault(place, at)
            count[place] = count.get(place, 0) + 1
    order = sorted(count, key=lambda place: (-count[place], first[place], place))
    return Strip(swept, tried, columns, tuple(order))


def _changed(how: SessionSettings, swept: str, value: float) -> SessionSettings:
    if swept == "lambda":
        return replace(how, trade_off=float(value), focused_trade_off=None)
    if swept == "k":
        return replace(how, max_sentences=int(value))
    return replace(how, extractor="gumbel", beta_cap=float(value), focused_beta=None)
