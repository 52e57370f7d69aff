"""The three stages of rewriting: bins, stitching, the final paragraph, each by the model that is named for it.

y_t = g_final(g_stitch(g_bin(S_t))), Section contextual-abstractive-rewriting. Whatever fails its check stays with the
template's sentence, so that a summary is whole at any moment. Models that follow instructions get the paper's prompts
(`staged`); a base model writes one sentence a statement here, rule stitches, and the base model joins neighbours.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from prefer_core.config import WritingSettings
from prefer_core.rewriting import staged, template
from prefer_core.rewriting.base import Backend, Evidence, Statement, Summary
from prefer_core.rewriting.candidates import Search
from prefer_core.rewriting.instruct import InstructStyle
from prefer_core.rewriting.judge import replaced, with_statements
from prefer_core.rewriting.paragraph import check_paragraph, compose, pairs
from prefer_core.rewriting.prompts import PromptStyle, Style
from prefer_core.rewriting.words import tokens

Report = Callable[[str], None]
LaterStage = Literal["stitch", "final"]

_TOKENS_A_WORD = 1.6


@dataclass(frozen=True)
class Voice:
    """Who writes a stage, and how that model is asked."""

    backend: Backend
    style: Style


class Team:
    """A backend whose later stages are written by others; the writer takes it apart again.

    Parameters
    ----------
    first : Backend
        Who writes the bins.
    later : mapping of {"stitch", "final"} to Voice
        Who writes the stages after.
    """

    def __init__(self, first: Backend, later: Mapping[LaterStage, Voice]) -> None:
        self.first = first
        self.later = dict(later)
        self.name = " and ".join(dict.fromkeys((first.name, *(voice.backend.name for voice in later.values()))))

    def complete(
        self, prefix: str, prompt: str, *, max_tokens: int, stop: Sequence[str], temperature: float, seed: int
    ) -> str:
        """Let the first model go on."""
        return self.first.complete(prefix, prompt, max_tokens=max_tokens, stop=stop, temperature=temperature, seed=seed)

    def close(self) -> None:
        """Close all of them."""
        for one in (self.first, *(voice.backend for voice in self.later.values())):
            one.close()


class _Progress:
    """Tells what is being written; `pulse` repeats it, so that a listener can end a long text."""

    def __init__(self, report: Report, steps: int) -> None:
        self._report = report
        self._steps = steps
        self._stage = ""

    def tell(self, done: int) -> None:
        self._stage = f"writing {min(done + 1, self._steps)} of {self._steps}"
        self.pulse()

    def pulse(self) -> None:
        self._report(self._stage)


def write(
    evidence: Evidence,
    backend: Backend,
    style: Style,
    settings: WritingSettings,
    report: Report = lambda stage: None,
    later: Mapping[LaterStage, Voice] | None = None,
) -> Generator[Summary, None, None]:
    """Yield the template's summary, then a better one each time a statement or the paragraph has passed its check.

    Deterministic: the same evidence, models and settings give the same texts.

    Parameters
    ----------
    evidence : Evidence
        What to write about.
    backend, style : Backend, PromptStyle or InstructStyle
        Who writes the bins, and how that model is asked; also the later stages unless `later` names another.
    settings : WritingSettings
        Candidates, temperature, limits.
    report : callable
        Told in words what is being written, again and again; what it raises ends the text.
    later : mapping of {"stitch", "final"} to Voice, optional
        Other models for the later stages.

    Raises
    ------
    BackendError
        If a backend gives no text; what was yielded before stays valid.
    """
    summary = template.write(evidence)
    yield summary
    voices = {"stitch": Voice(backend, style), "final": Voice(backend, style)} | dict(later or {})
    stitch, final = voices["stitch"], voices["final"]
    steps = len(evidence.groups) + isinstance(stitch.style, InstructStyle) + 1
    progress = _Progress(report, steps)
    progress.tell(0)
    if isinstance(style, InstructStyle):
        pen = staged.Pen(backend, style, settings, progress.pulse)
        texts = staged.write_bins(evidence, summary, pen, progress.tell)
    else:
        texts = _statements(evidence, summary, backend, style, settings, progress.tell)
    for better in texts:
        summary = better
        yield summary
    if isinstance(stitch.style, InstructStyle):
        progress.tell(steps - 2)
        if stitched := staged.stitch(
            evidence, summary, staged.Pen(stitch.backend, stitch.style, settings, progress.pulse)
        ):
            summary = stitched
            yield summary
    progress.tell(steps - 1)
    if isinstance(final.style, InstructStyle):
        polished = staged.finish(evidence, summary, staged.Pen(final.backend, final.style, settings, progress.pulse))
    else:
        polished = _polish(summary, final.backend, final.style)
    if polished is not None:
        yield polished


def _statements(
    evidence: Evidence,
    summary: Summary,
    backend: Backend,
    style: PromptStyle,
    settings: WritingSettings,
    tell: Callable[[int], None],
) -> Generator[Summary, None, None]:
    """Yield a better summary for each statement that a base model wrote; `tell` gets the number of those tried.

    Each group's first candidate comes before any group's second: a reader sees the model's first words early.
    """
    searches = [Search(evidence, index, backend, style, settings) for index in range(len(evidence.groups))]
    for go_on in (Search.first, Search.rest):
        for index, search in enumerate(searches):
            if search.over:
                continue
            tell(index)
            go_on(search)
            # What may still give way to a better one is not shown yet.
            if search.best.statement is not None and (search.over or go_on is Search.rest):
                statements = replaced(summary, index, search.best.statement)
                summary = with_statements(evidence, summary, statements, backend.name)
                yield summary
    for search in searches:
        search.log()


def _polish(summary: Summary, backend: Backend, style: PromptStyle) -> Summary | None:
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
        stages=summary.stages | {"final": paragraph},
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
