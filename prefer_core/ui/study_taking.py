"""A participant's page: one step after the other, and nothing that tells the arms apart."""

import secrets
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlsplit

import streamlit as st

from prefer_core.errors import PreferError
from prefer_core.rewriting import Summary
from prefer_core.store.codes import participant_code
from prefer_core.store.studies import Record, StoredStudy
from prefer_core.study.definition import Question, Study, parse
from prefer_core.study.participation import Participation, Shown, Step
from prefer_core.ui import html, resources
from prefer_core.ui.assets import ASSETS

JOIN, LINK, CODE = "join", "p", "code"
"""Parts of the address: a study that all may join, a personal link, and a code that the study's link brings along."""

PAGE = "Study"
_TAB, _TOUCHED, _SEEN, _JOBS, _NOTICE = "study-tab", "study-touched", "study-seen", "study-jobs", "study-notice"
_POLL_SECONDS = 0.5


def came_by_link() -> bool:
    """Whether the address is a participant's."""
    return JOIN in st.query_params or LINK in st.query_params


def address(**query: str) -> str:
    """Return a link to this page."""
    here = urlsplit(st.context.url or "http://localhost:8501/")
    return f"{here.scheme}://{here.netloc}/{PAGE}?" + "&".join(
        f"{name}={quote(value)}" for name, value in query.items()
    )


def take_part() -> None:
    """Draw the step on which the participant stands."""
    st.set_page_config(page_title="Study", layout="centered", initial_sidebar_state="collapsed")
    st.html(ASSETS / "prefer.css")
    if notice := st.session_state.pop(_NOTICE, None):
        st.warning(notice)
    try:
        token = st.query_params.get(LINK)
        if token is None:
            _welcome(resources.studies().study(st.query_params[JOIN]))
        else:
            _go_on(_participation(token))
    except PreferError as error:
        st.error(str(error))


def _participation(token: str) -> Participation:
    book = resources.studies()
    participant = book.participant(token)
    stored = book.study_of(participant)
    jobs = st.session_state.setdefault(_JOBS, {})
    return Participation(
        book, resources.ledger(), resources.corpus_of(stored.corpus_id), parse(stored.definition), participant,
        resources.writer(), jobs,
    )  # fmt: skip


def _welcome(stored: StoredStudy) -> None:
    """Ask who came by the link for all for consent; a personal link is made when it is given."""
    code = participant_code(st.query_params[CODE]) if st.query_params.get(CODE) else None
    study = parse(stored.definition)
    _consent_text(study)
    if st.button("I agree and take part", type="primary"):
        [token] = resources.studies().invite(stored, code=code)
        _participation(token).agree()
        st.query_params.from_dict({LINK: token})
        st.rerun()


def _consent_text(study: Study) -> None:
    st.markdown(f"# {html.label(study.about.title)}")
    _paragraphs(study.about.consent)
    st.text(f"If you withdraw, {_withdrawal(study)}")


def _paragraphs(text: str) -> None:
    """Draw a text of the definition as plain text; a blank line parts paragraphs, other line ends do not count."""
    for part in text.strip().split("\n\n"):
        st.text(" ".join(part.split()))


def _withdrawal(study: Study) -> str:
    if study.about.withdrawal == "erase":
        return "all that you rated, answered and were shown is deleted at once and for good."
    return "what you rated and answered until then is kept under your made-up name, marked as withdrawn."


def _go_on(going: Participation) -> None:
    record = going.record()
    step = going.step(record)
    if step.kind in ("withdrawn", "done"):
        _end(going, step)
        return
    if not _in_this_tab(going, record):
        return
    if step.kind == "consent":
        _consent_text(going.study)
        if st.button("I agree and take part", type="primary"):
            going.agree()
            st.rerun()
        return
    st.progress(going.progress(record))
    # By its place, not its name: a page's source does not tell a hidden repeat.
    key = f"{going.participant.id}-{going.way(record).index(step)}"
    if step.kind == "questions":
        _questions(going, step, key)
    else:
        _round(going, step, key)
    _foot(going)


def _in_this_tab(going: Participation, record: Record) -> bool:
    """Make the tab that was opened last the one that goes on; an earlier one is told."""
    first = _TAB not in st.session_state
    mine = st.session_state.setdefault(_TAB, secrets.token_hex(8))
    if first:
        going.book.take_tab(going.participant, mine)
        return True
    if record.tab == mine:
        return True
    st.info("This study is open in another tab. Go on there, or here.")
    if st.button("Go on here", type="primary"):
        going.book.take_tab(going.participant, mine)
        st.rerun()
    return False


def _round(going: Participation, step: Step, key: str) -> None:
    slot = step.slot
    assert slot is not None
    shown = going.show(step)
    if any(one.text is None for one in shown):
        _wait(shown)
        return
    st.session_state.setdefault(_SEEN, {}).setdefault(key, time.monotonic())
    instructions = going.study.about.instructions.strip()
    if instructions:
        with st.expander("What to do", expanded=step.name in ("practice", "round-1")):
            _paragraphs(instructions)
    if slot.practice:
        st.info("This is for practice. It does not count.")
    sliders = []
    title = going.corpus.product(slot.product_id).title
    st.markdown(f"## {html.label(html.apart(title))}")
    places = st.columns(len(shown), gap="medium") if len(shown) > 1 else [st.container()]
    for side, (place, one) in enumerate(zip(places, shown, strict=True)):
        with place:
            sliders.append(_card(going, one, side, len(shown), slot.starts[side], key))
    answers = {question.name: _ask(question, key) for question in step.questions}
    touched = set(sliders) <= st.session_state.setdefault(_TOUCHED, set())
    st.button(
        "Send", type="primary", disabled=not touched, key=f"send-{key}", on_click=_send,
        args=(going, step, sliders, [f"answer-{key}-{name}" for name in answers], key),
    )  # fmt: skip
    if not touched:
        st.caption("Move each slider before you send, even if it comes back to where it was.")
    for side, one in enumerate(shown):
        heading = "Reviews behind it" if len(shown) == 1 else f"Reviews behind summary {'AB'[side]}"
        st.markdown(f"**{heading}**")
        st.html(html.cards(_basis(one, side), going.corpus.view))


def _card(going: Participation, one: Shown, side: int, sides: int, start: int, key: str) -> str:
    """Draw a summary with its points and its slider; return the slider's key."""
    slider = f"slider-{key}-{side}"
    basis = _basis(one, side)
    assert one.text is not None
    with st.container(border=True, key=f"summary-{side}"):
        title = "What reviewers say" if sides == 1 else f"Summary {'AB'[side]}"
        st.html(f'<p class="p-title">{title}</p>{html.paragraph(one.text, basis)}')
        st.html(f'<div class="{"p-narrow" if sides > 1 else ""}">{html.rows(basis, going.corpus.view)}</div>')
        st.slider(
            "How useful is this summary to you?", 0, 100, start, format="%d %%", key=slider, on_change=_touch,
            args=(slider,), help="0 % is not useful at all, 100 % is exactly what you need. Arrow keys work too.",
        )  # fmt: skip
    return slider


def _basis(one: Shown, side: int) -> html.Basis:
    text: Summary | None = one.text
    anchor = f"evidence-{side}"
    return html.basis(anchor, one.stored.evidence, one.stored.claims, one.evidence, text)


def _touch(slider: str) -> None:
    st.session_state.setdefault(_TOUCHED, set()).add(slider)


def _send(going: Participation, step: Step, sliders: Sequence[str], asked: Sequence[str], key: str) -> None:
    """Keep the ratings; called by the button. What went wrong is told, and everything on the screen stays."""
    values = [st.session_state[slider] / 100 for slider in sliders]
    given = {question.name: st.session_state.get(name) for question, name in zip(step.questions, asked, strict=True)}
    seconds = time.monotonic() - st.session_state[_SEEN][key]
    try:
        going.rate(step, values, seconds=seconds, answers=given, tab=st.session_state.get(_TAB))
    except PreferError as error:
        st.session_state[_NOTICE] = str(error)


@st.fragment(run_every=_POLL_SECONDS)
def _wait(shown: Sequence[Shown]) -> None:
    """Say how far the model is; the whole page comes when the texts are there."""
    jobs = [one.job for one in shown if one.job is not None]
    if all(job.finished for job in jobs):
        st.rerun()
    place = max(job.place for job in jobs)
    st.info("Your summary is being written." + (f" {place} others come before it." if place else ""))


def _questions(going: Participation, step: Step, key: str) -> None:
    with st.form(f"form-{key}", border=False):
        for question in step.questions:
            _ask(question, key)
        st.form_submit_button("Go on", type="primary", on_click=_answer, args=(going, step, key))


def _answer(going: Participation, step: Step, key: str) -> None:
    given = {question.name: st.session_state.get(f"answer-{key}-{question.name}") for question in step.questions}
    try:
        going.answer(step, given)
    except PreferError as error:
        st.session_state[_NOTICE] = str(error)


def _ask(question: Question, key: str) -> Any:
    """Draw one question; return its answer as it stands."""
    name = f"answer-{key}-{question.name}"
    text = html.label(question.text)
    if question.kind == "text":
        return st.text_area(text, key=name, max_chars=5000)
    if question.kind == "choice":
        return st.radio(text, question.options, index=None, key=name, format_func=html.label)
    ends = {question.values[0]: f" {question.low}", question.values[-1]: f" {question.high}"}
    return st.radio(
        text, question.values, index=None, horizontal=True, key=name,
        format_func=lambda value: html.label(value + ends.get(value, "")),
    )  # fmt: skip


def _end(going: Participation, step: Step) -> None:
    about = going.study.about
    if step.kind == "withdrawn":
        st.markdown("# You have withdrawn")
        st.markdown("Thank you for your time. You can close this page.")
        if about.withdrawal == "erase":
            st.markdown("Everything that you rated, answered and were shown has been deleted.")
        return
    going.finish()
    st.markdown("# Thank you")
    st.markdown("You have reached the end. Everything is kept.")
    if about.completion_code:
        st.markdown("Your completion code:")
        st.code(about.completion_code, language=None)
    if about.return_link:
        code = going.participant.code or ""
        st.link_button("Finish", about.return_link.replace("{code}", quote(code)), type="primary")
    if about.design == "pairs":
        _names(going)


def _names(going: Participation) -> None:
    """Tell, now that all votes are cast, which summaries were which."""
    record = going.record()
    found: dict[str, list[float]] = {}
    for step in going.way(record):
        if step.slot is not None and not step.slot.practice and not step.slot.repeats:
            for one in record.at(step.name):
                if one.feedback is not None:
                    found.setdefault(step.slot.arms[one.side], []).append(one.feedback)
    means = ", ".join(f"“{arm}” {sum(rated) / len(rated):.0%}" for arm, rated in sorted(found.items()))
    st.text(f"In each round one summary was made in one way and one in another. Your mean ratings: {means}.")


def _foot(going: Participation) -> None:
    st.divider()
    with st.container(horizontal=True):
        with st.popover("Your link"):
            st.markdown("Open it on any device to go on where you are. Keep it to yourself: who has it is you.")
            st.code(address(**{LINK: st.query_params[LINK]}), language=None, wrap_lines=True)
        with st.popover("Withdraw"):
            st.text(f"If you withdraw, {_withdrawal(going.study)}")
            if st.button("Withdraw from this study"):
                going.withdraw()
                st.rerun()
