"""Several preferences in front of one product, side by side (Table cross_user_heterogeneity).

A profile travels in a link as a short code: ``even``, ``theme-3``, ``mix-1-4``, ``own-50-30-20`` (one whole number an
aspect, scaled to sum to one) or ``reviewer-7`` (the taste of a reviewer of the product). Aspects count from 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from prefer_core import session, simplex
from prefer_core.aspects.heterogeneity import product_tastes
from prefer_core.config import PRESETS, SessionSettings
from prefer_core.errors import ConfigError
from prefer_core.rewriting import Evidence, gather
from prefer_core.session import Products
from prefer_core.types import EvidenceSentence, FloatArray, ProductCorpus, Round

FEWEST, MOST = 2, 4
"""How many profiles stand side by side."""

Preset = Literal["person", "paper"]

PRESET: Preset = "person"
EXTRACTOR = "mmr"
"""How evidence is chosen unless the page is asked for something else; texts are warmed for this."""

_SEED = 0
_FORM = "even, theme-3, mix-1-4, own-50-30-20 or reviewer-7"


@dataclass(frozen=True)
class Profile:
    """One preference to compare.

    Attributes
    ----------
    code : str
        The profile in a link.
    name : str
        The profile in words.
    w : ndarray of shape (K,)
        On the simplex.
    """

    code: str
    name: str
    w: FloatArray


@dataclass(frozen=True)
class Compared:
    """What one profile is shown.

    Attributes
    ----------
    profile : Profile
        Whose preference it is.
    round : Round
        Its evidence S_t and z.
    evidence : tuple of EvidenceSentence
        S_t, in order of extraction.
    claims : list of dict
        What each chosen key point says and by how many, in order of selection; empty where sentences were chosen.
    alignment : float
        G_cos(w, z).
    paper : bool
        Whether sentences were chosen as in the paper, whose words for their support then count within S_t.
    """

    profile: Profile
    round: Round
    evidence: tuple[EvidenceSentence, ...]
    claims: list[dict[str, Any]]
    alignment: float
    paper: bool = False

    @property
    def chosen(self) -> list[int]:
        """Places of what was chosen: among the product's key points, or its sentences."""
        return [int(i) for i in (self.round.points if self.claims else self.round.selection.indices)]


def reviewers(product: ProductCorpus) -> FloatArray:
    """Return the taste of each reviewer with three sentences or more on this product (R, K)."""
    return product_tastes([product])


def profile(code: str, product: ProductCorpus, labels: Sequence[str]) -> Profile:
    """Return the profile that a code stands for.

    Raises
    ------
    ConfigError
        If it stands for none on this product; the message names the forms there are.
    """
    k = product.n_aspects
    kind, _, rest = code.partition("-")
    numbers = [int(part) for part in rest.split("-") if part.isdecimal() and len(part) < 10]
    whole = rest == "-".join(map(str, numbers)) or not rest
    if kind == "even" and not rest:
        return Profile(code, "No preference", simplex.uniform(k))
    if whole and kind == "theme" and len(numbers) == 1 and numbers[0] < k:
        return Profile(code, labels[numbers[0]], simplex.corner(k, numbers[0]))
    if whole and kind == "mix" and len(set(numbers)) == len(numbers) == 2 and max(numbers) < k:
        one, other = numbers
        return Profile(
            code, f"{labels[one]} and {labels[other]}", 0.5 * (simplex.corner(k, one) + simplex.corner(k, other))
        )
    if whole and kind == "own" and len(numbers) == k and sum(numbers) > 0:
        return Profile(code, "Own weights", simplex.normalise(np.array(numbers, dtype=float)))
    if whole and kind == "reviewer" and len(numbers) == 1:
        tastes = reviewers(product)
        if numbers[0] < len(tastes):
            return Profile(code, f"Reviewer {numbers[0] + 1}", simplex.normalise(tastes[numbers[0]]))
    raise ConfigError(f"There is no profile {code!r} for this product of {k} aspects; a profile is {_FORM}.")


def settings(extractor: str = EXTRACTOR, most: int | None = None, preset: Preset = PRESET) -> SessionSettings:
    """Return how evidence is chosen here: w known, Gumbel as sharp as it is late in a session.

    Parameters
    ----------
    extractor : str
        Name of the extractor.
    most : int or None
        Most points, or sentences, a profile is given; None leaves it to the preset.
    preset : {"person", "paper"}
        Key points as people are shown them, or sentences as in the paper.
    """
    start = PRESETS[preset]
    return replace(
        start, learner="static", extractor=extractor, max_sentences=most or start.max_sentences, beta_growth=1e6
    )


def shown_to(corpus: Products, product_id: str, profile: Profile, how: SessionSettings) -> Compared:
    """Select evidence for one profile with the code of a round; the same again for the same arguments.

    Parameters
    ----------
    how : SessionSettings
        As made by `settings`.
    """
    product = corpus.product(product_id)
    start = session.start(product.n_aspects, _SEED, how)
    made = session.propose(corpus, product_id, replace(start, w=profile.w), how, 1)
    return Compared(
        profile=profile,
        round=made,
        evidence=session.evidence(product, made),
        claims=session.claims(product, made),
        alignment=simplex.cosine(profile.w, made.z),
        paper=how.pool == "sentences",
    )


def evidence_of(product: ProductCorpus, one: Compared, labels: Sequence[str]) -> Evidence:
    """Return what one profile is shown, ready to be written up; labels (K) name the aspects."""
    relevance = (product.phi[one.round.evidence] @ one.profile.w).tolist()
    return gather(
        product.product_id, product.title, one.evidence, one.claims, labels, scores=relevance, paper=one.paper
    )


def compare(corpus: Products, product_id: str, profiles: Sequence[Profile], how: SessionSettings) -> list[Compared]:
    """Select evidence for each of 2 to 4 profiles; see `shown_to`."""
    if not FEWEST <= len(profiles) <= MOST:
        raise ConfigError(f"A comparison holds {FEWEST} to {MOST} profiles, found {len(profiles)}.")
    return [shown_to(corpus, product_id, one, how) for one in profiles]


def shared_with(compared: Sequence[Compared]) -> list[list[tuple[int, ...]]]:
    """Return, for each point or sentence of each profile in order of selection, which other profiles were given it too.

    Examples
    --------
    Profiles 0 and 2 have point 5 in common: ``shared_with(...)[0]`` is ``[(2,), ()]`` where 5 is 0's first of two.
    """
    chosen = [set(one.chosen) for one in compared]
    return [
        [tuple(j for j, other in enumerate(chosen) if j != i and place in other) for place in one.chosen]
        for i, one in enumerate(compared)
    ]


def overlap(compared: Sequence[Compared]) -> tuple[np.ndarray, FloatArray]:
    """Return the numbers of points or sentences that two profiles share, and the cosines of their z; both (N, N)."""
    chosen = [set(one.chosen) for one in compared]
    common = np.array([[len(a & b) for b in chosen] for a in chosen])
    z = np.array([one.round.z for one in compared])
    cosines: FloatArray = np.array([[simplex.cosine(a, b) for b in z] for a in z])
    return common, cosines
