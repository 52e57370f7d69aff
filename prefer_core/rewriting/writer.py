"""The queue that all visitors share: one consumer thread, one model, one text at a time."""

import contextlib
import statistics
import threading
import time
from collections import deque
from collections.abc import Callable
from copy import copy
from queue import SimpleQueue
from typing import Any, Literal

from prefer_core.config import WritingSettings, home
from prefer_core.errors import BackendError
from prefer_core.rewriting import check, journal, models, template
from prefer_core.rewriting.base import Backend, Evidence, Summary
from prefer_core.rewriting.cache import TextCache, key
from prefer_core.rewriting.check import STRICT, Check
from prefer_core.rewriting.journal import LOG
from prefer_core.rewriting.prompts import BASE, Style
from prefer_core.rewriting.write import write

_REMEMBERED = 20
"""Texts whose duration the estimate of the waiting time rests on."""

State = Literal["queued", "writing", "done", "failed", "cancelled"]


class _EndedError(Exception):
    """A text is given up: nobody waits for it any more, or its time is over."""


class Job:
    """A visitor's ticket for one text; everything readable may be read from any thread.

    Two visitors with the same evidence hold two jobs for one text: cancelling one leaves the other's alone.

    Attributes
    ----------
    state : {"queued", "writing", "done", "failed", "cancelled"}
        Where the text stands.
    stage : str
        What is being done, in words for people: "waiting", "sentence 2 of 4", "done".
    summary : Summary
        The latest text; at once the template's.
    error : str or None
        Why the model's text is missing, in one sentence.
    cached : bool
        Whether the text had been written before.
    seconds_first, seconds_last : float or None
        Seconds from the request to the first sentence by the model, and to the latest text; None while there is none.
    """

    def __init__(self, writer: "Writer", name: str, evidence: Evidence) -> None:
        self.state: State = "queued"
        self.stage = "waiting"
        self.summary = template.write(evidence)
        self.error: str | None = None
        self.cached = False
        self.seconds_first: float | None = None
        self.seconds_last: float | None = None
        self._writer = writer
        self._name = name
        self._started = time.monotonic()
        self._begun: float | None = None
        self._over = threading.Event()

    @property
    def finished(self) -> bool:
        """Whether nothing more will come."""
        return self._over.is_set()

    @property
    def place(self) -> int:
        """How many texts come before this one; 0 once it is being written."""
        return 0 if self.finished else self._writer.place(self._name)

    @property
    def seconds_left(self) -> float | None:
        """About how many seconds until the text is whole; None while nothing is known."""
        return 0.0 if self.finished else self._writer.seconds_left(self._name)

    def cancel(self) -> None:
        """Stop waiting; the text itself is given up when nobody waits for it any more."""
        self._writer.leave(self, self._name)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing more will come; False if `timeout` seconds pass before."""
        return self._over.wait(timeout)

    def shared(self) -> "Job":
        """Return another visitor's job for the same text, as far as it is."""
        other = copy(self)
        other._over = threading.Event()
        return other

    def show(self, summary: Summary) -> None:
        """Take a newer text; the first with a sentence by the model stops one clock, every one the other."""
        self.summary = summary
        self.seconds_last = time.monotonic() - self._started
        if self.seconds_first is None and summary.model_share > 0:
            self.seconds_first = self.seconds_last

    def end(self, state: State, error: str | None = None) -> None:
        """Finish; later calls change nothing."""
        if not self.finished:
            self.state, self.error = state, error
            self.stage = "the template speaks" if state == "failed" else state
            self._over.set()


class Writer:
    """Writes summaries for everyone, in the order of request.

    `backend_factory` makes the model's backend, in the consumer thread before the first text; None writes with the
    template. `name` and `note` say who writes, `fingerprint` tells this model from another in the cache of finished
    texts, and `choose_check` gives the check that judges what an instruct model writes, once its backend runs.

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
        backend_factory: Callable[[], Backend] | None,
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
        self._open: dict[str, list[Job]] = {}  # who waits for each text, in the order of request
        self._orders: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._durations: deque[float] = deque(maxlen=_REMEMBERED)

    def submit(self, evidence: Evidence) -> Job:
        """Ask for a text; the job shows the template's at once. The same evidence in the making is shared."""
        name = key(evidence, self._style, self._fingerprint, self.settings)
        job = Job(self, name, evidence)
        known = self._cache.get(name) if self._cache is not None and self._factory is not None else None
        if known is not None:
            job.cached = True
            job.show(known)
        with self._lock:
            if known is not None or self._factory is None or not evidence.claims:
                job.end("done")
            elif self._closed:
                job.end("failed", "The writer has been closed; start the application again.")
            elif name in self._open:
                job = self._open[name][0].shared()
                self._open[name].append(job)
            else:
                self._open[name] = jobs = [job]
                self._order(lambda: self._make(name, evidence, jobs))
        return job

    def warm(self) -> None:
        """Start the model now, so that the first visitor does not wait for it; errors wait for the first text."""

        def warm_up() -> None:
            # Whatever goes wrong here goes wrong again with the first text, whose job tells it.
            with contextlib.suppress(Exception):
                self._style.warm(self._model())

        with self._lock:
            if self._factory is not None and self._backend is None and not self._closed:
                self._order(warm_up)

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
            for jobs in self._open.values():
                self._end(jobs, "cancelled")
            self._open.clear()
        self._orders.put(None)
        if self._thread is not None:
            self._thread.join(timeout=self.settings.call_timeout)

    def place(self, name: str) -> int:
        """Return how many texts come before one."""
        with self._lock:
            return list(self._open).index(name) if name in self._open else 0

    def seconds_left(self, name: str) -> float | None:
        """Median duration of the latest texts, for those before this one and itself; None before the first."""
        place = self.place(name)
        with self._lock:
            if not self._durations:
                return None
            usual = statistics.median(self._durations)
            begun = next((jobs[0]._begun for jobs in self._open.values()), None)
            gone = 0.0 if begun is None else min(usual, time.monotonic() - begun)
            return usual * (place + 1) - gone

    def leave(self, job: Job, name: str) -> None:
        """Have one job fewer wait for a text."""
        with self._lock:
            jobs = self._open.get(name, [])
            if job in jobs:
                jobs.remove(job)
                if not jobs:
                    del self._open[name]
            job.end("cancelled")

    def _end(self, jobs: list[Job], state: State, error: str | None = None) -> None:
        """End all jobs of a text, which are then nobody's to wait for; the lock is held."""
        for job in jobs:
            job.end(state, error)
        jobs.clear()

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

    def _model(self) -> Backend:
        if self._backend is None:
            assert self._factory is not None
            self._backend = self._factory()
            self._check = self._choose_check(self._backend) if self._style.follows else STRICT
        return self._backend

    def _make(self, name: str, evidence: Evidence, jobs: list[Job]) -> None:
        """Have one text written, unless nobody waits for it any more; whatever goes wrong costs this text only."""
        error = None
        try:
            if jobs:
                error = self._write(name, evidence, jobs)
        except BackendError as refused:
            error = str(refused)
            self._tell(jobs, summary=template.write(evidence))
        except Exception as defect:  # noqa: BLE001  # a defect must not end the thread that everyone waits for
            error = f"The text could not be written ({type(defect).__name__}: {defect})."
        if error is not None:
            LOG.warning("%s: %s", evidence.product_id, error)
        with self._lock:
            if self._open.get(name) is jobs:
                del self._open[name]
            self._end(jobs, "done" if error is None else "failed", error)

    def _tell(self, jobs: list[Job], **changes: Any) -> None:
        """Change every job of a text; the lock keeps one that comes to share it from missing a change."""
        with self._lock:
            for job in jobs:
                vars(job).update(changes)

    def _show(self, jobs: list[Job], summary: Summary) -> None:
        with self._lock:
            for job in jobs:
                job.show(summary)

    def _write(self, name: str, evidence: Evidence, jobs: list[Job]) -> str | None:
        """Write one text, and return why it is not whole; the deadline counts from here, not from the request."""
        begun = time.monotonic()

        def go_on() -> None:
            if not jobs or time.monotonic() > begun + self.settings.job_timeout:
                raise _EndedError

        def report(stage: str) -> None:
            go_on()
            self._tell(jobs, stage=stage)

        self._tell(jobs, state="writing", stage="starting the model", _begun=begun)
        model = self._model()
        latest = template.write(evidence)
        texts = write(evidence, model, self._style, self.settings, report, self._check)
        # Closing the generator in any case also ends a text in the middle of its stream.
        with contextlib.closing(texts), contextlib.suppress(_EndedError):
            for summary in texts:
                if summary.model_share > 0 or summary.stages != latest.stages:
                    latest = summary
                    self._show(jobs, latest)
                go_on()
            self._show(jobs, latest)
            self._durations.append(time.monotonic() - begun)
            if self._cache is not None:
                self._cache.put(name, latest)
            return None
        late = f"{self.name} took longer than {self.settings.job_timeout:g} s; what it has written so far is shown."
        return late if jobs else None


def make_writer(settings: WritingSettings | None = None) -> Writer:
    """Return the writer that the environment asks for; its model starts with the first text."""
    limits = settings or WritingSettings.in_force()
    journal.keep(home() / "logs")
    choice = models.resolve()
    model = choice.model
    if model is None:
        LOG.info("%s", choice.note)
        return Writer(None, None, limits, note=choice.note)
    return Writer(
        lambda: models.backend(choice, limits),
        TextCache(home() / "texts", limits.cached_texts),
        model.limits(limits),
        name=model.name,
        note=choice.note,
        style=model.style,
        fingerprint=choice.fingerprint,
        choose_check=lambda writing: check.best(model.key, writing, model.style.chat),
    )
