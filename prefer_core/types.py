"""The values that the layers pass to each other.

Notation of the paper and its one name in code:

==============================  ==================  ==========================================
paper                           code                meaning
==============================  ==================  ==========================================
phi_i                           ``phi``             (n, K) soft aspect memberships, rows on the simplex
s~_i^PCA                        ``s``               (n, m) reduced sentence vectors
l_i                             ``tokens``          (n,) MiniLM word pieces of each sentence
w-hat                           ``w``               (K,) the reader's learned preference
w_u                             ``w_true``          (K,) a simulated reader's hidden preference
a_{t,i}                         ``scores``          marginal score of each chosen sentence
alpha_{t,i}                     ``alpha``           weight of each chosen sentence in z
z_t                             ``z``               (K,) aspect profile of the evidence shown
f_t, b_t, f~_t                  ``feedback``,       rating in [0, 1], what was expected,
                                ``baseline``,       and the clipped difference
                                ``centred``
eta, lambda, k, L               ``step_size``,      learning rate, relevance against redundancy,
                                ``trade_off``,      most sentences, most tokens
                                ``max_sentences``,
                                ``max_tokens``
tau, beta_ext, delta, rho       ``temperature``,    membership sharpness, Gumbel inverse temperature,
                                ``beta``,           smallest coordinate of w, EMA rate
                                ``floor``,
                                ``ema_rate``
==============================  ==================  ==========================================

A *reviewer* wrote reviews; a *reader* rates summaries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import IntFlag
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from prefer_core.errors import ConfigError, DataError

FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.integer[Any]]
BoolArray = NDArray[np.bool_]
Form = Literal["clause", "bare", "predicate", "adjective", "told", "told bare", "told predicate", "quote"]
TOLD: frozenset[Form] = frozenset(("told", "told bare", "told predicate"))
"""Forms of a quotation that a model may tell in the third person: as it stands, with its article, or behind "it"."""
QUOTED: frozenset[Form] = TOLD | {"quote"}
"""Forms of a sentence that stands in quotation marks."""


class Flag(IntFlag):
    """What a sentence was flagged as when the corpus was built."""

    NONE = 0
    NEGATIVE = 1
    SAFETY = 2


@dataclass(frozen=True, kw_only=True, eq=False)
class ProductCorpus:
    """The sentences of one product: the candidates of one round.

    Attributes
    ----------
    product_id, title : str
        Key and display name.
    text : sequence of n str or None
        The sentences as their reviewers wrote them, cleaned of markup only.
    phi : ndarray of shape (n, K)
        Soft aspect memberships; renormalised to float64 rows on the simplex when the value is made.
    s : ndarray of shape (n, m)
        Reduced (PCA) vectors.
    tokens : ndarray of shape (n,)
        Length of each sentence in MiniLM word pieces without special tokens.
    reviewer : ndarray of shape (n,) or None
        Integer code of the reviewer who wrote each sentence.
    rating, time, verified, helpful, flags : ndarray of shape (n,) or None
        Stars of the sentence's review (NaN if unknown), milliseconds since 1970 (-1 if unknown), verified purchase
        (1, 0, or -1 if unknown), helpful votes, and `Flag` bits.
    supporters : sequence of n int arrays or None
        Codes of every reviewer who wrote the sentence, word for word.
    ids, review_title : sequence of n str or None
        Stable sentence ids and the titles of the reviews they come from.
    n_reviewers : int or None
        Distinct reviewers of the whole product, including those whose sentences were all filtered out.
    digest : str
        Corpus id; keys the order in which exact ties are broken.
    keypoints : sequence of KeyPoint
        What several of its reviewers say, then single voices; empty where the corpus has none.
    prevalence : ndarray of shape (n,) or None
        Where candidates are key points: log(1 + N) / log(1 + M), how common each is.

    Raises
    ------
    DataError
        If the arrays disagree in length, or a row of `phi` has no positive mass.
    """

    product_id: str = ""
    title: str = ""
    text: Sequence[str] | None = None
    phi: FloatArray
    s: FloatArray
    tokens: IntArray
    reviewer: IntArray | None = None
    rating: FloatArray | None = None
    time: IntArray | None = None
    verified: IntArray | None = None
    helpful: IntArray | None = None
    flags: IntArray | None = None
    supporters: Sequence[IntArray] | None = None
    ids: Sequence[str] | None = None
    review_title: Sequence[str] | None = None
    n_reviewers: int | None = None
    digest: str = ""
    keypoints: Sequence["KeyPoint"] = ()
    prevalence: FloatArray | None = None

    def __post_init__(self) -> None:
        phi = np.asarray(self.phi, dtype=np.float64)
        s = np.asarray(self.s, dtype=np.float64)
        tokens = np.asarray(self.tokens, dtype=np.int64)
        if phi.ndim != 2 or s.ndim != 2 or tokens.ndim != 1:
            raise DataError(
                f"A product needs phi (n, K), s (n, m) and tokens (n,); found {phi.shape}, {s.shape}, {tokens.shape}."
            )
        for name in ("s", "tokens", "text", "reviewer", "rating", "time", "verified", "helpful", "flags", "supporters"):
            value = getattr(self, name)
            if value is not None and len(value) != len(phi):
                raise DataError(f"{name} has {len(value)} rows where phi has {len(phi)}; they must be equal.")
        mass = phi.sum(axis=1, keepdims=True)
        if len(phi) and not (np.all(phi >= 0) and np.all(mass > 0) and np.all(np.isfinite(mass))):
            raise DataError("Every row of phi must be non-negative with a positive, finite sum.")
        object.__setattr__(self, "phi", _frozen(phi / mass))
        object.__setattr__(self, "s", _frozen(s))
        object.__setattr__(self, "tokens", _frozen(tokens))

    def __len__(self) -> int:
        return len(self.phi)

    @property
    def n_aspects(self) -> int:
        """K."""
        return int(self.phi.shape[1])

    @cached_property
    def unit(self) -> FloatArray:
        """`s` scaled to unit rows (n, m), so that sim(i, j) is a dot product; zero rows stay zero.

        Laid out by columns, which makes the product of all rows with one of them a third faster.
        """
        norm = np.linalg.norm(self.s, axis=1, keepdims=True)
        return _frozen(np.divide(self.s, norm, out=np.zeros_like(self.s, order="F"), where=norm > 0))

    @cached_property
    def tie_rank(self) -> IntArray:
        """Rank (n,) that orders exact ties: keyed by the corpus digest, by index where there is none."""
        if not self.digest:
            return _frozen(np.arange(len(self)))
        key = sha256(f"{self.digest}\0{self.product_id}".encode()).digest()
        return _frozen(np.random.default_rng(list(key)).permutation(len(self)))

    @cached_property
    def dominant(self) -> IntArray:
        """Dominant aspect argmax_k phi_ik of each sentence (n,)."""
        return _frozen(np.argmax(self.phi, axis=1))

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Where each sentence stands, by its id."""
        return {str(name): i for i, name in enumerate(self.ids or range(len(self)))}

    @cached_property
    def represented(self) -> Mapping[int, int]:
        """Place among the key points of the one that each representative sentence stands for, by its position."""
        return {point.representative: i for i, point in enumerate(self.keypoints)}


@dataclass(frozen=True, eq=False)
class KeyPoint:
    """A short claim that several reviewers of a product make, or a single voice.

    Attributes
    ----------
    representative : int
        Product-local position of the sentence that stands for the point.
    aspect : int
        Dominant aspect of its cited sentences.
    negative : bool
        Whether the representative complains.
    reviewers : int
        N, distinct reviewers with a sentence that says the point; of a voice those who wrote it word for word.
    about : int
        A, distinct reviewers who write about the aspect or are counted in N.
    members : ndarray of shape (s,)
        Positions of the sentences that say it: the representative, then the surest first.
    opposed : int or None
        Place among the product's key points of the one that contradicts it.
    voice : bool
        Whether it is a single voice, which nobody was counted for.
    form : Form
        How its representative reads on: "many say that ...", "many say it ...", "many find it ...", or as a quotation,
        which may be told in the third person or not.
    text : str or None
        Its clause as a model compressed it; None where the representative stands for it.
    writer : str
        Which model did.
    """

    representative: int
    aspect: int
    negative: bool
    reviewers: int
    about: int
    members: IntArray
    opposed: int | None = None
    voice: bool = False
    form: Form = "clause"
    text: str | None = None
    writer: str = ""


@dataclass(frozen=True, kw_only=True)
class EvidenceSentence:
    """One sentence that a reader was shown, as it was then.

    Attributes
    ----------
    id, text : str
        Id of the sentence, and its words.
    aspect : int
        Its dominant aspect.
    position : int or None
        Where it stands in its product; None in rounds that were kept before positions were.
    rating : float or None
        Stars of its review, if known.
    time : int or None
        When its review was written, in milliseconds since 1970, if known.
    verified : bool or None
        Whether the purchase was verified, if known.
    reviewers : int
        How many reviewers wrote it, word for word.
    point : int
        Place among what was chosen of the point that it stands behind, or its own place.
    reserved : bool
        Whether it takes the place kept for dissent.
    """

    id: str
    text: str
    aspect: int
    position: int | None = None
    rating: float | None = None
    time: int | None = None
    verified: bool | None = None
    reviewers: int = 1
    point: int = 0
    reserved: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "EvidenceSentence":
        """Read what `to_dict` gave, in this version or an earlier one."""
        return cls(**_known(cls, kept))


def _known(cls: type, kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a dataclass has a field for."""
    return {name: kept[name] for name in kept.keys() & {field.name for field in fields(cls)}}


@dataclass(frozen=True, kw_only=True)
class ShownPoint:
    """A key point that a reader was shown, as it was then.

    Attributes
    ----------
    id : str
        Id of the sentence that stands for it.
    clause : str
        What it says.
    point : int
        Its place among the product's key points.
    position : int or None
        Where its sentence stands in the product; None in rounds that were kept before positions were.
    form, writer, aspect, negative, voice, reviewers, about
        As in `KeyPoint`.
    total : int
        M, reviewers of the product.
    cites : tuple of int
        Places in S_t of the sentences that say it.
    opposed : ShownPoint or None
        The point that contradicts it, with the places of its own sentences.
    both : int
        N of the two together.
    tone : {-1, 0, 1} or None
        Whether it complains or praises; None in rounds that were kept before tones were.
    reserved : bool
        Whether it takes the place kept for dissent.
    """

    id: str
    clause: str
    point: int
    position: int | None = None
    form: Form = "clause"
    writer: str = ""
    aspect: int
    negative: bool = False
    voice: bool = False
    reviewers: int
    about: int
    total: int
    cites: tuple[int, ...]
    opposed: "ShownPoint | None" = None
    both: int = 0
    tone: int | None = None
    reserved: bool = False

    @property
    def sides(self) -> "tuple[ShownPoint, ...]":
        """It, and the point that contradicts it if there is one."""
        return (self,) if self.opposed is None else (self, self.opposed)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "ShownPoint":
        """Read what `to_dict` gave, in this version or an earlier one."""
        other = kept.get("opposed")
        read = {"cites": tuple(kept["cites"]), "opposed": None if other is None else cls.from_dict(other)}
        return cls(**_known(cls, kept) | read)


@dataclass(frozen=True)
class Budget:
    """How much evidence one round may take: at most k sentences and, if set, L tokens."""

    max_sentences: int
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.max_sentences < 1:
            raise ConfigError(f"max_sentences must be at least 1, found {self.max_sentences}.")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise ConfigError(f"max_tokens must be at least 1 or left out, found {self.max_tokens}.")


@dataclass(frozen=True)
class Selection:
    """Chosen evidence S_t, in order of extraction.

    Attributes
    ----------
    indices : ndarray of shape (k,)
        Product-local sentence indices.
    scores : ndarray of shape (k,)
        Unperturbed marginal scores a(j) at the moment of choice, as Algorithm mmr-select computes them.
    propensities : ndarray of shape (k,)
        Probability of each choice given the choices before it (Eq. gumbel-softmax); 1 for a deterministic rule.
    reserved : int or None
        Position of the sentence that took the place kept for dissent; None if no place was needed.
    """

    indices: IntArray
    scores: FloatArray
    propensities: FloatArray
    reserved: int | None = None

    def __len__(self) -> int:
        return len(self.indices)


@dataclass(frozen=True)
class LearnerState:
    """Everything a learner knows about one reader, as a value.

    Attributes
    ----------
    t : int
        Ratings in force + 1; drives eta_t, beta_t and the baseline.
    w : ndarray of shape (K,)
        Learned preference on the simplex.
    baseline : float
        b_t, the rating expected next.
    seed : int
        Seed of this reader; randomness is made anew from (seed, round, stream).
    extra : mapping of str to ndarray
        Further arrays that a learner needs, by name.
    """

    t: int
    w: FloatArray
    baseline: float
    seed: int
    extra: Mapping[str, FloatArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "w", _frozen(np.asarray(self.w, dtype=np.float64)))


@dataclass(frozen=True)
class Round:
    """One proposal: what was selected for a reader, and from which state.

    Attributes
    ----------
    number : int
        Number of the proposal; seeds the randomness, never reused.
    t : int
        Ratings in force + 1 at the time of the proposal.
    product_id : str
        Product shown.
    w, w_used : ndarray of shape (K,)
        Learned preference, and the vector that selection used.
    selection : Selection
        What was chosen: sentences of the product (then they are S_t), or candidates of its pool of key points.
    alpha : ndarray of shape (k,)
        Weights of what was chosen in `z`.
    z : ndarray of shape (K,)
        Aspect profile of what was chosen.
    beta : float or None
        Gumbel inverse temperature of the round; None for a deterministic extractor.
    points : ndarray of shape (k,)
        Place of each chosen candidate among the product's key points; empty where sentences were chosen.
    cited : tuple of k int arrays
        Positions of the sentences that stand behind each point; together they are S_t. Empty where sentences were
        chosen.
    """

    number: int
    t: int
    product_id: str
    w: FloatArray
    w_used: FloatArray
    selection: Selection
    alpha: FloatArray
    z: FloatArray
    beta: float | None = None
    points: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    cited: tuple[IntArray, ...] = ()

    @property
    def evidence(self) -> IntArray:
        """Positions (s,) of S_t in the product, in order of extraction."""
        return np.concatenate(self.cited) if self.cited else self.selection.indices


@dataclass(frozen=True)
class Step:
    """One learning step, taken apart.

    Attributes
    ----------
    feedback, baseline, centred : float
        f_t, b_t and the clipped difference f~_t.
    step_size : float
        eta_t.
    z, w_before, w_step, w_after : ndarray of shape (K,)
        Aspect profile, preference before, after the exponentiated-gradient step, and after the floor was enforced.
    """

    feedback: float
    baseline: float
    centred: float
    step_size: float
    z: FloatArray
    w_before: FloatArray
    w_step: FloatArray
    w_after: FloatArray

    @property
    def floor_acted(self) -> bool:
        """Whether the projection moved the step."""
        return not np.array_equal(self.w_step, self.w_after)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return `array` as a read-only view, so that a shared value cannot be changed in place."""
    view = array.view()
    view.flags.writeable = False
    return view
