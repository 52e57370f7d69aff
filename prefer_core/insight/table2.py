"""The paper's Table cross_user_heterogeneity, of any comparison, as CSV, as LaTeX and as HTML."""

import unicodedata
from collections.abc import Sequence
from html import escape

from prefer_core.aspects.names import View
from prefer_core.data import spreadsheet
from prefer_core.insight.comparison import SEED, Compared, interpretation
from prefer_core.insight.profiles import Profile
from prefer_core.rewriting import Summary
from prefer_core.types import ShownPoint

Terms = Sequence[Sequence[str]]
"""What sets each of the K aspects apart, the strongest first."""

COLUMNS = (
    "corpus", "product", "profile", "code", "chosen_from", "extractor", "seed", "w", "z", "g_cos", "interpretation",
    "writer", "high", "mid", "low", "summary", "points", "evidence", "aspects",
)  # fmt: skip
BLOCKS = ("high", "mid", "low")

_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"}, "“": "``", "”": "''", "‘": "`", "’": "'", "–": "--", "—": "---",
    "…": r"\ldots{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "\u00a0": "~", "\u202f": "~",
    "€": r"\texteuro{}", "°": r"\textdegree{}", "½": "1/2", "¼": "1/4", "¾": "3/4", "²": "2", "³": "3", "\u00ad": "",
}  # fmt: skip


def to_csv(
    corpus: str, product: str, compared: Sequence[Compared], texts: Sequence[Summary], view: View, terms: Terms
) -> str:
    """Return one row a column of the desk; w, z, points and evidence keep all their digits and words.

    The byte-order mark that a file begins with is left to the caller. w and z are by built aspect; the last cell says
    what each was called by the build and by people.
    """
    rows = []
    for one, text in zip(compared, texts, strict=True):
        cells = [
            corpus,
            product,
            one.profile.name,
            one.profile.code,
            one.kind,
            one.how.extractor,
            SEED,
            " ".join(repr(float(x)) for x in one.profile.w),
            " ".join(repr(float(x)) for x in one.round.z),
            one.alignment,
            interpreted(one, view, terms),
            text.writer,
            *(text.stages.get(block, "") for block in BLOCKS),
            text.paragraph,
            "\n".join(point(claim) for claim in one.claims),
            "\n".join(f"[{i}] {piece.text}" for i, piece in enumerate(one.evidence, 1)),
            aspects(view),
        ]
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return spreadsheet.to_csv(rows, COLUMNS, mark=False)


def to_latex(product: str, compared: Sequence[Compared], texts: Sequence[Summary], view: View, terms: Terms) -> str:
    r"""Return the table as the paper sets it (needs booktabs and, for accents, T1 fonts); every word is escaped.

    The caption names the product, who wrote and the seed, and, where people named aspects, what the build called them;
    G_cos has four digits, as in the paper. Sentences chosen as in the paper stand in blocks by support, points under
    their text. Signs that pdfLaTeX's fonts lack are named in brackets; other alphabets need XeLaTeX or LuaLaTeX.
    """
    width = r"@{}p{0.25\linewidth}|p{0.15\linewidth}|p{0.15\linewidth}|p{0.36\linewidth}@{}"
    writers = ", ".join(dict.fromkeys(text.writer for text in texts))
    rows = []
    for one, text in zip(compared, texts, strict=True):
        rows.append(
            f"{latex(one.profile.name)} & {vector(one.profile)} & {one.alignment:.4f} & "
            f"{latex(interpreted(one, view, terms))} \\\\\n"
            "\\multicolumn{4}{@{}p{\\linewidth}@{}}{\\textbf{Generated summary.} "
            f"\\emph{{{latex(' '.join(blocks(one, text)))}}}{_points(one)}}} \\\\"
        )
    body = "\n\\midrule\n".join(rows)
    named = f" Aspects: {latex(aspects(view))}." if view.changed else ""
    return (
        "% Needs \\usepackage[T1]{fontenc} and \\usepackage{booktabs}.\n"
        "\\begin{table*}[t]\n\\centering\n\\scriptsize\n"
        f"\\caption{{Summaries of {latex(product)} for different preferences. Written by {latex(writers)}; every draw "
        f"has seed {SEED}.{named}}}\n"
        f"\\begin{{tabular}}{{{width}}}\n\\toprule\n"
        "\\textbf{Summary target} & \\textbf{$\\widehat{\\mathbf w}$} & "
        "\\textbf{$G_{\\mathrm{cos}}(\\widehat{\\mathbf w},\\mathbf{z})$} & "
        "\\textbf{Latent aspect interpretation} \\\\\n"
        f"\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table*}}\n"
    )


def to_html(product: str, compared: Sequence[Compared], texts: Sequence[Summary], view: View, terms: Terms) -> str:
    """Return the same table as an HTML element."""
    rows = "".join(
        f"<tr><th scope=row>{escape(one.profile.name)}</th><td>{_vector_html(one.profile)}</td>"
        f"<td>{one.alignment:.4f}</td><td>{escape(interpreted(one, view, terms))}</td></tr>"
        f"<tr><td colspan=4><b>Generated summary.</b> <em>{escape(' '.join(blocks(one, text)))}</em>"
        + (f" <b>Points.</b> {escape('; '.join(point(claim) for claim in one.claims))}." if one.claims else "")
        + "</td></tr>"
        for one, text in zip(compared, texts, strict=True)
    )
    writers = ", ".join(dict.fromkeys(text.writer for text in texts))
    named = f" Aspects: {escape(aspects(view))}." if view.changed else ""
    return (
        f"<table class=table2><caption>Summaries of {escape(product)} for different preferences. Written by "
        f"{escape(writers)}; every draw has seed {SEED}.{named}</caption><thead><tr><th>Summary target</th>"
        "<th>ŵ</th><th>G<sub>cos</sub>(ŵ, z)</th><th>Latent aspect interpretation</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def blocks(one: Compared, text: Summary) -> list[str]:
    """Return the text of a column: in blocks by support where sentences were chosen as in the paper."""
    found = [f"{b.upper()}: {text.stages[b]}" for b in BLOCKS if one.paper and text.stages.get(b)]
    return found or [text.paragraph]


def interpreted(one: Compared, view: View, terms: Terms) -> str:
    """Name what a column's evidence is about: aspects with the words that set them apart."""
    return "; ".join(
        f"{view.names[row]} ({', '.join(words)})" if words else view.names[row]
        for row, words in interpretation(one.round.z, view, terms)
    )


def point(claim: ShownPoint) -> str:
    """Return one key point with its count, and with what others say against it.

    >>> large = dict(id="s", clause="It runs large.", point=0, aspect=0, reviewers=27, about=399, total=600, cites=())
    >>> point(ShownPoint(**large))
    'It runs large (27 of 399)'
    """
    said = f"{claim.clause.rstrip(' .')} ({claim.reviewers} of {claim.about})"
    other = claim.opposed
    return said if other is None else f"{said} / {other.clause.rstrip(' .')} ({other.reviewers})"


def _points(one: Compared) -> str:
    """Return the points of a profile for the table, or nothing where it was given sentences."""
    if not one.claims:
        return ""
    return f" \\textbf{{Points.}} {latex('; '.join(point(claim) for claim in one.claims))}."


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

    >>> import numpy as np
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
    return f"({', '.join(f'{x:.2f}' for x in profile.w)})"


def _vector_html(profile: Profile) -> str:
    kind, _, rest = profile.code.partition("-")
    if kind == "even":
        return "1/K · <b>1</b>"
    if kind == "theme":
        return f"<b>e</b><sub>{rest}</sub>"
    if kind == "mix":
        return " + ".join(f"½ <b>e</b><sub>{k}</sub>" for k in rest.split("-"))
    return f"({', '.join(f'{x:.2f}' for x in profile.w)})"


def latex(text: str) -> str:
    r"""Return text as LaTeX shows it letter by letter; signs that its fonts lack are named.

    >>> latex("50% & a_b for $5"), latex("“fine” \N{SMILING FACE WITH SUNGLASSES}")
    ('50\\% \\& a\\_b for \\$5', "``fine'' [smiling face with sunglasses]")
    """
    return "".join(_LATEX[mark] if mark in _LATEX else _in_fonts(mark) for mark in " ".join(text.split()))


def _in_fonts(mark: str) -> str:
    if mark < "\u0180" or unicodedata.category(mark)[0] in "LM":
        return "" if unicodedata.category(mark) == "Cc" else mark
    if unicodedata.category(mark) in ("Cf", "Co", "Cn", "Cs") or mark == "\N{VARIATION SELECTOR-16}":
        return ""
    return f"[{unicodedata.name(mark, 'sign').lower()}]"
