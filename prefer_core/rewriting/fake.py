"""A backend without a model, for tests and rehearsals: a queue of answers and a history of requests."""

import json
import re
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from prefer_core.errors import BackendError
from prefer_core.rewriting.base import Request

Answer = str | Callable[[str], str]


class FakeBackend:
    """Answers from a queue, then with `default`, word by word, and keeps what it was asked in `requests`.

    While `dead` is set it fails as a killed worker would; while `gate` is cleared, requests wait.

    Examples
    --------
    >>> fake = FakeBackend(["the lid cracks."])
    >>> list(fake.write(Request("", "Notes")))
    ['the', ' lid', ' cracks.']
    >>> len(fake.requests)
    1
    """

    def __init__(self, answers: Iterable[Answer] = (), default: Answer = "", name: str = "Fake model") -> None:
        self.name = name
        self.requests: list[Request] = []
        self.dead = False
        self.closed = False
        self.gate = threading.Event()
        self.gate.set()
        self._answers = deque(answers)
        self._default = default

    def write(self, request: Request) -> Iterator[str]:
        """Yield the next answer up to the first stop string; a callable answer gets the prompt.

        Where choices are asked for, the one that the answer begins with has all the probability.
        """
        self.requests.append(request)
        self.gate.wait(timeout=30)
        if self.dead:
            raise BackendError(f"{self.name} was ended by signal SIGKILL; it starts anew with the next text.")
        answer = self._answers.popleft() if self._answers else self._default
        text = answer(request.prompt) if callable(answer) else answer
        if request.choices:
            yield json.dumps([float(text.lower().startswith(word.lower())) for word in request.choices])
            return
        for mark in request.stop:
            text = text.split(mark, 1)[0] if mark else text
        yield from re.findall(r"\s*\S+|\s+$", text)

    def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True
