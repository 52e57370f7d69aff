"""The search for one statement that a base model writes and its evidence supports."""

import contextlib
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

from prefer_core.config import WritingSettings
from prefer_core.rewriting.base import Backend, Evidence, Streaming
from prefer_core.rewriting.journal import LOG
from prefer_core.rewriting.judge import NOTHING, best_form
from prefer_core.rewriting.openings import openings
from prefer_core.rewriting.prompts import PromptStyle
from prefer_core.rewriting.sentence import SENTENCE_END


class _Plan(NamedTuple):
    """One candidate to ask for: the evidence it reads, its seed, and the first words that it is given."""

    members: Sequence[int]
    seed: int
    opening: str = ""


class Search:
    """Asks for one candidate after another until a good one may be shown; of several supported ones the best counts.

    The first is greedy, the others are sampled with fixed seeds; a group of several sentences is tried once more with
    its lead sentence alone. Where none of these passes, the model goes on from a note's own first words, and so does
    not begin with those of its examples. A model that says the same at the first sampling is asked no second time.

    Parameters
    ----------
    evidence, index : Evidence and int
        What to write about, and which of its groups.
    backend, style, settings : Backend, PromptStyle, WritingSettings
        Who writes and how.

    Attributes
    ----------
    best : Judged
        The best so far; without a statement until one has passed every check.
    """

    def __init__(
        self, evidence: Evidence, index: int, backend: Backend, style: PromptStyle, settings: WritingSettings
    ) -> None:
        self.best = NOTHING
        self._evidence, self._index = evidence, index
        self._backend, self._style, self._settings = backend, style, settings
        self._plans = self._planned()
        self._seen: set[str] = set()
        self._why = ""

    @property
    def over(self) -> bool:
        """Whether the best is good enough."""
        return self.best.statement is not None and self.best.score >= self._settings.good_score

    def first(self) -> None:
        """Try the first candidate."""
        self._try(next(self._plans))

    def rest(self) -> None:
        """Try the others until one is good; openings only where none may be shown."""
        for plan in self._plans:
            if plan.opening and self.best.statement is not None:
                return
            self._try(plan)
            if self.over:
                return

    def log(self) -> None:
        """Say why a search failed, if it did."""
        if self.best.statement is None:
            name = self._evidence.product_id
            LOG.info("%s: statement %d stays with the template: %s", name, self._index + 1, self._why)

    def _planned(self) -> Iterator[_Plan]:
        everything = self._evidence.groups[self._index].sent
        yield _Plan(everything, 0)
        if len(everything) > 1:
            yield _Plan(everything[:1], 0)
        for seed in range(1, self._settings.candidates):
            before = len(self._seen)
            yield _Plan(everything, seed)
            if len(self._seen) == before:
                break
        for i in everything[:2]:
            yield from (_Plan((i,), 0, opening) for opening in openings(self._evidence.text[i]))

    def _try(self, plan: _Plan) -> None:
        raw = self._draft(plan)
        if raw in self._seen:
            return
        found = best_form(self._evidence, self._index, plan.members, raw, self._style, self._settings)
        if not self._seen:
            self._why = "; ".join(found.reasons) or "nothing was written"
        self._seen.add(raw)
        if found.statement is not None and (self.best.statement is None or found.score > self.best.score):
            self.best = found

    def _draft(self, plan: _Plan) -> str:
        """Return what the model writes up to the end of its first sentence: what follows is thrown away in any case.

        A copy is read to its end, though it may not be shown as a whole: cut anywhere else it leaves broken forms.
        """
        notes = [self._evidence.text[i] for i in plan.members]
        written = ""
        with contextlib.closing(self._pieces(self._style.bin_prompt(notes, plan.opening), plan.seed)) as pieces:
            for piece in pieces:
                if piece[:1].isspace() and SENTENCE_END.search(written.lstrip()):
                    break
                written += piece
        return f"{plan.opening} {written.strip()}" if plan.opening else written

    def _pieces(self, prompt: str, seed: int) -> Generator[str, None, None]:
        """Yield an answer as it is written, or at once where the backend does not stream; closing it ends it."""
        ask = self._backend.stream if isinstance(self._backend, Streaming) else self._backend.complete
        answer = ask(
            self._style.bin_prefix,
            prompt,
            max_tokens=self._settings.max_tokens,
            stop=self._style.stop,
            temperature=self._settings.temperature * seed,
            seed=seed,
        )
        yield from [answer] if isinstance(answer, str) else answer
