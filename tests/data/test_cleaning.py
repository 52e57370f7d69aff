"""Cleaning drops what a shop put around the words, and keeps the words."""

import pytest

from prefer_core.data.cleaning import clean, one_line


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("I loved it. <br />Works!", "I loved it.\nWorks!"),
        ("5 &gt; 4 &amp;quot;really&amp;quot; &#34;yes&#34;", '5 > 4 "really" "yes"'),
        ("love it <3 for < 5 dollars", "love it <3 for < 5 dollars"),
        ("a <b>bold</b> word", "a bold word"),
        ("[[VIDEOID:5c532f5f]] See it work", "See it work"),
        ("Use [[ASIN:B000KKOPCO chisel paint scraper]] for it", "Use chisel paint scraper for it"),
        ("[[ASIN:B000KKOPCO]]is fine", "is fine"),
        ("It doesnâ€™t smell", "It doesn’t smell"),
        ("“Curly” quotes… and ﬁne ligatures", "“Curly” quotes… and ﬁne ligatures"),
        ("cafe\u0301", "café"),
        ("zero\u200bwidth and soft\u00adhyphen", "zerowidth and softhyphen"),
        ("many   spaces\tand &nbsp; tabs", "many spaces and tabs"),
        ("one line\n\nanother line", "one line\nanother line"),
        ("wraps here\nand goes on", "wraps here and goes on"),
        ("Smells ‘great’ 😍 <br>yes", "Smells ‘great’ 😍\nyes"),
        ('<a class="x" href="/dp/B0">this soap</a> is mild', "this soap is mild"),
        ("<br /><br />", ""),
    ],
)
def test_clean(raw: str, expected: str) -> None:
    """Each raw text has exactly this clean form."""
    assert clean(raw) == expected


def test_clean_is_idempotent() -> None:
    """A cleaned text does not change when it is cleaned again."""
    text = clean("Good “soap”. <br />Itâ€™s $5 &amp; mild")
    assert clean(text) == text


def test_one_line() -> None:
    """Line breaks fold to spaces."""
    assert one_line("a\n b\t c") == "a b c"
