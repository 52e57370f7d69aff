"""PREFER_LLM_URL against llama.cpp's own server with the embedded model."""

import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from prefer_core.config import WritingSettings
from prefer_core.rewriting import make_writer, models
from prefer_core.rewriting.prompts import BASE
from tests.rewriting.conftest import SETS, make_evidence

NEEDED = ("llama_cpp", "fastapi", "sse_starlette", "starlette_context", "pydantic_settings", models.PACKAGE)
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]


@pytest.fixture
def url(tmp_path):
    """Return the address of a running server."""
    model = models.locate(models.resolve({"PREFER_HOME": str(tmp_path / "models")}))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(model), "--port", str(port), "--n_ctx", "2048"]
    log = (tmp_path / "log").open("wb")
    process = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | {"OMP_WAIT_POLICY": "passive"})
    address = f"http://127.0.0.1:{port}/v1"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/models", timeout=2):
                break
        except OSError:
            time.sleep(0.3)
    assert process.poll() is None, (tmp_path / "log").read_text()
    yield address
    process.terminate()
    process.wait(20)
    log.close()


def test_the_embedded_model_writes_through_its_own_server(url, monkeypatch):
    """The server's model is known by its name, asked by examples, and joins some claims."""
    monkeypatch.setenv("PREFER_LLM_URL", url)
    writer = make_writer(WritingSettings(job_timeout=300, call_timeout=120))
    assert writer.name.startswith("Gemma 3 270M at 127.0.0.1:")
    assert models.resolve().model.style is BASE
    shares = []
    for text in SETS[:3]:
        job = writer.submit(make_evidence(text))
        assert job.wait(300)
        assert (job.state, job.error) == ("done", None)
        shares.append(job.summary.model_share)
    assert max(shares) > 0
    writer.close()
