"""The final paragraph."""

import pytest

from prefer_core.rewriting.base import Statement
from prefer_core.rewriting.paragraph import check_paragraph, compose, pairs

SMELL = Statement("Many reviewers say the smell lasts for hours.", "Many reviewers", 0, (0, 2), "model")
LID = Statement("One reviewer says the lid is not tight.", "One reviewer", 1, (1,), "model")
QUOTED = Statement('Some reviewers write about price: "a bit much".', "Some reviewers", 2, (3,), "template")


def test_rule_joins_short_neighbours_and_leaves_quotations():
    """Each sentence of the paragraph carries the citations of what it joins."""
    text, cited = compose([SMELL, LID, QUOTED])
    assert text == (
        "Many reviewers say the smell lasts for hours, and one says the lid is not tight. "
        'Some reviewers write about price: "a bit much".'
    )
    assert cited == ((0, 1, 2), (3,))
    assert [len(pair) for pair in pairs([SMELL, LID, QUOTED])] == [2, 1]


@pytest.mark.parametrize(
    "text",
    [
        "Many reviewers say the smell lasts for hours, but one says the lid is not tight.",
        "Many reviewers say that the smell lasts for hours. One reviewer adds that the lid is not tight.",
    ],
)
def test_a_faithful_paragraph_passes(text):
    """Other function words and one sentence or two are fine."""
    cited = check_paragraph(text, [SMELL, LID])
    assert cited in (((0, 1, 2),), ((0, 2), (1,)))


@pytest.mark.parametrize(
    "text",
    [
        "Some reviewers say the smell lasts for hours, but one says the lid is not tight.",
        "One reviewer says the lid is not tight, and many say the smell lasts for hours.",
        "Many reviewers say the smell lasts for hours.",
        "Many reviewers say the smell lasts for hours, and one says the lid is tight.",
        "Many reviewers say the fresh smell lasts for hours, and one says the lid is not tight.",
        "The smell lasts for hours, and one says the lid is not tight.",
        "Many reviewers say the smell lasts for hours, and one says the lid is not tight",
        "Many reviewers say the smell lasts for hours, and one says my lid is not tight.",
        "",
    ],
)
def test_an_unfaithful_paragraph_is_refused(text):
    """Swapped words, lost or added statements, lost negation, new words, first person, no end: refused."""
    assert check_paragraph(text, [SMELL, LID]) is None
