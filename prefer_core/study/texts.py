"""What participants read around the texts of a definition, in the language that it names: one TOML file a language."""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from prefer_core.errors import ConfigError

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "study" / "texts"
ENGLISH = "en"


def languages() -> list[str]:
    """Return the languages there are files of."""
    return sorted(file.stem for file in FOLDER.glob("*.toml"))


@lru_cache(16)
def texts(language: str) -> Mapping[str, str]:
    """Return the texts of a language by key; what its file leaves out is in English.

    >>> texts("de")["send"], texts("en")["send"]
    ('Absenden', 'Send')
    """
    return _read(ENGLISH) | _read(language)


def missing(language: str) -> list[str]:
    """Return the keys that are shown in English because the language's file leaves them out."""
    own = _read(language)
    return [key for key in _read(ENGLISH) if key not in own]


def _read(language: str) -> dict[str, str]:
    file = FOLDER / f"{language}.toml"
    try:
        return {key: str(text) for key, text in tomllib.loads(file.read_text(encoding="utf-8")).items()}
    except (OSError, ValueError) as error:
        raise ConfigError(f"The texts in {file.name} cannot be read ({error}); mend the file in {FOLDER}.") from None
