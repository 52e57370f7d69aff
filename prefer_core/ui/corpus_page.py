"""The corpus page's parts: tables, distributions, both levels, what was read, what it took, and the reviewers."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from prefer_core.config import home
from prefer_core.corpus import Corpus
from prefer_core.data.losses import MUCH
from prefer_core.data.provenance import build_command, is_other_level
from prefer_core.experiments import compute
from prefer_core.figures import corpus as figures
from prefer_core.figures import tables
from prefer_core.figures.tables import Row
from prefer_core.ui import gliding, resources
from prefer_core.ui.charts import chart, read_below
from prefer_core.ui.findings import file_name, kept, save, table, unit

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
            drawn = figures.columns(found[field], [statistics[one][field] for one in keys], log=log)
            gliding.columns(drawn, f"corpus-{field}", title, f"{x}; up: {y}")
            whole = partial(figures.distribution, found[field], x, y, log=log)
            read_below(whole, f"{file_name(corpus)}-{key}-{field}", read)


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
    rows = tables.build_rows(corpus.manifest) + tables.played_rows(compute.rows())
    table(rows, {"seconds": 2, "change, MiB": 0, "peak, MiB": 0})
    st.caption(
        "Change and peak of this process's resident memory, over the stage and up to its end; a fall is memory given "
        "back. The paper's rows are of its own corpus and machines: compare rates, not seconds."
    )
    if "machine" not in corpus.manifest:
        st.info("This corpus was built before the machine was recorded. To have it, build it again:")
        st.code(build_command(corpus.manifest, str(corpus.path)), language="bash", wrap_lines=True)
    save("This table (CSV)", rows, f"{file_name(corpus)}-compute")


def _sampled(corpus: Corpus) -> tuple[Any, Any]:
    """Return reduced vectors and memberships, as they are shown, of one seeded sample of units, in random order."""
    phi = corpus.array("phi")
    rows = np.random.default_rng(0).permutation(len(phi))[:_SAMPLE]
    return corpus.array("reduced")[rows], corpus.view.fold(phi[rows])


def _name(corpus: Corpus) -> str:
    return f"{corpus.name} · {corpus.manifest['counts']['sentences']:,} {unit(corpus)}s"


_KINDS = {
    "flood": "same text by many accounts",
    "filler": "same text about several products",
    "account": "one account repeats itself",
}


def reading(corpus: Corpus, others: Sequence[Corpus]) -> None:
    """Show what was read of the source and what was lost on the way, with examples."""
    found = kept(corpus, "reading", "columns")
    if found is None:
        return
    counts = corpus.manifest["counts"]
    lost = found["lost"]
    st.markdown(
        f"**{counts['lines read']:,} rows were read and gave {counts['reviews']:,} reviews.** "
        f"{100 * lost:.1f} % of the rows were lost; repeats and languages left out on purpose do not count as lost."
    )
    if lost > MUCH:
        st.warning("More than 5 % of the rows gave no review. The examples below show why.")
    if found["language_note"]:
        st.warning(found["language_note"])
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.markdown("**Columns of the source**")
        table([{name: row[name] for name in ("what", "column", "told by")} for row in found["columns"]])
    with right:
        st.markdown("**What was decided for whole columns**")
        for note in found["notes"]:  # names of columns stand in them: text, not Markdown
            st.text(note)
    losses = _losses(counts, found["examples"])
    st.markdown("**What was left out, with the first examples**")
    if losses:
        table(losses)
        save("This table (CSV)", losses, f"{file_name(corpus)}-left-out")
    else:
        st.caption("Nothing was left out.")
    _repeated(found, corpus)


def _losses(counts: Mapping[str, int], examples: Mapping[str, Sequence[str]]) -> list[Row]:
    return [
        {"reason": reason, "count": counts.get(reason, 0)}
        | {f"example {number}": dict(enumerate(texts)).get(number - 1, "") for number in (1, 2, 3)}
        for reason, texts in examples.items()
    ]


def _repeated(found: Mapping[str, Any], corpus: Corpus) -> None:
    if found["floods"]:
        rows = [
            {
                "what": _KINDS[flood["kind"]], "text": flood["text"], "reviews": flood["reviews"],
                "accounts": flood["accounts"], "products": flood["products"], "first": _day(flood["first"]),
                "last": _day(flood["last"]),
            }
            for flood in found["floods"]
        ]  # fmt: skip
        st.markdown("**Texts that were repeated**")
        st.caption("Each counts once: the copies are reviews of their products, but no sentence has them as support.")
        table(rows)
        save("This table (CSV)", rows, f"{file_name(corpus)}-repeated")
    if found["accounts"]:
        st.markdown("**Accounts with a hundred reviews or more**")
        table(found["accounts"])


def _day(milliseconds: int) -> str | None:
    return None if milliseconds < 0 else datetime.fromtimestamp(milliseconds / 1000, tz=UTC).date().isoformat()


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


SECTIONS: dict[str, Callable[[Corpus, Sequence[Corpus]], None]] = {
    "Tables": overview,
    "What was read": reading,
    "Distributions": distributions,
    "Reviewers": reviewers,
    "Sentences or reviews": levels,
    "Time and memory": took,
}
"""What the page can show, by what its switch says."""
