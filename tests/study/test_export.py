"""Facts about the data of a study: complete, keyed, explained, harmless in a spreadsheet."""

import csv
import io
import json
import subprocess
import sys
import zipfile
from collections import Counter
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from prefer_core.corpus import Corpus
from prefer_core.study.export import bundle
from prefer_core.study.simulate import simulate
from tests.study.conftest import Site, go_to, made_study

ROOT = Path(__file__).resolve().parents[2]


def unpack(content: bytes) -> dict[str, bytes]:
    """Return the files of a zip by name, their checksums compared."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    sums = dict(line.split("  ")[::-1] for line in files["SHA256SUMS"].decode().splitlines())
    assert sums == {name: sha256(data).hexdigest() for name, data in files.items() if name != "SHA256SUMS"}
    return files


def table(files: dict[str, bytes], name: str) -> list[dict[str, str]]:
    """Read a CSV of the export as a spreadsheet would."""
    return list(csv.DictReader(io.StringIO(files[name].decode("utf-8-sig"))))


def test_the_export_says_all_of_a_participant(small: Corpus, tmp_path: Path) -> None:
    """Every rating with its text, arm, settings and time; free words as they are, but no formula; no code, no token."""
    site = Site(f"sqlite:///{tmp_path / 'l.db'}", small, made_study())
    going, token = site.join("p-07")
    go_to(going, "after")
    step = going.step(going.record())
    said = "=1+1 \u05e9\u05dc\u05d5\u05dd 🙂"
    going.answer(step, {q.name: q.values[0] if q.values else said for q in step.questions})
    going.finish()
    files = unpack(bundle(site.book, site.study, site.stored, small))
    [wide], long = table(files, "wide.csv"), table(files, "long.csv")
    assert wide["remarks"] == f"'{said}"
    assert json.loads(files["wide.json"])[0]["remarks"] == said
    assert (wide["status"], wide["rounds_rated"], wide["kind"]) == ("completed", "4", "person")
    assert [row["slot"] for row in long] == ["practice", "round-1", "round-2", "round-3", "round-4", "repeat-1"]
    assert len({row["round_id"] for row in long}) == 6
    for row in long:
        assert float(row["rating"]) == 0.7
        assert row["text"]
        assert row["text_writer"] == "template"
        assert row["settings_digest"]
        assert row["corpus"] == small.id
        assert row["rated_at"].endswith("+00:00")
    assert [row["helpful"] for row in long] == ["", "4", "4", "4", "4", ""]
    for kept in site.ledger.export():
        assert (kept["who"], kept["study"], kept["participant"]) == ("person", "tiny", wide["participant"])
        assert kept["arm"].removeprefix("practice:") == wide["condition"]
        assert kept["rated_at"].endswith("+00:00")
    everything = b"".join(files.values())
    assert b"p-07" not in everything
    assert token.encode() not in everything
    with_codes = unpack(bundle(site.book, site.study, site.stored, small, codes=True))
    assert table(with_codes, "wide.csv")[0]["code"] == "p-07"
    book = table(files, "codebook.csv")
    for name in ("wide", "long", "events"):
        columns = [row["column"] for row in book if row["table"] == name]
        assert columns == list(table(files, f"{name}.csv")[0])
        assert columns == list(pd.read_parquet(io.BytesIO(files[f"{name}.parquet"])).columns)
    assert all(row["meaning"] and row["unit"] for row in book)
    with np.load(io.BytesIO(files["slates.npz"]), allow_pickle=False) as slates:
        assert slates["n_rounds"] == len(slates["context"]) == len(set(slates["slate_id"].tolist())) == 5


def test_a_withdrawn_participant_leaves_an_empty_row(small: Corpus, tmp_path: Path) -> None:
    """The row keeps number and condition for the balance, and nothing that was said."""
    site = Site(f"sqlite:///{tmp_path / 'l.db'}", small, made_study())
    going, _ = site.join()
    go_to(going, "round-3")
    going.withdraw()
    files = unpack(bundle(site.book, site.study, site.stored, small))
    [wide] = table(files, "wide.csv")
    assert (wide["status"], wide["number"], wide["mean_rating"], wide["age"]) == ("withdrawn", "0", "", "")
    assert table(files, "long.csv") == []


@pytest.mark.slow
def test_bots_lose_nothing(url: str, small: Corpus, tmp_path: Path) -> None:
    """60 bots x 10 rounds on either database: every rating once, arms even, careless bots told apart."""
    study = made_study(rounds=10)
    lines = simulate(study, small, 60, tmp_path, url=url, workers=4)
    files = unpack((tmp_path / "export.zip").read_bytes())
    wide, long = table(files, "wide.csv"), table(files, "long.csv")
    rated = [row for row in long if row["rating"]]
    assert len(rated) == len({row["round_id"] for row in rated}) == 60 * (1 + 10 + 1)
    assert set(Counter(row["participant"] for row in rated).values()) == {12}
    assert sorted(Counter(row["condition"] for row in wide).values()) == [30, 30]
    assert {row["kind"] for row in long} == {"bot"}
    assert float(lines[-1].split()[-1]) >= 0.9, lines
    drawn = tmp_path / "arms.html"
    script = [sys.executable, str(ROOT / "assets" / "study" / "analyse.py"), str(tmp_path / "export.zip"), str(drawn)]
    told = subprocess.run(script, check=True, capture_output=True, text=True).stdout
    assert "learns" in told
    assert drawn.stat().st_size > 10_000
