"""Checks of a text against its evidence."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefer_core.config import WritingSettings
from prefer_core.rewriting.form import clause_of, first_person, longest_run, loops, well_formed
from prefer_core.rewriting.grounding import check, cites

SETTINGS = WritingSettings()

GOOD = [
    ("Many reviewers say the coconut smell lasts for hours.", ["I love how the coconut smell lasts for hours."]),
    ("One reviewer says the lid cracks.", ["The lid cracked after two weeks!"]),
    ("Some reviewers say the fabric is not itchy.", ["the fabric isn't itchy at all"]),
    ("A few reviewers say the dress runs small.", ["I love this dress but it runs small"]),
    ("One reviewer says they wish it had pockets.", ["I wish it had pockets."]),
    ("Some reviewers say the sleeves are too long.", ["The sleeves are too long for me."]),
    ("One reviewer says the top is soft.", ["A soft top, nice colours."]),
    ("One reviewer says the cable broke after a month.", ["the cable broke after a month of daily use"]),
]

BAD = [
    ("Some reviewers say I love the smell.", ["I love the smell."], "first person"),
    ("Some reviewers say it suits our home.", ["It suits our home."], "first person"),
    ("", ["The lid cracks."], "empty"),
    ("One reviewer says the lid cracks", ["The lid cracks."], "does not end"),
    ("One reviewer says the lid.", ["The lid cracks."], "not a whole clause"),
    ("One reviewer says forget thumb drives.", ["Forget thumb drives, get this."], "not a whole clause"),
    ("One reviewer says how cool is this.", ["How cool is this!"], "not a whole clause"),
    ("One reviewer says soft cotton in simple style.", ["Soft cotton in simple style"], "not a whole clause"),
    ("One reviewer says the lid cracks and the.", ["The lid cracks and leaks."], "not a whole clause"),
    ("One reviewer says the lid cracks the lid cracks.", ["The lid cracks."], "repeats"),
    (
        "One reviewer says the blue lid of this large jar cracked after a week.",
        ["the blue lid of this large jar cracked after a week"],
        "copied",
    ),
    ("One reviewer says the lid lasted 9 weeks.", ["The lid lasted 3 weeks."], "numbers"),
    ("One reviewer says the fabric is itchy.", ["The fabric isn't itchy."], "negation"),
    ("One reviewer says the fabric is not soft.", ["The fabric is soft."], "negation"),
    ("One reviewer says it works.", ["It never works."], "negation"),
    ("One reviewer says they did not use the bottle.", ["It didn't work and I used the bottle."], "negation"),
    ("One reviewer says these are unusable.", ["If your hands are small, these are unusable."], "condition"),
    ("One reviewer says the armholes are smaller.", ["I prefer smaller armholes."], "condition"),
    ("One reviewer says they left their skin dry.", ["It left my skin dry."], "speaks of no one"),
    ("One reviewer says they will need this tailored.", ["You will need this tailored."], "speaks of no one"),
    ("One reviewer says they bought a small, they are going back.", ["I bought a small, it's going back."], "of it"),
    (
        "One reviewer says massive it looks sloppy.",
        ["I like loose tops, but this is so massive it looks sloppy."],
        "so",
    ),
    ("One reviewer says the boots are a fine dress.", ["looks good with boots and is a fine dress."], "bring together"),
    ("One reviewer says the jar is a must-have.", ["I absolutely love this jar."], "quantity"),
    ("One reviewer says it has pockets.", ["I wish it had pockets."], "wish"),
    ("One reviewer says the dress is long.", ["the dress is too long"], "excess"),
    ("One reviewer says the lining is soft.", ["The top is soft.", "It has a lining."], "bring together"),
    ("One reviewer says the top is scratchy.", ["The top is cute but the lining is scratchy"], "bring together"),
    ("One reviewer says cotton is stylish.", ["Soft cotton in stylish cut"], "bring together"),
    ("One reviewer says the fabric is durable.", ["The fabric is soft."], "lacks: durable"),
    ("One reviewer says the fabric is rough.", ["The fabric is soft."], "opposite"),
    ("One reviewer says it is extremely soft.", ["It is soft."], "stronger"),
    ("One reviewer says most seams hold.", ["The seams hold."], "quantity"),
    ("One reviewer says it fits.", ["It fits, but the zip broke."], "stops before"),
    ("One reviewer says it may work.", ["It may work for others but it didn't for me."], "stops before"),
    ('One reviewer writes about lids: "the lid holds".', ["The lid cracks."], "own words"),
]


@pytest.mark.parametrize(("text", "sources"), GOOD)
def test_supported_sentences_pass(text, sources):
    """A faithful third-person sentence is ok and has a score."""
    verdict = check(text, sources, SETTINGS)
    assert verdict.ok, verdict.reasons
    assert 0 < verdict.score <= 1


@pytest.mark.parametrize(("text", "sources", "reason"), BAD)
def test_doubtful_sentences_fail_with_a_reason(text, sources, reason):
    """Each planted fault is found and named; a failed text has score 0."""
    verdict = check(text, sources, SETTINGS)
    assert not verdict.ok
    assert verdict.score == 0
    assert any(reason in one for one in verdict.reasons), verdict.reasons


def test_words_of_the_examples_are_a_leak():
    """A content word of the few-shot text that the evidence lacks is named as such."""
    verdict = check("One reviewer says the boat is soft.", ["It is soft."], SETTINGS, foreign={"boat"})
    assert "words of the prompt's examples: boat" in verdict.reasons


def test_allowed_words_need_no_anchor():
    """An aspect's name may stand in a sentence without being in the evidence."""
    text = 'One reviewer writes about scent: "it smells sweet".'
    assert check(text, ["I say it smells sweet."], SETTINGS, allowed=("scent",)).ok
    assert not check(text, ["I say it smells sweet."], SETTINGS).ok


def test_a_concrete_text_outranks_a_vague_one():
    """Of two supported clauses the one that tells more scores higher."""
    sources = ["The lid cracks, and it is a good jar overall."]
    vague = check("One reviewer says it is a good jar.", sources, SETTINGS)
    concrete = check("One reviewer says it is a good jar, and the lid cracks.", sources, SETTINGS)
    assert concrete.score > vague.score > 0


def test_first_person_is_allowed_in_quotes_and_us_in_capitals():
    """Quotes may hold any person; the country is no person."""
    assert first_person('One reviewer writes: "I love my jar".') == ()
    assert first_person("US size eight") == ()
    assert first_person("they gave us one") == ("us",)
    assert first_person("I’m glad") == ("i'm",)


def test_longest_run_counts_words():
    """Case, punctuation and typographic apostrophes do not hide a copy."""
    assert longest_run("It’s a lid, that CRACKS", "well it's a lid that cracks soon") == 5
    assert longest_run("", "a") == 0


def test_loops():
    """Repeated triples, doubled words and a word four times are loops."""
    assert loops("it is soft and it is soft and it is soft")
    assert loops("very very soft")
    assert not loops("it is soft and the lid holds")


def test_well_formed_clauses():
    """A clause needs a verb of its own, a beginning and an end."""
    assert well_formed("colors look bright")
    assert well_formed("they love the smell")
    assert well_formed("there are pockets in it")
    assert not well_formed("the look of it")
    assert not well_formed("perfect for low-key and where they work")
    assert not well_formed("can be shaped in two ways")
    assert not well_formed("because it broke")
    assert not well_formed("sat away from their body and the material was cheap")
    assert not well_formed("this jacket - got it in the charcoal color")
    assert not well_formed("this fabric is both the best")
    assert well_formed("this fabric is both soft and warm")


def test_cites_covers_the_text():
    """The lead source comes in, then whichever explains open words; at least one."""
    sources = ["The lid cracked.", "It came late.", "A sweet smell."]
    assert cites("the lid cracks and the smell is sweet", sources) == (0, 2)
    assert len(cites("something else", sources)) == 1
    assert cites("the lid", []) == ()


def test_clause_of():
    """What is reported starts after the quantifier and its verb."""
    assert clause_of("A few reviewers say that the lid cracks.") == "the lid cracks"


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80), st.lists(st.text(max_size=60), max_size=3))
def test_any_unicode_gives_a_verdict(text, sources):
    """No text, however odd, breaks a check; ok means no reason, and only ok has a score."""
    verdict = check(text, sources, SETTINGS)
    assert verdict.ok == (not verdict.reasons)
    assert 0 <= verdict.score <= 1
    assert len(cites(text, sources)) >= bool(sources)
