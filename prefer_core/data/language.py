"""Which reviews are written in the language asked for: a small n-gram model that ships in its package."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefer_core.data.progress import Tick, silent
from prefer_core.errors import ConfigError

SURE = 0.6
"""Least probability of another language at which a review is dropped."""

_SHORTEST = 4


def in_language(texts: Iterable[str], language: str, total: int, tick: Tick = silent) -> NDArray[np.bool_]:
    """Return whether each text may be in `language` (n,); only one that is surely in another is told apart.

    A text of fewer than four words is too short to tell and stays.

    Raises
    ------
    ConfigError
        If the model does not know the language.

    Examples
    --------
    >>> texts = ["It smells of fresh coconut all day.", "Muy buen producto, me gusta mucho.", "Excelente"]
    >>> in_language(texts, "en", 3).tolist()
    [True, False, True]
    """
    model = _model()
    known = sorted(model.nb_classes)
    if language not in known:
        raise ConfigError(f"--language takes a code such as en, es, de or fr, found {language!r}.")
    kept = np.ones(total, dtype=bool)
    for number, text in enumerate(texts):
        if len(text.split()) >= _SHORTEST:
            code, probability = model.classify(text)
            kept[number] = code == language or probability < SURE
        if number % 1000 == 0:
            tick(number, total)
    return kept


@cache
def _model() -> Any:
    try:
        from py3langid import langid
    except ImportError as error:
        raise ConfigError("--language needs the package py3langid; run: pip install -r requirements.txt.") from error
    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
