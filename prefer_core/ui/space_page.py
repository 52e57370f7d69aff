"""The aspect space page's parts: cards, hidden words, how much of each, the map, how many, the embeddings."""

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from prefer_core.aspects.audit import KINDS
from prefer_core.aspects.k_selection import ENOUGH
from prefer_core.aspects.mask import KeptWords
from prefer_core.aspects.search import details
from prefer_core.aspects.stability import SAME, in_words
from prefer_core.corpus import Corpus
from prefer_core.data.provenance import build_command
from prefer_core.errors import PreferError
from prefer_core.figures import corpus as clouds
from prefer_core.figures import membership as figures
from prefer_core.figures import paper, space
from prefer_core.figures.membership import slice_bars, slice_rows
from prefer_core.figures.tables import Row
from prefer_core.figures.theme import colour
from prefer_core.ui import aspect_names, aspect_search, gliding
from prefer_core.ui.charts import chart, read_below
from prefer_core.ui.findings import file_name, kept, save, table, unit
from prefer_core.ui.html import stars

_POINTS = 1500
_MATRIX = 800
_COLUMNS = 240
"""Units sampled for the clouds, for the matrix of clouds, and for the map of memberships."""

_NOT_ASPECTS = "Distances in a projection are not aspects: those are found in all {} components together."


def mass(corpus: Corpus) -> None:
    """Show how much is written about each aspect, in how many products, and where it is thin."""
    view = corpus.view
    shares = view.fold(np.array(corpus.aspects["shares"])).tolist()
    products = view.fold(np.stack(corpus.products["aspect_mass"].to_list()))
    st.markdown("**How much is written about each, and in how many products**")
    chart(
        figures.mass(shares, products, view.names, view.marks), f"{file_name(corpus)}-mass",
        "Left: each aspect's part of all memberships; together 100 %. Right: in what part of the products "
        f"({len(products):,}) a tenth or more of what is written is about it.",
    )  # fmt: skip
    if kept(corpus, "stability", "aspects") is None:
        return
    divisions = [d | {"mass": view.fold(np.array(d["mass"]))} for d in corpus.diagnostics()["slices"]]
    named = [{"aspect": r.label, "built as": " + ".join(view.built[k] for k in r.members)} for r in view.rows]
    rows = [name | row for i, name in enumerate(named) for row in figures.slice_rows(divisions, i)]
    thin = [row for row in rows if row["thin"]]
    st.markdown(f"**Where an aspect is thin: {len(thin)} of {len(rows)} places**")
    table(
        [
            {name: row[name] for name in ("aspect", "by", "part")}
            | {"share, %": 100 * row["share"], "usual, %": 100 * row["usual"]}
            | {f"{unit(corpus)}s about it": row["about it"], f"all {unit(corpus)}s": row["sentences"]}
            for row in thin
        ],
        {f"{unit(corpus)}s about it": 0},
    )
    st.caption(
        f"Thin: under half of its usual share, or under 30 {unit(corpus)}s' worth. A summary for such readers or "
        "products has little to draw on there."
    )
    save("All parts, thin or not (CSV)", rows, f"{file_name(corpus)}-slices")


def cloud(corpus: Corpus) -> None:
    """Show sampled units in the space, by aspect and by component."""
    m = corpus.array("reduced").shape[1]
    ways = [name for name, least in (("Three components", 3), ("Five components", 5), ("Pairs", 2)) if m >= least]
    if not ways:
        st.info("This space has a single component; there is no map to draw.")
        return
    way = st.segmented_control(
        "View", ways, default=ways[0], required=True, key="space-view", label_visibility="collapsed"
    )
    reduced, built, texts = sampled(corpus.id, corpus)
    view, phi = corpus.view, corpus.view.fold(built)
    last = _NOT_ASPECTS.format(m)
    if way == "Three components":
        chart(
            clouds.clusters(reduced, phi, view.names, view.marks, texts), f"{file_name(corpus)}-map",
            f"{len(phi):,} sampled {unit(corpus)}s at their first three components, in the colour of their largest "
            f"aspect. Touch a point to read it; click a name to hide it, twice to see it alone. {last}",
        )  # fmt: skip
    elif way == "Five components":
        chart(
            space.five_components(reduced), f"{file_name(corpus)}-five",
            f"The same {unit(corpus)}s: the fourth component is the colour, the fifth the size. One smooth cloud, as "
            f"in the paper, means that components blend into each other. {last}",
        )  # fmt: skip
    else:
        chart(
            space.component_matrix(reduced[:_MATRIX], phi[:_MATRIX], view.names, view.marks),
            f"{file_name(corpus)}-pairs",
            f"Every pair of the first components. Where colours part, that pair tells those aspects apart. {last}",
        )  # fmt: skip


def sharpness(corpus: Corpus) -> None:
    """Show how sharply units belong to aspects, and what the temperature does to it."""
    found = kept(corpus, "top_membership", "above_half")
    if found is None:
        return
    diagnostics, name = corpus.diagnostics(), file_name(corpus)
    shown = corpus.view.fold(sampled(corpus.id, corpus)[1][:_COLUMNS])
    st.markdown(f"**What single {unit(corpus)}s are about**")
    chart(
        clouds.membership_map(shown, corpus.view.names, corpus.view.marks), f"{name}-memberships",
        f"A column is one of {len(shown)} sampled {unit(corpus)}s; the stronger, the more of it is about the aspect. "
        "One strong cell a column: clear; several pale ones: mixed.",
    )  # fmt: skip
    left, middle, right = st.columns(3, gap="medium")
    with left:
        st.markdown("**How clear the first aspect is**")
        chart(
            figures.top_memberships(found), f"{name}-top",
            f"Far right: about one aspect only. {100 * found['above_half']:.0f} % of the {unit(corpus)}s are more than "
            f"half about one; {found['mean']:.2f} on average.",
        )  # fmt: skip
    with middle:
        st.markdown("**How near the second centre is**")
        chart(
            figures.gaps(diagnostics["gaps"], diagnostics["median_gap"]), f"{name}-gaps",
            f"Small: between two aspects. The temperature is set so that at the median gap the first aspect has "
            f"{corpus.manifest['config']['aspects']['mass_ratio']:g} times the weight of the second.",
        )  # fmt: skip
    with right:
        st.markdown("**What the temperature does**")
        chart(
            figures.temperatures(diagnostics["temperatures"]), f"{name}-temperatures",
            f"Low τ: every {unit(corpus)} about everything; high τ: about one aspect only. Dotted: the paper's "
            f"{paper.TEMPERATURE}.",
        )  # fmt: skip
    table(figures.temperature_table(diagnostics["temperatures"]))


def how_many(corpus: Corpus) -> None:
    """Show the three metrics over K and the rule that chose it."""
    diagnostics, k = corpus.diagnostics(), corpus.n_aspects
    candidates = diagnostics["k_sweep"]
    if corpus.other is not None:
        _how_many_people(corpus, candidates)
        return
    given = corpus.manifest["config"]["aspects"]["n_aspects"]
    rows = space.sweep_table(candidates, k)
    best = space.ruled(candidates)
    how = f"K = {k} was set by hand; of these the rule takes {best}." if given else f"The rule takes K = {k}."
    printed = paper.TABLES[unit(corpus)].n_aspects
    chart(
        space.sweep(candidates, k, printed), f"{file_name(corpus)}-sweep",
        f"Each metric for every K tried; filled: the K in use; dotted: the paper's {printed} for {unit(corpus)}s. The "
        "scales do not start at zero.",
    )  # fmt: skip
    st.markdown(
        f"{how} Every K is ranked by Silhouette and by Davies-Bouldin; the best mean rank wins, and Calinski-Harabasz "
        "breaks ties."
    )
    table(rows, {"Silhouette": 4, "Davies-Bouldin": 3, "Calinski-Harabasz": 1})
    save("This table (CSV)", rows, f"{file_name(corpus)}-sweep-table")


def _how_many_people(corpus: Corpus, candidates: list[dict[str, Any]]) -> None:
    """Show how well reruns agree for every K tried, the paper's three metrics beside it."""
    given = corpus.manifest["config"]["aspects"]["n_aspects"]
    used = len(corpus.cared_for)
    rows = [
        {
            "K": row["n_aspects"],
            "Agreement": row.get("agreement"),
            "Silhouette": row["silhouette"],
            "Davies-Bouldin": row["davies_bouldin"],
            "Calinski-Harabasz": row["calinski_harabasz"],
            "used": "yes" if row["n_aspects"] == used else "",
        }
        for row in candidates
    ]
    how = f"K = {used} was set by hand." if given else f"K = {used} was chosen."
    st.markdown(
        f"{how} “Other” is not counted. The build looks for the aspects again five times from other random starts and "
        "five times in four fifths of the sentences. Agreement is the adjusted Rand index with the first run (1 is the "
        f"same), of the two kinds the lower. The largest K with at least {ENOUGH} is taken, if its aspects are found "
        "again one by one as well; where there is none, the one that agrees best. The paper's three metrics stand "
        "beside it and do not choose."
    )
    table(rows, {"Agreement": 2, "Silhouette": 4, "Davies-Bouldin": 3, "Calinski-Harabasz": 1})
    save("This table (CSV)", rows, f"{file_name(corpus)}-sweep-table")


def embeddings(corpus: Corpus) -> None:
    """Show the spectrum, what the components hold together, and the cosines of pairs."""
    diagnostics, name = corpus.diagnostics(), file_name(corpus)
    kept_components, variance = len(corpus.aspects["components"]), diagnostics["cumulative_variance"]
    printed = paper.TABLES[unit(corpus)]
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Variance along each component**")
        chart(
            space.spectrum(diagnostics["spectrum"], kept_components), f"{name}-spectrum",
            f"A steep start and a long tail: a few directions carry most. Strong: the {kept_components} kept.",
        )  # fmt: skip
    with right:
        st.markdown("**What the first components hold together**")
        chart(space.cumulative(variance, kept_components, printed), f"{name}-variance", _variance(diagnostics, printed))
    st.markdown(f"**How alike two {unit(corpus)}s are**")
    found = diagnostics["cosines"]
    chart(
        space.cosines(found), f"{name}-cosines",
        f"All pairs of up to 5,000 sampled {unit(corpus)}s. Mode {found['mode']:.3f}, median {found['median']:.4f}, "
        f"mean {found['mean']:.4f}; the paper's reviews: {paper.COSINES.mode:.3f}, {paper.COSINES.median}, "
        f"{paper.COSINES.mean}. Most pairs are only mildly alike.",
    )  # fmt: skip


def _variance(diagnostics: dict[str, Any], printed: paper.TableStatistics) -> str:
    """Return the variance at 16 and 17 components and the components for 50, 70 and 90 %, the paper's beside."""
    held, counts = diagnostics["cumulative_variance"], diagnostics["components_for"]
    at = " and ".join(f"{m} hold {100 * held[min(m, len(held)) - 1]:.1f} %" for m in (16, 17))
    takes = ", ".join(
        f"{100 * float(share):.0f} % takes {count}"
        + (f" (paper {printed.components_for[float(share)]})" if float(share) in printed.components_for else "")
        for share, count in counts.items()
    )
    return f"{at} (paper: 16 hold {100 * printed.variance_at_16:.0f} %); {takes}. Diamonds: the paper."


@st.cache_data(show_spinner="Sampling…", max_entries=4)
def sampled(corpus_id: str, _corpus: Corpus) -> tuple[Any, Any, list[str]]:
    """Return reduced vectors, memberships of the built K and texts of the same seeded units, in random order."""
    phi = _corpus.array("phi")
    rows = np.random.default_rng(0).permutation(len(phi))[:_POINTS]
    texts = details(_corpus.path / "sentences.parquet", rows, ("text",))["text"].tolist()
    return np.array(_corpus.array("reduced")[rows]), np.array(phi[rows]), texts


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
    with st.container(horizontal=True):
        save("All cards (CSV)", rows, f"{file_name(corpus)}-aspects")
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
    kind = "" if row["kind"] == _KINDS["anchored"] else f"<footer>{escape(row['kind'])}</footer>"
    stable = f"{row['stability'].capitalize()}: {row['found again']} of {row['of repetitions']} times"
    return (
        f'<article class="p-card"><header>{chip}<span class="p-mark">{100 * row["share"]:.0f} %</span>'
        f"</header>{example}<footer>{escape(row['terms'])}</footer>{kind}<footer>{stable}</footer></article>"
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
        f"mean cosine {row['mean cosine, seeds']:.2f} over random starts and {row['mean cosine, bootstraps']:.2f} over "
        f"{unit(corpus)}s drawn anew, lowest {row['lowest cosine']:.2f}."
    )
    st.html(
        f'<p class="p-title">{_chip(corpus, k)} {100 * row["share"]:.0f} % of all that is written</p>'
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
        table(product_rows(corpus, k))
    with right:
        st.markdown("**Who writes about it**")
        parts = slice_rows(diagnostics["slices"], k)
        if parts:
            _slices(corpus, diagnostics["slices"], parts, _ink(corpus, k))
            read_below(
                lambda: slice_bars(parts, _ink(corpus, k)), f"{file_name(corpus)}-aspect-{k + 1}",
                "A bar is the aspect's share in one part of the corpus, the dashed line its share in all. Hollow, "
                f"thin: under half of that, or under 30 {unit(corpus)}s' worth; do not lean on it there.",
            )  # fmt: skip
        else:
            st.caption("The source has no stars, dates or names by which these reviews could be divided.")


def _slices(corpus: Corpus, slices: Sequence[Mapping[str, Any]], parts: Sequence[Row], ink: str) -> None:
    """Draw an aspect's share in each part of the corpus; the axis is that of all aspects, so that bars glide."""
    largest = max(row["share"] for one in range(corpus.n_aspects) for row in slice_rows(slices, one))
    rows: list[Mapping[str, Any]] = []
    for row, before in zip(parts, [None, *parts], strict=False):
        if before is None or before["by"] != row["by"]:
            rows.append({"label": f"by {row['by']}", "head": True, "colour": ink})
        about = f"{row['about it']:,.0f} of {row['sentences']:,} {unit(corpus)}s"
        rows.append(
            {
                "label": f"{row['part']} · thin" if row["thin"] else str(row["part"]),
                "now": row["share"],
                "usual": row["usual"],
                "thin": row["thin"],
                "colour": ink,
                "hover": f"{100 * row['share']:.1f} %, {about}",
            }
        )
    with st.container(key="slices"):
        gliding.bars(rows, "space-slices", "The aspect's share in each part", math.ceil(10 * largest) / 10)


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
    given = "" if one["rating"] is None else f" · {stars(one['rating'])}"
    second = f"{100 * one['other_share']:.0f} %"
    beside = "" if second == "0 %" else f", {second} {escape(corpus.view.choices[one['other']])}"
    return (
        f'<div class="p-line"><p dir="auto">{escape(one["text"])}</p>'
        f'<p class="p-quiet">{100 * one["share"]:.0f} % about it{beside} · '
        f"{escape(_title(corpus, one['product']))}{given}</p></div>"
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


_WHY = {
    "kind": "kind of product: often follows “this” or “these”",
    "brand": "name: written with a capital",
    "title": "stands in the titles of its products",
}
_QUALITY = {
    "nmi": "NMI", "nmi_in_product": "NMI in product", "f1": "F1", "auc": "AUC", "auc_in_product": "AUC in product",
}  # fmt: skip


def words(corpus: Corpus) -> None:
    """Show the hidden words, let a person choose those to put back, and give the command that does it."""
    if corpus.other is None:
        st.info("This corpus was built with preset paper: no words are hidden and no aspects were named beforehand.")
        return
    found: list[dict[str, Any]] = corpus.aspects["product_words"]
    st.markdown("**Words that are hidden from the aspects**")
    st.markdown(
        "Words that name a product or a brand are read as “item” when aspects are found, so that no aspect is a kind "
        "of product. The texts that are shown, the search and the summaries keep them."
    )
    if found:
        rows = [{"word": one["word"], "times": one["count"], "why": _WHY[one["why"]]} for one in found]
        table(rows)
        save("These words (CSV)", rows, f"{file_name(corpus)}-hidden-words")
        _put_back(corpus, [one["word"] for one in found])
    else:
        st.caption("No word was found that names a product or a brand.")
    dropped: dict[str, float] = corpus.aspects["dropped_anchors"]
    if dropped:
        st.markdown("**Named beforehand, but no aspect here**")
        by_share = sorted(dropped.items(), key=lambda one: (-one[1], one[0]))
        table(
            [{"name": name, "sentences near it, %": 100 * share} for name, share in by_share],
            {"sentences near it, %": 1},
        )
        least = corpus.manifest["config"]["aspects"]["least_near"]
        st.caption(f"Under {100 * least:.0f} % of the sentences are near it, or other aspects are spoken of more.")


def quality(corpus: Corpus) -> None:
    """Show how well the aspects fit those that people named, where somebody had that measured."""
    found = corpus.manifest.get("quality")
    if not found:
        return
    st.markdown("**Do they fit what people named?**")
    table(
        [{"labels": name, "sentences": one["sentences"]} | {head: one[key] for key, head in _QUALITY.items()}
         for name, one in found.items()],
        dict.fromkeys(_QUALITY.values(), 2),
    )  # fmt: skip
    st.caption(
        "Measured on sentences that people gave one class each. 1 is best; chance is 0, for AUC .5. In product: among "
        "the sentences of one product."
    )


def _put_back(corpus: Corpus, hidden: list[str]) -> None:
    book = KeptWords(corpus.id)
    try:
        kept = book.read()
    except PreferError as error:
        st.error(str(error))
        return
    key = f"kept-words-{corpus.id}"
    chosen = st.multiselect(
        "Put back", hidden, [word for word in kept if word in hidden], key=key, on_change=_keep, args=(book, key),
        placeholder="Choose words that say something about a product",
    )  # fmt: skip
    if chosen:
        before = corpus.manifest["config"]["aspects"]["keep_words"]
        command = build_command(corpus.manifest, str(corpus.path), keep_words=[*before, *chosen])
        st.caption("Your choice is kept. Aspects are found by a build, so it is in force after:")
        st.code(command, language="shell")


def _keep(book: KeptWords, key: str) -> None:
    try:
        book.write(st.session_state[key])
    except PreferError as error:
        st.toast(str(error))


SECTIONS: dict[str, Callable[[Corpus], None]] = {
    "Aspects": aspects,
    "How much of each": mass,
    "Map": cloud,
    "How sharp": sharpness,
    "How many": how_many,
    "Embeddings": embeddings,
    "Hidden words": words,
    "Names": aspect_names.edit,
    "Search": aspect_search.search,
}
"""What the page can show, by what its switch says."""
