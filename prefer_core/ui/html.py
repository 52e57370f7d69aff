"""Review text and summaries as HTML: everything that comes from a review or a model is escaped here."""

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from typing import Any

from prefer_core.figures.theme import colour
from prefer_core.rewriting import Statement, Summary
from prefer_core.rewriting.support import aspect_reviewers, total_reviewers
from prefer_core.types import ProductCorpus

# Folded, so that the slider stays on a laptop's screen.
_FOLDED = '<details class="p-paragraph"><summary>As one paragraph</summary><p>{}</p></details>'


def summary(
    text: Summary, evidence: Sequence[dict[str, Any]], round_number: int, title: str = "What reviewers say, for you"
) -> str:
    """Return a summary: one row a statement with its markers and count, then the polished paragraph."""
    rows = "".join(_statement(s, evidence, round_number) for s in text.statements)
    # Without a model the paragraph only repeats the statements.
    polished = text.paragraph if text.paragraph_source == "model" else ""
    paragraph = _FOLDED.format(escape(polished)) if polished else ""
    return f'<p class="p-title">{escape(title)}</p>{rows}{paragraph}'


def about(product: ProductCorpus, evidence: Sequence[dict[str, Any]], labels: Sequence[str]) -> str:
    """Return how many reviewers write about each theme of the evidence at all, in order of appearance."""
    total = total_reviewers(product)
    themes = dict.fromkeys(int(piece["aspect"]) for piece in evidence)
    counts = (f"{escape(labels[k])} {aspect_reviewers(product, k)}" for k in themes)
    return f'<p class="p-quiet">Of {total} reviewers, so many write about: {" · ".join(counts)}.</p>'


def cards(
    evidence: Sequence[dict[str, Any]], labels: Sequence[str], round_number: int, notes: Sequence[str] = ()
) -> str:
    """Return the evidence as cards, in order of extraction; `notes` may mark each with a few words."""
    body = "".join(_card(i, piece, labels, round_number, notes[i] if notes else "") for i, piece in enumerate(evidence))
    return f'<div class="p-cards">{body}</div>'


def facts(rows: Sequence[tuple[str, str, str]]) -> str:
    """Return a table of (name, number, explanation)."""
    body = "".join(
        f'<tr><td>{escape(name)}</td><td class="p-number">{escape(number)}</td><td>{escape(meaning)}</td></tr>'
        for name, number, meaning in rows
    )
    return f'<table class="p-facts"><tbody>{body}</tbody></table>'


def _statement(statement: Statement, evidence: Sequence[dict[str, Any]], round_number: int) -> str:
    text, word = statement.text, statement.word
    said = f"<b>{escape(word)}</b>{escape(text[len(word) :])}" if text.startswith(word) else escape(text)
    markers = " ".join(
        f'<a href="#evidence-{round_number}-{i + 1}" title="{escape(str(evidence[i]["text"]), quote=True)}">{i + 1}</a>'
        for i in statement.cites
    )
    aspect = int(evidence[statement.cites[0]]["aspect"])
    count = f"{statement.reviewers} of {statement.total}"
    hint = f"{count} reviewers of this product wrote a sentence close to the ones cited"
    return (
        f'<div class="p-statement"><p>{said}&nbsp;<sup>{markers}</sup></p>'
        f'<span class="p-chip" title="{hint}" style="border-color:{colour(aspect)}">{count}</span></div>'
    )


def _card(position: int, piece: dict[str, Any], labels: Sequence[str], round_number: int, note: str) -> str:
    aspect = int(piece["aspect"])
    mark = f' <span class="p-mark">{escape(note)}</span>' if note else ""
    return (
        f'<article class="p-card" id="evidence-{round_number}-{position + 1}"><header>{position + 1} '
        f'<span class="p-chip" style="border-color:{colour(aspect)}">{escape(labels[aspect])}</span>{mark}</header>'
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


def plain(text: str) -> str:
    """Escape text for use inside an element."""
    return escape(text)
