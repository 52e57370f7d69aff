"""Names that people give to aspects: what is shown together, under what name, what is hidden, and where it is kept.

A view only says how numbers are shown. Memberships, learner and ledger keep the built K aspects; `View.fold` sums what
is shown together, so every stored preference keeps its meaning whatever is merged, split or hidden later.

Edits are a list that only grows; it lies in one file a corpus, beside it, so that the corpus and its id stay as built.
The file is read without a lock, since it is always replaced as a whole, and written under one, so that two who edit at
once lose nothing.
"""

import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from prefer_core.config import home
from prefer_core.errors import ConfigError, CorpusError
from prefer_core.files.folders import whole_file
from prefer_core.types import IntArray, Step

HIDDEN = "Hidden aspects"
"""What the one row of all hidden aspects is called; nobody may give this name to another."""

HIDDEN_MARK = -1
"""Stands where a row's colour is that of no aspect."""


@dataclass(frozen=True)
class Group:
    """Built aspects that are shown as one: a single one, or several that were merged.

    Attributes
    ----------
    members : tuple of int
        Built aspects, ascending; the first gives the colour.
    label : str
        What the group is called.
    hidden : bool
        Whether it is left out of the rows and counted under `HIDDEN`.
    """

    members: tuple[int, ...]
    label: str
    hidden: bool = False


@dataclass(frozen=True)
class Row:
    """One bar of a figure: its name, the built aspects summed in it, and the aspect whose colour it has."""

    label: str
    members: tuple[int, ...]
    mark: int


@dataclass(frozen=True)
class View:
    """How K built aspects are shown.

    Attributes
    ----------
    built : tuple of K str
        Names from the build.
    alone : tuple of K Group
        Each aspect by itself; what splitting a merged one gives back.
    merged : tuple of Group
        Groups of two and more, disjoint.
    other : int, optional
        The aspect that is about nothing in particular; alone, it is shown grey.
    """

    built: tuple[str, ...]
    alone: tuple[Group, ...]
    merged: tuple[Group, ...] = ()
    other: int | None = None

    @classmethod
    def of(cls, labels: Sequence[str], other: int | None = None) -> "View":
        """Return the view that changes nothing."""
        return cls(tuple(labels), tuple(Group((k,), label) for k, label in enumerate(labels)), other=other)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """All groups, hidden ones too, by their first member; every built aspect is in one."""
        taken = {k for group in self.merged for k in group.members}
        single = (group for k, group in enumerate(self.alone) if k not in taken)
        return tuple(sorted((*self.merged, *single), key=lambda group: group.members))

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """What figures show (R): the groups that are not hidden, then, where some are, one row for all hidden ones."""
        shown = tuple(Row(g.label, g.members, self.mark(g)) for g in self.groups if not g.hidden)
        rest = tuple(sorted(k for g in self.groups if g.hidden for k in g.members))
        return (*shown, Row(HIDDEN, rest, HIDDEN_MARK)) if rest else shown

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the R rows."""
        return tuple(row.label for row in self.rows)

    @cached_property
    def marks(self) -> tuple[int, ...]:
        """For each of the R rows, the built aspect whose colour it has; HIDDEN_MARK for none."""
        return tuple(row.mark for row in self.rows)

    @cached_property
    def never_named(self) -> tuple[int, ...]:
        """Rows that are no thing to care about: that of "other", where it is shown alone."""
        return tuple(i for i, row in enumerate(self.rows) if row.members == (self.other,))

    @cached_property
    def place(self) -> IntArray:
        """Row of each built aspect (K,)."""
        found = np.empty(len(self.built), dtype=np.int64)
        for i, row in enumerate(self.rows):
            found[list(row.members)] = i
        return found

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Name under which each built aspect goes (K); a hidden one keeps its own."""
        return tuple(self.group(k).label for k in range(len(self.built)))

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """Name of each built aspect (K) where one of them is chosen: no two are equal."""
        return tuple(self._choice(k) for k in range(len(self.built)))

    @property
    def changed(self) -> bool:
        """Whether it differs from the build in anything."""
        return self != View.of(self.built, self.other)

    def mark(self, group: Group) -> int:
        """Return the built aspect whose colour a group has; HIDDEN_MARK for "other" alone."""
        return HIDDEN_MARK if group.members == (self.other,) else group.members[0]

    def group(self, aspect: int) -> Group:
        """Return the group of a built aspect."""
        return next((g for g in self.merged if aspect in g.members), self.alone[aspect])

    def row(self, aspect: int) -> Row:
        """Return the row of a built aspect."""
        return self.rows[int(self.place[aspect])]

    def fold(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sum values of the built aspects (..., K) to the rows (..., R): for w, z, memberships and mass alike.

        Examples
        --------
        >>> view = View.of(("lid", "smell", "price"))
        >>> view.fold(np.array([0.25, 0.5, 0.25]))
        array([0.25, 0.5 , 0.25])
        """
        values = np.asarray(values)
        if not self.merged and all(len(row.members) == 1 for row in self.rows) and len(self.rows) == values.shape[-1]:
            order = [row.members[0] for row in self.rows]
            return values if order == list(range(len(order))) else values[..., order]
        return np.stack([values[..., list(row.members)].sum(axis=-1) for row in self.rows], axis=-1)

    def fold_step(self, step: Step) -> Step:
        """Return a learning step with its vectors folded to the rows (R,); the numbers of the rating stay."""
        return replace(
            step, z=self.fold(step.z), w_before=self.fold(step.w_before), w_step=self.fold(step.w_step),
            w_after=self.fold(step.w_after),
        )  # fmt: skip

    def fold_tastes(self, found: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what `aspects.heterogeneity` stored with every taste folded to the rows; entropies stay those of K."""
        if not self.changed or "groups" not in found:
            return found
        profiles = self.fold(np.array(found["sample"]["profiles"]))
        sample = {**found["sample"], "profiles": profiles.tolist(), "dominant": profiles.argmax(axis=1).tolist()}
        groups = [
            {
                **group,
                "profile": self.fold(np.array(group["profile"])).tolist() if group["profile"] else group["profile"],
            }
            for group in found["groups"]
        ]
        return {**found, "sample": sample, "groups": groups}

    def key(self) -> list[dict[str, Any]]:
        """Return, for each built aspect, its name from the build and how it is shown, for files that leave the app."""
        return [
            {"aspect": k, "built": self.built[k], "given": self.labels[k], "hidden": self.group(k).hidden}
            for k in range(len(self.built))
        ]

    def _choice(self, aspect: int) -> str:
        group = self.group(aspect)
        name = group.label if len(group.members) == 1 else f"{group.label}: {self.alone[aspect].label}"
        return f"{name} (hidden)" if group.hidden else name


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


def _hide_or_show(view: View, edit: Edit) -> View:
    group, hidden = _one(view, edit), edit.kind == "hide"
    if group.hidden == hidden:
        raise ConfigError(f"{group.label} is {'hidden' if hidden else 'shown'} already.")
    return _put(view, replace(group, hidden=hidden))


_EDITS: dict[str, Callable[[View, Edit], View]] = {
    "rename": _rename, "merge": _merge, "split": _split, "hide": _hide_or_show, "show": _hide_or_show,
}  # fmt: skip

_WORDS = {
    "rename": "{0} renamed to {1}", "merge": "{0} merged as {1}", "split": "{0} split", "hide": "{0} hidden",
    "show": "{0} shown again",
}  # fmt: skip


FORMAT = 1
_PATIENCE = 10.0
"""Seconds to wait for somebody else's edit."""


class NameBook:
    """The names of one corpus.

    Parameters
    ----------
    corpus_id : str
        Whose aspects these are.
    built : sequence of K str
        Their names from the build.
    folder : Path, optional
        Where the file lies; ``names`` in PREFER_HOME if left out.
    """

    def __init__(self, corpus_id: str, built: Sequence[str], folder: Path | None = None) -> None:
        self.corpus_id = corpus_id
        self.built = tuple(built)
        self.path = (folder or home() / "names") / f"{corpus_id}.json"

    def text(self) -> str:
        """Return the file as it is, empty where there is none; it tells whether anything has changed."""
        try:
            return self.path.read_bytes().decode(errors="replace")
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise CorpusError(f"{self.path} cannot be read ({error.strerror}); change its permissions.") from None

    def edits(self) -> tuple[Edit, ...]:
        """Read every edit, oldest first.

        Raises
        ------
        CorpusError
            If the file is damaged, of a newer format, or about another corpus; it is left as it is.
        """
        return self.read(self.text())

    def view(self) -> View:
        """Return what all edits come to; CorpusError like `edits`."""
        return view_of(self.built, self.edits())

    def read(self, text: str) -> tuple[Edit, ...]:
        """Return the edits in the text of a file; see `edits`."""
        if not text:
            return ()
        try:
            content = json.loads(text)
            version = int(content["format"])
        except (ValueError, TypeError, KeyError):
            raise self._damaged() from None
        if version > FORMAT:
            raise CorpusError(f"{self.path} has format {version}, newer than {FORMAT} known here; update PREFER.")
        try:
            edits = tuple(Edit.from_dict(one) for one in content["edits"])
            if content["corpus"] != self.corpus_id or tuple(content["built"]) != self.built:
                raise ValueError("the names are another corpus's")
            view_of(self.built, edits)
        except (ValueError, TypeError, KeyError, AttributeError, ConfigError):
            raise self._damaged() from None
        return edits

    def add(self, kind: str, aspects: Sequence[int] = (), name: str = "") -> View:
        """Make an edit and return the view after it.

        Raises
        ------
        ConfigError
            If the edit cannot be made; nothing is written.
        CorpusError
            If the file is damaged or cannot be written, or somebody else holds it for ten seconds.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path.with_suffix(".lock"), timeout=_PATIENCE):
                return self._add(kind, tuple(int(k) for k in aspects), name)
        except Timeout:
            raise CorpusError(f"Somebody else is editing {self.path}; try again.") from None
        except OSError as error:
            raise CorpusError(
                f"{self.path} cannot be written ({error.strerror or error}); make room or change its permissions."
            ) from error

    def _add(self, kind: str, aspects: tuple[int, ...], name: str) -> View:
        edits = self.edits()
        view = view_of(self.built, edits)
        if name:  # kept as it will be shown
            members = {m for k in aspects if 0 <= k < len(self.built) for m in view.group(k).members}
            name = clean_name(name, view, sorted(members))
        edit = Edit(kind, aspects, name, datetime.now(UTC).isoformat(timespec="seconds"))
        after = view_of(self.built, in_force((*edits, edit))) if kind == "undo" else edited(view, edit)
        self._write((*edits, edit))
        return after

    def set_aside(self) -> Path:
        """Move a damaged file out of the way under a new name beside it; return where it lies now."""
        with FileLock(self.path.with_suffix(".lock"), timeout=_PATIENCE):
            number = 1
            while (aside := self.path.with_suffix(f".damaged-{number}.json")).exists():
                number += 1
            self.path.rename(aside)
        return aside

    def export(self) -> str:
        """Return the names as JSON for people: every built aspect with its given name, and the history."""
        edits = self.edits()
        return _dump(self._content(edits) | {"names": view_of(self.built, edits).key()})

    def _content(self, edits: Sequence[Edit]) -> dict[str, Any]:
        return {
            "format": FORMAT, "corpus": self.corpus_id, "built": list(self.built),
            "edits": [edit.to_dict() for edit in edits],
        }  # fmt: skip

    def _write(self, edits: Sequence[Edit]) -> None:
        with whole_file(self.path) as fresh:
            fresh.write_bytes(_dump(self._content(edits)).encode())

    def _damaged(self) -> CorpusError:
        return CorpusError(
            f"{self.path} is damaged, so the names from the build are shown; repair it, or move it away to begin anew."
        )


def _dump(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
