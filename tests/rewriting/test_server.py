"""A model behind the OpenAI protocol, on a server that misbehaves."""

import time
from dataclasses import replace

import pytest

from prefer_core.config import WritingSettings
from prefer_core.errors import BackendError
from prefer_core.rewriting import make_writer, models, write_template
from prefer_core.rewriting.base import Request
from prefer_core.rewriting.prompts import BASE, INSTRUCT
from prefer_core.rewriting.server import Address, ServerBackend
from tests.rewriting.conftest import make_evidence
from tests.rewriting.made_server import serving

QUICK = WritingSettings(call_timeout=0.6, job_timeout=5.0)
ASKED = Request("Do this. ", "evidence", max_tokens=20, stop=("</",), seed=3, chat=True)


@pytest.fixture
def server():
    """Return a running server."""
    with serving() as running:
        yield running


@pytest.fixture
def backend(server):
    """Return a backend that asks it."""
    return ServerBackend(Address(server.url, "made", "secret"), QUICK, "Made model")


def test_a_text_comes_piece_by_piece(server, backend):
    """The pieces make up the text; model, key, seed and stop strings are sent; thinking is switched off."""
    assert list(backend.write(ASKED))[:3] == ["It", " is", " soft"]
    path, body, key = server.requests[-1]
    assert (path, key) == ("/v1/chat/completions", "Bearer secret")
    assert body == {
        "model": "made",
        "messages": [{"role": "user", "content": "Do this. evidence"}],
        "max_tokens": 20,
        "stop": ["</"],
        "temperature": 0.0,
        "seed": 3,
        "stream": True,
        "chat_template_kwargs": {"enable_thinking": False},
    }


def test_a_base_model_goes_on_from_the_prompt(server):
    """Without chat the prompt is continued as it stands."""
    base = ServerBackend(Address(server.url), QUICK, "Made model")
    assert "".join(base.write(replace(ASKED, chat=False))) == server.text
    path, body, _ = server.requests[-1]
    assert (path, body["prompt"]) == ("/v1/completions", "Do this. evidence")


def test_passing_troubles_are_tried_again(server, backend):
    """Two failures in a row cost less than a second and nothing else."""
    server.plan = ["500", "503", "ok"]
    begun = time.monotonic()
    assert "".join(backend.write(ASKED)) == server.text
    assert time.monotonic() - begun < 2


@pytest.mark.parametrize(
    ("plan", "words", "calls"),
    [
        ("500", "answered 500: the model fell over; look at its own log", 3),
        ("401", r"refuses the key \(401\); set PREFER_LLM_KEY", 1),
        ("404", r"no such address or model \(404\); see PREFER_LLM_URL", 1),
        ("hang", "sent nothing for 0.6 s", 1),
        ("half", "broke off in mid-text", 1),
        ("nothing", "broke off in mid-text", 1),
        ("nonsense", "does not speak the OpenAI protocol", 1),
        ("error", "reports: out of memory", 1),
    ],
)
def test_what_goes_wrong_is_one_sentence(server, backend, plan, words, calls):
    """Each way to fail is told in words within a second of the failure."""
    server.plan = [plan]
    begun = time.monotonic()
    with pytest.raises(BackendError, match=words):
        list(backend.write(ASKED))
    assert time.monotonic() - begun < 3 + 0.6 * (plan == "hang")
    assert len(server.requests) == calls


def test_a_stream_that_never_ends_is_given_up(server):
    """Pieces that keep coming do not outlive the limit of the whole text."""
    server.plan, server.text = ["slow"], "word " * 100
    backend = ServerBackend(Address(server.url), replace(QUICK, job_timeout=0.5), "Made model")
    begun = time.monotonic()
    with pytest.raises(BackendError, match=r"took longer than 0\.5 s for one text"):
        list(backend.write(ASKED))
    assert time.monotonic() - begun < 2


def test_nobody_there_is_one_sentence():
    """A refused connection says what to do, within a second."""
    with serving() as gone:
        url = gone.url
    begun = time.monotonic()
    with pytest.raises(BackendError, match=r"cannot be reached \(.*refused\); start it, or unset PREFER_LLM_URL"):
        ServerBackend(Address(url), QUICK, "Made model").write(ASKED).__next__()
    assert time.monotonic() - begun < 3


@pytest.mark.parametrize(
    ("given", "url"), [("http://a:8080", "http://a:8080/v1"), ("https://a/x/v1/", "https://a/x/v1")]
)
def test_addresses(given, url):
    """Without a path /v1 is meant; the host is told without the key."""
    assert Address.read({"PREFER_LLM_URL": given}).url == url
    assert Address("http://user:pass@h:1/v1").host == "h:1"


@pytest.mark.parametrize("wrong", ["localhost:8080", "ftp://x", "http://", "8080"])
def test_what_is_no_address_falls_to_the_template(wrong):
    """The page says how an address is written."""
    choice = models.resolve({"PREFER_LLM_URL": wrong})
    assert choice.model is None
    assert "write it as http://127.0.0.1:8080/v1" in choice.note


def test_the_ladder_asks_the_server_for_its_model(server):
    """A model of the registry is asked in its own style, another by instructions; a silent server is said to be so."""
    environment = {"PREFER_LLM_URL": server.url}
    assert models.resolve(environment).model.style is INSTRUCT
    server.model = "models/gemma-3-270m-q4_k_m.gguf"
    choice = models.resolve(environment)
    assert (choice.model.style, choice.model.name) == (BASE, f"Gemma 3 270M at 127.0.0.1:{server.server_port}")
    assert models.resolve(environment | {"PREFER_LLM_MODEL": "google/gemma-3-4b-it"}).model.style is INSTRUCT
    assert models.resolve(environment | {"PREFER_MODEL": "none"}).model is None
    server.shutdown()
    server.server_close()
    assert "does not answer yet" in models.resolve(environment).note


def test_a_failing_server_leaves_an_honest_text(server, monkeypatch, private_home):
    """The reader gets the template's text, labelled, within a second of the failure; the log says why; it heals."""
    monkeypatch.setenv("PREFER_LLM_URL", server.url)
    writer = make_writer(replace(QUICK, call_timeout=0.2))  # a server is given three times as long
    assert writer.name == f"made-model at 127.0.0.1:{server.server_port}"
    evidence = make_evidence(("The lid cracked after two weeks.",))
    for plan in ("500", "hang", "half"):
        server.plan = [plan]
        begun = time.monotonic()
        job = writer.submit(evidence)
        assert job.wait(5)
        assert time.monotonic() - begun < 3 + 0.6 * (plan == "hang")
        assert (job.state, job.summary) == ("failed", write_template(evidence))
        assert job.summary.writer == "template"
        assert job.error in (private_home / "logs" / "writing.log").read_text()
    server.plan, server.text = ["ok"], "Many reviewers say the lid cracked after two weeks."
    job = writer.submit(evidence)
    assert job.wait(5)
    assert (job.state, job.summary.model_share) == ("done", 1)
    writer.close()
