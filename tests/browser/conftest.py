"""The real app in a real browser."""

import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from prefer_core.store import Ledger
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
WIDE, LAPTOP = {"width": 1680, "height": 1000}, {"width": 1280, "height": 800}


@dataclass
class App:
    """A running app: where it is, and where it keeps things."""

    url: str
    home: Path
    process: subprocess.Popen[bytes]
    tabs: list[Page] = field(default_factory=list)

    def ledger(self) -> Ledger:
        """Open the ledger that the app writes."""
        return Ledger(f"sqlite:///{self.home / 'ledger.db'}")

    def log(self) -> str:
        """Return what the server wrote."""
        return (self.home / "server.log").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start Chromium, or skip where there is none."""
    if CHROMIUM is None:
        if os.environ.get("PREFER_REQUIRE_BROWSER"):
            pytest.fail("PREFER_REQUIRE_BROWSER is set and there is no Chromium; install the package chromium.")
        pytest.skip("there is no Chromium on this machine; install the package chromium to run the browser tests")
    # A first page on a busy machine takes longer than the 5 s of the default.
    expect.set_options(timeout=30_000)
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def run_app(sample_corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., App]]:
    """Return a starter of apps on the sample corpus; each has its own home."""
    started: list[App] = []

    def run(**environment: str) -> App:
        home = tmp_path_factory.mktemp("home")
        port = free_port()
        command = [
            sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), "--server.headless", "true",
        ]  # fmt: skip
        settings = os.environ | {"PREFER_HOME": str(home), "PREFER_CORPUS": str(sample_corpus)} | environment
        with (home / "server.log").open("wb") as log:
            process = subprocess.Popen(command, cwd=ROOT, env=settings, stdout=log, stderr=subprocess.STDOUT)
        app = App(f"http://127.0.0.1:{port}", home, process)
        started.append(app)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(app.url + "/_stcore/health", timeout=2).read()
            except OSError:
                time.sleep(0.2)
            else:
                return app
        raise AssertionError(app.log())

    yield run
    for app in started:
        app.process.terminate()
        app.process.wait(10)


@pytest.fixture
def tab(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Return an opener of fresh tabs, each with its own context."""
    contexts = []

    def open_tab(size: dict[str, int] = LAPTOP) -> Page:
        context = browser.new_context(viewport=size)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        return page

    yield open_tab
    for context in contexts:
        context.close()
