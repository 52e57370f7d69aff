"""The corpus page's part on reviewers: what they care about, and how they differ."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from prefer_core.corpus import Corpus
from prefer_core.figures import reviewers as figures
from prefer_core.ui.charts import chart
from prefer_core.ui.corpus_parts import file_name, kept, unit

_ENOUGH_SHARED = 0.5


def reviewers(corpus: Corpus, others: Sequence[Corpus]) -> None:
    """Show what reviewers care about, from what they wrote, and how they differ."""
    stored = kept(corpus, "heterogeneity", "dealt_to_all")
    if stored is None:
        return
    view, found = corpus.view, corpus.view.fold_tastes(stored)
    least = found["least_sentences"]
    st.markdown(
        f"{found['reviewers']:,} of {found['all_reviewers']:,} reviewers wrote at least {least} {unit(corpus)}s; "
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
            figures.taste_map(found, view.names, view.marks), f"{file_name(corpus)}-reviewers",
            "One point is one reviewer; far left: writes about one aspect, far right: about all of them. "
            "Shaded: the paper's three groups; whoever lies between two is in none.",
        )  # fmt: skip
    with right:
        st.markdown("**Is it taste or chance?**")
        chart(
            figures.entropy_figure(found), f"{file_name(corpus)}-entropy", _chance(found, unit(corpus)),
        )  # fmt: skip
    st.markdown("**Tastes of sampled reviewers, group by group**")
    chart(
        figures.profile_map(found, view.names, view.marks), f"{file_name(corpus)}-tastes",
        "A column is one reviewer, a strong cell an aspect that they write about a lot; intermediate reviewers "
        "stand by dominant aspect.",
    )  # fmt: skip
    _groups(found, corpus)


def _groups(found: Mapping[str, Any], corpus: Corpus) -> None:
    top = max(value for group in found["groups"] for value in group["profile"] or [0.0])
    marks = list(found["quantiles"].values())
    rules = (f"below {marks[0]:.2f}", f"{marks[1]:.2f} to {marks[2]:.2f}", f"above {marks[3]:.2f}")
    for place, group, rule in zip(st.columns(3, gap="medium"), found["groups"], rules, strict=True):
        with place:
            st.markdown(f"**{group['name'].capitalize()}**")
            if group["profile"]:
                chart(
                    figures.group_bars(group["profile"], corpus.view.names, top, corpus.view.marks),
                    f"{file_name(corpus)}-{group['name']}",
                    f"{group['reviewers']:,} reviewers, entropy {rule}; their mean taste.",
                )  # fmt: skip


def _chance(found: Mapping[str, Any], unit: str) -> str:
    """Return how to read the entropies, with a warning where few products have several reviewers."""
    read = (
        f"Bars: the reviewers, {found['entropy']['mean']:.3f} on average. Dotted: the same {unit}s dealt out at random "
        f"within each product, {found['dealt']['mean']:.3f}. Dashed: dealt out to all, "
        f"{found['dealt_to_all']['mean']:.3f}. From bars to dotted is each reviewer's own choice of aspects, from "
        "dotted to dashed the choice of products, the rest comes from writing little."
    )
    if found["shared"] >= _ENOUGH_SHARED:
        return read
    return (
        f"{read} Only {100 * found['shared']:.0f} % of these {unit}s are about a product with several reviewers, so "
        "the first two cannot be told apart here."
    )
