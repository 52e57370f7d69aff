"""One fetch of a model, watched from a page: it runs in a process of its own and can be stopped."""

import contextlib
import json
import subprocess
import sys
import threading
from typing import Literal

from prefer_core.errors import BackendError
from prefer_core.rewriting.fetch import fetchable
from prefer_core.rewriting.worker import child_environment

State = Literal["idle", "fetching", "done", "failed", "stopped"]


class Fetching:
    """At most one fetch at a time, shared by all visitors; everything readable may be read from any thread."""

    def __init__(self) -> None:
        self.key = ""
        self.state: State = "idle"
        self.done = 0
        self.total = 0
        self.error = ""
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def start(self, key: str) -> None:
        """Begin; a fetch in progress goes on and is a BackendError."""
        model = fetchable(key)
        with self._lock:
            if self.state == "fetching":
                raise BackendError(f"{self.key} is being fetched; wait for it or stop it.")
            self.key, self.state, self.done, self.total, self.error = key, "fetching", 0, model.size_mib * 2**20, ""
            try:
                self._process = subprocess.Popen(
                    self.command(key),
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    stdin=subprocess.DEVNULL,
                    text=True,
                    env=child_environment(),
                )
            except OSError as error:
                self.state, self.error = "failed", f"The fetch could not be started: {error}."
                return
        threading.Thread(target=self._watch, args=(self._process,), daemon=True).start()

    def command(self, key: str) -> list[str]:
        """Return the child's command line."""
        return [sys.executable, "-m", "prefer_core.rewriting.fetch", key]

    def stop(self) -> None:
        """End the fetch; what has come so far is kept for the next one."""
        with self._lock:
            process = self._process
            if self.state == "fetching" and process is not None:
                self.state = "stopped"
                process.terminate()

    @property
    def share(self) -> float:
        """How much has come, in [0, 1]."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    def _watch(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        ended = ""
        with process.stdout as lines:
            for line in lines:
                with contextlib.suppress(ValueError, TypeError):
                    told = json.loads(line)
                    if "total" in told and process is self._process:
                        self.done, self.total = int(told["done"]), max(int(told["total"]), self.total)
                    ended = str(told.get("error", "")) or ended
        code = process.wait()
        with self._lock:
            # A child that was stopped may end after the next one has begun.
            if self.state != "fetching" or process is not self._process:
                return
            if code == 0:
                self.state, self.done = "done", self.total
            else:
                self.state = "failed"
                self.error = ended or f"The fetch ended with exit code {code}; try again, it goes on where it stopped."
