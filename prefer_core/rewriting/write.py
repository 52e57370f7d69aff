"""The stages of a text by a model, sentence by sentence, each checked before it is shown."""

from collections.abc import Callable, Iterator

from prefer_core.config import WritingSettings
from prefer_core.rewriting.base import Backend, Evidence, Summary
from prefer_core.rewriting.prompts import Style


def write(
    evidence: Evidence, backend: Backend, style: Style, settings: WritingSettings, report: Callable[[str], None]
) -> Iterator[Summary]:
    """Yield ever better summaries."""
    yield from ()
