"""Names of aspects, edited in place: rename, merge, split, hide, undo, history, download."""

from html import escape
from itertools import zip_longest

import numpy as np
import pandas as pd
import streamlit as st

from prefer_core.aspects.names import HIDDEN_MARK, LONGEST, Edit, Group, in_force, told
from prefer_core.corpus import Corpus
from prefer_core.errors import CorpusError, PreferError
from prefer_core.figures.theme import colour
from prefer_core.ui import resources

_TROUBLE = "names-trouble"
_DONE = "names-done"
_TERMS = 6
_WIDTHS = [0.8, 4, 6, 1.4, 1.4]

EXPLAINED = (
    "Names given here are the labels on every page. Aspects that are merged are shown as one: their weights, bars and "
    "counts are added up. Nothing stored changes: readers' preferences and ratings stay by the aspects of the build, "
    "learning goes on with those, and splitting gives back exactly what was there. Hidden aspects are one grey bar; "
    "their sentences can still be chosen. Texts written before keep their words."
)


def edit(corpus: Corpus) -> None:
    """Draw the editor of a corpus's names."""
    st.markdown(EXPLAINED)
    if trouble := st.session_state.pop(_TROUBLE, None):
        st.error(trouble)
    if done := st.session_state.pop(_DONE, None):
        st.success(done)
    book = resources.name_book(corpus)
    try:
        edits = book.edits()
    except CorpusError as error:
        st.error(str(error))
        st.button("Put the file aside and begin anew", on_click=_set_aside, args=(corpus,))
        return
    view = corpus.view
    heads = ("Merge", "Name", "Share of all sentences, names and words of the build")
    for place, head in zip(st.columns(_WIDTHS, gap="small"), heads, strict=False):
        place.html(f'<p class="p-quiet">{head}</p>')
    chosen = [group for group in view.groups if _row(corpus, group)]
    _merge(corpus, chosen)
    _history(corpus, edits)


def _row(corpus: Corpus, group: Group) -> bool:
    """Draw one aspect; return whether it is marked to be merged."""
    first = group.members[0]
    key = f"{corpus.id}-{'-'.join(map(str, group.members))}"
    mark, name, built, shown, split = st.columns(_WIDTHS, vertical_alignment="center", gap="small")
    chosen = mark.checkbox(f"Merge {group.label}", key=f"pick-{key}", label_visibility="collapsed")
    field = f"name-{key}-{group.label}"
    typed = name.text_input(
        f"Name of {group.label}", group.label, key=field, label_visibility="collapsed",
        on_change=_rename, args=(corpus, first, field),
    )  # fmt: skip
    built.html(_built(corpus, group, still=" ".join(typed.split()) != group.label))
    kind, label = ("show", "Show") if group.hidden else ("hide", "Hide")
    shown.button(label, key=f"{kind}-{key}", on_click=_do, args=(corpus, kind, group.members), width="stretch")
    if len(group.members) > 1:
        split.button("Split", key=f"split-{key}", on_click=_do, args=(corpus, "split", group.members), width="stretch")
    return chosen


def _built(corpus: Corpus, group: Group, still: bool) -> str:
    """Return the line beside a name: colour, share, the build's names and words; `still` after a name was refused."""
    share = float(np.sum([corpus.aspects["shares"][k] for k in group.members]))
    ink = colour(HIDDEN_MARK if group.hidden else corpus.view.mark(group))
    built = " + ".join(corpus.view.built[k] for k in group.members)
    lists = [[str(one["term"]) for one in corpus.aspects["terms"][k]] for k in group.members]
    words = ", ".join(list(dict.fromkeys(term for same in zip_longest(*lists) for term in same if term))[:_TERMS])
    state = ("hidden, " if group.hidden else "") + (f"still called {escape(group.label)}, " if still else "")
    return (
        f'<p class="p-quiet"><span class="p-chip" style="border-color:{ink}">{100 * share:.0f} %</span> '
        f"{state}built as {escape(built)}: {escape(words)}</p>"
    )


def _merge(corpus: Corpus, chosen: list[Group]) -> None:
    members = tuple(sorted(k for group in chosen for k in group.members))
    field = f"merged-{corpus.id}-{'-'.join(map(str, members))}"
    place, button, undo = st.columns([5, 2, 2], vertical_alignment="bottom")
    place.text_input(
        "Name of the merged aspect", _proposed(chosen), key=field, disabled=len(chosen) < 2,
        placeholder="Mark two or more aspects on the left",
    )  # fmt: skip
    button.button(
        f"Merge {len(chosen)} aspects" if len(chosen) > 1 else "Merge", disabled=len(chosen) < 2, type="primary",
        on_click=_merge_them, args=(corpus, members, field), width="stretch",
    )  # fmt: skip
    edits = in_force(resources.name_book(corpus).edits())
    undo.button(
        "Undo the last edit", disabled=not edits, on_click=_do, args=(corpus, "undo", ()), width="stretch",
        key=f"undo-{corpus.id}",
    )  # fmt: skip


def _proposed(chosen: list[Group]) -> str:
    """Return a name to begin with: that of all, or of the first where that is too long."""
    if len(chosen) < 2:
        return ""
    both = " & ".join(group.label for group in chosen)
    return both if len(both) <= LONGEST else chosen[0].label


def _history(corpus: Corpus, edits: tuple[Edit, ...]) -> None:
    if not edits:
        st.caption("No names have been given yet: all are those of the build.")
        return
    with st.expander(f"History: {len(edits)} edit{'s' if len(edits) > 1 else ''}"):
        words = told(corpus.view.built, edits)
        rows = [{"When (UTC)": pd.Timestamp(one.at), "What": said} for one, said in zip(edits, words, strict=True)]
        when = st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")
        st.dataframe(pd.DataFrame(rows[::-1]), hide_index=True, width="stretch", column_config={"When (UTC)": when})
    st.download_button(
        "Names and history (JSON)", resources.name_book(corpus).export, f"{corpus.id}-names.json", "application/json",
        on_click="ignore",
    )  # fmt: skip


def _rename(corpus: Corpus, aspect: int, field: str) -> None:
    _do(corpus, "rename", (aspect,), str(st.session_state[field]))


def _merge_them(corpus: Corpus, members: tuple[int, ...], field: str) -> None:
    _do(corpus, "merge", members, str(st.session_state[field]))


def _do(corpus: Corpus, kind: str, aspects: tuple[int, ...], name: str = "") -> None:
    """Make an edit; called by the widgets. What cannot be done is said at the top of the editor."""
    try:
        resources.name_book(corpus).add(kind, aspects, name)
    except PreferError as error:
        st.session_state[_TROUBLE] = str(error)


def _set_aside(corpus: Corpus) -> None:
    try:
        aside = resources.name_book(corpus).set_aside()
    except PreferError as error:
        st.session_state[_TROUBLE] = str(error)
        return
    st.session_state[_DONE] = f"The damaged file is kept as {aside}; the names begin anew."
