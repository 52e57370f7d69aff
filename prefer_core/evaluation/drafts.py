"""What a model wrote before any check: how much of it the evidence supports.

A text that is given up after its first sentence (`candidates`) counts up to there.
"""

from collections.abc import Iterator, Sequence

from prefer_core.config import WritingSettings
from prefer_core.rewriting.base import Backend, Evidence, Streaming
from prefer_core.rewriting.grounding import check
from prefer_core.rewriting.instruct import InstructStyle
from prefer_core.rewriting.meaning import shared
from prefer_core.rewriting.prompts import PromptStyle, Style
from prefer_core.rewriting.sentence import clauses, statement_text
from prefer_core.rewriting.staged import Pen, as_written, place


class Recorder:
    """A backend that keeps the first answer to each prompt: the first drafts, before any check.

    Attributes
    ----------
    drafts : dict of (prefix, prompt) to str
        Answers to the first request of each kind, which is greedy (seed 0).
    """

    def __init__(self, backend: Backend) -> None:
        self.name = backend.name
        self.drafts: dict[tuple[str, str], str] = {}
        self._backend = backend

    def complete(
        self, prefix: str, prompt: str, *, max_tokens: int, stop: Sequence[str], temperature: float, seed: int
    ) -> str:
        """Let the backend answer."""
        return "".join(
            self.stream(prefix, prompt, max_tokens=max_tokens, stop=stop, temperature=temperature, seed=seed)
        )

    def stream(
        self, prefix: str, prompt: str, *, max_tokens: int, stop: Sequence[str], temperature: float, seed: int
    ) -> Iterator[str]:
        """Pass the backend's pieces on, or the whole answer where it knows no pieces."""
        ask = self._backend.stream if isinstance(self._backend, Streaming) else self._backend.complete
        answer = ask(prefix, prompt, max_tokens=max_tokens, stop=stop, temperature=temperature, seed=seed)
        written = ""
        try:
            for piece in (answer,) if isinstance(answer, str) else answer:
                written += piece
                yield piece
        finally:
            if seed == 0:
                self.drafts.setdefault((prefix, prompt), written)

    def close(self) -> None:
        """Close the backend."""
        self._backend.close()


def supported_drafts(evidence: Evidence, recorder: Recorder, style: Style, settings: WritingSettings) -> list[bool]:
    """Return, for each sentence of the first drafts, whether the evidence of its bin supports it.

    A base model drafts one clause a group, which is put into the third person and no more. A model that follows
    instructions drafts a block a bin; each of its sentences counts.
    """
    if isinstance(style, PromptStyle):
        return [
            _clause_is_supported(evidence, index, recorder, style, settings) for index in range(len(evidence.groups))
        ]
    pen = Pen(recorder, style, settings)
    everything = range(len(evidence.groups))
    return [
        place(evidence, everything, sentence, pen).statement is not None
        for sentence in _block_sentences(recorder, style)
    ]


def _clause_is_supported(
    evidence: Evidence, index: int, recorder: Recorder, style: PromptStyle, settings: WritingSettings
) -> bool:
    group = evidence.groups[index]
    notes = [evidence.text[i] for i in group.sent]
    forms = clauses(recorder.drafts.get((style.bin_prefix, style.bin_prompt(notes)), ""), notes)
    text = statement_text(evidence.word(group, group.members), forms[0] if forms else "")
    return check(text, notes, settings, foreign=style.examples, meaning=shared()).ok


def _block_sentences(recorder: Recorder, style: InstructStyle) -> Iterator[str]:
    for (prefix, _), block in recorder.drafts.items():
        if prefix == style.bin_prefix:
            yield from as_written([block])
