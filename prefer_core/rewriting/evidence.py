"""From a round to what its summary has to say: claims with the words that their counts have earned, in order."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from prefer_core.config import SupportSettings
from prefer_core.rewriting.base import LEVELS, WORDS, Claim, Evidence, Level, Word
from prefer_core.types import EvidenceSentence, ShownPoint


def gather(
    product_id: str,
    title: str,
    sentences: Sequence[EvidenceSentence],
    claims: Sequence[ShownPoint],
    *,
    scores: Sequence[float] = (),
    paper: bool = False,
) -> Evidence:
    """Make the evidence of one summary from a round, live or as the ledger keeps it.

    Points come with the reserved place last, quotations before it, aspects as first chosen, then by N.

    Parameters
    ----------
    sentences, claims : sequences of EvidenceSentence and of ShownPoint
        As `session.evidence` and `session.claims` give them; without claims every sentence speaks for itself.
    scores : sequence of k float
        Relevance of the sentences, for the paper's levels of evidence on one aspect only.
    paper : bool
        Whether sentences get the paper's words by support level within S_t, not by who wrote the same.
    """
    if claims:
        settings = SupportSettings.in_force()
        made = [_claim(one, one, settings) for one in claims]
        rank = {claim.aspect: place for place, claim in reversed(list(enumerate(made))) if not claim.reserved}
        made.sort(key=lambda c: (c.reserved, not c.reported, rank.get(c.aspect, 0), -c.reviewers))
    else:
        made = _of_sentences(sentences, scores or [0.0] * len(sentences), paper)
    return Evidence(product_id, title, tuple(piece.text for piece in sentences), tuple(made))


def _claim(said: ShownPoint, chosen: ShownPoint, limits: SupportSettings) -> Claim:
    """Return a chosen point as a claim, or what is said against it."""
    other = said.opposed if said is chosen else None
    return Claim(
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
        opposed=None if other is None else _claim(other, chosen, limits),
    )


def _of_sentences(sentences: Sequence[EvidenceSentence], scores: Sequence[float], paper: bool) -> list[Claim]:
    found = levels([piece.aspect for piece in sentences], scores)
    claims = []
    for place, (piece, level) in enumerate(zip(sentences, found, strict=True)):
        alone: Word = "One reviewer" if piece.reviewers == 1 else "A few reviewers"
        word = WORDS[LEVELS.index(level)] if paper else alone
        claims.append(Claim(piece.text, "quote", word, piece.reviewers, 0, 0, piece.aspect, (place,),
                            reserved=piece.reserved))  # fmt: skip
    return sorted(claims, key=lambda c: LEVELS.index(c.level)) if paper else claims


def quantifier(n: int, about: int, limits: SupportSettings) -> Word:
    """Return the word for n of the `about` reviewers who write about an aspect.

    Examples
    --------
    >>> [quantifier(n, 212, SupportSettings()) for n in (61, 20, 4, 1)]
    ['Many reviewers', 'Some reviewers', 'A few reviewers', 'One reviewer']
    """
    if n <= 1:
        return "One reviewer"
    if n >= limits.many_share * about and n >= limits.many_least:
        return "Many reviewers"
    if n >= limits.some_share * about and n >= limits.some_least:
        return "Some reviewers"
    return "A few reviewers"


def levels(aspects: Sequence[int], relevance: Sequence[float]) -> tuple[Level, ...]:
    """Return the paper's support level of each evidence sentence (Section contextual-abstractive-rewriting, stage i).

    n_k counts the sentences of S_t with dominant aspect k, each by another reviewer; the quantiles are taken over the
    aspects that occur. Strictly above the 0.67 quantile is high, strictly below the 0.33 quantile is low. Where a
    single aspect occurs, the levels are terciles of Rel_i.

    Parameters
    ----------
    aspects, relevance : sequences of k
        Dominant aspect and Rel_i of each sentence, in order of extraction.

    Examples
    --------
    >>> levels([3, 3, 3, 1, 2, 2], [0.0] * 6)
    ('high', 'high', 'high', 'low', 'mid', 'mid')
    """
    support = Counter(aspects)
    if not support:
        return ()
    several = len(support) > 1
    value: Sequence[float] = [support[k] for k in aspects] if several else relevance
    low, high = np.quantile(list(support.values()) if several else relevance, [0.33, 0.67])
    return tuple("high" if v > high else "low" if v < low else "mid" for v in value)
