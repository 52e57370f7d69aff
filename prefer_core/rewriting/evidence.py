"""From a round to what its summary has to say: claims with their counts, in the order of the text."""

from collections.abc import Sequence
from dataclasses import replace

from prefer_core.config import SupportSettings
from prefer_core.rewriting.base import Claim, Evidence
from prefer_core.rewriting.quantity import Level, Word, level_of, levels, quantifier
from prefer_core.types import EvidenceSentence, ShownPoint

_BY_LEVEL: dict[Level, Word] = {"high": "Many reviewers", "mid": "Some reviewers", "low": "A few reviewers"}


def gather(
    product_id: str,
    title: str,
    sentences: Sequence[EvidenceSentence],
    claims: Sequence[ShownPoint],
    labels: Sequence[str] = (),
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
    labels : sequence of K str
        Names of the aspects; may be empty.
    scores : sequence of k float
        Relevance of the sentences, for the paper's levels of evidence on one aspect only.
    paper : bool
        Whether sentences get the paper's words by support level within S_t, not by who wrote the same.
    """
    settings = limits or SupportSettings.in_force()
    text = tuple(piece.text for piece in sentences)
    if claims:
        made = _ordered([_claim(one, settings) for one in claims])
    else:
        made = _of_sentences(sentences, scores or [0.0] * len(sentences), paper)
    return Evidence(product_id, title, text, tuple(made), tuple(labels))


def _claim(shown: ShownPoint, limits: SupportSettings) -> Claim:
    def one(said: ShownPoint) -> Claim:
        word = quantifier(said.reviewers, said.about, limits)
        return Claim(
            clause=said.clause,
            form=said.form,
            word=word,
            level=level_of(word),
            reviewers=said.reviewers,
            about=said.about,
            total=said.total,
            aspect=said.aspect,
            cites=said.cites,
            negative=said.negative,
            point=said.point,
            reserved=shown.reserved,
        )

    claim = one(shown)
    return claim if shown.opposed is None else replace(claim, opposed=one(shown.opposed))


def _ordered(claims: Sequence[Claim]) -> list[Claim]:
    """Order claims for the text: quotations behind the others, aspects as they were first chosen, within one by N.

    The reserved place comes last.
    """
    free = [claim for claim in claims if not claim.reserved]
    rank = {aspect: place for place, aspect in enumerate(dict.fromkeys(claim.aspect for claim in free))}
    return sorted(free, key=lambda c: (c.form == "quote", rank[c.aspect], -c.reviewers)) + [
        c for c in claims if c.reserved
    ]


def _of_sentences(sentences: Sequence[EvidenceSentence], scores: Sequence[float], paper: bool) -> list[Claim]:
    aspects = [piece.aspect for piece in sentences]
    found = levels(aspects, list(range(len(sentences))), scores)
    claims = []
    for place, (piece, level) in enumerate(zip(sentences, found, strict=True)):
        n = piece.reviewers
        word: Word = _BY_LEVEL[level] if paper else "One reviewer" if n == 1 else "A few reviewers"
        claims.append(
            Claim(
                clause=piece.text,
                form="quote",
                word=word,
                level=level,
                reviewers=n,
                about=0,
                total=0,
                aspect=aspects[place],
                cites=(place,),
                reserved=piece.reserved,
            )
        )
    return sorted(claims, key=lambda c: ("high", "mid", "low").index(c.level)) if paper else claims
