"""From a round to what its summary has to say: claims with their counts, in the order of the text."""

from collections.abc import Sequence
from dataclasses import replace

from prefer_core.config import SupportSettings
from prefer_core.rewriting.base import Claim, Evidence
from prefer_core.rewriting.quantity import LEVELS, Level, Word, levels, quantifier
from prefer_core.types import EvidenceSentence, ShownPoint

_BY_LEVEL: dict[Level, Word] = {"high": "Many reviewers", "mid": "Some reviewers", "low": "A few reviewers"}


def gather(
    product_id: str,
    title: str,
    sentences: Sequence[EvidenceSentence],
    claims: Sequence[ShownPoint],
    *,
    scores: Sequence[float] = (),
    paper: bool = False,
    limits: SupportSettings | None = None,
) -> Evidence:
    """Make the evidence of one summary from a round, live or as the ledger keeps it.

    Parameters
    ----------
    product_id, title : str
        Whose reviews these are.
    sentences, claims : sequences of EvidenceSentence and of ShownPoint
        As `session.evidence` and `session.claims` give them; without claims every sentence speaks for itself.
    scores : sequence of k float
        Relevance of the sentences, for the paper's levels of evidence on one aspect only.
    paper : bool
        Whether sentences get the paper's words by support level within S_t, not by who wrote the same.
    """
    settings = limits or SupportSettings.in_force()
    if claims:
        made = _ordered([_claim(one, one, settings) for one in claims])
    else:
        made = _of_sentences(sentences, scores or [0.0] * len(sentences), paper)
    return Evidence(product_id, title, tuple(piece.text for piece in sentences), tuple(made))


def _claim(said: ShownPoint, chosen: ShownPoint, limits: SupportSettings) -> Claim:
    """Return a chosen point as a claim, or what is said against it."""
    claim = Claim(
        clause=said.clause,
        form=said.form,
        word=quantifier(said.reviewers, said.about, limits),
        reviewers=said.reviewers,
        about=said.about,
        total=chosen.total,
        aspect=said.aspect,
        cites=said.cites,
        point=said.point,
        reserved=chosen.reserved,
        tone=said.tone,
    )
    other = said.opposed if said is chosen else None
    return claim if other is None else replace(claim, opposed=_claim(other, chosen, limits))


def _ordered(claims: Sequence[Claim]) -> list[Claim]:
    """Order claims for the text: the reserved place last, quotations before it, aspects as first chosen, then by N."""
    rank = {claim.aspect: place for place, claim in reversed(list(enumerate(claims))) if not claim.reserved}
    return sorted(claims, key=lambda c: (c.reserved, not c.reported, rank.get(c.aspect, 0), -c.reviewers))


def _of_sentences(sentences: Sequence[EvidenceSentence], scores: Sequence[float], paper: bool) -> list[Claim]:
    found = levels([piece.aspect for piece in sentences], list(range(len(sentences))), scores)
    claims = []
    for place, (piece, level) in enumerate(zip(sentences, found, strict=True)):
        alone: Word = "One reviewer" if piece.reviewers == 1 else "A few reviewers"
        word = _BY_LEVEL[level] if paper else alone
        claims.append(Claim(piece.text, "quote", word, piece.reviewers, 0, 0, piece.aspect, (place,),
                            reserved=piece.reserved))  # fmt: skip
    return sorted(claims, key=lambda c: LEVELS.index(c.level)) if paper else claims
