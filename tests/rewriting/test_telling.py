"""Reported speech: what a reviewer wrote, word for word in the third person."""

import pytest

from prefer_core.keypoints.candidates import form_of_voice
from prefer_core.rewriting.base import Evidence
from prefer_core.rewriting.check.telling import mistold
from prefer_core.rewriting.fake import FakeBackend
from prefer_core.rewriting.prompts import BASE
from prefer_core.rewriting.write import write
from tests.rewriting.conftest import make_claim


@pytest.mark.parametrize(
    ("wrote", "told"),
    [
        ("I crochet under it for hours.", "One reviewer says they crochet under it for hours."),
        ("I've had it for two years.", "One reviewer notes that they've had it for two years."),
        ("I bought it for my mother.", "One reviewer adds that they bought it for their mother."),
        ("I was so disappointed with the lid.", "One reviewer says they were so disappointed with the lid."),
        ("It doesn't fit my jug.", "One reviewer says that it doesn't fit their jug."),
        (
            "This smells like tar and leaves my ends dry.",
            "One reviewer notes it smells like tar and leaves their ends dry.",
        ),
        ("In a storm it let my bag get wet.", "One reviewer says that in a storm it let their bag get wet."),
        ("My mom uses it daily, and I'm glad.", "One reviewer says their mom uses it daily, and they are glad."),
    ],
)
def test_what_is_told_word_for_word_passes(wrote, told):
    """Persons change, the verb agrees, "says that" may stand before it."""
    assert form_of_voice(wrote, ("lid",)) == "told"
    assert mistold(told, make_claim(wrote, word="One reviewer", form="told")) == []


@pytest.mark.parametrize(
    ("wrote", "told"),
    [
        ("I crochet under it for hours.", "One reviewer crochet under it for hours."),
        ("I crochet under it for hours.", "One reviewer says I crochet under it for hours."),
        ("I crochet under it for hours.", "Many reviewers crochet under it for hours."),
        ("I crochet under it for hours.", "One reviewer says they crochet under it for 3 hours."),
        ("I bought it for my mother.", "One reviewer says they buy it for their mother."),
        ("It doesn't fit my jug.", "One reviewer says it fits their jug."),
        ("It doesn't fit my jug.", "One reviewer says it doesn't fit their jug or their cup."),
        ("It doesn't fit my jug.", "It doesn't fit their jug."),
        ("I was so disappointed.", "One reviewer says they was so disappointed."),
        ("In a storm it let my bag get wet.", "One reviewer says in a storm it let their bag get wet."),
        ("It leaks when my cup is hot.", "One reviewer says it leaks when their cup is hot"),
        ("It leaks when my cup is hot.", "One reviewer also says it leaks when their cup is hot."),
    ],
)
def test_what_changes_a_word_is_refused(wrote, told):
    """A wrong form, the first person, others, a number, a tense, a denial, an addition, nobody, no "that", no stop."""
    assert mistold(told, make_claim(wrote, word="One reviewer", form="told"))


@pytest.mark.parametrize(
    "wrote",
    [
        "I asked them and they sent me another.",
        "Got a burn on my thumb.",
        "Do not buy it for my sake.",
        "Was my lid the only one that leaks?",
        "I love it (my dog too).",
        "I think it is " + "very " * 20 + "good.",
        "THE LID LEAKS ON MY DESK.",
        "Relief for my hands!",
        "It's messy to rinse though, wear an old shirt.",
        "The flaking never went away, so only half a win.",
        "I wear it for hours and no strain.",
        "Lid was loose and half of it was in the bag.",
        "This calmed it down in one wash.",
        "It is surprisingly quiet as well.",
        "My daughter got a rash on her neck from it.",
    ],
)
def test_what_stays_a_quotation(wrote):
    """Somebody else, no subject, an order, a question, a bracket, a long one, a part that is not whole, an addition."""
    assert form_of_voice(wrote) != "told"


def test_a_quotation_gives_way_to_what_the_model_tells(quick):
    """The told sentence stands where the quotation stood, with its citation; a second voice is another one."""
    claims = [make_claim(text, i, "One reviewer", form=form) for i, (text, form) in enumerate(
        (("I crochet under it for hours.", "told"), ("Got a burn on my thumb.", "quote")))]  # fmt: skip
    evidence = Evidence("P", "", ("a", "b"), tuple(claims))
    fake = FakeBackend([" Nobody does."], default=" they crochet under it for hours.\nWho: x")
    last = list(write(evidence, fake, BASE, quick, lambda stage: None))[-1]
    assert last.paragraph == (
        'One reviewer says that they crochet under it for hours. Another reviewer writes: "Got a burn on my thumb."'
    )
    assert (last.sources, last.paragraph_cites) == (("model", "template"), ((0,), (1,)))
    assert [request.prefix for request in fake.requests] == [BASE.telling] * 2


@pytest.mark.parametrize(
    ("wrote", "form", "told"),
    [
        ("Leaves no marks on my tops.", "told predicate", "One reviewer says that it leaves no marks on their tops."),
        (
            "Zipper was busted out of my bag.",
            "told bare",
            "One reviewer says that the zipper was busted out of their bag.",
        ),
        (
            "Skin's soft, but that night it feels dry.",
            "told bare",
            "One reviewer says that their skin's soft, but that night it feels dry.",
        ),
    ],
)
def test_what_lacks_its_subject_is_told_with_one(quick, wrote, form, told):
    """A note begins with its verb or without an article; the model is given it whole."""
    assert form_of_voice(wrote, ("zipper",)) == form
    claim = make_claim(wrote, 0, "One reviewer", form=form)
    fake = FakeBackend(default=lambda prompt: f" {told.removeprefix('One reviewer says that')}")
    last = list(write(Evidence("P", "", ("a",), (claim,)), fake, BASE, quick, lambda stage: None))[-1]
    assert (last.paragraph, last.sources) == (told, ("model",))
