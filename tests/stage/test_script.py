"""Facts about stage scripts: what is wrong is named with its line and what to do."""

from pathlib import Path

import pytest

from prefer_core.corpus import Corpus, open_corpus
from prefer_core.errors import ConfigError
from prefer_core.stage.script import parse, read

DEFAULT = Path(__file__).resolve().parents[2] / "assets" / "stage" / "default.toml"


@pytest.fixture
def corpus(sample_corpus: Path) -> Corpus:
    """Return the sample."""
    return open_corpus(sample_corpus)


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("turn = 5", "tern = 5", "[scenes] has no setting 'tern'; did you mean 'turn'?"),
        ("turn = 5", "turn = 20", "turn must lie between 1 and rounds - 1, found 20 of 20."),
        ('theme = "dark"', 'theme = "drak"', "theme is 'drak'; did you mean 'dark'?"),
        ("pace = 3.0", "pace = 0", "pace must lie between 0.5 and 60 seconds, found 0."),
        ("pace = 3.0", "idle = 5", "idle must lie between 10 and 3600 seconds, or be 0 for never, found 5."),
        ('kind = "crowd"', 'kind = "crwd"', "kind is 'crwd'; did you mean 'crowd'?"),
        ('readers = ["#2", "#3"]', 'readers = ["#2"]', 'compare needs two readers, found 1: readers = ["#1", "#2"].'),
        ('heading = "Your turn"', 'heading = "Your {trun}"', "heading has {trun}, which cannot be filled in"),
        ('heading = "Your turn"', 'reader = "#1"', "a scene of kind 'visitor' has no reader; it takes heading, text"),
        ("[stage]", "[stag]", "there is no table 'stag'; write [stage] or [[scenes]]."),
    ],
)
def test_a_mistake_is_told_in_one_sentence_with_its_line(right: str, wrong: str, told: str) -> None:
    """Each mistake is told where it stands, with what would be right."""
    text = DEFAULT.read_text(encoding="utf-8").replace(right, wrong, 1)
    line = next(i for i, one in enumerate(text.splitlines(), 1) if one.startswith(wrong))
    with pytest.raises(ConfigError) as error:
        parse(text)
    assert str(error.value).startswith(f"The stage script, line {line}: {told}")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ('kind = "product"\nproduct = "SAMPLE-SCRUBS"', "sample has no product 'SAMPLE-SCRUBS'; did you mean 'SAMPLE-"),
        ('kind = "play"\nreader = "Smel"', "sample has no aspect 'Smel'; did you mean 'Smell'?"),
        ('kind = "play"\nreader = "#99"', "reader is '#99'; #1 to #8 stand for the aspects of sample."),
        ('kind = "compare"\nreaders = ["even", "Nothing"]', "sample has no aspect 'Nothing'; there are "),
    ],
)  # fmt: skip
def test_what_a_corpus_lacks_is_told_with_its_line(corpus: Corpus, wrong: str, told: str) -> None:
    """A product or an aspect of other reviews is named, beside what is near to it here."""
    with pytest.raises(ConfigError) as error:
        parse(f"[[scenes]]\n{wrong}\n").on(corpus)
    assert str(error.value).startswith(f"The stage script, line 3: {told}")


def test_what_is_no_script_is_told(tmp_path: Path) -> None:
    """No TOML, no scenes, no file: one sentence each."""
    for text, told in (
        ("[stage\n", "line 1"),
        ('scenes = "a"\n', "there is no list of scenes"),
        ("", "no list of scenes"),
    ):
        with pytest.raises(ConfigError, match=told):
            parse(text)
    with pytest.raises(ConfigError, match="cannot be read"):
        read(tmp_path / "none.toml")


def test_the_default_script_fits_the_sample(corpus: Corpus) -> None:
    """It names no product and no aspect: those of which most reviewers are counted are taken, and said."""
    acts = read(DEFAULT).on(corpus)
    [product_id] = {act.product_id for act in acts}
    assert int(corpus.products.set_index("product_id").loc[product_id, "n_reviews"]) == 160, "one of the largest"
    kinds = [act.scene.kind for act in acts]
    assert kinds == ["words", "product", "summary", "rate", "play", "compare", "play", "crowd", "visitor"]
    assert acts[1].heading == "Nobody reads 160 reviews"
    assert "{" not in "".join(act.heading + act.text for act in acts)
    assert all(act.scene.notes.strip() for act in acts)
