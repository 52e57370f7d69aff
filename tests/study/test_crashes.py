"""Facts about crashes: what was acknowledged is there, once, and everyone goes on."""

import os
import random
import signal
import threading
import time
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from prefer_core.corpus import Corpus
from prefer_core.errors import StoreError
from prefer_core.store import schema
from prefer_core.study.definition import Products
from prefer_core.study.export import sent_by, tables
from prefer_core.study.monitor import overview
from prefer_core.study.simulate import run
from tests.study.conftest import PostgresServer, Site, go_to, made_study


def play_and_tell(site: Site, token: str, pipe: int) -> None:
    """Go on with a study and write a line for each rating that was acknowledged."""
    going = site.by(token)
    while (step := going.step(going.record())).kind != "done":
        if step.kind != "round":
            go_to(going, going.way(going.record())[going.way(going.record()).index(step) + 1].name)
            continue
        assert step.slot is not None
        value = random.randrange(101) / 100
        going.show(step)
        if going.rate(step, [value], seconds=9, answers={q.name: 3 for q in step.questions}):
            os.write(pipe, f"{step.name} {value}\n".encode())


@pytest.mark.slow
def test_a_process_killed_at_twenty_random_moments_loses_no_rating(url: str, small: Corpus) -> None:
    """A participant's process is killed again and again; every acknowledged rating is there, and the end is reached."""
    site = Site(url, small, made_study(rounds=100, products=Products(in_a_row=50)))
    site.join()[0].agree()
    _, token = site.join()
    site.by(token).agree()
    site.ledger.close()
    site.book.close()
    for opened in site.opened:
        opened.close()
    acknowledged: dict[str, float] = {}
    rng, kills = random.Random(4), 0
    for _ in range(200):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                play_and_tell(site, token, writing)
            finally:
                os._exit(0)
        os.close(writing)
        if kills < 20:
            time.sleep(rng.uniform(0.02, 0.2))
            os.kill(child, signal.SIGKILL)
            kills += 1
        os.waitpid(child, 0)
        with os.fdopen(reading) as lines:
            for line in lines:
                name, value = line.split()
                assert name not in acknowledged, "a rating was acknowledged twice"
                acknowledged[name] = float(value)
        going = site.by(token)
        record = going.record()
        kept = {one.slot: one.feedback for one in record.placed} | {
            name: answers["values"][0] for name, answers in record.answers.items() if name.startswith("repeat")
        }
        assert {name: kept[name] for name in acknowledged} == acknowledged
        if going.step(record).kind == "done":
            break
    assert kills == 20
    assert len([one for one in record.placed if one.feedback is not None]) == 101
    assert len({(one.session_id, one.round) for one in record.placed}) == 101


def test_a_server_that_is_stopped_and_started_takes_the_same_rating(
    small: Corpus, postgres_server: PostgresServer
) -> None:
    """While PostgreSQL is down a rating is refused in words; once it is back, the same screen sends it."""
    admin = create_engine(f"{postgres_server.url}/postgres", isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text("CREATE DATABASE stopped"))
    admin.dispose()
    site = Site(f"{postgres_server.url}/stopped", small, made_study())
    going, _ = site.join()
    go_to(going, "round-2")
    step = going.step(going.record())
    going.show(step)
    postgres_server.stop()
    with pytest.raises(StoreError, match="please try again"):
        going.rate(step, [0.4], seconds=5, answers={"helpful": 2})
    postgres_server.start()
    assert going.rate(step, [0.4], seconds=5, answers={"helpful": 2})
    assert [one.feedback for one in going.record().placed] == [0.7, 0.7, 0.4]
    for opened in site.opened:
        opened.close()


def test_a_database_that_drops_every_connection_takes_the_next_rating(small: Corpus, postgres: str) -> None:
    """PostgreSQL ends all connections between two steps, as a restart does; the way goes on."""
    admin = create_engine(f"{postgres}/postgres", isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text("CREATE DATABASE dropped"))
    site = Site(f"{postgres}/dropped", small, made_study())
    going, _ = site.join()
    go_to(going, "round-2")
    with admin.connect() as connection:
        ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'dropped'"
        assert all(connection.execute(text(ended)).scalars())
    admin.dispose()
    go_to(going, "round-4")
    assert [one.feedback for one in going.record().placed] == [0.7] * 4
    for opened in site.opened:
        opened.close()


def test_a_database_that_goes_away_in_mid_write_loses_nothing(small: Corpus, tmp_path: Path) -> None:
    """SQLite refuses a write between a rating's details and the rating; once it is back, the same rating is taken."""
    site = Site(f"sqlite:///{tmp_path / 'l.db'}", small, made_study())
    going, _ = site.join()
    go_to(going, "round-2")
    step = going.step(going.record())
    going.show(step)
    # A trigger lets every statement of the rating through but the last one: the transaction fails in its middle.
    with going.ledger._write() as connection:
        broken = "CREATE TRIGGER away BEFORE INSERT ON ratings BEGIN SELECT RAISE(ABORT, 'gone'); END"
        connection.execute(text(broken))
    with pytest.raises(StoreError, match="nothing was changed"):
        going.rate(step, [0.4], seconds=5, answers={"helpful": 2})
    assert going.step(going.record()) == step
    with going.ledger._write() as connection:
        connection.execute(text("DROP TRIGGER away"))
    assert going.rate(step, [0.4], seconds=5, answers={"helpful": 2})
    assert [one.feedback for one in going.record().at("round-2")] == [0.4]
    for opened in site.opened:
        opened.close()


def test_an_export_while_people_take_part_is_of_one_moment(url: str, small: Corpus) -> None:
    """Exports made while four bots play hold whole rows only, each key once, and never fewer than the one before."""
    site = Site(url, small, made_study())
    found: list[int] = []
    playing = threading.Thread(target=run, args=(site.book, site.ledger, small, site.study, site.stored, 6))
    playing.start()
    while playing.is_alive():
        made = tables(site.book, site.study, site.stored)
        rated = [row for row in made.long if row["rating"] is not None]
        assert len({row["round_id"] for row in rated}) == len(rated)
        assert all(row["text"] and row["rated_at"] and row["seconds"] is not None for row in rated)
        assert sum(row["rounds_rated"] for row in made.wide) <= len(rated)
        found.append(len(rated))
    playing.join()
    assert found == sorted(found)


class Earlier(datetime):
    """A clock that has been set back by a day."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "Earlier":
        """Return yesterday."""
        return cls.fromtimestamp(time.time() - 86_400, tz)


def test_a_clock_set_back_changes_nothing(small: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are in the order in which they were written, and a negative reading time counts as none."""
    site = Site(f"sqlite:///{tmp_path / 'l.db'}", small, made_study())
    going, token = site.join()
    go_to(going, "round-1")
    step = going.step(going.record())
    monkeypatch.setattr(schema, "datetime", Earlier)
    going.show(step)
    going.rate(step, [0.5], seconds=-3600.0, answers={"helpful": 2})
    again = site.by(token)
    assert again.step(again.record()).name == "round-2"
    events = site.book.events(site.stored)
    assert events[-1]["at"] < events[0]["at"]
    sent = [event for event in events if event["kind"] == "sent"]
    assert [event["step"] for event in sent] == ["practice", "round-1"]
    assert sent[-1]["detail"]["seconds"] == 0.0
    [watched] = overview(site.study, site.book.records(site.stored), sent_by(events), datetime.now(UTC))
    assert (watched["state"], watched["step"], watched["ratings"]) == ("going on", "round-2", 2)
    rated = [row for row in tables(site.book, site.study, site.stored).long if row["rating"] is not None]
    assert [row["slot"] for row in rated] == ["practice", "round-1"]
    assert rated[1]["rated_at"] < rated[0]["rated_at"]
