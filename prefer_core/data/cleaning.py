"""Review text as its reviewer wrote it, without what a web shop put around it."""

import html
import re
import unicodedata
from functools import cache
from typing import Any

from prefer_core.data.wordlist import words

_TAGS = (
    "a|abbr|b|big|blockquote|br|center|code|div|em|font|h[1-6]|hr|i|img|input|label|li|ol|p|pre|s|small|span|strike|"
    "strong|sub|sup|table|tbody|td|th|tr|tt|u|ul|video|iframe|source|script|style"
)
# Only names that HTML has, and attributes only with a value: "<3", "< 5 minutes" and "a <b and c> d" are words.
_TAG = re.compile(rf"<\s*/?\s*(?P<name>{_TAGS})(?:\s+[\w:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]+))*\s*/?\s*>", re.I)
_BREAKING = words("blockquote br center div h1 h2 h3 h4 h5 h6 hr li ol p pre table tr ul")
_VIDEO = re.compile(r"\[\[\s*VIDEOID:[^\]]*\]\]", re.I)
# The shop's link mark goes, the product name that the reviewer put into it stays: it is part of the sentence.
_LINK = re.compile(r"\[\[\s*ASIN:\s*\w*\s*([^\]]*?)\s*\]\]", re.I)
_HARD_BREAK = "\v"
# Line breaks that an export wrote as two signs; "C:\new" is none.
_WRITTEN_BREAK = re.compile(r"(?:\\r)?\\n(?![a-z])|(?<=[.!?])(?:\\r)?\\n")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]+")
_SPACE = re.compile(r"[^\S\n\v]+")
# Signs without width, and those that turn the direction of writing, for whatever stands beside the text too.
_INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")


def clean(raw: str) -> str:
    r"""Clean one review; line breaks that end a sentence stay as ``\n``.

    HTML is unescaped, tags and ``[[VIDEOID:..]]`` / ``[[ASIN:..]]`` marks are dropped, mojibake is repaired, the text
    is brought to NFC and white space collapsed. Words, quotes and emoji stay as written.

    Examples
    --------
    >>> clean("I loved it. <br />Works &amp; lasts!! <3")
    'I loved it.\nWorks & lasts!! <3'
    """
    text = raw.replace("\r\n", "\n").replace("\r", "\n").replace("\v", "\n")
    text = _CONTROL.sub(" ", text)
    if "\\n" in text:
        text = _WRITTEN_BREAK.sub("\n", text)
    for _ in range(2):  # exports escape twice: &amp;quot;
        if "&" not in text:
            break
        text = html.unescape(text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", _INVISIBLE.sub("", _repair(text)))
    text = _LINK.sub(r"\1", _VIDEO.sub(" ", text))
    if "<" in text:
        text = _TAG.sub(lambda m: _HARD_BREAK if m["name"].lower() in _BREAKING else " ", text)
    text = _SPACE.sub(" ", text)
    lines = (line for part in text.split(_HARD_BREAK) for line in _join_wrapped(part))
    return "\n".join(stripped for line in lines if (stripped := line.strip()))


def one_line(text: str) -> str:
    """Fold all white space, line breaks too, to single spaces."""
    return " ".join(text.split())


def same_words(text: str) -> str:
    """Return the form in which two texts are compared: capitals and white space do not count."""
    return " ".join(text.casefold().split())


def _join_wrapped(part: str) -> list[str]:
    """Split at newlines, except where a line only wraps: it ends without a stop and the next begins in lower case."""
    lines: list[str] = []
    blank = True
    for line in (raw.strip() for raw in part.split("\n")):
        if line and not blank and line[0].islower() and (lines[-1][-1].isalnum() or lines[-1][-1] in ",;'\""):
            lines[-1] = f"{lines[-1]} {line}"
        elif line:
            lines.append(line)
        blank = not line
    return lines


def _repair(text: str) -> str:
    """Repair mojibake, and nothing else that ftfy would do: curly quotes and ligatures stay as written."""
    import ftfy

    return ftfy.fix_text(text, _config())


@cache
def _config() -> Any:
    import ftfy

    return ftfy.TextFixerConfig(
        unescape_html=False, uncurl_quotes=False, fix_latin_ligatures=False, fix_character_width=False, explain=False
    )
