"""The worker process, with a small child in place of llama.cpp."""

import os
import signal
import sys
import textwrap
import time

import pytest

from prefer_core.config import WritingSettings
from prefer_core.errors import BackendError
from prefer_core.rewriting import worker
from prefer_core.rewriting.base import Request
from prefer_core.rewriting.worker import LlamaProcess

CHILD = """
import os, sys, time
from multiprocessing.connection import Connection
from prefer_core.rewriting.worker import serve
line = Connection(os.dup(int(sys.argv[-1])))
{before}
class Engine:
    def answers(self, request):
        prompt = request["prompt"]
        if prompt == "sleep":
            time.sleep(60)
        if prompt == "crash":
            os.kill(os.getpid(), 11)
        if prompt == "quit":
            os._exit(3)
        if prompt == "fail":
            raise ValueError("no such luck")
        if prompt == "noise":
            os.write(1, b"a library prints this")
        if prompt not in ("long", "die", "stall", "flow"):
            yield {{"piece": prompt.upper()}}
            return
        for i in range(100_000 if prompt == "long" else 3):
            time.sleep(0.005)
            yield {{"piece": f"{{prompt}}{{i}} "}}
            if prompt == "die" and i == 1:
                os.kill(os.getpid(), 9)
            if prompt == "stall" and i == 1:
                time.sleep(60)
serve(Engine, {{"prompt": "self-test"}})
"""


class SmallProcess(LlamaProcess):
    """A worker whose child is the real one around a few lines of Python."""

    before = ""

    def command(self):
        """Return the small child."""
        return [sys.executable, "-c", textwrap.dedent(CHILD.format(before=self.before))]


@pytest.fixture
def small(tmp_path):
    """Return a small worker, ended after the test."""
    process = SmallProcess(
        tmp_path / "m.gguf", WritingSettings(start_timeout=20, call_timeout=2), log=tmp_path / "logs/l"
    )
    yield process
    process.close()


def ask(process, prompt):
    """Complete a prompt."""
    return "".join(process.write(Request("", prompt)))


def test_answers_and_keeps_its_child(small):
    """One child serves many calls; closing ends it, and a later call starts another."""
    assert ask(small, "grüße") == "GRÜSSE"
    first = small.pid
    assert ask(small, "b") == "B"
    assert small.pid == first
    small.close()
    assert small.pid is None
    assert ask(small, "c") == "C"
    assert small.pid not in (None, first)


def test_an_error_of_the_model_keeps_the_child(small):
    """An error in words is passed on, and the child lives."""
    ask(small, "a")
    first = small.pid
    with pytest.raises(BackendError, match="no such luck"):
        ask(small, "fail")
    assert small.pid == first


def test_death_by_signal_is_told_in_words(small):
    """A crash names the signal and the rebuild command; the next call works."""
    with pytest.raises(BackendError, match=r"signal SIGSEGV.*GGML_NATIVE=OFF"):
        ask(small, "crash")
    assert ask(small, "a") == "A"


def test_kill_between_calls_is_survived(small):
    """A child that was killed while idle is replaced without an error."""
    ask(small, "a")
    os.kill(small.pid, signal.SIGKILL)
    time.sleep(0.2)
    assert ask(small, "b") == "B"


def test_an_exit_is_told_in_words(small):
    """A plain exit names its code."""
    with pytest.raises(BackendError, match="exit code 3"):
        ask(small, "quit")


def test_a_slow_answer_is_given_up(small):
    """The time limit ends the child, and the next call starts another."""
    with pytest.raises(BackendError, match="did not answer within 2 s"):
        ask(small, "sleep")
    assert small.pid is None
    assert ask(small, "a") == "A"


def test_three_deaths_are_enough(small, monkeypatch):
    """After three deaths within a minute it stays down for a minute and says so."""
    for _ in range(3):
        with pytest.raises(BackendError):
            ask(small, "quit")
    with pytest.raises(BackendError, match=r"died 3 times within a minute.*template"):
        ask(small, "a")
    now = time.monotonic()
    monkeypatch.setattr(worker.time, "monotonic", lambda: now + 61)
    assert ask(small, "a") == "A"


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (
            'line.send({"error": "ModuleNotFoundError: x"}); sys.exit(1)',
            "is not installed.*pip install",
        ),
        (
            'line.send({"error": "ValueError: bad magic"}); sys.exit(1)',
            "could not be loaded.*bad magic",
        ),
        ("os.kill(os.getpid(), 4)", "signal SIGILL"),
        ("time.sleep(60)", "did not start within 1 s"),
    ],
)
def test_a_start_that_fails_says_what_to_do(tmp_path, before, words):
    """Each way of failing at the start is one sentence."""
    process = SmallProcess(tmp_path / "m", WritingSettings(start_timeout=1 if "sleep" in before else 20))
    process.before = before
    with pytest.raises(BackendError, match=words):
        ask(process, "a")
    process.close()


@pytest.mark.parametrize("prompt", ["idle", "long"])
def test_the_child_ends_with_its_parent(small, prompt):
    """It leaves when the pipe is closed, idle or in mid-text."""
    pieces = small.write(Request("", prompt))
    next(pieces)
    child = small._process
    small._line.close()
    assert child.wait(timeout=10) == 0


def test_what_a_library_prints_is_no_answer(small, tmp_path):
    """It goes to the log."""
    assert ask(small, "noise") == "NOISE"
    assert (tmp_path / "logs/l").read_text() == "a library prints this"


def flow(process, prompt):
    """Stream a prompt."""
    return process.write(Request("", prompt))


def keep_all(pieces, heard):
    """Keep what comes, also if an error follows."""
    for piece in pieces:
        heard.append(piece)  # an extend would lose what came before the error


def test_a_stream_gives_its_pieces(small):
    """Pieces in order; another text follows on the same child."""
    assert list(flow(small, "flow")) == ["flow0 ", "flow1 ", "flow2 "]
    assert ask(small, "b") == "B"


def test_leaving_a_stream_ends_the_text_in_the_child(small):
    """A text of minutes that is left in its middle costs the next one nothing, and is not taken for it."""
    pieces = flow(small, "long")
    assert [next(pieces), next(pieces)] == ["long0 ", "long1 "]
    pieces.close()
    begun = time.monotonic()
    assert ask(small, "b") == "B"
    assert time.monotonic() - begun < 2
    assert list(flow(small, "flow")) == ["flow0 ", "flow1 ", "flow2 "]


def test_death_and_silence_in_mid_stream(small):
    """Killed between two pieces, or silent for longer than the limit: one sentence, and the next text works."""
    for prompt, words in (("die", "ended by signal SIGKILL"), ("stall", "did not answer within 2 s")):
        heard = []
        with pytest.raises(BackendError, match=words):
            keep_all(flow(small, prompt), heard)
        assert heard == [f"{prompt}0 ", f"{prompt}1 "]
        assert ask(small, "a") == "A"
