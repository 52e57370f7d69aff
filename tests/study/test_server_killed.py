"""The app server is killed while people take part: what it acknowledged is there, once, and everyone goes on."""

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from benchmarks.load import Server
from benchmarks.participants import Participant, judge, play
from prefer_core.corpus import Corpus
from prefer_core.store import StudyBook
from prefer_core.store.schema import ratings
from prefer_core.study.definition import parse
from tests.study.conftest import Site, go_to, made_study

PEOPLE = 4
DEFINITION = """
[study]
name = "killed"
title = "Killed"
corpus = "small"
rounds = {rounds}
participants = 4
consent = "Do you agree?"
completion_code = "C-9"

[products]
in_a_row = 30

[[arms]]
name = "learns"

[[arms]]
name = "generic"
learner = "static"

[quality]
repeats = 1

[[each_round]]
name = "helpful"
text = "Helpful?"

[[after]]
name = "remarks"
text = "Anything?"
kind = "text"
"""


@pytest.mark.slow
def test_a_server_killed_at_random_moments_loses_no_rating(small: Corpus, tmp_path: Path) -> None:
    """Each acknowledged rating is kept once with its value; after a kill the same step, evidence and text return.

    ``python -m benchmarks.participants --kills 20`` does it twenty times.
    """
    kills, rounds = 2, 12
    url, definition = f"sqlite:///{tmp_path / 'ledger.db'}", DEFINITION.format(rounds=rounds)
    study, book = parse(definition), StudyBook(url)
    stored = book.keep("killed", definition, study.digest, small.id, PEOPLE)
    server = Server(small.path, tmp_path, PREFER_DATABASE_URL=url)
    people = [
        Participant(server.address, f"p={token}", think=(0.1, 0.5), seed=number, code="C-9")
        for number, token in enumerate(book.invite(stored, PEOPLE))
    ]
    try:
        server.start()
        killed = asyncio.run(play(server, people, kills, seed=kills, apart=1.0, ratings=PEOPLE * rounds))
        assert "Traceback" not in server.log.read_text("utf-8")
    finally:
        server.stop()
    found = judge(url, study, people, killed)
    records = book.records(stored)
    book.close()
    assert killed == kills, "the study was over before the last kill"
    assert found.cut_off >= kills
    assert (found.errors, found.lost, found.doubled, found.finished) == ([], 0, 0, PEOPLE)
    assert sum(len(one.acknowledged) for one in people) > PEOPLE * rounds / 2
    for record in records:
        assert sorted(record.answers) == ["after", "completed", "consent", "repeat-1"]
        assert [one.slot for one in record.placed] == ["practice", *(f"round-{i}" for i in range(1, rounds + 1))]
        assert None not in [one.feedback for one in record.placed]


def test_what_was_lost_or_doubled_is_found(small: Corpus, tmp_path: Path) -> None:
    """Lost is a rating that was acknowledged and is not there, or with another value; doubled is one too many."""
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    site = Site(url, small, made_study())
    going, token = site.join()
    go_to(going, "round-2")
    told = Participant("", f"p={token}", think=(0.0, 0.0), seed=0, code="C-1")
    names = [step.name for step in going.way(going.record())]
    told.acknowledged = {names.index("practice"): 0.7, names.index("round-1"): 0.7}
    found = judge(url, site.study, [told], kills=1)
    assert (found.lost, found.doubled, found.ratings, found.errors) == (0, 0, 2, [])
    told.acknowledged |= {names.index("round-1"): 0.8, names.index("round-2"): 0.7}
    [placed] = going.record().at("round-1")
    with site.ledger._write() as connection:
        rated = select(ratings).where(ratings.c.session_id == placed.session_id, ratings.c.round == placed.round)
        row = dict(connection.execute(rated).mappings().one())
        connection.execute(insert(ratings).values(row | {"id": None, "attempt": row["attempt"] + 1}))
    told.finished = True
    found = judge(url, site.study, [told], kills=0)
    assert (found.lost, found.doubled, found.ratings) == (2, 1, 3)
    [error] = found.errors
    assert "without having rated everything" in error
    for opened in site.opened:
        opened.close()
