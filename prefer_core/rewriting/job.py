"""One text in the making, seen from a page."""

import threading
import time
from collections.abc import Callable
from typing import Literal

from prefer_core.rewriting.base import Evidence, Summary

State = Literal["queued", "writing", "done", "failed", "cancelled"]


class Work:
    """A text that one or more jobs wait for; owned by the writer, guarded by its lock."""

    def __init__(self, name: str, evidence: Evidence, summary: Summary) -> None:
        self.name = name
        self.evidence = evidence
        self.summary = summary
        self.state: State = "queued"
        self.stage = "waiting"
        self.error: str | None = None
        self.watchers = 0
        self.started = time.monotonic()
        self.begun: float | None = None
        self.cached = False
        self.seconds_first: float | None = None
        self.seconds_last: float | None = None
        self.over = threading.Event()

    def show(self, summary: Summary) -> None:
        """Take a newer text; the first with a sentence by the model stops one clock, every one the other."""
        self.summary = summary
        elapsed = time.monotonic() - self.started
        self.seconds_last = elapsed
        if self.seconds_first is None and summary.model_share > 0:
            self.seconds_first = elapsed

    def end(self, state: State, error: str | None = None) -> None:
        """Finish; later calls change nothing."""
        if not self.over.is_set():
            self.state, self.error = state, error
            self.stage = {"done": "done", "failed": "the template speaks", "cancelled": "cancelled"}.get(state, state)
            self.over.set()


class Job:
    """A visitor's ticket for one text; everything readable may be read from any thread.

    Two visitors with the same evidence hold two jobs for one text: cancelling one leaves the other's alone.
    """

    def __init__(
        self,
        work: Work,
        place: Callable[[Work], int],
        seconds_left: Callable[[Work], float | None],
        leave: Callable[[Work], None],
    ) -> None:
        self._work = work
        self._place = place
        self._seconds_left = seconds_left
        self._leave = leave
        self._cancelled = False

    @property
    def state(self) -> State:
        """Where the text stands."""
        return "cancelled" if self._cancelled else self._work.state

    @property
    def place(self) -> int:
        """How many texts come before this one; 0 once it is being written."""
        return 0 if self.finished else self._place(self._work)

    @property
    def seconds_left(self) -> float | None:
        """About how many seconds until the text is whole, those before it included; None while nothing is known."""
        return 0.0 if self.finished else self._seconds_left(self._work)

    @property
    def cached(self) -> bool:
        """Whether the text had been written before."""
        return self._work.cached

    @property
    def stage(self) -> str:
        """What is being done, in words for people: "waiting", "writing 2 of 4", "done"."""
        return "cancelled" if self._cancelled else self._work.stage

    @property
    def summary(self) -> Summary:
        """The latest text; at once the template's."""
        return self._work.summary

    @property
    def error(self) -> str | None:
        """Why the model's text is missing, in one sentence."""
        return self._work.error

    @property
    def seconds_first(self) -> float | None:
        """Seconds from the request to the first sentence by the model; None while there is none."""
        return self._work.seconds_first

    @property
    def seconds_last(self) -> float | None:
        """Seconds from the request to the latest text; None while there is none but the template's first."""
        return self._work.seconds_last

    @property
    def finished(self) -> bool:
        """Whether nothing more will come."""
        return self._cancelled or self._work.over.is_set()

    def cancel(self) -> None:
        """Stop waiting; the text itself is given up when nobody waits for it any more."""
        if not self.finished:
            self._cancelled = True
            self._leave(self._work)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing more will come; False if `timeout` seconds pass before."""
        deadline = None if timeout is None else time.monotonic() + timeout
        # In slices: a job can be cancelled by another thread while the shared text goes on for others.
        while not self.finished and (deadline is None or time.monotonic() < deadline):
            self._work.over.wait(0.05)
        return self.finished
