"""Fetching a model from the hub: ``python precompute.py --fetch-model NAME``, or from the System page.

Run as ``python -m prefer_core.rewriting.fetch NAME`` it tells its progress as JSON lines, so that a page can watch and
stop it; what was fetched until then is kept and the next try goes on there.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from prefer_core.config import home
from prefer_core.errors import BackendError
from prefer_core.rewriting.registry import MODELS, Model
from prefer_core.rewriting.weights import digest, mark_of

Tick = Callable[[int, int], None]

_SPARE_MIB = 200
"""Free space that a fetch leaves to everything else."""


def describe(model: Model) -> str:
    """Return size, licence and origin in one line, to be read before anything is fetched."""
    return f"{model.name}: {size_text(model.size_mib)}, licence: {model.licence}, from {model.repository}"


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


def fetch(key: str, tick: Tick = lambda done, total: None) -> Path:
    """Fetch a model of the registry into PREFER_HOME/models and check it.

    Parameters
    ----------
    key : str
        Its name.
    tick : callable
        Called with (bytes done, bytes in all).

    Returns
    -------
    Path
        The file, or the folder of a model of several files.

    Raises
    ------
    BackendError
        If there is too little room, the hub cannot be reached or refuses, or the file is not what it should be.
    """
    model = fetchable(key)
    folder = home() / "models"
    target = folder / model.file
    parts = folder / ".parts" / key
    try:
        parts.mkdir(parents=True, exist_ok=True)
        _room(model, parts)
        whole = sum(_one(model, name, parts, tick) for name in model.files)
        tick(whole, whole)
        _check(model, parts)
        if model.kind == "t5":
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir(parents=True)
            for name in model.files:
                (parts / name).replace(target / name)
        else:
            (parts / model.files[-1]).replace(target)
            (folder / f"{model.file}.sha256").write_text(mark_of(target), encoding="utf-8")
        shutil.rmtree(parts, ignore_errors=True)
    except OSError as error:
        raise BackendError(
            f"{model.name} could not be fetched ({error}); see that there is room and network, then try again: it goes "
            "on where it stopped."
        ) from None
    return target


def _room(model: Model, parts: Path) -> None:
    here = sum(p.stat().st_size for p in parts.rglob("*") if p.is_file()) // 2**20
    needed = max(0, model.size_mib - here) + _SPARE_MIB
    free = shutil.disk_usage(parts).free // 2**20
    if free < needed:
        raise BackendError(
            f"{model.name} needs {size_text(needed)} on the disk of {parts.parent.parent}, {size_text(free)} are free; "
            "make room, or set PREFER_HOME to a folder on another disk."
        )


def _one(model: Model, name: str, parts: Path, tick: Tick) -> int:
    """Fetch one file of the repository, the rest of it where a part is here; return its size in bytes.

    The hub's own download of a whole file begins anew in every process, so the pieces are put together here.
    """
    import httpx2
    from huggingface_hub import get_hf_file_metadata, hf_hub_url
    from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, HfHubHTTPError
    from huggingface_hub.file_download import http_get

    url = hf_hub_url(model.repository, name)
    path = parts / name
    try:
        found = get_hf_file_metadata(url, token=False)
        part = parts / f"{name}.{(found.etag or 'unknown')[:16]}.part"
        if not (path.is_file() and path.stat().st_size == found.size):
            with part.open("ab") as file:
                here = file.tell()
                http_get(found.location, file, resume_size=here, expected_size=found.size, tqdm_class=_bar(tick))
            part.replace(path)
        return path.stat().st_size
    except GatedRepoError:
        raise BackendError(f"{model.repository} asks for an account now; fetch {name} elsewhere.") from None
    except EntryNotFoundError:
        raise BackendError(f"{model.repository} has no {name} any more; take another model.") from None
    except HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else "no answer"
        raise BackendError(f"The hub refused {name} ({status}); try again later: it goes on there.") from None
    except (httpx2.HTTPError, ConnectionError):
        raise BackendError(
            f"The hub cannot be reached, so {model.name} could not be fetched; connect to the network and try again: "
            f"it goes on where it stopped. Or put {name} of {model.repository} into {parts.parent.parent} by hand."
        ) from None


def _check(model: Model, parts: Path) -> None:
    """Compare the weights with the digest of the registry, or with the one that the hub gives for the file."""
    name = model.files[-1]
    wanted = model.sha256 or _hub_digest(model.repository, name)
    if wanted and digest(parts / name) != wanted:
        (parts / name).unlink()
        raise BackendError(f"{name} arrived damaged (its SHA-256 is another) and was deleted; fetch it again.")


def _hub_digest(repository: str, name: str) -> str:
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    tag = get_hf_file_metadata(hf_hub_url(repository, name), token=False).etag or ""
    # The hub tags large files by their SHA-256, others by a shorter digest.
    return tag if len(tag) == 64 else ""


def _bar(tick: Tick) -> Any:
    """Return a progress bar class that only tells `tick`."""
    from tqdm import tqdm

    class Told(tqdm):  # type: ignore[misc]  # tqdm has no types
        def __init__(self, *args: Any, **options: Any) -> None:
            options.pop("name", None)
            super().__init__(*args, **(options | {"disable": True}))
            # A disabled bar keeps neither total nor count.
            self._whole = int(options.get("total") or 0)
            self._count = int(options.get("initial") or 0)

        def update(self, n: float | None = 1) -> None:
            self._count += int(n or 0)
            tick(self._count, max(self._whole, self._count))

    return Told


def main() -> None:
    """Fetch and tell the progress as JSON lines."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    name = parser.parse_args().name

    def tell(**values: Any) -> None:
        sys.stdout.write(json.dumps(values) + "\n")
        sys.stdout.flush()

    try:
        tell(path=str(fetch(name, lambda done, total: tell(done=done, total=total))))
    except BackendError as error:
        tell(error=str(error))
        sys.exit(2)


if __name__ == "__main__":
    main()
