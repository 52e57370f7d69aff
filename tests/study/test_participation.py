"""Facts about taking part: nothing is lost or counted twice, and nobody goes on as another."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from prefer_core.corpus import Corpus
from prefer_core.errors import DataError, RefusedError, StoreError
from prefer_core.store.codes import participant_code
from prefer_core.study.simulate import run
from tests.study.conftest import Site, go_to, made_study


@pytest.fixture
def site(url: str, small: Corpus) -> Site:
    """An open study on either database."""
    return Site(url, small, made_study())


def test_the_way_leads_from_consent_to_the_end(site: Site) -> None:
    """Every step comes once and in order, and the end is kept."""
    going, _ = site.join()
    names = []
    while (step := going.step(going.record())).name != "done":
        names.append(step.name)
        go_to(going, going.way(going.record())[len(names)].name if step.kind != "consent" else "before")
    assert names == [
        "consent", "before", "practice", "round-1", "round-2", "attention-1", "round-3", "round-4", "repeat-1", "after",
    ]  # fmt: skip
    assert going.finish()
    assert not going.finish()
    assert going.progress(going.record()) == 1.0


def test_the_link_goes_on_where_it_was_on_any_server(site: Site) -> None:
    """Another process sees the same step, evidence and text, and goes on."""
    going, token = site.join()
    go_to(going, "round-3")
    step = going.step(going.record())
    [before] = going.show(step)
    again = site.by(token)
    assert again.step(again.record()) == step
    [after] = again.show(step)
    assert after.stored.number == before.stored.number
    assert after.stored.evidence == before.stored.evidence
    assert after.text == before.text
    assert before.text is not None
    again.rate(step, [0.4], seconds=5, answers={"helpful": 2})
    assert going.step(going.record()).name == "round-4"


def test_a_round_counts_once(site: Site) -> None:
    """Sending twice, or from many threads at once, leaves the first rating."""
    going, token = site.join()
    go_to(going, "round-2")
    step = going.step(going.record())
    going.show(step)
    barrier = threading.Barrier(6)

    def send(i: int) -> bool:
        mine = site.by(token)
        barrier.wait()
        return mine.rate(step, [i / 10], seconds=5, answers={"helpful": 2})

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(send, range(6))) == 1
    assert not going.rate(step, [1.0], seconds=5, answers={"helpful": 2})
    record = going.record()
    assert len([one for one in record.placed if one.slot == "round-2"]) == 1
    assert len(site.ledger.record_of(record.sessions[record.participant.plan[2]["arms"][0]]).rated) == 2  # type: ignore[index]


def test_a_crash_between_the_sides_of_a_pair_loses_nothing(url: str, small: Corpus) -> None:
    """With one side rated the round is still open; sending again rates the other side and keeps the first."""
    site = Site(url, small, made_study("pairs"))
    going, token = site.join()
    go_to(going, "round-2")
    step = going.step(going.record())
    left, right = going.show(step)
    assert left.text is not None
    site.ledger.rate(left.session, left.stored.number, 0.9, shown=left.text.to_dict(), source="template")
    again = site.by(token)
    assert again.step(again.record()) == step
    assert [one.stored.number for one in again.show(step)] == [left.stored.number, right.stored.number]
    assert again.rate(step, [0.1, 0.2], seconds=5, answers={"helpful": 2})
    assert [one.feedback for one in again.record().at("round-2")] == [0.9, 0.2]


def test_only_the_learners_arm_learns(url: str, small: Corpus) -> None:
    """In blind pairs the generic arm's preference stays even, and so does that of practice."""
    site = Site(url, small, made_study("pairs"))
    going, _ = site.join()
    go_to(going, "after")
    states = {arm: site.ledger.record_of(session).state for arm, session in going.record().sessions.items()}
    assert {arm: len(set(state.w.round(9))) > 1 for arm, state in states.items()} == {
        "learns": True, "generic": False, "practice:learns": False, "practice:generic": False,
    }  # fmt: skip


def test_only_the_tab_opened_last_may_send(site: Site) -> None:
    """The earlier tab is told, and nothing is counted."""
    going, token = site.join()
    go_to(going, "round-1")
    step = going.step(going.record())
    going.show(step)
    site.book.take_tab(going.participant, "one")
    site.by(token).book.take_tab(going.participant, "two")
    with pytest.raises(StoreError, match="another tab"):
        going.rate(step, [0.5], seconds=5, answers={"helpful": 2}, tab="one")
    assert going.rate(step, [0.5], seconds=5, answers={"helpful": 2}, tab="two")


def test_withdrawing_leaves_nothing_that_was_said(site: Site) -> None:
    """Sessions, ratings and answers are gone, the place in the balance stays, and others keep theirs."""
    other, _ = site.join()
    go_to(other, "done")
    going, token = site.join("p-07")
    go_to(going, "round-3")
    held = site.ledger.counts()
    going.withdraw()
    assert site.by(token).step(site.by(token).record()).kind == "withdrawn"
    record = going.record()
    assert (record.sessions, record.placed, list(record.answers)) == ({}, [], ["withdrawn"])
    assert record.participant.code is None
    assert site.ledger.counts()["ratings"] == held["ratings"] - 3
    assert [one.number for one in site.book.participants(site.stored)] == [0, 1]
    assert other.step(other.record()).name == "done"


def test_a_paused_or_closed_study_takes_nothing_and_loses_nothing(site: Site) -> None:
    """Steps are refused in words; after reopening the way goes on."""
    going, _ = site.join()
    go_to(going, "round-1")
    step = going.step(going.record())
    going.show(step)
    site.book.set_status(site.stored, "paused")
    with pytest.raises(StoreError, match="paused"):
        going.rate(step, [0.5], seconds=5, answers={"helpful": 2})
    with pytest.raises(StoreError, match="paused"):
        site.join()[0].agree()
    site.book.set_status(site.stored, "open")
    assert going.rate(step, [0.5], seconds=5, answers={"helpful": 2})


def test_a_definition_is_frozen_by_the_first_participant(site: Site) -> None:
    """Before that it can be replaced, afterwards the same one only."""
    kept = ("tiny", "[study] # new", "digest", site.corpus.id, 5)
    assert site.book.keep(*kept).definition == "[study] # new"
    site.join()[0].agree()
    assert site.book.keep(*kept).frozen_at is not None
    with pytest.raises(StoreError, match="frozen"):
        site.book.keep("tiny", "[study]", "another", site.corpus.id, 5)


def test_places_run_out_and_can_be_added(site: Site) -> None:
    """Who comes too late is told; links that nobody opened take no place."""
    site.book.extend(site.stored, 1)
    site.book.invite(site.stored, 10)
    site.join()[0].agree()
    late, _ = site.join()
    with pytest.raises(StoreError, match="places"):
        late.agree()
    site.book.extend(site.stored, 2)
    late.agree()
    assert late.participant.number == 1


def test_a_code_is_one_person_and_no_address() -> None:
    """Spellings of one code are one; an e-mail address is refused with the reason."""
    assert {participant_code(typed) for typed in ("P-07", "p-07 ", " ｐ-07")} == {"p-07"}
    with pytest.raises(RefusedError, match="e-mail"):
        participant_code("anna@example.org")
    with pytest.raises(RefusedError, match="1 to 64"):
        participant_code("  ")


def test_a_used_code_is_refused(site: Site) -> None:
    """Nobody goes on as another by knowing the code; who was turned away before beginning may come again."""
    site.join("p-07")
    site.join("p-07")[0].agree()
    with pytest.raises(StoreError, match="used already"):
        site.join("p-07")


def test_bad_answers_are_refused_with_the_question(site: Site) -> None:
    """A missing answer and one that was not offered are told; nothing is kept."""
    going, _ = site.join()
    go_to(going, "before")
    step = going.step(going.record())
    with pytest.raises(DataError, match="How old"):
        going.answer(step, {})
    with pytest.raises(DataError, match="no answer"):
        going.answer(step, {"age": "middle"})
    assert going.step(going.record()) == step


@pytest.mark.slow
def test_many_at_once(url: str, small: Corpus) -> None:
    """Thirty participants, eight at a time: every number once, arms even, every rating there once."""
    site = Site(url, small, made_study(rounds=4))
    run(site.book, site.ledger, small, site.study, site.stored, 30, workers=8)
    records = site.book.records(site.stored)
    assert [record.participant.number for record in records] == list(range(30))
    assert set(Counter(record.participant.cell for record in records).values()) == {15}
    for record in records:
        assert "completed" in record.answers
        assert sorted(one.slot for one in record.placed if one.feedback is not None) == [
            "practice", "round-1", "round-2", "round-3", "round-4",
        ]  # fmt: skip
