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
import json, os, sys, time
{before}
print(json.dumps({{"ready": True}}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    prompt = request.get("prompt", "")
    if prompt == "sleep":
        time.sleep(60)
    if prompt == "crash":
        os.kill(os.getpid(), 11)
    if prompt == "quit":
        sys.exit(3)
    if "cancel" in request:
        continue
    number = request["id"]
    if prompt == "fail":
        print(json.dumps({{"id": number, "error": "ValueError: too long"}}), flush=True)
        continue
    if prompt in ("long", "die", "stall", "flow"):
        for i in range(3 if prompt != "long" else 200):
            print(json.dumps({{"id": number, "piece": f"{{prompt}}{{i}} "}}), flush=True)
            if prompt == "die" and i == 1:
                os.kill(os.getpid(), 9)
            if prompt == "stall" and i == 1:
                time.sleep(60)
            time.sleep(0.002)
    else:
        print(json.dumps({{"id": number, "piece": prompt.upper()}}), flush=True)
    print(json.dumps({{"id": number, "done": True, "seconds": 0.1}}), flush=True)
"""


class SmallProcess(LlamaProcess):
    """A worker whose child is a few lines of Python."""

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
    with pytest.raises(BackendError, match="too long"):
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
            'print(json.dumps({"error": "ModuleNotFoundError: x"}), flush=True); sys.exit(1)',
            "is not installed.*pip install",
        ),
        (
            'print(json.dumps({"error": "ValueError: bad magic"}), flush=True); sys.exit(1)',
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


def test_the_child_ends_with_its_parent(tmp_path):
    """The real child leaves when its stdin closes, whatever it is doing."""
    process = LlamaProcess(tmp_path / "none.gguf", WritingSettings())
    child = process._spawn()
    child.stdin.close()
    assert child.wait(timeout=20) in (0, 1)
    child.stdout.close()


def flow(process, prompt):
    """Stream a prompt."""
    return process.write(Request("", prompt))


def keep_all(pieces, heard):
    """Keep what comes, also if an error follows."""
    for piece in pieces:
        heard.append(piece)  # an extend would lose what came before the error


def test_a_stream_gives_its_pieces(small):
    """Pieces in order, then what it took; another text follows on the same child."""
    assert list(flow(small, "flow")) == ["flow0 ", "flow1 ", "flow2 "]
    assert small.last["seconds"] == 0.1
    assert ask(small, "b") == "B"


def test_a_stream_that_is_left_does_not_disturb_the_next_text(small):
    """What the child still writes of the first text is not taken for the second."""
    pieces = flow(small, "long")
    assert next(pieces) == "long0 "
    pieces.close()
    assert ask(small, "b") == "B"
    assert list(flow(small, "flow")) == ["flow0 ", "flow1 ", "flow2 "]


ENGINE = """
import time
from prefer_core.rewriting.child_main import run
class Engine:
    def answers(self, request):
        prompt = request["prompt"]
        if prompt == "fail":
            raise ValueError("no such luck")
        for i in range(100_000 if prompt == "long" else 2):
            time.sleep(0.005)
            yield {"piece": f"{prompt}{i} "}
run(Engine, {"prompt": "self-test"})
"""


class EngineProcess(SmallProcess):
    """A worker whose child is the real one around a small engine."""

    def command(self):
        """Return the child."""
        return [sys.executable, "-c", ENGINE]


def test_leaving_a_stream_ends_the_text_in_the_child(tmp_path):
    """A text of minutes that is left in its middle costs the next one nothing."""
    process = EngineProcess(tmp_path / "m", WritingSettings(start_timeout=20, call_timeout=2), "Small")
    pieces = flow(process, "long")
    assert [next(pieces), next(pieces)] == ["long0 ", "long1 "]
    pieces.close()
    begun = time.monotonic()
    assert ask(process, "b") == "b0 b1 "
    assert time.monotonic() - begun < 2
    with pytest.raises(BackendError, match="Small could not write this text: ValueError: no such luck"):
        ask(process, "fail")
    assert list(flow(process, "c")) == ["c0 ", "c1 "]
    process.close()


def test_death_and_silence_in_mid_stream(small):
    """Killed between two pieces, or silent for longer than the limit: one sentence, and the next text works."""
    for prompt, words in (("die", "ended by signal SIGKILL"), ("stall", "did not answer within 2 s")):
        heard = []
        with pytest.raises(BackendError, match=words):
            keep_all(flow(small, prompt), heard)
        assert heard == [f"{prompt}0 ", f"{prompt}1 "]
        assert ask(small, "a") == "A"
