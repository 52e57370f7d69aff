"""The command line: exit status, last line, one sentence for people where something is wrong."""

import os
import pty
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import precompute
from prefer_core.config import AspectSettings, TextSettings
from prefer_core.corpus import open_corpus
from prefer_core.encoders.embedders import EMBEDDERS
from prefer_core.files.progress import Tick, silent
from tests.data.made import BagOfWords, made_reviews, write_jsonl

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def _words_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDERS, "minilm", BagOfWords)


def _run(*arguments: object) -> int:
    return precompute.main([str(argument) for argument in arguments])


def _refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Run what must fail: exit 2, one line on standard error."""
    assert _run(*arguments) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    return lines[0]


def test_last_line_and_stage_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 0, a row for each stage, what was dropped, and the last line that scripts read."""
    source = write_jsonl(tmp_path / "a.jsonl", [*made_reviews(), "{broken"])
    assert _run("--source", source, "--out", tmp_path / "c", "--aspects", 3) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == f"corpus: {tmp_path / 'c'} (120 sentences, 4 products, 3 aspects)"
    assert {line.split("  ")[0].strip() for line in lines} >= set(precompute.STAGES)
    assert "         1  broken lines" in lines


def test_defaults_stand_in_config() -> None:
    """The command line repeats no default of its own."""
    base = ["--source", "a", "--out", "b"]
    assert precompute.given(precompute.parser().parse_args(base), AspectSettings) == {}
    asked = "--aspects auto --n-components 0.5 --candidates 4,8 --mass-ratio 5 --preset paper"
    options = precompute.parser().parse_args([*base, *asked.split()])
    assert precompute.given(options, AspectSettings) == {
        "n_aspects": None, "n_components": 0.5, "candidates": (4, 8), "mass_ratio": 5.0, "preset": "paper",
    }  # fmt: skip
    options = precompute.parser().parse_args([*base, "--max-sentences", "3", "--min-words", "2"])
    assert precompute.given(options, TextSettings) == {"max_sentences": 3, "min_words": 2}


def test_components_by_share_of_the_variance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--n-components 0.5` keeps the fewest components that hold half of the variance; the corpus says how many."""
    source = write_jsonl(tmp_path / "a.jsonl", made_reviews())
    arguments = ["--source", source, "--out", tmp_path / "c", "--aspects", 3, "--preset", "paper"]
    assert _run(*arguments, "--n-components", 0.5) == 0
    corpus = open_corpus(tmp_path / "c")
    m, variance = corpus.array("reduced").shape[1], corpus.diagnostics()["cumulative_variance"]
    assert variance[m - 2] < 0.5 <= variance[m - 1]
    assert corpus.diagnostics()["n_components"] == m
    capsys.readouterr()
    assert "n_components" in _refused(capsys, *arguments, "--n-components", 1.5)


def test_options_come_before_the_file_with_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """prefer.toml changes the defaults of a build, an option changes both; a wrong value is one line."""
    file = tmp_path / "prefer.toml"
    monkeypatch.setenv("PREFER_CONFIG", str(file))
    source = write_jsonl(tmp_path / "a.jsonl", made_reviews())
    file.write_text('[text]\nmin_words = 5\n[aspects]\npreset = "paper"\nn_aspects = 4\n', encoding="utf-8")
    assert _run("--source", source, "--out", tmp_path / "c", "--aspects", 3, "--no-keypoints") == 0
    config = open_corpus(tmp_path / "c").manifest["config"]
    assert (config["text"]["min_words"], config["aspects"]["n_aspects"]) == (5, 3)
    assert "anchors" not in config["aspects"]
    file.write_text('[text]\nmin_words = "five"\n', encoding="utf-8")
    capsys.readouterr()
    line = _refused(capsys, "--source", source, "--out", tmp_path / "d")
    assert "min_words = 'five' is not of its kind, a whole number" in line


def test_map(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--map names columns that nobody could guess; without it the error lists them and shows --map."""
    rows = [f'"{row["text"]}",{row["parent_asin"]}' for row in made_reviews()]
    (tmp_path / "a.csv").write_text("\n".join(["words,thing", *rows]), "utf-8")
    line = _refused(capsys, "--source", tmp_path / "a.csv", "--out", tmp_path / "c")
    assert "words, thing" in line
    assert "--map text=COLUMN" in line
    arguments = ["--source", tmp_path / "a.csv", "--out", tmp_path / "c", "--map", "text=words,product=thing"]
    assert _run(*arguments) == 0
    assert "every review counts as its own reviewer" in capsys.readouterr().out


def test_bad_sources_are_refused_and_write_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing, an empty, and a mostly broken source: exit 2 and no folder."""
    empty = write_jsonl(tmp_path / "empty.jsonl", [])
    broken = write_jsonl(tmp_path / "broken.jsonl", ["{", "{", *made_reviews(1)])
    out = tmp_path / "deep" / "c"
    assert "There is no file" in _refused(capsys, "--source", tmp_path / "none.jsonl", "--out", out)
    assert "is empty" in _refused(capsys, "--source", empty, "--out", out)
    assert "2 of 3 lines" in _refused(capsys, "--source", broken, "--out", out)
    assert "There is no file" in _refused(capsys, "--source", tmp_path / "none.csv", "--out", out)
    assert not (tmp_path / "deep").exists()


def test_bad_settings_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One aspect, no component, more aspects than sentences, an unknown name in --map."""
    source = write_jsonl(tmp_path / "a.jsonl", made_reviews(4))
    base = ["--source", source, "--out", tmp_path / "c"]
    assert "at least 2" in _refused(capsys, *base, "--aspects", 1)
    assert "n_components" in _refused(capsys, *base, "--n-components", 0)
    assert "fewer than the 50" in _refused(capsys, *base, "--aspects", 50)
    assert "--map does not know" in _refused(capsys, *base, "--map", "colour=text")
    assert not (tmp_path / "c").exists()


def test_foreign_folder_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--out with a person's own files is refused before any work, and keeps them."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    source = write_jsonl(tmp_path / "a.jsonl", made_reviews(8))
    assert "thesis.tex" in _refused(capsys, "--source", source, "--out", tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "years of work"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that may not be written to is told at once."""
    source = write_jsonl(tmp_path / "a.jsonl", made_reviews(8))
    (tmp_path / "locked").mkdir(mode=0o500)
    assert "may not be written" in _refused(capsys, "--source", source, "--out", tmp_path / "locked" / "c")


@pytest.mark.parametrize("value", ["text", "text=", "=review", "text=a,b"])
def test_malformed_map_is_a_usage_error(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    """--map that is not NAME=COLUMN ends with the usage and exit 2."""
    with pytest.raises(SystemExit) as stop:
        _run("--source", "a", "--out", "b", "--map", value)
    assert stop.value.code == 2
    assert "is not of the form" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopping_leaves_no_corpus(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C and SIGTERM while the bar of the embedding runs on a terminal end with 130 and no corpus."""
    command = [sys.executable, "precompute.py", "--source", "sample", "--out", str(tmp_path / "c")]
    terminal, other_end = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 100))
    # A run of tests in the background has Ctrl-C ignored, and what it starts would inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, cwd=ROOT, stderr=other_end) as process:
        signal.signal(signal.SIGINT, before)
        os.close(other_end)
        seen = b""
        while not re.search(rb"embed.* [1-9]\d*/", seen):
            seen += os.read(terminal, 1024)
        process.send_signal(number)
        assert process.wait(timeout=60) == 130
    assert b"nothing was written" in os.read(terminal, 4096)
    os.close(terminal)
    assert not [path for path in tmp_path.iterdir() if path.name not in ("home", "c.work")]


def test_a_model_is_described_before_it_is_fetched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Size, licence and origin stand first, the path last; names that cannot be fetched are one sentence."""
    monkeypatch.setattr(precompute, "fetch", lambda name, tick: tmp_path / name)
    assert _run("--fetch-model", "gemma-3-1b-it") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Gemma 3 1B it: about 769 MiB (November 2026), licence: Gemma terms of use")
    assert lines[-1] == f"model: {tmp_path / 'gemma-3-1b-it'}"
    assert "choose one of gemma-4-E4B-it" in _refused(capsys, "--fetch-model", "gpt")


def test_warming_needs_a_corpus_and_a_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """--warm alone works on the corpus that is there; without one, or without a model, it says what is missing."""
    monkeypatch.setenv("PREFER_MODEL", "none")
    assert str(tmp_path / "none") in _refused(capsys, "--warm", "--out", tmp_path / "none")
    source = write_jsonl(tmp_path / "a.jsonl", made_reviews())
    assert _run("--source", source, "--out", tmp_path / "c", "--aspects", 3) == 0
    capsys.readouterr()
    assert "nothing to warm without a model" in _refused(capsys, "--warm", "--out", tmp_path / "c")


@pytest.mark.parametrize("arguments", [(), ("--warm",), ("--source", "a")])
def test_what_is_missing_is_a_usage_error(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """Without a job, or a job without its folder, the last line says which argument is required."""
    with pytest.raises(SystemExit) as stopped:
        _run(*arguments)
    assert stopped.value.code == 2
    assert "arguments are required: --" in capsys.readouterr().err.splitlines()[-1]


def test_one_product(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file without a column of products needs the product's name, and the corpus is of that product."""
    rows = [{"text": row["text"]} for row in made_reviews()]
    source = write_jsonl(tmp_path / "a.jsonl", rows)
    assert "--one-product NAME" in _refused(capsys, "--source", source, "--out", tmp_path / "c")
    assert _run("--source", source, "--out", tmp_path / "c", "--one-product", "Rose soap") == 0
    assert "1 products" in capsys.readouterr().out.splitlines()[-1]
    corpus = open_corpus(tmp_path / "c")
    assert corpus.products[["product_id", "title"]].iloc[0].tolist() == ["Rose soap", "Rose soap"]


def test_what_is_lost_is_told_and_strict_stops(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Columns come first, losses with examples, more than a twentieth in the last lines; --strict writes nothing."""
    source = write_jsonl(tmp_path / "a.jsonl", [*made_reviews(), *["{broken"] * 4])
    assert _run("--source", source, "--out", tmp_path / "c") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("columns: text, product: parent_asin, user: user_id")
    assert lines[lines.index("         4  broken lines") + 1].strip() == "e.g. row 61: {broken"
    assert lines[-2].startswith("Attention: 6.2 % of the rows gave no review")
    line = _refused(capsys, "--source", source, "--out", tmp_path / "d", "--strict")
    assert "4 broken lines" in line
    assert not (tmp_path / "d").exists()
    fine = write_jsonl(tmp_path / "b.jsonl", [*made_reviews(), "{broken"])
    assert _run("--source", fine, "--out", tmp_path / "d", "--strict") == 0


def test_sentences_without_a_vector_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence whose vector is zero or NaN is left out and shown; the others build."""

    class Holes(BagOfWords):
        def encode(self, texts: Sequence[str], tokens: Any, tick: Tick = silent) -> Any:
            vectors = super().encode(texts, tokens, tick)
            for i, text in enumerate(texts):
                if "soft" in text:
                    vectors[i] = np.nan if "nan" in text else 0.0
            return vectors

    monkeypatch.setitem(EMBEDDERS, "minilm", Holes)
    odd = [{"parent_asin": "P1", "text": f"{word} soft and warm."} for word in ("Very nan", "So zero")]
    source = write_jsonl(tmp_path / "a.jsonl", [*made_reviews(), *odd])
    assert _run("--source", source, "--out", tmp_path / "c") == 0
    out = capsys.readouterr().out
    assert "         2  sentences without a vector\n            e.g. Very nan soft and warm." in out
    assert "(120 sentences" in out.splitlines()[-1]
    assert np.isfinite(open_corpus(tmp_path / "c").array("embeddings")).all()


@pytest.mark.parametrize(
    ("texts", "options", "advice"),
    [
        (["It does what the box says."] * 40, (), "all say the same"),
        (
            ["It smells of glue.", "The lid is far too soft.", "The cord is too short."] * 30,
            ("--aspects", 5),
            "ask for 3",
        ),
        (["The lid closes with a click."], (), "give a larger source"),
        (["Soft lid.", "Good.", "Nice one.", "Like it.", "It is a very good lid."], (), "too short to say anything"),
    ],
)
def test_advice_fits_what_was_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], texts: list[str], options: tuple[object, ...], advice: str
) -> None:
    """Corpora of one, of identical and of few sentences are refused with what would help."""
    rows = [{"parent_asin": f"P{i % 2}", "user_id": f"U{i}", "text": text} for i, text in enumerate(texts)]
    line = _refused(capsys, "--source", write_jsonl(tmp_path / "a.jsonl", rows), "--out", tmp_path / "c", *options)
    assert advice in line
    assert ("--aspects" in line) == bool(options)
