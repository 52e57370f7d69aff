"""Names that people give to aspects: which built aspects are shown together, under what name, and which are hidden.

A view only says how numbers are shown. Memberships, learner and ledger keep the built K aspects; `View.fold` sums what
is shown together, so every stored preference keeps its meaning whatever is merged, split or hidden later.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
