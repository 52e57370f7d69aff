"""The command that builds a corpus again, read back by the program that it calls."""

import shlex
from typing import Any

import precompute
from prefer_core.config import AspectSettings, BuildConfig, TextSettings
from prefer_core.data.provenance import build_command, source_mark


def _manifest(columns: dict[str, str], origin: str = "my file.csv", **changes: Any) -> dict[str, Any]:
    config = BuildConfig(source=origin, out="x", **changes).to_dict()
    return {"origin": origin, "config": config | {"columns": columns}}


def _options(command: str) -> dict[str, Any]:
    words = shlex.split(command)
    assert words[:2] == ["python", "precompute.py"]
    return vars(precompute.parser().parse_args(words[2:]))


def test_the_command_repeats_every_setting() -> None:
    """Source with a blank, columns, limit, language, unit, K and seed come back through the parser."""
    columns = {"text": "what they said", "parent_asin": "thing"}
    made = _manifest(
        columns,
        limit=50,
        seed=3,
        unit="review",
        text=TextSettings(language="en"),
        aspects=AspectSettings(n_aspects=7, preset="paper"),
    )
    found = _options(build_command(made, "some where/c"))
    expected = {
        "source": "my file.csv", "out": "some where/c", "map": columns, "limit": 50, "language": "en",
        "unit": "review", "n_aspects": 7, "seed": 3,
    }  # fmt: skip
    assert {name: found[name] for name in expected} == expected


def test_the_other_level_chooses_its_own_number_of_aspects() -> None:
    """What is recognised anyway is not mapped; K that was set for sentences is not set for reviews."""
    made = _manifest(
        {"text": "text", "parent_asin": "parent_asin"}, aspects=AspectSettings(n_aspects=7, preset="paper")
    )
    command = build_command(made, "c", "review")
    assert "--map" not in command
    found = _options(command)
    assert (found["unit"], found.get("n_aspects"), found["seed"]) == ("review", None, 0)
    assert found["unit"] != _options(build_command(made, "c"))["unit"]


def test_a_mark_is_of_the_digest_and_is_not_it() -> None:
    """Two digests have two marks, and no part of the digest stands in its mark."""
    assert source_mark("a" * 64) != source_mark("b" * 64)
    assert "aaaa" not in source_mark("a" * 64)
