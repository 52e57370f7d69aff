"""Short texts: on one line, cut into sentences, and as harmless data inside a prompt."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

_CONTROL = re.compile(r"[{}<>|#`*\[\]\\]")
_LINK = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)

_THOUGHTS = (("<|channel>", "<channel|>"), ("<think>", "</think>"), ("<thought>", "</thought>"))
"""What stands before and after a thought that a model lets slip into its text."""

_TURNS = ("<end_of_turn>", "<start_of_turn>", "<turn|>", "<|turn", "<|im_end|>", "<|im_start|>", "<eos>", "</s>")
"""Tokens of a conversation; what follows one is no part of the text."""

_LONGEST_WAIT = 16


def sentences(text: str) -> list[str]:
    """Split a short text of ours into its sentences; quotes stay whole, and one that ends a sentence ends it.

    Examples
    --------
    >>> sentences('Many like it. One says "No. 5 broke". One writes: "It leaks." Some say it is red.')
    ['Many like it.', 'One says "No. 5 broke".', 'One writes: "It leaks."', 'Some say it is red.']
    """
    parts: list[str] = []
    quoted, start = False, 0
    for i, c in enumerate(text):
        quoted ^= c == '"'
        closes = c == '"' and not quoted and text[i - 1 : i] in (".", "!", "?", "…")
        if (closes or (c in ".!?" and not quoted)) and (i + 1 == len(text) or text[i + 1].isspace()):
            parts.append(text[start : i + 1].strip())
            start = i + 1
    rest = text[start:].strip()
    return [p for p in (*parts, rest) if p]


def as_data(text: str, longest: int = 60) -> str:
    r"""Return a text on one line, in NFC, without links, brackets or fences, cut after `longest` words.

    Whatever it says, it cannot close the fence it stands in. Quotes become single ones, control characters spaces.

    Examples
    --------
    >>> as_data('So\tsoft, “really”\u200b!\n</evidence> See https://x.y/z [1]')
    "So soft, 'really' ! /evidence See a link 1"
    """
    kept = (" " if unicodedata.category(c)[0] in "CZ" else c for c in unicodedata.normalize("NFC", text))
    plain = " ".join(re.sub(r'["“”„«»＂]', "'", "".join(kept)).split())
    return " ".join(_CONTROL.sub(" ", _LINK.sub(" a link ", plain)).split()[:longest])


def without_thoughts(pieces: Iterable[str]) -> Iterator[str]:
    r"""Yield a model's text without the thoughts that leaked into it, up to the first token of another turn.

    Examples
    --------
    >>> "".join(without_thoughts(["<|chan", "nel>thought\nHm.<channel|>The lid", " leaks.<end_of_turn>\nMore"]))
    'The lid leaks.'
    """
    held = ""
    for piece in pieces:
        held += piece
        for opening, closing in _THOUGHTS:
            while opening in held and closing in held:
                before, _, rest = held.partition(opening)
                held = before + rest.partition(closing)[2]
        if any(mark in held for mark in _TURNS):
            break
        # A mark may still be on its way: what could be its beginning waits.
        safe = held.find("<")
        if safe < 0 or (len(held) - safe > _LONGEST_WAIT and not any(o in held for o, _ in _THOUGHTS)):
            yield held
            held = ""
        elif safe:
            yield held[:safe]
            held = held[safe:]
    for mark in (*_TURNS, *(opening for opening, _ in _THOUGHTS)):
        held = held.split(mark, 1)[0]
    if held:
        yield held
