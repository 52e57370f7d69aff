"""Two processes of the app behind nginx, as docs/deployment.md has it: one dies, and its people go on at the other."""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import websockets
from sqlalchemy import create_engine, text

from benchmarks.load import TroubleError, Visitor
from prefer_core.corpus import Corpus
from prefer_core.store import StudyBook
from prefer_core.study.definition import parse
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
PEOPLE = 8
DEFINITION = """
[study]
name = "two"
title = "Two processes"
corpus = "small"
rounds = 4
participants = 40
consent = "Do you agree?"
practice = false
completion_code = "C-2"

[[arms]]
name = "learns"

[quality]
repeats = 0
random_start = false
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(NGINX is None, reason="there is no nginx; install the package nginx-light"),
]


@pytest.fixture
def database(postgres: str) -> str:
    """Return the address of an empty PostgreSQL database."""
    engine = create_engine(f"{postgres}/postgres", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("CREATE DATABASE two_processes"))
    engine.dispose()
    return f"{postgres}/two_processes"


@pytest.fixture
def site(database: str, small: Corpus, tmp_path: Path) -> Iterator[tuple[int, dict[int, subprocess.Popen[bytes]]]]:
    """Start two processes and nginx in front of them; yield nginx's port and the processes by theirs."""
    ports = [free_port() for _ in range(3)]
    environment = os.environ | {
        "PREFER_HOME": str(tmp_path), "PREFER_CORPUS": str(small.path), "PREFER_MODEL": "none",
        "PREFER_DATABASE_URL": database,
    }  # fmt: skip
    page = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
    [written] = re.findall(r"```nginx\n(.*?)```", page, re.DOTALL)
    for named, port in zip(("8501", "8502", "listen 80"), ports, strict=True):
        assert named in written
        written = written.replace(named, f"listen {port}" if named.startswith("listen") else str(port))
    paths = "".join(
        f"{name}_temp_path {tmp_path / name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    settings = tmp_path / "nginx.conf"
    settings.write_text(
        f"pid {tmp_path / 'pid'}; error_log {tmp_path / 'error.log'}; daemon off; user root; events {{}}\n"
        f"http {{ access_log off; {paths}\n{written}\n}}"
    )
    started: list[subprocess.Popen[bytes]] = []
    with (tmp_path / "server.log").open("wb") as log:
        for port in ports[:2]:
            command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
            started.append(
                subprocess.Popen(
                    [*command, "--server.port", str(port)], cwd=ROOT, env=environment, stdout=log, stderr=log
                )
            )
        started.append(subprocess.Popen([str(NGINX), "-c", str(settings)], stdout=log, stderr=log))
    for port in ports:
        _until_healthy(port, tmp_path)
    yield ports[2], dict(zip(ports[:2], started, strict=False))
    for process in started:
        process.terminate()
        process.wait(20)


def _until_healthy(port: int, folder: Path) -> None:
    deadline = time.monotonic() + 120
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5).read()
        except OSError:
            assert time.monotonic() < deadline, (folder / "server.log").read_text()
            time.sleep(0.3)
        else:
            return


class Participant:
    """A browser without a screen: keeps its cookie and its link, and connects again when it is cut off."""

    def __init__(self, port: int, token: str) -> None:
        self._address, self._token = f"127.0.0.1:{port}", token
        with urllib.request.urlopen(f"http://{self._address}/Study", timeout=60) as answer:
            self.cookie = str(answer.headers["Set-Cookie"]).split(";")[0]

    async def take_part(self) -> None:
        """Open the link and rate until the end, opening it again after every trouble."""
        told: Exception | None = None
        for _ in range(20):
            try:
                async with websockets.connect(
                    f"ws://{self._address}/_stcore/stream", subprotocols=[websockets.Subprotocol("streamlit")],
                    max_size=None, ping_interval=None, additional_headers={"Cookie": self.cookie},
                ) as socket:  # fmt: skip
                    visitor = Visitor(socket, "Study", f"p={self._token}")
                    listening = asyncio.create_task(visitor.listen())
                    try:
                        await visitor.run(limit=120)
                        if visitor.has("button", "I agree"):
                            await visitor.run(visitor.button("I agree"))
                        while visitor.has("slider", "How useful"):
                            visitor.move(visitor.slider(), 80.0)
                            await visitor.run()
                            await visitor.run(visitor.button("Send"))
                        return
                    finally:
                        listening.cancel()
            except (TroubleError, OSError, websockets.WebSocketException) as trouble:
                told = trouble
                await asyncio.sleep(0.5)
        raise AssertionError(f"cut off twenty times, the last time: {told}")


def _served(ports: dict[int, subprocess.Popen[bytes]]) -> Counter[int]:
    """Return how many connections each process holds."""
    return Counter(
        one.laddr.port
        for port, process in ports.items()
        for one in psutil.Process(process.pid).net_connections("tcp")
        if one.status == "ESTABLISHED" and one.laddr.port == port
    )


def test_people_of_a_killed_process_go_on_at_the_other(
    site: tuple[int, dict[int, subprocess.Popen[bytes]]], database: str, small: Corpus
) -> None:
    """Eight people at two processes; one is killed while they rate. Every round is rated once, all come to the end."""
    port, processes = site
    study = parse(DEFINITION)
    book = StudyBook(database)
    stored = book.keep("two", DEFINITION, study.digest, small.id, 40)
    people = [Participant(port, token) for token in book.invite(stored, PEOPLE)]

    async def play() -> tuple[Counter[int], int]:
        going = [asyncio.create_task(one.take_part()) for one in people]
        while _rated(book) < PEOPLE and not any(task.done() for task in going):
            await asyncio.sleep(0.1)
        served, before = _served(processes), _rated(book)
        next(iter(processes.values())).send_signal(signal.SIGKILL)
        await asyncio.gather(*going)
        return served, before

    served, before = asyncio.run(play())
    assert set(served) == set(processes), "both processes served somebody"
    assert PEOPLE <= before < 4 * PEOPLE
    records = book.records(stored)
    book.close()
    assert [[one.feedback for one in record.placed] for record in records] == [[0.8] * 4] * PEOPLE
    assert all("completed" in record.answers for record in records)


def _rated(book: StudyBook) -> int:
    return sum(one.feedback is not None for record in book.records(book.study("two")) for one in record.placed)
