"""Facts about what participants read around a definition: complete in every language, or else in English and named."""

import re
import shutil
from pathlib import Path

import pytest

from prefer_core.corpus import Corpus
from prefer_core.study import texts as found
from prefer_core.study.__main__ import main
from prefer_core.study.definition import parse
from prefer_core.study.texts import FOLDER, languages, missing, texts
from tests.study.test_definition import EXAMPLE


@pytest.mark.parametrize("language", languages())
def test_every_language_is_complete_and_fills_in_the_same_words(language: str) -> None:
    """No key is missing, none is unknown, and each text has the English one's words in braces."""
    assert missing(language) == []
    english, own = texts("en"), texts(language)
    assert own.keys() == english.keys()
    for key, text in own.items():
        assert text.strip()
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", english[key])), key


def test_what_a_language_leaves_out_is_english_and_named(
    tmp_path: Path, small: Corpus, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`check` says which texts stay in English; a definition in it can be read."""
    folder = shutil.copytree(FOLDER, tmp_path / "texts")
    rest = [line for line in (FOLDER / "de.toml").read_text("utf-8").splitlines() if not line.startswith("send =")]
    (folder / "xx.toml").write_text("\n".join(rest), encoding="utf-8")
    monkeypatch.setattr(found, "FOLDER", folder)
    file = tmp_path / "study.toml"
    file.write_text(EXAMPLE.read_text("utf-8").replace('name = "example"', 'name = "example"\nlanguage = "xx"'))
    assert main(["check", str(file), "--corpus", str(small.path)]) == 0
    assert "in English, since assets/study/texts/xx.toml leaves them out: send" in capsys.readouterr().out
    assert texts("xx")["send"] == "Send"
    assert texts("xx")["go_on"] == "Weiter"


def test_questions_without_ends_have_those_of_the_language() -> None:
    """Scales end in its words, and the usability scale is asked in it."""
    text = EXAMPLE.read_text("utf-8")
    german = parse(text.replace('name = "example"', 'name = "example"\nlanguage = "de"'))
    assert (german.each_round[0].low, german.each_round[0].high) == ("überhaupt nicht", "sehr")
    assert german.sus[0].text.startswith("Ich denke")
    assert parse(text).each_round[0].low == "not at all"
