"""May a text be shown? Three checks behind one protocol; the application uses the one that measured best here."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from prefer_core.config import home
from prefer_core.rewriting.check.strict import strict

if TYPE_CHECKING:
    from prefer_core.rewriting.base import Backend


@dataclass(frozen=True)
class Verdict:
    """What a check makes of a text.

    Attributes
    ----------
    ok : bool
        Whether it may be shown.
    score : float
        How sure the check is that the sources say it, in [0, 1]; comparable within one check only.
    reasons : tuple of str
        Why not, one sentence each; empty if it is ok.
    """

    ok: bool
    score: float
    reasons: tuple[str, ...] = ()


class Check(Protocol):
    """Something that judges texts."""

    name: str
    asks_the_writer: bool

    def judge(self, text: str, sources: Sequence[str]) -> Verdict:
        """Judge whether a text says only what its sources say."""
        ...


class Strict:
    """Clauses of the sources as they stand, and nothing else."""

    name = "strict"
    asks_the_writer = False

    def judge(self, text: str, sources: Sequence[str]) -> Verdict:
        """Judge a text by its form, its numbers and its words; see `check.strict`."""
        reasons = tuple(strict(text, sources))
        return Verdict(not reasons, float(not reasons), reasons)


STRICT = Strict()


@dataclass(frozen=True)
class Figure:
    """What a check measured on this machine; see ``precompute.py --measure-check``.

    Attributes
    ----------
    true_accepted, false_accepted : float
        Shares of the true and of the false labelled rows that pass at `threshold`.
    rewrites : float or None
        Share of faithful rewrites by hand that pass; None where they were not at hand.
    threshold : float
        Least score at which a text passes.
    rows : int
        Labelled rows.
    """

    true_accepted: float
    false_accepted: float
    threshold: float
    rows: int
    rewrites: float | None = None

    @property
    def words(self) -> str:
        """The figure in words for people."""
        return (
            f"lets {self.true_accepted:.0%} of true sentences through and {self.false_accepted:.0%} of false ones, on "
            f"{self.rows} that were labelled by reading"
        )


def figures() -> dict[str, Figure]:
    """Return what was measured on this machine, check by check; empty if nothing was."""
    try:
        stored = json.loads(_file().read_text(encoding="utf-8"))
        return {str(name): Figure(**values) for name, values in stored.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def keep(found: Mapping[str, Figure]) -> Path:
    """Store what was measured beside what was measured before; return the file."""
    path = _file()
    path.parent.mkdir(parents=True, exist_ok=True)
    values = {name: asdict(figure) for name, figure in {**figures(), **found}.items()}
    path.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
    return path


def _file() -> Path:
    return home() / "checks.json"


def best(model_key: str = "", backend: "Backend | None" = None, chat: bool = True) -> Check:
    """Return the check that let most true sentences through, of those that can be had here.

    Parameters
    ----------
    model_key, backend, chat : str, Backend, bool
        The model that writes and how it is asked; the check that asks it is had only with these.
    """
    from prefer_core.rewriting.check.asked import Asked
    from prefer_core.rewriting.check.entailment import CANDIDATES, EntailmentCheck, folder_of

    known = figures()
    makers: dict[str, Callable[[], Check]] = {"strict": lambda: STRICT}
    for one in CANDIDATES:
        if one.repository in known and folder_of(one) is not None:
            makers[one.repository] = lambda one=one: EntailmentCheck.of(one, known[one.repository].threshold)  # type: ignore[misc]
    if backend is not None and f"asked {model_key}" in known:
        name = f"asked {model_key}"
        makers[name] = lambda: Asked(backend, name, chat, known[name].threshold)
    # Strict stands where it was not measured: it needs nothing.
    order = sorted(makers, key=lambda name: known[name].true_accepted if name in known else 0.0)
    return makers[order[-1]]()


@cache
def current() -> Check:
    """Return the best check that needs no writing model; one a process."""
    return best()


def check(text: str, sources: Sequence[str]) -> Verdict:
    """Judge whether a text may be shown beside its sources, by the best check at hand.

    Examples
    --------
    >>> STRICT.judge("Many reviewers say the lid leaks.", ["The lid leaks."]).ok
    True
    """
    return current().judge(text, sources)
