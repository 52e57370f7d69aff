"""The README's commands work as they stand, and what it points to is there."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import precompute
from prefer_core.config import home
from prefer_core.encoders.embedders import EMBEDDERS
from prefer_core.experiments.__main__ import parser as experiments
from tests.data.made import BagOfWords, made_reviews

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = ("README.md", *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md"))))


def commands(page: str = "README.md") -> list[str]:
    """Return the lines of the blocks that hold commands."""
    blocks = re.findall(r"^ *```\n(.*?)^ *```", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [line.strip() for block in blocks for line in block.splitlines() if line.strip()]


def test_every_command_is_known_here() -> None:
    """Whoever adds a command to the README adds what runs it to this file."""
    known = ("make demo", "make test", ".venv/bin/python precompute.py --source my-reviews.csv",
             ".venv/bin/python precompute.py --fetch-model", ".venv/bin/python -m prefer_core.experiments",
             ".venv/bin/python -m prefer_core.config")  # fmt: skip
    assert [next((k for k in known if line.startswith(k)), line) for line in commands()] == list(known)


def test_make_knows_its_targets() -> None:
    """Every `make` that the README names is a target, and the two first ones do what is said."""
    named = {words[-1] for words in map(str.split, re.findall(r"`?(make(?: PYTHON=\S+)? [a-z]+)`?", README))}
    assert {"demo", "test", "llama", "lint", "bench", "load"} <= named
    for target in named & {"demo", "test", "llama", "lint", "bench", "load"}:
        dry = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        assert {"demo": "streamlit run app.py", "test": "pytest"}.get(target, "") in dry


def test_own_reviews_are_built_by_the_command_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file with the columns of the example becomes the corpus that the command names."""
    monkeypatch.setitem(EMBEDDERS, "minilm", BagOfWords)
    monkeypatch.chdir(tmp_path)
    rows = [f'"{row["text"]}",{row["parent_asin"]}' for row in made_reviews()]
    Path("my-reviews.csv").write_text("\n".join(["review,item", *rows]), encoding="utf-8")
    (line,) = (line for line in commands() if "my-reviews.csv" in line)
    assert precompute.main(shlex.split(line)[2:]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("corpus: .prefer/mine (")
    assert Path(".prefer/mine/manifest.json").is_file()


def test_the_other_commands_are_understood(private_home: Path) -> None:
    """Each is taken by its own command line; settings are printed, a model is fetched by a name there is."""
    lines = {line.split()[1:3][-1] if "-m" in line else line.split()[1]: shlex.split(line) for line in commands()[2:]}
    options = experiments().parse_args(lines["prefer_core.experiments"][3:])
    assert (options.experiment, options.corpus) == ("paper", ".prefer/sample")
    (fetching,) = (shlex.split(line) for line in commands() if "--fetch-model" in line)
    assert precompute.parser().parse_args(fetching[2:]).fetch_model in precompute.MODELS
    printed = subprocess.run(
        [sys.executable, *lines["prefer_core.config"][1:]], cwd=ROOT, capture_output=True, text=True, check=True,
        env=os.environ,
    )  # fmt: skip
    assert f"# PREFER_HOME: {home()}" in printed.stdout


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_points_to_is_there(page: str) -> None:
    """Links lead to files, and files named in code marks exist."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert ((ROOT / page).parent / target).exists(), target
    for named in re.findall(r"`((?:prefer_core|tests|benchmarks|assets|training|pages)/[\w/.]+)`", text):
        assert (ROOT / named).exists(), named


def test_the_readme_is_short_and_shows_the_page() -> None:
    """About 900 words besides the table of the paper; a picture; no setting twice."""
    prose = "\n".join(line for line in README.splitlines() if not line.startswith("|"))
    assert len(prose.split()) < 900
    assert "![" in README
