"""The three stages of rewriting: bins by the model, stitching by rule, the final paragraph by the model again.

y_t = g_final(g_stitch(g_bin(S_t))), Section contextual-abstractive-rewriting. Whatever fails its check stays with the
template's sentence, so that a summary is whole at any moment.
"""

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace

from prefer_core.config import WritingSettings
from prefer_core.rewriting import template
from prefer_core.rewriting.base import Backend, Evidence, Group, Statement, Summary
from prefer_core.rewriting.form import longest_run
from prefer_core.rewriting.grounding import check, cites
from prefer_core.rewriting.paragraph import check_paragraph, compose, pairs
from prefer_core.rewriting.prompts import PromptStyle
from prefer_core.rewriting.sentence import clauses, statement_text
from prefer_core.rewriting.words import content_stems, tokens

Report = Callable[[str], None]

_TOKENS_A_WORD = 1.6
_LEAST_LEFT = 0.4
"""Least share of a candidate's content words that a shorter form keeps."""


def write(
    evidence: Evidence,
    backend: Backend,
    style: PromptStyle,
    settings: WritingSettings,
    report: Report = lambda stage: None,
) -> Generator[Summary, None, None]:
    """Yield the template's summary, then a better one each time a statement or the paragraph has passed its check.

    Deterministic: the same evidence, model and settings give the same texts.

    Parameters
    ----------
    evidence : Evidence
        What to write about.
    backend : Backend
        Who writes.
    style : PromptStyle
        How it is asked.
    settings : WritingSettings
        Candidates, temperature, limits.
    report : callable
        Told in words what is being written.

    Raises
    ------
    BackendError
        If the backend gives no text; what was yielded before stays valid.
    """
    summary = template.write(evidence)
    yield summary
    steps = len(evidence.groups) + 1
    for index in range(len(evidence.groups)):
        report(f"writing {index + 1} of {steps}")
        statement = best_statement(evidence, index, backend, style, settings)
        if statement is not None:
            statements = (*summary.statements[:index], statement, *summary.statements[index + 1 :])
            summary = _with_statements(evidence, summary, statements, backend.name)
            yield summary
    report(f"writing {steps} of {steps}")
    polished = _polish(evidence, summary, backend, style)
    if polished is not None:
        yield polished


def best_statement(
    evidence: Evidence, index: int, backend: Backend, style: PromptStyle, settings: WritingSettings
) -> Statement | None:
    """Return the best-supported of a few candidates for one group, or None if none may be shown.

    The first candidate is greedy, the others are sampled with fixed seeds; the first good one ends the search. A group
    of several sentences is tried once more with its lead sentence alone.
    """
    group = evidence.groups[index]
    best: tuple[float, Statement] | None = None
    everything, lead = group.sent, group.sent[:1]
    plans = [(everything, seed) for seed in range(max(1, settings.candidates))]
    if lead != everything:
        plans.insert(1, (lead, 0))
    seen: set[str] = set()
    for members, seed in plans:
        notes = [evidence.text[i] for i in members]
        raw = backend.complete(
            style.bin_prefix,
            style.bin_prompt(notes),
            max_tokens=settings.max_tokens,
            stop=style.stop,
            temperature=settings.temperature * seed,
            seed=seed,
        )
        if raw in seen:
            continue
        seen.add(raw)
        forms = clauses(raw, notes)
        for clause in forms:
            if len(content_stems(clause)) < _LEAST_LEFT * len(content_stems(forms[0])):
                continue
            found = _judge(evidence, index, members, clause, style, settings)
            if found is not None and (best is None or found[0] > best[0]):
                best = found
        if best is not None and best[0] >= settings.good_score:
            break
    return None if best is None else best[1]


def _judge(
    evidence: Evidence, index: int, members: tuple[int, ...], clause: str, style: PromptStyle, settings: WritingSettings
) -> tuple[float, Statement] | None:
    """Score of a clause and the statement it makes, or None if it fails a check."""
    group = evidence.groups[index]
    notes = [evidence.text[i] for i in members]
    rests = tuple(members[i] for i in cites(clause, notes))
    cited = _with_repeats(evidence, group, rests)
    word = evidence.word(group, cited)
    text = statement_text(word, clause)
    verdict = check(text, [evidence.text[i] for i in rests], settings, foreign=style.examples)
    # One reviewer's sizes and dates are no one else's: a close sentence of another reviewer may name others.
    if not verdict.ok or (word != "One reviewer" and len(cited) == 1 and re.search(r"\d", clause)):
        return None
    made = Statement(text, word, index, cited, "model", evidence.reviewers(group, cited), group.total)
    return verdict.score, made


def _with_repeats(evidence: Evidence, group: Group, rests: tuple[int, ...]) -> tuple[int, ...]:
    """Add the near-duplicates of what a statement rests on: they say it too."""
    repeats = [i for i in group.members if i not in group.sent]
    kin = {i: max(group.sent, key=lambda j: longest_run(evidence.text[i], evidence.text[j])) for i in repeats}
    return tuple(sorted({*rests, *(i for i, lead in kin.items() if lead in rests)}))


def _with_statements(evidence: Evidence, summary: Summary, statements: tuple[Statement, ...], writer: str) -> Summary:
    """Return the summary with other statements, and the paragraph that rule composes from them (stitch stage)."""
    paragraph, cited = compose(statements)
    stages = template.stages(evidence, statements, paragraph)
    return replace(
        summary, statements=statements, paragraph=paragraph, paragraph_cites=cited, writer=writer, stages=stages
    )


def _polish(evidence: Evidence, summary: Summary, backend: Backend, style: PromptStyle) -> Summary | None:
    """Run the final stage, two neighbouring statements at a time: a small model loses lines of a longer draft.

    What it joins is checked against the two statements; where it fails, and for quotations, rule composes.
    """
    parts: list[str] = []
    cited: list[tuple[int, ...]] = []
    polished = False
    for pair in pairs(summary.statements):
        text = _joined(pair, backend, style) if len(pair) == 2 else None
        rests = check_paragraph(text, pair) if text is not None else None
        polished |= rests is not None
        if text is None or rests is None:
            text, rests = compose(pair)
        parts.append(text)
        cited.extend(rests)
    if not polished:
        return None
    paragraph = " ".join(parts)
    return replace(
        summary,
        paragraph=paragraph,
        paragraph_source="model",
        paragraph_cites=tuple(cited),
        stages=template.stages(evidence, summary.statements, paragraph),
    )


def _joined(pair: Sequence[Statement], backend: Backend, style: PromptStyle) -> str | None:
    """Let the model join the second statement to the first, which is given: on its own it mixes up the two words."""
    draft = " ".join(one.text for one in pair)
    opening = f"{pair[0].text.rstrip('.')},"
    raw = backend.complete(
        style.final_prefix,
        style.final_prompt(draft, opening),
        max_tokens=8 + round(_TOKENS_A_WORD * len(tokens(pair[1].text))),
        stop=style.stop,
        temperature=0.0,
        seed=0,
    )
    written = " ".join(raw.split())
    return f"{opening} {written}" if written else None
