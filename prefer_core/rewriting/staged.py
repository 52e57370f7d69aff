"""The three stages by a model that follows instructions: it writes whole blocks, and every sentence is checked.

A block is read sentence by sentence as it comes. A sentence that one of the bin's groups supports becomes that group's
statement; a group that got none is asked for once more, alone, and else keeps the template's sentence. Stitched and
final paragraphs go through `weave`: a sentence stays if each of its parts reports one statement with the word that
statement has earned; statements that no sentence reports are put back in at their place.
"""

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from prefer_core.config import WritingSettings
from prefer_core.rewriting.base import Backend, Evidence, Statement, Streaming, Summary
from prefer_core.rewriting.instruct import Block, InstructStyle
from prefer_core.rewriting.journal import LOG
from prefer_core.rewriting.judge import NOTHING, Judged, best_form, replaced, with_statements
from prefer_core.rewriting.support import ORDER
from prefer_core.rewriting.weave import BULLET, PEOPLE, weave
from prefer_core.rewriting.words import content_stems, sentences

_MOST_TOKENS = 320
_RAW_KEPT = 2000
_END = re.compile(r"(?<=[.!?])[\"']?\s+|\n+")
_QUOTED = re.compile(r"[\"“”]|(?<![a-z])'[a-z]|</?\w+>", re.IGNORECASE)
_TASK = content_stems("evidence review summary draft sentence paragraph rule text point data reviewer")
_LEAD = re.compile(
    r"^(?:(?:many|some|a few|few|several|most|one|another|other|others|the|both|two|three)\s+)?"
    rf"(?:reviewers?|reviews?|{PEOPLE})\s+(?:also\s+)?"
    r"(?:says?|said|reports?|mentions?|notes?|adds?|states?|writes?|comments?|finds? that|feels? that)\s+(?:that\s+)?",
    re.IGNORECASE,
)


class Pen(NamedTuple):
    """Who writes, how that model is asked, within which limits, and whom to tell that it goes on."""

    backend: Backend
    style: InstructStyle
    settings: WritingSettings
    pulse: Callable[[], None] = lambda: None


def write_bins(
    evidence: Evidence, summary: Summary, pen: Pen, tell: Callable[[int], None]
) -> Generator[Summary, None, None]:
    """Yield a summary each time a sentence of a bin's block has passed for one of its groups.

    `tell` gets the number of groups that are done.
    """
    done = 0
    raw: dict[str, str] = {}
    for name in ORDER:
        key = f"raw {name}"
        members = [i for i, group in enumerate(evidence.groups) if group.bin == name]
        for part in _portions(evidence, members, pen.style.words):
            waiting = set(part)
            for sentence in _written(evidence, part, pen, 0, raw, key):
                if not waiting:
                    break
                found = place(evidence, sorted(waiting), sentence, pen)
                if found.statement is not None:
                    waiting.discard(found.statement.group)
                    tell(done + len(part) - len(waiting))
                    summary = _taken(evidence, summary, found.statement, pen, raw)
                    yield summary
            for index in sorted(waiting):
                found = _again(evidence, index, pen, raw, key)
                if found.statement is not None:
                    summary = _taken(evidence, summary, found.statement, pen, raw)
                    yield summary
                else:
                    why = "; ".join(found.reasons)
                    LOG.info("%s: statement %d stays with the template: %s", evidence.product_id, index + 1, why)
            done += len(part)
            tell(done)
    if raw:
        yield replace(summary, stages=summary.stages | raw)


def stitch(evidence: Evidence, summary: Summary, pen: Pen) -> Summary | None:
    """Merge the blocks into a draft of one paragraph a bin; None if no model has written anything to merge."""
    blocks = blocks_of(evidence, summary)
    if not blocks:
        return None
    words = sum(len(block.summary.split()) for block in blocks)
    raw = _ask(pen, pen.style.stitch_prefix, pen.style.stitch_prompt(blocks), words)
    return _shown(evidence, summary, raw, pen, "stitch")


def finish(evidence: Evidence, summary: Summary, pen: Pen) -> Summary | None:
    """Rewrite the draft as one polished paragraph; None if no model has written anything to polish."""
    draft = _draft(evidence, summary)
    if not draft:
        return None
    raw = _ask(pen, pen.style.final_prefix, pen.style.final_prompt(draft), len(draft.split()))
    return _shown(evidence, summary, raw, pen, "final")


def blocks_of(evidence: Evidence, summary: Summary) -> tuple[Block, ...]:
    """Return the bins that a model has written up, with their counts.

    count is the number of distinct reviewers whose sentences of S_t are in the bin, share its part of those in S_t.
    """
    wrote = evidence.reviewer or tuple(range(len(evidence.text)))
    everyone = {wrote[i] for group in evidence.groups for i in group.members}
    found = []
    for name in ORDER:
        here = {wrote[i] for group in evidence.groups if group.bin == name for i in group.members}
        said = [s.text for s in summary.statements if s.source == "model" and evidence.groups[s.group].bin == name]
        if said:
            found.append(Block(name, len(here), len(here) / len(everyone), " ".join(said)))
    return tuple(found)


def as_written(chunks: Iterable[str]) -> Iterator[str]:
    r"""Yield whole sentences as soon as they are there; a last one without its full stop was cut off and is dropped.

    Examples
    --------
    >>> list(as_written(["It is so", "ft. It sm", "ells good.\nThe lid cra"]))
    ['It is soft.', 'It smells good.']
    """
    rest = ""
    for chunk in chunks:
        *whole, rest = _END.split(rest + chunk)
        yield from (one.strip() for one in whole if one.strip())
    if rest.strip().rstrip("\"'")[-1:] in (".", "!", "?"):
        yield rest.strip()


def _portions(evidence: Evidence, members: Sequence[int], most: int) -> list[list[int]]:
    """Part a bin's groups so that the evidence of each part fits a small context."""
    parts: list[list[int]] = []
    words = most + 1
    for index in members:
        more = sum(min(60, len(evidence.text[i].split())) for i in evidence.groups[index].sent)
        if words + more > most:
            parts.append([])
            words = 0
        parts[-1].append(index)
        words += more
    return parts


def _written(
    evidence: Evidence, part: Sequence[int], pen: Pen, seed: int, raw: dict[str, str], key: str
) -> Iterator[str]:
    """Have a block written about some groups; yield its sentences and keep the text as it was written."""
    notes = [evidence.text[i] for index in part for i in evidence.groups[index].sent]
    before = f"{raw[key]}\n" if key in raw else ""

    def heard() -> Iterator[str]:
        written = ""
        most = min(_MOST_TOKENS, pen.settings.max_tokens * (len(part) + 1))
        for chunk in _stream(pen, pen.style.bin_prefix, pen.style.bin_prompt(notes), most, seed):
            written += chunk
            raw[key] = (before + written)[:_RAW_KEPT]
            yield chunk

    seen: set[str] = set()
    for sentence in as_written(heard()):
        if sentence in seen:  # it goes round in circles; leaving the loop ends the text where it is written
            return
        seen.add(sentence)
        yield sentence


def _stream(pen: Pen, prefix: str, prompt: str, most: int, seed: int) -> Iterator[str]:
    """Yield the pieces of a text, or the whole of it where the backend knows no pieces."""
    backend = pen.backend
    ask = backend.stream if isinstance(backend, Streaming) else backend.complete
    temperature = pen.settings.temperature * seed
    answer = ask(prefix, prompt, max_tokens=most, stop=pen.style.stop, temperature=temperature, seed=seed)
    for piece in (answer,) if isinstance(answer, str) else answer:
        pen.pulse()
        yield piece


def _again(evidence: Evidence, index: int, pen: Pen, raw: dict[str, str], key: str) -> Judged:
    """Ask once more about one group alone."""
    best = NOTHING
    for sentence in _written(evidence, [index], pen, 1, raw, key):
        found = place(evidence, [index], sentence, pen)
        if best is NOTHING or found.score > best.score:
            best = found
    return best


def place(evidence: Evidence, groups: Sequence[int], sentence: str, pen: Pen) -> Judged:
    """Find the group, among the given ones, that supports a sentence best; the statement it makes, or why none."""
    said = _LEAD.sub("", BULLET.sub("", sentence).strip(), count=1)
    if _QUOTED.search(said):
        return Judged(0.0, None, ("quotes, or is about the task",))
    stems = content_stems(said)
    best = NOTHING
    for index in groups:
        sent = evidence.groups[index].sent
        known = {stem for i in sent for stem in content_stems(evidence.text[i])}
        if not stems & known or stems & _TASK - known:
            continue
        found = best_form(evidence, index, sent, said, pen.style, pen.settings)
        if best is NOTHING or found.score > best.score:
            best = found
    return best


def _ask(pen: Pen, prefix: str, prompt: str, words: int) -> str:
    most = min(2 * _MOST_TOKENS, 48 + 2 * words)
    return "".join(_stream(pen, prefix, prompt, most, 0))


def _shown(evidence: Evidence, summary: Summary, raw: str, pen: Pen, stage: str) -> Summary:
    kept = {f"raw {stage}": raw[:_RAW_KEPT]}
    woven = weave(raw, evidence, summary.statements, pen.style, pen.settings)
    if woven is None:
        LOG.info("%s: no sentence of the %s stage passed its check", evidence.product_id, stage)
        return replace(summary, stages=summary.stages | kept)
    texts = {"stitch": woven.paragraphs, "final": woven.text} if stage == "stitch" else {"final": woven.text}
    return replace(
        summary,
        paragraph=woven.text,
        paragraph_source="model",
        paragraph_cites=woven.cites,
        stages=summary.stages | texts | kept,
    )


def _draft(evidence: Evidence, summary: Summary) -> str:
    """Return what the final stage rewrites: the stitched draft, or the blocks of what a model wrote; no quotations."""
    if summary.paragraph_source == "model":
        lines = [sentences(line) for line in summary.stages["stitch"].splitlines()]
        return "\n".join(" ".join(one for one in line if '"' not in one) for line in lines).strip()
    return "\n".join(block.summary for block in blocks_of(evidence, summary))


def _taken(evidence: Evidence, summary: Summary, statement: Statement, pen: Pen, raw: dict[str, str]) -> Summary:
    made = with_statements(evidence, summary, replaced(summary, statement.group, statement), pen.backend.name)
    return replace(made, stages=made.stages | raw)
