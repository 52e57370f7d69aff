"""Product words that a person wants back: a choice beside the names, in force from the next build on."""

import json
from collections.abc import Iterable
from pathlib import Path

from prefer_core.config import home
from prefer_core.errors import CorpusError
from prefer_core.files.folders import whole_file


class KeptWords:
    """The words of one corpus that are to be kept.

    Parameters
    ----------
    corpus_id : str
        Whose words these are.
    folder : Path, optional
        Where the file lies; ``names`` in PREFER_HOME if left out.
    """

    def __init__(self, corpus_id: str, folder: Path | None = None) -> None:
        self.path = (folder or home() / "names") / f"{corpus_id}.words.json"

    def read(self) -> tuple[str, ...]:
        """Return the words, sorted; none where nobody chose any.

        Raises
        ------
        CorpusError
            If the file is damaged or cannot be read.
        """
        try:
            found = json.loads(self.path.read_text("utf-8"))
        except FileNotFoundError:
            return ()
        except (OSError, ValueError) as error:
            raise CorpusError(f"{self.path} cannot be read ({error}); repair it, or move it away.") from None
        if not isinstance(found, list) or not all(isinstance(word, str) for word in found):
            raise CorpusError(f"{self.path} holds no list of words; repair it, or move it away.")
        return tuple(sorted(set(found)))

    def write(self, words: Iterable[str]) -> None:
        """Keep these words and no others; CorpusError where they cannot be written."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(self.path) as fresh:
                fresh.write_text(json.dumps(sorted(set(words)), ensure_ascii=False), "utf-8")
        except OSError as error:
            raise CorpusError(f"{self.path} cannot be written ({error.strerror or error}); make room.") from error
