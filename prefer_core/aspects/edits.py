"""The edits that people make to the names of aspects, as a list that only grows; what they come to is a `View`."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from prefer_core.aspects.naming import HIDDEN, Group, View
from prefer_core.errors import ConfigError

LONGEST = 40
"""Characters of a name."""

_SIGNS = frozenset(" ,.-–'’&/()+%!?")
_MOST_ACCENTS = 2


@dataclass(frozen=True)
class Edit:
    """One edit; who made it is not kept.

    Attributes
    ----------
    kind : {"rename", "merge", "split", "hide", "show", "undo"}
        What was done.
    aspects : tuple of int
        Built aspects: any member stands for its group.
    name : str
        Name given by a rename or a merge, else empty.
    at : str
        When, ISO 8601 in UTC.
    """

    kind: str
    aspects: tuple[int, ...] = ()
    name: str = ""
    at: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"kind": self.kind, "aspects": list(self.aspects), "name": self.name, "at": self.at}

    @classmethod
    def from_dict(cls, value: dict[str, Any]) -> "Edit":
        """Read plain values; ValueError, TypeError or KeyError where they are none of an edit."""
        aspects, texts = value["aspects"], [value[name] for name in ("kind", "name", "at")]
        if not all(type(k) is int for k in aspects) or not all(isinstance(text, str) for text in texts):
            raise TypeError("an edit holds whole numbers and texts")
        return cls(texts[0], tuple(aspects), texts[1], texts[2])


def view_of(labels: Sequence[str], edits: Sequence[Edit]) -> View:
    """Return what edits make of the K built names.

    Raises
    ------
    ConfigError
        If an edit cannot be made where it stands.
    """
    view = View.of(labels)
    for edit in in_force(edits):
        view = edited(view, edit)
    return view


def in_force(edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits that no undo has taken back, in order; each undo takes back the latest one in force."""
    kept: list[Edit] = []
    for edit in edits:
        if edit.kind != "undo":
            kept.append(edit)
        elif kept:
            kept.pop()
        else:
            raise ConfigError("There is nothing to undo.")
    return kept


def told(labels: Sequence[str], edits: Sequence[Edit]) -> list[str]:
    """Say in words what each edit did, oldest first; the edits as for `view_of`.

    >>> told(("Lid", "Smell"), [Edit("rename", (0,), "Cap"), Edit("undo")])
    ['Lid renamed to Cap', 'Taken back: Lid renamed to Cap']
    """
    views = [View.of(labels)]
    open_words: list[str] = []
    said: list[str] = []
    for edit in edits:
        if edit.kind == "undo":
            views.pop()
            said.append(f"Taken back: {open_words.pop()}")
            continue
        names = list(dict.fromkeys(views[-1].group(k).label for k in edit.aspects))
        views.append(edited(views[-1], edit))
        given = views[-1].group(edit.aspects[0]).label
        open_words.append(
            _WORDS[edit.kind].format(", ".join(names) if edit.kind != "merge" else " + ".join(names), given)
        )
        said.append(open_words[-1])
    return said


def edited(view: View, edit: Edit) -> View:
    """Return the view after one edit other than an undo; ConfigError, in one sentence, where it cannot be made."""
    if edit.kind not in _EDITS:
        raise ConfigError(f"There is no edit {edit.kind!r}; it is one of {', '.join([*_EDITS, 'undo'])}.")
    wrong = [k for k in edit.aspects if not 0 <= k < len(view.built)]
    if wrong or not edit.aspects:
        raise ConfigError(f"An edit names some of the {len(view.built)} aspects, 0 the first; found {wrong or 'none'}.")
    made = _EDITS[edit.kind](view, edit)
    if all(group.hidden for group in made.groups):
        raise ConfigError("At least one aspect must stay shown; show another one first.")
    return made


def clean_name(name: str, view: View, members: Sequence[int]) -> str:
    """Return a name as it is kept, for the group of `members`: in Unicode's NFKC form, single spaces.

    Raises
    ------
    ConfigError
        If it is empty, too long, another aspect's, or holds signs that are not for names.
    """
    kept = " ".join(unicodedata.normalize("NFKC", name).split())
    if not any(mark.isalnum() for mark in kept):
        raise ConfigError("A name needs at least one letter or digit.")
    if len(kept) > LONGEST:
        raise ConfigError(f"A name has at most {LONGEST} characters, found {len(kept)}; shorten it.")
    accents = 0
    for mark in kept:
        kind = unicodedata.category(mark)[0]
        accents = accents + 1 if kind == "M" else 0
        if not (kind in "LM" or mark.isdecimal() or mark in _SIGNS) or accents > _MOST_ACCENTS:
            raise ConfigError(f"A name holds letters, digits, spaces and , . - ' & / ( ) + % ! ?, not {mark!a}.")
    if kept.casefold() in _taken(view, members):
        raise ConfigError(f"Another aspect is called {kept} already; choose a different name, or merge the two.")
    return kept


def _taken(view: View, members: Sequence[int]) -> set[str]:
    """Return the names of all but `members`: those of merged aspects too, which a split brings back."""
    names = {HIDDEN, *(group.label for k, group in enumerate(view.alone) if k not in members)}
    names |= {group.label for group in view.merged if not set(group.members) & set(members)}
    return {name.casefold() for name in names}


def _put(view: View, group: Group) -> View:
    """Return the view with a group in place of the one, or those, of its members."""
    if len(group.members) == 1:
        alone = list(view.alone)
        alone[group.members[0]] = group
        return replace(view, alone=tuple(alone))
    others = (g for g in view.merged if not set(g.members) & set(group.members))
    return replace(view, merged=tuple(sorted((*others, group), key=lambda g: g.members)))


def _one(view: View, edit: Edit) -> Group:
    groups = {view.group(k) for k in edit.aspects}
    if len(groups) != 1:
        raise ConfigError(f"Choose one aspect to {edit.kind}, found {len(groups)}.")
    return groups.pop()


def _rename(view: View, edit: Edit) -> View:
    group = _one(view, edit)
    return _put(view, replace(group, label=clean_name(edit.name, view, group.members)))


def _merge(view: View, edit: Edit) -> View:
    groups = {view.group(k) for k in edit.aspects}
    if len(groups) < 2:
        raise ConfigError("Choose at least two aspects to merge.")
    members = tuple(sorted(k for group in groups for k in group.members))
    return _put(view, Group(members, clean_name(edit.name, view, members)))


def _split(view: View, edit: Edit) -> View:
    group = _one(view, edit)
    if len(group.members) == 1:
        raise ConfigError(f"{group.label} is one built aspect; only a merged aspect can be split.")
    return replace(view, merged=tuple(g for g in view.merged if g != group))


def _hide(view: View, edit: Edit) -> View:
    group = _one(view, edit)
    if group.hidden:
        raise ConfigError(f"{group.label} is hidden already.")
    return _put(view, replace(group, hidden=True))


def _show(view: View, edit: Edit) -> View:
    group = _one(view, edit)
    if not group.hidden:
        raise ConfigError(f"{group.label} is shown already.")
    return _put(view, replace(group, hidden=False))


_EDITS: dict[str, Callable[[View, Edit], View]] = {
    "rename": _rename, "merge": _merge, "split": _split, "hide": _hide, "show": _show,
}  # fmt: skip

_WORDS = {
    "rename": "{0} renamed to {1}", "merge": "{0} merged as {1}", "split": "{0} split", "hide": "{0} hidden",
    "show": "{0} shown again",
}  # fmt: skip
