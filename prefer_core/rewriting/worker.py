"""A model in a process of its own, both ends of the pipe: its death costs one text, never the app.

Plain values go in and out. A request is answered by pieces of the text, then by a word that it is whole; ``{"cancel":
id}`` ends a text early. Whatever native libraries print goes to the log. When the pipe is closed, the parent is gone or
wants us gone: the child ends.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol

from prefer_core.config import WritingSettings
from prefer_core.errors import BackendError
from prefer_core.files.machine import usable_cores
from prefer_core.rewriting.base import Request
from prefer_core.rewriting.journal import open_log

_DEATHS, _WINDOW, _REST = 3, 60.0, 60.0


class ModelProcess:
    """A `Backend` that talks with a child process over a pipe; one thread owns it.

    The path is the model's file or folder; the log takes what the child prints. `start_timeout`, `call_timeout` (of
    silence, where the text comes in pieces) and `context` of the settings are used.
    """

    package = ""
    install = ""
    module = ""

    def __init__(self, path: Path, settings: WritingSettings, name: str = "the model", log: Path | None = None) -> None:
        self.name = name
        self._path = path
        self._settings = settings
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Connection | None = None
        self._deaths: deque[float] = deque(maxlen=_DEATHS)
        self._number = 0

    @property
    def pid(self) -> int | None:
        """Process id of the child, while there is one."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def write(self, request: Request) -> Iterator[str]:
        """Yield the model's text as it is written; see `base.Backend`."""
        with contextlib.closing(self.ask(asdict(request))) as answers:
            yield from (str(answer["piece"]) for answer in answers if "piece" in answer)

    def ask(self, request: dict[str, Any]) -> Generator[dict[str, Any], None, None]:
        """Send a request and yield what comes back, the last with ``done``; closing the iterator ends it early."""
        self.start()
        self._number += 1
        answer = self._ask({"id": self._number, **request}, self._settings.call_timeout)
        try:
            while "error" not in answer:
                yield answer
                if "done" in answer:
                    return
                answer = self._ask(None, self._settings.call_timeout)
        except GeneratorExit:
            with contextlib.suppress(OSError):
                if self._line is not None:
                    self._line.send({"cancel": self._number})
            raise
        raise BackendError(f"{self.name} could not write this text: {answer['error']}")

    def command(self) -> list[str]:
        """Return the child's command line; it then gets the number of the pipe's end that it answers on."""
        return [sys.executable, "-m", self.module, str(self._path)]

    def close(self) -> None:
        """End the child."""
        self._stop()

    def _stop(self) -> int | None:
        """End the child, if there is one, and return its exit code."""
        process, self._process = self._process, None
        if self._line is not None:
            self._line.close()
        if process is None:
            return None
        # An exit code that is already there tells why it died; our own kill must not hide it.
        try:
            return process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def start(self) -> None:
        """Start the child, unless it runs, and wait until it has passed its self-test."""
        if self.pid is not None:
            return
        if len(self._deaths) == _DEATHS and self._deaths[-1] - self._deaths[0] <= _WINDOW:
            wait = self._deaths[-1] + _REST - time.monotonic()
            if wait > 0:
                raise BackendError(
                    f"{self.name} died {_DEATHS} times within a minute; texts come from the template for {wait:.0f} s "
                    "more."
                )
        self._stop()
        root = str(Path(__file__).resolve().parents[2])  # the child finds this package wherever the app was started
        path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
        self._line, theirs = Pipe()
        # Spinning OpenMP threads on a busy machine wait for each other's time slices: 10 to 50 times slower on 2 cores.
        environment = {"OMP_WAIT_POLICY": "passive"} | os.environ | {"PYTHONPATH": path}
        try:
            with theirs, open_log(self._log) as log:
                end = theirs.fileno()
                self._process = subprocess.Popen(
                    [*self.command(), str(end)], pass_fds=[end], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    env=environment,
                )  # fmt: skip
        except OSError as error:
            raise BackendError(f"The process for {self.name} could not be started: {error}.") from error
        answer = self._ask(None, self._settings.start_timeout, "start")
        if "error" in answer:
            self._died()
            raise BackendError(self._missing(str(answer["error"])))

    def _ask(self, request: dict[str, Any] | None, limit: float, what: str = "answer") -> dict[str, Any]:
        """Send a request, if there is one, and return the next answer that belongs to it."""
        assert self._line is not None
        deadline = time.monotonic() + limit
        try:
            if request is not None:
                self._line.send(request)
            while self._line.poll(max(0.0, deadline - time.monotonic())):
                answer: dict[str, Any] = self._line.recv()
                # What is left of a text that was given up carries another number.
                if answer.get("id", self._number) == self._number:
                    return answer
        except (EOFError, OSError):
            raise BackendError(self._died()) from None
        self._died()
        raise BackendError(f"{self.name} did not {what} within {limit:g} s; it starts anew with the next text.")

    def _died(self) -> str:
        """Bury the child, remember when, and return what happened in one sentence."""
        code = self._stop()
        self._deaths.append(time.monotonic())
        if code is None or code >= 0:
            return f"{self.name} ended with exit code {code}; it starts anew with the next text."
        known = {number.value: number.name for number in signal.Signals}
        reason = f"{self.name} was ended by signal {known.get(-code, -code)}"
        if -code in (signal.SIGSEGV, signal.SIGILL):
            return f"{reason}; if it happens again, install again: {self.install} --no-cache-dir"
        return f"{reason}; it starts anew with the next text."

    def _missing(self, error: str) -> str:
        """Return why the child could not load its model, and what to do."""
        if error.startswith(("ModuleNotFoundError", "ImportError")):
            return f"{self.package} is not installed, so {self.name} cannot write; run: {self.install}"
        if "unknown model architecture" in error:
            return (
                f"{self.name} is of an architecture that this llama.cpp does not know ({error}); "
                f"take another model, or a newer llama-cpp-python: pip install -U llama-cpp-python"
            )
        return f"{self.name} could not be loaded ({error}); delete {self._path} and fetch it again."


class LlamaProcess(ModelProcess):
    """llama.cpp, run as ``python -m prefer_core.rewriting.llama_main``."""

    package = "llama-cpp-python"
    install = 'pip install "llama-cpp-python==0.3.36" --config-settings=cmake.define.GGML_NATIVE=OFF'
    module = "prefer_core.rewriting.llama_main"

    def command(self) -> list[str]:
        """Return the child's command line, with the length of its context."""
        return [*super().command(), str(self._settings.context)]


class T5Process(ModelProcess):
    """The paper's other model through transformers, run as ``python -m prefer_core.rewriting.t5_main``."""

    package = "transformers"
    install = "pip install transformers==5.24.0 torch==2.13.0"
    module = "prefer_core.rewriting.t5_main"


# The child's end.


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


def serve(make: Callable[..., Engine], self_test: dict[str, Any]) -> None:
    """Make the engine of this process's arguments, test it with a request, and serve until the pipe is closed.

    The last argument is the file descriptor of this process's end of the pipe.
    """
    *arguments, end = sys.argv[1:]
    line = Connection(int(end))
    try:
        engine = make(*arguments)
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
