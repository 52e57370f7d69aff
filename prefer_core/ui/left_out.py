"""What a summary leaves out, and how narrow a session has become."""

import math

import numpy as np
import streamlit as st

from prefer_core.insight.narrowing import STARS, Distance, flagged_share, mix, narrowing, product_mix
from prefer_core.keypoints.pool import total_reviewers
from prefer_core.types import Flag
from prefer_core.ui import html
from prefer_core.ui.points import key_point, position, whatever
from prefer_core.ui.rounds import OpenRound

MOST = 4
"""How many of the points that are not in a summary are named."""


def marks(shown: OpenRound) -> list[str]:
    """Return a note for each point, or for each sentence where there are no points: why the reserved place shows it."""
    notes = []
    for claim, places in shown.basis.groups:
        if claim is not None:
            at, negative, reserved = position(shown.product, claim), claim.negative, claim.reserved
        else:
            one = shown.stored.evidence[places[0]]
            at, negative, reserved = one.position, False, one.reserved
            at = shown.product.places.get(one.id) if at is None else at
        notes.append(whatever(shown.product, at, negative=negative) if reserved else "")
    return notes


def panel(shown: OpenRound) -> None:
    """Draw, folded, what the evidence shows beside what the product holds, aspect by aspect and star by star."""
    product, evidence = shown.product, shown.stored.evidence
    with st.expander("What this leaves out"):
        st.caption(_in_words(shown))
        if absent := _absent(shown):
            st.markdown("**Said by many, not in this summary**")
            st.html(html.facts(absent))
            st.markdown("**What it is about, and how its reviews were rated**")
        about = shown.stored.aspects
        k, units = len(about), "points" if shown.stored.claims else "sentences"
        ratings = [np.nan if p.rating is None else p.rating for p in evidence]
        here = mix(about, [np.nan] * k, product.n_aspects)
        stars, own = mix([], ratings, product.n_aspects).stars, product_mix(product)
        view = shown.reader.corpus.view
        shown_themes, own_themes = view.fold(here.themes), view.fold(own.themes)
        order = np.argsort(-own_themes, kind="stable")
        left, right = st.columns(2)
        with left:
            st.html(html.facts([
                (view.names[i], f"{round(shown_themes[i] * k)} of {k} {units}",
                 f"{100 * own_themes[i]:.0f} % of all sentences")
                for i in order if own_themes[i] >= 0.005
            ]))  # fmt: skip
        with right:
            known = int(np.isfinite(ratings).sum())
            if own.stars.any():
                st.html(html.facts([
                    (f"{star} star{'s' * (star > 1)}", f"{round(stars[star - 1] * known)} of {known} cited",
                     f"{100 * own.stars[star - 1]:.0f} % of all sentences") for star in reversed(STARS)
                ]))  # fmt: skip
            _meter(shown)


def _in_words(shown: OpenRound) -> str:
    product, claims, cited = shown.product, shown.stored.claims, len(shown.stored.evidence)
    parts = [f"This summary rests on {cited} of {len(product):,} sentences."]
    if claims:
        parts = [
            f"{_speaking(shown)} of {total_reviewers(product):,} reviewers say one of these {len(claims)} points; "
            f"{cited} of their sentences stand below."
        ]
    negative, safety = flagged_share(product, Flag.NEGATIVE), flagged_share(product, Flag.SAFETY)
    if negative:
        parts.append(f"{100 * negative:.0f} % of all sentences complain.")
    if safety:
        parts.append(f"{max(1, round(safety * len(product)))} speak of safety.")
    if any(one.reserved for one in shown.stored.evidence):
        parts.append("One place is for safety, a complaint or what few people say, whatever you prefer.")
    return " ".join(parts)


def _speaking(shown: OpenRound) -> int:
    """Return how many reviewers say at least one of the points that are shown."""
    product, supporters = shown.product, shown.product.supporters
    shown_points = [side for one in shown.stored.claims for side in one.sides]
    codes: set[int] = set()
    for one in shown_points:
        point = key_point(product, one)
        if point is None or supporters is None:
            return max(claim.both for claim in shown.stored.claims)
        codes |= {int(code) for row in point.members for code in supporters[int(row)]}
    return len(codes)


def _absent(shown: OpenRound) -> list[tuple[str, str, str]]:
    """Return the points that most reviewers make of those that this summary does not have."""
    product, view = shown.product, shown.reader.corpus.view
    ids = {side.id for one in shown.stored.claims for side in one.sides}
    names = product.ids or [str(i) for i in range(len(product))]
    texts = product.text or [""] * len(product)
    rest = [p for p in product.keypoints if not p.voice and str(names[p.representative]) not in ids]
    return [
        (
            (point.text or str(texts[point.representative])).rstrip(" ."),
            f"{point.reviewers} of {point.about}",
            f"who write about {html.topic(view.row(point.aspect).label)}",
        )
        for point in sorted(rest, key=lambda p: -p.reviewers)[:MOST]
    ]


def _meter(shown: OpenRound) -> None:
    """Say how far all that the reader has seen lies from the own mix of the products seen."""
    reader, rated = shown.reader, shown.reader.record.rated
    seen = [(reader.corpus.product(one.product_id), one.evidence) for one in rated]
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
        f"{100 * value:.0f} %",
        f"Of {found.sentences} sentences in {where}, from {own}; 0 % is the same mix. As many at random: "
        f"{100 * chance:.0f} %.",
    )
