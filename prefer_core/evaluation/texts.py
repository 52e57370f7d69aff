"""Summaries written out to be read by people: profile, evidence, statements with their markers, paragraph."""

from collections.abc import Sequence

from prefer_core.rewriting.base import Evidence, Summary

Written = tuple[str, Evidence, Summary]
"""Profile, evidence and text of one set."""


def as_markdown(writer: str, written: Sequence[Written]) -> str:
    """Return the texts of one writer, one section a set."""
    parts = [f"# {writer}: {len(written)} summaries\n"]
    for number, (profile, evidence, summary) in enumerate(written, 1):
        read = [f"{place}. {text}" for place, text in enumerate(evidence.text, 1)]
        said = [
            f"- {one.text} {''.join(f'[{cite + 1}]' for cite in one.cites)} "
            f"({one.source}, {one.reviewers} of {one.total})"
            for one in summary.statements
        ]
        parts += [
            f"## {number}. {evidence.product_id}, {profile}\n",
            "Evidence:\n",
            "\n".join(read) + "\n",
            "Statements:\n",
            "\n".join(said) + "\n",
            f"Paragraph: {summary.paragraph}\n",
        ]
    return "\n".join(parts)
