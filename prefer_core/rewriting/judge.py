"""From a clause that a model wrote to a statement that may be shown, or the reasons against it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from prefer_core.config import WritingSettings
from prefer_core.data.spam import is_no_review
from prefer_core.rewriting import template
from prefer_core.rewriting.base import Evidence, Group, Statement, Summary
from prefer_core.rewriting.form import longest_run
from prefer_core.rewriting.grounding import check, cites
from prefer_core.rewriting.lexicon import words_of
from prefer_core.rewriting.meaning import shared
from prefer_core.rewriting.paragraph import compose
from prefer_core.rewriting.prompts import Style
from prefer_core.rewriting.sentence import clauses, statement_text
from prefer_core.rewriting.unlike import unlike
from prefer_core.rewriting.words import VAGUE, content_stems, stem

_LEAST_LEFT = 0.2
"""Least share of a candidate's content words that a shorter form keeps."""

_LEAST_FULL = 0.6
"""Least cosine of a statement to its evidence sentence taken whole: "this was their update" tells nothing of it."""

_IDLE = 0.25
_BUYING = frozenset(
    map(stem, words_of("buy purchase order get return ship time day week month year last next store online wait own"))
)


class Judged(NamedTuple):
    """Outcome for one clause: its score, the statement it makes (None if a check failed), and what is wrong."""

    score: float
    statement: Statement | None
    reasons: tuple[str, ...] = ()


NOTHING = Judged(0.0, None, ("nothing was written",))


def judge(
    evidence: Evidence, index: int, members: Sequence[int], clause: str, style: Style, settings: WritingSettings
) -> Judged:
    """Check a clause against the evidence `members` of group `index`; its quantifier is the one it has earned."""
    if is_no_review(clause):
        return Judged(0.0, None, ("advertises something else, or gives orders",))
    group = evidence.groups[index]
    notes = [evidence.text[i] for i in members]
    rests = tuple(members[i] for i in cites(clause, notes, shared()))
    cited = _with_repeats(evidence, group, rests)
    word = evidence.word(group, cited)
    text = statement_text(word, clause)
    verdict = check(text, [evidence.text[i] for i in rests], settings, foreign=style.examples, meaning=shared())
    if not verdict.ok:
        return Judged(0.0, None, verdict.reasons)
    # One reviewer's sizes and dates are no one else's: a close sentence of another reviewer may name others.
    if word != "One reviewer" and len(cited) == 1 and re.search(r"\d", clause):
        return Judged(0.0, None, ("a number of one reviewer, said of several",))
    near = shared().closeness([clause], notes, whole=True)
    if near is not None and near.max() < _LEAST_FULL:
        return Judged(0.0, None, ("leaves out what its evidence is about",))
    score = verdict.score if near is None else _ranked(verdict.score, float(near.max()), clause)
    made = Statement(text, word, index, cited, "model", evidence.reviewers(group, cited), group.total)
    return Judged(score, made)


def _ranked(score: float, near: float, clause: str) -> float:
    """Rank a supported clause in [0, 1]: what it tells, and how much of the evidence's meaning and aspect is left.

    A clause about the buying alone ("they bought it last month") ranks behind one about the product.
    """
    telling = content_stems(clause) - VAGUE - _BUYING
    return round(max(0.0, 0.5 * score + 0.5 * max(0.0, near) - (0.0 if telling else _IDLE)), 4)


def best_form(
    evidence: Evidence, index: int, members: Sequence[int], raw: str, style: Style, settings: WritingSettings
) -> Judged:
    """Return the best statement that a raw sentence or a shorter form of it makes; else why the whole of it failed."""
    notes = [evidence.text[i] for i in members]
    forms = clauses(raw, notes)
    others = (unlike(form, notes, settings.longest_copy) for form in forms)
    forms = tuple(dict.fromkeys([*forms, *filter(None, others)]))
    best = NOTHING
    for place, clause in enumerate(forms):
        if len(content_stems(clause)) < _LEAST_LEFT * len(content_stems(forms[0])):
            continue
        found = judge(evidence, index, members, clause, style, settings)
        if place == 0 or found.score > best.score:
            best = found
    return best


def with_statements(evidence: Evidence, summary: Summary, statements: tuple[Statement, ...], writer: str) -> Summary:
    """Return the summary with other statements, and the paragraph that rule composes from them (stitch stage)."""
    paragraph, cited = compose(statements)
    stages = template.stages(evidence, statements, paragraph)
    return replace(
        summary, statements=statements, paragraph=paragraph, paragraph_cites=cited, writer=writer, stages=stages
    )


def replaced(summary: Summary, index: int, statement: Statement) -> tuple[Statement, ...]:
    """Return the summary's statements with another one at `index`."""
    return (*summary.statements[:index], statement, *summary.statements[index + 1 :])


def _with_repeats(evidence: Evidence, group: Group, rests: tuple[int, ...]) -> tuple[int, ...]:
    """Add the near-duplicates of what a statement rests on: they say it too."""
    repeats = [i for i in group.members if i not in group.sent]
    kin = {i: max(group.sent, key=lambda j: longest_run(evidence.text[i], evidence.text[j])) for i in repeats}
    return tuple(sorted({*rests, *(i for i, lead in kin.items() if lead in rests)}))
