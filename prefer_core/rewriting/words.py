"""Short texts of ours: on one line, and cut into sentences."""

import re
import unicodedata


def plain(text: str) -> str:
    r"""Return a text on one line, in NFC, without control characters, with single quotes inside.

    Examples
    --------
    >>> plain('So\tsoft, “really”\u200b!')
    "So soft, 'really' !"
    """
    kept = (" " if unicodedata.category(c)[0] in "CZ" else c for c in unicodedata.normalize("NFC", text))
    return " ".join(re.sub(r'["“”„«»＂]', "'", "".join(kept)).split())


def sentences(text: str) -> list[str]:
    """Split a short text of ours into its sentences; quotes stay whole.

    Examples
    --------
    >>> sentences('Many like it. One says "No. 5 broke".')
    ['Many like it.', 'One says "No. 5 broke".']
    """
    parts: list[str] = []
    quoted, start = False, 0
    for i, c in enumerate(text):
        quoted ^= c == '"'
        if c in ".!?" and not quoted and (i + 1 == len(text) or text[i + 1 : i + 2].isspace()):
            parts.append(text[start : i + 1].strip())
            start = i + 1
    rest = text[start:].strip()
    return [p for p in (*parts, rest) if p]
