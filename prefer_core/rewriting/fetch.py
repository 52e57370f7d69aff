"""Fetching a model from the hub: ``python precompute.py --fetch-model NAME``, or from the System page.

What has come is kept when a fetch is stopped or fails, and the next try goes on there. (The hub's own download of a
whole file begins anew in every process, so its pieces are put together here.)
"""

import contextlib
import hashlib
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from prefer_core.config import home
from prefer_core.errors import BackendError
from prefer_core.files.progress import Tick, silent
from prefer_core.rewriting.models import LAST_SEEN, MODELS, Model

_SPARE_MIB = 200
"""Free space that a fetch leaves to everything else."""

_QUANTISATIONS = ("Q4_K_M", "Q4_0", "Q5_K_M", "Q8_0")
_PART_OF = re.compile(r"mmproj|draft|assistant|mtp|-of-\d", re.IGNORECASE)
"""Files of a repository that cannot write by themselves."""


def describe(model: Model) -> str:
    """Return size, licence and origin in one line, to be read before anything is fetched."""
    about = f"about {size_text(model.size_mib)} ({LAST_SEEN})"
    return f"{model.name}: {about}, licence: {model.licence}, from {model.repository}"


def size_text(mib: int) -> str:
    """Return a size for people.

    Examples
    --------
    >>> size_text(241), size_text(2374)
    ('241 MiB', '2.3 GiB')
    """
    return f"{mib} MiB" if mib < 1000 else f"{mib / 1024:.1f} GiB"


def fetchable(key: str) -> Model:
    """Return the registry's entry; BackendError if there is none, or if it is not fetched but installed."""
    model = MODELS.get(key)
    names = ", ".join(m.key for m in MODELS.values() if m.repository)
    if model is None:
        raise BackendError(f"There is no model {key!r}; choose one of {names}.")
    if not model.repository:
        raise BackendError(f"{model.name} comes with the packages and is not fetched; the others are {names}.")
    return model


def fetch(key: str, tick: Tick = silent) -> Path:
    """Fetch a model of the registry into PREFER_HOME/models, check it, and return its file or folder.

    `tick` is told the bytes. BackendError if there is too little room, the hub cannot be reached or refuses, or the
    file is not what it should be.
    """
    model = fetchable(key)
    target = home() / "models" / model.file
    parts = home() / "models" / ".parts" / key
    with _in_words(model, target.parent):
        parts.mkdir(parents=True, exist_ok=True)
        found = _seen(model)
        whole = sum(one.size for one in found)
        _room(model, whole, parts)
        done = 0
        for one in found:
            _one(model, one, parts, lambda here, before=done: tick(before + here, whole))  # type: ignore[misc]
            done += one.size
        tick(whole, whole)
        if model.kind == "t5":
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir(parents=True)
            for one in found:
                (parts / one.name).replace(target / one.name)
        else:
            (parts / found[-1].name).replace(target)
        shutil.rmtree(parts, ignore_errors=True)
    return target


State = Literal["idle", "fetching", "done", "failed", "stopped"]


class Fetching:
    """One fetch at a time in a thread of its own, shared by all visitors; what is readable may be read from any thread.

    `key` is the model asked for last, `done` and `total` are bytes, `error` says in one sentence why it failed.
    """

    def __init__(self) -> None:
        self.key = ""
        self.state: State = "idle"
        self.done = 0
        self.total = 0
        self.error = ""
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, key: str) -> None:
        """Begin; a fetch in progress goes on and is a BackendError."""
        model = fetchable(key)
        with self._lock:
            if self.state == "fetching":
                raise BackendError(f"{self.key} is being fetched; wait for it or stop it.")
            if self._thread is not None:
                self._thread.join()  # a stopped one ends with its next bytes
            self.key, self.state, self.done, self.total, self.error = key, "fetching", 0, model.size_mib * 2**20, ""
            self._stop.clear()
            self._thread = threading.Thread(target=self._fetch, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the fetch; what has come so far is kept for the next one."""
        if self.state == "fetching":
            self.state = "stopped"
            self._stop.set()

    @property
    def share(self) -> float:
        """How much has come, in [0, 1]."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    def _fetch(self) -> None:
        try:
            fetch(self.key, self._tick)
            self.state, self.done = "done", self.total
        except _StoppedError:
            return
        except Exception as error:  # noqa: BLE001  # a page that waits must hear of whatever ended it
            told = f"The fetch ended ({type(error).__name__}: {error}); try again, it goes on where it stopped."
            self.state, self.error = "failed", str(error) if isinstance(error, BackendError) else told

    def _tick(self, done: int, total: int) -> None:
        if self._stop.is_set():
            raise _StoppedError
        self.done, self.total = done, total


class _StoppedError(Exception):
    """Somebody stopped the fetch."""


@dataclass(frozen=True)
class Seen:
    """A file as the hub has it now: its size in bytes and its digest, where the hub tells one."""

    name: str
    size: int
    tag: str


def _seen(model: Model) -> list[Seen]:
    """Ask the hub which files to fetch: those of the registry, or another quantisation where the repository changed."""
    from huggingface_hub import HfApi

    listed = {}
    for file in HfApi().model_info(model.repository, files_metadata=True, token=False).siblings or []:
        listed[file.rfilename] = Seen(file.rfilename, int(file.size or 0), file.lfs.sha256 if file.lfs else "")
    if set(model.files) <= set(listed):
        return [listed[name] for name in model.files]
    whole = sorted(name for name in listed if name.lower().endswith(".gguf") and not _PART_OF.search(name))
    others = [listed[name] for mark in _QUANTISATIONS for name in whole if mark in name.upper()]
    if model.kind != "gguf" or not others:
        raise BackendError(f"{model.repository} has no {model.file} any more; take another model.")
    return others[:1]


def _room(model: Model, size: int, parts: Path) -> None:
    here = sum(p.stat().st_size for p in parts.rglob("*") if p.is_file()) // 2**20
    needed = max(0, size // 2**20 - here) + _SPARE_MIB
    free = shutil.disk_usage(parts).free // 2**20
    if free < needed:
        raise BackendError(
            f"{model.name} needs {size_text(needed)} on the disk of {parts.parent.parent}, {size_text(free)} are free; "
            "make room, or set PREFER_HOME to a folder on another disk."
        )


def _one(model: Model, seen: Seen, parts: Path, tick: Callable[[int], None]) -> None:
    """Fetch one file of the repository, the rest of it where a part is here, and check it."""
    from huggingface_hub import hf_hub_url
    from huggingface_hub.file_download import http_get

    path = parts / seen.name
    if not (path.is_file() and path.stat().st_size == seen.size):
        part = parts / f"{seen.name}.{(seen.tag or 'unknown')[:16]}.part"
        with part.open("ab") as file:
            url = hf_hub_url(model.repository, seen.name)
            http_get(url, file, resume_size=file.tell(), expected_size=seen.size, tqdm_class=_bar(tick))
        part.replace(path)
    if seen.tag:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != seen.tag:
            path.unlink()
            raise BackendError(f"{seen.name} arrived damaged (its SHA-256 is another) and was deleted; fetch it again.")


@contextlib.contextmanager
def _in_words(model: Model, folder: Path) -> Iterator[None]:
    """Turn what the hub's client and the disk raise into one sentence with the remedy."""
    import httpx2
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError

    name = f"{model.file} of {model.repository}"
    try:
        yield
    except GatedRepoError:
        raise BackendError(f"{model.repository} asks for an account now; fetch {model.file} elsewhere.") from None
    except RepositoryNotFoundError:
        raise BackendError(f"The hub has no {model.repository} any more; take another model.") from None
    except HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else "no answer"
        raise BackendError(f"The hub refused {name} ({status}); try again later: it goes on there.") from None
    except (httpx2.HTTPError, ConnectionError):
        raise BackendError(
            f"The hub cannot be reached, so {model.name} could not be fetched; connect to the network and try again: "
            f"it goes on where it stopped. Or put {name} into {folder} by hand."
        ) from None
    except OSError as error:
        raise BackendError(
            f"{model.name} could not be fetched ({error}); see that there is room and network, then try again: it goes "
            "on where it stopped."
        ) from None


def _bar(tick: Callable[[int], None]) -> Any:
    """Return a progress bar class that only tells `tick` how much has come."""
    from tqdm import tqdm

    class Told(tqdm):  # type: ignore[misc]  # tqdm has no types
        def __init__(self, *args: Any, **options: Any) -> None:
            options.pop("name", None)
            super().__init__(*args, **(options | {"disable": True}))
            self._count = int(options.get("initial") or 0)  # a disabled bar keeps no count

        def update(self, n: float | None = 1) -> None:
            self._count += int(n or 0)
            tick(self._count)

    return Told
