"""Codes that people bring along, from a panel or a list at the door: one spelling each, and nothing that names them."""

import unicodedata

from prefer_core.store.refusal import RefusedError

LONGEST = 64


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
