"""Servers that answer as models have been reported to: nothing but checked sentences reaches the page."""

import importlib.util
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from prefer_core.config import WritingSettings
from prefer_core.rewriting import make_writer, write_template
from tests.rewriting.conftest import make_evidence
from tests.rewriting.made_server import serving

CLAUSE = "The lid is solid on every jar of the set."
SAID = "Many reviewers say the lid is solid on every jar of the set."
EVIDENCE = make_evidence((CLAUSE,))
QUICK = WritingSettings(call_timeout=1.0, job_timeout=10.0)

ODD_SERVER = Path(__file__).parents[3] / "shared" / "cases" / "31-odd-server.py"
MODES = {
    "ok": SAID, "special": SAID, "leak": SAID, "think": SAID, "loop": SAID, "html": None, "spanish": None,
    "markers": None, "numbers": None, "empty": None, "loading": None,
}  # fmt: skip
"""What is on the page: the model's sentence, or None for the rule's."""


def written(url: str, monkeypatch: pytest.MonkeyPatch):
    """Have the evidence written by a server; return the finished job."""
    monkeypatch.setenv("PREFER_LLM_URL", url)
    writer = make_writer(QUICK)
    job = writer.submit(EVIDENCE)
    assert job.wait(30)
    writer.close()
    return job


@pytest.mark.parametrize(
    ("answer", "by_model"),
    [
        (SAID, True),
        (CLAUSE, True),  # nobody is named who says it: the claim's own word is put before it
        (f"<|channel>thought\nThe user wants a sentence.<channel|>{SAID}", True),
        (f"<think>\nHm.\n</think>\n{SAID}", True),
        ("<think>Thoughts that never end", False),
        (f"{SAID}<end_of_turn>\n<start_of_turn>user\nMore?", True),
        (" ".join([SAID] * 60), True),
        ("Los clientes dicen que la tapa es muy buena y llega pronto.", False),
        (f"{SAID[:-1]} [7].", False),
        (f"{SAID[:-1]} after 9 weeks.", False),
        (f"<script>alert(1)</script><b>{SAID}</b>", False),
        ("I love that the lid is solid on every jar of the set.", False),
        ("", False),
    ],
)
def test_odd_answers(answer: str, by_model: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is right is used and cleaned; thoughts, turns, repeats, tongues, marks, figures and code are not shown."""
    with serving() as server:
        server.plan, server.text = ["ok"], answer
        job = written(server.url, monkeypatch)
    assert (job.state, job.error) == ("done", None)
    assert job.summary.paragraph == SAID
    assert job.summary.model_share == float(by_model)


def test_thoughts_beside_the_text_are_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that thinks until its budget is gone sends no word of the text; the rule's stands."""
    with serving() as server:
        server.plan, server.text = ["think"], "The user wants a summary."
        job = written(server.url, monkeypatch)
    assert (job.state, job.summary) == ("done", write_template(EVIDENCE))


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("openai") is None, reason="not installed: openai")
@pytest.mark.skipif(not ODD_SERVER.is_file(), reason="the odd server of the shared cases is not here")
@pytest.mark.parametrize(("mode", "shown"), MODES.items())
def test_modes_of_the_odd_server(mode: str, shown: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence is the model's where it is right, else the rule's; a server that is loading is named."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, str(ODD_SERVER), mode, str(port)], env=os.environ)
    try:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        job = written(f"http://127.0.0.1:{port}/v1", monkeypatch)
    finally:
        process.kill()
        process.wait()
    assert job.summary.paragraph == SAID
    assert job.summary.model_share == float(shown is not None)
    assert job.state == ("failed" if mode == "loading" else "done")
    if mode == "loading":
        assert "answered 503: Loading model" in job.error
