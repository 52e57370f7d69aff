"""Facts about an audience: a hundred may press at once, nothing else gets in, and each is learned about alone."""

import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prefer_core import session as core
from prefer_core.config import PRESETS
from prefer_core.stage.crowd import MOST_PHONES, Crowd, OnScreen, learned
from prefer_core.store import Ledger, Session, StoredRound
from prefer_core.store.ledger import proposer
from prefer_core.types import ProductCorpus
from tests.ports import free_port
from tests.shelf import Shelf

SETTINGS = PRESETS["person"]


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """An empty ledger."""
    return Ledger(f"sqlite:///{tmp_path / 'ledger.db'}")


@pytest.fixture
def stage(ledger: Ledger, make_product: Callable[..., ProductCorpus]) -> tuple[Session, StoredRound]:
    """Return a session of the stage with its first round."""
    shelf = Shelf(make_product(n=60))
    session, _ = ledger.start("corpus", 5, SETTINGS, seed=3, who="stage")
    return session, ledger.open(session, "P", proposer(shelf, "P", SETTINGS))


@pytest.fixture
def crowd(ledger: Ledger, stage: tuple[Session, StoredRound]) -> Iterator[Crowd]:
    """Return a crowd that rates the first round."""
    made = Crowd(ledger, "<title>Rate along</title>", free_port())
    made.show(OnScreen(stage[0].id, stage[1].number, "Scrub & <co>", 'It smells of "coconut".'))
    yield made
    made.close()


def ask(address: str, body: Any = None) -> tuple[int, bytes]:
    """Return status and content of a request."""
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(address, data), timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, b""


def test_a_hundred_phones_open_the_link_and_rate_at_once(
    ledger: Ledger, crowd: Crowd, stage: tuple[Session, StoredRound]
) -> None:
    """Every page comes, every rating is kept, and the screen finds them with one question."""
    link = crowd.link("127.0.0.1")
    now = json.loads(ask(f"{link}/now")[1])
    assert (now["title"], now["text"]) == ("Scrub & <co>", 'It smells of "coconut".')

    def take_part(i: int) -> tuple[int, int, int]:
        page, _ = ask(link)
        first, _ = ask(f"{link}/rate", {"phone": f"phone{i:04d}", "round": now["round"], "value": 1})
        again, _ = ask(f"{link}/rate", {"phone": f"phone{i:04d}", "round": now["round"], "value": i})
        return page, first, again

    with ThreadPoolExecutor(100) as people:
        answers = list(people.map(take_part, range(100)))
    assert answers == [(200, 200, 200)] * 100
    rated = ledger.crowd(stage[0])
    assert {phone: one[stage[1].number] for phone, one in rated.items()} == {
        f"phone{i:04d}": i / 100 for i in range(100)
    }
    _, counts = ledger.erase(stage[0])
    assert counts["crowd_ratings"] == 100
    assert crowd.rate({"phone": "phone0001", "round": now["round"], "value": 5}) == HTTPStatus.SERVICE_UNAVAILABLE


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"phone": "phone0001", "value": 101}, 400), ({"phone": "phone0001", "value": True}, 400),
        ({"phone": "phone0001", "value": 0.5}, 400), ({"phone": "a' OR 1", "value": 5}, 400),
        ({"value": 5}, 400), ([], 400), ({"phone": "phone0001", "value": 5, "round": "1-99"}, 409),
        ({"phone": "x" * 500, "value": 5}, 400),
    ],
)  # fmt: skip
def test_what_is_no_rating_is_refused(
    ledger: Ledger, crowd: Crowd, stage: tuple[Session, StoredRound], given: Any, status: int
) -> None:
    """Nothing of it reaches the ledger; a rating of a summary that has left the screen is told so."""
    body = {"round": crowd.now()["round"]} | given if isinstance(given, dict) else given
    assert ask(f"{crowd.link('127.0.0.1')}/rate", body)[0] == status
    assert ledger.crowd(stage[0]) == {}


def test_only_the_link_opens_anything(ledger: Ledger, crowd: Crowd, stage: tuple[Session, StoredRound]) -> None:
    """Without the code there is nothing; with nothing on the screen phones wait; the number of phones has an end."""
    link = crowd.link("127.0.0.1")
    for path in ("/", "/etc/passwd", f"/{crowd.code}/../now", f"/{crowd.code}/rate"):
        assert ask(f"http://127.0.0.1:{crowd.port}{path}")[0] == 404
    ready = {"phone": "phone0001", "round": crowd.now()["round"], "value": 5}
    crowd._phones = {str(i) for i in range(MOST_PHONES)}
    assert crowd.rate(ready) == HTTPStatus.TOO_MANY_REQUESTS
    crowd.show(None)
    assert json.loads(ask(f"{link}/now")[1]) == {"round": None}
    assert crowd.rate(ready) == HTTPStatus.CONFLICT


def test_each_person_is_learned_about_alone(ledger: Ledger, stage: tuple[Session, StoredRound]) -> None:
    """The crowd's w is the mean of the w that a replay gives for each phone; the spread lies around it."""
    session, shown = stage
    for i, value in enumerate((0.9, 0.1, 0.5, 0.8)):
        ledger.rate_in_crowd(session.id, shown.number, f"phone{i:04d}", value)
    found = learned(session, shown.number, ledger.profiles(session), ledger.crowd(session))
    alone = [core.replay(5, session.seed, SETTINGS, [(shown.z, value)]).state.w for value in (0.9, 0.1, 0.5, 0.8)]
    np.testing.assert_allclose(found.w, np.mean(alone, axis=0), rtol=0, atol=1e-12)
    assert (found.phones, found.voted) == (4, 4)
    assert found.mean_rating == pytest.approx(0.575)
    assert np.all(found.low <= found.w + 1e-12)
    assert np.all(found.w <= found.high + 1e-12)
    nobody = learned(session, shown.number, {}, {})
    assert (nobody.phones, nobody.mean_rating) == (0, None)
    np.testing.assert_allclose(nobody.w, 0.2)
