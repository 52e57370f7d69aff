"""May a text be shown? Three checks behind one protocol; the application uses the one that measured best here."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from prefer_core.config import home
from prefer_core.rewriting.base import Backend
from prefer_core.rewriting.check.asked import Asked
from prefer_core.rewriting.check.entailment import CANDIDATES, EntailmentCheck, folder_of
from prefer_core.rewriting.check.rules import Check, Verdict
from prefer_core.rewriting.check.strict import STRICT

__all__ = ["STRICT", "Check", "Figure", "Verdict", "best", "best_name", "check", "current", "figures", "keep"]


@dataclass(frozen=True)
class Figure:
    """What a check measured on this machine; see ``precompute.py --measure-check``.

    Shares of the true and of the false labelled rows that pass at the threshold, how many rows there were, and the
    share of faithful rewrites by hand that pass (None where they were not at hand).
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


def best_name(model_key: str = "") -> str:
    """Return the name of the check that let most true sentences through, of those that can be had here.

    `model_key` is the instruct model that writes, which may be asked itself; empty for none.
    """
    known = figures()
    here = {STRICT.name, f"asked {model_key}"} if model_key else {STRICT.name}
    here |= {one.repository for one in CANDIDATES if one.repository in known and folder_of(one) is not None}
    # Strict stands where nothing was measured: it needs nothing.
    measured = [(known[name].true_accepted, name != STRICT.name, name) for name in here if name in known]
    top = max(measured, default=(0.0, False, STRICT.name))
    return top[2] if top[0] > 0 else STRICT.name


def best(model_key: str = "", backend: Backend | None = None, chat: bool = True) -> Check:
    """Return the check of that name; the one that asks the writing model is had with its backend only."""
    name = best_name(model_key if backend is not None else "")
    if name == STRICT.name:
        return STRICT
    threshold = figures()[name].threshold
    if backend is not None and name == f"asked {model_key}":
        return Asked(backend, name, chat, threshold)
    return EntailmentCheck(next(one for one in CANDIDATES if one.repository == name), threshold)


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
