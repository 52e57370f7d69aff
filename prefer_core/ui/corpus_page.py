"""The corpus page's parts: tables, distributions, both levels, and what the build took."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from prefer_core.config import home
from prefer_core.corpus import Corpus
from prefer_core.data.provenance import build_command, is_other_level
from prefer_core.experiments import compute
from prefer_core.figures import compute as compute_table
from prefer_core.figures import corpus as figures
from prefer_core.figures import tables
from prefer_core.ui import resources
from prefer_core.ui.charts import chart
from prefer_core.ui.corpus_parts import file_name, kept, save, table, unit
from prefer_core.ui.corpus_reading import reading
from prefer_core.ui.corpus_reviewers import reviewers

_SAMPLE = 1500
_COLUMNS = 240
"""Units sampled for the point clouds, and for the maps of memberships."""

_UNITS = {"reviews": "Reviews", "units": "Sentences"}


def chosen() -> tuple[Corpus, list[Corpus]]:
    """Let a person choose a corpus; return it and the others."""
    corpora = resources.required()
    corpus = corpora[0]
    if len(corpora) > 1:
        corpus = st.selectbox("Reviews", corpora, format_func=_name, width=420)
    return corpus, [other for other in corpora if other is not corpus]


def overview(corpus: Corpus, others: Sequence[Corpus]) -> None:
    """Show the paper's two tables with this corpus beside it, and what was left out on the way."""
    statistics = kept(corpus, "statistics", "raw")
    if statistics is None:
        return
    raw = tables.raw_table(statistics["raw"], "here")
    preprocessed = tables.preprocessed_table(statistics, unit(corpus))
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.markdown("**The files, before anything is left out**")
        table(raw)
        st.caption(
            "A token is a word or a sign. Records count for the items that were reviewed, without links. "
            "An empty cell: the source does not tell. The paper's corpus is All_Beauty of Amazon Reviews 2023."
        )
    with right:
        st.markdown("**What is left after preparation**")
        table(preprocessed)
        st.caption("Repeats are counted. A user here is who wrote a review: the paper's word.")
    read, split = tables.dropped_tables(corpus.manifest["counts"], unit(corpus))
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**From rows to reviews**")
        table(read)
    with right:
        st.markdown("**From reviews to units: " + ("sentences**" if unit(corpus) == "sentence" else "whole reviews**"))
        table(split)
    save("All four tables (CSV)", tables.long_table(
        {"raw": raw, "prepared": preprocessed, "rows to reviews": read, "reviews to units": split}
    ), f"{file_name(corpus)}-statistics")  # fmt: skip


def distributions(corpus: Corpus, others: Sequence[Corpus]) -> None:
    """Show length of units, coverage of products, activity of reviewers."""
    statistics = kept(corpus, "statistics", "raw")
    if statistics is None:
        return
    keys = list(_UNITS) if unit(corpus) == "sentence" else ["reviews"]
    key = st.segmented_control("Count", keys, default=keys[0], required=True, format_func=_UNITS.__getitem__)
    names = _UNITS[key].lower()
    name = names.removesuffix("s")
    found = statistics[key]
    parts = (
        ("words", f"Words of a {name}", "words", names, False, f"of the {names} have at most"),
        ("per_product", f"{_UNITS[key]} of a product", names, "products", True, "of the products have at most"),
        ("per_reviewer", f"{_UNITS[key]} of a reviewer", names, "reviewers", True, "of the reviewers wrote at most"),
    )
    for place, (field, title, x, y, log, says) in zip(st.columns(3, gap="medium"), parts, strict=True):
        with place:
            half, most = found[field]["at_most"]["0.5"], found[field]["at_most"]["0.99"]
            bins = int(np.count_nonzero(found[field]["counts"]))
            read = f"Half {says} {half:,}, 99 % at most {most:,}."
            if bins > 1:
                read += " Each bin is about 1.4 times as wide as the last."
            st.markdown(f"**{title}**")
            chart(figures.distribution(found[field], x, y, log=log), f"{file_name(corpus)}-{key}-{field}", read)


def levels(corpus: Corpus, others: Sequence[Corpus]) -> None:
    """Show the same reviews as sentences and as whole reviews."""
    other = next((o for o in others if is_other_level(corpus.manifest, o.manifest)), None)
    if other is None:
        missing = "review" if unit(corpus) == "sentence" else "sentence"
        form = {"review": "whole reviews", "sentence": "single sentences"}[missing]
        st.info(
            f"These reviews are not here as {form} yet. This builds them; then both levels stand here side by side:"
        )
        st.code(
            build_command(corpus.manifest, str(home() / f"{corpus.manifest['name']}-{missing}s"), missing),
            language="bash",
            wrap_lines=True,
        )
        return
    pair = sorted((corpus, other), key=unit)
    drawn = {unit(c): _sampled(c) for c in pair}
    rows = tables.levels_table({unit(c): (c.manifest, c.diagnostics(), drawn[unit(c)][1]) for c in pair})
    st.markdown(
        "A whole review blends several aspects. The paper needs more aspects for reviews than for sentences and finds "
        "the memberships of sentences sharper; here are both for these reviews."
    )
    table(rows)
    save("This table (CSV)", rows, f"{file_name(corpus)}-levels")
    for place, one in zip(st.columns(2, gap="large"), pair, strict=True):
        reduced, phi = drawn[unit(one)]
        with place:
            st.markdown(f"**{unit(one).capitalize()}s, K = {one.n_aspects}**")
            if reduced.shape[1] >= 3:
                chart(
                    figures.clusters(reduced, phi, one.view.names, one.view.marks), f"{file_name(one)}-clusters",
                    f"{len(phi):,} sampled {unit(one)}s at their first three components, coloured by largest aspect; "
                    "the squares below name each side's colours. Distances in the projection are not aspects.",
                )  # fmt: skip
            shown = phi[:_COLUMNS]
            chart(
                figures.membership_map(shown, one.view.names, one.view.marks), f"{file_name(one)}-memberships",
                f"A column is one of {len(shown)} sampled {unit(one)}s; the stronger, the more of it is about the "
                "aspect.",
            )  # fmt: skip


def took(corpus: Corpus, others: Sequence[Corpus]) -> None:
    """Show what each stage took, the paper's times beside it."""
    rows = compute_table.build_rows(corpus.manifest) + compute_table.played_rows(compute.rows())
    table(rows)
    st.caption(
        "Change and peak of this process's resident memory, over the stage and up to its end; a fall is memory given "
        "back. The paper's rows are of its own corpus and machines: compare rates, not seconds."
    )
    if "machine" not in corpus.manifest:
        st.info("This corpus was built before the machine was recorded. To have it, build it again:")
        st.code(build_command(corpus.manifest, str(corpus.path)), language="bash", wrap_lines=True)
    save("This table (CSV)", rows, f"{file_name(corpus)}-compute")


SECTIONS: dict[str, Callable[[Corpus, Sequence[Corpus]], None]] = {
    "Tables": overview,
    "What was read": reading,
    "Distributions": distributions,
    "Reviewers": reviewers,
    "Sentences or reviews": levels,
    "Time and memory": took,
}
"""What the page can show, by what its switch says."""


def _sampled(corpus: Corpus) -> tuple[Any, Any]:
    """Return reduced vectors and memberships, as they are shown, of one seeded sample of units, in random order."""
    phi = corpus.array("phi")
    rows = np.random.default_rng(0).permutation(len(phi))[:_SAMPLE]
    return corpus.array("reduced")[rows], corpus.view.fold(phi[rows])


def _name(corpus: Corpus) -> str:
    return f"{corpus.name} · {corpus.manifest['counts']['sentences']:,} {unit(corpus)}s"
