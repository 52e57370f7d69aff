"""What was left out of a build, why, and three examples of each reason."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

EXAMPLES = 3
_LONGEST = 120

ASKED_FOR = ("duplicates", "in another language")
"""Reasons that lose nothing that was wanted; how the names of such counts begin."""

STAYS = ("ratings outside", "times unknown", "texts cut", "copies of one text")
"""What is counted although its review stays; how the names of such counts begin."""

MUCH = 0.05
"""Share of the rows lost from which a build says so at its end, and stops if asked to."""


@dataclass
class Losses:
    """Examples of what was left out, by reason; how often each occurred stands in the counts.

    Attributes
    ----------
    examples : dict of str to list of str
        The first texts by reason, cut where they are long.
    """

    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, reason: str, texts: Iterable[Any]) -> None:
        """Keep the first of these texts that differ as examples, as long as there are fewer than three."""
        kept = self.examples.setdefault(reason, [])
        for text in texts:
            if len(kept) >= EXAMPLES:
                break
            if (example := shortened(str(text))) not in kept:
                kept.append(example)
        if not kept:
            del self.examples[reason]

    def merge(self, other: "Losses") -> "Losses":
        """Return the examples of both."""
        both = Losses({reason: list(texts) for reason, texts in self.examples.items()})
        for reason, texts in other.examples.items():
            both.add(reason, texts)
        return both


def shortened(text: str) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(text[: 4 * _LONGEST].split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def share_lost(lines: int, reviews: int, counts: dict[str, int]) -> float:
    """Return the share of the rows of a source that gave no review although they were wanted.

    >>> share_lost(100, 80, {"duplicates": 10, "broken lines": 10})
    0.1
    """
    asked = sum(count for name, count in counts.items() if name.startswith(ASKED_FOR))
    return max(0, lines - reviews - asked) / lines if lines else 0.0
