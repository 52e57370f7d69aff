"""The queue that all visitors share: one consumer thread, one model, one text at a time."""

import contextlib
import statistics
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Literal

from prefer_core.config import WritingSettings
from prefer_core.errors import BackendError
from prefer_core.rewriting import template, write
from prefer_core.rewriting.base import Backend, Evidence, Request, Summary
from prefer_core.rewriting.cache import TextCache, key
from prefer_core.rewriting.check import STRICT, Check
from prefer_core.rewriting.journal import LOG
from prefer_core.rewriting.prompts import BASE, Style

BackendFactory = Callable[[], Backend]

_REMEMBERED = 20
"""Texts whose duration the estimate of the waiting time rests on."""


State = Literal["queued", "writing", "done", "failed", "cancelled"]


class _EndedError(Exception):
    """A text is given up: nobody waits for it any more, or its time is over."""


class Work:
    """A text that one or more jobs wait for; owned by the writer, guarded by its lock."""

    def __init__(self, name: str, evidence: Evidence) -> None:
        self.name = name
        self.evidence = evidence
        self.summary = template.write(evidence)
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
        self.seconds_last = time.monotonic() - self.started
        if self.seconds_first is None and summary.model_share > 0:
            self.seconds_first = self.seconds_last

    def end(self, state: State, error: str | None = None) -> None:
        """Finish; later calls change nothing."""
        if not self.over.is_set():
            self.state, self.error = state, error
            self.stage = "the template speaks" if state == "failed" else state
            self.over.set()


class Job:
    """A visitor's ticket for one text; everything readable may be read from any thread.

    Two visitors with the same evidence hold two jobs for one text: cancelling one leaves the other's alone.
    """

    def __init__(self, work: Work, writer: "Writer") -> None:
        self._work = work
        self._writer = writer
        self._cancelled = False

    @property
    def state(self) -> State:
        """Where the text stands."""
        return "cancelled" if self._cancelled else self._work.state

    @property
    def stage(self) -> str:
        """What is being done, in words for people: "waiting", "sentence 2 of 4", "done"."""
        return "cancelled" if self._cancelled else self._work.stage

    @property
    def finished(self) -> bool:
        """Whether nothing more will come."""
        return self._cancelled or self._work.over.is_set()

    @property
    def place(self) -> int:
        """How many texts come before this one; 0 once it is being written."""
        return 0 if self.finished else self._writer.place(self._work)

    @property
    def seconds_left(self) -> float | None:
        """About how many seconds until the text is whole; None while nothing is known."""
        return 0.0 if self.finished else self._writer.seconds_left(self._work)

    @property
    def summary(self) -> Summary:
        """The latest text; at once the template's."""
        return self._work.summary

    @property
    def cached(self) -> bool:
        """Whether the text had been written before."""
        return self._work.cached

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
        """Seconds from the request to the latest text; None while there is none but the first."""
        return self._work.seconds_last

    def cancel(self) -> None:
        """Stop waiting; the text itself is given up when nobody waits for it any more."""
        if not self.finished:
            self._cancelled = True
            self._writer.leave(self._work)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing more will come; False if `timeout` seconds pass before."""
        deadline = None if timeout is None else time.monotonic() + timeout
        # In slices: a job can be cancelled by another thread while the shared text goes on for others.
        while not self.finished and (deadline is None or time.monotonic() < deadline):
            self._work.over.wait(0.05)
        return self.finished


class Writer:
    """Writes summaries for everyone, in the order of request.

    Parameters
    ----------
    backend_factory : callable or None
        Makes the backend, called in the consumer thread before the first text; None writes with the template.
    cache : TextCache or None
        Finished texts.
    settings : WritingSettings
        How a model writes and how long it may take.
    name, note : str
        Who writes, and one sentence about it.
    style : Style
        How the model is asked.
    fingerprint : str
        What tells this model from another, for the cache.
    choose_check : callable
        Gives the check that judges what an instruct model writes, once its backend runs.

    Examples
    --------
    >>> from prefer_core.rewriting.base import Claim, Evidence
    >>> claim = Claim("The lid leaks.", "clause", "Many reviewers", 9, 20, 20, 0, (0,))
    >>> evidence = Evidence("p", "", ("The lid leaks.",), (claim,))
    >>> with_template = Writer(None, None, WritingSettings())
    >>> job = with_template.submit(evidence)
    >>> job.state, job.summary.paragraph
    ('done', 'Many reviewers say the lid leaks.')
    """

    def __init__(
        self,
        backend_factory: BackendFactory | None,
        cache: TextCache | None,
        settings: WritingSettings,
        *,
        name: str = template.NAME,
        note: str = "",
        style: Style = BASE,
        fingerprint: str = "",
        choose_check: Callable[[Backend], Check] = lambda backend: STRICT,
    ) -> None:
        self.name = name
        self.note = note
        self.settings = settings
        self._factory = backend_factory
        self._cache = cache
        self._style = style
        self._fingerprint = fingerprint or name
        self._backend: Backend | None = None
        self._choose_check = choose_check
        self._check: Check = STRICT
        self._lock = threading.Lock()
        self._open: dict[str, Work] = {}
        self._orders: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._durations: deque[float] = deque(maxlen=_REMEMBERED)

    def submit(self, evidence: Evidence) -> Job:
        """Ask for a text; the job shows the template's at once. The same evidence in the making is shared."""
        name = key(evidence, self._style, self._fingerprint, self.settings)
        with self._lock:
            if (shared := self._in_the_making(name)) is not None:
                return self._ticket(shared)
        work = Work(name, evidence)
        known = self._cache.get(name) if self._cache is not None and self._factory is not None else None
        if known is not None:
            work.cached = True
            work.show(known)
        if known is not None or self._factory is None or not evidence.claims:
            work.end("done")
            return self._ticket(work)
        with self._lock:
            if self._closed:
                work.end("failed", "The writer has been closed; start the application again.")
            elif (shared := self._in_the_making(name)) is not None:
                work = shared
            else:
                self._open[name] = work
                self._order(lambda: self._make(work))
            return self._ticket(work)

    def warm(self) -> None:
        """Start the model now, so that the first visitor does not wait for it; errors wait for the first text."""
        with self._lock:
            if self._factory is not None and self._backend is None and not self._closed:
                self._order(self._warm_up)

    @property
    def has_model(self) -> bool:
        """Whether a model writes, or the template."""
        return self._factory is not None

    @property
    def waiting(self) -> int:
        """Texts in the queue, the one being written included."""
        with self._lock:
            return len(self._open)

    def close(self) -> None:
        """End the consumer and the model; what was waiting is cancelled."""
        with self._lock:
            self._closed = True
            for work in self._open.values():
                work.end("cancelled")
            self._open.clear()
        self._orders.put(None)
        if self._thread is not None:
            self._thread.join(timeout=self.settings.call_timeout)

    def _in_the_making(self, name: str) -> Work | None:
        work = self._open.get(name)
        return None if work is None or work.over.is_set() else work

    def _ticket(self, work: Work) -> Job:
        work.watchers += 1
        return Job(work, self)

    def place(self, work: Work) -> int:
        """Return how many texts come before this one."""
        with self._lock:
            return list(self._open).index(work.name) if work.name in self._open else 0

    def seconds_left(self, work: Work) -> float | None:
        """Median duration of the latest texts, for those before this one and itself; None before the first."""
        place = self.place(work)
        with self._lock:
            if not self._durations:
                return None
            usual = statistics.median(self._durations)
            begun = next((one.begun for one in self._open.values()), None)
            gone = 0.0 if begun is None else min(usual, time.monotonic() - begun)
            return usual * (place + 1) - gone

    def leave(self, work: Work) -> None:
        """Have one job fewer wait for a text."""
        with self._lock:
            work.watchers -= 1
            if work.watchers <= 0:
                self._forget(work)
                work.end("cancelled")

    def _forget(self, work: Work) -> None:
        if self._open.get(work.name) is work:
            del self._open[work.name]

    def _order(self, what: Callable[[], None]) -> None:
        """Have the consumer do something after all that it was told before."""
        self._orders.put(what)
        if self._thread is None:
            self._thread = threading.Thread(target=self._consume, name="prefer-writer", daemon=True)
            self._thread.start()

    def _consume(self) -> None:
        while (order := self._orders.get()) is not None:
            order()
        if self._backend is not None:
            self._backend.close()

    def _make(self, work: Work) -> None:
        """Have one text written, unless nobody waits for it any more; whatever goes wrong costs this text only."""
        if work.over.is_set():
            return
        try:
            self._write(work)
        except BackendError as error:
            work.summary = template.write(work.evidence)
            self._fail(work, str(error))
        except Exception as error:  # noqa: BLE001  # a defect must not end the thread that everyone waits for
            self._fail(work, f"The text could not be written ({type(error).__name__}: {error}).")
        finally:
            with self._lock:
                self._forget(work)

    def _warm_up(self) -> None:
        # Whatever goes wrong here goes wrong again with the first text, whose job tells it.
        with contextlib.suppress(Exception):
            for prefix in self._style.prefixes:
                for _ in self._model().write(Request(prefix, "", max_tokens=1, chat=self._style.chat)):
                    pass

    def _model(self) -> Backend:
        if self._backend is None:
            assert self._factory is not None
            self._backend = self._factory()
            self._check = self._choose_check(self._backend) if self._style.follows else STRICT
        return self._backend

    def _fail(self, work: Work, reason: str) -> None:
        LOG.warning("%s: %s", work.evidence.product_id, reason)
        work.end("failed", reason)

    def _write(self, work: Work) -> None:
        """Write one text; the deadline counts from here, not from the request."""
        work.begun = time.monotonic()
        deadline = work.begun + self.settings.job_timeout
        work.state, work.stage = "writing", "starting the model"
        model = self._model()

        def report(stage: str) -> None:
            if work.over.is_set() or time.monotonic() > deadline:
                raise _EndedError
            work.stage = stage

        texts = write.write(work.evidence, model, self._style, self.settings, report, self._check)
        # Closing the generator in any case also ends a text in the middle of its stream.
        with contextlib.closing(texts), contextlib.suppress(_EndedError):
            for summary in texts:
                if work.over.is_set():
                    return
                if summary.model_share > 0 or summary.stages != work.summary.stages:
                    work.show(summary)
                report(work.stage)
            work.seconds_last = time.monotonic() - work.started
            self._durations.append(time.monotonic() - work.begun)
            if self._cache is not None:
                self._cache.put(work.name, work.summary)
            work.end("done")
        if not work.over.is_set():
            limit = f"{self.settings.job_timeout:g}"
            self._fail(work, f"{self.name} took longer than {limit} s; what it has written so far is shown.")
