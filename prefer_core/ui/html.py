"""Review text and summaries as HTML: everything that comes from a review or a model is escaped here."""

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from typing import Any, Literal
from unicodedata import bidirectional

from prefer_core.aspects.naming import View as Themes
from prefer_core.figures.theme import colour
from prefer_core.rewriting import Statement, Summary
from prefer_core.rewriting.support import aspect_reviewers, total_reviewers
from prefer_core.rewriting.words import sentences
from prefer_core.types import ProductCorpus

View = Literal["both", "statements", "paragraph"]

# Folded, so that the slider stays on a laptop's screen.
_FOLDED = '<details class="p-paragraph"><summary>As one paragraph</summary><p>{}</p></details>'


def summary(
    text: Summary,
    evidence: Sequence[dict[str, Any]],
    round_number: int,
    themes: Themes,
    title: str = "What reviewers say, for you",
    view: View = "both",
) -> str:
    """Return a summary: one row a statement with its markers and count, then the polished paragraph, or one of them.

    `themes` says how the aspects are shown; it gives the colours.
    """
    if view == "paragraph":
        return f'<p class="p-title">{escape(title)}</p>{_paragraph(text, evidence, round_number)}'
    rows = "".join(_statement(s, evidence, round_number, themes) for s in text.statements)
    if view == "statements":
        return f'<p class="p-title">{escape(title)}</p>{rows}'
    paragraph = _FOLDED.format(escape(text.paragraph)) if text.paragraph else ""
    return f'<p class="p-title">{escape(title)}</p>{rows}{paragraph}'


def _paragraph(text: Summary, evidence: Sequence[dict[str, Any]], round_number: int) -> str:
    """Return the paragraph with the markers of each of its sentences; as it is where those are not known."""
    parts = sentences(text.paragraph)
    if len(parts) != len(text.paragraph_cites):
        return f'<p class="p-running">{escape(text.paragraph)}</p>'
    body = " ".join(
        f"{escape(part)}&nbsp;<sup>{_markers(cites, evidence, round_number)}</sup>"
        for part, cites in zip(parts, text.paragraph_cites, strict=True)
    )
    return f'<p class="p-running">{body}</p>'


def _markers(cites: Sequence[int], evidence: Sequence[dict[str, Any]], round_number: int) -> str:
    return " ".join(
        f'<a href="#evidence-{round_number}-{i + 1}" title="{escape(str(evidence[i]["text"]), quote=True)}">{i + 1}</a>'
        for i in cites
    )


def about(product: ProductCorpus, evidence: Sequence[dict[str, Any]], themes: Themes) -> str:
    """Return how many reviewers write about each aspect of the evidence at all, in order of appearance."""
    total = total_reviewers(product)
    rows = dict.fromkeys(themes.row(int(piece["aspect"])) for piece in evidence)
    counts = (f"{escape(row.label)} {aspect_reviewers(product, *row.members)}" for row in rows)
    return f'<p class="p-quiet">Of {total} reviewer{"s" * (total != 1)}, so many write about: {" · ".join(counts)}.</p>'


def cards(evidence: Sequence[dict[str, Any]], themes: Themes, round_number: int, notes: Sequence[str] = ()) -> str:
    """Return the evidence as cards, in order of extraction; `notes` may mark each with a few words."""
    body = "".join(_card(i, piece, themes, round_number, notes[i] if notes else "") for i, piece in enumerate(evidence))
    return f'<div class="p-cards">{body}</div>'


def facts(rows: Sequence[tuple[str, str, str]]) -> str:
    """Return a table of (name, number, explanation)."""
    body = "".join(
        f'<tr><td>{escape(name)}</td><td class="p-number">{escape(number)}</td><td>{escape(meaning)}</td></tr>'
        for name, number, meaning in rows
    )
    return f'<table class="p-facts"><tbody>{body}</tbody></table>'


def _statement(statement: Statement, evidence: Sequence[dict[str, Any]], round_number: int, themes: Themes) -> str:
    text, word = statement.text, statement.word
    said = f"<b>{escape(word)}</b>{escape(text[len(word) :])}" if text.startswith(word) else escape(text)
    markers = _markers(statement.cites, evidence, round_number)
    ink = colour(themes.row(int(evidence[statement.cites[0]]["aspect"])).mark)
    count = f"{statement.reviewers} of {statement.total}"
    hint = f"{count} reviewers of this product wrote a sentence close to the ones cited"
    return (
        f'<div class="p-statement"><p>{said}&nbsp;<sup>{markers}</sup></p>'
        f'<span class="p-chip" title="{hint}" style="border-color:{ink}">{count}</span></div>'
    )


def _card(position: int, piece: dict[str, Any], themes: Themes, round_number: int, note: str) -> str:
    row = themes.row(int(piece["aspect"]))
    mark = f' <span class="p-mark">{escape(note)}</span>' if note else ""
    return (
        f'<article class="p-card" id="evidence-{round_number}-{position + 1}"><header>{position + 1} '
        f'<span class="p-chip" style="border-color:{colour(row.mark)}">{escape(row.label)}</span>{mark}</header>'
        f"<p>{escape(str(piece['text']))}</p><footer>{escape(_origin(piece))}</footer></article>"
    )


def _origin(piece: dict[str, Any]) -> str:
    parts = []
    if piece.get("rating") is not None:
        stars = round(float(piece["rating"]))
        parts.append("★" * stars + "☆" * (5 - stars))
    if piece.get("time") is not None:
        parts.append(datetime.fromtimestamp(piece["time"] / 1000, tz=UTC).strftime("%b %Y"))
    if piece.get("verified"):
        parts.append("verified")
    if piece.get("reviewers", 1) > 1:
        parts.append(f"same words from {piece['reviewers']} reviewers")
    return " · ".join(parts) or "no stars or date in the source"


def apart(name: str) -> str:
    """Return a name for use within a line: written from the right, it does not pull what follows along.

    >>> apart("lotion"), len(apart("\u05e7\u05e8\u05dd"))
    ('lotion', 5)
    """
    to_the_left = any(bidirectional(sign) in ("R", "AL") for sign in name)
    return f"\u2068{name}\u2069" if to_the_left else name


def plain(text: str) -> str:
    """Escape text for use inside an element."""
    return escape(text)
