"""Many readers at once: real sessions over Streamlit's own websocket protocol, each rating every few seconds.

    python -m benchmarks.load --sessions 20 --seconds 180

starts the application on a corpus (the sample, built if need be) with a ledger of its own and without a language model,
opens the sessions, lets each look, move the slider and rate, and prints last

    load: sessions N errors E lost L p95 S

where an error is an exception on a page, a closed connection or an answer that does not come, lost are ratings that a
page confirmed and the ledger lacks, and S are seconds from Rate to the next summary. There are no browsers, which would
be what is measured; files that a browser fetches once are not part of it.
"""

import argparse
import asyncio
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import websockets
from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from prefer_core.store import Ledger

ROOT = Path(__file__).resolve().parents[1]
PAGE = "Rate_summaries"
MOVED = [value for value in range(101) if value != 50]
"""Where a visitor moves the slider to: not to where it begins, since an untouched one rates nothing."""
THINK = (3.0, 7.0)
"""Seconds that a reader looks at a summary before moving the slider; evenly spread."""
KEPT_RUNS = 2
"""Whole runs of a page for which a browser keeps a message that none of them used (`global.maxCachedMessageAge`)."""
LIMIT, FIRST_LIMIT = 60.0, 300.0
"""Seconds after which an answer does not come any more; the first of all waits for every import."""


class TroubleError(Exception):
    """What went wrong in a session, in words."""


@dataclass
class Tally:
    """What all sessions saw."""

    rated: list[float] = field(default_factory=list)
    moved: list[float] = field(default_factory=list)
    opened: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Visitor:
    """One tab: keeps what the page shows, and sends what a browser would send."""

    def __init__(self, socket_: websockets.ClientConnection, page: str = PAGE, query: str = "") -> None:
        self._socket = socket_
        self._elements: dict[str, tuple[str, Any, str]] = {}
        """Kind, message and fragment of each element, by its id."""
        self._known: dict[str, tuple[ForwardMsg, int]] = {}
        """The messages that are kept, with the whole run that used them last, by their hashes."""
        self._runs = 0
        self._values: dict[str, float | str] = {}
        self._page = ClientState(page_name=page, query_string=query)
        self._timers: set[asyncio.Task[None]] = set()
        self.finished = asyncio.Event()
        self.troubles: list[str] = []
        self.alerts: list[str] = []
        self.told = ""
        self._drawn: list[tuple[str, str]] = []

    @property
    def query(self) -> str:
        """What stands in the address behind the question mark."""
        return self._page.query_string

    @property
    def elements(self) -> Iterator[tuple[str, str, Any]]:
        """The widgets on the page: id, kind, and what the server sent of each."""
        for name, (kind, value, _) in self._elements.items():
            yield name, kind, value

    @property
    def drawn(self) -> list[str]:
        """The texts of HTML and code on the page."""
        return [text for _, text in self._drawn]

    async def listen(self) -> None:
        """Take in what the server sends until the connection closes."""
        try:
            await self._listen()
        finally:
            self.troubles.append("the connection closed")
            self.finished.set()

    async def _listen(self) -> None:
        async for data in self._socket:
            message = ForwardMsg()
            message.ParseFromString(data if isinstance(data, bytes) else data.encode())
            if message.WhichOneof("type") == "ref_hash":
                cached, _ = self._known[message.ref_hash]
                self._known[message.ref_hash] = cached, self._runs
                whole = ForwardMsg()
                whole.CopyFrom(cached)
                whole.metadata.delta_path[:] = message.metadata.delta_path
                message = whole
            elif message.metadata.cacheable:
                self._known[message.hash] = message, self._runs
            self._take(message)

    def _take(self, message: ForwardMsg) -> None:
        kind, part = message.WhichOneof("type"), set(message.metadata.run.fragment_ids)
        if kind == "new_session":
            self._begin(part)
        elif kind == "navigation":
            self._page.page_script_hash = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self._page.query_string = message.page_info_changed.query_string
        elif kind == "auto_rerun":
            timer = asyncio.create_task(self._poll(message.auto_rerun.fragment_id, message.auto_rerun.interval))
            self._timers.add(timer)
            timer.add_done_callback(self._timers.discard)
        elif kind == "script_finished":
            if message.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                self.troubles.append("a page that does not compile")
            if message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                self._end(part)
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self._draw(message.delta.new_element, message.delta.fragment_id)

    def _begin(self, part: set[str]) -> None:
        """Let go of what a run draws again: all, or the fragments in `part`."""
        self._elements = {name: one for name, one in self._elements.items() if part and one[2] not in part}
        self._drawn = [(one, text) for one, text in self._drawn if part and one not in part]
        for timer in () if part else self._timers:
            timer.cancel()

    def _end(self, part: set[str]) -> None:
        """After a whole run, let go of messages that no run used lately."""
        if not part:
            self._runs += 1
            self._known = {name: one for name, one in self._known.items() if one[1] + KEPT_RUNS >= self._runs}
        self.finished.set()

    def _draw(self, element: Element, fragment: str) -> None:
        name = element.WhichOneof("type")
        if name == "exception":
            self.troubles.append(f"{element.exception.type}: {element.exception.message}")
        elif name == "alert":
            self.told = element.alert.body
            if element.alert.format == Alert.ERROR:
                self.alerts.append(self.told)
        elif name == "html":
            self._drawn.append((fragment, element.html.body))
        elif name == "code":
            self._drawn.append((fragment, element.code.code_text))
        elif name is not None:
            drawn = getattr(element, name)
            if getattr(drawn, "id", ""):
                self._elements[drawn.id] = (str(name), drawn, fragment)

    async def _poll(self, fragment: str, interval: float) -> None:
        while True:
            await asyncio.sleep(interval)
            await self._send(ClientState(fragment_id=fragment, is_auto_rerun=True))

    async def run(self, touched: str | None = None, limit: float = LIMIT) -> float:
        """Have the page run after a widget was touched, or at first; return the seconds until what runs is whole.

        As in a browser, a widget in a fragment has only that fragment run, unless the server decides otherwise.
        """
        self.finished.clear()
        begun = time.perf_counter()
        kind, _, fragment = self._elements[touched] if touched is not None else ("", None, "")
        await self._send(ClientState(fragment_id=fragment), touched if kind == "button" else None)
        try:
            await asyncio.wait_for(self.finished.wait(), limit)
        except TimeoutError:
            raise TroubleError(f"no answer within {limit:.0f} s") from None
        if self.troubles or self.alerts:
            raise TroubleError((self.troubles or self.alerts).pop())
        return time.perf_counter() - begun

    async def _send(self, asked: ClientState, pressed: str | None = None) -> None:
        state = ClientState()
        state.CopyFrom(self._page)
        state.MergeFrom(asked)
        for name, value in self._values.items():
            if name in self._elements:
                widget = WidgetState(id=name)
                if isinstance(value, str):
                    widget.string_value = value
                else:
                    widget.double_array_value.data.append(value)
                state.widget_states.widgets.append(widget)
        if pressed is not None:
            state.widget_states.widgets.append(WidgetState(id=pressed, trigger_value=True))
        state.cached_message_hashes.extend(self._known)
        await self._socket.send(BackMsg(rerun_script=state).SerializeToString())

    def button(self, label: str) -> str:
        """Return the id of the button with a label."""
        for name, kind, value in self.elements:
            if kind == "button" and value.label.startswith(label):
                return name
        raise TroubleError(f"there is no button {label!r}")

    def has(self, kind: str, label: str) -> bool:
        """Whether the page shows a widget of a kind whose label begins so."""
        return any(one == kind and value.label.startswith(label) for _, one, value in self.elements)

    def slider(self) -> str:
        """Return the id of the slider that rates."""
        for name, kind, value in self.elements:
            if kind == "slider" and "useful" in value.label:
                return name
        raise TroubleError("there is no slider that rates")

    def move(self, widget: str, value: float | str) -> None:
        """Put a slider somewhere, or choose or write the answer to a question."""
        self._values[widget] = value


async def visit(address: str, until: float, tally: Tally, seed: int, limit: float = LIMIT) -> None:
    """Open the rating page, start as a visitor, rate once and go on until the time is over."""
    rng = random.Random(seed)
    try:
        async with websockets.connect(
            address, subprotocols=[websockets.Subprotocol("streamlit")], max_size=None, ping_interval=None
        ) as socket_:
            visitor = Visitor(socket_)
            listening = asyncio.create_task(visitor.listen())
            try:
                tally.opened.append(await visitor.run(limit=limit))
                tally.opened.append(await visitor.run(visitor.button("Start as a visitor")))
                await _rate(visitor, tally, rng)
                while time.monotonic() < until:
                    await _rate(visitor, tally, rng)
            finally:
                listening.cancel()
    except (TroubleError, OSError, websockets.WebSocketException) as trouble:
        tally.errors.append(f"session {seed}: {trouble or type(trouble).__name__}")


async def _rate(visitor: Visitor, tally: Tally, rng: random.Random) -> None:
    await asyncio.sleep(rng.uniform(*THINK))
    slider = visitor.slider()
    visitor.move(slider, float(rng.choice(MOVED)))
    tally.moved.append(await visitor.run(slider))
    await asyncio.sleep(rng.uniform(0.3, 1.0))
    seconds = await visitor.run(visitor.button("Rate"))
    if visitor.slider() == slider:
        raise TroubleError(f"a rating that brought no next summary {visitor.told}")
    tally.rated.append(seconds)


class Server:
    """The application on a port of its own and without a language model; it can be killed and started again."""

    def __init__(self, corpus: Path, home: Path, **settings: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.address = f"ws://127.0.0.1:{self.port}/_stcore/stream"
        self.log = home / f"server-{self.port}.log"
        self._environment = {
            **os.environ, "PREFER_HOME": str(home), "PREFER_CORPUS": str(corpus), "PREFER_MODEL": "none", **settings,
        }  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process(self) -> psutil.Process:
        """Return the running process."""
        assert self._process is not None
        return psutil.Process(self._process.pid)

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "--server.port", str(self.port)], cwd=ROOT, env=self._environment, stdout=log, stderr=log
            )
        for _ in range(240):
            if self._process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/_stcore/health", timeout=2):
                    return
            except OSError:
                time.sleep(0.5)
        raise SystemExit(f"load: the application did not start\n{self.log.read_text('utf-8')}")

    def kill(self) -> None:
        """End it in the middle of whatever it does: kill -9."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """Ask it to end; kill it if it does not."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()


@contextmanager
def application(corpus: Path, home: Path, **settings: str) -> Iterator[Server]:
    """Run the application; environment variables may be set."""
    server = Server(corpus, home, **settings)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def corpus_for(folder: str | None, home: Path) -> Path:
    """Return a corpus folder by its name; the sample, built in `home`, where none is named."""
    if folder:
        return Path(folder).resolve()
    built = home / "sample"
    command = [sys.executable, "precompute.py", "--source", "sample", "--out", str(built), "--aspects", "8"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return built


async def drive(address: str, process: psutil.Process, sessions: int, seconds: float) -> tuple[Tally, float, float]:
    """Warm the server with one visit, then let all in; return the tally, processor seconds and MiB a session."""
    warm = Tally()
    await visit(address, 0.0, warm, -1, FIRST_LIMIT)
    if warm.errors:
        raise SystemExit(f"load: {warm.errors[0]}")
    assert len(warm.rated) == 1
    before, spent = process.memory_info().rss, sum(process.cpu_times()[:2])
    tally, until = Tally(), time.monotonic() + seconds
    # People do not arrive in the same second.
    arrivals = np.linspace(0, min(20.0, seconds / 4), sessions)

    async def later(number: int) -> None:
        await asyncio.sleep(arrivals[number])
        await visit(address, until, tally, number)

    await asyncio.gather(*(later(number) for number in range(sessions)))
    spent = sum(process.cpu_times()[:2]) - spent
    return tally, spent, (process.memory_info().rss - before) / 2**20 / sessions


def main() -> int:
    """Run the command line; return 1 where there was an error or a lost rating."""
    args = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__.splitlines()[0])
    args.add_argument("--sessions", type=int, default=20, metavar="N", help="readers at once (%(default)s)")
    args.add_argument("--seconds", type=float, default=180, metavar="S", help="how long they rate (%(default)s)")
    args.add_argument("--corpus", metavar="DIR", help="corpus folder (the sample, built if need be)")
    options = args.parse_args()
    with tempfile.TemporaryDirectory(prefix="prefer-load-") as folder:
        home = Path(folder)
        with application(corpus_for(options.corpus, home), home) as server:
            print(f"process {server.process.pid}, {server.address}", flush=True)
            tally, spent, memory = asyncio.run(drive(server.address, server.process, options.sessions, options.seconds))
        kept = Ledger(f"sqlite:///{home / 'ledger.db'}").counts()["ratings"]
    lost = max(0, 1 + len(tally.rated) - kept)  # one of the visit that warmed the server
    for error in tally.errors[:10]:
        print(error)
    for name, values in (("opening", tally.opened), ("slider", tally.moved), ("rating", tally.rated)):
        if values:
            half, most = np.quantile(values, (0.5, 0.95))
            print(f"{name:8} {len(values):5} times, p50 {half:.3f} s, p95 {most:.3f} s, longest {max(values):.3f} s")
    runs = len(tally.opened) + len(tally.moved) + len(tally.rated)
    print(
        f"server   {1000 * spent / max(1, runs):.0f} ms of processor time a run, {memory:.1f} MiB a session; "
        f"machine load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    p95 = float(np.quantile(tally.rated, 0.95)) if tally.rated else float("nan")
    print(f"load: sessions {options.sessions} errors {len(tally.errors)} lost {lost} p95 {p95:.3f}")
    return 1 if tally.errors or lost else 0


if __name__ == "__main__":
    sys.exit(main())
