"""The comparison itself: preferences, summaries as they are written, evidence, overlap, and the table to take away."""

import numpy as np
import pandas as pd
import streamlit as st

from prefer_core.data.spreadsheet import MARK
from prefer_core.evaluation import comparison, table2
from prefer_core.evaluation.comparison import Compared
from prefer_core.figures.comparison import profiles
from prefer_core.rewriting import Job, gather
from prefer_core.ui import html, resources
from prefer_core.ui.charts import chart
from prefer_core.ui.compare_choices import LETTERS, Choice, link
from prefer_core.ui.rating import POLL_SECONDS, writer_line

JOBS = "compare-jobs"


def show(choice: Choice) -> None:
    """Draw everything about a comparison."""
    how = comparison.settings(choice.extractor, choice.sentences)
    compared = comparison.compare(choice.corpus, choice.product_id, choice.profiles, how)
    jobs = _jobs(choice, compared)
    polling = any(not job.finished for job in jobs)
    st.fragment(_texts, run_every=POLL_SECONDS if polling else None)(choice, compared, jobs, polling)
    _figure(choice, compared)
    _evidence(choice, compared)
    _overlap(compared)
    _downloads(choice, compared, jobs)


def _jobs(choice: Choice, compared: list[Compared]) -> list[Job]:
    """Ask for the texts, once each; what the page no longer shows is given up."""
    product = choice.corpus.product(choice.product_id)
    held: dict[tuple[object, ...], Job] = st.session_state.setdefault(JOBS, {})
    wanted: dict[tuple[object, ...], Job] = {}
    keys = []
    for one in compared:
        key = (choice.corpus.id, choice.corpus.labels, choice.product_id, *map(int, one.round.selection.indices))
        keys.append(key)
        if key in wanted:
            continue
        known = held.get(key)
        if known is None or known.state in ("cancelled", "failed"):
            known = resources.writer().submit(gather(product, one.round.selection, choice.corpus.labels_in_texts))
        wanted[key] = known
    for key, job in held.items():
        if key not in wanted:
            job.cancel()
    st.session_state[JOBS] = wanted
    return [wanted[key] for key in keys]


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


def _texts(choice: Choice, compared: list[Compared], jobs: list[Job], polling: bool) -> None:
    places = st.container(key="compare-texts").columns(len(jobs), gap="medium")
    for i, (place, one, job) in enumerate(zip(places, compared, jobs, strict=True)):
        with place, st.container(border=True, height="stretch"):
            title = f"{LETTERS[i]} · {one.profile.name}"
            body = html.summary(job.summary, one.evidence, i + 1, choice.corpus.view, title)
            st.html(f'<div class="p-narrow">{body}</div>')
            st.caption(
                f"Wish and evidence agree by **{one.alignment:.3f}**.",
                help="G_cos, the cosine of the profile w and the aspect profile z of its evidence; 1 is the same mix.",
            )
            st.caption(writer_line(job, job.summary))
    if polling and all(job.finished for job in jobs):
        st.rerun()


def _evidence(choice: Choice, compared: list[Compared]) -> None:
    st.markdown("**Evidence**", help="The sentences each summary rests on. A mark says which others were given it too.")
    marks = comparison.shared_with(compared)
    for i, (place, one) in enumerate(zip(st.columns(len(compared), gap="medium"), compared, strict=True)):
        notes = ["" if not also else f"also {', '.join(LETTERS[j] for j in also)}" for also in marks[i]]
        body = html.cards(one.evidence, choice.corpus.view, i + 1, notes)
        place.html(f'<div class="p-narrow">{body}</div>')


def _overlap(compared: list[Compared]) -> None:
    letters = list(LETTERS[: len(compared)])
    common, cosines = comparison.overlap(compared)
    first, second = st.columns(2, gap="medium")
    first.markdown("**Sentences in common**", help="The diagonal is how many sentences a profile was given.")
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
