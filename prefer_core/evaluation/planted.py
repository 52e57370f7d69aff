"""How well the checker tells true from false: paraphrases written by hand, and falsehoods planted in them.

The paraphrases and their evidence are made up (`assets/checker/paraphrases.tsv`): no review stands behind them. Rows
are parted into a half for tuning and a half for reporting, so that a rule fitted to sentences is not judged by them.
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from prefer_core.config import WritingSettings
from prefer_core.errors import DataError
from prefer_core.rewriting.grounding import check
from prefer_core.rewriting.meaning import shared

FILE = Path(__file__).parents[2] / "assets" / "checker" / "paraphrases.tsv"
_TUNING = ("tuning", "tuning_hard", "tuning_free", "tuning_plain", "tuning_short", "tuning_natural")
TUNING = tuple(FILE.with_name(f"{name}.tsv") for name in _TUNING)
"""More rows, for tuning alone: as those of the tuning half, far from their evidence (twice), short (twice), natural."""

HELD = FILE.with_name("held.tsv")
"""Rows of another hand, for the report alone: no rule was made while looking at them."""

Kind = Literal["true", "negation", "number", "antonym", "foreign"]
FALSE: tuple[Kind, ...] = ("negation", "number", "antonym", "foreign")
HALVES = ("tune", "report")
FORM = ("not a whole clause", "does not end", "stray quotes", "repeats", "an empty", "more than", "first person")
"""How the checker's reasons begin that speak of a sentence's form and not of its truth."""

_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NOT = re.compile(r"\b(?:(does|do|did|is|are|could)(?: not|n't))\b")
_IS = re.compile(r"\b(is|are|was|were|can|could|does|do)\b(?! not|n?'t)")
_OPPOSITE = dict(
    pair
    for line in (
        "strong weak", "long short", "warm cold", "soft rough", "wide narrow", "loose tight", "thin thick", "small big",
        "hot cool", "new worn", "bright dim", "light heavy", "hard easy", "quiet loud", "smooth bumpy", "dry wet",
        "clear muffled", "coarse fine", "comfortable painful", "sturdy flimsy", "quickly slowly", "late early",
        "pricey cheap", "darker paler", "roomy cramped", "shiny dull", "better worse", "broken intact", "good bad",
        "easily barely", "love hate", "loves hates", "like dislike", "useless useful", "greasy clean",
        "lighter heavier",
    )
    for one, other in (line.split(),)
    for pair in ((one, other), (other, one))
)  # fmt: skip
"""Drawn up for the planting, apart from the table that the checker reads."""


@dataclass(frozen=True)
class Case:
    """One sentence to judge.

    Attributes
    ----------
    kind : {"true", "negation", "number", "antonym", "foreign"}
        How it was made; only "true" agrees with its evidence.
    half : {"tune", "report"}
        What it may be used for.
    evidence, text : str
        The sentence it rests on, and the sentence as a summary would show it.
    """

    kind: Kind
    half: str
    evidence: str
    text: str


@dataclass(frozen=True)
class Judged:
    """Counts of one kind in one half.

    Attributes
    ----------
    kind, half : str
        Which cases.
    n, flagged : int
        How many there are, and how many failed the check for whatever reason.
    form_only : int
        How many of the flagged failed for their form alone: the checker did not see that they are untrue.
    """

    kind: Kind
    half: str
    n: int
    flagged: int
    form_only: int

    @property
    def share(self) -> float:
        """Flagged / n."""
        return self.flagged / self.n if self.n else 0.0


def cases(file: Path = FILE) -> list[Case]:
    """Return all paraphrases and every falsehood that can be planted in them, in the file's order.

    A foreign fact is the paraphrase of the next but one row of the same category, held against this row's evidence.

    Raises
    ------
    DataError
        If the file is missing or lacks a column.
    """
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            rows = [(r["category"], r["evidence"], r["paraphrase"]) for r in csv.DictReader(stream, delimiter="\t")]
    except (OSError, KeyError) as error:
        raise DataError(
            f"{file} does not hold category, evidence and paraphrase; restore it from the project."
        ) from error
    found = []
    for place, (category, evidence, clause) in enumerate(rows):
        half = HALVES[place % 2]
        kin = [text for name, _, text in rows if name == category]
        foreign = kin[(kin.index(clause) + 2) % len(kin)]
        made: list[tuple[Kind, str | None]] = [
            ("true", clause), ("negation", negated(clause)), ("number", renumbered(clause)),
            ("antonym", reversed_(clause)), ("foreign", foreign),
        ]  # fmt: skip
        found += [Case(kind, half, evidence, f"One reviewer says {text}.") for kind, text in made if text]
    return found


def judge(made: Sequence[Case], settings: WritingSettings | None = None) -> list[Judged]:
    """Count what the checker flags, one row a kind and half."""
    limits = settings or WritingSettings()
    reasons = [check(case.text, [case.evidence], limits, meaning=shared()).reasons for case in made]
    kinds: tuple[Kind, ...] = ("true", *FALSE)
    rows = []
    for half in HALVES:
        for kind in kinds:
            here = [why for case, why in zip(made, reasons, strict=True) if (case.kind, case.half) == (kind, half)]
            form_only = sum(bool(why) and all(one.startswith(FORM) for one in why) for why in here)
            rows.append(Judged(kind, half, len(here), sum(map(bool, here)), form_only))
    return rows


def negated(clause: str) -> str | None:
    """Return a clause with its negation taken away or one put in.

    Examples
    --------
    >>> negated("it is not itchy"), negated("the bass is strong"), negated("the lid cracked")
    ('it is itchy', 'the bass is not strong', 'it is not true that the lid cracked')
    """
    if _NOT.search(clause):
        return _NOT.sub(r"\1", clause, count=1)
    if _IS.search(clause):
        return _IS.sub(r"\1 not", clause, count=1)
    return f"it is not true that {clause}"


def renumbered(clause: str) -> str | None:
    """Return a clause with its first number made larger, or None if it has none.

    Examples
    --------
    >>> renumbered("after two weeks"), renumbered("only 60 cm"), renumbered("the lid cracked")
    ('after five weeks', 'only 67 cm', None)
    """
    if digits := re.search(r"\d+", clause):
        return f"{clause[: digits.start()]}{int(digits[0]) + 7}{clause[digits.end() :]}"
    if word := re.search(rf"\b({'|'.join(_NUMBERS)})\b", clause):
        other = _NUMBERS[(_NUMBERS.index(word[0]) + 3) % len(_NUMBERS)]
        return f"{clause[: word.start()]}{other}{clause[word.end() :]}"
    return None


def reversed_(clause: str) -> str | None:
    """Return a clause with its first word that has an opposite turned into it, or None.

    Examples
    --------
    >>> reversed_("the bass is strong"), reversed_("the lid cracked")
    ('the bass is weak', None)
    """
    for word in re.findall(r"[a-z]+", clause):
        if word in _OPPOSITE:
            return re.sub(rf"\b{word}\b", _OPPOSITE[word], clause, count=1)
    return None
