"""What people are called here: names drawn for them, and codes that they bring along. Neither says who they are."""

import secrets
import unicodedata
from collections.abc import Container
from hashlib import sha256

from prefer_core.errors import RefusedError

LONGEST = 64
WORDS = (
    "amber", "aspen", "birch", "cedar", "clover", "coral", "cypress", "fern", "hazel", "heron", "indigo", "ivory",
    "jasper", "juniper", "laurel", "linden", "maple", "marble", "meadow", "olive", "opal", "pebble", "pine", "plum",
    "quartz", "river", "robin", "rowan", "saffron", "sage", "sparrow", "spruce", "thistle", "topaz", "willow", "wren",
)  # fmt: skip
"""Pseudonyms begin with one of them: people can read them aloud."""


def participant_code(typed: str) -> str:
    """Return a participant's code in its one spelling.

    Raises
    ------
    RefusedError
        If it is empty, too long, or an e-mail address.

    Examples
    --------
    >>> participant_code(" P-07 ")
    'p-07'
    """
    code = unicodedata.normalize("NFKC", typed).strip().casefold()
    if "@" in code:
        raise RefusedError(
            "code_email",
            "This looks like an e-mail address, which would say who you are; please use the code that you were given.",
        )
    if not 0 < len(code) <= LONGEST:
        raise RefusedError(
            "code_length",
            f"A participant code has 1 to {LONGEST} characters; please use the one that you were given.",
        )
    return code


def hash_of(token: str) -> str:
    """Return what is kept of the token in a link: whoever reads the database cannot go on as its owner."""
    return sha256(token.encode()).hexdigest()


def pseudonym(taken: Container[str]) -> str:
    """Draw a name such as ``maple-27`` that is not `taken`; numbers grow longer as they run out."""
    for digits in range(2, 12):
        for _ in range(64):
            name = f"{secrets.choice(WORDS)}-{secrets.randbelow(9 * 10 ** (digits - 1)) + 10 ** (digits - 1)}"
            if name not in taken:
                return name
    raise AssertionError("sixty-four draws at every length were taken")
