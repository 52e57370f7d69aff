"""Evidence for the tests of rewriting: written for them, none of it taken from real reviews."""

from collections.abc import Sequence

import pytest

from prefer_core.config import WritingSettings
from prefer_core.rewriting.base import Claim, Evidence, Word

SETS: tuple[tuple[str, ...], ...] = (
    ("The coconut smell stays for hours.", "Skin feels soft after it.", "The lid cracks within two weeks."),
    ("The sleeves are too long.", "The wool is warm.", "Runs true to size", "The colour fades after one wash."),
    ("They stay in while running.", "The bass is strong.", "The cable breaks after a month of daily use."),
    ("It boils a full litre in three minutes.", "The handle gets hot.", "It still looks new after two years."),
    ("The zip does not close properly.", "The straps are wide.", "The straps are comfortable on long walks."),
    ("This lamp is not bright enough for reading.", "The light can be dimmed.", "The base wobbles on uneven tables."),
)
"""Clauses of claims, as reviewers wrote them."""

WORDS: tuple[Word, ...] = ("Many reviewers", "Some reviewers", "A few reviewers", "One reviewer")
COUNTS = {"Many reviewers": 30, "Some reviewers": 8, "A few reviewers": 2, "One reviewer": 1}


def make_claim(
    clause: str, place: int = 0, word: Word = "Many reviewers", *, form: str = "", **changed: object
) -> Claim:
    """Make a claim of one cited sentence; a clause in quotation marks is quoted, one without a subject a predicate."""
    shape = form or ("quote" if " I " in f" {clause} " else "predicate" if clause.startswith("Runs") else "clause")
    return Claim(
        clause=clause, form=shape, word=word, reviewers=COUNTS[word], about=40, total=100,
        **({"aspect": 0, "cites": (place,), "point": place} | changed),
    )  # fmt: skip


def make_evidence(clauses: Sequence[str], words: Sequence[Word] = WORDS, product: str = "P") -> Evidence:
    """Make evidence with one claim a clause; the words take turns."""
    claims = tuple(make_claim(clause, i, words[i % len(words)]) for i, clause in enumerate(clauses))
    return Evidence(product, "A product", tuple(clauses), claims)


@pytest.fixture
def evidence() -> Evidence:
    """Return the first evidence set."""
    return make_evidence(SETS[0])


@pytest.fixture
def quick() -> WritingSettings:
    """Return settings with two candidates and short limits."""
    return WritingSettings(candidates=2, job_timeout=5.0, call_timeout=5.0)
