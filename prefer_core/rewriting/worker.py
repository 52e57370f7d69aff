"""llama.cpp in a process of its own: its death costs one text, never the app."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from prefer_core.config import WritingSettings
from prefer_core.errors import BackendError

BUILD_COMMAND = 'pip install "llama-cpp-python==0.3.36" --config-settings=cmake.define.GGML_NATIVE=OFF'

_DEATHS, _WINDOW, _REST = 3, 60.0, 60.0


class LlamaProcess:
    """A `Backend` that talks JSON lines with ``python -m prefer_core.rewriting.llama_main``.

    Parameters
    ----------
    model_path : Path
        The GGUF file.
    settings : WritingSettings
        `start_timeout`, `call_timeout` and `context` are used.
    name : str
        Display name of the model.
    log : Path, optional
        File that takes what llama.cpp prints.

    Notes
    -----
    Not thread-safe by design: one consumer thread owns it (see `writer.Writer`).
    """

    def __init__(
        self, model_path: Path, settings: WritingSettings, name: str = "Gemma 3 270M", log: Path | None = None
    ) -> None:
        self.name = name
        self._path = model_path
        self._settings = settings
        self._log = log
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[str | None] = queue.Queue()
        self._deaths: deque[float] = deque(maxlen=_DEATHS)
        self.last: dict[str, Any] = {}

    @property
    def pid(self) -> int | None:
        """Process id of the child, while there is one."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def complete(
        self, prefix: str, prompt: str, *, max_tokens: int, stop: Sequence[str], temperature: float, seed: int
    ) -> str:
        """Return the model's continuation; see `base.Backend`."""
        self.start()
        request = {
            "prefix": prefix,
            "prompt": prompt,
            "max_tokens": max_tokens,
            "stop": list(stop),
            "temperature": temperature,
            "seed": seed,
        }
        answer = self._ask(json.dumps(request), self._settings.call_timeout)
        if "error" in answer:
            raise BackendError(f"{self.name} could not write this text: {answer['error']}")
        self.last = answer
        return str(answer["text"])

    def start(self) -> None:
        """Start the child and wait until it has passed its self-test; nothing to do if it runs."""
        if self.pid is not None:
            return
        self._refuse_if_it_keeps_dying()
        self._stop()
        self._answers = queue.Queue()
        self._process = self._spawn()
        assert self._process.stdout is not None
        threading.Thread(target=_pump, args=(self._process.stdout, self._answers), daemon=True).start()
        answer = self._ask(None, self._settings.start_timeout)
        if "error" in answer:
            self._died()
            raise BackendError(_missing(str(answer["error"]), self.name))

    def command(self) -> list[str]:
        """Return the child's command line."""
        module = "prefer_core.rewriting.llama_main"
        return [sys.executable, "-m", module, str(self._path), "--context", str(self._settings.context)]

    def close(self) -> None:
        """End the child."""
        self._stop()

    def _spawn(self) -> "subprocess.Popen[str]":
        root = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
        # Spinning OpenMP threads on a busy machine wait for each other's time slices: 10 to 50 times slower on 2 cores.
        try:
            with _open_log(self._log) as log:
                return subprocess.Popen(
                    self.command(),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    env={"OMP_WAIT_POLICY": "passive"} | os.environ | {"PYTHONPATH": path},
                    text=True,
                    encoding="utf-8",
                )
        except OSError as error:
            raise BackendError(f"The process for {self.name} could not be started: {error}.") from error

    def _ask(self, line: str | None, limit: float) -> dict[str, Any]:
        process = self._process
        assert process is not None
        try:
            if line is not None:
                assert process.stdin is not None
                process.stdin.write(line + "\n")
                process.stdin.flush()
            raw = self._answers.get(timeout=limit)
        except queue.Empty:
            self._died()
            what = "start" if line is None else "answer"
            reason = f"{self.name} did not {what} within {limit:g} s; it starts anew with the next text."
            raise BackendError(reason) from None
        except OSError:
            raw = None
        if raw is None:
            raise BackendError(self._died())
        answer = json.loads(raw)
        return answer if isinstance(answer, dict) else {"error": "an answer that is no object"}

    def _died(self) -> str:
        """Bury the child, remember when, and return what happened in one sentence."""
        code = self._stop()
        self._deaths.append(time.monotonic())
        if code is not None and code < 0:
            reason = f"{self.name} was ended by signal {_signal(-code)}"
            if -code in (signal.SIGSEGV, signal.SIGILL):
                return f"{reason}; if it happens again, rebuild llama.cpp: {BUILD_COMMAND} --no-cache-dir"
            return f"{reason}; it starts anew with the next text."
        return f"{self.name} ended with exit code {code}; it starts anew with the next text."

    def _refuse_if_it_keeps_dying(self) -> None:
        if len(self._deaths) < _DEATHS:
            return
        now = time.monotonic()
        wait = self._deaths[-1] + _REST - now
        if self._deaths[-1] - self._deaths[0] <= _WINDOW and wait > 0:
            raise BackendError(
                f"{self.name} died {_DEATHS} times within a minute; texts come from the template for {wait:.0f} s more."
            )

    def _stop(self) -> int | None:
        process, self._process = self._process, None
        if process is None:
            return None
        # An exit code that is already there tells why it died; our own kill must not hide it.
        try:
            code = process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        return code


def _pump(stdout: IO[str], answers: "queue.Queue[str | None]") -> None:
    """Move lines from the child to the queue; None says that it ended."""
    with contextlib.suppress(OSError, ValueError):
        for line in stdout:
            answers.put(line)
    answers.put(None)


def _open_log(path: Path | None) -> IO[bytes]:
    """Open the child's stderr; nowhere if the log cannot be written."""
    if path is not None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return path.open("ab")
        except OSError:
            pass
    return Path(os.devnull).open("ab")


def _missing(error: str, name: str) -> str:
    if error.startswith(("ModuleNotFoundError", "ImportError")):
        return f"llama-cpp-python is not installed, so {name} cannot write; run: {BUILD_COMMAND}"
    return f"{name} could not be loaded ({error}); delete its file in .prefer/models and start again."


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
