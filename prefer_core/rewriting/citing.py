"""How good the citations of a text are: whether they hold it up, and whether each of them is needed.

Recall and precision of citations as ALCE defines them (Gao et al., "Enabling Large Language Models to Generate Text
with Citations", EMNLP 2023), with this house's checks in place of an entailment model.
"""

from typing import NamedTuple

from prefer_core.config import WritingSettings
from prefer_core.rewriting.base import Evidence, Statement
from prefer_core.rewriting.grounding import check
from prefer_core.rewriting.meaning import shared

_SETTINGS = WritingSettings()


class Citing(NamedTuple):
    """Counts behind recall (supported / statements) and precision (needed / citations)."""

    supported: int
    statements: int
    needed: int
    citations: int


def citing(statements: tuple[Statement, ...], evidence: Evidence) -> Citing:
    """Count how many statements the sentences they cite support together, and how many of the citations are needed.

    A citation of a supported statement is needed if it supports the statement by itself, or if the others do not
    without it; those of a statement without support are not.
    """
    kept = [_one(s.text, tuple(evidence.text[i] for i in s.cites), _label(evidence, s)) for s in statements]
    citations = sum(len(s.cites) for s in statements)
    return Citing(sum(needed >= 0 for needed in kept), len(kept), sum(max(0, needed) for needed in kept), citations)


def _label(evidence: Evidence, statement: Statement) -> str:
    # Only the template names the aspect, in its opening; where there is no name it has words of its own.
    name = evidence.label(evidence.groups[statement.group]) or "along these lines"
    return name if statement.source == "template" else ""


def _one(text: str, cited: tuple[str, ...], label: str) -> int:
    """Return how many of the cited sentences are needed; -1 if all together do not support the text."""
    if not _holds(text, cited, label):
        return -1
    alone = [_holds(text, (source,), label) for source in cited]
    rest = [cited[:i] + cited[i + 1 :] for i in range(len(cited))]
    return sum(one or not _holds(text, others, label) for one, others in zip(alone, rest, strict=True))


def _holds(text: str, cited: tuple[str, ...], label: str) -> bool:
    return bool(cited) and check(text, cited, _SETTINGS, allowed=(label,), meaning=shared()).ok
