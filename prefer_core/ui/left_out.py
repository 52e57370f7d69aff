"""What a summary leaves out, and how narrow a session has become."""

import math

import numpy as np
import streamlit as st

from prefer_core.evaluation.narrowing import STARS, Distance, flagged_share, mix, narrowing, product_mix
from prefer_core.types import Flag
from prefer_core.ui import html, resources
from prefer_core.ui.rounds import OpenRound

RESERVED = "kept for dissent"


def marks(shown: OpenRound) -> list[str]:
    """Return a note for each card: the sentence in the place that is kept for dissent says so."""
    return [RESERVED if piece.get("reserved") else "" for piece in shown.stored.evidence]


def panel(shown: OpenRound) -> None:
    """Draw, folded, what the evidence shows beside what the product holds, aspect by aspect and star by star."""
    product, evidence = shown.product, shown.stored.evidence
    with st.expander("What this leaves out"):
        st.caption(_in_words(shown))
        k = len(evidence)
        ratings = [np.nan if p["rating"] is None else float(p["rating"]) for p in evidence]
        here, own = mix([int(p["aspect"]) for p in evidence], ratings, product.n_aspects), product_mix(product)
        view = shown.reader.corpus.view
        shown_themes, own_themes = view.fold(here.themes), view.fold(own.themes)
        order = np.argsort(-own_themes, kind="stable")
        left, right = st.columns(2)
        with left:
            st.html(html.facts([
                (view.names[i], f"{round(shown_themes[i] * k)} of {k}", f"{own_themes[i]:.0%} of all sentences")
                for i in order if own_themes[i] >= 0.005
            ]))  # fmt: skip
        with right:
            known = int(np.isfinite(ratings).sum())
            if own.stars.any():
                st.html(html.facts([
                    (f"{star} star{'s' * (star > 1)}", f"{round(here.stars[star - 1] * known)} of {known}",
                     f"{own.stars[star - 1]:.0%} of all sentences") for star in reversed(STARS)
                ]))  # fmt: skip
            _meter(shown)


def _in_words(shown: OpenRound) -> str:
    product, k = shown.product, len(shown.stored.evidence)
    parts = [f"This summary rests on {k} of {len(product):,} sentences."]
    negative, safety = flagged_share(product, Flag.NEGATIVE), flagged_share(product, Flag.SAFETY)
    if negative:
        parts.append(f"{negative:.0%} of all sentences complain.")
    if safety:
        parts.append(f"{max(1, round(safety * len(product)))} speak of safety.")
    if any(piece.get("reserved") for piece in shown.stored.evidence):
        parts.append("One place is kept for a complaint, a matter of safety or a rare aspect, whatever you prefer.")
    return " ".join(parts)


def _meter(shown: OpenRound) -> None:
    """Say how far all that the reader has seen lies from the own mix of the products seen."""
    reader = shown.reader
    rated = resources.ledger().rated_evidence(reader.session)
    seen = [(reader.corpus.product(product_id), evidence) for product_id, evidence in rated]
    found = narrowing([*seen, (shown.product, shown.stored.evidence)])
    rows = [_distance("Aspects", found.themes, found.themes_chance, found, len(rated) + 1)]
    if not math.isnan(found.stars):
        rows.append(_distance("Stars", found.stars, found.stars_chance, found, len(rated) + 1))
    st.html(html.facts(rows))


def _distance(name: str, value: float, chance: float, found: Distance, many: int) -> tuple[str, str, str]:
    where = "this summary" if many == 1 else f"the {many} summaries of this session"
    own = "all its reviews" if found.products == 1 else f"all reviews of the {found.products} products"
    return (
        f"{name}, distance",
        f"{value:.0%}",
        f"Of {found.sentences} sentences in {where}, from {own}; 0% is the same mix. As many at random: {chance:.0%}.",
    )
