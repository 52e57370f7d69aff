"""Facts about definitions: what is wrong is named with its line and what to do, and one digest means one study."""

from dataclasses import replace
from pathlib import Path

import pytest

from prefer_core.corpus import Corpus
from prefer_core.errors import ConfigError
from prefer_core.study.definition import Products, parse, read
from tests.study.conftest import made_study

EXAMPLE = Path(__file__).resolve().parents[2] / "assets" / "study" / "example.toml"


def test_the_example_can_be_read() -> None:
    """The file that the project ships is a study of two arms, ten rounds and the usability scale."""
    study = read(EXAMPLE)
    assert [arm.learner for arm in study.arms] == ["omd", "static"]
    assert len(study.closing) == 11


def test_every_study_that_the_project_ships_can_be_read() -> None:
    """Each file of assets/study, under the name of the file; one is of blind pairs."""
    files = sorted(EXAMPLE.parent.glob("*.toml"))
    assert [read(file).about.name for file in files] == [file.stem for file in files]
    assert "pairs" in {read(file).about.design for file in files}


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ('learner = "omd"', 'learner = "omdd"', "did you mean 'omd'"),
        ("design =", "desing =", "no setting 'desing'; did you mean 'design'"),
        ("rounds = 10", 'rounds = "ten"', "rounds must be a whole number, found 'ten'"),
        ("[quality]", "[qualty]", "no table 'qualty'; did you mean [quality]"),
        ("repeats = 1", "repeats = 9", "need at least 12 rounds"),
        ("after_round = 6", "after_round = 66", "there are rounds 1 to 10"),
        ('expected = "blue"', 'expected = "blu"', "none of the options"),
        ('name = "same-for-all"', 'name = "learns"', "two arms are called 'learns'"),
        ('completion_code = "C-4821"', "", "neither completion_code nor return_link"),
        ('kind = "text"', 'kind = "txt"', "did you mean 'text'"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_remedy(right: str, wrong: str, told: str) -> None:
    """Each mistake is told where it stands; a missing key at the head of its table."""
    text = EXAMPLE.read_text(encoding="utf-8").replace(right, wrong, 1)
    lines = text.splitlines()
    place = next((i for i, line in enumerate(lines, 1) if wrong and line.startswith(wrong)), lines.index("[study]") + 1)
    if wrong == 'name = "learns"':
        place = [i for i, line in enumerate(lines, 1) if line == wrong][1]
    with pytest.raises(ConfigError) as error:
        parse(text)
    assert told in str(error.value)
    assert f"line {place}:" in str(error.value)


def test_what_is_no_toml_is_told() -> None:
    """The reader's own words carry the line."""
    with pytest.raises(ConfigError, match="line 1"):
        parse("[study\n")


def test_the_digest_is_of_what_the_file_means() -> None:
    """A comment changes nothing, a setting does."""
    text = EXAMPLE.read_text(encoding="utf-8")
    assert parse("# mine\n" + text).digest == parse(text).digest
    assert parse(text.replace("rounds = 10", "rounds = 11")).digest != parse(text).digest


def test_too_few_products_are_refused_before_anyone_is_invited(small: Corpus) -> None:
    """The design's need and what is there are both told; so is a product that does not exist."""
    study = made_study(rounds=8, products=Products(ids=("P1", "P2", "P3"), in_a_row=2))
    with pytest.raises(ConfigError, match="needs 5 products for each participant and there are 3"):
        study.pool(small)
    with pytest.raises(ConfigError, match="no product 'P11'"):
        replace(study, products=Products(ids=("P11",))).pool(small)
