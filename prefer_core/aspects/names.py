"""Where the names that people give are kept: one file a corpus, beside it, so that the corpus and its id stay as built.

The file holds the built names and every edit ever made. It is read without a lock, since it is always replaced as a
whole, and written under one, so that two who edit at once lose nothing.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from prefer_core.aspects.edits import Edit, clean_name, edited, in_force, view_of
from prefer_core.aspects.naming import View
from prefer_core.config import home
from prefer_core.errors import ConfigError, CorpusError
from prefer_core.files.folders import whole_file

FORMAT = 1
_PATIENCE = 10.0
"""Seconds to wait for somebody else's edit."""


class NameBook:
    """The names of one corpus.

    Parameters
    ----------
    corpus_id : str
        Whose aspects these are.
    built : sequence of K str
        Their names from the build.
    folder : Path, optional
        Where the file lies; ``names`` in PREFER_HOME if left out.
    """

    def __init__(self, corpus_id: str, built: Sequence[str], folder: Path | None = None) -> None:
        self.corpus_id = corpus_id
        self.built = tuple(built)
        self.path = (folder or home() / "names") / f"{corpus_id}.json"

    def text(self) -> str:
        """Return the file as it is, empty where there is none; it tells whether anything has changed."""
        try:
            return self.path.read_bytes().decode(errors="replace")
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise CorpusError(f"{self.path} cannot be read ({error.strerror}); change its permissions.") from None

    def edits(self) -> tuple[Edit, ...]:
        """Read every edit, oldest first.

        Raises
        ------
        CorpusError
            If the file is damaged, of a newer format, or about another corpus; it is left as it is.
        """
        return self.read(self.text())

    def view(self) -> View:
        """Return what all edits come to; CorpusError like `edits`."""
        return view_of(self.built, self.edits())

    def read(self, text: str) -> tuple[Edit, ...]:
        """Return the edits in the text of a file; see `edits`."""
        if not text:
            return ()
        try:
            content = json.loads(text)
            version = int(content["format"])
        except (ValueError, TypeError, KeyError):
            raise self._damaged() from None
        if version > FORMAT:
            raise CorpusError(f"{self.path} has format {version}, newer than {FORMAT} known here; update PREFER.")
        try:
            edits = tuple(Edit.from_dict(one) for one in content["edits"])
            if content["corpus"] != self.corpus_id or tuple(content["built"]) != self.built:
                raise ValueError("the names are another corpus's")
            view_of(self.built, edits)
        except (ValueError, TypeError, KeyError, AttributeError, ConfigError):
            raise self._damaged() from None
        return edits

    def add(self, kind: str, aspects: Sequence[int] = (), name: str = "") -> View:
        """Make an edit and return the view after it.

        Raises
        ------
        ConfigError
            If the edit cannot be made; nothing is written.
        CorpusError
            If the file is damaged or cannot be written, or somebody else holds it for ten seconds.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path.with_suffix(".lock"), timeout=_PATIENCE):
                return self._add(kind, tuple(int(k) for k in aspects), name)
        except Timeout:
            raise CorpusError(f"Somebody else is editing {self.path}; try again.") from None
        except OSError as error:
            raise CorpusError(
                f"{self.path} cannot be written ({error.strerror or error}); make room or change its permissions."
            ) from error

    def _add(self, kind: str, aspects: tuple[int, ...], name: str) -> View:
        edits = self.edits()
        view = view_of(self.built, edits)
        if name:  # kept as it will be shown
            members = {m for k in aspects if 0 <= k < len(self.built) for m in view.group(k).members}
            name = clean_name(name, view, sorted(members))
        edit = Edit(kind, aspects, name, datetime.now(UTC).isoformat(timespec="seconds"))
        after = view_of(self.built, in_force((*edits, edit))) if kind == "undo" else edited(view, edit)
        self._write((*edits, edit))
        return after

    def set_aside(self) -> Path:
        """Move a damaged file out of the way under a new name beside it; return where it lies now."""
        with FileLock(self.path.with_suffix(".lock"), timeout=_PATIENCE):
            number = 1
            while (aside := self.path.with_suffix(f".damaged-{number}.json")).exists():
                number += 1
            self.path.rename(aside)
        return aside

    def export(self) -> str:
        """Return the names as JSON for people: every built aspect with its given name, and the history."""
        edits = self.edits()
        return _dump(self._content(edits) | {"names": view_of(self.built, edits).key()})

    def _content(self, edits: Sequence[Edit]) -> dict[str, Any]:
        return {
            "format": FORMAT, "corpus": self.corpus_id, "built": list(self.built),
            "edits": [edit.to_dict() for edit in edits],
        }  # fmt: skip

    def _write(self, edits: Sequence[Edit]) -> None:
        with whole_file(self.path) as fresh:
            fresh.write_bytes(_dump(self._content(edits)).encode())

    def _damaged(self) -> CorpusError:
        return CorpusError(
            f"{self.path} is damaged, so the names from the build are shown; repair it, or move it away to begin anew."
        )


def _dump(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
