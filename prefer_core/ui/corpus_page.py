"""The corpus page's parts: tables, distributions, reviewers, both levels, and what the build took."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from prefer_core.config import home
from prefer_core.corpus import Corpus
from prefer_core.data.provenance import build_command, is_other_level
from prefer_core.errors import CorpusError
from prefer_core.evaluation import compute
from prefer_core.figures import compute as compute_table
from prefer_core.figures import corpus as figures
from prefer_core.figures import reviewers as reviewer_figures
from prefer_core.figures import tables
from prefer_core.figures.tables import Row
from prefer_core.ui import resources
from prefer_core.ui.charts import chart

_SAMPLE = 1500
_COLUMNS = 240
"""Units sampled for the point clouds, and for the maps of memberships."""

_UNITS = {"reviews": "Reviews", "units": "Sentences"}


def chosen() -> tuple[Corpus, list[Corpus]]:
    """Let a person choose a corpus; return it and the others."""
    corpora, troubles = resources.corpora()
    for trouble in troubles:
        st.warning(trouble)
    if not corpora:
        raise CorpusError(
            "There are no reviews here yet; run: python precompute.py --source sample --out .prefer/sample."
        )
    corpus = corpora[0]
    if len(corpora) > 1:
        corpus = st.selectbox("Reviews", corpora, format_func=_name, width=420)
    return corpus, [other for other in corpora if other is not corpus]


def overview(corpus: Corpus, others: Sequence[Corpus]) -> None:
    """Show the paper's two tables with this corpus beside it, and what was left out on the way."""
    statistics = _kept(corpus, "statistics", "raw")
    if statistics is None:
        return
    raw = tables.raw_table(statistics["raw"], "here")
    preprocessed = tables.preprocessed_table(statistics, corpus.manifest["config"]["unit"])
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.markdown("**The files, before anything is left out**")
        _table(raw)
        st.caption(
            "A token is a word or a sign. Records count for the items that were reviewed, without links. "
            "An empty cell: the source does not tell. The paper's corpus is All_Beauty of Amazon Reviews 2023."
        )
    with right:
        st.markdown("**What is left after preparation**")
        _table(preprocessed)
        st.caption("Repeats are counted. A user here is who wrote a review: the paper's word.")
    read, split = tables.dropped_tables(corpus.manifest["counts"])
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**From rows to reviews**")
        _table(read)
    with right:
        st.markdown(f"**From reviews to {corpus.manifest['config']['unit']}s**")
        _table(split)
    _save("All four tables (CSV)", tables.long_table(
        {"raw": raw, "prepared": preprocessed, "rows to reviews": read, "reviews to units": split}
    ), f"{corpus.name}-statistics")  # fmt: skip


def distributions(corpus: Corpus, others: Sequence[Corpus]) -> None:
    """Show length of units, coverage of products, activity of reviewers."""
    statistics = _kept(corpus, "statistics", "raw")
    if statistics is None:
        return
    keys = list(_UNITS) if corpus.manifest["config"]["unit"] == "sentence" else ["reviews"]
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
            read = f"Half {says} {half:,}, 99 % at most {most:,}. Each bin is about 1.4 times as wide as the last."
            st.markdown(f"**{title}**")
            chart(figures.distribution(found[field], x, y, log=log), f"{corpus.name}-{key}-{field}", read)


def reviewers(corpus: Corpus, others: Sequence[Corpus]) -> None:
    """Show what reviewers care about, from what they wrote, and how they differ."""
    found = _kept(corpus, "heterogeneity", "entropy")
    if found is None:
        return
    least = found["least_sentences"]
    st.markdown(
        f"{found['reviewers']:,} of {found['all_reviewers']:,} reviewers wrote at least {least} {_unit(corpus)}s; "
        f"a taste is the mean aspect membership of what one of them wrote, and only they are counted here."
    )
    if corpus.diagnostics()["statistics"]["raw"]["users"] is None:
        st.markdown("The source names no reviewers: each review stands for a reviewer of its own.")
    if "groups" not in found:
        st.info("These are too few to tell groups apart.")
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown("**Each reviewer's dominant aspect, and how widely the taste is spread**")
        chart(
            reviewer_figures.taste_map(found, corpus.labels), f"{corpus.name}-reviewers",
            "One point is one reviewer; far left: writes about one aspect, far right: about all of them. "
            "Shaded: the paper's three groups; whoever lies between two is in none.",
        )  # fmt: skip
    with right:
        st.markdown("**Is it taste or chance?**")
        chart(
            reviewer_figures.entropy_figure(found), f"{corpus.name}-entropy",
            f"Bars: the reviewers, {found['entropy']['mean']:.3f} on average. Line: the same sentences dealt out at "
            f"random among the reviewers of each product, {found['dealt']['mean']:.3f}. Where the bars lie left of "
            "the line, reviewers keep to aspects of their own; the rest comes from writing few sentences.",
        )  # fmt: skip
    st.markdown("**Tastes of sampled reviewers, group by group**")
    chart(
        reviewer_figures.profile_map(found, corpus.labels), f"{corpus.name}-tastes",
        "A column is one reviewer, a dark cell an aspect that this reviewer writes about a lot; intermediate reviewers "
        "stand by dominant aspect.",
    )  # fmt: skip
    _groups(found, corpus)


def _groups(found: dict[str, Any], corpus: Corpus) -> None:
    top = max(value for group in found["groups"] for value in group["profile"] or [0.0])
    marks = list(found["quantiles"].values())
    rules = (f"below {marks[0]:.2f}", f"{marks[1]:.2f} to {marks[2]:.2f}", f"above {marks[3]:.2f}")
    for place, group, rule in zip(st.columns(3, gap="medium"), found["groups"], rules, strict=True):
        with place:
            st.markdown(f"**{group['name'].capitalize()}**")
            if group["profile"]:
                chart(
                    reviewer_figures.group_bars(group["profile"], corpus.labels, top),
                    f"{corpus.name}-{group['name']}",
                    f"{group['reviewers']:,} reviewers, entropy {rule}; their mean taste.",
                )  # fmt: skip


def levels(corpus: Corpus, others: Sequence[Corpus]) -> None:
    """Show the same reviews as sentences and as whole reviews."""
    other = next((o for o in others if is_other_level(corpus.manifest, o.manifest)), None)
    if other is None:
        missing = "review" if _unit(corpus) == "sentence" else "sentence"
        form = {"review": "whole reviews", "sentence": "single sentences"}[missing]
        st.info(
            f"These reviews are not here as {form} yet. This builds them; then both levels stand here side by side:"
        )
        st.code(
            build_command(corpus.manifest, str(home() / f"{corpus.name}-{missing}s"), missing),
            language="bash",
            wrap_lines=True,
        )
        return
    pair = sorted((corpus, other), key=_unit)
    drawn = {_unit(c): _sampled(c) for c in pair}
    rows = tables.levels_table({_unit(c): (c.manifest, c.diagnostics(), drawn[_unit(c)][1]) for c in pair})
    _table(rows)
    _save("This table (CSV)", rows, f"{corpus.name}-levels")
    for place, one in zip(st.columns(2, gap="large"), pair, strict=True):
        reduced, phi = drawn[_unit(one)]
        with place:
            st.markdown(f"**{_unit(one).capitalize()}s, K = {one.n_aspects}**")
            if reduced.shape[1] >= 3:
                chart(
                    figures.clusters(reduced, phi, one.labels), f"{one.name}-{_unit(one)}-clusters",
                    f"{len(phi):,} sampled {_unit(one)}s at their first three components, coloured by largest aspect; "
                    "the squares below name each side's colours. Distances in the projection are not aspects.",
                )  # fmt: skip
            shown = phi[:_COLUMNS]
            chart(
                figures.membership_map(shown, one.labels), f"{one.name}-{_unit(one)}-memberships",
                f"A column is one of {len(shown)} sampled {_unit(one)}s; the darker, the more of it is about the "
                "aspect.",
            )  # fmt: skip


def took(corpus: Corpus, others: Sequence[Corpus]) -> None:
    """Show what each stage took, the paper's times beside it."""
    rows = compute_table.build_rows(corpus.manifest) + compute_table.played_rows(compute.rows())
    _table(rows)
    st.caption(
        "Change and peak of this process's resident memory, over the stage and up to its end; a fall is memory given "
        "back. The paper's rows are of its own corpus and machines: compare rates, not seconds."
    )
    if "machine" not in corpus.manifest:
        st.info("This corpus was built before the machine was recorded. To have it, build it again:")
        st.code(build_command(corpus.manifest, str(corpus.path)), language="bash", wrap_lines=True)
    _save("This table (CSV)", rows, f"{corpus.name}-compute")


SECTIONS: dict[str, Callable[[Corpus, Sequence[Corpus]], None]] = {
    "Tables": overview,
    "Distributions": distributions,
    "Reviewers": reviewers,
    "Sentences or reviews": levels,
    "Time and memory": took,
}
"""What the page can show, by what its switch says."""


def _sampled(corpus: Corpus) -> tuple[Any, Any]:
    """Return reduced vectors and memberships of the same seeded sample of units, in random order."""
    phi = corpus.array("phi")
    rows = np.random.default_rng(0).permutation(len(phi))[:_SAMPLE]
    return corpus.array("reduced")[rows], phi[rows]


def _kept(corpus: Corpus, name: str, needed: str) -> dict[str, Any] | None:
    """Return a block of the diagnostics; where an older build has none, say how to get it and return None."""
    found: dict[str, Any] = corpus.diagnostics().get(name, {})
    if needed in found:
        return found
    st.info("This corpus was built before these statistics were kept. To have them, build it again:")
    st.code(build_command(corpus.manifest, str(corpus.path)), language="bash", wrap_lines=True)
    return None


def _unit(corpus: Corpus) -> str:
    return str(corpus.manifest["config"]["unit"])


def _name(corpus: Corpus) -> str:
    return f"{corpus.name} · {corpus.manifest['counts']['sentences']:,} {_unit(corpus)}s"


def _table(rows: Sequence[Row]) -> None:
    frame = pd.DataFrame(rows)
    numbers = {c: st.column_config.NumberColumn(format="localized") for c in frame.select_dtypes("number").columns}
    st.dataframe(frame.round(2), hide_index=True, width="stretch", column_config=numbers, placeholder="–")


def _save(label: str, rows: Sequence[Row], name: str) -> None:
    st.download_button(label, pd.DataFrame(rows).to_csv(index=False), f"{name}.csv", "text/csv", on_click="ignore")
