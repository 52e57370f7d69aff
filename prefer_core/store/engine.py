"""Connections to the ledger's database."""

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, DisconnectionError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from prefer_core.errors import StoreError
from prefer_core.store import schema

BUSY_MILLISECONDS = 15_000
_WRITERS: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
"""By SQLite file: whose turn it is to write in this process.

SQLite lets those who wait try again at random moments: among thirty writers one may wait until its time is over.
"""


def connect(url: str) -> Engine:
    """Make the engine of `url`.

    A few connections stay open, each lent to one thread at a time. When the last one closes, SQLite folds its journal
    into the file and deletes it; with one connection a use, a short write took up to five times as long.
    """
    try:
        address = make_url(url)
        if address.get_backend_name() != "sqlite":
            return create_engine(address, pool_pre_ping=True)
        path = Path(address.database) if address.database and address.database != ":memory:" else None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(address, poolclass=QueuePool, max_overflow=-1)
    except (SQLAlchemyError, ModuleNotFoundError, OSError) as error:
        raise StoreError(f"The ledger cannot be opened ({error}); check PREFER_DATABASE_URL or PREFER_HOME.") from error
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    if path is not None:
        _watch(engine, path)
    return engine


def _watch(engine: Engine, path: Path) -> None:
    """Never use an open connection whose file is no longer the one at `path`: what it wrote would be lost with it."""
    made = False

    def connecting(*_: object) -> None:
        if made and not path.exists():
            raise StoreError(f"The ledger's file {path} is gone; put it back, or start the app again for an empty one.")

    def connected(_: object, record: ConnectionPoolEntry) -> None:
        nonlocal made
        made = True
        record.info["file"] = _number(path)

    def lent(_: object, record: ConnectionPoolEntry, __: object) -> None:
        if record.info["file"] != _number(path):
            raise DisconnectionError  # SQLAlchemy closes it and connects anew

    event.listen(engine, "do_connect", connecting)
    event.listen(engine, "connect", connected)
    event.listen(engine, "checkout", lent)


def _number(path: Path) -> int | None:
    """Return what tells a file from another of the same name; None if there is none."""
    try:
        return path.stat().st_ino
    except OSError:
        return None


def _prepare_sqlite(connection: Any, record: object) -> None:
    # The driver's own transaction handling would begin late; SQLAlchemy's begin event below does it instead.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")


def _begin_sqlite(connection: Connection) -> None:
    # A deferred transaction that reads first may fail when it turns to writing; an immediate one waits its turn.
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def transaction(engine: Engine, *, writes: bool) -> Iterator[Connection]:
    """Run one short transaction; database trouble becomes a StoreError in words."""
    alone = writes and engine.url.get_backend_name() == "sqlite"
    turn: AbstractContextManager[Any] = _WRITERS[str(engine.url.database)] if alone else nullcontext()
    try:
        with turn, engine.connect().execution_options(writes=writes) as connection, connection.begin():
            yield connection
    except DBAPIError as error:
        raise StoreError(
            f"The ledger did not take this ({error.orig}); nothing was changed, please try again or check the disk."
        ) from error


class Database:
    """A database brought up to date, used in one short transaction after the other.

    Parameters
    ----------
    url : str
        For example ``sqlite:///.prefer/ledger.db``.

    Raises
    ------
    StoreError
        If the database cannot be opened or changed.
    """

    def __init__(self, url: str) -> None:
        self._engine = connect(url)
        with self._write() as connection:
            schema.migrate(connection)

    def _read(self) -> AbstractContextManager[Connection]:
        return transaction(self._engine, writes=False)

    def _write(self) -> AbstractContextManager[Connection]:
        return transaction(self._engine, writes=True)

    def _forget(self) -> None:
        """Have SQLite empty its journal, in which rows that were deleted may still stand."""
        if self._engine.dialect.name == "sqlite":
            connection = self._engine.raw_connection()
            try:
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                connection.close()

    def close(self) -> None:
        """Give back the connections that are kept open; using the database opens new ones."""
        self._engine.dispose()
