"""A folder whose manifest knows the SHA-256 of every file, its own included."""

import json
from collections.abc import Mapping, Sequence
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from prefer_core.errors import CorpusError

MANIFEST = "manifest.json"


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write JSON in the one way in which it is compared."""
    path.write_bytes(_dump(value))


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object."""
    return dict(json.loads(path.read_bytes()))


def digest_of(value: Mapping[str, Any]) -> str:
    """Return the SHA-256 of plain values, independent of their order."""
    return sha256(_dump(value)).hexdigest()


def write_manifest(folder: Path, content: Mapping[str, Any], files: Sequence[str]) -> None:
    """Write the manifest of files that lie in `folder`, last of all."""
    manifest = {**content, "files": {name: hash_file(folder / name) for name in files}}
    write_json(folder / MANIFEST, manifest | {"digest": digest_of(manifest)})


def verify(folder: Path, files: Mapping[int, Sequence[str]]) -> dict[str, Any]:
    """Check every byte of a folder and return its manifest.

    Parameters
    ----------
    files : mapping of int to sequence of str
        What a folder holds, by format.

    Raises
    ------
    CorpusError
        If there is no manifest, a file is missing or damaged, or the format is above the newest.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise CorpusError(f"There is no corpus in {folder}; run: python precompute.py --source sample --out {folder}.")
    try:
        raw = path.read_bytes()
        manifest = json.loads(raw)
        version = int(manifest["format"])
    except (ValueError, TypeError, KeyError):
        raise _damaged(path, "SOURCE") from None
    except OSError as error:
        raise CorpusError(f"{path} cannot be read ({error.strerror}); change its permissions.") from None
    newest = max(files)
    if version not in files:
        raise CorpusError(
            f"{folder} has corpus format {version}, newer than {newest}, the newest known here; update PREFER, or run: "
            f"python precompute.py --source SOURCE --out {folder}."
        )
    content = {name: value for name, value in manifest.items() if name != "digest"}
    if _dump(manifest) != raw or manifest.get("digest") != digest_of(content):
        raise _damaged(path, "SOURCE")
    for name in files[version]:
        if not (folder / name).is_file() or hash_file(folder / name) != manifest["files"][name]:
            raise _damaged(folder / name, str(manifest.get("origin", "SOURCE")))
    return dict(manifest)


def _damaged(path: Path, origin: str) -> CorpusError:
    return CorpusError(
        f"{path} is missing or damaged; build the corpus again with: "
        f"python precompute.py --source {origin} --out {path.parent}."
    )


def _dump(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False).encode() + b"\n"


def hash_file(path: Path) -> str:
    """Return the SHA-256 of the bytes of a file."""
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
