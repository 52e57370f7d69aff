"""The experiment `summaries`: every writer that is here writes the same sets; figures go into ``summaries.json``."""

import json
from pathlib import Path
from typing import Any

from prefer_core.aspects.space import AspectSpace
from prefer_core.config import WritingSettings, home
from prefer_core.corpus import open_corpus
from prefer_core.errors import ConfigError
from prefer_core.evaluation import compute
from prefer_core.evaluation.summaries import evidence_sets, measure
from prefer_core.rewriting import making, models, template
from prefer_core.rewriting.prompts import PromptStyle

FILE = "summaries.json"


def run(corpus_folder: str, out: Path, count: int) -> list[str]:
    """Measure the template and the model that the environment names; write the file, return lines to print.

    Raises
    ------
    PreferError
        If the corpus cannot be read or the model cannot be started.
    """
    corpus = open_corpus(corpus_folder)
    space = AspectSpace.from_dict(corpus.aspects)
    found: dict[str, dict[str, Any]] = {}
    with compute.timed("Online experiments", "summaries", f"{count} evidence sets, {corpus.name}"):
        sets = list(evidence_sets(corpus, count))
        found[template.NAME] = measure(sets, space, None, None)
        choice = models.resolve()
        if choice.model is not None:
            style = choice.model.style
            if not isinstance(style, PromptStyle):
                raise ConfigError(
                    f"The experiment measures base models, and {choice.model.name} follows instructions; set "
                    "PREFER_MODEL to the embedded model or to none."
                )
            backend = making.backend(choice, WritingSettings(), home())
            try:
                # The model's start is no part of any text's time.
                backend.complete(style.bin_prefix, "", max_tokens=1, stop=(), temperature=0.0, seed=0)
                found[choice.model.name] = measure(sets, space, backend, style)
            finally:
                backend.close()
    out.mkdir(parents=True, exist_ok=True)
    (out / FILE).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    lines = [] if choice.model is not None else [choice.note]
    return [*lines, *(f"{name}: {_line(values)}" for name, values in found.items()), f"results: {out / FILE}"]


def _line(values: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value:.3g}" for key, value in values.items() if value is not None)
