"""A backend without a model, for tests and rehearsals: a queue of answers and a history of calls."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from prefer_core.errors import BackendError

Answer = str | Callable[[str], str]


class Call(NamedTuple):
    """One call of `FakeBackend.complete`."""

    prefix: str
    prompt: str
    max_tokens: int
    temperature: float
    seed: int


class FakeBackend:
    """Answers from a queue, then with `default`; can be told to die or to wait.

    Attributes
    ----------
    calls : list of Call
        Every call so far.
    dead : bool
        While set, each call raises BackendError as a killed worker would.
    gate : threading.Event
        Calls wait here; set unless a test clears it.

    Examples
    --------
    >>> fake = FakeBackend(["the lid cracks."])
    >>> fake.complete("", "Notes", max_tokens=8, stop=(), temperature=0.0, seed=0)
    'the lid cracks.'
    >>> len(fake.calls)
    1
    """

    def __init__(self, answers: Iterable[Answer] = (), default: Answer = "", name: str = "Fake model") -> None:
        self.name = name
        self.calls: list[Call] = []
        self.dead = False
        self.closed = False
        self.gate = threading.Event()
        self.gate.set()
        self._answers = deque(answers)
        self._default = default

    def complete(
        self, prefix: str, prompt: str, *, max_tokens: int, stop: Sequence[str], temperature: float, seed: int
    ) -> str:
        """Return the next answer, cut at the first stop string; a callable answer gets the prompt."""
        self.calls.append(Call(prefix, prompt, max_tokens, temperature, seed))
        self.gate.wait(timeout=30)
        if self.dead:
            raise BackendError(f"{self.name} was ended by signal SIGKILL; it starts anew with the next text.")
        answer = self._answers.popleft() if self._answers else self._default
        text = answer(prompt) if callable(answer) else answer
        for mark in stop:
            text = text.split(mark, 1)[0] if mark else text
        return text

    def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True
