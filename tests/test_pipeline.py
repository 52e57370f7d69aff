"""The offline build: what it writes, that it can be repeated, and what it refuses."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from prefer_core.aspects.names import HIDDEN_MARK
from prefer_core.aspects.space import AspectSpace
from prefer_core.config import AspectSettings, BuildConfig
from prefer_core.corpus import FILES, open_corpus
from prefer_core.data.provenance import is_other_level
from prefer_core.encoders.embedders import EMBEDDERS
from prefer_core.errors import ConfigError, DataError
from prefer_core.pipeline import BuildReport, build
from tests.data.made import BagOfWords, made_reviews, write_jsonl

SETTINGS = AspectSettings(embedder="words", n_aspects=3, preset="paper")
STAGES = [
    *("read", "clean", "embed", "reduce", "choose K", "cluster", "memberships", "audit"),
    *("key points", "label", "write"),
]


@pytest.fixture(autouse=True)
def _words_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDERS, "words", BagOfWords)


def _write_source(folder: Path) -> Path:
    """Write sixty made reviews, and one of each thing that is dropped."""
    rows = made_reviews()
    odd = [rows[0], rows[1] | {"text": "ok"}, rows[2] | {"parent_asin": "Z", "text": "Too short."}, "{broken"]
    return write_jsonl(folder / "made.jsonl", [*rows, *odd])


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Sixty made reviews, and one of each thing that is dropped."""
    return _write_source(tmp_path)


@dataclass(frozen=True)
class Built:
    """What came of one build: the folder, the report, and the ticks on the way."""

    folder: Path
    report: BuildReport
    told: Sequence[tuple[str, int, int]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build `source` once, for the tests that only read what was written."""
    room, told = tmp_path_factory.mktemp("pipeline"), list[tuple[str, int, int]]()
    config = BuildConfig(source=str(_write_source(room)), out=str(room / "c"), aspects=SETTINGS)
    with patch.dict(EMBEDDERS, {"words": BagOfWords}):
        report = build(config, lambda *call: told.append(call))
    return Built(room / "c", report, told)


def _build(source: Path, out: Path, **changes: object) -> BuildReport:
    return build(BuildConfig(**({"source": str(source), "out": str(out), "aspects": SETTINGS} | changes)))  # type: ignore[arg-type]


def test_report_counts_everything(built: Built) -> None:
    """Lines, broken lines, duplicates, short reviews and products without a sentence are all told."""
    report = built.report
    expected = {
        "lines read": 64,
        "broken lines": 1,
        "duplicates": 1,
        "too short": 1,
        "reviews": 61,
        "sentences too short": 1,
        "products without a sentence": 1,
        "products": 4,
    }
    assert {name: report.counts[name] for name in expected} == expected
    assert report.counts["sentences"] + report.counts["repeats folded"] == 120
    assert (report.n_products, report.n_aspects) == (4, 3)
    assert [stage.stage for stage in report.stages] == STAGES


def test_stored_arrays_follow_from_each_other(built: Built) -> None:
    """Reduced vectors and phi are exactly what the stored space makes of the stored embeddings."""
    space = AspectSpace.from_dict(open_corpus(built.folder).aspects)
    embeddings, reduced, phi = (np.load(built.folder / f"{name}.npy") for name in ("embeddings", "reduced", "phi"))
    assert embeddings.dtype == np.float16
    assert np.array_equal(space.reduce(embeddings), reduced)
    assert np.array_equal(space.memberships(reduced).astype(np.float32), phi)
    gaps = np.sort(((reduced[:, None].astype(float) - space.centroids) ** 2).sum(axis=2), axis=1)
    assert space.temperature == pytest.approx(np.log(10) / np.median(gaps[:, 1] - gaps[:, 0]))


def test_aspect_mass_counts_repeats(built: Built) -> None:
    """The aspect mass of a product is the mean of phi over every occurrence of its sentences."""
    support = pd.read_parquet(built.folder / "support.parquet")
    phi = np.load(built.folder / "phi.npy")[support["sentence"]]
    for row in open_corpus(built.folder).products.itertuples():
        assert row.aspect_mass == pytest.approx(phi[row.support_start : row.support_stop].mean(axis=0), abs=1e-6)


def test_rebuild_is_bit_equal(built: Built, source: Path, tmp_path: Path) -> None:
    """The same input and seed give the same id and the same bytes in every file but the manifest, wherever they go."""
    again = tmp_path / "elsewhere" / "again"
    assert _build(source, again).corpus_id == built.report.corpus_id
    for name in FILES:
        assert (built.folder / name).read_bytes() == (again / name).read_bytes(), name


def test_id_follows_bytes_not_paths(built: Built, source: Path, tmp_path: Path) -> None:
    """A copy of the source under another name gives the same id; another byte, seed or unit gives another."""
    first = built.report.corpus_id
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(source.read_bytes())
    assert _build(copy, tmp_path / "d").corpus_id == first
    copy.write_bytes(source.read_bytes() + b"\n")
    others = [_build(copy, tmp_path / "e"), _build(source, tmp_path / "f", seed=1)]
    others.append(_build(source, tmp_path / "g", unit="review"))
    assert len({first, *(report.corpus_id for report in others)}) == 4


def test_id_follows_what_was_taken_not_how_it_was_told(built: Built, source: Path, tmp_path: Path) -> None:
    """Naming with --map what is recognised anyway gives the same id."""
    named = _build(source, tmp_path / "c", columns={"text": "text", "product": "parent_asin"})
    assert named.corpus_id == built.report.corpus_id


def test_no_raw_id_is_stored(built: Built, source: Path) -> None:
    """Neither a reviewer's id nor the salt's source, the digest of the bytes, is anywhere in the folder."""
    from prefer_core.data.sources import read_source

    digest = read_source(str(source)).digest
    stored = set(pd.read_parquet(built.folder / "support.parquet")["reviewer"])
    assert not stored & {f"U{i}" for i in range(40)}
    assert all(digest.encode() not in path.read_bytes() for path in built.folder.iterdir())


def test_manifest_tells_times_and_versions(built: Built) -> None:
    """Every stage but the running one stands in the manifest with seconds and memory, beside package versions."""
    manifest = json.loads((built.folder / "manifest.json").read_text("utf-8"))
    assert [stage["stage"] for stage in manifest["stages"]] == STAGES[:-1]
    assert all(stage["seconds"] >= 0 and stage["peak_memory"] > 0 for stage in manifest["stages"])
    assert manifest["stages"][1]["memory_change"] == pytest.approx(
        manifest["stages"][1]["memory"] - manifest["stages"][0]["memory"], abs=20
    )
    assert f"{os.cpu_count()} cores" in manifest["machine"]
    assert manifest["packages"]["numpy"] == np.__version__
    assert manifest["counts"]["broken lines"] == 1


def test_tastes_are_those_of_the_stored_arrays(tmp_path: Path) -> None:
    """Reviewer tastes in the diagnostics follow from phi.npy and support.parquet alone."""
    _build(write_jsonl(tmp_path / "many.jsonl", made_reviews(120)), tmp_path / "c")
    found = open_corpus(tmp_path / "c").diagnostics()
    support = pd.read_parquet(tmp_path / "c" / "support.parquet")
    phi = np.load(tmp_path / "c" / "phi.npy")[support["sentence"]]
    by_reviewer = pd.DataFrame(phi).groupby(support["reviewer"].to_numpy())
    enough = by_reviewer.size() >= found["heterogeneity"]["least_sentences"]
    means = by_reviewer.mean()[enough].to_numpy(dtype=float)
    assert found["heterogeneity"]["reviewers"] == len(means) == 40
    entropy = -(means * np.log(means)).sum(axis=1) / np.log(3)
    assert found["heterogeneity"]["entropy"]["mean"] == pytest.approx(entropy.mean(), abs=1e-5)
    assert found["statistics"]["units"]["units"] == len(support)


def test_sentences_and_reviews_of_one_source_find_each_other(source: Path, tmp_path: Path) -> None:
    """The other level is a corpus of the same bytes and settings with the other unit, and nothing else."""
    shapes = {"s": {}, "r": {"unit": "review", "seed": 3}, "limited": {"unit": "review", "limit": 20}}
    for name, changes in shapes.items():
        _build(source, tmp_path / name, **changes)
    other = write_jsonl(tmp_path / "other.jsonl", made_reviews(50))
    _build(other, tmp_path / "foreign", unit="review")
    manifests = {name: open_corpus(tmp_path / name).manifest for name in (*shapes, "foreign")}
    levels = {name for name, manifest in manifests.items() if is_other_level(manifests["s"], manifest)}
    assert levels == {"r"}
    assert is_other_level(manifests["r"], manifests["s"])
    older = {key: value for key, value in manifests["s"].items() if key != "source_mark"}
    assert not is_other_level(older, {**older, "config": manifests["r"]["config"]})


def test_k_is_chosen_where_it_is_not_set(source: Path, tmp_path: Path) -> None:
    """Without --aspects the sweep stands in the diagnostics; with 119 sentences K is 2."""
    report = _build(source, tmp_path / "c", aspects=AspectSettings(embedder="words", preset="paper"))
    sweep = open_corpus(tmp_path / "c").diagnostics()["k_sweep"]
    assert report.n_aspects == 2
    assert [row["n_aspects"] for row in sweep] == [2]
    assert -1 <= sweep[0]["silhouette"] <= 1


def test_a_k_that_is_set_is_used_and_the_others_are_measured(source: Path, tmp_path: Path) -> None:
    """With --aspects 4 there are 4, and the sweep tells how the K that would have been tried compares."""
    report = _build(source, tmp_path / "c", aspects=AspectSettings(embedder="words", n_aspects=4, preset="paper"))
    assert report.n_aspects == 4
    assert [row["n_aspects"] for row in open_corpus(tmp_path / "c").diagnostics()["k_sweep"]] == [2, 4]


def test_progress_is_told_stage_by_stage(built: Built) -> None:
    """Each stage begins, and ends before the next begins."""
    assert [name for name, done, _ in built.told if done == -1] == STAGES
    assert list(dict.fromkeys(name for name, _, _ in built.told)) == STAGES


@pytest.mark.parametrize("rows", [1, 2])
def test_too_few_sentences(tmp_path: Path, rows: int) -> None:
    """Fewer sentences than aspects need is an error that says how many there are; nothing is written."""
    path = write_jsonl(
        tmp_path / "a.jsonl", [r | {"text": f"Only one sentence here {r['rating']}"} for r in made_reviews(rows)]
    )
    with pytest.raises(DataError, match=f"gives {rows} sentences?, fewer than the 3"):
        _build(path, tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_failure_leaves_the_old_corpus(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the last stage of a rebuild leaves the old corpus as it was, and the embeddings for another try."""
    first = _build(source, tmp_path / "c").corpus_id

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("prefer_core.corpus.write_manifest", interrupt)
    with pytest.raises(KeyboardInterrupt):
        _build(source, tmp_path / "c", seed=5)
    assert open_corpus(tmp_path / "c").id == first
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "home") == ["c", "c.work", "made.jsonl"]


def test_settings_are_checked() -> None:
    """A limit of zero is refused."""
    with pytest.raises(ConfigError, match="limit"):
        BuildConfig(source="sample", out="c", limit=0)


@pytest.mark.slow
def test_dense_real_reviews(real_data: Path, tmp_path: Path) -> None:
    """Four hundred real reviews build with words in place of MiniLM; every sentence has words and a reviewer."""
    report = _build(real_data / "clothing_top12.jsonl.gz", tmp_path / "c", limit=400)
    rows = pd.read_parquet(tmp_path / "c" / "sentences.parquet")
    assert report.n_sentences == len(rows) > 1000
    assert rows["text"].str.split().str.len().min() >= 4
    assert rows["reviewer"].str.len().eq(16).all()


def test_people_is_the_default_and_writes_what_it_did(source: Path, tmp_path: Path) -> None:
    """Kinds, product words and dropped anchors stand in the folder; "other" is last and not counted as an aspect."""
    settings = AspectSettings(embedder="words", n_aspects=3)
    report = _build(source, tmp_path / "c", aspects=settings)
    corpus = open_corpus(tmp_path / "c")
    assert report.n_aspects == 3
    assert corpus.kinds[-1] == "other"
    assert corpus.labels[-1] == "Other"
    assert corpus.cared_for == (0, 1, 2)
    assert corpus.view.marks[-1] == HIDDEN_MARK
    assert corpus.array("phi").shape[1] == 4
    assert {"product_words", "dropped_anchors", "about_one_product"} <= set(corpus.aspects)
    assert corpus.manifest["config"]["aspects"]["preset"] == "people"
    assert any("left out" in note for note in report.notes)
    again = _build(source, tmp_path / "again", aspects=settings)
    assert again.corpus_id == report.corpus_id


def test_the_papers_settings_hold_nothing_of_people() -> None:
    """A corpus of preset paper has the settings, and so the id, that it had before there were presets."""
    values = BuildConfig(source="s", out="o", aspects=AspectSettings(preset="paper")).to_dict()["aspects"]
    assert "preset" not in values
    assert values["n_components"] == 17
    assert AspectSettings.from_dict(values) == AspectSettings(preset="paper")


def test_another_language_has_no_anchors_and_says_so(tmp_path: Path) -> None:
    """Spanish reviews: nothing is hidden, all aspects are free, and a note tells why."""
    said = (
        "El producto llegó muy rápido y en buenas condiciones.", "La tela es muy suave y el color es bonito.",
        "No me gusta el olor porque es demasiado fuerte.", "El precio es bueno para la calidad que tiene.",
    )  # fmt: skip
    rows = [
        {"parent_asin": f"P{i % 3}", "text": f"{said[i % 4]} {said[(i + 1) % 4][:-1]} {i}.", "rating": 5.0}
        for i in range(60)
    ]
    source = write_jsonl(tmp_path / "es.jsonl", rows)
    report = _build(source, tmp_path / "c", aspects=AspectSettings(embedder="words", n_aspects=3))
    assert any("not in English" in note for note in report.notes)
    corpus = open_corpus(tmp_path / "c")
    assert corpus.kinds == ("free", "free", "free", "other")
    assert corpus.aspects["product_words"] == []


@pytest.mark.parametrize("products", [1, 120])
def test_one_product_or_one_review_each(tmp_path: Path, products: int) -> None:
    """Neither a corpus of one product nor one with a single review a product stops the build."""
    rows = [row | {"parent_asin": f"P{i % products}"} for i, row in enumerate(made_reviews(120))]
    source = write_jsonl(tmp_path / "a.jsonl", rows)
    report = _build(source, tmp_path / "c", aspects=AspectSettings(embedder="words", n_init=2))
    assert report.n_products == products
    assert 2 <= report.n_aspects <= 14


def test_a_wrong_anchors_file_writes_nothing(source: Path, tmp_path: Path) -> None:
    """The file is read before anything is embedded; nothing is left behind."""
    (tmp_path / "mine.toml").write_text("[[anchor]]\nnam = 'a'")
    settings = AspectSettings(embedder="words", anchors=str(tmp_path / "mine.toml"))
    with pytest.raises(ConfigError, match="'nam' in anchor 1"):
        _build(source, tmp_path / "c", aspects=settings)
    assert not (tmp_path / "c").exists()
