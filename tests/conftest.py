"""Shared by all tests: a private PREFER_HOME, and small made products."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from prefer_core.types import ProductCorpus
from tests.built import kept

# Settings that lie beside the project are somebody's own; fixtures of the session are made before a test's own begin.
os.environ["PREFER_CONFIG"] = "none"

REAL_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(autouse=True)
def private_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep every test away from the person's own corpora, models and ledger."""
    home = tmp_path / "home"
    monkeypatch.setenv("PREFER_HOME", str(home))
    for name in ("PREFER_CORPUS", "PREFER_MODEL", "PREFER_LLM_URL", "PREFER_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def make_product() -> Callable[..., ProductCorpus]:
    """Return a maker of random products."""

    def make(n: int = 40, n_aspects: int = 5, m: int = 8, seed: int = 0, **fields: object) -> ProductCorpus:
        rng = np.random.default_rng(seed)
        values: dict[str, object] = {
            "product_id": "P",
            "phi": rng.dirichlet(np.full(n_aspects, 0.4), n),
            "s": rng.normal(size=(n, m)),
            "tokens": rng.integers(4, 30, n),
        }
        return ProductCorpus(**(values | fields))  # type: ignore[arg-type]

    return make


@pytest.fixture
def real_data() -> Path:
    """Return the folder of real reviews, or skip."""
    if not REAL_DATA.is_dir():
        pytest.skip(f"real reviews are not on this machine ({REAL_DATA.name} is absent beside the project)")
    return REAL_DATA


@pytest.fixture(scope="session")
def sample_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the sample corpus as `make demo` builds it; changes to it last for this worker's session."""
    from prefer_core.config import AspectSettings, BuildConfig
    from prefer_core.pipeline import build

    def make(folder: Path) -> None:
        build(BuildConfig(source="sample", out=str(folder), aspects=AspectSettings(n_aspects=8)))

    return kept("sample", make, tmp_path_factory.mktemp("corpora") / "sample")


@pytest.fixture(scope="session")
def counted_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the sample with points counted by likeness."""
    from tests.counted import build_counted

    return kept("counted", build_counted, tmp_path_factory.mktemp("corpora") / "counted")
