"""Recall and precision of citations, counted by hand on small texts."""

from prefer_core.rewriting import template
from prefer_core.rewriting.base import Statement
from prefer_core.rewriting.citing import Citing, citing
from tests.rewriting.conftest import SETS, make_evidence

EVIDENCE = make_evidence(("The lid cracked after two weeks.", "It smells sweet.", "The lid cracked after two weeks!"))


def _says(text: str, *cites: int) -> Statement:
    return Statement(text, "One reviewer", 0, cites, "model")


def test_a_statement_without_support_lowers_both() -> None:
    """One of two statements is supported, and only its marker is needed."""
    found = citing(
        (_says("One reviewer says the lid cracked.", 0), _says("One reviewer says it is heavy.", 1)), EVIDENCE
    )
    assert found == Citing(supported=1, statements=2, needed=1, citations=2)


def test_a_marker_too_many_lowers_precision() -> None:
    """What does not bear on the statement is not needed; two sources that each bear it are."""
    assert citing((_says("One reviewer says the lid cracked.", 0, 1),), EVIDENCE) == Citing(1, 1, 1, 2)
    assert citing((_says("One reviewer says the lid cracked.", 0, 2),), EVIDENCE) == Citing(1, 1, 2, 2)


def test_parts_from_two_sources_need_both() -> None:
    """A statement that joins two sentences stands on both and on neither alone."""
    both = _says("One reviewer says the lid cracked and it smells sweet.", 0, 1)
    assert citing((both,), EVIDENCE) == Citing(1, 1, 2, 2)
    assert citing((_says("One reviewer says the lid cracked."),), EVIDENCE) == Citing(0, 1, 0, 0)


def test_the_template_cites_what_it_needs() -> None:
    """Quotations of the evidence have full recall and precision."""
    for text in SETS[:4]:
        evidence = make_evidence(text)
        found = citing(template.write(evidence).statements, evidence)
        assert (found.supported, found.needed) == (found.statements, found.citations)
