"""The app server is killed while people take part: what it acknowledged is there, once, and everyone goes on."""

import asyncio
from pathlib import Path

import pytest

from benchmarks.load import Server
from benchmarks.participants import Participant, judge, play
from prefer_core.corpus import Corpus
from prefer_core.store import StudyBook
from prefer_core.study.definition import parse

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


@pytest.mark.parametrize(("kills", "rounds"), [(2, 12), pytest.param(20, 120, marks=pytest.mark.slow)])
def test_a_server_killed_at_random_moments_loses_no_rating(
    kills: int, rounds: int, small: Corpus, tmp_path: Path
) -> None:
    """Each acknowledged rating is kept once with its value; after a kill the same step, evidence and text return."""
    url, text = f"sqlite:///{tmp_path / 'ledger.db'}", DEFINITION.format(rounds=rounds)
    study, book = parse(text), StudyBook(url)
    stored = book.keep("killed", text, study.digest, small.id, PEOPLE)
    server = Server(small.path, tmp_path, PREFER_DATABASE_URL=url)
    people = [
        Participant(server.address, f"p={token}", think=(0.1, 0.5), seed=number, code="C-9")
        for number, token in enumerate(book.invite(stored, PEOPLE))
    ]
    try:
        server.start()
        killed = asyncio.run(play(server, people, kills, seed=kills, apart=1.0))
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
