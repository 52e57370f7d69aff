"""Which reviews are written in the language asked for: a small n-gram model that ships in its package."""

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.data.splitting import count_words
from prefer_core.errors import ConfigError
from prefer_core.files.parallel import map_chunks
from prefer_core.files.progress import Tick, silent

SURE = 0.6
"""Least probability of another language at which a review is dropped."""

_SHORTEST = 4


def in_language(texts: Sequence[str], language: str, tick: Tick = silent) -> NDArray[np.bool_]:
    """Return whether each text may be in `language` (n,); only one that is surely in another is told apart.

    A text of fewer than four words is too short to tell and stays.

    Raises
    ------
    ConfigError
        If the model does not know the language.

    Examples
    --------
    >>> texts = ["It smells of fresh coconut all day.", "Muy buen producto, me gusta mucho.", "Excelente"]
    >>> in_language(texts, "en").tolist()
    [True, False, True]
    """
    if language not in _model().nb_classes:
        raise ConfigError(f"--language takes a code such as en, es, de or fr, found {language!r}.")
    chunks = map_chunks(partial(_may_be, language), texts, tick)
    return np.array([kept for chunk in chunks for kept in chunk], dtype=bool)


def mostly_in(texts: Sequence[str], language: str) -> bool:
    """Return whether at least half of the texts may be in `language`."""
    return not texts or float(in_language(texts, language).mean()) >= 0.5


def shares(texts: Sequence[str]) -> dict[str, float]:
    """Return the share of each language among texts that are long enough to tell and surely of one, largest first.

    Parameters
    ----------
    texts : sequence of str
        At most a few hundred; each takes a millisecond.
    """
    found: dict[str, int] = {}
    for text in texts:
        if len(text.split()) < _SHORTEST and text.isascii():
            continue
        code, probability = _model().classify(text[:2000])
        if probability >= SURE:
            found[code] = found.get(code, 0) + 1
    total = sum(found.values())
    return {code: count / total for code, count in sorted(found.items(), key=lambda item: -item[1])}


def _may_be(language: str, texts: Sequence[str]) -> list[bool]:
    model, kept = _model(), []
    for text in texts:
        code, probability = model.classify(text) if count_words(text) >= _SHORTEST else (language, 1.0)
        kept.append(code == language or bool(probability < SURE))
    return kept


@cache
def _model() -> Any:
    try:
        from py3langid import langid
    except ImportError as error:
        raise ConfigError("--language needs the package py3langid; run: pip install -r requirements.txt.") from error
    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
