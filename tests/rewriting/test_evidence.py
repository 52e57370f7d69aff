"""From a round to what its summary says."""

from prefer_core.rewriting import gather
from prefer_core.types import EvidenceSentence, ShownPoint
from tests.shown import shown_point


def claim(clause: str, aspect: int, reviewers: int, form: str = "clause", *, reserved: bool = False) -> ShownPoint:
    """Make a claim as a round has it."""
    return shown_point(clause, form=form, reviewers=reviewers, about=40, aspect=aspect, reserved=reserved)


def test_claims_come_in_the_order_of_the_text():
    """Aspects as first chosen, the more common claim first; quotations behind, the reserved place last."""
    chosen = [
        claim("I quote this.", 2, 1, "quote"),
        claim("It burns.", 0, 1, reserved=True),
        claim("It is soft.", 2, 3),
        claim("It is cheap.", 1, 9),
        claim("It is warm.", 2, 12),
    ]
    evidence = gather("P", "", [EvidenceSentence(id="x", text="x", aspect=0)], chosen)
    assert [one.clause for one in evidence.claims] == [
        "It is warm.", "It is soft.", "It is cheap.", "I quote this.", "It burns.",
    ]  # fmt: skip
    assert [one.word for one in evidence.claims[:3]] == ["Many reviewers", "Some reviewers", "Many reviewers"]
