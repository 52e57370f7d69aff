"""The splitter on a table of hand-cut review texts."""

import pytest

from prefer_core.data.cleaning import clean
from prefer_core.data.splitting import shorten, split_sentences

# Each text with its sentences, cut by hand; "|" marks the cuts.
CASES = [
    "It smells great.| I love it.",
    "great top.| looks cute with jeans.| flattering in back.",
    "Very soft.|The color is nice.",
    "very soft.|the color is nice",
    "I love it!!| So soft!!!| Will buy again!",
    "amazing!| love it",
    "Is it worth it?| Yes, every cent.",
    "What?!| It broke again.",
    "It was ok... but it broke in a week.",
    "It smells of coconut all day...| it lasts for hours",
    "It was fine...| Then it broke.",
    "Best perfume ever . . .| It lasts all day.",
    "It is nice . . . and soft.",
    "I paid $4.99 for it.| It is worth $10.50.",
    "It weighs 2.5 lbs. and is 4.25 in. wide.",
    "I got the 8 oz. bottle.| It lasts.",
    "The bottle is 8 oz.| It lasts a month.",
    "Dr. Smith told me to use it.| It works.",
    "I use St. Ives and Mrs. Meyers.| Both are good.",
    "Get it from J. Crew or H. Samuel.| They ship fast.",
    "I wear a size L.| The fit is good.",
    "Use it for shaving, washing, etc. and rinse.",
    "Good for shaving, etc.| The smell is mild.",
    "It ships from the U.S. and arrives fast.",
    "Works at 7 a.m. and at 9 p.m. too.",
    "I wake up at 7 a.m.| The alarm is loud.",
    "Other brands, e.g. Dove, are cheaper.",
    "Brand A vs. Brand B is no contest.",
    "I bought it at amazon.com and not at Walmart.",
    "See www.Example.com for details.",
    "It is no. 5 on my list.",
    "I give it a 5.| Best buy ever.",
    "Great product!|Love it so much!",
    "It works.|I am happy.",
    "It is great (really!) and cheap.",
    "It is great (really, it is).| Buy it.",
    'She said "I love it!" and took it.',
    'She said "I love it."| I agree.',
    "I loved it. :)| My son did too.",
    "I loved it! 😍| My son did too.",
    "I loved it 😍| My son did too.",
    "Pros: cheap and light.| Cons: it broke.",
    "1. The fit is good.| 2. The color is off.",
    "Here is why:| 1. It is cheap| 2. It is good",
    "• soft and warm| • very cheap too",
    "- soft and warm\n|- very cheap too",
    "Soft and warm\n|Very cheap too",
    "Soft and warm<br />|very cheap too",
    "This line only\nwraps at the margin.| The next does not.",
    "I love it.<br /><br />|It is soft.",
    "I'm 5'4\" and 130 lbs.| It fits.",
    "It's 100% cotton.| i wear it daily.",
    "Fits true to size,but the sleeves are long.",
    "no stop at all here",
    "Vitamin C.| The rest is water.",
    "Don't buy!| it broke, and the seller never answered...",
    "Works w/ iPhone 6.| Not with 5.",
    "Very good. .| Would buy again.",
    "Version v2.0 is better.| Get it.",
]


def _bare(text: str) -> str:
    return " ".join(text.replace("•", "").removeprefix("- ").split())


@pytest.mark.parametrize("case", CASES)
def test_cuts_where_a_person_cuts(case: str) -> None:
    """The splitter cuts each text exactly where the hand-made marks stand, and loses no word."""
    text = case.replace("|-", "-").replace("|", "")
    expected = [_bare(part) for part in clean(case).replace("\n", " ").split("|")]
    assert split_sentences(clean(text)) == [part for part in expected if part]


def test_table_is_large_enough() -> None:
    """At least forty hand-cut cases stand behind the splitter."""
    assert len(CASES) >= 40


def test_long_runs_are_cut_at_clauses() -> None:
    """A run-on is cut at its clauses into parts within the limit, in order and with every word."""
    run_on = ", ".join(f"this is clause number {i} of it" for i in range(20))
    parts = shorten(run_on, 40)
    assert all(len(part.split()) <= 40 for part in parts)
    assert " ".join(parts) == run_on


def test_runs_without_clauses_are_left_out() -> None:
    """A run of words that offers no place to cut gives no sentence at all, rather than a torn one."""
    assert shorten("word " * 100, 80) == []
