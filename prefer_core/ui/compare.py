"""The comparison page: what each column is shown, what they have in common, and what can be taken along."""

from collections.abc import Sequence
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from prefer_core.insight import comparison
from prefer_core.insight.comparison import SEED, Compared
from prefer_core.rewriting import Evidence, Job
from prefer_core.ui import desk_html, desk_report, desk_two, html, resources
from prefer_core.ui.desk import UPLOAD, Choice, link
from prefer_core.ui.rating import POLL_SECONDS, writer_line

JOBS = "compare-jobs"
PARTS = ("Summaries", "Aspects and stars", "Overlap", "Why two differ", "Other settings")


def show(choice: Choice) -> None:
    """Draw the part of a comparison that is asked for, and what can be taken along."""
    if not choice.columns:
        st.info("None of these profiles can be shown; add one.")
        return
    compared = comparison.compare(choice.corpus, choice.product_id, choice.columns, choice.most)
    product = choice.here.product
    written = [comparison.column_evidence(product, one) for one in compared]
    jobs = _jobs(choice, written)
    part = st.segmented_control(
        "Show", PARTS, default=PARTS[0], required=True, key="desk-part", label_visibility="collapsed"
    )
    if any(one.preset == "person" for one in choice.columns) and not product.keypoints:
        st.caption("Fewer than 20 people review this product, so nothing is counted: sentences speak for themselves.")
    if part == PARTS[0]:
        polling = any(not job.finished for job in jobs)
        st.fragment(_texts, run_every=POLL_SECONDS if polling else None)(choice, compared, written, jobs, polling)
        _evidence(choice, compared, written)
    elif part == PARTS[1]:
        _aspects(choice, compared)
    elif part == PARTS[2]:
        _overlap(choice, compared)
    elif part == PARTS[3]:
        desk_two.why(choice.here, choice.letters, choice.titles, compared, [job.summary for job in jobs])
    else:
        desk_two.other_settings(choice.here, choice.titles, compared)
    _take_along(choice, compared, written, jobs)


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


def _in_rows(number: int) -> int:
    """Return how many columns stand side by side, so that the last row is not left with a single one."""
    if number <= 4:
        return number
    return 3 if number in (5, 6, 9) else 4


def _grid(number: int) -> list[DeltaGenerator]:
    across = _in_rows(number)
    return _rows(number, across, "medium" if across < 4 else "small")


def _rows(number: int, across: int, gap: Literal["small", "medium", "large"]) -> list[DeltaGenerator]:
    """Return so many places, row below row."""
    places: list[DeltaGenerator] = []
    while len(places) < number:
        places += st.columns(across, gap=gap)
    return places[:number]


def _texts(choice: Choice, compared: list[Compared], written: list[Evidence], jobs: list[Job], polling: bool) -> None:
    view, terms = choice.corpus.view, choice.corpus.terms
    with st.container(key="compare-texts"):
        for i, (place, one, job) in enumerate(zip(_grid(len(jobs)), compared, jobs, strict=True)):
            rests = desk_html.basis(choice.letters[i], one, written[i])
            with place, st.container(border=True, height="stretch"):
                title = f'<p class="p-title">{html.plain(choice.titles[i])}</p>'
                about = desk_html.about(one, view, comparison.interpretation(one.round.z, view, terms))
                points = (
                    html.rows(rests, view, desk_html.marks(choice.letters, compared, i, rests)) if rests.claims else ""
                )
                body = f"{title}{about}{html.paragraph(job.summary, rests)}{points}"
                st.html(f'<div class="p-narrow">{body}</div>')
                st.caption(
                    f"Wish and evidence agree by **{one.alignment:.3f}**.",
                    help="G_cos, the cosine of the profile w and the aspect profile z of its evidence; 1 is the same "
                    "mix. Under the title: what the evidence is about, with words that set the aspects apart.",
                )
                words = " Many, some and few are said of the evidence shown, as in the paper." if one.paper else ""
                st.caption(f"{writer_line(job, job.summary)}{words}")
    if polling and all(job.finished for job in jobs):
        st.rerun()


def _evidence(choice: Choice, compared: list[Compared], written: list[Evidence]) -> None:
    st.markdown("**Evidence**", help="The sentences each summary rests on.")
    if len(compared) > 1:
        st.caption(desk_html.EDGES)
    for i, place in enumerate(_grid(len(compared))):
        head = f'<p class="p-quiet">{html.plain(choice.titles[i])}</p>' if len(compared) > 4 else ""
        cards = desk_html.evidence_cards(choice.letters, compared, written, i, choice.corpus.view)
        place.html(f'<div class="p-narrow">{head}{cards}</div>')


def _aspects(choice: Choice, compared: list[Compared]) -> None:
    st.markdown("**What each wants, and what its evidence is about**", help="w beside z, in per cent of the whole.")
    st.html(desk_html.heat_map(choice.titles, choice.corpus.view, compared))
    st.markdown("**Stars of the reviews each one rests on, beside the product's own**")
    own, shown = comparison.stars(choice.here.product, compared)
    st.html(desk_html.star_bars(choice.titles, own, shown))


def _overlap(choice: Choice, compared: list[Compared]) -> None:
    if len(compared) == 1:
        st.info("One profile has nothing to share; add another one.")
        return
    drawn = desk_report.overlaps(choice, compared)
    st.caption(html.label("; ".join(choice.titles)))
    places = _rows(len(drawn), 3 if len(compared) <= 4 else 2, "large")
    for place, (title, read, body) in zip(places, drawn, strict=True):
        place.markdown(f"**{title}**")
        place.html(body)
        place.caption(read)


def _take_along(choice: Choice, compared: list[Compared], written: list[Evidence], jobs: list[Job]) -> None:
    files = desk_report.Files(choice, compared, written, lambda: [job.summary for job in jobs])
    st.markdown("**Take along**")
    with st.container(horizontal=True, key="desk-files", gap="small"):
        for label, made, name, kind in files.all:
            # Made when asked for: the texts may have come on meanwhile.
            st.download_button(label, made, name, kind, on_click="ignore", key=f"desk-take-{name}")
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.caption(
            "A link to this desk; it names product and profiles and holds nothing about you. Every draw has seed "
            f"{SEED}."
        )
        st.code(link(choice), language=None)
    with right:
        st.file_uploader(
            "Bring a desk back", ["json", "html"], key=UPLOAD, max_upload_size=20,
            help="A desk or a report that this page saved. It opens on the reviews it was made on only.",
        )  # fmt: skip
