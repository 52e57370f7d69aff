"""People in a study at once: each goes from consent to the completion code over Streamlit's own websocket protocol.

    python -m benchmarks.participants --people 30
    python -m benchmarks.participants --people 8 --rounds 60 --think 0.2 1 --kills 20

starts the application on the sample with the study of assets/study/example.toml. Everybody agrees, answers, practises,
and for each summary looks at it, moves the slider and sends. Printed last is

    participants: people N finished F kills K errors E lost L doubled D p95 S

With `--kills` the application is killed (kill -9) at random moments while people take part, and started again; each
person then opens their own link anew.

- An error is an exception on a page, a page that tells of trouble, an answer that does not come, a step that comes
  twice or is left out, another summary or other evidence after a kill, and, without `--kills`, a closed connection.
- Lost are ratings that a page acknowledged by going on and that the database lacks or has with another value.
- Doubled are ratings that the database has more than once.
- S are seconds from Send to the next step.
"""

import argparse
import asyncio
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import websockets

from benchmarks.load import FIRST_LIMIT, ROOT, Server, TroubleError, Visitor, corpus_for
from prefer_core.corpus import open_corpus
from prefer_core.store import Ledger, StudyBook
from prefer_core.study.definition import Study, parse
from prefer_core.study.participation import way

EXAMPLE = ROOT / "assets" / "study" / "example.toml"
PATIENCE = 900.0
"""Seconds after which a participant who was cut off again and again gives up."""
_KEY = re.compile(r"-(?:feedback|answer)-\d+-(\d+)-")
"""Where the id of a widget says at which place of the participant's way it stands."""


class Participant:
    """One browser without a screen: keeps its own link, and opens it again whenever it is cut off.

    Parameters
    ----------
    address : str
        Of the server's websocket.
    query : str
        The link: ``join=NAME`` or ``p=TOKEN``.
    think : (float, float)
        Seconds between which a summary is looked at.
    seed : int
        Of every rating, answer and pause.
    code : str
        The completion code, by which the end is known.
    headers : mapping of str to str, optional
        Sent when the connection is made, such as the cookie that a proxy knows a browser by.

    Attributes
    ----------
    acknowledged : dict of int to float
        Rating in [0, 1] by place of the participant's way, of which the page showed the next step.
    seconds : list of float
        From Send to the next step.
    cut_off : int
        How often the connection broke.
    errors : list of str
        Everything else that went wrong.
    """

    def __init__(
        self, address: str, query: str, think: tuple[float, float], seed: int, code: str,
        headers: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.link, self.finished, self.cut_off = query, False, 0
        self.acknowledged: dict[int, float] = {}
        self.seconds: list[float] = []
        self.errors: list[str] = []
        self._address, self._think, self._code, self._headers = address, think, code, dict(headers or {})
        self._rng = random.Random(seed)
        self._seen: dict[int, str] = {}
        self._sent: tuple[int, float] | None = None
        self._next = 0

    async def take_part(self) -> None:
        """Go on until the completion code is on the page."""
        deadline = time.monotonic() + PATIENCE
        while not self.finished and time.monotonic() < deadline:
            try:
                async with websockets.connect(
                    self._address, subprotocols=[websockets.Subprotocol("streamlit")], max_size=None,
                    ping_interval=None, additional_headers=self._headers,
                ) as socket:  # fmt: skip
                    visitor = Visitor(socket, "Study", self.link)
                    listening = asyncio.create_task(visitor.listen())
                    try:
                        await self._go_on(visitor)
                    finally:
                        listening.cancel()
            except (OSError, websockets.WebSocketException):
                self.cut_off += 1
            except TroubleError as trouble:
                if "connection closed" in str(trouble):
                    self.cut_off += 1
                else:
                    self.errors.append(str(trouble))
            if not self.finished:
                await asyncio.sleep(0.3)
        if not self.finished:
            self.errors.append(f"did not come to the end within {PATIENCE:.0f} s")

    async def _go_on(self, visitor: Visitor) -> None:
        await visitor.run(limit=FIRST_LIMIT)
        while True:
            if visitor.has("button", "I agree"):
                await visitor.run(visitor.button("I agree"))
                self.link = visitor.query
                continue
            if self._code in visitor.drawn:
                self.finished = True
                return
            place = _place(visitor)
            if place is None:
                raise TroubleError(f"a page without a step {visitor.told}")
            self._arrive(place)
            if visitor.has("slider", "How useful"):
                await self._rate(visitor, place)
            else:
                await self._answer(visitor)

    def _arrive(self, place: int) -> None:
        """Take in at which place the page stands: where it was, or one further by what was sent."""
        if place not in (self._next, self._next + 1):
            self.errors.append(f"stood at place {place}, expected {self._next}")
        if self._sent is not None and place > self._sent[0]:
            self.acknowledged[self._sent[0]] = self._sent[1]
            self._sent = None
        self._next = place

    async def _rate(self, visitor: Visitor, place: int) -> None:
        shown = "".join(part for part in visitor.drawn if 'class="p-' in part)
        if self._seen.setdefault(place, shown) != shown:
            self.errors.append(f"another summary or evidence at place {place}")
        await asyncio.sleep(self._rng.uniform(*self._think))
        for name, kind, _ in list(visitor.elements):
            if kind == "radio":
                self._choose(visitor, name)
        slider = visitor.slider()
        [start] = next(value.default for name, _, value in visitor.elements if name == slider)
        per_cent = self._rng.choice([value for value in range(101) if value != start])
        visitor.move(slider, float(per_cent))
        await visitor.run()
        # A rating that was under way when the server died may have been kept: then that one stands.
        self._sent = (place, per_cent / 100)
        self.seconds.append(await visitor.run(visitor.button("Send")))
        if _place(visitor) == place:
            raise TroubleError(f"a rating that was not taken {visitor.told}")

    async def _answer(self, visitor: Visitor) -> None:
        for name, kind, _ in list(visitor.elements):
            if kind == "radio":
                self._choose(visitor, name)
            elif kind == "text_area":
                visitor.move(name, "Fine \N{SLIGHTLY SMILING FACE}")
        await visitor.run(visitor.button("Go on"))

    def _choose(self, visitor: Visitor, name: str) -> None:
        options = next(value.options for known, _, value in visitor.elements if known == name)
        visitor.move(name, str(self._rng.choice(list(options))))


def _place(visitor: Visitor) -> int | None:
    """Return at which place of the way the page stands, or None where it shows no step."""
    found = [_KEY.search(name) for name, _, _ in visitor.elements]
    return next((int(match[1]) for match in found if match), None)


@dataclass
class Outcome:
    """What a study played by many came to."""

    people: int
    finished: int
    kills: int
    cut_off: int
    lost: int
    doubled: int
    ratings: int
    seconds: Sequence[float]
    errors: list[str] = field(default_factory=list)

    @property
    def p95(self) -> float:
        """Seconds from Send to the next step, of 95 in 100."""
        return float(np.quantile(self.seconds, 0.95)) if self.seconds else float("nan")

    def __str__(self) -> str:
        return (
            f"participants: people {self.people} finished {self.finished} kills {self.kills} errors {len(self.errors)} "
            f"lost {self.lost} doubled {self.doubled} p95 {self.p95:.3f}"
        )


async def play(server: Server, people: Sequence[Participant], kills: int, seed: int, apart: float, ratings: int) -> int:
    """Let people take part, arriving within `apart` seconds, and kill the server; return how often that was done.

    When a kill comes is drawn in ratings, since a fast machine is through with a study of so many `ratings` before
    drawn seconds are over.
    """

    async def later(place: int, one: Participant) -> None:
        await asyncio.sleep(apart * place / len(people))
        await one.take_part()

    going = [asyncio.create_task(later(place, one)) for place, one in enumerate(people)]
    killed, rng = 0, random.Random(seed)
    for after in sorted(rng.sample(range(1, 3 * ratings // 4), kills)):
        while sum(len(one.acknowledged) for one in people) < after and not all(task.done() for task in going):
            await asyncio.sleep(0.01)
        await asyncio.sleep(rng.uniform(0.0, 0.3))
        if all(task.done() for task in going):
            break
        server.kill()
        killed += 1
        await asyncio.to_thread(server.start)
    await asyncio.gather(*going)
    return killed


def judge(url: str, study: Study, people: Sequence[Participant], kills: int) -> Outcome:
    """Compare what people were told with what the database has."""
    book, ledger = StudyBook(url), Ledger(url)
    lost = placed = 0
    errors = [f"participant {i}: {error}" for i, one in enumerate(people) for error in one.errors]
    for one in people:
        if not one.link.startswith("p="):
            continue  # never came as far as a link of their own, which is among the errors
        record = book.record(book.participant(one.link.removeprefix("p=")))
        steps = way(study, record)
        for place, value in one.acknowledged.items():
            lost += _kept(record, steps[place].name) != [value]
        placed += len({(each.slot, each.side) for each in record.placed if each.feedback is not None})
        if one.finished and any(_kept(record, step.name) in ([], [None]) for step in steps if step.kind == "round"):
            errors.append(f"{record.participant.pseudonym} finished without having rated everything")
    ratings = ledger.counts()["ratings"]
    book.close()
    ledger.close()
    return Outcome(
        people=len(people), finished=sum(one.finished for one in people), kills=kills,
        cut_off=sum(one.cut_off for one in people), lost=lost, doubled=ratings - placed, ratings=ratings,
        seconds=[second for one in people for second in one.seconds],
        errors=errors + ([] if kills else ["a closed connection" for one in people for _ in range(one.cut_off)]),
    )  # fmt: skip


def _kept(record: Any, slot: str) -> list[float | None]:
    """Return the ratings that a slot has, from left to right; those of a repeat are answers."""
    if slot in record.answers:
        return list(record.answers[slot]["values"])
    return [one.feedback for one in record.at(slot)]


def main() -> int:
    """Run the command line; return 1 unless everybody finished and nothing was lost, doubled or wrong."""
    args = argparse.ArgumentParser(prog="python -m benchmarks.participants", description=__doc__.splitlines()[0])
    args.add_argument("--people", type=int, default=30, metavar="N", help="participants at once (%(default)s)")
    args.add_argument("--rounds", type=int, default=10, metavar="N", help="rounds of the study (%(default)s)")
    args.add_argument(
        "--think", type=float, nargs=2, default=(3.0, 7.0), metavar="S", help="seconds at a summary, from to (3 7)"
    )
    args.add_argument("--kills", type=int, default=0, metavar="N", help="kill the application so often (%(default)s)")
    args.add_argument("--seed", type=int, default=0, metavar="N", help="of kills, ratings and pauses (%(default)s)")
    args.add_argument("--corpus", metavar="DIR", help="corpus folder (the sample, built if need be)")
    args.add_argument("--database", metavar="URL", help="an empty database (SQLite in a folder of its own)")
    options = args.parse_args()
    with tempfile.TemporaryDirectory(prefix="prefer-participants-") as folder:
        home = Path(folder)
        corpus = corpus_for(options.corpus, home)
        text = EXAMPLE.read_text(encoding="utf-8").replace("rounds = 10", f"rounds = {options.rounds}")
        url = options.database or f"sqlite:///{home / 'ledger.db'}"
        study, book = parse(text), StudyBook(url)
        study.fit(open_corpus(corpus))
        stored = book.keep(study.about.name, text, study.digest, open_corpus(corpus).id, options.people)
        # Who is killed before their own link is in their address would begin anew by the link for all.
        links = [f"p={token}" for token in book.invite(stored, options.people)] if options.kills else []
        book.close()
        server = Server(corpus, home, PREFER_DATABASE_URL=url)
        people = [
            Participant(
                server.address, links[i] if links else f"join={stored.name}", tuple(options.think),
                seed=1000 * options.seed + i, code=study.about.completion_code,
            )
            for i in range(options.people)
        ]  # fmt: skip
        try:
            server.start()
            # As many seconds as one thinks at most: people do not come at the same moment, but they are there at once.
            killed = asyncio.run(
                play(server, people, options.kills, options.seed, max(options.think), options.people * options.rounds)
            )
            log = server.log.read_text("utf-8", "replace")
        finally:
            server.stop()
        found = judge(url, study, people, killed)
    if "Traceback" in log:
        found.errors.append("the server's log has a traceback")
        print(log[log.index("Traceback") :][:2000])
    for error in found.errors[:10]:
        print(error)
    half = float(np.median(found.seconds)) if found.seconds else float("nan")
    print(
        f"{found.ratings} ratings, p50 {half:.3f} s, longest {max(found.seconds, default=float('nan')):.3f} s, "
        f"{found.cut_off} connections broken or refused; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    print(found)
    complete = found.finished == found.people and killed == options.kills
    return 0 if complete and not (found.errors or found.lost or found.doubled) else 1


if __name__ == "__main__":
    sys.exit(main())
