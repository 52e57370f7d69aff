"""Review text and summaries as HTML: everything that comes from a review or a model is escaped here."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from unicodedata import bidirectional

from prefer_core.aspects.names import View as Themes
from prefer_core.figures.theme import colour
from prefer_core.rewriting import Evidence, Summary
from prefer_core.rewriting.base import WORDS
from prefer_core.rewriting.template import quotation
from prefer_core.study.texts import texts
from prefer_core.types import QUOTED, EvidenceSentence, ShownPoint

IN_ENGLISH = texts("en")
"""What stands around counts and evidence; participants of a study read it in the study's language."""


@dataclass(frozen=True)
class Basis:
    """What a summary rests on, numbered in the order in which its text comes to it.

    Attributes
    ----------
    anchor : str
        What the ids of its cards begin with: no two summaries of a page share it.
    evidence : sequence of s EvidenceSentence
        S_t as the round keeps it.
    groups : sequence of (ShownPoint or None, sequence of int)
        Each point with the places of its sentences in S_t; None where a sentence speaks for itself.
    """

    anchor: str
    evidence: Sequence[EvidenceSentence]
    groups: Sequence[tuple[ShownPoint | None, Sequence[int]]]

    @property
    def claims(self) -> list[ShownPoint]:
        """The points, in the order of the text."""
        return [claim for claim, _ in self.groups if claim is not None]

    def number(self, place: int) -> int:
        """Return the number under which the sentence at a place of S_t is cited, from 1."""
        order = [i for _, places in self.groups for i in places]
        return 1 + order.index(place)


def basis(
    anchor: str, evidence: Sequence[EvidenceSentence], claims: Sequence[ShownPoint], written: Evidence,
    text: Summary | None = None,
) -> Basis:  # fmt: skip
    """Bring a round's points, or else its sentences, into the order of its text.

    Parameters
    ----------
    anchor : str
        See `Basis`.
    evidence : sequence of EvidenceSentence
    claims : sequence of ShownPoint
        As the round keeps them.
    written : Evidence
        The same as it was given to the writer, which orders it.
    text : Summary, optional
        A finished text; it orders sentences that belong to no point.
    """
    if claims:
        by_point = {claim.point: claim for claim in claims}
        return Basis(anchor, evidence, [(by_point[one.point], sorted(one.all_cites)) for one in written.claims])
    cited = text.paragraph_cites if text is not None and text.paragraph_cites else [c.cites for c in written.claims]
    order = dict.fromkeys([*(i for cites in cited for i in cites if i < len(evidence)), *range(len(evidence))])
    return Basis(anchor, evidence, [(None, (i,)) for i in order])


def paragraph(text: Summary, rests: Basis, reserve: str = "") -> str:
    """Return the text with the markers of each of its sentences; `reserve` is a text whose room is kept free below."""
    parts, cites = in_sentences(text.paragraph), list(text.paragraph_cites)
    if len(parts) != len(cites):
        parts, cites = [text.paragraph], [tuple(sorted({i for c in cites for i in c}))]
    body = " ".join(f"{_worded(part)}{_markers(c, rests)}" for part, c in zip(parts, cites, strict=True))
    room = f'<p class="p-text p-room" aria-hidden="true">{escape(reserve)}</p>' if reserve else ""
    return f'<div class="p-stack"><p class="p-text" dir="auto">{body}</p>{room}</div>'


def in_sentences(text: str) -> list[str]:
    """Split a paragraph into its sentences; one may end inside a quotation, which is never cut.

    >>> in_sentences('One writes: "It leaks." Many like it. One asks: "Why? It broke."')
    ['One writes: "It leaks."', 'Many like it.', 'One asks: "Why? It broke."']
    """
    parts, quoted, start = [], False, 0
    for i, sign in enumerate(text):
        quoted ^= sign == '"'
        ends = sign in ".!?…" or (sign == '"' and text[i - 1 : i] in (".", "!", "?", "…"))
        if ends and not quoted and text[i + 1 : i + 2].isspace():
            parts.append(text[start : i + 1].strip())
            start = i + 1
    return [part for part in (*parts, text[start:].strip()) if part]


def _worded(part: str) -> str:
    """Return a sentence with the word for its count in bold."""
    word = next((w for w in (*WORDS, "Another reviewer") if part.startswith(w)), "")
    return f"<b>{escape(word)}</b>{escape(part[len(word) :])}" if word else escape(part)


def _markers(cites: Iterable[int], rests: Basis) -> str:
    found = sorted((rests.number(i), i) for i in cites if i < len(rests.evidence))
    links = (
        f'<a href="#{rests.anchor}-{n}" title="{escape(rests.evidence[i].text, quote=True)}">{n}</a>' for n, i in found
    )
    return f"&#8239;<sup>{' '.join(links)}</sup>" if found else ""


def clause(claim: ShownPoint, themes: Themes, note: str = "") -> str:
    """Return what a point says, behind a mark in its aspect's colour."""
    said = f'<span class="p-note">{escape(note)}</span>' if note else ""
    return f'<p class="p-clause">{_dot(claim, themes)}<span dir="auto">{escape(said_in(claim))}</span>{said}</p>'


def opposed_clauses(claim: ShownPoint, themes: Themes) -> str:
    """Return what a point says and, on the other side, what others say against it."""
    claim, other = claim.sides
    return (
        f'<p class="p-clause p-both">{_dot(claim, themes)}<span dir="auto">{escape(said_in(claim))}</span>'
        f'<span dir="auto">{escape(said_in(other))}</span>{_dot(other, themes)}</p>'
    )


def said_in(claim: ShownPoint) -> str:
    """Return a point's clause as a row shows it: without its full stop, a long quotation cut at a border."""
    text = claim.clause
    return f"“{quotation(text)}”" if claim.form in QUOTED else text.rstrip(" .!;,")


def bar(claim: ShownPoint, themes: Themes) -> str:
    """Return the bar of N within A."""
    return f'<div class="p-bar">{_filled(claim, themes)}</div>'


def opposed_bars(claim: ShownPoint, themes: Themes) -> str:
    """Return the bars of two points that contradict each other, each beginning at its count."""
    return (
        f'<div class="p-bars"><div class="p-bar">{_filled(claim, themes)}</div>'
        f'<div class="p-bar p-right">{_filled(claim.sides[-1], themes)}</div></div>'
    )


def of_whom(claim: ShownPoint, themes: Themes, words: Mapping[str, str] = IN_ENGLISH) -> str:
    """Return of how many reviewers N is told: "of 399 who write about size"; of all where the aspect names nothing."""
    if int(themes.place[claim.aspect]) in themes.never_named:
        return words["count_of_all"].format(total=claim.total)
    return words["count_of_topic"].format(about=claim.about, topic=topic(themes.row(claim.aspect).label))


def topic(label: str) -> str:
    """Return an aspect's name as it reads in a sentence.

    >>> topic("Smell, coconut"), topic("USB port")
    ('smell, coconut', 'USB port')
    """
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def rows(rests: Basis, themes: Themes, notes: Sequence[str] = (), words: Mapping[str, str] = IN_ENGLISH) -> str:
    """Return the points of a summary as rows that only show: colour, clause, bar and count."""
    body = ""
    for place, claim in enumerate(rests.claims):
        note = notes[place] if notes else ""
        if claim.voice:
            body += (
                f'<div class="p-row">{clause(claim, themes, ", ".join(filter(None, (_one(claim, words), note))))}</div>'
            )
        elif claim.opposed is None:
            count = f"<b>{claim.reviewers}</b> {escape(of_whom(claim, themes, words))}"
            body += (
                f'<div class="p-row">{clause(claim, themes, note)}'
                f'<div class="p-line-of">{bar(claim, themes)}<p class="p-count">{count}</p></div></div>'
            )
        else:
            rest = " · ".join(filter(None, (of_whom(claim, themes, words), note)))
            body += (
                f'<div class="p-row">{opposed_clauses(claim, themes)}<div class="p-line-of"><b>'
                f"{claim.reviewers}</b>{opposed_bars(claim, themes)}<b>{claim.opposed.reviewers}</b></div>"
                f'<p class="p-count">{escape(rest)}</p></div>'
            )
    return body


def _one(claim: ShownPoint, words: Mapping[str, str]) -> str:
    n = claim.reviewers
    return words["one_reviewer"] if n == 1 else words["reviewers_alike"].format(count=n)


def _dot(claim: ShownPoint, themes: Themes) -> str:
    row = themes.row(claim.aspect)
    return f'<span class="p-dot" style="background:{colour(row.mark)}" title="{escape(row.label)}"></span>'


def _filled(claim: ShownPoint, themes: Themes) -> str:
    ink = colour(themes.row(claim.aspect).mark)
    share = 100 * claim.reviewers / max(claim.about, 1)
    return f'<span style="width:{share:.1f}%;background:{ink}"></span>'


def cards(
    rests: Basis, themes: Themes, notes: Sequence[str] = (), titles: Sequence[str] = (), alone: Sequence[bool] = (),
    words: Mapping[str, str] = IN_ENGLISH,
) -> str:  # fmt: skip
    """Return the evidence as cards, numbered as the markers, those of a point under one head.

    Parameters
    ----------
    rests : Basis
        The evidence.
    themes : View
        Gives names and colours of the aspects.
    notes : sequence of str
        A few words beside each head, or on each card where sentences speak for themselves; may be empty.
    titles : sequence of str
        What each head says of its count; made here if left out.
    alone : sequence of s bool
        Of each sentence in S_t, whether no other summary rests on it: its card has another edge; may be empty.
    words : mapping of str to str
        What stands around counts and sentences.
    """
    body = ""
    for place, (claim, places) in enumerate(rests.groups):
        note = notes[place] if notes else ""
        inner = "".join(_card(rests, i, themes, "" if claim is not None else note, alone, words) for i in places)
        if claim is None:
            body += inner
            continue
        count = titles[place] if titles else _counted(claim, words)
        said = said_in(claim) + (f" / {said_in(claim.opposed)}" if claim.opposed is not None else "")
        mark = f'<span class="p-mark">{escape(note)}</span>' if note else ""
        body += (
            f'<section class="p-group"><p class="p-head">{_dot(claim, themes)}<b dir="auto">{escape(said)}</b>'
            f'<span class="p-quiet">{escape(count)}</span>{mark}</p><div class="p-cards">{inner}</div></section>'
        )
    return body if rests.claims else f'<div class="p-cards">{body}</div>'


def _counted(claim: ShownPoint, words: Mapping[str, str]) -> str:
    if claim.voice:
        return _one(claim, words)
    sides = [claim.reviewers] if claim.opposed is None else [claim.reviewers, claim.opposed.reviewers]
    return " / ".join(words["reviewers"].format(count=count) for count in sides)


def _card(rests: Basis, place: int, themes: Themes, note: str, alone: Sequence[bool], words: Mapping[str, str]) -> str:
    piece = rests.evidence[place]
    row = themes.row(piece.aspect)
    number = rests.number(place)
    mark = f' <span class="p-mark">{escape(note)}</span>' if note else ""
    edge = f" p-{'alone' if alone[place] else 'shared'}" if alone else ""
    return (
        f'<article class="p-card{edge}" id="{rests.anchor}-{number}"><header>{number} '
        f'<span class="p-chip" style="border-color:{colour(row.mark)}">{escape(row.label)}</span>{mark}</header>'
        f'<p dir="auto">{escape(piece.text)}</p><footer>{escape(origin(piece, words))}</footer></article>'
    )


def facts(rows: Sequence[tuple[str, str, str]]) -> str:
    """Return a table of (name, number, explanation)."""
    body = "".join(
        f'<tr><td>{escape(name)}</td><td class="p-number">{escape(number)}</td><td>{escape(meaning)}</td></tr>'
        for name, number, meaning in rows
    )
    return f'<table class="p-facts"><tbody>{body}</tbody></table>'


def origin(piece: EvidenceSentence, words: Mapping[str, str] = IN_ENGLISH) -> str:
    """Return stars, month and purchase of a sentence's review, as far as they are known."""
    parts = []
    if piece.rating is not None:
        parts.append(stars(piece.rating))
    if piece.time is not None:
        when = datetime.fromtimestamp(piece.time / 1000, tz=UTC)
        parts.append(f"{words['months'].split()[when.month - 1]} {when.year}")
    if piece.verified:
        parts.append(words["verified"])
    if piece.reviewers > 1:
        parts.append(words["same_words"].format(count=piece.reviewers))
    return " · ".join(parts) or words["no_origin"]


def stars(rating: float) -> str:
    """Return a rating as five stars.

    >>> stars(3.6)
    '★★★★☆'
    """
    full = round(rating)
    return "★" * full + "☆" * (5 - full)


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


def label(text: str) -> str:
    r"""Escape text for the label of a button, which Streamlit reads as Markdown.

    >>> label("5 of 9 who write about $price")
    '5 of 9 who write about \\$price'
    """
    return re.sub(r"([\\`*_{}\[\]()#+!$:~|<>-])", r"\\\1", text)
