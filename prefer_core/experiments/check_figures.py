"""What the checks are worth on this machine: true sentences let through at a twentieth of the false ones.

The labelled rows (`assets/checker/natural.tsv`) are natural sentences about made-up reviews, half of them untrue in
one of twelve ways. They were written for this and serve for nothing else: no rule and no threshold but the one stored
here was set on them.
"""

import csv
import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from prefer_core.config import home
from prefer_core.errors import BackendError
from prefer_core.files.progress import Tick, silent
from prefer_core.rewriting import check, models
from prefer_core.rewriting.check import STRICT, Check, Figure
from prefer_core.rewriting.check.asked import Asked
from prefer_core.rewriting.check.entailment import CANDIDATES, EntailmentCheck, folder_of

ROWS = Path(__file__).parents[2] / "assets" / "checker" / "natural.tsv"

FALSE_ACCEPTED = 0.05
"""Share of false rows that a check with a threshold may let through."""

_LEAST = 1e-6


@dataclass(frozen=True)
class Row:
    """One labelled statement.

    Attributes
    ----------
    kind : str
        In which of twelve ways the false statement of the pair is untrue.
    evidence, statement : str
        What a reviewer wrote, and what a summary says of it, to be read after "Reviewers say".
    true : bool
        Whether the evidence says it.
    """

    kind: str
    evidence: str
    statement: str
    true: bool


def rows(file: Path = ROWS) -> list[Row]:
    """Return the labelled rows."""
    with file.open(encoding="utf-8", newline="") as stream:
        table = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Row(row["kind"], row["evidence"], row["statement"], row["label"] == "true") for row in table]


def rewrites(folder: Path) -> list[tuple[str, list[str]]]:
    """Return faithful rewrites by hand with their notes, from ``pairs.jsonl.gz``; empty where the folder has none."""
    file = folder / "pairs.jsonl.gz"
    if not file.is_file():
        return []
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        pairs = [json.loads(line) for line in stream]
    return [(pair["out"], pair["notes"]) for pair in pairs if pair["out"].strip(" ().").lower() not in ("", "nothing")]


def sentence(statement: str) -> str:
    """Return a statement as a summary would have it."""
    return f"Reviewers say {statement.strip().rstrip('.')}."


def figure(
    true: Sequence[float], false: Sequence[float], rewritten: Sequence[float], threshold: float | None
) -> Figure:
    """Return what scores amount to; without a threshold the lowest one is taken that keeps `FALSE_ACCEPTED`.

    Examples
    --------
    >>> figure([0.9, 0.6, 0.2], [0.5, 0.1], [0.7], None).true_accepted
    0.6666666666666666
    """
    good, bad = np.asarray(true), np.asarray(false)
    if threshold is None:
        marks = np.unique(np.concatenate([good, bad, [_LEAST]]))
        marks = np.append(marks[marks >= _LEAST], np.inf)
        threshold = float(next(mark for mark in marks if (bad >= mark).mean() <= FALSE_ACCEPTED))
    passed = None if not len(rewritten) else float((np.asarray(rewritten) >= threshold).mean())
    return Figure(float((good >= threshold).mean()), float((bad >= threshold).mean()), threshold,
                  len(good) + len(bad), passed)  # fmt: skip


def measure(judge: Check, labelled: Sequence[Row], rewritten: Sequence[tuple[str, list[str]]], tick: Tick) -> tuple[
    NDArray[np.float64], NDArray[np.float64]
]:  # fmt: skip
    """Return a check's scores of the labelled rows and of the rewrites."""
    asked = [(sentence(row.statement), [row.evidence]) for row in labelled]
    asked += [(sentence(text), notes) for text, notes in rewritten]
    scores = []
    for done, (text, sources) in enumerate(asked):
        tick(done, len(asked))
        scores.append(judge.judge(text, sources).score)
    return np.array(scores[: len(labelled)]), np.array(scores[len(labelled) :])


def run(folder: Path | None, tick: Tick = silent) -> list[str]:
    """Measure every check that is here, store the figures, and return a table to print.

    Parameters
    ----------
    folder : Path or None
        Where the rewrites by hand are.
    """
    labelled = rows()
    rewritten = [] if folder is None else rewrites(folder)
    truth = np.array([row.true for row in labelled])
    lines = [f"{'check':<44}{'true':>7}{'false':>7}{'rewrites':>10}"]
    found: dict[str, Figure] = {}
    notes: list[str] = []
    for name, make in _available(notes):
        judge = make()
        try:
            natural, by_hand = measure(judge, labelled, rewritten, tick)
        finally:
            close = getattr(judge, "close", None)
            if close is not None:
                close()
        if not natural.any() and judge is not STRICT:
            notes.append(f"{name} gave no verdict; see {home() / 'logs'}.")
            continue
        one = figure(
            natural[truth].tolist(), natural[~truth].tolist(), by_hand.tolist(), 0.5 if judge is STRICT else None
        )
        found[name] = one
        share = "not here" if one.rewrites is None else f"{one.rewrites:.0%}"
        lines.append(f"{name:<44}{one.true_accepted:>7.0%}{one.false_accepted:>7.1%}{share:>10}")
        wrong = [
            row.kind for row, score in zip(labelled, natural, strict=True) if not row.true and score >= one.threshold
        ]
        if wrong:
            lines.append(
                f"  false ones let through: {', '.join(f'{kind} {wrong.count(kind)}' for kind in dict.fromkeys(wrong))}"
            )
    stored = check.keep(found)
    return [
        *lines,
        *notes,
        f"stored: {stored}; the application uses {max(found, key=lambda n: found[n].true_accepted)}",
    ]


def _available(notes: list[str]) -> list[tuple[str, Callable[[], Check]]]:
    """Return the checks that can be had here, and note what the others lack."""
    made: list[tuple[str, Callable[[], Check]]] = [("strict", lambda: STRICT)]
    for one in CANDIDATES:
        if folder_of(one) is None:
            notes.append(
                f"{one.repository} ({one.size_mib} MiB, {one.licence}) is not here: hf download {one.repository}"
            )
        else:
            made.append((one.repository, lambda one=one: EntailmentCheck(one, 0.0)))  # type: ignore[misc]
    choice = models.resolve()
    if choice.model is None or not choice.model.style.follows:
        notes.append("No instruct model is here, so none can be asked yes or no.")
        return made
    model = choice.model
    name = f"asked {model.key}"

    def asked() -> Check:
        try:
            return _Closing(models.backend(choice), name, model.style.chat, 0.0)
        except BackendError as error:
            raise BackendError(f"{model.name} cannot be asked: {error}") from error

    return [*made, (name, asked)]


class _Closing(Asked):
    """The check that asks, with a model of its own."""

    def close(self) -> None:
        """End the model."""
        self._backend.close()
