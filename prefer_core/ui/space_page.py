"""The aspect space page's parts: cards, how much of each, the map, how sharp and how many, the embeddings."""

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from prefer_core.aspects.agreement import ENOUGH
from prefer_core.aspects.search import details
from prefer_core.corpus import Corpus
from prefer_core.figures import corpus as clouds
from prefer_core.figures import membership as figures
from prefer_core.figures import paper, space
from prefer_core.ui import aspect_names, aspect_search, space_words
from prefer_core.ui.charts import chart
from prefer_core.ui.corpus_parts import file_name, kept, save, table, unit
from prefer_core.ui.space_cards import aspects

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
        {"share, %": 1, "usual, %": 1, f"{unit(corpus)}s about it": 0},
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


SECTIONS: dict[str, Callable[[Corpus], None]] = {
    "Aspects": aspects,
    "How much of each": mass,
    "Map": cloud,
    "How sharp": sharpness,
    "How many": how_many,
    "Embeddings": embeddings,
    "Hidden words": space_words.words,
    "Names": aspect_names.edit,
    "Search": aspect_search.search,
}
"""What the page can show, by what its switch says."""
