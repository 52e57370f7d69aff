"""The cards of the aspects: what each is about, whether it would be found again, and where it is thin."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import streamlit as st

from prefer_core.aspects.cards import KINDS
from prefer_core.aspects.stability import SAME, in_words
from prefer_core.corpus import Corpus
from prefer_core.figures.membership import slice_bars, slice_rows
from prefer_core.figures.tables import Row
from prefer_core.figures.theme import colour
from prefer_core.ui.charts import chart
from prefer_core.ui.corpus_parts import file_name, kept, save, table, unit
from prefer_core.ui.space_words import quality

_MEANS = {
    "nearest": "Closest to the aspect's centre: what it is about, most purely.",
    "typical": "At the middle distance from its centre: what most of its {}s are like.",
    "boundary": "Torn between this aspect and the next: where it ends.",
    "random": "Drawn by chance from those that are mostly about it: nothing picked to please.",
}
_AS_BUILT = " The cards are of the aspects as built; one that was merged has the common name before its own."
_KINDS = {
    "anchored": "Named beforehand (anchored)",
    "free": "Found freely",
    "other": "About nothing in particular: near no aspect",
}
_PRODUCTS = 6
_ENOUGH = 10
"""Units that a product needs before its share of an aspect is told."""
_TERMS = 6


def aspects(corpus: Corpus) -> None:
    """Show every aspect as a small card, then one of them whole."""
    found = kept(corpus, "stability", "aspects")
    if found is None:
        return
    diagnostics = corpus.diagnostics()
    rows = overview_rows(corpus, diagnostics)
    cells = "".join(_small(_chip(corpus, k), row, diagnostics["cards"][k]) for k, row in enumerate(rows))
    st.html(f'<div class="p-cards p-aspects">{cells}</div>')
    st.caption(_whole(found, f"{unit(corpus)}s") + (_AS_BUILT if corpus.view.changed else ""))
    quality(corpus)
    k = st.pills(
        "Look closer at", range(corpus.n_aspects), default=0, required=True,
        format_func=corpus.view.choices.__getitem__, key=f"space-aspect-{corpus.id}",
    )  # fmt: skip
    _card(corpus, diagnostics, k, rows[k])
    left, right = st.columns(2)
    with left:
        save("All cards (CSV)", rows, f"{file_name(corpus)}-aspects")
    with right:
        save("All sentences of the cards (CSV)", _sentences(corpus, diagnostics["cards"]), f"{file_name(corpus)}-cards")


def overview_rows(corpus: Corpus, diagnostics: Mapping[str, Any]) -> list[Row]:
    """Return one row an aspect: name, share, terms, stability, and in how many parts of the corpus it is thin."""
    stable = diagnostics["stability"]
    rows: list[Row] = []
    for k, (label, one) in enumerate(zip(corpus.view.choices, stable["aspects"], strict=True)):
        parts = slice_rows(diagnostics["slices"], k)
        rows.append(
            {
                "aspect": label,
                "built as": corpus.view.built[k],
                "kind": _kind(corpus, k),
                "share": corpus.aspects["shares"][k],
                "terms": ", ".join(t["term"] for t in corpus.aspects["terms"][k][:_TERMS]),
                "stability": in_words(one["found"], 2 * stable["runs"]),
                "found again": one["found"],
                "of repetitions": 2 * stable["runs"],
                "mean cosine, seeds": one["seeds"],
                "mean cosine, bootstraps": one["bootstraps"],
                "lowest cosine": one["lowest"],
                "thin in": sum(part["thin"] for part in parts),
                "of parts": len(parts),
            }
        )
    return rows


def _small(chip: str, row: Row, card: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    example = f"<p dir='auto'>{escape(card['nearest'][0]['text'])}</p>" if card["nearest"] else ""
    stable = f"{row['stability'].capitalize()}: {row['found again']} of {row['of repetitions']} times"
    return (
        f'<article class="p-card"><header>{chip}<span class="p-mark">{100 * row["share"]:.0f} %</span>'
        f"</header>{example}<footer>{escape(row['kind'])}</footer><footer>{stable}</footer>"
        f"<footer>{escape(row['terms'])}</footer></article>"
    )


def _kind(corpus: Corpus, k: int) -> str:
    """Say whether an aspect was named beforehand, found freely, or is about nothing in particular."""
    one = (corpus.aspects.get("about_one_product") or [None] * corpus.n_aspects)[k]
    if one is not None:
        return f"Found freely, mostly about one product: {_title(corpus, one)}"
    return _KINDS[corpus.kinds[k]]


def _chip(corpus: Corpus, k: int) -> str:
    return f'<span class="p-chip" style="border-color:{_ink(corpus, k)}">{escape(corpus.view.choices[k])}</span>'


def _ink(corpus: Corpus, k: int) -> str:
    """Return the colour of a built aspect: that of the row under which it is shown."""
    return colour(corpus.view.row(k).mark)


def _whole(found: Mapping[str, Any], units: str) -> str:
    """Return how stability is measured, and that of the aspects together."""
    seeds, draws = (sum(found[kind]["agreement"]) / found["runs"] for kind in ("seeds", "bootstraps"))
    return (
        f"Percent: part of all that is written. Stability: the aspects were looked for {2 * found['runs']} more times "
        f"in {found['sample']:,} {units}, {found['runs']} times from another random start and {found['runs']} times "
        f"in {units} drawn anew; an aspect is found again where the matched centre has a cosine of at least {SAME}. "
        f"Agreement of all together (adjusted Rand index, 1 is the same): {seeds:.2f} and {draws:.2f}."
    )


def _card(corpus: Corpus, diagnostics: Mapping[str, Any], k: int, row: Row) -> None:
    terms = ", ".join(t["term"] for t in corpus.aspects["terms"][k])
    stable = (
        f"{row['stability'].capitalize()}: found again in {row['found again']} of {row['of repetitions']} repetitions, "
        f"mean cosine {row['mean cosine, seeds']:.3f} over random starts and {row['mean cosine, bootstraps']:.3f} over "
        f"{unit(corpus)}s drawn anew, lowest {row['lowest cosine']:.3f}."
    )
    st.html(
        f'<p class="p-title">{_chip(corpus, k)} {100 * row["share"]:.1f} % of all that is written</p>'
        f"<p>{escape(row['kind'])}. {stable}</p>"
        f'<p class="p-quiet">{escape(terms)}</p>'
    )
    left, right = st.columns([3, 2], gap="large")
    with left:
        kind = st.segmented_control(
            "Sentences", KINDS, default=KINDS[0], required=True, format_func=str.capitalize, key="space-kind",
            label_visibility="collapsed",
        )  # fmt: skip
        st.caption(_MEANS[kind].format(unit(corpus)))
        st.html("".join(_line(one, corpus) for one in diagnostics["cards"][k][kind]))
        st.markdown("**Products where it is most spoken of**")
        table(product_rows(corpus, k), {"about it, %": 0})
    with right:
        st.markdown("**Who writes about it**")
        parts = slice_rows(diagnostics["slices"], k)
        if parts:
            chart(
                slice_bars(parts, _ink(corpus, k)), f"{file_name(corpus)}-aspect-{k + 1}",
                "A bar is the aspect's share in one part of the corpus, the dashed line its share in all. Hollow, "
                f"thin: under half of that, or under 30 {unit(corpus)}s' worth; do not lean on it there.",
            )  # fmt: skip
        else:
            st.caption("The source has no stars, dates or names by which these reviews could be divided.")


def product_rows(corpus: Corpus, k: int) -> list[Row]:
    """Return the products with the largest share of an aspect, of those with at least ten units, else of all."""
    products = corpus.products
    enough = products[products["n_sentences"] >= _ENOUGH]
    held = enough if len(enough) else products
    share = held["aspect_mass"].map(lambda mass: float(mass[k]))
    best = share.sort_values(ascending=False, kind="stable").head(_PRODUCTS)
    return [
        {
            "product": str(products.loc[i, "title"]),
            "about it, %": 100 * part,
            f"{unit(corpus)}s": int(products.loc[i, "n_sentences"]),
        }
        for i, part in best.items()
    ]


def _line(one: Mapping[str, Any], corpus: Corpus) -> str:
    stars = "" if one["rating"] is None else f" · {'★' * round(one['rating'])}"
    return (
        f'<div class="p-line"><p dir="auto">{escape(one["text"])}</p>'
        f'<p class="p-quiet">{100 * one["share"]:.0f} % about it, '
        f"{100 * one['other_share']:.0f} % {escape(corpus.view.choices[one['other']])} · "
        f"{escape(_title(corpus, one['product']))}{stars}</p></div>"
    )


def _title(corpus: Corpus, product: str) -> str:
    found = corpus.products.loc[corpus.products["product_id"] == product, "title"]
    return str(found.iloc[0]) if len(found) else product


def _sentences(corpus: Corpus, cards: Sequence[Mapping[str, Sequence[Mapping[str, Any]]]]) -> list[Row]:
    return [
        {"aspect": corpus.view.choices[k], "built as": corpus.view.built[k], "kind": kind}
        | dict(one)
        | {"other": corpus.view.choices[one["other"]]}
        for k, card in enumerate(cards)
        for kind in KINDS
        for one in card[kind]
    ]
