"""Finished texts on disk, so that the same evidence is never written twice."""

import contextlib
import hashlib
import json
import os
from dataclasses import asdict
from functools import cache
from pathlib import Path

from prefer_core.config import WritingSettings
from prefer_core.files.folders import whole_file
from prefer_core.rewriting.base import Evidence, Summary
from prefer_core.rewriting.journal import LOG
from prefer_core.rewriting.prompts import Style

_RULES = Path(__file__).parent
"""Where the rules of writing and checking lie: a text made by others must not be shown again."""

_WRITING = ("write.py", "template.py", "prompts.py", "evidence.py", "base.py", "words.py", "check/*.py")


@cache
def rules() -> str:
    """Return a hash of everything by which texts are written and checked."""
    files = sorted(file for pattern in _WRITING for file in _RULES.glob(pattern))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def key(evidence: Evidence, style: Style, fingerprint: str, settings: WritingSettings) -> str:
    """Return the hash of all that decides a text: evidence, model, decoding, and the rules of writing and checking.

    Prompts are among the rules; who the reviewers are and the time limits do not count.
    """
    decoding = {k: v for k, v in settings.to_dict().items() if not k.endswith("_timeout") and k != "cached_texts"}
    parts = {
        "rules": rules(),
        "product": evidence.product_id,
        "text": evidence.text,
        "claims": [asdict(claim) for claim in evidence.claims],
        "style": style.name,
        "model": fingerprint,
        "decoding": decoding,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")).hexdigest()


class TextCache:
    """A bounded folder of summaries; safe for several processes, since a file appears whole or not at all.

    Of more than `limit` texts the ones not read or written for longest go first.
    """

    def __init__(self, folder: Path, limit: int = 2000) -> None:
        self._folder = folder
        self._limit = max(1, limit)

    def get(self, name: str) -> Summary | None:
        """Return the text of a key; a damaged or unreadable file counts as absent."""
        path = self._folder / f"{name}.json"
        try:
            summary = Summary.from_dict(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return summary

    def put(self, name: str, summary: Summary) -> None:
        """Keep a text; a full disk or a read-only folder costs the cache, not the text."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps(summary.to_dict(), ensure_ascii=False)
            with whole_file(self._folder / f"{name}.json") as fresh:
                fresh.write_text(text, encoding="utf-8", errors="replace")
            self._trim()
        except OSError as error:
            LOG.warning("a finished text could not be kept in %s: %s", self._folder, error)

    def _trim(self) -> None:
        found: list[tuple[float, Path]] = []
        for path in self._folder.glob("*.json"):
            # Another process may remove the same file first.
            with contextlib.suppress(OSError):
                found.append((path.stat().st_mtime, path))
        for _, path in sorted(found)[: max(0, len(found) - self._limit)]:
            path.unlink(missing_ok=True)
