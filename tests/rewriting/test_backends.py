"""What every backend keeps to: one method, pieces of one text, errors in words."""

import importlib.util
import sys
import textwrap

import pytest

from prefer_core.config import WritingSettings
from prefer_core.errors import BackendError
from prefer_core.rewriting.base import Request, probabilities
from prefer_core.rewriting.fake import FakeBackend
from prefer_core.rewriting.server import Address, ServerBackend
from prefer_core.rewriting.worker import ModelProcess
from tests.rewriting.made_server import serving

TEXT = "It is soft and the lid cracked."
CHILD = """
from prefer_core.rewriting.worker import serve
import json
class Engine:
    def answers(self, request):
        if request.get("choices"):
            yield {{"piece": json.dumps([1.0] + [0.0] * (len(request["choices"]) - 1))}}
            return
        if request.get("prompt") == "fail":
            raise ValueError("too long")
        text = {text!r}
        for mark in request.get("stop") or ():
            text = text.split(mark, 1)[0]
        for i, word in enumerate(text.split(" ")):
            yield {{"piece": word if i == 0 else " " + word}}
serve(Engine, {{}})
"""


class ChildBackend(ModelProcess):
    """A process with a made engine."""

    def command(self):
        """Return the child."""
        return [sys.executable, "-c", textwrap.dedent(CHILD.format(text=TEXT))]


@pytest.fixture(params=["fake", "process", "server"])
def backend(request, tmp_path):
    """Return each backend in turn, with a model that says one thing."""
    settings = WritingSettings(call_timeout=10, start_timeout=30)
    if request.param == "fake":
        yield FakeBackend(default=lambda prompt: TEXT if prompt != "yes?" else "Yes")
    elif request.param == "process":
        process = ChildBackend(tmp_path, settings, "Made")
        yield process
        process.close()
    else:
        with serving() as server:
            server.text = TEXT
            made = ServerBackend(Address(server.url), settings, "Made")
            yield made
            made.close()


@pytest.mark.parametrize("chat", [False, True])
def test_pieces_make_up_the_text(backend, chat):
    """More than one piece; the same request gives the same text; chat and completion both work."""
    request = Request("Do this. ", "evidence", chat=chat)
    pieces = list(backend.write(request))
    assert len(pieces) > 1
    assert "".join(pieces) == TEXT == "".join(backend.write(request))


def test_a_text_that_is_left_does_not_disturb_the_next(backend):
    """Closing the iterator after its first piece ends that text, and the next request gets its own."""
    begun = backend.write(Request("", "one"))
    next(begun)
    begun.close()
    assert "".join(backend.write(Request("", "two"))) == TEXT


def test_choices_come_as_probabilities(backend):
    """The first of two words has all the probability, in chat and in completion."""
    for chat in (False, True):
        found = probabilities(backend, Request("", "yes?", choices=("Yes", "No"), chat=chat))
        assert found == pytest.approx([1.0, 0.0], abs=1e-6)


def test_closing_twice_is_fine(backend):
    """A backend may be closed again."""
    backend.close()
    backend.close()


def test_an_error_of_the_engine_is_told_and_the_child_lives(tmp_path):
    """One sentence, then the next text."""
    process = ChildBackend(tmp_path, WritingSettings(call_timeout=10, start_timeout=30), "Made")
    with pytest.raises(BackendError, match="Made could not write this text: ValueError: too long"):
        list(process.write(Request("", "fail")))
    pid = process.pid
    assert "".join(process.write(Request("", "x"))) == TEXT
    assert process.pid == pid
    process.close()


def test_torch_and_llama_stay_out_of_this_process():
    """The modules of the backends load no heavy library."""
    assert importlib.util.find_spec("prefer_core.rewriting.check.entailment") is not None
    assert "llama_cpp" not in sys.modules
