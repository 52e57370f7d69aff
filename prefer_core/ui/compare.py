"""The comparison itself: preferences, summaries as they are written, evidence, overlap, and the table to take away."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from prefer_core.data.spreadsheet import MARK
from prefer_core.figures.comparison import profiles
from prefer_core.insight import comparison, table2
from prefer_core.insight.comparison import Compared
from prefer_core.rewriting import Evidence, Job
from prefer_core.ui import html, resources
from prefer_core.ui.charts import chart
from prefer_core.ui.compare_choices import LETTERS, Choice, link
from prefer_core.ui.rating import POLL_SECONDS, writer_line

JOBS = "compare-jobs"


def show(choice: Choice) -> None:
    """Draw everything about a comparison."""
    how = comparison.settings(choice.extractor, choice.most, choice.preset)
    compared = comparison.compare(choice.corpus, choice.product_id, choice.profiles, how)
    product = choice.corpus.product(choice.product_id)
    written = [comparison.evidence_of(product, one, choice.corpus.labels_in_texts) for one in compared]
    jobs = _jobs(choice, written)
    if choice.preset == "person" and not product.keypoints:
        st.caption("Fewer than 20 people review this product, so nothing is counted: sentences speak for themselves.")
    polling = any(not job.finished for job in jobs)
    st.fragment(_texts, run_every=POLL_SECONDS if polling else None)(choice, compared, written, jobs, polling)
    _figure(choice, compared)
    _evidence(choice, compared, written)
    _overlap(compared)
    _downloads(choice, compared, jobs)


def _jobs(choice: Choice, written: Sequence[Evidence]) -> list[Job]:
    """Ask for the texts, once each; what the page no longer shows is given up."""
    held: dict[tuple[str, Evidence], Job] = st.session_state.setdefault(JOBS, {})
    wanted: dict[tuple[str, Evidence], Job] = {}
    keys = []
    for one in written:
        key = (choice.corpus.id, one)
        keys.append(key)
        if key in wanted:
            continue
        known = held.get(key)
        if known is None or known.state in ("cancelled", "failed"):
            known = resources.writer().submit(one)
        wanted[key] = known
    for key, job in held.items():
        if key not in wanted:
            job.cancel()
    st.session_state[JOBS] = wanted
    return [wanted[key] for key in keys]


def _basis(i: int, one: Compared, written: Evidence) -> html.Basis:
    return html.basis(f"evidence-{LETTERS[i]}", one.evidence, one.claims, written)


def _marks(compared: Sequence[Compared], i: int, rests: html.Basis) -> list[str]:
    """Say, for each group of a profile's evidence, who else was given it."""
    one = compared[i]
    also = dict(zip(one.chosen, comparison.shared_with(compared)[i], strict=True))
    places = [
        int(claim["point"]) if claim is not None else int(one.round.evidence[at[0]]) for claim, at in rests.groups
    ]
    return [f"also {', '.join(LETTERS[j] for j in also[place])}" if also[place] else "" for place in places]


def _figure(choice: Choice, compared: list[Compared]) -> None:
    st.markdown("**What each wants, and what it was shown**")
    w = np.array([one.profile.w for one in compared])
    z = np.array([one.round.z for one in compared])
    view = choice.corpus.view
    figure = profiles([one.profile.name for one in compared], view.names, view.fold(w), view.fold(z), view.marks)
    last = LETTERS[len(compared) - 1]
    chart(
        figure, "profiles",
        f"Bar: what the profile wants. Diamond: what its evidence is about. From left to right A to {last}.",
    )  # fmt: skip


def _texts(choice: Choice, compared: list[Compared], written: list[Evidence], jobs: list[Job], polling: bool) -> None:
    places = st.container(key="compare-texts").columns(len(jobs), gap="medium")
    view = choice.corpus.view
    for i, (place, one, job) in enumerate(zip(places, compared, jobs, strict=True)):
        rests = _basis(i, one, written[i])
        with place, st.container(border=True, height="stretch"):
            title = f'<p class="p-title">{LETTERS[i]} · {html.plain(one.profile.name)}</p>'
            rows = html.rows(rests, view, _marks(compared, i, rests)) if rests.claims else ""
            st.html(f'<div class="p-narrow">{title}{html.paragraph(job.summary, rests)}{rows}</div>')
            st.caption(
                f"Wish and evidence agree by **{one.alignment:.3f}**.",
                help="G_cos, the cosine of the profile w and the aspect profile z of its evidence; 1 is the same mix.",
            )
            st.caption(writer_line(job, job.summary))
    if polling and all(job.finished for job in jobs):
        st.rerun()


def _evidence(choice: Choice, compared: list[Compared], written: list[Evidence]) -> None:
    st.markdown("**Evidence**", help="The sentences each summary rests on. A mark says which others were given it too.")
    for i, (place, one) in enumerate(zip(st.columns(len(compared), gap="medium"), compared, strict=True)):
        rests = _basis(i, one, written[i])
        body = html.cards(rests, choice.corpus.view, _marks(compared, i, rests))
        place.html(f'<div class="p-narrow">{body}</div>')


def _overlap(compared: list[Compared]) -> None:
    letters = list(LETTERS[: len(compared)])
    common, cosines = comparison.overlap(compared)
    first, second = st.columns(2, gap="medium")
    units = "Points" if all(one.claims for one in compared) else "Sentences"
    first.markdown(f"**{units} in common**", help=f"The diagonal is how many {units.lower()} a profile was given.")
    first.dataframe(pd.DataFrame(common, index=letters, columns=letters), width="stretch")
    second.markdown("**How alike the evidence is**", help="Cosine of the profiles z: 1 is the same mix of aspects.")
    second.dataframe(pd.DataFrame(cosines, index=letters, columns=letters).round(3), width="stretch")


def _downloads(choice: Choice, compared: list[Compared], jobs: list[Job]) -> None:
    product = choice.corpus.product(choice.product_id)
    title, view = product.title or choice.product_id, choice.corpus.view

    # Made when asked for: the texts may have come on meanwhile.
    def as_csv() -> str:
        return MARK + table2.to_csv(choice.corpus.name, title, compared, [job.summary for job in jobs], view)

    def as_latex() -> str:
        return table2.to_latex(title, compared, [job.summary for job in jobs], view)

    first, second, rest = st.columns([1, 1, 3], vertical_alignment="bottom")
    first.download_button("Table (CSV)", as_csv, "profiles.csv", "text/csv", on_click="ignore", width="stretch")
    second.download_button("Table (LaTeX)", as_latex, "profiles.tex", "text/plain", on_click="ignore", width="stretch")
    with rest:
        st.caption("A link to this comparison; it holds nothing about you.")
        st.code(link(choice), language=None)
