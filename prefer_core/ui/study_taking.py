"""A participant's page: one step after the other, and nothing that tells the arms apart."""

import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import numpy as np
import streamlit as st

from prefer_core import session as core
from prefer_core import store
from prefer_core.errors import DataError, PreferError, RefusedError
from prefer_core.learning.receipt import sentence
from prefer_core.store.codes import participant_code
from prefer_core.store.studies import ParticipantRecord, StoredStudy
from prefer_core.study.definition import Question, Study
from prefer_core.study.participation import Participation, Shown, Step
from prefer_core.study.texts import ENGLISH, texts
from prefer_core.ui import gliding, html, resources, slider, study_link
from prefer_core.ui.page import PAGES
from prefer_core.ui.resources import ASSETS
from prefer_core.ui.study_link import CODE, JOIN, LINK, NOTICE

_TAB, _TOUCHED, _SEEN, _ANEW, _TOP = "study-tab", "study-touched", "study-seen", "study-anew", "study-top"
_LANGUAGE = "study-language"
_SLIDER, _ANSWER = "feedback-", "answer-"
"""Begin the keys of what a participant enters."""
_POLL_SECONDS = 0.5


def take_part() -> None:
    """Draw the step on which the participant stands."""
    st.set_page_config(page_title="Study", layout="wide", initial_sidebar_state="auto")
    st.html(ASSETS / "prefer.css")
    with st.container(key="study"):
        _page()


def _page() -> None:
    if notice := st.session_state.pop(NOTICE, None):
        st.warning(notice)
    try:
        token = st.query_params.get(LINK)
        if token is None:
            _welcome(resources.studies().study(st.query_params[JOIN]))
        else:
            _go_on(study_link.participation(token), token)
    except PreferError as error:
        _keep_entries()
        words = texts(st.session_state.get(_LANGUAGE, ENGLISH))
        st.error(told(error, words, "not_read"))
        if not isinstance(error, RefusedError):
            st.button(words["try_again"])


def told(error: PreferError, words: Mapping[str, str], trouble: str = "not_kept") -> str:
    """Return what a participant reads about an error: never what only its researcher understands."""
    if isinstance(error, RefusedError):
        return words.get(error.key, str(error))
    return str(error) if isinstance(error, DataError) else words[trouble]


def _keep_entries() -> None:
    """Keep what was entered while the page cannot be drawn: Streamlit forgets a widget that is not."""
    for name in list(st.session_state):
        if str(name).startswith((_SLIDER, _ANSWER)):
            st.session_state[name] = st.session_state[name]


def _welcome(stored: StoredStudy) -> None:
    """Ask who came by the link for all for consent; a personal link is made when it is given."""
    study = study_link.definition(stored.definition)
    st.session_state[_LANGUAGE] = study.about.language
    words = texts(study.about.language)
    found = study_link.under_way()
    if found is not None and not st.session_state.get(_ANEW):
        st.info(words["under_way"])
        if st.button(words["under_way_go_on"], type="primary"):
            st.query_params.from_dict({LINK: found[0]})
            st.rerun()
        if st.button(words["under_way_other"]):
            st.session_state[_ANEW] = True
            st.rerun()
        return
    resources.studies().refuse_unless_free(stored)
    typed = st.query_params.get(CODE)
    try:
        code = participant_code(typed) if typed else None
    except RefusedError as error:
        st.error(told(error, words))
        return
    _consent_text(study, words)
    if st.button(words["agree"], type="primary"):
        try:
            [token] = resources.studies().invite(stored, code=code)
            study_link.participation(token).agree()
        except PreferError as error:
            st.error(told(error, words))
            return
        st.query_params.from_dict({LINK: token})
        st.rerun()


def _consent_text(study: Study, words: Mapping[str, str]) -> None:
    st.title(html.label(study.about.title), anchor=False)
    _paragraphs(study.about.consent)
    st.text(words[f"withdrawal_{study.about.withdrawal}"])


def _paragraphs(text: str) -> None:
    """Draw a text of the definition as plain text; a blank line parts paragraphs, other line ends do not count."""
    for part in text.strip().split("\n\n"):
        st.text(" ".join(part.split()))


def _go_on(going: Participation, token: str) -> None:
    words = going.texts
    st.session_state[_LANGUAGE] = going.study.about.language
    record = going.record()
    step = going.step(record)
    if step.kind in ("withdrawn", "done"):
        _end(going, step)
        return
    if step.kind == "consent":
        _consent_text(going.study, words)
        if st.button(words["agree"], type="primary"):
            going.agree()
            st.rerun()
        return
    study_link.remember(token)
    if not _in_this_tab(going, record):
        _keep_entries()
        return
    _begin_at_the_top()
    st.progress(going.progress(record))
    # By its place, not its name: a page's source does not tell a hidden repeat.
    key = f"{going.participant.id}-{going.way(record).index(step)}"
    if step.kind == "questions":
        _questions(going, step, key)
    else:
        _round(going, step, record, key)
    _foot(going, token)


def _in_this_tab(going: Participation, record: ParticipantRecord) -> bool:
    """Make the tab that was opened last the one that goes on; an earlier one is told."""
    mine = st.session_state.get(_TAB)
    if mine is None:
        mine = secrets.token_hex(8)
        going.book.take_tab(going.participant, mine)
        st.session_state[_TAB] = mine
        return True
    if record.tab == mine:
        return True
    st.info(going.texts["opened_elsewhere"])
    if st.button(going.texts["go_on_here"], type="primary"):
        going.book.take_tab(going.participant, mine)
        st.rerun()
    return False


def _begin_at_the_top() -> None:
    """After a step was sent, show the next one from its first line, or what was wrong with it."""
    if st.session_state.pop(_TOP, False):
        with st.container(key="study-top"):
            st.html("<script>document.querySelector('.stMain').scrollTo(0, 0)</script>", unsafe_allow_javascript=True)


def _round(going: Participation, step: Step, record: ParticipantRecord, key: str) -> None:
    slot, words = step.slot, going.texts
    assert slot is not None
    shown = going.show(step, record)
    if any(one.text is None for one in shown):
        _wait(shown, words)
        return
    st.session_state.setdefault(_SEEN, {}).setdefault(key, time.monotonic())
    instructions = going.study.about.instructions.strip()
    if instructions:
        with st.expander(words["what_to_do"], expanded=step.name in ("practice", "round-1")):
            _paragraphs(instructions)
    if slot.practice:
        st.info(words["practice"])
    sliders = []
    title = going.corpus.product(slot.product_id).title
    st.header(html.label(html.apart(title)), anchor=False)
    places = st.columns(len(shown), gap="medium") if len(shown) > 1 else [st.container()]
    for side, (place, one) in enumerate(zip(places, shown, strict=True)):
        with place:
            sliders.append(_card(going, one, side, len(shown), slot.starts[side], key))
    answers = {question.name: _ask(question, key) for question in step.questions}
    touched = set(sliders) <= st.session_state.setdefault(_TOUCHED, set())
    st.button(
        words["send"], type="primary", disabled=not touched, key=f"send-{key}", on_click=_send,
        args=(going, step, sliders, [f"{_ANSWER}{key}-{name}" for name in answers], key),
    )  # fmt: skip
    if not touched:
        st.caption(words["move_slider" if len(sliders) == 1 else "move_sliders"])
    shows = going.shows(record)
    _beside(going, shown[0], shows)
    slider.guard()
    if "pages" in shows:
        _menu()
    _reviews(going, shown)


def _beside(going: Participation, one: Shown, shows: tuple[str, ...]) -> None:
    """Draw what the arm shows beside its summary: what was learned, and what the last rating changed."""
    if not {"preferences", "receipt"} & set(shows):
        return
    record = going.ledger.record_of(one.session)
    if "receipt" in shows and record.rated:
        st.text(_receipt(going, record))
    if "preferences" in shows:
        _preferences(going, one, record, going.texts)


def _receipt(going: Participation, record: store.SessionRecord) -> str:
    themes, rated, step = going.corpus.view, record.rated[-1], record.steps[-1]
    dominant = [int(themes.place[aspect]) for aspect in rated.aspects]
    units = "points" if rated.claims else "sentences"
    return sentence(themes.fold_step(step), themes.names, dominant, going.texts, themes.never_named, units)


def _preferences(going: Participation, one: Shown, record: store.SessionRecord, words: Mapping[str, str]) -> None:
    session, themes = one.session, going.corpus.view
    first = core.start(session.n_aspects, session.seed, session.settings).w
    trail = themes.fold(np.array([first, *(rated.w_after for rated in record.rated)]))
    now, z = themes.fold(one.stored.w), themes.fold(one.stored.z)
    before = themes.fold(record.steps[-1].w_before) if record.rated else None
    title = words["your_preferences"]
    st.markdown(f"**{title}**")
    gliding.preference(
        themes, now, "study-preferences", title, before=before, shown=z, end=gliding.top(trail, z),
        words=(words["bars_now"], words["bars_before"], words["bars_shown"]),
    )  # fmt: skip
    st.caption(words["your_preferences_help"])


def _reviews(going: Participation, shown: Sequence[Shown]) -> None:
    """Draw the reviews behind each summary, those of two summaries side by side as the summaries are."""
    words = going.texts
    if len(shown) == 1:
        st.markdown(f"**{words['reviews_behind']}**")
        st.html(html.cards(_basis(shown[0], 0), going.corpus.view, words=words))
        return
    for side, (place, one) in enumerate(zip(st.columns(len(shown), gap="medium"), shown, strict=True)):
        place.markdown(f"**{words['reviews_behind_letter'].format(letter='AB'[side])}**")
        drawn = html.cards(_basis(one, side), going.corpus.view, words=words)
        place.html(f'<div class="p-narrow">{drawn}</div>')


def _menu() -> None:
    with st.sidebar:
        for path, label in PAGES:
            query = {LINK: st.query_params[LINK]} if label == study_link.PAGE else None
            st.page_link(path, label=label, query_params=query)


def _card(going: Participation, one: Shown, side: int, sides: int, start: int, key: str) -> str:
    """Draw a summary with its points and its slider; return the slider's key."""
    name, words = f"{_SLIDER}{key}-{side}", going.texts
    basis = _basis(one, side)
    assert one.text is not None
    with st.container(border=True, key=f"summary-{side}"):
        title = words["summary"] if sides == 1 else words["summary_letter"].format(letter="AB"[side])
        st.html(f'<p class="p-title">{html.plain(title)}</p>{html.paragraph(one.text, basis)}')
        points = html.rows(basis, going.corpus.view, words=words)
        st.html(f'<div class="{"p-narrow" if sides > 1 else ""}">{points}</div>')
        st.slider(
            words["how_useful"], 0, 100, start, format="%d %%", key=name, on_change=_touch, args=(name,),
            help=words["how_useful_help"],
        )  # fmt: skip
    return name


def _basis(one: Shown, side: int) -> html.Basis:
    return html.basis(f"evidence-{side}", one.stored.evidence, one.stored.claims, one.evidence, one.text)


def _touch(name: str) -> None:
    st.session_state.setdefault(_TOUCHED, set()).add(name)


def _send(going: Participation, step: Step, sliders: Sequence[str], asked: Sequence[str], key: str) -> None:
    """Keep the ratings; called by the button. What went wrong is told, and everything on the screen stays."""
    values = [st.session_state[slider] / 100 for slider in sliders]
    given = {question.name: st.session_state.get(name) for question, name in zip(step.questions, asked, strict=True)}
    seconds = time.monotonic() - st.session_state[_SEEN][key]
    try:
        going.rate(step, values, seconds=seconds, answers=given, tab=st.session_state.get(_TAB))
    except PreferError as error:
        st.session_state[NOTICE] = told(error, going.texts)
    st.session_state[_TOP] = True


@st.fragment(run_every=_POLL_SECONDS)
def _wait(shown: Sequence[Shown], words: Mapping[str, str]) -> None:
    """Say how far the model is; the whole page comes when the texts are there."""
    jobs = [one.job for one in shown if one.job is not None]
    if all(job.finished for job in jobs):
        st.rerun()
    place = max(job.place for job in jobs)
    st.info(" ".join([words["being_written"], *([words["others_before"].format(count=place)] if place else [])]))


def _questions(going: Participation, step: Step, key: str) -> None:
    with st.form(f"form-{key}", border=False):
        for question in step.questions:
            _ask(question, key)
        st.form_submit_button(going.texts["go_on"], type="primary", on_click=_answer, args=(going, step, key))


def _answer(going: Participation, step: Step, key: str) -> None:
    given = {question.name: st.session_state.get(f"{_ANSWER}{key}-{question.name}") for question in step.questions}
    try:
        going.answer(step, given, tab=st.session_state.get(_TAB))
    except PreferError as error:
        st.session_state[NOTICE] = told(error, going.texts)
    st.session_state[_TOP] = True


def _ask(question: Question, key: str) -> Any:
    """Draw one question; return its answer as it stands."""
    name = f"{_ANSWER}{key}-{question.name}"
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
    about, words = going.study.about, going.texts
    study_link.forget()
    if step.kind == "withdrawn":
        st.title(words["withdrawn_title"], anchor=False)
        st.markdown(words["withdrawn"])
        if about.withdrawal == "erase":
            st.markdown(words["withdrawn_erased"])
        return
    going.finish()
    st.title(words["end_title"], anchor=False)
    st.markdown(words["end"])
    if about.completion_code:
        st.markdown(words["your_code"])
        st.code(about.completion_code, language=None)
    if about.return_link:
        code = going.participant.code or ""
        st.link_button(words["finish"], about.return_link.replace("{code}", quote(code)), type="primary")
    if about.reveal == "end":
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
    means = ", ".join(f"“{arm}” {100 * sum(rated) / len(rated):.0f} %" for arm, rated in sorted(found.items()))
    st.text(going.texts["arms"].format(means=means))


def _foot(going: Participation, token: str) -> None:
    words = going.texts
    st.divider()
    with st.container(horizontal=True):
        with st.popover(words["your_link"]):
            st.markdown(words["your_link_help"])
            st.code(study_link.address(**{LINK: token}), language=None, wrap_lines=True)
        with st.popover(words["withdraw"]):
            st.text(words[f"withdrawal_{going.study.about.withdrawal}"])
            if st.button(words["withdraw_now"]):
                going.withdraw()
                st.rerun()
