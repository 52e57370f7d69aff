"""Stage mode: a script of scenes on one large screen, moved by a clicker, with notes in a window of their own."""

import os
import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import segno
import streamlit as st

from prefer_core import simplex
from prefer_core.config import home
from prefer_core.corpus import Corpus
from prefer_core.errors import ConfigError, CorpusError, PreferError
from prefer_core.figures.theme import colour
from prefer_core.insight import comparison
from prefer_core.learning.receipt import sentence
from prefer_core.rewriting import Evidence, Job, Summary, write_template
from prefer_core.stage import play
from prefer_core.stage.crowd import Crowd, OnScreen, learned, own_address
from prefer_core.stage.script import Act, Script, read
from prefer_core.types import FloatArray
from prefer_core.ui import collecting, gliding, html, resources, rounds, slider
from prefer_core.ui import reader as readers
from prefer_core.ui.page import PRESENT, SCREEN
from prefer_core.ui.reader import Reader
from prefer_core.ui.resources import ASSETS
from prefer_core.ui.rounds import OpenRound

SHOW, SCENE, SCRIPT = "show", "scene", "script"
"""Parts of the address: which show, the scene it begins with, and the name of its script."""
_TAB = "stage-show"
"""Where a tab keeps the name of its show, should its address lack it."""
NOTES = "notes"
"""What `present` says for the speaker's window; for the large screen it says SCREEN."""

_FOLDER = ASSETS / "stage"
_COLOURS = {
    "dark": {"ground": "#0f0f16", "ink": "#f4f4f8", "quiet": "#b4b4c4", "line": "#3a3a47", "plate": "#262632",
             "accent": "#b3a7ff", "veil": "30%", "bright": "brightness(1.9)"},
    "light": {"ground": "#ffffff", "ink": "#1b1b22", "quiet": "#55555f", "line": "#d9d9e2", "plate": "#e9e9ef",
              "accent": "#332288", "veil": "0%", "bright": "none"},
}  # fmt: skip
"""The two looks. `veil` is the white that is mixed into the colours of aspects, so that all stand out from the dark."""
_TICK, _FOLLOW = 0.7, 1.0
"""Seconds between two looks at what has come: of a scene that plays, and at what another window asks for."""
_LAST_CALL = 20.0
"""Seconds for which a visitor is told that all will be erased, before it is."""
_MOST_SHOWS = 50


@dataclass
class Show:
    """What a show has come to; the large screen and the speaker's window share it.

    Attributes
    ----------
    name : str
        In the address of its windows.
    scene : int
        Place of the scene on the screen.
    theme : str or None
        As it was changed; that of the script if None.
    notes : bool
        Whether the notes stand on the screen, as asked for by key.
    version : int
        Grows with each change that other windows must follow. It is part of a button's key, and a button acts on the
        version that it was drawn with alone: Streamlit tells of a press twice when a timer runs in the same moment.
    tokens : dict
        Of the sessions, by corpus and scene; they never stand in an address.
    plays : dict of int to bool
        Whether the simulated reader of a scene plays, where that was changed.
    clock : dict
        For each scene the round on the screen, what its simulated reader is doing, and since when.
    sources : dict
        How the text of a round came, by session and number.
    touched : dict of int to float
        When somebody last did something in a scene for visitors.
    """

    name: str
    scene: int = 0
    theme: str | None = None
    notes: bool = False
    version: int = 0
    tokens: dict[tuple[str, int], str] = field(default_factory=dict)
    plays: dict[int, bool] = field(default_factory=dict)
    clock: dict[int, tuple[int, str, float]] = field(default_factory=dict)
    sources: dict[tuple[int, int], str] = field(default_factory=dict)
    touched: dict[int, float] = field(default_factory=dict)

    def go(self, by: int, scenes: int, drawn: int) -> None:
        """Go on or back by so many scenes, as far as there are some."""
        if drawn == self.version:
            self.scene = max(0, min(scenes - 1, self.scene + by))
            self.version += 1

    def put_notes(self, there: bool) -> None:
        """Put the notes onto the screen, or take them away."""
        self.notes = there
        self.version += 1

    def set_theme(self, theme: str) -> None:
        """Change the look."""
        self.theme = theme
        self.version += 1

    def hand_over(self, place: int, plays: bool) -> None:
        """Let the simulated reader of a scene play, or somebody here."""
        self.plays[place] = plays
        self.clock.pop(place, None)


def is_asked_for() -> bool:
    """Whether the address asks for stage mode."""
    return st.query_params.get(PRESENT) in (SCREEN, NOTES)


def present() -> None:
    """Draw the large screen, or the speaker's window."""
    st.set_page_config(page_title="PREFER", layout="wide", initial_sidebar_state="collapsed")
    st.html(ASSETS / "prefer.css")
    try:
        script, corpus, acts = _script()
        show = _show(len(acts))
        _look(show.theme or script.settings.theme)
        if st.query_params.get(PRESENT) == NOTES:
            st.fragment(_speaker, run_every=_FOLLOW)(show, script, acts)
        else:
            _screen(show, script, corpus, acts)
    except PreferError as error:
        _look("dark")
        st.error(str(error))
    collecting.begin()


def _script() -> tuple[Script, Corpus, tuple[Act, ...]]:
    script = read(_file())
    corpora = resources.required()
    wish = script.settings.corpus
    corpus = next((one for one in corpora if wish in ("", one.path.name, one.id)), None)
    if corpus is None:
        known = ", ".join(one.path.name for one in corpora)
        raise CorpusError(f"The stage script asks for the reviews {wish!r}; there are {known}.")
    return script, corpus, _fitted(script, corpus, corpus.id, corpus.labels, script.text)


@st.cache_resource(show_spinner=False, max_entries=16)
def _fitted(_script: Script, _corpus: Corpus, corpus_id: str, labels: tuple[str, ...], text: str) -> tuple[Act, ...]:
    """Fit a script to a corpus, once for each text of the script and the names of the corpus's aspects."""
    return _script.on(_corpus)


def _file() -> Path:
    """Return the script: what the address names, else PREFER_STAGE, else the one that comes along."""
    name = st.query_params.get(SCRIPT)
    if name is None:
        return Path(os.environ.get("PREFER_STAGE") or _FOLDER / "default.toml")
    found = [folder / f"{name}.toml" for folder in (home() / "stage", _FOLDER)]
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,60}", name) or not any(path.is_file() for path in found):
        raise ConfigError(f"There is no script {name[:60]!r}; put it at {home() / 'stage'}/NAME.toml.")
    return next(path for path in found if path.is_file())


@st.cache_resource(show_spinner=False)
def _shows() -> dict[str, Show]:
    return {}


def _show(scenes: int) -> Show:
    shows = _shows()
    name = st.query_params.get(SHOW) or st.session_state.get(_TAB, "")
    if not re.fullmatch(r"[0-9a-f]{6,32}", name):
        name = secrets.token_hex(4)
    if name not in shows:
        while len(shows) >= _MOST_SHOWS:
            shows.pop(next(iter(shows)))
        begin = st.query_params.get(SCENE, "1")
        shows[name] = Show(name)
        shows[name].scene = max(0, int(begin) - 1) if begin.isdecimal() and len(begin) < 5 else 0
    show = shows[name]
    st.session_state[_TAB] = name
    show.scene = min(show.scene, scenes - 1)
    for key, value in ((SHOW, name), (SCENE, str(show.scene + 1))):
        if st.query_params.get(key) != value:
            st.query_params[key] = value
    return show


def _look(theme: str) -> None:
    values = "".join(f"--s-{name}: {value};" for name, value in _COLOURS[theme].items())
    # Variables go into the shadow roots of the figures as well.
    st.html(f"<style>:root {{ {values} color-scheme: {theme}; }}</style>")
    st.html(_FOLDER / "stage.css")


def _screen(show: Show, script: Script, corpus: Corpus, acts: Sequence[Act]) -> None:
    place = show.scene
    act = acts[place]
    # First the way on: whatever befalls a scene, the clicker works.
    _keys(show, script, acts)
    _foot(show, len(acts), corpus.product(act.product_id).title)
    st.fragment(_follow, run_every=_FOLLOW)(show, show.version, script, corpus, act, place)
    if act.scene.kind != "crowd":
        _leave_crowd(show)
    try:
        SCENES[act.scene.kind](show, script, corpus, act, place)
    except PreferError as error:
        st.error(str(error))
    if show.notes and (notes := act.scene.notes.strip()):
        st.html(f'<p class="s-text s-only">{html.plain(" ".join(notes.split()))}</p>')


def _follow(show: Show, version: int, script: Script, corpus: Corpus, act: Act, place: int) -> None:
    """Draw the screen again when the speaker's window has changed something, or a visitor has gone."""
    if act.scene.kind == "visitor" and script.settings.idle:
        _left_alone(show, script.settings.idle, corpus, act, place)
    if show.version != version:
        st.rerun()


def _left_alone(show: Show, idle: float, corpus: Corpus, act: Act, place: int) -> None:
    """Tell a visitor who does nothing for long that all will be erased; then erase it and greet the next one."""
    rest = show.touched.setdefault(place, time.monotonic()) + idle - time.monotonic()
    if rest > min(_LAST_CALL, idle / 2):
        return
    if not _reader(show, corpus, act, place).record.rated and not slider.is_moved():
        return
    if rest <= 0:
        _again(show, act, place, show.version)
        return
    told = f"Still there? In {rest:.0f} seconds all is erased for the next visitor. Move the slider to go on."
    st.html(f'<p class="s-leaves">{told}</p>')


def _foot(show: Show, scenes: int, title: str = "") -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="stage-foot"):
        st.button(
            "Back", on_click=show.go, args=(-1, scenes, show.version), key=f"stage-back-{show.version}",
            icon=":material/arrow_back:", disabled=show.scene == 0,
        )  # fmt: skip
        where = " · ".join(filter(None, (f"Scene {show.scene + 1} of {scenes}", title)))
        ends = [way for way, end in (("back", 0), ("next", scenes - 1)) if show.scene == end]
        # stage.js reads which presses were heard, and which lead nowhere.
        told = f'data-version="{show.version}" data-ends="{" ".join(ends)}"'
        st.html(f'<p class="s-where" {told}>{html.plain(where)}</p>')
        st.button(
            "Next", on_click=show.go, args=(1, scenes, show.version), key=f"stage-next-{show.version}",
            icon=":material/arrow_forward:", disabled=show.scene == scenes - 1,
        )  # fmt: skip


def _keys(show: Show, script: Script, acts: Sequence[Act]) -> None:
    """Draw what only keys press, and listen to them."""
    dark = (show.theme or script.settings.theme) == "dark"
    with st.container(key="stage-keys"):
        st.button("Notes", on_click=show.put_notes, args=(not show.notes,), key=f"stage-notes-{show.version}")
        st.button(
            "Theme", on_click=show.set_theme, args=("light" if dark else "dark",), key=f"stage-theme-{show.version}"
        )
        if (act := acts[show.scene]).scene.kind in ("rate", "play", "visitor", "crowd"):
            st.button(
                "Again", on_click=_again, args=(show, act, show.scene, show.version), key=f"stage-again-{show.version}"
            )
        st.html(f"<script>{_asset('stage.js')}</script>", unsafe_allow_javascript=True)


@st.cache_data
def _asset(name: str) -> str:
    return (_FOLDER / name).read_text("utf-8")


def _speaker(show: Show, script: Script, acts: Sequence[Act]) -> None:
    """Draw the notes of the scene on the screen, what comes next, and the way there."""
    act = acts[show.scene]
    _keys(show, script, acts)
    _head(act.heading or act.scene.kind)
    st.html(f'<p class="s-note">{html.plain(act.scene.notes.strip() or "No notes for this scene.")}</p>')
    if show.scene + 1 < len(acts):
        following = acts[show.scene + 1]
        st.html(f'<p class="s-told">Next: {html.plain(following.heading or following.scene.kind)}</p>')
    st.html(
        '<p class="s-source">Right, space, Page Down: next. Left, Page Up: back. n: notes on the screen. t: theme. '
        "a: the simulated reader plays or stops. r: this scene again. b: black screen. f: full screen.</p>"
    )
    _foot(show, len(acts))


def _head(heading: str, text: str = "", kind: str = "") -> None:
    below = f'<p class="s-text">{html.plain(text)}</p>' if text else ""
    st.html(f'<div class="{kind}"><h1 class="s-heading">{html.plain(heading)}</h1>{below}</div>')


def _words(show: Show, script: Script, corpus: Corpus, act: Act, place: int) -> None:
    _head(act.heading, act.text, "s-words")


def _product(show: Show, script: Script, corpus: Corpus, act: Act, place: int) -> None:
    product = corpus.product(act.product_id)
    row = corpus.products.set_index("product_id").loc[act.product_id]
    _head(act.heading, act.text)
    numbers = [(f"{row['n_reviews']:,}", "reviews"), (f"{len(product):,}", "sentences")]
    if not np.isnan(row["mean_rating"]):
        numbers.append((f"{row['mean_rating']:.1f}", "stars on average"))
    body = "".join(f"<div><b>{number}</b><span>{what}</span></div>" for number, what in numbers)
    st.html(f'<p class="s-reader" style="margin-top:1.2rem">{html.plain(product.title or act.product_id)}</p>')
    st.html(f'<div class="s-numbers">{body}</div>')
    shares = _stars(product.rating, product.reviewer)
    if shares is not None:
        rows = [
            {"label": f"{star} star{'s' * (star > 1)}", "now": shares[star - 1], "colour": _COLOURS["light"]["accent"]}
            for star in (5, 4, 3, 2, 1)
        ]
        gliding.bars(rows, "stage-stars", "Reviewers by the stars that they gave")
    if corpus.is_sample:
        st.html('<p class="s-source">These reviews were written for this app.</p>')


def _stars(rating: FloatArray | None, reviewer: Any) -> list[float] | None:
    """Return the shares of reviewers who gave 1 to 5 stars; None where no stars are known."""
    if rating is None or reviewer is None:
        return None
    _, first = np.unique(np.asarray(reviewer), return_index=True)
    given = np.asarray(rating, dtype=np.float64)[first]
    given = given[np.isfinite(given)]
    if len(given) == 0:
        return None
    counts = np.bincount(np.clip(np.round(given), 1, 5).astype(np.int64), minlength=6)[1:]
    return [float(value) for value in counts / counts.sum()]


def _summary(show: Show, script: Script, corpus: Corpus, act: Act, place: int) -> None:
    _head(act.heading, act.text)
    written, shown = play.generic(corpus, act)
    job = _job(written)
    basis = html.basis("", (), shown.claims, written)
    st.fragment(_generic, run_every=None if job.finished else _TICK)(written, job, basis, corpus, not job.finished)


def _generic(written: Evidence, job: Job, basis: html.Basis, corpus: Corpus, polling: bool) -> None:
    text = _settled(job, written)
    st.html(f'<div class="s-said" style="margin-top:1rem">{html.paragraph(text, basis)}</div>')
    st.html(f'<p class="s-source">{_source(job, text)}</p>{html.rows(basis, corpus.view)}')
    if polling and job.finished:
        st.rerun()


_JOBS = "stage-jobs"


def _job(written: Evidence) -> Job:
    """Ask for a text, once in a tab."""
    held: dict[Evidence, Job] = st.session_state.setdefault(_JOBS, {})
    if written not in held or held[written].state == "cancelled":
        held[written] = resources.writer().submit(written)
    return held[written]


def _settled(job: Job | None, written: Evidence) -> Summary:
    """Return the text for the screen: it changes once at most, when the model has finished."""
    return job.summary if job is not None and job.state == "done" else write_template(written)


def _source(job: Job | None, text: Summary, before: str = "") -> str:
    """Say how a text came: live, prepared, or by rule."""
    name = html.plain(resources.writer().name)
    if job is not None and not job.finished:
        place = f", {job.place} text{'s' if job.place > 1 else ''} before it" if job.place else ""
        return f"<b>By rule</b>, in reviewers\u2019 own words. {name} is writing{place}."
    if text.model_share == 0:
        why = f" {html.plain(job.error)}" if job is not None and job.error else ""
        return f"<b>By rule</b>, in reviewers\u2019 own words, without a model.{why}"
    how = before or ("Prepared" if job is not None and job.cached else "Live")
    return f"<b>{how}</b>, by {html.plain(text.writer)}, checked against the reviews."


def _compare(show: Show, script: Script, corpus: Corpus, act: Act, place: int) -> None:
    _head(act.heading, act.text)
    product = corpus.product(act.product_id)
    compared = play.side_by_side(corpus, act)
    written = [comparison.column_evidence(product, one) for one in compared]
    jobs = [_job(one) for one in written]
    polling = not all(job.finished for job in jobs)

    def sides(polling: bool) -> None:
        shared = set(compared[0].chosen) & set(compared[1].chosen)
        for where, one, evidence, job, aspect in zip(
            st.columns(2, gap="large"), compared, written, jobs, act.wants, strict=True
        ):
            text = _settled(job, evidence)
            basis = html.basis("", (), one.claims, evidence)
            own = len(set(one.chosen) - shared)
            dot = "" if aspect is None else _dot(corpus, aspect)
            name = "Nothing in particular" if aspect is None else f"Cares about {corpus.view.row(aspect).label.lower()}"
            only = f"{own} of {len(one.chosen)} points are told to this reader only."
            where.html(
                f'<div class="s-card"><p class="s-reader">{dot}{html.plain(name)}</p>'
                f'<div class="s-said">{html.paragraph(text, basis)}</div>'
                f'<p class="s-told">{only}</p><p class="s-source">{_source(job, text)}</p></div>'
            )
        if polling and all(job.finished for job in jobs):
            st.rerun()

    st.fragment(sides, run_every=_TICK if polling else None)(polling)


def _dot(corpus: Corpus, aspect: int) -> str:
    return f'<span class="p-dot" style="background:{colour(corpus.view.row(aspect).mark)}"></span>'


def _reader(show: Show, corpus: Corpus, act: Act, place: int) -> Reader:
    """Return who reads in a scene: the session of the ledger that began when it was first shown."""
    ledger = resources.ledger()
    key = (corpus.id, place)
    if key in show.tokens:
        try:
            return Reader(ledger.record(show.tokens[key]), show.tokens[key], corpus)
        except PreferError:
            del show.tokens[key]  # erased from elsewhere: the next one begins
    _, token = play.begin(ledger, corpus, act)
    show.tokens[key] = token
    return Reader(ledger.record(token), token, corpus)


def _again(show: Show, act: Act, place: int, drawn: int) -> None:
    """Erase the session of a scene, with all that was rated in it, and greet the next one; called by the buttons."""
    if drawn != show.version:
        return
    for key in [key for key in show.tokens if key[1] == place]:
        try:
            ledger = resources.ledger()
            _, counts = ledger.erase(ledger.resume(show.tokens[key]))
        except PreferError as error:
            readers.say(str(error))
            return
        del show.tokens[key]
        gone = counts["ratings"] + counts["crowd_ratings"]
        if act.scene.kind == "visitor":
            readers.say(f"Welcome! Erased: {gone} rating{'s' * (gone != 1)} of the visitor before you.")
    show.clock.pop(place, None)
    show.plays.pop(place, None)
    show.touched.pop(place, None)
    show.version += 1


def _loop(show: Show, script: Script, corpus: Corpus, act: Act, place: int) -> None:
    """Draw the loop of summary, slider and preference, played by people or by a simulated reader."""
    _head(act.heading, act.text)
    if (notice := readers.heard()) is not None:
        st.html(f'<p class="s-told s-only">{html.plain(notice)}</p>')
    slider.guard()
    moves = _moves(show, corpus, act, place)
    st.fragment(_round, run_every=_TICK if moves else None)(show, script, corpus, act, place, moves)


def _plays(show: Show, act: Act, place: int) -> bool:
    return show.plays.get(place, act.scene.kind == "play")


def _moves(show: Show, corpus: Corpus, act: Act, place: int) -> bool:
    """Whether something comes by itself: a simulated reader who rates, or a text that is being written."""
    current = _reader(show, corpus, act, place)
    if _plays(show, act, place) and len(current.record.rated) < act.scene.rounds:
        return True
    return _opened(show, current, act).writing


def _round(show: Show, script: Script, corpus: Corpus, act: Act, place: int, polling: bool) -> None:
    show.touched[place] = time.monotonic()
    current = _reader(show, corpus, act, place)
    shown = _opened(show, current, act)
    played = play.reader(act, corpus.n_aspects)
    is_played = played is not None and _plays(show, act, place) and len(current.record.rated) < act.scene.rounds
    if is_played and _advance(show, script, act, place, shown):
        current = _reader(show, corpus, act, place)
        shown = _opened(show, current, act)
    st.session_state.pop(rounds.FOCUS, None)  # the keyboard stays with the clicker
    left, right = st.columns(2, gap="large")
    with left:
        text = _on_screen(shown)
        st.html(f'<div class="s-said s-smaller">{html.paragraph(text.summary, _unmarked(shown))}</div>')
        st.html(f'<p class="s-source">{_source(shown.job, text.summary, show.sources.get(shown.key, ""))}</p>')
        with st.container(key="stage-played" if is_played else "stage-by-hand"):
            slider.rate_by_hand(text)
        _hands(show, act, place, played is not None, is_played)
    with right:
        if act.scene.then:
            _way(current, act)
        else:
            _preference(current)
        _told(current, act, played, is_played)
    if polling != (is_played or shown.writing):
        st.rerun()


def _opened(show: Show, current: Reader, act: Act) -> OpenRound:
    """Open a scene's round; how its text came is remembered, since the ledger keeps the text alone."""
    shown = rounds.open_round(current, act.product_id)
    job = shown.job
    if job is not None and job.finished and job.summary.model_share > 0:
        show.sources[shown.key] = "Prepared" if job.cached else "Live"
    return shown


def _on_screen(shown: OpenRound) -> OpenRound:
    """Return a round as the screen has it: by rule while a model writes, so that what is rated is what was read."""
    return replace(shown, kept=write_template(shown.evidence), job=None) if shown.writing else shown


def _unmarked(shown: OpenRound) -> html.Basis:
    # Without evidence there are no markers: the last row could not read the cards.
    return html.basis("", (), shown.stored.claims, shown.evidence, shown.kept)


def _advance(show: Show, script: Script, act: Act, place: int, shown: OpenRound) -> bool:
    """Let the simulated reader read, move the slider, and rate, each in its time; return whether it has rated."""
    number, doing, since = show.clock.get(place, (0, "", 0.0))
    now, pace = time.monotonic(), script.settings.pace
    if number != shown.stored.number:
        show.clock[place] = (shown.stored.number, "reads", now)
        return False
    played = play.reader(act, shown.stored.w.size)
    assert played is not None
    value = play.rating(played, shown.reader.session, shown.stored)
    if doing == "reads" and now - since >= pace:
        slider.put(shown, value)
        show.clock[place] = (number, "moves", now)
    elif doing == "moves":
        slider.put(shown, value)
        if now - since >= max(1.2, 0.5 * pace):
            rounds.rate(_on_screen(shown), value / 100, play.START)
            if shown.job is not None:
                shown.job.cancel()
            return True
    return False


def _hands(show: Show, act: Act, place: int, can_play: bool, is_played: bool) -> None:
    """Offer to take over from the simulated reader and to give back, and to let the next visitor in."""
    with st.container(horizontal=True):
        if can_play:
            label = "Take over" if is_played else "Give back to the simulated reader"
            st.button(
                label,
                on_click=show.hand_over,
                args=(place, not is_played),
                key="stage-auto-off" if is_played else "stage-auto-on",
            )
        if act.scene.kind == "visitor":
            st.button(
                "Next visitor",
                on_click=_again,
                args=(show, act, place, show.version),
                key=f"stage-visitor-{show.version}",
            )


def _preference(current: Reader) -> None:
    """Draw the reader's preference as bars that glide."""
    themes, record = current.corpus.view, current.record
    before = themes.fold(record.steps[-1].w_before) if record.rated else None
    alt = "What the reader cares about, in per cent"
    gliding.preference(themes, themes.fold(record.state.w), "stage-preference", alt, before=before)


def _way(current: Reader, act: Act) -> None:
    """Draw the preference over the ratings, with those of interest in colour."""
    themes, record = current.corpus.view, current.record
    trail = themes.fold(np.array([simplex.uniform(len(themes.built)), *(one.w_after for one in record.rated)]))
    wanted = [int(themes.place[aspect]) for aspect in act.wants if aspect is not None]
    gliding.lines(
        themes, trail, wanted, "stage-lines", "The preference for each aspect after each rating",
        rounds=max(act.scene.rounds, len(record.rated)), turn=act.scene.turn, told="changes their mind",
    )  # fmt: skip


def _told(current: Reader, act: Act, played: Any, is_played: bool) -> None:
    """Say where the scene stands, and what the latest rating did."""
    record, themes = current.record, current.corpus.view
    count = len(record.rated)
    if played is not None:
        fit = play.known(played, record.state.w, max(1, count))
        of = f"Rating {min(count + 1, act.scene.rounds)} of {act.scene.rounds}" if is_played else f"{count} ratings"
        st.html(f'<p class="s-told">{of}. What is learned fits the hidden wish to <b>{round(100 * fit)} %</b>.</p>')
        return
    if not count:
        st.html('<p class="s-told">Nothing is known yet: all aspects weigh the same.</p>')
        return
    rated, step = record.rated[-1], record.steps[-1]
    dominant = [int(themes.place[aspect]) for aspect in rated.aspects]
    units = "points" if rated.claims else "sentences"
    told = sentence(themes.fold_step(step), themes.names, dominant, html.IN_ENGLISH, themes.never_named, units)
    st.html(f'<p class="s-told">{html.plain(told)}</p>')


@st.cache_resource(show_spinner=False)
def _crowd() -> Crowd:
    return Crowd(resources.ledger(), _asset("phone.html"))


@st.cache_resource(show_spinner=False)
def _on_phones() -> dict[str, str]:
    """Hold the name of the show that the phones follow."""
    return {}


def _leave_crowd(show: Show) -> None:
    if _on_phones().get("show") == show.name:
        _crowd().show(None)
        _on_phones().clear()


def _audience(show: Show, script: Script, corpus: Corpus, act: Act, place: int) -> None:
    _head(act.heading, act.text)
    st.fragment(_together, run_every=1.0)(show, script, corpus, act, place)


def _together(show: Show, script: Script, corpus: Corpus, act: Act, place: int) -> None:
    """Draw the way in, the summary that all rate, and what was learned about them all."""
    current = _reader(show, corpus, act, place)
    shown = _on_screen(_opened(show, current, act))
    title = corpus.product(act.product_id).title
    crowd = _crowd()
    crowd.show(OnScreen(current.session.id, shown.stored.number, title, shown.summary.paragraph))
    _on_phones()["show"] = show.name
    ledger = resources.ledger()
    found = learned(
        current.session, shown.stored.number, ledger.profiles(current.session), ledger.crowd(current.session)
    )
    left, right = st.columns(2, gap="large")
    with left:
        code, words = st.columns([2, 3], gap="medium")
        address = crowd.link(script.settings.address)
        code.html(f'<div class="s-code"><img src="{_qr(address)}" alt="The link as a code to scan"></div>')
        with words:
            st.html(f'<p class="s-link">{html.plain(address.removeprefix("http://"))}</p>')
            if not script.settings.address and own_address().startswith("127."):
                st.html('<p class="s-source">This computer is in no network: phones cannot reach it.</p>')
            said = "" if found.mean_rating is None else f", {round(100 * found.mean_rating)} % on average"
            st.html(f'<p class="s-told"><b>{found.voted}</b> rated this summary{said}.</p>')
            st.button(
                "Next summary", type="primary", disabled=found.mean_rating is None, key="stage-close",
                on_click=_close_vote, args=(shown, found.mean_rating),
                help="The mean of the ratings counts as one rating of all.",
            )  # fmt: skip
        st.html(f'<div class="s-said s-smaller">{html.paragraph(shown.summary, _unmarked(shown))}</div>')
        st.html(f'<p class="s-source">{_source(shown.job, shown.summary, show.sources.get(shown.key, ""))}</p>')
    with right:
        themes = corpus.view
        w, low, high = (themes.fold(one) for one in (found.w, found.low, found.high))
        likely = (low, high) if found.phones > 1 else None
        alt = "What the audience cares about, in per cent"
        gliding.preference(themes, w, "stage-together", alt, likely=likely)
        told = "Nobody has rated yet: all aspects weigh the same."
        if found.phones:
            many = f"{found.phones} people" if found.phones > 1 else "1 person"
            told = f"{many}. Bar: their mean. Line: where eight of ten are."
        st.html(f'<p class="s-told">{told}</p>')


def _close_vote(shown: OpenRound, mean: float) -> None:
    rounds.rate(shown, mean, play.START)


@st.cache_data(max_entries=20, show_spinner=False)
def _qr(address: str) -> str:
    return str(segno.make(address, error="m", micro=False).svg_data_uri(scale=8, border=2, dark="#000", light="#fff"))


SCENES = {
    "words": _words, "product": _product, "summary": _summary, "rate": _loop, "play": _loop, "compare": _compare,
    "crowd": _audience, "visitor": _loop,
}  # fmt: skip
"""What draws each kind of scene."""
