"""Shared by all tests: a private PREFER_HOME, and small made products."""

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from prefer_core.types import ProductCorpus
from tests.built import SmallCorpora, kept

# Settings that lie beside the project are somebody's own; fixtures of the session are made before a test's own begin.
os.environ["PREFER_CONFIG"] = "none"

REAL_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two workers share the whole suite; tests that are asked for by name run in this process, which starts sooner."""
    return 2 if config.args_source is pytest.Config.ArgsSource.TESTPATHS else 0


@pytest.fixture(autouse=True)
def private_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep every test away from the person's own corpora, models and ledger."""
    home = tmp_path / "home"
    monkeypatch.setenv("PREFER_HOME", str(home))
    for name in ("PREFER_CORPUS", "PREFER_MODEL", "PREFER_LLM_URL", "PREFER_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture(scope="session")
def packages_read_once() -> Iterator[None]:
    """Let Streamlit look for components among the installed packages once; else each AppTest does, for .13 s."""
    from streamlit.components.v2 import manifest_scanner

    scan = "scan_component_manifests"
    with patch.object(manifest_scanner, scan, cache(getattr(manifest_scanner, scan))):
        yield


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
def small_corpora(tmp_path_factory: pytest.TempPathFactory) -> SmallCorpora:
    """Return copies of small made corpora, each built once."""
    return SmallCorpora(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="session")
def counted_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the sample with points counted by likeness."""
    from tests.counted import build_counted

    return kept("counted", build_counted, tmp_path_factory.mktemp("corpora") / "counted")
