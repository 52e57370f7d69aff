"""The researcher's desk: define a study, invite, watch, close, and take the data along."""

import hmac
from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from prefer_core.corpus import Corpus
from prefer_core.data.spreadsheet import to_csv
from prefer_core.errors import CorpusError, PreferError
from prefer_core.figures.learning import arms_by_round
from prefer_core.store.studies import StoredStudy
from prefer_core.study import monitor
from prefer_core.study.assignment import cells
from prefer_core.study.definition import Study, parse
from prefer_core.study.export import bundle, sent_by, tables
from prefer_core.study.simulate import contrasts
from prefer_core.ui import charts, html, resources, study_link
from prefer_core.ui import reader as readers
from prefer_core.ui.resources import ASSETS

SECRET = "study_password"
_NEW = "A new study"
_UNLOCKED, _TEXT, _LINKS = "study-unlocked", "study-definition", "study-links"
_REFRESH_SECONDS = 10


def desk() -> None:
    """Draw the desk, or what opens it."""
    st.markdown("# Study")
    if not _unlocked():
        return
    stored = resources.studies().all()
    chosen = None
    if stored:
        names = [study.name for study in stored]
        name = st.selectbox("Study", [*names, _NEW], width=320)
        chosen = None if name == _NEW else stored[names.index(name)]
    section = st.segmented_control(
        "Part", ["Define", "Invite", "Monitor", "Export"], default="Define", required=True, label_visibility="collapsed"
    )
    if section == "Define":
        _define(chosen)
    elif chosen is None:
        st.info("There is no study here yet. Keep a definition first.")
    else:
        study = parse(chosen.definition)
        {"Invite": _invite, "Monitor": _monitor, "Export": _export}[section](chosen, study)


def _unlocked() -> bool:
    """Whether this tab may see the desk: by the password, or on this machine where none is set."""
    try:
        password = str(st.secrets[SECRET])
    except (KeyError, FileNotFoundError):
        password = ""
    if not password:
        if _on_this_machine():
            st.caption(f"No password is set, so this page opens on this machine only. To set one: {_HOW}")
            return True
        st.info(f"This page is for researchers and opens from other machines with a password only. To set one: {_HOW}")
        return False
    if st.session_state.get(_UNLOCKED):
        return True
    with st.form("unlock", border=False, width=320):
        typed = st.text_input("Password", type="password")
        if st.form_submit_button("Open"):
            if hmac.compare_digest(typed.encode(), password.encode()):
                st.session_state[_UNLOCKED] = True
                st.rerun()
            st.error("This is not the password; it stands in .streamlit/secrets.toml.")
    return False


_HOW = f'write `{SECRET} = "..."` into `.streamlit/secrets.toml` and start the app again.'
_PASSED_ON = ("X-Forwarded-For", "X-Real-Ip", "Forwarded")


def _on_this_machine() -> bool:
    # Behind a proxy every visitor seems to come from here.
    return st.context.ip_address is None and not any(name in st.context.headers for name in _PASSED_ON)


def _define(chosen: StoredStudy | None) -> None:
    example = (ASSETS / "study" / "example.toml").read_text(encoding="utf-8")
    text = example if chosen is None else chosen.definition
    if chosen is not None and chosen.frozen_at is not None:
        st.caption(
            f"Frozen since its first participant began, {chosen.frozen_at:%d %B %Y, %H:%M} UTC. Digest "
            f"{chosen.digest[:12]}. To change something, give it another name."
        )
    label = "Definition (TOML; every key is explained in docs/study.md)"
    key = f"{_TEXT}-{'' if chosen is None else chosen.name}"
    typed = st.text_area(label, text, height=400, key=key)
    with st.container(horizontal=True):
        checked = st.button("Check")
        kept = st.button("Keep", type="primary")
    if not checked and not kept:
        return
    study = parse(typed)
    corpus = _corpus(study.about.corpus)
    pool = study.fit(corpus)
    if kept:
        resources.studies().keep(study.about.name, typed, study.digest, corpus.id, study.about.participants)
        readers.say(f"Kept: {study.about.name}, digest {study.digest[:12]}.")
        st.rerun()
    between = " beside " if study.about.design == "pairs" else " then "
    conditions = "; ".join(between.join(cell) for cell in cells(study))
    st.success(
        html.label(
            f"This study can run on {corpus.name}: {len(pool)} products, conditions {conditions}, digest "
            f"{study.digest[:12]}."
        )
    )
    st.caption(
        f"Language of the page: {study.about.language}. The sentences of summaries and reviews, and the names of "
        "aspects, stay in the language of the reviews."
    )
    st.caption("What it would show, before anyone is invited: `python -m prefer_core.study simulate FILE --out DIR`.")


def _corpus(name: str) -> Corpus:
    corpora = resources.required()
    for corpus in corpora:
        if name in (corpus.path.name, corpus.id):
            return corpus
    known = ", ".join(corpus.path.name for corpus in corpora)
    raise CorpusError(f"There are no reviews called {name!r} here; set corpus to one of {known}, or build them.")


def _invite(chosen: StoredStudy, study: Study) -> None:
    st.markdown("**One link for all.** Everyone who opens it and agrees gets a personal link of their own.")
    st.code(study_link.address(**{study_link.JOIN: chosen.name}), language=None)
    st.caption(
        "Add `&code=...` where a panel gives each person a code; a code can take part once. To try a link yourself, "
        "open it in a private window: until the end, a browser that takes part is led back from all other pages."
    )
    st.markdown("**Personal links.** Shown once; only a fingerprint of each is kept.")
    count = st.number_input("How many", 1, 1000, 10, width=160)
    if st.button("Make links"):
        st.session_state[_LINKS] = (chosen.name, resources.studies().invite(chosen, int(count)))
    if (made := st.session_state.get(_LINKS)) and made[0] == chosen.name:
        rows = [{"link": study_link.address(**{study_link.LINK: token})} for token in made[1]]
        st.download_button("Download links (CSV)", to_csv(rows), f"{chosen.name}-links.csv", "text/csv")
        st.dataframe(pd.DataFrame(rows), hide_index=True)


def _monitor(chosen: StoredStudy, study: Study) -> None:
    st.fragment(_watch, run_every=_REFRESH_SECONDS)(chosen.name, study)
    book = resources.studies()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        places = st.number_input("Places", 1, 100_000, chosen.places, width=140)
        if st.button("Change places", disabled=places == chosen.places):
            book.extend(chosen, int(places))
            st.rerun()
        if chosen.status != "open" and st.button("Open"):
            book.set_status(chosen, "open")
            st.rerun()
        if chosen.status == "open" and st.button("Pause"):
            book.set_status(chosen, "paused")
            st.rerun()
        if chosen.status != "closed" and st.button("Close the study"):
            book.set_status(chosen, "closed")
            st.rerun()
    if chosen.status == "closed" or study.about.live_charts:
        _charts(chosen, study)
    else:
        st.caption("Ratings by arm are shown once the study is closed, so that nobody stops it when it looks good.")


def _watch(name: str, study: Study) -> None:
    """Say who is where."""
    book, now = resources.studies(), datetime.now(UTC)
    chosen = book.study(name)
    records = book.records(chosen)
    rows = monitor.overview(study, records, sent_by(book.events(chosen)), now)
    counts = pd.Series([row["state"] for row in rows], dtype=object).value_counts()
    numbers = {
        "Study": chosen.status, "Begun": f"{len(rows)} of {chosen.places}", "Going on": counts.get("going on", 0),
        "Away": counts.get("away", 0), "Completed": counts.get("completed", 0), "Withdrawn": counts.get("withdrawn", 0),
        "Ratings a minute": f"{monitor.ratings_per_minute(records, now):.1f}",
        "Texts in the queue": resources.writer().waiting,
    }  # fmt: skip
    with st.container(horizontal=True, gap="medium"):
        for title, value in numbers.items():
            st.metric(title, value, width="content")
    if rows:
        st.dataframe(pd.DataFrame(rows), hide_index=True, column_config={
            "reliability": st.column_config.NumberColumn(format="%.2f"),
            "last seen": st.column_config.DatetimeColumn("last seen (UTC)", format="HH:mm:ss"),
        })  # fmt: skip
    else:
        st.caption(f"Nobody has begun yet. Personal links made: {book.invited(chosen)}.")


def _charts(chosen: StoredStudy, study: Study) -> None:
    found = tables(resources.studies(), study, chosen)
    rated = monitor.by_round(found.long, "rating")
    if not rated:
        return
    compared = contrasts(study, found.wide, found.long)
    for one in compared:
        interval = one.interval
        st.text(
            f"{one.ours} less {one.theirs}: {interval.mean:+.3f}, 95 % interval {interval.low:+.3f} to "
            f"{interval.high:+.3f}, {interval.n} participants."
        )
    if compared:
        st.caption("The interval holds for a study that ends at a number of participants settled in advance.")
    charts.chart(arms_by_round(rated, "rating"), "study-ratings", "Mean rating of each arm by round.")
    fits = monitor.by_round(found.long, "evidence_alignment")
    read = "How well what was shown fits the preference that chose it (A_evid), by round."
    charts.chart(arms_by_round(fits, "A_evid"), "study-evidence", read)


def _export(chosen: StoredStudy, study: Study) -> None:
    st.markdown("One zip: participants (wide), summaries (long) and events as CSV, Parquet and JSON, with a codebook.")
    codes = st.checkbox("With the codes of participants, which may say who they are")
    if st.button("Prepare the export", type="primary"):
        try:
            content = bundle(resources.studies(), study, chosen, resources.corpus_of(chosen.corpus_id), codes=codes)
        except PreferError as error:
            st.error(str(error))
            return
        st.download_button("Download export.zip", content, f"{chosen.name}-export.zip", "application/zip",
                           on_click="ignore")  # fmt: skip
