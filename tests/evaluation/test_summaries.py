"""The experiment `summaries`, played with the template and with a scripted model."""

import json
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from prefer_core.corpus import open_corpus
from prefer_core.evaluation import summaries
from prefer_core.evaluation.texts import as_markdown
from prefer_core.rewriting.instruct import INSTRUCT
from prefer_core.rewriting.prompts import BASE
from tests.rewriting.conftest import SETS, make_evidence


class Scripted:
    """Answers every prompt alike and counts what it was asked."""

    name = "Scripted"

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def complete(
        self, prefix: str, prompt: str, *, max_tokens: int, stop: Sequence[str], temperature: float, seed: int
    ) -> str:
        """Return the one answer."""
        self.asked.append(prompt)
        return self.answer

    def close(self) -> None:
        """Forget what was asked."""
        self.asked.clear()


@pytest.fixture
def space(monkeypatch):
    """Return aspects that are the encoder's own three numbers: text lengths stand in for meaning."""
    monkeypatch.setattr(summaries, "_ENCODER", SimpleNamespace(encode=lambda texts: np.eye(3)[[0] * len(texts)]))
    return SimpleNamespace(reduce=lambda vectors: vectors, memberships=lambda reduced: reduced)


def sets():
    return [summaries.EvidenceSet("even", make_evidence(text), np.array([0.6, 0.8, 0.0])) for text in SETS[:4]]


def test_the_template_is_supported_and_counts_right(space):
    """Every sentence of the template is supported; it has no model share and no drafts."""
    found, _ = summaries.measure(sets(), space, None, None)
    assert found["supported_shown"] == 1.0
    assert found["quantifier_errors"] == found["first_person"] == found["looping_or_empty"] == 0
    assert found["model_share"] == 0.0
    assert found["supported_raw"] is None
    assert found["sentences"] == sum(len(text) for text in SETS[:4])
    assert found["cosine_text"] == pytest.approx(0.6)


def test_a_model_that_invents_has_no_supported_draft_and_is_not_shown(space):
    """Raw support is 0 where every draft is foreign, and what is shown stays supported."""
    found, _ = summaries.measure(sets(), space, Scripted("the spaceship has nine golden engines"), BASE)
    assert found["supported_raw"] == 0.0
    assert found["supported_shown"] == 1.0
    assert found["model_share"] == 0.0


def test_a_true_draft_is_counted_where_it_is_true(space):
    """One draft that fits one of the sentences is supported there and nowhere else."""
    found, _ = summaries.measure(sets()[:1], space, Scripted("the lid cracked after two weeks"), BASE)
    assert found["supported_raw"] == pytest.approx(1 / len(SETS[0]))
    assert found["model_share"] == pytest.approx(1 / len(SETS[0]))


def test_a_block_of_an_instruction_model_is_counted_sentence_by_sentence(space):
    """One true sentence and one invented one a block: half of the drafts are supported, and the true one is shown."""
    one = summaries.EvidenceSet("even", make_evidence(SETS[0][2:3]), np.array([0.6, 0.8, 0.0]))
    block = "The lid cracked after two weeks. The spaceship has nine golden engines."
    found, _ = summaries.measure([one], space, Scripted(block), INSTRUCT)
    assert found["supported_raw"] == pytest.approx(0.5)
    assert found["model_share"] == 1.0


def test_sets_are_the_same_for_one_seed_and_the_figures_are_plain_json(sample_corpus, space):
    """Two draws with one seed agree in evidence; the figures can be written as JSON."""
    corpus = open_corpus(sample_corpus)
    one, two = (list(summaries.evidence_sets(corpus, 3, seed=4)) for _ in range(2))
    assert [s.evidence.text for s in one] == [s.evidence.text for s in two]
    assert [s.profile for s in one] == [s.profile for s in two]
    made = [summaries.EvidenceSet(s.profile, s.evidence, np.ones(3)) for s in one]
    assert json.loads(json.dumps(summaries.measure(made, space, None, None)[0]))["sets"] == 3


def test_texts_are_written_out_with_evidence_and_markers(space):
    """Each set is a section: profile, numbered evidence, every statement with its markers and counts, the paragraph."""
    made = sets()[:2]
    _, written = summaries.measure(made, space, Scripted("the lid cracked after two weeks"), BASE)
    read = as_markdown("Scripted", written)
    assert read.count("## ") == 2
    for one, (_, evidence, summary) in zip(made, written, strict=True):
        assert evidence is one.evidence
        assert f"1. {evidence.text[0]}\n" in read
        assert summary.paragraph in read
        for said in summary.statements:
            [line] = {line for line in read.splitlines() if line.startswith(f"- {said.text} ")}
            assert line.endswith(f"({said.source}, {said.reviewers} of {said.total})")
            assert all(f"[{cite + 1}]" in line for cite in said.cites)
