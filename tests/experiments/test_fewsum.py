"""The experiment `fewsum` on made groups of reviews."""

import csv
import json

import pytest

from prefer_core.errors import DataError
from prefer_core.experiments import __main__ as command
from prefer_core.experiments import fewsum

TEXTS = [
    "The lid cracked after two weeks. The smell of coconut stays for hours.",
    "My skin felt soft after the first shower. The jar is too small for the price.",
    "It rinses off easily with warm water. The sugar melts quickly on wet hands.",
    "The grains are coarse and scratch the arms. It leaves an oily film on the floor.",
]
HUMAN = "The scrub smells of coconut and leaves the skin soft, but the lid cracks and the jar is small."


@pytest.fixture
def table(tmp_path):
    """Return a file of two groups."""
    file = tmp_path / "groups.tsv"
    names = ["group_id", *(f"rev{i}" for i in range(1, 9)), *(f"summ{i}" for i in (1, 2, 3))]
    names += [f"rating{i}" for i in range(1, 9)]
    with file.open("w", encoding="utf-8", newline="") as stream:
        out = csv.DictWriter(stream, names, delimiter="\t")
        out.writeheader()
        for name in ("a", "b"):
            row = {"group_id": name} | {f"rev{i}": TEXTS[(i + (name == "b")) % 4] for i in range(1, 9)}
            out.writerow(row | {f"summ{i}": HUMAN for i in (1, 2, 3)} | {f"rating{i}": "4.0" for i in range(1, 9)})
    return file


def test_groups_are_read_by_sentence(table):
    """Eight reviews, three summaries, and the sentences of four words or more."""
    one, _ = fewsum.read(table)
    assert len(one.reviews) == len(one.ratings) == 8
    assert one.reviews[3] == ("The lid cracked after two weeks.", "The smell of coconut stays for hours.")
    assert one.length == len(HUMAN.split())


def test_rouge_one_is_what_counting_words_gives(table):
    """F of shared words, counted by hand, is the score; a human summary scores 1 against itself."""
    pytest.importorskip("rouge_score")
    groups = fewsum.read(table)[:1]
    found = fewsum.score(["the lid cracks today"], groups)
    # the, lid, cracks of 4 words; of the 19 of the summary.
    precision, recall = 3 / 4, 3 / len(HUMAN.split())
    assert found["rouge1"] == pytest.approx(2 * precision * recall / (precision + recall))
    assert fewsum.score([HUMAN], groups)["rougeL"] == 1.0


def test_the_command_writes_every_summariser(table, tmp_path, monkeypatch, capsys):
    """Without a model five rows are printed and written, none longer than the human summaries but the template's."""
    pytest.importorskip("rouge_score")
    pytest.importorskip("lexrank")
    monkeypatch.setenv("PREFER_MODEL", "none")
    asked = ["--experiment", "fewsum", "--data", str(table), "--out", str(tmp_path / "out")]
    assert command.main(asked) == 0
    scores = json.loads((tmp_path / "out" / fewsum.FILE).read_text())["scores"]
    assert list(scores) == ["lead", "random", "LexRank", "ours, evidence", "ours, template"]
    assert all(0 < row[m] < 1 for row in scores.values() for m in ("rouge1", "rougeL"))
    assert all(scores[name]["words"] <= len(HUMAN.split()) for name in ("lead", "random", "LexRank"))
    assert "LexRank" in capsys.readouterr().out


def test_what_is_missing_is_told(tmp_path, capsys):
    """No file, a file of something else, no --data: one sentence each."""
    with pytest.raises(DataError, match="rev1 to rev8"):
        fewsum.read(tmp_path / "none.tsv")
    (tmp_path / "other.tsv").write_text("a\tb\n1\t2\n")
    with pytest.raises(DataError, match="rev1 to rev8"):
        fewsum.read(tmp_path / "other.tsv")
    assert command.main(["--experiment", "fewsum", "--out", str(tmp_path)]) == 2
    assert "--data" in capsys.readouterr().err
