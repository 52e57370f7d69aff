"""Two processes of the app behind nginx, as docs/deployment.md has it: one dies, and its people go on at the other."""

import asyncio
import re
import shutil
import subprocess
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from benchmarks.load import Server
from benchmarks.participants import Participant, judge
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
def site(database: str, small: Corpus, tmp_path: Path) -> Iterator[tuple[int, list[Server]]]:
    """Start two processes and nginx in front of them; yield nginx's port and the processes."""
    servers = [Server(small.path, tmp_path, PREFER_DATABASE_URL=database) for _ in range(2)]
    ports = [*(server.port for server in servers), free_port()]
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
    nginx = subprocess.Popen([str(NGINX), "-c", str(settings)])
    try:
        for server in servers:
            server.start()
        yield ports[2], servers
    finally:
        for server in servers:
            server.stop()
        nginx.terminate()
        nginx.wait(20)


def _participant(port: int, token: str, number: int) -> Participant:
    """Return a browser with the cookie that nginx knows it by."""
    address = f"127.0.0.1:{port}"
    with urllib.request.urlopen(f"http://{address}/Study", timeout=60) as answer:
        cookie = str(answer.headers["Set-Cookie"]).split(";")[0]
    return Participant(
        f"ws://{address}/_stcore/stream", f"p={token}", think=(0.0, 0.2), seed=number, code="C-2",
        headers={"Cookie": cookie},
    )  # fmt: skip


def _served(servers: Sequence[Server]) -> Counter[int]:
    """Return how many connections each process holds."""
    return Counter(
        one.laddr.port
        for server in servers
        for one in server.process.net_connections("tcp")
        if one.status == "ESTABLISHED" and one.laddr.port == server.port
    )


def test_people_of_a_killed_process_go_on_at_the_other(
    site: tuple[int, list[Server]], database: str, small: Corpus
) -> None:
    """Eight people at two processes; one is killed while they rate. Every round is rated once, all come to the end."""
    port, servers = site
    study = parse(DEFINITION)
    book = StudyBook(database)
    stored = book.keep("two", DEFINITION, study.digest, small.id, 40)
    people = [_participant(port, token, number) for number, token in enumerate(book.invite(stored, PEOPLE))]

    async def kill_one() -> tuple[Counter[int], int]:
        going = [asyncio.create_task(one.take_part()) for one in people]
        while _rated(book) < PEOPLE and not any(task.done() for task in going):
            await asyncio.sleep(0.1)
        served, before = _served(servers), _rated(book)
        servers[0].kill()
        await asyncio.gather(*going)
        return served, before

    served, before = asyncio.run(kill_one())
    assert set(served) == {server.port for server in servers}, "both processes served somebody"
    assert PEOPLE <= before < 4 * PEOPLE
    found = judge(database, study, people, kills=1)
    assert (found.errors, found.lost, found.doubled, found.finished) == ([], 0, 0, PEOPLE)
    records = book.records(stored)
    book.close()
    assert [[one.feedback is None for one in record.placed] for record in records] == [[False] * 4] * PEOPLE
    assert all("completed" in record.answers for record in records)


def _rated(book: StudyBook) -> int:
    return sum(one.feedback is not None for record in book.records(book.study("two")) for one in record.placed)
