"""What the children that hold a model have in common: plain values in over a pipe, plain values out.

A request is answered by pieces of the text, then by a word that it is whole; ``{"cancel": id}`` ends a text early.
Whatever native libraries print goes to the log. When the pipe is closed, the parent is gone or wants us gone: the
process ends.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any, Protocol

from prefer_core.files.machine import usable_cores


class Engine(Protocol):
    """A loaded model."""

    def answers(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the answers to one request, such as ``{"piece": "The lid"}``."""
        ...


def cores() -> int:
    """Return a thread count near the physical cores this process may use."""
    allowed = usable_cores()
    # Two threads on one core slow matrix products down; machines above four logical cores usually pair them.
    return allowed if allowed <= 4 else allowed // 2


def main(make: Callable[..., Engine], self_test: dict[str, Any]) -> None:
    """Serve with the engine that is made of this process's arguments; the last one is the pipe's end."""
    *arguments, end = sys.argv[1:]
    run(lambda: make(*arguments), self_test, int(end))


def run(make: Callable[[], Engine], self_test: dict[str, Any], end: int) -> None:
    """Load the model, let it answer one request as a test, and serve until the pipe is closed.

    Parameters
    ----------
    end : int
        File descriptor of this process's end of the pipe.
    """
    line = Connection(end)
    try:
        engine = make()
        for _ in engine.answers(dict(self_test)):
            pass
    except Exception as error:  # noqa: BLE001  # the parent shows it as one sentence
        line.send({"error": f"{type(error).__name__}: {error}"})
        return
    with contextlib.suppress(EOFError, OSError):
        line.send({"ready": True})
        while True:
            request = line.recv()
            if "cancel" not in request:  # that text was whole before the word came
                _answer(engine, request, line)


def _answer(engine: Engine, request: dict[str, Any], line: Connection) -> None:
    """Answer one request; an error of the model is told in words, a closed pipe ends the process."""
    number = request["id"]
    try:
        for one in engine.answers(request):
            line.send({"id": number, **one})
            if line.poll() and "cancel" in line.recv():
                break
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise
    except Exception as error:  # noqa: BLE001  # whatever a native library raises must reach the parent in words
        line.send({"id": number, "error": f"{type(error).__name__}: {error}"})
        return
    line.send({"id": number, "done": True})
