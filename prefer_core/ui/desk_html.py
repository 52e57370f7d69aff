"""What stands across the columns of a desk, as HTML that the page and the report share."""

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from html import escape

import numpy as np

from prefer_core.aspects.names import View
from prefer_core.figures.theme import colour
from prefer_core.insight import comparison
from prefer_core.insight.comparison import Compared, Overlap, Strip
from prefer_core.insight.narrowing import STARS, Mix
from prefer_core.insight.why import Difference
from prefer_core.rewriting import Evidence
from prefer_core.types import FloatArray
from prefer_core.ui import html

Say = Callable[[float], str]

EDGES = "Solid edge: no other profile here was given the sentence. Dashed edge: another one was too; a mark says which."


_LETTERS = 110
"""Letters that the heads of all aspects may have beside each other; from there on they stand upright."""


def heat_map(names: Sequence[str], view: View, compared: Sequence[Compared]) -> str:
    """Return profiles x aspects: for each profile what it wants (w), and below it what its evidence is about (z).

    Parameters
    ----------
    names : sequence of N str
        Titles of the columns.
    view : View
        How aspects are shown.
    compared : sequence of N Compared
        What each column wants and is shown.
    """
    w, z = np.array([one.profile.w for one in compared]), np.array([one.round.z for one in compared])
    heads = "".join(
        f'<th scope="col"><span class="p-dot" style="background:{colour(row.mark)}"></span>{escape(row.label)}</th>'
        for row in view.rows
    )
    body = ""
    for name, wanted, shown in zip(names, view.fold(w), view.fold(z), strict=True):
        body += (
            f'<tr class="p-first"><th scope="rowgroup" rowspan="2">{escape(name)}</th><td class="p-which">wants</td>'
            f"{_cells(wanted, _percent)}</tr>"
            f'<tr><td class="p-which">is shown</td>{_cells(shown, _percent)}</tr>'
        )
    longest = max(len(word) for name in view.names for word in name.split())
    many = " p-many" if longest * len(view.rows) > _LETTERS else ""
    return (
        f'<div class="p-wide"><table class="p-heat{many}"><thead><tr><th></th><th></th>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def matrix(letters: Sequence[str], values: FloatArray, say: Say, titles: Sequence[Sequence[str]] = ()) -> str:
    """Return N x N values in [0, 1], stronger where they are larger; `titles` are told when a cell is touched."""
    heads = "".join(f'<th scope="col">{escape(letter)}</th>' for letter in letters)
    body = "".join(
        f'<tr><th scope="row">{escape(letter)}</th>{_cells(line, say, titles[i] if titles else ())}</tr>'
        for i, (letter, line) in enumerate(zip(letters, values, strict=True))
    )
    dense = " p-dense" if len(letters) > 8 else ""
    return (
        f'<div class="p-wide"><table class="p-heat p-square{dense}"><thead><tr><th></th>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def overlap_titles(found: Overlap, letters: Sequence[str]) -> list[list[str]]:
    """Say for each two columns how many sentences they share."""
    return [
        [
            f"{a} rests on {found.evidence[i, i]} sentences" if i == j
            else f"{a} and {b} share {found.evidence[i, j]} sentences"
            for j, b in enumerate(letters)
        ]
        for i, a in enumerate(letters)
    ]  # fmt: skip


def _cells(values: FloatArray, say: Say, titles: Sequence[str] = ()) -> str:
    cells = ""
    for i, value in enumerate(values):
        title = f' title="{escape(titles[i], quote=True)}"' if titles else ""
        strong = ' class="p-strong"' if value >= 0.6 else ""
        cells += f'<td{strong} style="--v:{100 * min(1.0, float(value)):.0f}%"{title}>{escape(say(float(value)))}</td>'
    return cells


def _percent(value: float) -> str:
    return f"{100 * value:.0f}" if value >= 0.005 else "·"


def star_bars(names: Sequence[str], product: Mix, shown: Sequence[Mix]) -> str:
    """Return one bar a column of the stars behind its evidence, under that of all the product's sentences."""
    rows = [("All sentences of the product", product), *zip(names, shown, strict=True)]
    body = "".join(_star_row(name, one.stars) for name, one in rows)
    key = "".join(f'<span><i class="p-star-{star}"></i>{star}</span>' for star in STARS)
    return f'<div class="p-stars">{body}<p class="p-quiet p-star-key">Stars: {key}</p></div>'


def _star_row(name: str, shares: FloatArray) -> str:
    head = f'<p class="p-star-name">{escape(name)}</p>'
    if not shares.any():
        return f'{head}<p class="p-quiet">no stars in the source</p>'
    mean = float(shares @ np.array(STARS))
    parts = "".join(
        f'<span class="p-star-{star}" style="width:{100 * share:.2f}%" title="{star} stars: {100 * share:.0f} %">'
        f"{f'{100 * share:.0f} %' if share >= 0.07 else ''}</span>"
        for star, share in zip(STARS, shares, strict=True)
        if share > 0
    )
    return f'{head}<div class="p-star-bar">{parts}</div><p class="p-star-mean">{mean:.1f}</p>'


def word_difference(one: str, other: str) -> tuple[str, str]:
    """Return two texts with the words that only one has marked: struck through in the first, underlined in the second.

    >>> word_difference("Many like it.", "Few like it.")
    ('<del>Many</del> like it.', '<ins>Few</ins> like it.')
    """
    a, b = one.split(), other.split()
    left, right = [], []
    for kind, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        here, there = escape(" ".join(a[i:j])), escape(" ".join(b[k:m]))
        if here:
            left.append(here if kind == "equal" else f"<del>{here}</del>")
        if there:
            right.append(there if kind == "equal" else f"<ins>{there}</ins>")
    return " ".join(left), " ".join(right)


def strip(found: Strip, says: Sequence[str], marks: Sequence[int]) -> str:
    """Return a strip of values with, below, G_cos and what is chosen at each.

    Parameters
    ----------
    found : Strip
    says : sequence of str
        What each of `found.places` says.
    marks : sequence of int
        The aspect whose colour each has.
    """
    heads = "".join(f'<th scope="col">{value:g}</th>' for value in found.values)
    fits = np.array([one.alignment for one in found.columns])
    body = "".join(
        f'<tr><th scope="row"><span class="p-dot" style="background:{colour(mark)}"></span><span dir="auto">'
        f"{escape(said)}</span></th>{''.join(_there(have, colour(mark)) for have in found.has(place))}</tr>"
        for place, said, mark in zip(found.places, says, marks, strict=True)
    )
    return (
        f'<div class="p-wide"><table class="p-heat p-strip"><thead><tr><th></th>{heads}</tr></thead><tbody>'
        f'<tr class="p-fit"><th scope="row">Wish and evidence agree by</th>{_cells(fits, lambda v: f"{v:.2f}")}</tr>'
        f"{body}</tbody></table></div>"
    )


def _there(have: bool, ink: str) -> str:
    return f'<td><i class="p-there" style="background:{ink}"></i><span class="p-hear">given</span></td>' if have else (
        '<td><span class="p-hear">not given</span></td>'
    )  # fmt: skip


def differences(
    found: Sequence[Difference], letters: tuple[str, str], says: Sequence[str], counts: Sequence[str],
    changes: Sequence[str], marks: Sequence[int],
) -> str:  # fmt: skip
    """Return what one of two columns was given and the other was not, with what each made of it.

    Parameters
    ----------
    found : sequence of D Difference
    letters : (str, str)
        Of the two columns.
    says, counts, changes : sequences of D str
        What each says, by how many, and what would bring it in.
    marks : sequence of D int
        The aspect whose colour each has.
    """
    a, b = map(escape, letters)
    body = ""
    for each, said, count, change, mark in zip(found, says, counts, changes, marks, strict=True):
        own, other = letters[each.has], letters[1 - each.has]
        body += (
            f'<tr><th scope="row"><span class="p-dot" style="background:{colour(mark)}"></span>'
            f'<span dir="auto">{escape(said)}</span><br><small>{escape(count)}</small></th>'
            f'<td><b class="p-only">only {escape(own)}</b></td>'
            f"<td>{each.relevance[0]:.2f}</td><td>{each.relevance[1]:.2f}</td>"
            f"<td>{_rank(each, 0)}</td><td>{_rank(each, 1)}</td>"
            f"<td>{_redundancy(each, 0)}</td><td>{_redundancy(each, 1)}</td>"
            f'<td class="p-change"><small>{escape(other)} would get it with</small><br>{escape(change)}</td></tr>'
        )
    if not body:
        return '<p class="p-quiet">Both were given the same.</p>'
    return (
        '<div class="p-wide"><table class="p-why"><thead><tr><th rowspan="2" scope="col">What is said, by how many</th>'
        '<th rowspan="2" scope="col">Given to</th><th colspan="2" scope="colgroup">Relevance w·φ</th>'
        '<th colspan="2" scope="colgroup">Rank then</th><th colspan="2" scope="colgroup">Redundancy then</th>'
        '<th rowspan="2" scope="col">Smallest change of weights</th></tr>'
        f"<tr>{f'<th>{a}</th><th>{b}</th>' * 3}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _rank(each: Difference, who: int) -> str:
    one = each.weighed[who]
    if one is None:
        return '<span title="It could not be chosen: it waited for another one, or was too long.">–</span>'
    held = ' title="the place kept for safety, complaints and what few people say"' if one.reserved else ""
    return f"<span{held}>{one.rank} of {one.among}{'*' if one.reserved else ''}</span>"


def _redundancy(each: Difference, who: int) -> str:
    one = each.weighed[who]
    return "–" if one is None else f"{one.redundancy:.2f}"


def about(one: Compared, view: View, told: Sequence[tuple[int, tuple[str, ...]]]) -> str:
    """Return what a column's evidence is about: names in their colours, with the words that set the aspects apart."""
    parts = []
    for row, words in told:
        said = f" ({', '.join(words)})" if words else ""
        parts.append(
            f'<span class="p-named"><span class="p-dot" style="background:{colour(view.rows[row].mark)}"></span> '
            f'{escape(view.names[row])}</span><span class="p-terms">{escape(said)}</span>'
        )
    return f'<p class="p-about">{" ".join(parts)}</p>'


def basis(letter: str, one: Compared, written: Evidence) -> html.Basis:
    """Return what a column's text rests on, numbered in its order."""
    return html.basis(f"evidence-{letter}", one.evidence, one.claims, written)


def marks(letters: Sequence[str], compared: Sequence[Compared], i: int, rests: html.Basis) -> list[str]:
    """Say, for each group of a column's evidence, who else was given it."""
    one = compared[i]
    also = dict(zip(one.chosen, comparison.shared_with(compared)[i], strict=True))
    places = [claim.point if claim is not None else int(one.round.evidence[at[0]]) for claim, at in rests.groups]
    # What belongs together stays on one line.
    return ["also " + ",\u00a0".join(letters[j] for j in also[place]) if also[place] else "" for place in places]


def evidence_cards(
    letters: Sequence[str], compared: Sequence[Compared], written: Sequence[Evidence], i: int, view: View
) -> str:
    """Return the evidence of a column as cards that show what is its alone."""
    rests = basis(letters[i], compared[i], written[i])
    alone = [not others for others in comparison.sentences_shared_with(compared)[i]] if len(compared) > 1 else ()
    return html.cards(rests, view, marks(letters, compared, i, rests), alone=alone)
