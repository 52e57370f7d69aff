"""Texts on disk."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

from prefer_core.config import WritingSettings
from prefer_core.rewriting import cache, write_template
from prefer_core.rewriting.cache import TextCache, key
from prefer_core.rewriting.prompts import BASE
from tests.rewriting.conftest import SETS, make_evidence


def test_put_and_get(tmp_path, evidence):
    """A text comes back as it went in; an unknown key is None."""
    cache = TextCache(tmp_path / "texts")
    summary = write_template(evidence)
    assert cache.get("a") is None
    cache.put("a", summary)
    assert cache.get("a") == summary
    assert [path.name for path in (tmp_path / "texts").iterdir()] == ["a.json"]


def test_a_damaged_file_counts_as_absent(tmp_path, evidence):
    """Half files, other JSON and wrong types are no text."""
    cache = TextCache(tmp_path)
    for content in ("", "{", "[]", "3", '{"statements": 4}', '{"statements": [{"text": 1}]}', "\x00"):
        (tmp_path / "a.json").write_text(content)
        assert cache.get("a") is None
    cache.put("a", write_template(evidence))
    assert cache.get("a") is not None


def test_the_oldest_goes_first(tmp_path, evidence):
    """The folder is bounded, and reading a text keeps it young."""
    cache = TextCache(tmp_path, limit=3)
    for age, name in ((40, "a"), (30, "b"), (20, "c")):
        cache.put(name, write_template(evidence))
        os.utime(tmp_path / f"{name}.json", (10**9 - age, 10**9 - age))
    assert cache.get("a") is not None
    cache.put("d", write_template(evidence))
    assert len(list(tmp_path.glob("*.json"))) == 3
    assert cache.get("b") is None
    assert cache.get("a") is not None


def test_an_unwritable_folder_costs_nothing(tmp_path, evidence):
    """The cache fails silently: the text is what counts."""
    (tmp_path / "file").write_text("")
    cache = TextCache(tmp_path / "file")
    cache.put("a", write_template(evidence))
    assert cache.get("a") is None


def test_the_key_holds_all_that_decides_a_text(evidence):
    """Evidence, prompts, model and decoding change the key; time limits do not."""
    settings = WritingSettings()
    first = key(evidence, BASE, "m", settings)
    assert first == key(make_evidence(SETS[0]), BASE, "m", dataclasses.replace(settings, job_timeout=1.0))
    others = [
        key(make_evidence(SETS[1]), BASE, "m", settings),
        key(make_evidence(SETS[0], words=("One reviewer",)), BASE, "m", settings),
        key(evidence, dataclasses.replace(BASE, name="other"), "m", settings),
        key(evidence, BASE, "n", settings),
        key(evidence, BASE, "m", dataclasses.replace(settings, temperature=0.5)),
    ]
    assert len({first, *others}) == 6


def test_other_rules_make_other_texts(evidence, tmp_path, monkeypatch):
    """A rule that changes makes the texts of before unknown."""
    settings = WritingSettings()
    before = key(evidence, BASE, "m", settings)
    (tmp_path / "write.py").write_text("lid cap", encoding="utf-8")
    monkeypatch.setattr(cache, "_RULES", tmp_path)
    cache.rules.cache_clear()
    after = key(evidence, BASE, "m", settings)
    monkeypatch.undo()
    cache.rules.cache_clear()
    assert before != after
    assert key(evidence, BASE, "m", settings) == before


WRITER = """
import sys
from pathlib import Path
from prefer_core.rewriting import write_template
from prefer_core.rewriting.cache import TextCache
from tests.rewriting.conftest import SETS, make_evidence
cache = TextCache(Path(sys.argv[1]), limit=5)
for i in range(40):
    name = f"k{(i * int(sys.argv[2])) % 9}"
    cache.put(name, write_template(make_evidence(SETS[i % 4])))
    found = cache.get(f"k{i % 9}")
    assert found is None or found.writer == "template"
"""


def test_several_processes_share_a_folder(tmp_path):
    """Three processes write and read the same keys: no half file, no leftover, the bound kept."""
    root = Path(__file__).resolve().parents[2]
    commands = [[sys.executable, "-c", WRITER, str(tmp_path), str(step)] for step in (1, 2, 4)]
    running = [subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE) for command in commands]
    assert [process.communicate()[1] for process in running] == [b"", b"", b""]
    assert not list(tmp_path.glob("*.new"))
    names = [path.stem for path in tmp_path.glob("*.json")]
    assert 0 < len(names) <= 5
    assert all(TextCache(tmp_path).get(name) is not None for name in names)
