"""The embedded model itself."""

import importlib.util
import os
import signal
import threading
import time

import pytest

from prefer_core.config import SupportSettings, WritingSettings
from prefer_core.errors import BackendError
from prefer_core.rewriting import Writer, models, quantifier, weights, write_template
from prefer_core.rewriting.form import clause_of, first_person, longest_run, loops
from prefer_core.rewriting.hierarchical import write
from prefer_core.rewriting.prompts import BASE
from prefer_core.rewriting.worker import LlamaProcess
from tests.rewriting.conftest import SETS, make_evidence

MISSING = [name for name in ("llama_cpp", weights.PACKAGE) if importlib.util.find_spec(name) is None]
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


@pytest.fixture(scope="module")
def written(llama):
    """Return the final summary of each set, written in order and then once more in reverse order."""

    def last(text):
        return list(write(make_evidence(text), llama, BASE, SETTINGS))[-1]

    forward = {text: last(text) for text in SETS}
    backward = {text: last(text) for text in reversed(SETS[:4])}
    return forward, backward


@pytest.mark.parametrize("text", SETS)
def test_texts_are_fit_to_be_shown(written, text):
    """Third person, no long copies, no loops, whole sentences, the quantifier that the counts give."""
    evidence, summary = make_evidence(text), written[0][text]
    assert len(summary.statements) == len(text)
    for one in summary.statements:
        assert first_person(one.text) == ()
        assert not loops(one.text)
        assert one.text.endswith(".")
        assert all(longest_run(clause_of(one.text), source) <= 8 for source in text if one.source == "model")
        word = quantifier(evidence.reviewers(evidence.groups[one.group], one.cites), 100, SupportSettings())
        assert one.text.startswith(f"{word} ")
        assert set(one.cites) <= set(evidence.groups[one.group].members)
    assert first_person(summary.paragraph) == ()
    assert len(summary.paragraph_cites) >= 1


def test_the_model_writes_most_statements(written):
    """At least six of ten statements are the model's."""
    statements = [one for summary in written[0].values() for one in summary.statements]
    assert sum(one.source == "model" for one in statements) >= 0.6 * len(statements)


def test_order_does_not_matter(written):
    """The same evidence gives the same text after other evidence."""
    forward, backward = written
    assert all(forward[text] == summary for text, summary in backward.items())


def test_prefixes_take_turns(llama):
    """A text is the same whichever prefix was read before it, and a prefix that comes again is not read again."""

    def ask(prefix, note):
        begun = time.monotonic()
        text = llama.complete(prefix, BASE.bin_prompt([note]), max_tokens=24, stop=BASE.stop, temperature=0.0, seed=0)
        return text, time.monotonic() - begun

    other = BASE.bin_prefix[: len(BASE.bin_prefix) // 2].rsplit("\n\n", 1)[0] + "\n\n"
    plan = [(other, SETS[1][0]), (BASE.bin_prefix, SETS[0][0]), (other, SETS[2][0]), (BASE.bin_prefix, SETS[3][1])]
    first = [ask(*one)[0] for one in plan]
    again = [ask(*one)[0] for one in reversed(plan)][::-1]
    alone = [[ask(prefix, note)[0] for prefix, note in plan if prefix is wanted] for wanted in (other, BASE.bin_prefix)]
    assert first == again
    assert sorted(first) == sorted(text for texts in alone for text in texts)
    fresh = min(ask(other + f"Entry {i}.\n\n", SETS[1][0])[1] for i in range(2))
    assert min(ask(other, SETS[1][0])[1] for _ in range(2)) < fresh


def test_a_stream_is_the_same_text(llama):
    """Pieces make up what complete returns."""
    asked = {"max_tokens": 24, "stop": BASE.stop, "temperature": 0.0, "seed": 0}
    pieces = list(llama.stream(BASE.bin_prefix, BASE.bin_prompt(SETS[0][:1]), **asked))
    assert len(pieces) > 3
    assert "".join(pieces) == llama.complete(BASE.bin_prefix, BASE.bin_prompt(SETS[0][:1]), **asked)


def test_a_prompt_that_does_not_fit_is_refused_in_words(llama):
    """Too long a prompt is an error in words, and the next call works."""
    with pytest.raises(BackendError, match="fit"):
        llama.complete("", "word " * 3000, max_tokens=8, stop=(), temperature=0.0, seed=0)
    assert llama.complete("", "One two three", max_tokens=4, stop=(), temperature=0.0, seed=0)


def test_three_sentences_of_hundreds_of_words_fit(llama):
    """The longest statement there can be is written within the context."""
    long = tuple(f"The {word} is sturdy and " + "very useful at home and " * 60 for word in ("lid", "jar", "box"))
    last = list(write(make_evidence(long, members=((0, 1, 2),)), llama, BASE, SETTINGS))[-1]
    assert len(last.statements) == 1
    assert llama.last["read"] < 400


def test_kill_in_mid_call(model_file):
    """kill -9 while it writes: the job fails with the template's text, and the next job works."""
    process = LlamaProcess(model_file, SETTINGS)
    process.start()  # there must be a process to kill when the text begins
    writer = Writer(lambda: process, None, SETTINGS, name=process.name)
    evidence = make_evidence(SETS[0])
    job = writer.submit(evidence)
    deadline = time.monotonic() + 60
    while not job.stage.startswith("writing") and time.monotonic() < deadline:
        time.sleep(0.01)
    threading.Timer(0.05, os.kill, (process.pid, signal.SIGKILL)).start()
    assert job.wait(60)
    assert (job.state, job.summary) == ("failed", write_template(evidence))
    assert "SIGKILL" in job.error
    again = writer.submit(make_evidence(SETS[3]))
    assert again.wait(120)
    assert again.state == "done"
    writer.close()
