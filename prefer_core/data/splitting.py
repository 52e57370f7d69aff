"""Sentences out of review text, which is written without editors: "soft.The", "!!", "...", no capitals, lists."""

import os
import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise

from prefer_core.data.wordlist import words

_EMOJI = "\U0001f300-\U0001faff\u2600-\u27bf\u2b50\u2764\ufe0f"
# A run of stops, also spaced ones (". . ."), with what closes behind it (quote, smiley, emoji), then space or the end.
_STOP = re.compile(
    r"(?P<stop>[.!?…]+(?:\s[.!?…]+)*)"
    rf"(?P<close>[)\]\"'”’»*]*(?:\s?[:;]-?[)(DP](?!\w)|\s?[{_EMOJI}]+)*)"
    r"(?P<gap>\s+|$)(?=(?P<next>\S*))"
)
# "soft.The", "great!Love", "soft.i love": no space. A site ("amazon.com", "Amazon.Com") or version ("v2.Beta") is none.
_GLUED = re.compile(
    r"(?<=[a-z\d)][.])(?!(?:com|net|org|co|gov|edu|Com|Net|Org|Co)\b)(?=[A-Z][a-z']|[AI]\s)"
    r"|(?<=[a-z]{3}[.])(?=(?:the|it|its|it's|i|i'm|this|they|and|but|very|also|so|my|we|not|would|will|you)\s)"
    r"|(?<=\s[.])(?=[A-Za-z]{2})|(?<=[a-zA-Z\d][!?])(?=[A-Za-z])|(?<=[!?]{2})(?=[A-Z][a-z'])|(?<=[a-z]\.{3})(?=[A-Z][a-z'])"
)
_TOUCHES = re.compile(r"[.!?][A-Za-z]")  # what every way of `_GLUED` has
_AFTER_EMOJI = re.compile(rf"(?<=[{_EMOJI}])\s+(?=[A-Z])")
_BULLET = re.compile(r"(?:^|\s)[•●▪■◦‣·∙✔✓►]+\s*|^[-–—*+>]+\s+|(?<=[.!?:])\s[-–*]\s(?=[A-Z])")
_LIST = re.compile(r"(?:^|[:.!?]\s)\(?1[.)]\s")
_ITEM = re.compile(r"(?<=\S)\s+(?=\(?[1-9][.)]\s+[A-Za-z])")
_NTH = re.compile(r"\d+(?:st|nd|rd|th)")
_NUMBER_ONLY = re.compile(r"^\(?\d{1,2}[.)]?$")
# The stops of Chinese, Japanese, Arabic, Urdu, Hindi, Khmer, Burmese, Amharic and Armenian, with what closes behind.
_WIDE_STOP = re.compile(r"[。！？｡؟۔।॥។៕၊။።։]+[」』）】”’\"']*\s*")
_THAI = re.compile("[\u0e01-\u0e5b]")
# Lao and Khmer write a space where a sentence or a clause ends, and none between words.
_SPACED_SCRIPT = re.compile(r"(?<=[\u0e80-\u0eff\u1780-\u17ff])\s+(?=[\u0e80-\u0eff\u1780-\u17ff])")
_LEAST_SPACED = 16
"""Letters of such a script from which a piece between spaces is a sentence."""
# Abbreviations of two words, German ones, whose stops end nothing.
_TWO_WORDS = re.compile(
    r"\b(?:z\.\s?B|d\.\s?h|u\.\s?a|o\.\s?ä|z\.\s?T|v\.\s?a|u\.\s?U|i\.\s?d\.\s?R|s\.\s?o|s\.\s?u)\.\s+"
)
# "dem 1. Platz", "am 12. April": an ordinal number, by what stands before or behind it.
_ORDINAL = re.compile(
    r"\b(?:(?:de[rmns]|das|die|vom|zum|zur|beim|bis|seit|jede[rsmn]?|[mdsk]?eine?[rmns]?|unsere?[rmns]?)\s\d{1,2}\.\s+"
    r"(?=[A-ZÄÖÜ])|(?:am|im|ab)\s\d{1,2}\.\s+(?=(?:April|August|September|November|Stock|Quartal)\b)|"
    r"\d{1,2}\.\s+(?=(?:Januar|Jänner|Februar|März|Mai|Juni|Juli|Oktober|Dezember|Tag|Woche|Monat|Jahr|Platz)))"
)
_NOTHING_ENDS = words("bzw evtl ggf inkl exkl zzgl bspw vgl sog usf insb tgl lt")
_BEFORE_NUMBERS = words("nr ca art abs abb tel seite núm")
_RUN_ON = re.compile(
    r"[，、；,;]\s*|\s+(?=(?:i|it|we|they|he|she|you|my|the|this|that|these|but|and|because|so|then|which|after|if|when)\s)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?<=[,;])\s+|\s+(?:-+|–|—)\s+|\s+(?=(?:but|and|because|so|then|which)\s)")

_NEVER_ENDS = words("mr mrs ms dr prof st mt vs e.g i.e eg ie ex viz cf fig approx incl excl esp dept est gen sgt")
_MAY_END = words(
    """oz fl lb lbs in ft yd yds qt pt gal tsp tbsp min mins hr hrs sec secs mo mos yr yrs wk wks etc inc ltd co corp jr
    sr vol ed pkg pcs pc qty max avg misc temp med lg sm xl attn y.o a.m p.m u.s u.k"""
)
_STARTERS = words(
    """the a an it it's its i i'm i've i'd i'll this that these those they they're he she we you your my our his her
    their there but and so also if when while after although because however overall not no very great good love would
    will just only even as at for from in on with once what who why how do don't does never now then too all both"""
)
_GOES_ON = words("and or but so because which who that though although if when like as than with for to of")


def split_sentences(text: str) -> list[str]:
    """Split cleaned review text (`cleaning.clean`) into sentences, words as written.

    Line breaks and list marks always end a sentence; a stop ends one unless it belongs to an abbreviation, a decimal,
    an initial, a site, or a parenthesis that the sentence goes on after.

    Examples
    --------
    >>> split_sentences("Very soft.The 8 oz. bottle is $4.99 at amazon.com!! love it... but it leaks")
    ['Very soft.', 'The 8 oz. bottle is $4.99 at amazon.com!!', 'love it... but it leaks']
    """
    pieces: list[str] = []
    for line in text.split("\n"):
        for item in _items(line):
            pieces.extend(_split_item(item))
    return pieces


def shorten(sentence: str, max_words: int) -> list[str]:
    """Cut a run-on sentence at the clause borders nearest its middle until no part is longer than `max_words`."""
    if count_words(sentence) <= max_words:
        return [sentence]
    # What has no clause border that reads well is cut where a clause is likely to begin, rather than lost.
    borders = _borders(_CLAUSE, sentence) or _borders(_RUN_ON, sentence)
    if not borders:
        return []
    border = min(borders, key=lambda m: abs(m.start() - len(sentence) // 2))
    parts = sentence[: border.start()].strip(), sentence[border.end() :].strip()
    return [short for part in parts for short in shorten(part, max_words)]


def _borders(pattern: re.Pattern[str], sentence: str) -> list[re.Match[str]]:
    return [m for m in pattern.finditer(sentence) if sentence[: m.start()].strip() and sentence[m.end() :].strip()]


def count_words(text: str) -> int:
    """Count the words of a text: runs without white space that hold a letter or digit.

    Scripts that write no spaces count by letters: two a word in Chinese and Japanese, four in Thai, Lao and Khmer.

    >>> count_words("- soft, and warm"), count_words("背包的拉链第二天就坏了")
    (3, 6)
    """
    count = sum(word[0].isalnum() or any(map(str.isalnum, word)) for word in text.split())
    if text.isascii():
        return count
    return count + sum(max(0, (len(run) + size // 2) // size - 1) for size, runs in _UNSPACED for run in runs(text))


_UNSPACED = (
    (2, re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+").findall),
    (4, re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+").findall),
)


def _items(line: str) -> list[str]:
    """Split a line at list marks."""
    items = [item for item in _BULLET.split(line.strip()) if item.strip()]
    return [part for item in items for part in (_ITEM.split(item) if _LIST.search(item) else [item])]


def _split_item(item: str) -> list[str]:
    cuts = {0, len(item)}
    if not item.isascii():
        cuts.update(match.end() for match in _AFTER_EMOJI.finditer(item))
        cuts.update(match.end() for match in _WIDE_STOP.finditer(item))
        cuts.update(_thai_ends(item) if _THAI.search(item) else _spaced_ends(item))
    if _TOUCHES.search(item):
        cuts.update(match.start() for match in _GLUED.finditer(item) if not _in_address(item, match.start()))
    inside = {match.end() for pattern in (_TWO_WORDS, _ORDINAL) for match in pattern.finditer(item)}
    inside |= {place for match in _TWO_WORDS.finditer(item) for place in range(match.start(), match.end())}
    start = 0
    for match in _STOP.finditer(item):
        if match.end("gap") in inside and match["next"]:
            continue
        if not match["next"] or _ends(item[start : match.start()], match):
            cuts.add(match.end("gap"))
            start = match.end("gap")
    pieces = [item[a:b].strip() for a, b in pairwise(sorted(cuts))]
    return _merge_numbers([piece for piece in pieces if piece])


def _thai_ends(item: str) -> list[int]:
    """Return the places where Thai sentences end: those of the spaces that pythainlp's trained segmenter tells."""
    ends, place = [], 0
    for piece in _thai_segmenter()(item):
        place += len(piece)
        if _THAI.match(piece.rstrip()[-1:]):  # what ends with a stop is told by the stop
            ends.append(place)
    return ends


@cache
def _thai_segmenter() -> Callable[[str], list[str]]:
    # Otherwise the package makes a folder for downloads in the home of whoever imports it.
    os.environ.setdefault("PYTHAINLP_READ_ONLY", "1")
    from pythainlp.tokenize.crfcut import segment

    found: Callable[[str], list[str]] = segment
    return found


def _spaced_ends(item: str) -> list[int]:
    """Return the places of spaces that end a sentence in Lao and Khmer, of which no segmenter is kept on PyPI."""
    ends, start = [], 0
    for match in _SPACED_SCRIPT.finditer(item):
        if match.start() - start >= _LEAST_SPACED:
            ends.append(match.end())
            start = match.end()
    return ends


def _ends(before: str, match: re.Match[str]) -> bool:
    """Whether the stop `match` after `before` ends a sentence."""
    stop, close, word = match["stop"], match["close"], match["next"]
    lower = word[:1].islower() or word[:1] in ",;:)"
    last = before.rsplit(None, 1)[-1].lower().lstrip("(\"'“") if before.strip() else ""
    if close[:1] and lower and word.lower() != "i":
        return ":" in close
    if stop == ".":
        return _period_ends(before, last, word, lower)
    if lower and stop.startswith(("..", "…", ". .")):
        return len(before.split()) >= 4 and word.lower().strip(",.!?") not in _GOES_ON
    return not (word[:1] in ",;:)" or (lower and word.lower() in ("and", "or", "of")))


def _period_ends(before: str, last: str, word: str, lower: bool) -> bool:
    starter = word.lower().strip(",.!?\"'“”").replace("’", "'") in _STARTERS
    if last in _NEVER_ENDS or last in _NOTHING_ENDS or (last in _BEFORE_NUMBERS and word[0].isdigit()):
        return False
    if last == "no" and word[0].isdigit():
        return False
    if lower and _NTH.fullmatch(last):
        return False
    if last in _MAY_END:
        return not lower and not word[0].isdigit() and (starter or last not in ("u.s", "u.k", "vol", "ed", "med"))
    if len(last) == 1 and "a" <= last <= "z" and last != "i":
        return (starter and not lower) or before[-1:].islower()
    return word[0] not in ",;:)"


def _in_address(item: str, position: int) -> bool:
    word = re.split(r"\s", item[:position])[-1].lower()
    return word.startswith(("www.", "http")) or "@" in word


def _merge_numbers(pieces: list[str]) -> list[str]:
    """Join a bare list number ("1.") to the sentence behind it."""
    merged: list[str] = []
    for piece in pieces:
        if merged and _NUMBER_ONLY.match(merged[-1]):
            merged[-1] = f"{merged[-1]} {piece}"
        else:
            merged.append(piece)
    return merged
