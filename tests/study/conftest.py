"""A small corpus, both databases, and a participant's way played by hand."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import pytest
from sqlalchemy import create_engine, text

from prefer_core.config import AspectSettings, BuildConfig
from prefer_core.corpus import Corpus, open_corpus
from prefer_core.encoders.embedders import EMBEDDERS
from prefer_core.pipeline import build
from prefer_core.store import Ledger, StudyBook
from prefer_core.store.studies import StoredStudy
from prefer_core.study.definition import About, Arm, Attention, Products, Quality, Question, Study
from prefer_core.study.participation import Participation
from tests.data.made import BagOfWords, made_reviews, write_jsonl
from tests.ports import free_port

SERVER = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Return eight made products of three aspects."""
    folder = tmp_path_factory.mktemp("small")
    rows = [row | {"parent_asin": f"P{i % 8}"} for i, row in enumerate(made_reviews(400))]
    source = write_jsonl(folder / "made.jsonl", rows)
    with patch.dict(EMBEDDERS, {"words": BagOfWords}):
        settings = AspectSettings(embedder="words", n_aspects=3, preset="paper", n_init=2)
        build(BuildConfig(source=str(source), out=str(folder / "corpus"), aspects=settings, keypoints=None))
    return open_corpus(folder / "corpus")


def _server_user() -> pwd.struct_passwd | None:
    """Return who runs the server: it refuses to run as root."""
    try:
        return pwd.getpwnam("postgres") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
    except KeyError:
        return None


class PostgresServer:
    """A PostgreSQL server of our own, which can be stopped and started."""

    def __init__(self, programs: Path, owner: pwd.struct_passwd) -> None:
        port = free_port()
        self.url = f"postgresql+psycopg://prefer@127.0.0.1:{port}"
        # Not below pytest's own folder, which the server's user may not enter.
        self._folder = Path("/tmp") / f"prefer-postgres-{port}"
        self._programs, self._options = programs, f"-p {port} -k {self._folder} -c listen_addresses=127.0.0.1"
        self._folder.mkdir()
        self._as_user: dict[str, Any] = {}
        if os.geteuid() == 0:
            os.chown(self._folder, owner.pw_uid, owner.pw_gid)
            self._as_user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        self._run("initdb", "-U", "prefer", "-A", "trust", "-N")

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._run("pg_ctl", "-o", self._options, "-l", str(self._folder / "log"), "-w", "start")

    def stop(self) -> None:
        """Stop it at once, without a word to those who are connected."""
        self._run("pg_ctl", "-m", "immediate", "stop")

    def remove(self) -> None:
        """Stop it and remove its files."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, program: str, *options: str) -> None:
        command = [str(self._programs / program), "-D", str(self._folder / "data"), *options]
        environment = {"LC_ALL": "C.UTF-8", "HOME": str(self._folder)}
        subprocess.run(
            command, check=True, cwd=self._folder, stdout=subprocess.DEVNULL, env=environment, **self._as_user
        )


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """Start a server, or skip."""
    owner = _server_user()
    if not SERVER or owner is None:
        if os.environ.get("PREFER_REQUIRE_POSTGRES"):
            pytest.fail("PREFER_REQUIRE_POSTGRES is set and there is no PostgreSQL; install the package postgresql.")
        pytest.skip("there is no PostgreSQL on this machine; install the package postgresql to run these tests")
    server = PostgresServer(SERVER[-1].parent, owner)
    server.start()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def postgres(postgres_server: PostgresServer) -> str:
    """Return the server's address without a database."""
    return postgres_server.url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return the address of an empty database of either kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'ledger.db'}"
        _close_all()
        return
    server = request.getfixturevalue("postgres")
    name = f"study_{abs(hash(request.node.nodeid))}"
    engine = create_engine(f"{server}/postgres", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    yield f"{server}/{name}"
    _close_all()


def _close_all() -> None:
    while Site.opened:
        Site.opened.pop().close()


def made_study(design: str = "between", rounds: int = 4, **changes: object) -> Study:
    """Return a small study with everything in it."""
    about = About(
        name="tiny", title="Tiny", corpus="small", consent="Yes?", design=design, rounds=rounds, participants=400,
        seed=3, sus=True, completion_code="C-1",
    )  # fmt: skip
    study = Study(
        about=about,
        arms=(Arm("learns"), Arm("generic", learner="static")),
        products=Products(in_a_row=2),
        quality=Quality(repeats=1, seconds=4.0),
        before=(Question("age", "How old?", "choice", options=("young", "old")),),
        each_round=(Question("helpful", "Helpful?"),),
        after=(Question("remarks", "Anything?", "text"),),
        attention=(Attention("Choose b.", ("a", "b"), "b", 2),),
        text="[study]",
    )
    return replace(study, **changes)  # type: ignore[arg-type]


class Site:
    """A study in a database, and ways to take part."""

    opened: ClassVar[list[Ledger | StudyBook]] = []
    """Closed by the fixture `url`."""

    def __init__(self, url: str, corpus: Corpus, study: Study) -> None:
        self.url, self.corpus, self.study = url, corpus, study
        self.ledger, self.book = Ledger(url), StudyBook(url)
        self.opened.extend((self.ledger, self.book))
        self.stored: StoredStudy = self.book.keep("tiny", study.text, study.digest, corpus.id, study.about.participants)

    def join(self, code: str | None = None) -> tuple[Participation, str]:
        """Follow a fresh personal link."""
        [token] = self.book.invite(self.stored, code=code)
        return self.by(token), token

    def by(self, token: str) -> Participation:
        """Open a personal link, as another tab, device or server would."""
        book, ledger = StudyBook(self.url), Ledger(self.url)
        self.opened.extend((ledger, book))
        return Participation(book, ledger, self.corpus, self.study, book.participant(token))


def go_to(going: Participation, name: str) -> None:
    """Take steps, rating 70 % each time, until the step of a name stands on the screen."""
    while (step := going.step(going.record())).name != name:
        if step.kind == "consent":
            going.agree()
        elif step.kind == "questions":
            going.answer(step, {q.name: q.values[-1] if q.values else "fine" for q in step.questions})
        else:
            assert step.slot is not None
            going.show(step)
            going.rate(step, [0.7] * len(step.slot.arms), seconds=9.0, answers={q.name: 4 for q in step.questions})
