"""The paper's Table cross_user_heterogeneity, of any comparison, as CSV and as LaTeX."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from prefer_core.aspects.names import View
from prefer_core.data import spreadsheet
from prefer_core.insight.comparison import Compared, Profile
from prefer_core.rewriting import Summary
from prefer_core.types import FloatArray

COLUMNS = (
    "corpus", "product", "profile", "code", "w", "g_cos", "themes_shown", "writer", "high", "mid", "low", "summary",
    "points", "evidence", "aspects",
)  # fmt: skip
BLOCKS = ("high", "mid", "low")

_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
}  # fmt: skip


def to_csv(corpus: str, product: str, compared: Sequence[Compared], texts: Sequence[Summary], view: View) -> str:
    """Return one row a profile; w, points and evidence keep all their digits and words.

    The byte-order mark that a file begins with is left to the caller. w is by built aspect; the last column says what
    each was called by the build and by people.
    """
    rows = []
    for one, text in zip(compared, texts, strict=True):
        cells = [
            corpus,
            product,
            one.profile.name,
            one.profile.code,
            " ".join(repr(float(x)) for x in one.profile.w),
            one.alignment,
            themes(view.fold(one.round.z), view.names),
            text.writer,
            *(text.stages.get(block, "") for block in BLOCKS),
            text.paragraph,
            "\n".join(point(claim) for claim in one.claims),
            "\n".join(f"[{i}] {piece.text}" for i, piece in enumerate(one.evidence, 1)),
            aspects(view),
        ]
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return spreadsheet.to_csv(rows, COLUMNS, mark=False)


def to_latex(product: str, compared: Sequence[Compared], texts: Sequence[Summary], view: View) -> str:
    r"""Return the table as the paper sets it (needs booktabs); every word is escaped.

    The caption names the product and who wrote, and, where people named aspects, what the build called them; G_cos has
    four digits, as in the paper. Sentences chosen as in the paper stand in blocks by support, points under their text.
    """
    width = r"p{0.25\linewidth}|p{0.15\linewidth}|p{0.15\linewidth}|p{0.37\linewidth}"
    writers = ", ".join(dict.fromkeys(text.writer for text in texts))
    rows = []
    for one, text in zip(compared, texts, strict=True):
        blocks = [f"{b.upper()}: {text.stages[b]}" for b in BLOCKS if one.paper and text.stages.get(b)]
        blocks = blocks or [text.paragraph]
        rows.append(
            f"{latex(one.profile.name)} & {vector(one.profile)} & {one.alignment:.4f} & "
            f"{latex(themes(view.fold(one.round.z), view.names))} \\\\\n"
            "\\multicolumn{4}{p{\\linewidth}}{\\textbf{Generated summary.} "
            f"\\emph{{{latex(' '.join(blocks))}}}{_points(one)}}} \\\\"
        )
    body = "\n\\midrule\n".join(rows)
    named = f" Aspects: {latex(aspects(view))}." if view.changed else ""
    return (
        "\\begin{table*}[t]\n\\centering\n\\scriptsize\n"
        f"\\caption{{Summaries of {latex(product)} for different preferences. Written by {latex(writers)}.{named}}}\n"
        f"\\begin{{tabular}}{{{width}}}\n\\toprule\n"
        "\\textbf{Summary target} & \\textbf{$\\widehat{\\mathbf w}$} & "
        "\\textbf{$G_{\\mathrm{cos}}(\\widehat{\\mathbf w},\\mathbf{z})$} & \\textbf{Aspects of the evidence} \\\\\n"
        f"\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table*}}\n"
    )


def point(claim: Mapping[str, Any]) -> str:
    """Return one key point with its count, and with what others say against it.

    >>> point({"clause": "It runs large.", "reviewers": 27, "about": 399, "opposed": None})
    'It runs large (27 of 399)'
    """
    said = f"{str(claim['clause']).rstrip(' .')} ({claim['reviewers']} of {claim['about']})"
    other = claim["opposed"]
    return said if other is None else f"{said} / {str(other['clause']).rstrip(' .')} ({other['reviewers']})"


def _points(one: Compared) -> str:
    """Return the points of a profile for the table, or nothing where it was given sentences."""
    if not one.claims:
        return ""
    return f" \\textbf{{Points.}} {latex('; '.join(point(claim) for claim in one.claims))}."


def themes(z: FloatArray, labels: Sequence[str], least: float = 0.15) -> str:
    """Name what evidence is about: the aspects that hold at least `least` of z, the largest first.

    >>> themes(np.array([0.1, 0.7, 0.2]), ("lid", "smell", "price"))
    'smell, price'
    """
    order = [int(k) for k in np.argsort(-np.asarray(z), kind="stable")]
    return ", ".join(labels[k] for k in order if z[k] >= least) or labels[order[0]]


def aspects(view: View) -> str:
    """Return what each built aspect is called, by the build and, where that differs, by people.

    >>> aspects(View.of(("Lid", "Smell")))
    'e0 Lid; e1 Smell'
    """
    parts = []
    for one in view.key():
        given = f" (called {one['given']})" if one["given"] != one["built"] else ""
        parts.append(f"e{one['aspect']} {one['built']}{given}{' (hidden)' if one['hidden'] else ''}")
    return "; ".join(parts)


def vector(profile: Profile) -> str:
    r"""Return w in the paper's signs where it has one, else its values.

    >>> vector(Profile("mix-0-2", "", np.array([0.5, 0.0, 0.5])))
    '$\\frac{1}{2}\\mathbf e_{0}+\\frac{1}{2}\\mathbf e_{2}$'
    """
    kind, _, rest = profile.code.partition("-")
    if kind == "even":
        return r"$\frac{1}{K}\mathbf 1$"
    if kind == "theme":
        return rf"$\mathbf e_{{{rest}}}$"
    if kind == "mix":
        one, other = rest.split("-")
        return rf"$\frac{{1}}{{2}}\mathbf e_{{{one}}}+\frac{{1}}{{2}}\mathbf e_{{{other}}}$"
    return f"$({', '.join(f'{x:.2f}' for x in profile.w)})$"


def latex(text: str) -> str:
    r"""Return text as LaTeX shows it letter by letter.

    >>> latex("50% & a_b for $5")
    '50\\% \\& a\\_b for \\$5'
    """
    return "".join(_LATEX.get(mark, mark) for mark in text)
