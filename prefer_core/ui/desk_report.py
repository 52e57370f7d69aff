"""What a desk gives to take along: the paper's Table 2 in three forms, the desk as a file, all of it as a page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from prefer_core.data.spreadsheet import MARK
from prefer_core.insight import comparison, desk, table2
from prefer_core.insight.comparison import SEED, Compared
from prefer_core.rewriting import Evidence, Summary
from prefer_core.ui import desk_html, desk_two, html
from prefer_core.ui.desk import Choice
from prefer_core.ui.resources import ASSETS

_STYLE = """
body { font: 16px/1.45 "Source Sans", "Source Sans Pro", Helvetica, Arial, sans-serif; color: var(--p-ink);
  background: var(--p-page, #fff); max-width: 1250px; margin: 2rem auto; padding: 0 1.2rem; }
@media (prefers-color-scheme: dark) { body { background: #15151c; color: #ececf2; } }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1.05rem; margin: 1.2rem 0 .4rem; }
.columns { display: grid; grid-template-columns: repeat(auto-fill, minmax(270px, 1fr)); gap: 1.2rem; }
.columns > div { border: 1px solid var(--p-edge); border-radius: .4rem; padding: .8rem 1rem; }
.table2 { border-collapse: collapse; width: 100%; } .table2 caption { text-align: left; margin-bottom: .5rem; }
.table2 th, .table2 td { text-align: left; vertical-align: top; padding: .4rem .6rem;
  border-top: 1px solid var(--p-edge); }
@media print { .columns > div { break-inside: avoid; } }
"""


@dataclass(frozen=True)
class Files:
    """The files of one desk, made when they are asked for.

    Attributes
    ----------
    choice, compared, written
        The desk, what each column is shown, and what its text rests on.
    texts : callable
        The texts as they are by then.
    """

    choice: Choice
    compared: Sequence[Compared]
    written: Sequence[Evidence]
    texts: Callable[[], list[Summary]]

    @property
    def all(self) -> list[tuple[str, Callable[[], str], str, str]]:
        """Label, maker, name and kind of each file."""
        return [
            ("Whole desk (report, HTML)", self.report, "desk.html", "text/html"),
            ("Table 2 (CSV)", self.csv, "profiles.csv", "text/csv"),
            ("Table 2 (LaTeX)", self.latex, "profiles.tex", "text/plain"),
            ("Table 2 (HTML)", self.html, "profiles.html", "text/html"),
            ("Desk (to bring back)", self.desk, "desk.json", "application/json"),
        ]

    @property
    def _title(self) -> str:
        return self.choice.here.product.title or self.choice.product_id

    def csv(self) -> str:
        """Return Table 2 as CSV."""
        corpus = self.choice.corpus
        return MARK + table2.to_csv(corpus.name, self._title, self.compared, self.texts(), corpus.view, corpus.terms)

    def latex(self) -> str:
        """Return Table 2 as LaTeX."""
        corpus = self.choice.corpus
        return table2.to_latex(self._title, self.compared, self.texts(), corpus.view, corpus.terms)

    def html(self) -> str:
        """Return Table 2 as a page of its own."""
        return _page(f"Profiles on {self._title}", self._table())

    def desk(self) -> str:
        """Return the desk as JSON."""
        return self.choice.desk().to_json(tuple(self.choice.names))

    def report(self) -> str:
        """Return everything about the desk as one page that needs nothing else."""
        choice, compared, view = self.choice, self.compared, self.choice.corpus.view
        texts, plain = self.texts(), html.plain
        columns = ""
        for i, (one, text, written) in enumerate(zip(compared, texts, self.written, strict=True)):
            about = desk_html.about(one, view, comparison.interpretation(one.round.z, view, choice.corpus.terms))
            rests = desk_html.basis(choice.letters[i], one, written)
            columns += (
                f'<div class="p-narrow"><p class="p-title">{plain(choice.titles[i])}</p>{about}'
                f"{html.paragraph(text, rests)}"
                f'<p class="p-quiet">G<sub>cos</sub>(w, z) = {one.alignment:.4f}; {plain(_how(one))}; written by '
                f"{plain(text.writer)}.</p>"
                f"{desk_html.evidence_cards(choice.letters, compared, self.written, i, view)}</div>"
            )
        heat = desk_html.heat_map(choice.titles, view, compared)
        own, shown = comparison.stars(choice.here.product, compared)
        parts = [
            f"<h1>{plain(self._title)}</h1>"
            f'<p class="p-quiet">{len(compared)} profiles on {plain(choice.corpus.name)} (corpus '
            f"{plain(choice.corpus.id)}). Every draw has seed {SEED}.</p>",
            f"<h2>Summaries and evidence</h2>{_edges(compared)}<div class=columns>{columns}</div>",
            f"<h2>What each wants, and what its evidence is about</h2>{heat}"
            '<p class="p-quiet">In per cent: w, and below it z.</p>',
            f"<h2>Stars</h2>{desk_html.star_bars(choice.titles, own, shown)}",
        ]
        if len(compared) > 1:
            parts += ["<h2>Overlap</h2>", *(f'<h3>{plain(title)}</h3>{body}<p class="p-quiet">{plain(read)}</p>'
                                            for title, read, body in overlaps(choice, compared))]  # fmt: skip
            parts.append(self._two(texts))
        parts.append(f"<h2>As in the paper's Table 2</h2>{self._table()}")
        return _page(f"Profiles on {self._title}", "".join(parts) + desk.in_report(self.desk()))

    def _two(self, texts: Sequence[Summary]) -> str:
        choice, compared = self.choice, self.compared
        one, other = (min(st.session_state.get(key, i), len(compared) - 1) for i, key in enumerate(desk_two.PAIR))
        if one == other or compared[one].kind != compared[other].kind or compared[one].preset != compared[other].preset:
            return ""
        found = desk_two.known_differences(choice.here, compared[one], compared[other])
        table = desk_two.differences_table(
            choice.here, found, (choice.letters[one], choice.letters[other]), (compared[one], compared[other])
        )
        left, right = desk_html.word_difference(texts[one].paragraph, texts[other].paragraph)
        return (
            f"<h2>Why {html.plain(choice.titles[one])} and {html.plain(choice.titles[other])} differ</h2>{table}"
            f'<div class="columns p-words"><div>{left}</div><div>{right}</div></div>'
        )

    def _table(self) -> str:
        corpus = self.choice.corpus
        return table2.to_html(self._title, self.compared, self.texts(), corpus.view, corpus.terms)


def overlaps(choice: Choice, compared: Sequence[Compared]) -> list[tuple[str, str, str]]:
    """Return title, one sentence on how to read it, and body of each matrix of what columns have in common."""
    found, letters = comparison.overlap(compared), choice.letters
    most = max(1, int(found.chosen.max()))
    kinds = {one.kind for one in compared}
    units = kinds.pop() if len(kinds) == 1 else "things given"
    return [
        (
            "Evidence in common (Jaccard)",
            "Sentences that both rest on, over those that either rests on; 1 is the same evidence.",
            desk_html.matrix(letters, found.jaccard, "{:.2f}".format, desk_html.overlap_titles(found, letters)),
        ),
        (
            f"{units.capitalize()} in common",
            f"Counted; the diagonal is how many {units} a profile was given.",
            desk_html.matrix(letters, found.chosen / most, lambda share: f"{share * most:.0f}"),
        ),
        (
            "How alike the evidence is",
            "Cosine of what the evidence is about, z; 1 is the same mix of aspects.",
            desk_html.matrix(letters, np.clip(found.cosine, 0, 1), "{:.2f}".format),
        ),
    ]


def _how(one: Compared) -> str:
    way = {"mmr": "MMR", "gumbel": "Gumbel"}.get(one.how.extractor, one.how.extractor)
    return f"{len(one.chosen)} {one.kind} by {way}"


def _edges(compared: Sequence[Compared]) -> str:
    return f'<p class="p-quiet">{desk_html.EDGES}</p>' if len(compared) > 1 else ""


def _page(title: str, body: str) -> str:
    style = (ASSETS / "prefer.css").read_text(encoding="utf-8")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{html.plain(title)}</title><style>{style}{_STYLE}</style></head><body>{body}</body></html>"
    )
