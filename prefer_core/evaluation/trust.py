"""The experiment `summaries`: every writer that is here writes the same sets; figures and texts go into files."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prefer_core.aspects.space import AspectSpace
from prefer_core.config import WritingSettings, home
from prefer_core.corpus import open_corpus
from prefer_core.errors import ConfigError
from prefer_core.evaluation import compute
from prefer_core.evaluation.summaries import EvidenceSet, evidence_sets, measure
from prefer_core.evaluation.texts import Written, as_markdown
from prefer_core.rewriting import making, models, template
from prefer_core.rewriting.models import Choice

FILE, TEXTS = "summaries.json", "summaries.md"


def run(corpus_folder: str, out: Path, count: int, names: Sequence[str] = ()) -> list[str]:
    """Measure the template and some models; write the files, return lines to print.

    Parameters
    ----------
    count : int
        Evidence sets; each writer gets the same ones.
    names : sequence of str
        Models as PREFER_MODEL takes them; empty for the one that the environment names.

    Raises
    ------
    PreferError
        If the corpus cannot be read, or a model is unknown or cannot be started.
    """
    corpus = open_corpus(corpus_folder)
    space = AspectSpace.from_dict(corpus.aspects)
    found: dict[str, dict[str, Any]] = {}
    texts: dict[str, list[Written]] = {}
    notes = []
    with compute.timed("Online experiments", "summaries", f"{count} evidence sets, {corpus.name}"):
        sets = list(evidence_sets(corpus, count))
        found[template.NAME], texts[template.NAME] = measure(sets, space, None, None)
        for name in names or (None,):
            choice = models.resolve(None if name is None else {**os.environ, "PREFER_MODEL": name})
            if choice.model is None and name is not None:
                raise ConfigError(choice.note)
            if choice.model is None:
                notes.append(choice.note)
            else:
                found[choice.model.name], texts[choice.model.name] = _measured(sets, space, choice)
    out.mkdir(parents=True, exist_ok=True)
    (out / FILE).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    read = "\n".join(as_markdown(name, written) for name, written in texts.items())
    (out / TEXTS).write_text(read, encoding="utf-8")
    return [
        *notes,
        *(f"{name}: {_line(values)}" for name, values in found.items()),
        f"results: {out / FILE}, {out / TEXTS}",
    ]


def _measured(sets: Sequence[EvidenceSet], space: AspectSpace, choice: Choice) -> tuple[dict[str, Any], list[Written]]:
    """Return the figures and texts of one model."""
    assert choice.model is not None
    style, settings = choice.model.style, making.patient(WritingSettings(), choice.model.patience)
    backend = making.backend(choice, settings, home())
    try:
        # The model's start is no part of any text's time.
        backend.complete(style.bin_prefix, "", max_tokens=1, stop=(), temperature=0.0, seed=0)
        return measure(sets, space, backend, style)
    finally:
        backend.close()


def _line(values: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value:.3g}" for key, value in values.items() if value is not None)
