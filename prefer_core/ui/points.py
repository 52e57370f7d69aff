"""The points of a summary as rows, and the sentences that were counted for one, which a reader may correct."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from prefer_core import session as core
from prefer_core.errors import PreferError
from prefer_core.keypoints.pool import total_reviewers
from prefer_core.types import EvidenceSentence, Flag, KeyPoint, ProductCorpus, ShownPoint
from prefer_core.ui import html, resources
from prefer_core.ui import reader as readers
from prefer_core.ui.rounds import OpenRound

OPEN, MORE = "counted", "counted-more"
"""Where a tab keeps which count is open, and how many of its sentences are listed."""

AT_ONCE = 20

AGAINST = "-against"
"""Ends the key of the count of what others say against a point."""


def rows(shown: OpenRound) -> None:
    """Draw one row a point: what is said, by how many, and what others say against it. A press on a count lists who."""
    themes = shown.reader.corpus.view
    notes = [_note(shown, claim) for claim in shown.basis.claims]
    with st.container(key="points", gap=None):
        for place, (claim, note) in enumerate(zip(shown.basis.claims, notes, strict=True)):
            other = claim.opposed
            if other is not None:
                st.html(html.opposed_clauses(claim, themes))
                with _line():
                    _count(shown, place, claim, f"{claim.reviewers}", side="-first")
                    st.html(html.opposed_bars(claim, themes), width="stretch")
                    _count(shown, place, other, f"{other.reviewers} {html.of_whom(claim, themes)}", side=AGAINST)
                if note:
                    st.html(f'<p class="p-count">{html.plain(note)}</p>')
            elif claim.voice:
                st.html(html.rows(html.Basis("", (), [(claim, ())]), themes, [note]))
            else:
                st.html(html.clause(claim, themes, note))
                with _line():
                    st.html(html.bar(claim, themes), width="stretch")
                    _count(shown, place, claim, f"{claim.reviewers} {html.of_whom(claim, themes)}")
    if not shown.basis.claims:
        st.caption("Nothing is counted here: each sentence is one reviewer's.")
    _opened(shown)


def _line() -> Any:
    return st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False)


def _count(shown: OpenRound, place: int, claim: ShownPoint, label: str, *, side: str = "") -> None:
    said = html.label(html.said_in(claim))
    st.button(
        html.label(label), type="tertiary", key=f"count-{shown.stored.number}-{place}{side}",
        help=f"Who says: {said}", on_click=_open, args=((*shown.key, place, side == AGAINST),),
    )  # fmt: skip


def _note(shown: OpenRound, claim: ShownPoint) -> str:
    """Say why a point is here whatever the reader prefers, and whether the reader has seen it before."""
    parts = []
    if claim.reserved:
        parts.append(whatever(shown.product, position(shown.product, claim), negative=claim.negative))
    if claim.id in shown.stored.earlier:
        parts.append("shown before")
    return ", ".join(parts)


def whatever(product: ProductCorpus, place: int | None, *, negative: bool) -> str:
    """Say why the reserved place shows the sentence that stands at a place in its product."""
    flags = Flag.NONE if place is None or product.flags is None else Flag(int(product.flags[place]))
    if flags & Flag.SAFETY:
        why = "a matter of safety"
    elif flags & Flag.NEGATIVE or negative:
        why = "a complaint"
    else:
        why = "what few people say"
    return f"shown whatever you prefer: {why}"


def position(product: ProductCorpus, claim: ShownPoint) -> int | None:
    """Return where the representative sentence of a point stands; rounds of old kept its id only."""
    return product.places.get(claim.id) if claim.position is None else claim.position


def _open(which: tuple[int, int, int, bool]) -> None:
    st.session_state[OPEN] = which
    st.session_state[MORE] = AT_ONCE


def _close() -> None:
    st.session_state.pop(OPEN, None)


def _opened(shown: OpenRound) -> None:
    """Open the list of the count that was pressed, if it is one of this round."""
    which: tuple[int, int, int, bool] | None = st.session_state.get(OPEN)
    if which is None:
        return
    *key, place, against = which
    if tuple(key) != shown.key or place >= len(shown.basis.claims):
        _close()
        return
    claim = shown.basis.claims[place]
    chosen = claim.sides[-1] if against else claim
    title = html.label(f"{chosen.reviewers} reviewers: {html.said_in(chosen)}")
    st.dialog(title, width="medium", on_dismiss=_close)(_counted)(shown, chosen)


def _counted(shown: OpenRound, claim: ShownPoint) -> None:
    """List the sentences that were counted, the surest first; each can be said not to belong."""
    product = shown.product
    known = key_point(product, claim)
    pieces = _pieces(shown, claim, known)
    if known is None:
        st.caption("The reviews were built anew since; only the sentences that the summary cites are kept.")
    else:
        extra = "" if len(pieces) == claim.reviewers else f" in {len(pieces)} sentences"
        st.caption(
            f"{claim.reviewers} of {total_reviewers(product)} reviewers were counted{extra}. "
            "Say which ones do not say it: no number changes now, the next build of the reviews can learn from it."
        )
    wrong = resources.ledger().corrected(shown.reader.session, product.product_id)
    listed = st.session_state.get(MORE, AT_ONCE)
    for i, piece in enumerate(pieces[:listed]):
        noted = (claim.id, piece.id) in wrong
        words, button = st.columns([5, 3], vertical_alignment="center", gap="small")
        words.html(
            f'<div class="p-line"><p dir="auto">{html.plain(piece.text)}</p>'
            f'<p class="p-quiet">{html.plain(html.origin(piece))}</p></div>'
        )
        button.button(
            "Noted. Take back" if noted else "This one does not say that",
            key=f"correct-{i}-{noted}", on_click=_correct, args=(shown, claim, piece, noted), width="stretch",
            icon=":material/check:" if noted else None,
        )  # fmt: skip
    if len(pieces) > listed:
        st.button(f"Show {min(AT_ONCE, len(pieces) - listed)} more of {len(pieces)}", on_click=_more)


def _more() -> None:
    st.session_state[MORE] += AT_ONCE


def _correct(shown: OpenRound, claim: ShownPoint, piece: EvidenceSentence, noted: bool) -> None:
    try:
        resources.ledger().correct(
            shown.reader.session, shown.stored.number, claim, piece.id, piece.text,
            withdrawn=noted,
        )  # fmt: skip
    except PreferError as error:
        readers.say(str(error))


def key_point(product: ProductCorpus, claim: ShownPoint) -> KeyPoint | None:
    """Return the product's key point behind one that was shown; None where a new build has lost it."""
    at = position(product, claim)
    place = None if at is None else product.represented.get(at)
    return None if place is None else product.keypoints[place]


def _pieces(shown: OpenRound, claim: ShownPoint, known: KeyPoint | None) -> Sequence[EvidenceSentence]:
    if known is None:
        return [shown.stored.evidence[i] for i in claim.cites]
    return [core.sentence(shown.product, int(row)) for row in known.members]
