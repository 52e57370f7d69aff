"""The three stages, with a fake model."""

import pytest

from prefer_core.errors import BackendError
from prefer_core.rewriting import write_template
from prefer_core.rewriting.base import Summary
from prefer_core.rewriting.fake import FakeBackend
from prefer_core.rewriting.hierarchical import write
from prefer_core.rewriting.openings import openings
from prefer_core.rewriting.prompts import BASE
from tests.rewriting.conftest import make_evidence

TEXT = ("The lid cracked after two weeks.", "I love the sweet smell.")


def run(answers, evidence, settings, default=""):
    """Return all summaries and the fake."""
    fake = FakeBackend(answers, default)
    return list(write(evidence, fake, BASE, settings)), fake


def test_template_first_then_sentence_by_sentence(quick):
    """The template's summary comes at once; each checked sentence replaces its own; then the paragraph."""
    evidence = make_evidence(TEXT, reviewers=(30, 1))
    answers = [
        " the lid cracked after two weeks.",
        " they love the sweet smell.",
        " but one says they love the sweet smell.",
    ]
    found, fake = run(answers, evidence, quick)
    assert found[0] == write_template(evidence)
    assert [s.model_share for s in found] == [0, 0.5, 1, 1]
    last = found[-1]
    assert [s.text for s in last.statements] == [
        "Many reviewers say the lid cracked after two weeks.",
        "One reviewer says they love the sweet smell.",
    ]
    assert [s.cites for s in last.statements] == [(0,), (1,)]
    assert last.paragraph == (
        "Many reviewers say the lid cracked after two weeks, but one says they love the sweet smell."
    )
    assert last.paragraph_source == "model"
    assert last.paragraph_cites == ((0, 1),)
    assert last.writer == "Fake model"
    assert last.stages["stitch"] == "\n".join(s.text for s in last.statements)
    assert [call.prefix for call in fake.calls] == [BASE.bin_prefix, BASE.bin_prefix, BASE.final_prefix]


def test_what_fails_stays_with_the_template(quick):
    """Doubtful candidates are never shown, nor what follows a note's own first words if it fails as well."""
    evidence = make_evidence(TEXT)
    found, fake = run([], evidence, quick, default=" the boat leaks and I hate it.")
    assert found == [write_template(evidence)]
    assert len(fake.calls) == 2 * quick.candidates + sum(len(openings(note)) for note in TEXT)


def test_the_best_candidate_wins_and_a_good_one_ends_the_search(quick):
    """Greedy first, then fixed seeds; a concrete sentence beats a vague one."""
    evidence = make_evidence(("It is a good jar with a blue lid of thick glass, and it keeps tea fresh.",))
    found, fake = run([" it is a good jar.", " it keeps tea fresh and the lid is thick."], evidence, quick)
    assert [(call.seed, call.temperature) for call in fake.calls] == [(0, 0.0), (1, quick.temperature)]
    assert found[-1].statements[0].source == "model"
    _, once = run([" it keeps tea fresh, and it is a good jar with a blue lid."], evidence, quick)
    assert len(once.calls) == 1


def test_numbers_of_one_reviewer_are_not_said_of_many(quick):
    """A figure of one cited sentence stays with the template where the word counts others too."""
    text = ("The sleeves are 3 inches long.",)
    many, _ = run([], make_evidence(text, reviewers=(40,)), quick, default=" the sleeves are 3 inches long.")
    one, _ = run([], make_evidence(text, reviewers=(1,)), quick, default=" the sleeves are 3 inches long.")
    assert many[-1].statements[0].source == "template"
    assert one[-1].statements[0].text == "One reviewer says the sleeves are 3 inches long."


def test_a_statement_counts_only_those_it_cites(quick):
    """The word follows N of the cited sentences, not of the whole group."""
    evidence = make_evidence(TEXT, reviewers=(1, 40), members=((0, 1),))
    found, _ = run([" the lid cracked after two weeks."], evidence, quick)
    (statement,) = found[-1].statements
    assert (statement.text, statement.cites) == ("One reviewer says the lid cracked after two weeks.", (0,))


def test_same_calls_same_text(quick):
    """Nothing but evidence, model and settings decides a text."""
    evidence = make_evidence(TEXT)
    default = " the lid cracked after two weeks."
    assert run([], evidence, quick, default)[0] == run([], evidence, quick, default)[0]


def test_a_dead_model_raises_after_the_template(quick):
    """What was yielded stays valid, and the error is a BackendError."""
    fake = FakeBackend()
    fake.dead = True
    texts = write(make_evidence(TEXT), fake, BASE, quick)
    assert isinstance(next(texts), Summary)
    with pytest.raises(BackendError, match="SIGKILL"):
        next(texts)


def test_summaries_survive_json(quick):
    """to_dict and from_dict are inverse."""
    found, _ = run([" the lid cracked after two weeks."], make_evidence(TEXT), quick)
    assert all(Summary.from_dict(one.to_dict()) == one for one in found)
