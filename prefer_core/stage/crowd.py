"""An audience rates along: one small page for phones, with its own server, and what was learned about them all.

The application itself need not be open to the network: phones only reach this server, which knows the summary that is
on the screen and takes ratings of it. A rating is one short write and no phone's request reads the ledger, so that a
hundred people may press at once; the screen asks for all ratings together.
"""

import json
import re
import secrets
import socket
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import psutil

from prefer_core import session as core
from prefer_core.errors import PreferError
from prefer_core.store import Ledger, Session
from prefer_core.types import FloatArray

PORT = 8510
"""Where phones come in; the next free one of some if it is taken."""
MOST_PHONES = 2000
"""Phones whose ratings of a show are taken."""
_TRIES, _LONGEST, _PATIENCE = 20, 400, 10.0
_PHONE = re.compile(r"[0-9a-z]{8,32}")


@dataclass(frozen=True)
class OnScreen:
    """The summary that phones see."""

    session_id: int
    round: int
    title: str
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Return what a phone is told."""
        return {"round": f"{self.session_id}-{self.round}", "title": self.title, "text": self.text}


class Crowd:
    """The server for phones; it listens from the first summary on that is put on the screen.

    Parameters
    ----------
    ledger : Ledger
        Takes the ratings.
    page : str
        What a phone's browser is given.
    port : int
        Where to listen; the next free one if it is taken.
    """

    def __init__(self, ledger: Ledger, page: str, port: int = PORT) -> None:
        self.code = secrets.token_hex(2)
        self._ledger, self._page, self._wanted = ledger, page.encode(), port
        self._shown: OnScreen | None = None
        self._phones: set[str] = set()
        self._server: _Server | None = None
        self._lock = threading.Lock()

    def show(self, shown: OnScreen | None) -> None:
        """Put a summary before the phones; None tells them to wait."""
        with self._lock:
            if shown is not None and self._server is None:
                self._server = _listen(self, self._wanted)
            self._shown = shown

    @property
    def port(self) -> int | None:
        """Where it listens, None before it does."""
        return None if self._server is None else int(self._server.server_address[1])

    def link(self, address: str = "") -> str:
        """Return what phones open; `address` is this computer's as they reach it, found out if left out."""
        return f"http://{address or own_address()}:{self.port}/{self.code}"

    def close(self) -> None:
        """Stop listening."""
        with self._lock:
            server, self._server, self._shown = self._server, None, None
        if server is not None:
            server.shutdown()
            server.server_close()

    def now(self) -> dict[str, Any]:
        """Return what is on the screen, as phones ask for it."""
        shown = self._shown
        return {"round": None} if shown is None else shown.to_dict()

    def rate(self, given: Any) -> HTTPStatus:
        """Keep one rating as a phone sends it: phone, round and value in whole percent."""
        shown = self._shown
        phone, value = (given.get("phone"), given.get("value")) if isinstance(given, dict) else (None, None)
        if not isinstance(phone, str) or not _PHONE.fullmatch(phone) or type(value) is not int or not 0 <= value <= 100:
            return HTTPStatus.BAD_REQUEST
        if shown is None or given.get("round") != shown.to_dict()["round"]:
            return HTTPStatus.CONFLICT
        with self._lock:
            if phone not in self._phones and len(self._phones) >= MOST_PHONES:
                return HTTPStatus.TOO_MANY_REQUESTS
            self._phones.add(phone)
        try:
            self._ledger.rate_in_crowd(shown.session_id, shown.round, phone, value / 100)
        except PreferError:
            return HTTPStatus.SERVICE_UNAVAILABLE
        return HTTPStatus.OK

    @property
    def page(self) -> bytes:
        """The page for phones."""
        return self._page


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256  # everybody scans the code in the same second

    def __init__(self, address: tuple[str, int], crowd: Crowd) -> None:
        self.crowd = crowd
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: phones come and go, and no address is kept."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _PATIENCE
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        crowd = self.server.crowd
        path = self.path.split("?")[0].strip("/")
        if path == crowd.code:
            self._answer(HTTPStatus.OK, crowd.page, "text/html; charset=utf-8")
        elif path == f"{crowd.code}/now":
            self._answer(HTTPStatus.OK, json.dumps(crowd.now()).encode())
        else:
            self._answer(HTTPStatus.NOT_FOUND, b"{}")

    def do_POST(self) -> None:
        crowd = self.server.crowd
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _LONGEST or self.path.strip("/") != f"{crowd.code}/rate":
            self.close_connection = True
            self._answer(HTTPStatus.BAD_REQUEST, b"{}")
            return
        try:
            given = json.loads(self.rfile.read(int(length)))
        except ValueError:
            given = None
        self._answer(crowd.rate(given), b"{}")

    def _answer(self, status: HTTPStatus, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind), ("Content-Length", str(len(body))), ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
        ):  # fmt: skip
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep no log: it would hold addresses of people."""


def _listen(crowd: Crowd, port: int) -> _Server:
    for tried in range(port, port + _TRIES):
        try:
            server = _Server(("0.0.0.0", tried), crowd)
        except OSError:
            continue
        threading.Thread(target=server.serve_forever, name="crowd", daemon=True).start()
        return server
    raise PreferError(f"No port from {port} to {port + _TRIES - 1} is free for the audience's phones; close a program.")


def own_address() -> str:
    """Return the address of this computer in its network, without asking the network; 127.0.0.1 if it has none."""
    states = psutil.net_if_stats()
    found = [
        one.address
        for name, addresses in sorted(psutil.net_if_addrs().items())
        for one in addresses
        if one.family == socket.AF_INET and name in states and states[name].isup
    ]
    usual = [address for address in found if not address.startswith(("127.", "169.254."))]
    # Those that routers at home and at conferences give come before those of virtual machines.
    usual.sort(key=lambda address: (not address.startswith(("192.168.", "10.")), found.index(address)))
    return usual[0] if usual else "127.0.0.1"


@dataclass(frozen=True)
class Learned:
    """What the ratings of an audience say.

    Attributes
    ----------
    phones : int
        How many people rated anything.
    voted : int
        How many rated the summary on the screen.
    mean_rating : float or None
        Of that summary.
    w, low, high : ndarray of shape (K,)
        Mean over the people of what was learned about each, and the 10th and 90th percentile between them.
    """

    phones: int
    voted: int
    mean_rating: float | None
    w: FloatArray
    low: FloatArray
    high: FloatArray


def learned(
    session: Session, number: int, profiles: Mapping[int, FloatArray], rated: Mapping[str, Mapping[int, float]]
) -> Learned:
    """Learn each person's preference from their own ratings with the session's learner, and sum up.

    Parameters
    ----------
    session : Session
        Of the stage.
    number : int
        Round that is on the screen.
    profiles : mapping of int to ndarray of shape (K,)
        z of each round.
    rated : mapping of str to mapping of int to float
        For each phone its rating of each round.
    """
    said = [one[number] for one in rated.values() if number in one]
    learner = core.updater(session.settings)
    start = learner.start(session.n_aspects, session.seed)
    reached: dict[tuple[tuple[int, float], ...], FloatArray] = {}
    people: list[FloatArray] = []
    for one in rated.values():
        # Whoever rated alike is known alike.
        way: Sequence[tuple[int, float]] = sorted(one.items())
        if tuple(way) not in reached:
            state = start
            for place, feedback in way:
                state = learner.update(state, profiles[place], feedback)
            reached[tuple(way)] = state.w
        people.append(reached[tuple(way)])
    w = np.array(people) if people else np.array([start.w])
    low, high = np.quantile(w, (0.1, 0.9), axis=0)
    return Learned(len(rated), len(said), float(np.mean(said)) if said else None, w.mean(axis=0), low, high)
