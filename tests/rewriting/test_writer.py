"""The shared queue."""

import re
import threading
import time
from dataclasses import replace

import pytest

from prefer_core.config import WritingSettings
from prefer_core.errors import BackendError
from prefer_core.rewriting import Writer, make_writer, write_template
from prefer_core.rewriting.cache import TextCache
from prefer_core.rewriting.check import Verdict
from prefer_core.rewriting.fake import FakeBackend
from prefer_core.rewriting.prompts import BASE, INSTRUCT
from tests.rewriting.conftest import make_evidence

ONE = make_evidence(("The lid broke after two weeks.", "The jar is flimsy."))
TWO = make_evidence(("The smell is nasty.", "The jar is flimsy."))
THREE = make_evidence(("The jar is flimsy.", "The lid is horrible."))


def joined(prompt: str) -> str:
    """Answer with the two sentences joined by "while"."""
    first, second = re.findall(r"(?:First|Second): (.*)\.", prompt)
    return f" {first}, while {second.replace(' reviewers', '').lower()}."


@pytest.fixture
def fake():
    """Return a fake that joins what it is given."""
    return FakeBackend(default=joined)


@pytest.fixture
def writer(fake, tmp_path, quick):
    """Return a writer with the fake, closed after the test."""
    made = Writer(lambda: fake, TextCache(tmp_path / "texts"), quick, name=fake.name)
    yield made
    fake.gate.set()
    made.close()


def until(condition, limit=5.0):
    """Wait for a condition."""
    end = time.monotonic() + limit
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    assert condition()


def test_a_job_ends_with_the_model_s_text(writer, fake):
    """The template's text is there at once, the model's when the job is done."""
    fake.gate.clear()
    job = writer.submit(ONE)
    assert job.summary == write_template(ONE)
    until(lambda: job.stage == "sentence 1 of 1")
    assert (job.state, job.place, job.finished) == ("writing", 0, False)
    fake.gate.set()
    assert job.wait(5)
    assert (job.state, job.error, job.stage) == ("done", None, "done")
    assert (
        job.summary.paragraph == "Many reviewers say the lid broke after two weeks, while some say the jar is flimsy."
    )
    assert job.seconds_first <= job.seconds_last


def test_places_and_order(writer, fake):
    """The queue is first in, first out, and each job knows how many come before it."""
    fake.gate.clear()
    jobs = [writer.submit(one) for one in (ONE, TWO, THREE)]
    until(lambda: jobs[0].state == "writing")
    assert [job.place for job in jobs] == [0, 1, 2]
    assert writer.waiting == 3
    jobs[1].cancel()
    assert [job.state for job in jobs] == ["writing", "cancelled", "queued"]
    assert jobs[2].place == 1
    fake.gate.set()
    assert jobs[2].wait(5)
    assert all("sweet" not in call.prompt for call in fake.requests)
    assert writer.waiting == 0


def test_identical_evidence_is_shared(writer, fake):
    """Two visitors wait for one text; one leaving does not take it from the other."""
    fake.gate.clear()
    first, second = writer.submit(ONE), writer.submit(make_evidence(ONE.text))
    first.cancel()
    assert (first.state, second.finished) == ("cancelled", False)
    assert first.wait(1)
    fake.gate.set()
    assert second.wait(5)
    assert second.state == "done"
    assert len(fake.requests) == 1


def test_cancelling_stops_the_writing(writer, fake):
    """A cancelled text is given up after the call in progress, and the same evidence can be asked for anew."""
    fake.gate.clear()
    job = writer.submit(
        make_evidence(("The lid broke.", "The jar is flimsy.", "The smell is nasty.", "The cup is flimsy."))
    )
    until(lambda: fake.requests)
    job.cancel()
    fake.gate.set()
    assert writer.submit(ONE).wait(5)
    assert len(fake.requests) <= 4
    assert writer.submit(make_evidence(("The lid broke.", "The jar is flimsy."))).wait(5)


def test_cached_texts_are_done_at_once(writer, fake, quick):
    """A second writer on the same folder needs no model."""
    job = writer.submit(ONE)
    assert job.wait(5)
    again = writer.submit(ONE)
    assert (again.state, again.summary) == ("done", job.summary)
    other = Writer(lambda: pytest.fail("no model needed"), writer._cache, quick, name=fake.name)
    assert other.submit(ONE).summary == job.summary


def test_a_death_costs_one_text(writer, fake):
    """The job fails with the template's text and one sentence; the next job works; nothing bad is cached."""
    fake.dead = True
    job = writer.submit(ONE)
    assert job.wait(5)
    assert (job.state, job.summary) == ("failed", write_template(ONE))
    assert job.error == "Fake model was ended by signal SIGKILL; it starts anew with the next text."
    fake.dead = False
    again = writer.submit(ONE)
    assert again.wait(5)
    assert (again.state, again.summary.model_share) == ("done", 1)


def test_a_model_that_cannot_start(quick):
    """A factory's BackendError is the job's error; the factory is asked again next time."""
    tries = []

    def factory():
        tries.append(1)
        raise BackendError("No model here.")

    writer = Writer(factory, None, quick)
    for _ in range(2):
        job = writer.submit(ONE)
        assert job.wait(5)
        assert (job.state, job.error) == ("failed", "No model here.")
    assert len(tries) == 2
    writer.close()


def test_a_defect_does_not_end_the_queue(quick):
    """An unexpected exception fails one job and names itself."""
    answers = [lambda prompt: 1 / 0]
    fake = FakeBackend(answers, default=joined)
    writer = Writer(lambda: fake, None, quick)
    first = writer.submit(ONE)
    assert first.wait(5)
    assert "ZeroDivisionError" in first.error
    second = writer.submit(THREE)
    assert second.wait(5)
    assert second.state == "done"
    writer.close()


def test_the_deadline_keeps_what_was_written(fake):
    """A text that takes too long fails with what has been written so far."""
    fake._answers.append(joined)
    fake._default = lambda prompt: time.sleep(0.6) or joined(prompt)
    writer = Writer(lambda: fake, None, WritingSettings(job_timeout=0.4), name="Fake model")
    job = writer.submit(
        make_evidence(("The lid broke.", "The jar is flimsy.", "The smell is nasty.", "The cup is flimsy."))
    )
    assert job.wait(5)
    assert job.state == "failed"
    assert job.error == "Fake model took longer than 0.4 s; what it has written so far is shown."
    assert job.summary.model_share > 0
    writer.close()


def test_without_a_model_jobs_are_done_at_once(monkeypatch):
    """PREFER_MODEL=none gives a writer that says who writes and why."""
    monkeypatch.setenv("PREFER_MODEL", "none")
    writer = make_writer()
    assert (writer.name, writer.note) == ("template", "PREFER_MODEL is none: texts come from the template.")
    job = writer.submit(ONE)
    assert (job.state, job.summary) == ("done", write_template(ONE))
    writer.close()


def test_closing_cancels_what_waits(writer, fake):
    """Jobs in the queue end as cancelled, the backend is closed, later jobs fail in words."""
    fake.gate.clear()
    jobs = [writer.submit(ONE), writer.submit(TWO)]
    until(lambda: fake.requests)
    fake.gate.set()
    writer.close()
    assert all(job.wait(5) for job in jobs)
    assert jobs[1].state == "cancelled"
    assert fake.closed
    late = writer.submit(THREE)
    assert (late.state, late.summary) == ("failed", write_template(THREE))
    assert "closed" in late.error


def test_warming_starts_the_model_before_the_first_text(writer, fake):
    """The prefix is read once, without a job; a failing start is left to the first text."""
    writer.warm()
    until(lambda: fake.requests)
    assert (fake.requests[0].prompt, fake.requests[0].max_tokens) == ("", 1)
    job = writer.submit(ONE)
    assert job.wait(5)
    assert job.state == "done"


def test_twenty_visitors_at_once(writer):
    """Many threads get their own texts."""
    found = {}

    def visit(i):
        job = writer.submit(make_evidence((f"The lid {'abcde'[i % 5]} broke.", "The cup is flimsy.")))
        job.wait(20)
        found[i] = (job.state, job.summary.model_share)

    threads = [threading.Thread(target=visit, args=(i,)) for i in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(20), ("done", 1.0))


def test_the_waiting_time_follows_what_texts_took(writer, fake):
    """Unknown before the first text; then the usual duration for each text before and for itself."""
    job = writer.submit(ONE)
    assert job.wait(5)
    writer._durations.clear()
    fake.gate.clear()
    jobs = [writer.submit(one) for one in (TWO, THREE)]
    until(lambda: jobs[0].state == "writing")
    assert [j.seconds_left for j in jobs] == [None, None]
    writer._durations.extend((8.0, 10.0, 30.0))
    assert 9.0 < jobs[0].seconds_left <= 10.0
    assert 19.0 < jobs[1].seconds_left <= 20.0
    assert job.seconds_left == 0
    fake.gate.set()
    assert jobs[1].wait(5)
    assert jobs[1].seconds_left == 0


def test_a_cancelled_stream_ends_in_mid_text(quick):
    """Cancelling closes the stream of the text that is being written; the next one does not wait for it."""
    closed = threading.Event()

    class Endless(FakeBackend):
        def write(self, request):
            try:
                while True:
                    time.sleep(0.01)
                    yield "word "
            finally:
                closed.set()

    writer = Writer(lambda: Endless(), None, quick, name="Endless", style=INSTRUCT)
    job = writer.submit(ONE)
    until(lambda: job.state == "writing")
    job.cancel()
    assert closed.wait(10)
    late = Writer(lambda: Endless(), None, replace(quick, job_timeout=0.2), name="Endless", style=INSTRUCT)
    job = late.submit(ONE)
    assert job.wait(10)
    assert job.error == "Endless took longer than 0.2 s; what it has written so far is shown."
    writer.close()
    late.close()


def test_where_no_sentence_passed_the_text_is_the_rule_s(quick, tmp_path):
    """The job is done, the text is the template's and kept, so that the model is not asked in vain again."""
    fake = FakeBackend(default="The boat leaks.")
    writer = Writer(lambda: fake, TextCache(tmp_path), quick, name=fake.name, style=INSTRUCT)
    for cached in (False, True):
        job = writer.submit(ONE)
        assert job.wait(5)
        assert (job.state, job.cached, job.summary.model_share, job.seconds_first) == ("done", cached, 0, None)
        assert job.summary.statements == write_template(ONE).statements
    writer.close()


def test_the_check_is_chosen_once_the_model_runs(quick):
    """An instruct model's text is judged by the check that the writer was given; a base model's never is."""
    asked = []

    class Refusing:
        name, asks_the_writer = "refusing", False

        def judge(self, text, sources):
            asked.append(text)
            return Verdict(False, 0.0, ("No.",))

    for style, expected in ((INSTRUCT, True), (BASE, False)):
        fake = FakeBackend(default="Many reviewers say the lid broke after two weeks [1].")
        writer = Writer(lambda fake=fake: fake, None, quick, style=style, choose_check=lambda backend: Refusing())
        assert writer.submit(ONE).wait(5)
        assert bool(asked) is expected
        asked.clear()
        writer.close()
