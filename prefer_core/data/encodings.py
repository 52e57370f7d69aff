"""In which encoding a file is written, told from its bytes; single rows of another encoding are read all the same."""

import codecs
import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import BinaryIO

from prefer_core.data.columns import known_names

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BLOCK = 1 << 20
_HEAD = 1 << 12
_LINES = 500
"""Lines decoded together."""
_LOOKED_AT = 16 << 20
"""Bytes in which the main encoding is looked for; what comes later in another one is read as a stray row."""
_ENOUGH = 200_000
"""Bytes of undecodable lines from which the encoding of a file that is not UTF-8 is told."""

_CENTRAL = "ąćęłńóśźżáčďéěíňřšťúůýžľĺôäöőüűßăâîşţșțđë"
_LATIN = {
    "cp1252": "àáâãäåæçèéêëìíîïñòóôõöøùúûüßœª",
    "cp1254": "çğıİöşüâîûéä",
    "cp1250": _CENTRAL,
    "iso8859_2": _CENTRAL,
}
"""Letters beyond ASCII of the languages that are written in an encoding; where two fit alike the first is meant."""
_SIGNS = "’‘“”„‚–—…•€°´£™®©«»§½²"
_CANDIDATES = ["cp1252", "cp1251", "cp1253", "cp932", "gb18030", "big5", "cp949", "euc_jp"]
_CANDIDATES += ["koi8_r", "iso8859_5", "cp1256"]
_RARE = ["cp1250", "iso8859_2", "cp1254", "cp866", "cp1255", "iso8859_7", "mac_cyrillic", "cp874"]
"""Told only by the names of columns."""
_HIGH = re.compile(rb"[\x80-\xff]+")
_IN_A_WORD = re.compile("(?<=[a-z])[ß-öø-ÿœ]|[À-ÖØ-öø-ÿœ](?=[a-z])")
_LEAST_HIGH = 20
"""Bytes beyond ASCII below which nothing tells encodings apart."""
_STRAY = "stray-rows-as-windows-1252"


def _stray(error: UnicodeError) -> tuple[str, int]:
    """Decode what is no UTF-8 as Windows-1252, the encoding that pasted-in rows come in."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", errors="replace"), error.end


codecs.register_error(_STRAY, _stray)


def encoding_of(stream: BinaryIO) -> str:
    """Return the encoding of a file, leaving the stream at its start.

    A byte-order mark decides; without one NUL bytes tell UTF-16. Otherwise it is UTF-8 unless most of the lines that
    are not plain ASCII cannot be so; then charset-normalizer tells which one of the older encodings they are in.

    Examples
    --------
    >>> import io
    >>> encoding_of(io.BytesIO("text,größe".encode("utf-16-le"))), encoding_of(io.BytesIO("größer".encode()))
    ('utf-16-le', 'utf-8')
    """
    head = stream.read(_HEAD)
    stream.seek(0)
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    if len(head) >= 4 and (wide := _without_mark(head)):
        return wide
    fine, strange = _lines_by_sort(stream)
    stream.seek(0)
    if fine >= len(strange):
        return "utf-8"
    sample = b"\n".join(strange)
    return _of_old_mac(sample) if _ends_with_return(stream) else _older(sample)


def decoder_for(encoding: str) -> codecs.IncrementalDecoder:
    """Return a decoder that reads stray bytes in a UTF-8 file as Windows-1252 and never fails."""
    return codecs.getincrementaldecoder(encoding)(_STRAY if encoding.startswith("utf-8") else "replace")


def text_blocks(stream: BinaryIO, encoding: str) -> Iterator[str]:
    """Yield a file as text, block by block."""
    decoder = decoder_for(encoding)
    while block := stream.read(_BLOCK):
        yield decoder.decode(block)
    if rest := decoder.decode(b"", final=True):
        yield rest


def text_lines(stream: BinaryIO, encoding: str) -> Iterator[tuple[str, bool]]:
    r"""Yield physical lines, ends included, and whether each held bytes that are not of the encoding.

    Lines end with ``\n`` or ``\r\n``, or with ``\r`` in a file that has no other ends.
    """
    for lines, strange in line_blocks(stream, encoding):
        for number, line in enumerate(lines):
            yield line, number in strange


def line_blocks(stream: BinaryIO, encoding: str) -> Iterator[tuple[list[str], Collection[int]]]:
    """Yield the lines of `text_lines` some at a time, with the places of those that held bytes of another encoding."""
    if may_read_bytes(stream, encoding):
        is_first = True
        while raws := list(islice(stream, _LINES)):
            try:
                lines, strange = [raw.decode() for raw in raws], set[int]()
            except UnicodeDecodeError:
                found = [as_line(raw) for raw in raws]
                lines, strange = [line for line, _ in found], {place for place, (_, odd) in enumerate(found) if odd}
            if is_first:
                lines[0], is_first = lines[0].removeprefix("\ufeff"), False
            yield lines, strange
        return
    separator, held = "", ""
    for block in text_blocks(stream, encoding):
        separator = separator or ("\n" if "\n" in block or "\r" not in block else "\r")
        *parts, held = (held + block).split(separator)
        lines = [part + separator for part in parts]
        yield lines, {place for place, line in enumerate(lines) if "\ufffd" in line} if "\ufffd" in block else ()
    if held:
        yield [held], {0} if "\ufffd" in held else ()


def may_read_bytes(stream: BinaryIO, encoding: str) -> bool:
    """Whether the lines of a file are those that its bytes are split into."""
    return encoding in ("utf-8", "utf-8-sig") and not _ends_with_return(stream)


def as_line(raw: bytes) -> tuple[str, bool]:
    """Return a line of a UTF-8 file as text, and whether it held bytes that are not UTF-8."""
    try:
        return raw.decode(), False
    except UnicodeDecodeError:
        return raw.decode("utf-8", _STRAY), True


def _ends_with_return(stream: BinaryIO) -> bool:
    head = stream.read(_BLOCK)
    stream.seek(0)
    return b"\r" in head and b"\n" not in head


def _without_mark(head: bytes) -> str | None:
    """Return which UTF-16 this is by the zero halves of its plain letters; None if it has no such halves."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    if 10 * max(even, odd) < len(head) // 2 or min(even, odd) * 10 > max(even, odd):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _lines_by_sort(stream: BinaryIO) -> tuple[int, list[bytes]]:
    """Count lines that are UTF-8 beyond ASCII, and collect those that are not UTF-8."""
    fine, strange, size, held = 0, list[bytes](), 0, b""
    for _ in range(_LOOKED_AT // _BLOCK):
        block = stream.read(_BLOCK)
        whole, _, held = (held + block).rpartition(b"\n") if block else (held, b"", b"")
        for line in () if whole.isascii() else whole.split(b"\n"):
            if line.isascii():
                continue
            try:
                line.decode()
                fine += 1
            except UnicodeDecodeError:
                strange.append(line)
                size += len(line)
        if not block or size > _ENOUGH:
            break
    return fine, strange


def _of_old_mac(sample: bytes) -> str:
    """Return the encoding of a text whose lines end as on old Macs, where spreadsheets still write so.

    There letters with accents are what Windows-1252 has signs for: a text has letters beside them.
    """
    alike = {name: _IN_A_WORD.findall(sample.decode(name, errors="replace")) for name in ("mac_roman", "cp1252")}
    return "mac_roman" if len(alike["mac_roman"]) > len(alike["cp1252"]) else _older(sample)


def _older(sample: bytes) -> str:
    """Return which of the encodings older than UTF-8 a text is in; Windows-1252 unless another one fits better."""
    from charset_normalizer import from_bytes

    header = sample.partition(b"\n")[0]
    named = {name: len(known_names(_cells(header, name))) for name in _CANDIDATES + _RARE}
    if max(named.values()) > max(named["cp1252"], sorted(named.values())[-2]):
        return max(named, key=lambda name: named[name])
    runs = _HIGH.findall(sample)
    high = sum(map(len, runs))
    if high < _LEAST_HIGH:
        return "cp1252"
    # In Latin script letters beyond ASCII stand alone, in others they stand together.
    if high < 1.5 * len(runs):
        fitting = {name: _letters_of(sample, name, own) for name, own in _LATIN.items()}
        return max(fitting, key=lambda name: fitting[name])
    matches = from_bytes(sample, cp_isolation=_CANDIDATES, threshold=0.35, enable_fallback=False)
    best = matches.best()
    western = next((match for match in matches if match.encoding == "cp1252"), None)
    if best is None or (western and western.chaos <= best.chaos and western.coherence >= best.coherence):
        return "cp1252"
    return str(best.encoding)


def _letters_of(sample: bytes, encoding: str, own: str) -> int:
    """Count the signs beyond ASCII that are letters of languages that are written in an encoding, or quotes."""
    letters = {letter for letter in own + own.upper() + _SIGNS if not letter.isascii()}
    return sum(letter in letters for letter in sample.decode(encoding, errors="replace"))


def _cells(line: bytes, encoding: str) -> list[str]:
    return [name.strip(' \r"') for name in re.split(r"[,;\t|]", line.decode(encoding, errors="replace"))]
