"""What the children that hold a model have in common: JSON lines in, JSON lines out.

A request on stdin, answers on stdout: pieces of the text, then what it took. Native
libraries print on file descriptor 1, so the protocol keeps a copy of it and everything else goes to stderr.
``{"cancel": id}`` ends a text early. When stdin closes, the parent is gone or wants us gone: the process ends at once,
also in mid-text.
"""

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TextIO

from prefer_core.files.machine import usable_cores


class Engine(Protocol):
    """A loaded model."""

    def answers(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the answers to one request, such as ``{"piece": "The lid"}``."""
        ...


class Requests:
    """Lines from the parent, read in a thread of their own so that a cancel arrives in mid-text."""

    def __init__(self) -> None:
        self.waiting: queue.Queue[dict[str, Any]] = queue.Queue()
        self.cancelled: set[int] = set()

    def listen(self) -> None:
        """Take in lines until stdin closes, then end the process."""
        for line in sys.stdin:
            request = json.loads(line)
            if "cancel" in request:
                self.cancelled.add(int(request["cancel"]))
            else:
                self.waiting.put(request)
        os._exit(0)


def cores() -> int:
    """Return a thread count near the physical cores this process may use."""
    allowed = usable_cores()
    # Two threads on one core slow matrix products down; machines above four logical cores usually pair them.
    return allowed if allowed <= 4 else allowed // 2


def answer(engine: Engine, request: dict[str, Any], requests: Requests, tell: Callable[[dict[str, Any]], None]) -> None:
    """Answer one request; an error of the model is told in words."""
    number = int(request.pop("id", 0))
    begun = time.monotonic()
    try:
        for one in engine.answers(request):
            if number in requests.cancelled:
                break
            tell({"id": number, **one})
    except Exception as error:  # noqa: BLE001  # whatever a native library raises must reach the parent in words
        tell({"id": number, "error": f"{type(error).__name__}: {error}"})
        return
    tell({"id": number, "done": True, "seconds": time.monotonic() - begun})


def run(make: Callable[[], Engine], self_test: dict[str, Any]) -> None:
    """Load the model, let it answer one request as a test, and serve for ever."""
    out: TextIO = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def tell(values: dict[str, Any]) -> None:
        print(json.dumps(values), file=out, flush=True)

    requests = Requests()
    threading.Thread(target=requests.listen, daemon=True).start()
    try:
        engine = make()
        for _ in engine.answers(dict(self_test)):
            pass
    except Exception as error:  # noqa: BLE001  # as above: the parent shows it as one sentence
        tell({"error": f"{type(error).__name__}: {error}"})
        os._exit(1)
    tell({"ready": True})
    while True:
        answer(engine, requests.waiting.get(), requests, tell)
