"""The experiment `summaries`: figures that no check makes, blind texts, marks read back."""

import csv
import json
from dataclasses import replace

import pytest

from prefer_core.config import WritingSettings
from prefer_core.errors import DataError
from prefer_core.experiments import __main__ as command
from prefer_core.experiments import summaries
from prefer_core.experiments.summaries import EvidenceSet, Written
from prefer_core.rewriting.check import STRICT
from prefer_core.rewriting.fake import FakeBackend
from prefer_core.rewriting.prompts import BASE
from tests.rewriting.conftest import SETS, make_evidence

ONE = EvidenceSet("no preference", make_evidence(SETS[0]), 0.5)


def sets(n: int = 4) -> list[EvidenceSet]:
    """Evidence whose claims praise and complain in turn, so that two of them may share a sentence."""
    made = [make_evidence(text) for text in SETS[:n]]
    told = [[replace(claim, tone=(-1) ** i) for i, claim in enumerate(one.claims)] for one in made]
    return [EvidenceSet("even", replace(one, claims=tuple(c)), 0.5) for one, c in zip(made, told, strict=True)]


def joined(prompt: str) -> str:
    """Join the two sentences that the prompt gives."""
    first, second = (line.split(": ", 1)[1] for line in prompt.splitlines()[:2])
    return f" {first[:-1]}, while {second[:1].lower()}{second[1:]}"


def test_the_rule_makes_no_word_error_and_no_model_share():
    """Counts of the template: own words, no first person, no model, nothing copied by one."""
    found = summaries.measure(summaries.written_by("template", sets(), None, None, STRICT))
    assert (found["word_errors"], found["first_person"], found["model_share"], found["copied_run_max"]) == (0, 0, 0, 0)
    assert (found["sets"], found["covered"], found["order_agreement"]) == (4, 0.5, None)
    assert json.loads(json.dumps(found)) == found


def test_a_model_s_part_is_counted():
    """Texts with a sentence by the model, its share, its seconds, and how far order changes the text."""
    made = summaries.written_by("Fake", sets(), FakeBackend(default=joined), BASE, STRICT)
    found = summaries.measure(made, made)
    assert found["with_model_sentence"] == 1.0
    assert 0 < found["model_share"] <= 1
    assert 0 <= found["seconds_first"] <= found["seconds_last"]
    assert found["order_agreement"] == 1.0
    assert found["word_errors"] == 0


def test_wrong_words_and_first_person_are_counted_without_the_check():
    """A text that a check should never have let through is told by the figures."""
    [one] = summaries.written_by("x", [ONE], None, None, STRICT)
    bad = replace(one.summary, paragraph=one.summary.paragraph.replace("Many reviewers say", "One reviewer says my"))
    found = summaries.measure([replace(one, summary=bad)])
    assert (found["word_errors"], found["first_person"]) == (1, 1)


def test_texts_are_blind_and_marks_come_back(tmp_path):
    """No writer's name in the texts; a filled sheet gives shares with intervals, writer by writer; a gap is told."""
    texts = [
        *summaries.written_by("template", sets(), None, None, STRICT),
        *summaries.written_by("Secret model", sets(), FakeBackend(default=joined), BASE, STRICT),
    ]
    summaries.write_blind(tmp_path, texts)
    blind = (tmp_path / summaries.BLIND).read_text()
    assert "Secret" not in blind
    assert "template" not in blind
    assert blind.count("## ") == len(texts)
    sheet = tmp_path / summaries.MARKS
    with pytest.raises(DataError, match="every sentence needs 1 or 0"):
        summaries.read_marks(sheet)
    rows = list(csv.DictReader(sheet.read_text().splitlines()))
    with sheet.open("w", newline="") as stream:
        out = csv.DictWriter(stream, list(rows[0]))
        out.writeheader()
        out.writerows(row | {"true": 1, "whole": 1, "worth": row["worth"] or 0} for row in rows)
    lines = summaries.read_marks(sheet)
    assert [line.split(":")[0] for line in lines] == ["Secret model", "template"]
    assert "worth 0 of 4 (0%, 0% to 49%)" in lines[0]
    assert "true, model's" in lines[0]
    assert "true, model's" not in lines[1]


def test_the_command_writes_and_reads(sample_corpus, tmp_path, monkeypatch, capsys):
    """Figures, blind texts, key and sheet; without a model the reason is told."""
    monkeypatch.setenv("PREFER_MODEL", "none")
    out = tmp_path / "out"
    asked = ["--corpus", str(sample_corpus), "--experiment", "summaries", "--sets", "3", "--out", str(out)]
    assert command.main(asked) == 0
    assert "PREFER_MODEL is none" in capsys.readouterr().out
    assert list(json.loads((out / summaries.FILE).read_text())) == ["template"]
    assert len(json.loads((out / summaries.KEY).read_text())) == 3
    assert command.main([*asked, "--marks", str(tmp_path / "none.csv")]) == 2
    assert "cannot be read as a sheet of marks" in capsys.readouterr().err


def test_time_limits_are_no_part_of_a_text():
    """A written text keeps who, what and how long."""
    [one] = summaries.written_by("template", [ONE], None, None, STRICT)
    assert isinstance(one, Written)
    assert (one.writer, one.seconds_first) == ("template", 0.0)
    assert WritingSettings().candidates >= 2
