"""The columns of the comparison page: a button each, behind which its profile and its way of choosing stand.

A tab keeps the codes of its columns, corpus by corpus; widgets begin where the codes are, and the codes follow them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
import streamlit as st

from prefer_core.aspects.heterogeneity import GROUPS, entropies
from prefer_core.corpus import Corpus
from prefer_core.errors import ConfigError
from prefer_core.insight.comparison import MOST, split
from prefer_core.insight.profiles import People, profile, reviewers, sampled_groups
from prefer_core.selection import EXTRACTORS
from prefer_core.types import ProductCorpus
from prefer_core.ui import html, resources
from prefer_core.ui.reader import Reader

LETTERS = "ABCDEFGHIJKL"
KINDS = {
    "theme": "One aspect",
    "mix": "Two aspects, half and half",
    "even": "No preference",
    "own": "Own weights",
    "reviewer": "A reviewer of this product",
    "concentrated": "A reviewer with one interest",
    "intermediate": "A reviewer in between",
    "diffuse": "A reviewer interested in everything",
    "mine": "You",
    "saved": "A saved session",
}
WAYS = {"mmr": "MMR", "gumbel": "Gumbel"}
KEPT = {"person": "key points", "paper": "sentences (paper)", "reviews": "whole reviews"}
AS_DESK = ""
_COLUMNS = "desk-columns"
_FRESH = count(1)


@dataclass(frozen=True)
class Shelf:
    """What columns of a product are chosen from.

    Attributes
    ----------
    corpus, product : Corpus, ProductCorpus
    people : People
        Reviewers by group, the visitor, and saved sessions.
    saved : sequence of str
        Names of the sessions that may be compared with.
    """

    corpus: Corpus
    product: ProductCorpus
    people: People
    saved: Sequence[str]

    @property
    def kinds(self) -> list[str]:
        """The kinds of profiles there are here."""
        have = {"reviewer": len(reviewers(self.product)) > 0, "mine": self.people.mine is not None,
                "saved": bool(self.saved)} | {name: name in self.people.groups for name in GROUPS}  # fmt: skip
        return [kind for kind in KINDS if have.get(kind, True)]


def shelf(corpus: Corpus, product_id: str, reader: Reader | None) -> Shelf:
    """Return what is there for a product: of a reader only the own profile, and what others allow."""
    mine = None
    if reader is not None and reader.corpus.id == corpus.id:
        mine = reader.record.moments
    sessions = {one.pseudonym: one for one in resources.ledger().for_comparison(corpus.id)}
    people = People(
        groups=sampled_groups(_heterogeneity(corpus.id, corpus)),
        mine=mine,
        saved=lambda name: resources.ledger().record_of(sessions[name]).moments if name in sessions else None,
    )
    return Shelf(corpus, corpus.product(product_id), people, list(sessions))


@st.cache_resource(show_spinner=False, max_entries=16)
def _heterogeneity(corpus_id: str, _corpus: Corpus) -> dict[str, object]:
    found: dict[str, object] = _corpus.diagnostics().get("heterogeneity", {})
    return found


def asked(here: Shelf) -> list[str]:
    """Return the codes that the link asks for and that stand for something here; say what does not."""
    fine = []
    wanted = st.query_params.get_all("profile")
    for code in wanted[:MOST]:
        try:
            name, _, _ = split(code[:400])
            profile(name, here.product, here.corpus.view.choices, here.people)
        except ConfigError as error:
            st.warning(f"The link is not right here: {error}")
        else:
            fine.append(code)
    if len(wanted) > MOST:
        st.warning(f"The link asks for {len(wanted)} profiles; the first {MOST} are shown.")
    return fine


def standard(here: Shelf) -> list[str]:
    """Return the columns of a first visit."""
    one, other = _two(here)
    return [f"theme-{one}", f"theme-{other}", "even"]


def _two(here: Shelf) -> tuple[int, int]:
    """Return the two aspects that most of the product is about, of those that a reader can care for."""
    mass = here.product.phi.sum(axis=0)
    order = sorted(here.corpus.cared_for, key=lambda k: (-mass[k], k))
    return order[0], order[min(1, len(order) - 1)]


def put(corpus_id: str, codes: Sequence[str]) -> None:
    """Let these be the columns of a corpus in this tab."""
    held: dict[str, list[tuple[int, str]]] = st.session_state.setdefault(_COLUMNS, {})
    held[corpus_id] = [(next(_FRESH), code) for code in codes[:MOST]]


def choose(here: Shelf) -> list[str]:
    """Draw the buttons of all columns and what adds to them; return the codes of the columns."""
    corpus = here.corpus
    held: dict[str, list[tuple[int, str]]] = st.session_state.setdefault(_COLUMNS, {})
    if corpus.id not in held:
        put(corpus.id, asked(here) or standard(here))
    held[corpus.id] = [(uid, _followed(uid, code, here)) for uid, code in held[corpus.id]]
    columns = held[corpus.id]
    with st.container(horizontal=True, key="desk-columns", gap="small", vertical_alignment="center"):
        for place, (uid, code) in enumerate(columns):
            with st.popover(html.label(f"{LETTERS[place]} · {_name(code, here)}"), key=f"desk-{uid}"):
                _editor(uid, code, here, only=len(columns) == 1)
        full = len(columns) >= MOST
        st.button(
            "Add yourself", key="desk-me", icon=":material/person_add:", type="tertiary",
            disabled=full or here.people.mine is None, on_click=_add, args=(corpus.id, ["mine"]),
            help=_WHY_ME if here.people.mine is None else "Your own profile, as your ratings have made it so far.",
        )  # fmt: skip
        sets = _sets(here)
        chosen = st.menu_button(
            "Add", list(sets), key="desk-add", icon=":material/add:", type="tertiary", disabled=full,
            help=f"Up to {MOST} profiles stand side by side.",
        )  # fmt: skip
        if chosen:
            sets[chosen]()
            st.rerun()
    return [code for _, code in columns]


_WHY_ME = (
    "Nobody reads these reviews in this tab yet: start on the home page, rate a summary, and come back by the menu."
)


def _sets(here: Shelf) -> dict[str, Callable[[], None]]:
    """Return what one press adds, or puts in place of all columns."""
    corpus, one = here.corpus, _two(here)

    def add(*codes: str) -> Callable[[], None]:
        return lambda: _add(corpus.id, codes)

    def instead(*codes: str) -> Callable[[], None]:
        return lambda: put(corpus.id, codes)

    first, second = min(one), max(one)
    used = {code for _, code in st.session_state[_COLUMNS][corpus.id]}
    fresh = next((f"theme-{k}" for k in corpus.cared_for if f"theme-{k}" not in used), "even")
    found = {"One more profile": add(fresh)}
    if here.people.mine is not None:
        found["Yourself, at the start and now"] = add("mine-0", "mine")
    found["The paper's four: two aspects, both, none"] = instead(
        *(dict.fromkeys((f"theme-{first}", f"theme-{second}", f"mix-{first}-{second}" if first != second else "even",
                         "even")))
    )  # fmt: skip
    found["Every aspect"] = instead(*(f"theme-{k}" for k in corpus.cared_for))
    if here.people.groups:
        codes = [f"{name}-{len(here.people.groups[name]) // 2}" for name in GROUPS if name in here.people.groups]
        found["Three reviewers: one interest, some, everything"] = instead(*codes)
    found["Sentences beside whole reviews"] = instead(*(f"{c}.{p}" for c in (f"theme-{first}", "even")
                                                        for p in ("paper", "reviews")))  # fmt: skip
    found["MMR beside Gumbel"] = instead(*(f"{c}.{by}" for c in (f"theme-{first}", "even") for by in EXTRACTORS))
    return found


def _add(corpus_id: str, codes: Sequence[str]) -> None:
    columns = st.session_state[_COLUMNS][corpus_id]
    columns += [(next(_FRESH), code) for code in codes[: MOST - len(columns)]]


def _remove(corpus_id: str, uid: int) -> None:
    columns = st.session_state[_COLUMNS][corpus_id]
    columns[:] = [one for one in columns if one[0] != uid]


def _name(code: str, here: Shelf) -> str:
    name, by, of = split(code)
    try:
        said = profile(name, here.product, here.corpus.view.choices, here.people).name
    except ConfigError:
        said = "not here"
    return ", ".join([said, *([WAYS.get(by, by)] if by else []), *([KEPT[of].split(" (")[0]] if of else [])])


def _followed(uid: int, code: str, here: Shelf) -> str:
    """Return the code of a column as its widgets have it now."""
    name, by, of = split(code)
    kind, *rest = name.split("-")
    state = st.session_state
    now = state.get(_key(uid, "kind"), kind)
    labels, wanted = here.corpus.view.choices, here.corpus.cared_for

    def told(part: str, otherwise: int) -> int:
        return int(state.get(_key(uid, part), otherwise))

    mine = rest if now == kind else []
    old = [int(part) for part in mine if part.isdecimal()]
    if now == "theme":
        name = f"theme-{told('one', old[0] if old else wanted[0])}"
    elif now == "mix":
        one = told("one", old[0] if old else wanted[0])
        others = [k for k in wanted if k != one] or [k for k in range(len(labels)) if k != one]
        two = told("two", old[1] if len(old) > 1 else others[0])
        name = f"mix-{one}-{two if two != one else others[0]}"
    elif now == "own":
        start = old or [100 if k == wanted[0] else 20 for k in range(len(labels))]
        if any(_key(uid, f"own-{k}") in state for k in range(len(labels))):
            scaled = _percent(start)
            made = [told(f"own-{k}", scaled[k]) for k in range(len(labels))]
            # Sliders count in whole steps: what a file or a link brought in full stays while none is moved.
            start = start if made == scaled else made
        name = "-".join(["own", *map(str, start)])
    elif now in ("reviewer", *GROUPS):
        there = len(reviewers(here.product) if now == "reviewer" else here.people.groups.get(now, ()))
        name = f"{now}-{min(told(_who(now, here), old[0] if old else 0), max(0, there - 1))}"
    elif now == "saved":
        who = state.get(_key(uid, "saved"), "-".join(mine[:2]) or next(iter(here.saved), ""))
        name = f"saved-{who}" + _moment(uid, mine[2:], who)
    elif now == "mine":
        name = "mine" + _moment(uid, mine, "me")
    else:
        name = now
    by, of = state.get(_key(uid, "by"), by or AS_DESK), state.get(_key(uid, "of"), of or AS_DESK)
    return ".".join([name, *([by] if by else []), *([of] if of else [])])


def _moment(uid: int, old: Sequence[str], who: str) -> str:
    found = st.session_state.get(_key(uid, f"at-{who}"), old[0] if old else "now")
    return "" if found == "now" else f"-{found}"


def _key(uid: int, part: str) -> str:
    return f"desk-{uid}-{part}"


def _who(kind: str, here: Shelf) -> str:
    return f"who-{here.product.product_id}" if kind == "reviewer" else f"who-{kind}"


def _percent(weights: Sequence[int]) -> list[int]:
    most = max(weights)
    return [round(100 * one / most) if most > 100 else one for one in weights]


def _editor(uid: int, code: str, here: Shelf, *, only: bool) -> None:
    """Draw what stands behind a column's button."""
    name, by, of = split(code)
    kind, *rest = name.split("-")
    kinds = here.kinds if kind in here.kinds else [*here.kinds, kind]
    st.selectbox("Profile", kinds, kinds.index(kind), format_func=KINDS.__getitem__, key=_key(uid, "kind"))
    numbers = [int(part) for part in rest if part.isdecimal()]
    labels, wanted = here.corpus.view.choices, list(here.corpus.cared_for)
    if kind == "theme":
        _aspect("Aspect", numbers[0], wanted, labels, _key(uid, "one"))
    elif kind == "mix":
        _aspect("Aspect", numbers[0], wanted, labels, _key(uid, "one"))
        _aspect("and", numbers[1], [k for k in wanted if k != numbers[0]], labels, _key(uid, "two"))
    elif kind == "own":
        for k, value in enumerate(_percent(numbers)):
            st.slider(labels[k], 0, 100, value, key=_key(uid, f"own-{k}"))
    elif kind in ("reviewer", *GROUPS):
        tastes = reviewers(here.product) if kind == "reviewer" else here.people.groups[kind]
        spread = entropies(tastes)
        st.selectbox(
            "Who", range(len(tastes)), min(numbers[0], len(tastes) - 1), key=_key(uid, _who(kind, here)),
            format_func=lambda i: (
                f"{i + 1}, mostly {labels[int(np.argmax(tastes[i]))]}, spread {100 * spread[i]:.0f} %"
            ),
            help="The mean of what one reviewer wrote about. The spread is 0 % for a single aspect and 100 % for all "
            "alike.",
        )  # fmt: skip
    elif kind == "saved":
        who = "-".join(rest[:2])
        names = list(dict.fromkeys([*here.saved, who]))  # one that is gone stays chosen until somebody chooses anew
        st.selectbox("Session", names, names.index(who), key=_key(uid, "saved"))
        _when(uid, here.people.saved(who), rest[2:], who)
    elif kind == "mine":
        _when(uid, here.people.mine, rest, "me")
    ways = [AS_DESK, *EXTRACTORS]
    st.selectbox("Evidence by", ways, ways.index(by or AS_DESK), key=_key(uid, "by"),
                 format_func=lambda one: WAYS.get(one, one) or "as the others")  # fmt: skip
    kept = [AS_DESK, *KEPT]
    st.selectbox("Evidence of", kept, kept.index(of or AS_DESK), key=_key(uid, "of"),
                 format_func=lambda one: KEPT.get(one) or "as the others")  # fmt: skip
    st.button("Take away", key=_key(uid, "remove"), on_click=_remove, args=(here.corpus.id, uid), disabled=only,
              icon=":material/close:", width="stretch")  # fmt: skip


def _aspect(name: str, first: int, options: list[int], labels: Sequence[str], key: str) -> None:
    options = options if first in options else [*options, first]
    st.selectbox(name, options, options.index(first), format_func=lambda k: labels[k], key=key)


def _when(uid: int, moments: Sequence[object] | None, old: Sequence[str], who: str) -> None:
    if moments is None:
        return
    options = ["now", *map(str, range(len(moments)))]
    at = old[0] if old and old[0] in options else "now"
    st.selectbox(
        "When", options, options.index(at), key=_key(uid, f"at-{who}"),
        format_func=lambda t: {"now": "now", "0": "at the start", "1": "after 1 rating"}.get(t, f"after {t} ratings"),
    )  # fmt: skip
