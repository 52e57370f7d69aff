"""The embedded model itself."""

import importlib.util
import os
import re
import signal
import threading
import time
from dataclasses import replace

import pytest

from prefer_core.config import WritingSettings
from prefer_core.errors import BackendError
from prefer_core.rewriting import Writer, models, write_template
from prefer_core.rewriting.base import Evidence, Request, probabilities
from prefer_core.rewriting.prompts import BASE
from prefer_core.rewriting.worker import LlamaProcess
from prefer_core.rewriting.write import write
from tests.rewriting.conftest import SETS, make_claim, make_evidence

MISSING = [name for name in ("llama_cpp", models.PACKAGE) if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]
SETTINGS = WritingSettings(job_timeout=300, call_timeout=120)


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    """Return the embedded model, joined once for all tests here."""
    return models.locate(models.resolve({"PREFER_HOME": str(tmp_path_factory.mktemp("home"))}))


@pytest.fixture(scope="module")
def llama(model_file):
    """Return one worker process for all tests here."""
    process = LlamaProcess(model_file, SETTINGS)
    yield process
    process.close()


TONES = ((1, 1, -1), (-1, 1, 1, -1), (1, 1, -1), (1, -1, 1), (-1, 1, 1), (-1, 1, -1))
"""Praise and complaint in SETS, as read."""


def told(text, tones):
    """Return evidence whose claims praise or complain as given."""
    made = make_evidence(text)
    return replace(made, claims=tuple(replace(c, tone=tone) for c, tone in zip(made.claims, tones, strict=True)))


PLAIN = [told(text, tones) for text, tones in zip(SETS, TONES, strict=True)]


def texts(llama, evidence):
    """Return the last summary of each, or the rule's."""
    return [
        [write_template(one), *write(one, llama, BASE, SETTINGS, lambda stage: None)][-1] for one in evidence
    ]  # fmt: skip


@pytest.mark.slow
def test_most_rounds_have_a_sentence_by_the_model_and_order_changes_nothing(llama):
    """Six of ten texts have a sentence by the model; every claim keeps its place; written again, all is equal."""
    forward = texts(llama, PLAIN)
    assert sum(summary.model_share > 0 for summary in forward) >= 0.6 * len(forward)
    for one, summary in zip(PLAIN, forward, strict=True):
        assert sorted(i for cites in summary.paragraph_cites for i in cites) == list(range(len(one.claims)))
    assert texts(llama, PLAIN[:3][::-1])[::-1] == forward[:3]


QUOTED = (
    "The base is so flimsy it toppled with my coffee cup.",
    "I wear it on my walk to work every morning.",
    "It gets hot when my phone charges on it.",
    "My hair feels softer after two weeks.",
)


@pytest.mark.slow
def test_what_is_quoted_is_told_in_the_third_person(llama):
    """At least half of four quotations are the model's in reported speech; persons change and no claim is lost."""
    claims = tuple(make_claim(text, i, "One reviewer", form="told") for i, text in enumerate(QUOTED))
    [summary] = texts(llama, [Evidence("P", "", QUOTED, claims)])
    assert summary.sources.count("model") >= len(QUOTED) / 2
    assert sorted(i for cites in summary.paragraph_cites for i in cites) == list(range(len(QUOTED)))
    assert not re.search(r"\b(I|my)\b", re.sub(r'"[^"]*"', "", summary.paragraph), re.IGNORECASE)


@pytest.mark.slow
def test_prefixes_take_turns(llama):
    """A text is the same whichever prefix was read before it, and a prefix that comes again is not read again."""

    def ask(relation, place):
        begun = time.monotonic()
        text = "".join(llama.write(BASE.join(relation, *SETS[place][:2])))
        return text, time.monotonic() - begun

    plan = [("same", 1), ("other", 0), ("same", 2), ("other", 3)]
    first = [ask(*one)[0] for one in plan]
    assert [ask(*one)[0] for one in reversed(plan)][::-1] == first

    def fresh(i):
        begun = time.monotonic()
        request = BASE.join("same", *SETS[1][:2])
        "".join(llama.write(replace(request, prefix=f"{request.prefix}Entry {i}.\n\n")))
        return time.monotonic() - begun

    assert min(ask("same", 1)[1] for _ in range(2)) < min(fresh(i) for i in range(2))


def test_choices_are_the_models_own_probabilities(llama):
    """Words that go on are likelier than words that do not; both are probabilities."""
    sure, odd = probabilities(llama, Request("", "The capital of France is", choices=("Paris", "Banana")))
    assert 1 > sure > odd >= 0


def test_a_base_model_cannot_be_asked_by_instructions(llama):
    """A file without a chat template says so, and the next text works."""
    with pytest.raises(BackendError, match="has no chat template"):
        list(llama.write(Request("", "Hello", chat=True)))
    assert "".join(llama.write(Request("", "One two three", max_tokens=4)))


def test_a_prompt_that_does_not_fit_is_refused_in_words(llama):
    """Too long a prompt is an error in words, and the next call works."""
    with pytest.raises(BackendError, match="fit"):
        list(llama.write(Request("", "word " * 6000)))
    assert "".join(llama.write(Request("", "One two three", max_tokens=4)))


@pytest.mark.slow
def test_kill_in_mid_call(model_file):
    """kill -9 while it writes: the job fails with the template's text, and the next job works."""
    process = LlamaProcess(model_file, SETTINGS)
    process.start()  # there must be a process to kill when the text begins
    writer = Writer(lambda: process, None, SETTINGS, name=process.name)
    evidence = PLAIN[0]
    job = writer.submit(evidence)
    deadline = time.monotonic() + 60
    while not job.stage.startswith("sentence") and time.monotonic() < deadline:
        time.sleep(0.01)
    threading.Timer(0.05, os.kill, (process.pid, signal.SIGKILL)).start()
    assert job.wait(60)
    assert (job.state, job.summary) == ("failed", write_template(evidence))
    assert "SIGKILL" in job.error
    again = writer.submit(PLAIN[3])
    assert again.wait(120)
    assert again.state == "done"
    writer.close()
