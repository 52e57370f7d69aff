"""Paraphrases written by hand, falsehoods planted in them, and what the checker makes of both."""

import pytest

from prefer_core.config import WritingSettings
from prefer_core.errors import DataError
from prefer_core.evaluation import planted
from prefer_core.rewriting.grounding import check

CASES = planted.cases()
JUDGED = {(row.half, row.kind): row for row in planted.judge(CASES)}


def test_there_are_enough_of_each():
    """At least 100 paraphrases and 200 falsehoods of four kinds, every kind in either half."""
    assert sum(case.kind == "true" for case in CASES) >= 100
    assert sum(case.kind != "true" for case in CASES) >= 200
    assert {(case.half, case.kind) for case in CASES} == {
        (half, kind) for half in planted.HALVES for kind in ("true", *planted.FALSE)
    }


def test_a_planted_falsehood_differs_from_its_paraphrase():
    """No planted sentence is one of the true sentences of the same evidence, and no paraphrase stands twice."""
    true = [(case.evidence, case.text) for case in CASES if case.kind == "true"]
    assert len(set(true)) == len(true)
    assert not {(case.evidence, case.text) for case in CASES if case.kind != "true"} & set(true)


@pytest.mark.parametrize("half", planted.HALVES)
@pytest.mark.parametrize("kind", planted.FALSE)
def test_untruth_is_named_in_nine_of_ten(half, kind):
    """In either half and for each kind the checker names the untruth, not only a flaw of form, in 90 %."""
    row = JUDGED[half, kind]
    assert row.flagged - row.form_only >= 0.9 * row.n


def test_counts_are_those_of_the_checker():
    """The rows add up to what checking each case by hand gives."""
    flagged = sum(not check(case.text, [case.evidence], WritingSettings()).ok for case in CASES)
    assert sum(row.flagged for row in JUDGED.values()) == flagged
    assert sum(row.n for row in JUDGED.values()) == len(CASES)
    assert all(row.form_only <= row.flagged <= row.n for row in JUDGED.values())


def test_a_missing_file_is_told_in_words(tmp_path):
    """The message names the file and the remedy."""
    with pytest.raises(DataError, match="restore it"):
        planted.cases(tmp_path / "none.tsv")
