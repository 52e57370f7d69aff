"""What a sentence is flagged as: negative by its words (stars only where the words are silent), or about safety."""

import re
from functools import cache
from typing import Any

from prefer_core.types import Flag

NEGATIVE_BELOW = -0.2
"""Polarity (VADER compound, -1..1) from which a sentence counts as negative."""

_COMPLAINTS = {
    **dict.fromkeys("broke broken breaks cracked leaked leaks leaking leaky ripped tore torn shredded unraveled".split(), -1.9),
    **dict.fromkeys("flimsy cheaply junk garbage defective unusable useless crappy faded shrank shrunk warped".split(), -2.2),
    **dict.fromkeys("itchy scratchy smelly greasy sticky wobbly clunky noisy bulky shapeless boxy frumpy".split(), -1.2),
    **dict.fromkeys("returned returning refund overpriced pricey knockoff counterfeit expired stopped".split(), -1.5),
    **dict.fromkeys("pilling pilled frayed fraying clogged jammed dented scratched stained unflattering".split(), -1.7),
    **dict.fromkeys("stink stinks stank reeks rancid musty overpowering nauseating headache disappointment".split(), -1.9),
}
"""What reviews complain with and VADER's lexicon, made for tweets, does not know."""

# In reviews these tell nothing: "no shipping charge", "killer heels", "black top with a low neck cut".
_NEUTRAL = "low cut charge charged fire number shipping pay paid hand hands like fun arrest vest".split()

_IDIOM = re.compile(
    r"\b(?:fell|falls?|falling|came|comes?|coming) (?:apart|off|loose)\b|\bwaste of (?:money|time)\b|\bwasted my\b"
    r"|\bmoney back\b|\b(?:does|did|do|is|was|are|were|has|have|would|could|will|can)(?:n['’]?t|not| not| never)"
    r"(?: \w+)? (?:work|working|worked|last|lasted|fit|hold|stay|close|recommend|buy|worth|true|as described|as pictured)\b"
    r"|\bwon['’]?t (?:work|last|stay|hold|close|buy|turn)\b|\b(?:stopped|quit) working\b|\bdied (?:after|within|in)\b"
    r"|\bnever (?:again|arrived|worked|received|buy)\b|\b(?:way|much|far) too \w+|\btoo (?:small|big|large|tight|loose|short|long"
    r"|thin|expensive|strong|sweet|heavy|stiff|sheer|wide|narrow)\b|\bsent (?:it|them|these|this) back\b|\b(?:not|isn['’]?t) worth\b"
    r"|\b(?:going|went|had|have|has) (?:it |them )?(?:to return|back)\b|\bnot (?:what i|as (?:good|described|pictured|expected))\b",
    re.I,
)
_PRAISED = re.compile(
    r"\b(?:no|zero|never|not|without|nothing|hardly)(?: \w+){0,2} (?:complaints?|complain|issues?|problems?|disappoint\w*|regrets?)\b"
    r"|\b(?:can['’]?t|cannot) (?:complain|go wrong|beat|wait|say enough|live without)\b|\bnot too \w+|\bworth every\b",
    re.I,
)
_SAFETY = re.compile(
    r"\b(?:burn(?:s|t|ed|ing)?|burning sensation|hives?|rash(?:es|y)?|swollen|swelling|swelled|blister(?:s|ed|ing)?"
    r"|allerg(?:y|ies|ic)|allergic reaction|anaphyla\w+|bleed(?:s|ing)?|bled|blood|infect(?:ed|ion|ions)|mou?ldy?|mildew"
    r"|toxic|poison\w*|hazard\w*|unsafe|dangerous|caught (?:on )?fire|overheat\w*|melt(?:ed|ing)|explod\w+|exploded|sparks?|sparked"
    r"|electric(?:al)? shock|shocked me|electrocut\w+|chok(?:e|ed|ing)|suffocat\w+|recall(?:ed)?|broken glass|shattered|shards?|glass in"
    r"|sharp edges?|cut (?:my|her|his|myself|herself|himself)|injur\w+|emergency room|hospital|urgent care|lead paint|carcinogen\w*"
    r"|irritat(?:ed|es|ing|ion)|itch(?:ing|ed|es)|stings?|stung|chemical burn|sick to|made me sick|vomit\w*|maggots?|bugs in|worms?)\b",
    re.I,
)
# "hot flashes burn fat", "burn a candle", "blood orange", "killed the mold": words of the list in a harmless sense.
_HARMLESS = re.compile(
    r"\bblood (?:orange|pressure|red|sugar|type|test)\b|\bburn(?:s|ed|t|ing)? (?:fat|calories|cds?|dvds?|discs?|candles?|out|evenly|clean|orange|wood)\b"
    r"|\bburnt (?:orange|sienna|umber|red)\b|\b(?:candles?|incense|lamp|wax)\b.*\bburn\w*\b|\bside[- ]?burns?\b|\bsilicone mou?ld\b|\bmou?lds? (?:to|for|into|around)\b"
    r"|\bmelt(?:s|ed|ing)? (?:in|into) (?:my|your|the) (?:skin|mouth|hands?|face)\b|\bpleasantly shocked\b|\bspark(?:s|ed)? (?:joy|my|her|his)\b",
    re.I,
)
_ENDS_NEGATION = re.compile(r"\b(?:but|however|except|until|although|yet|because)\b|[;:]", re.I)
_NEGATION = re.compile(
    r"\b(?:no|not|never|without|zero|nor|neither|non|free of|free from|hypo|isn['’]?t|wasn['’]?t|aren['’]?t|don['’]?t|doesn['’]?t|didn['’]?t"
    r"|hasn['’]?t|haven['’]?t|won['’]?t|wouldn['’]?t|can['’]?t|cannot|couldn['’]?t|prevents?|stops?|relie(?:f|ves?)|soothes?|treats?|heals?"
    r"|reduces?|removes?|kills?|helps?(?: with)?|worried about|afraid of|in case of)\b(?:\W+\w+){0,4}?\W*$",
    re.I,
)
_FREE = re.compile(r"^(?:[- ]free\b|s? (?:is|are|was|were) gone\b)", re.I)


def flag_sentence(text: str, rating: float) -> Flag:
    """Flag one sentence.

    Parameters
    ----------
    text : str
        The sentence.
    rating : float
        Stars of its review, NaN if unknown; they decide only where the words tell nothing.

    Examples
    --------
    >>> flag_sentence("The lid cracked after two days.", 4.0)
    <Flag.NEGATIVE: 1>
    >>> flag_sentence("It gave me hives and a swollen eye.", 1.0)
    <Flag.NEGATIVE|SAFETY: 3>
    >>> flag_sentence("No rash at all, so gentle.", 5.0)
    <Flag.NONE: 0>
    """
    flags = Flag.NONE
    if is_about_safety(text):
        flags |= Flag.SAFETY
    if is_negative(text, rating):
        flags |= Flag.NEGATIVE
    return flags


def is_negative(text: str, rating: float) -> bool:
    """Whether the words complain; where they tell nothing, whether the review has one or two stars."""
    if _PRAISED.search(text):
        return False
    if _IDIOM.search(text):
        return True
    scores = _analyser().polarity_scores(text)
    if scores["pos"] == 0.0 and scores["neg"] == 0.0:
        return rating <= 2
    return bool(scores["compound"] <= NEGATIVE_BELOW)


def is_about_safety(text: str) -> bool:
    """Whether a sentence reports harm, or the danger of it, that is not said to be absent."""
    masked = _HARMLESS.sub(lambda m: " " * len(m[0]), text)
    for match in _SAFETY.finditer(masked):
        before = _ENDS_NEGATION.split(masked[: match.start()])[-1]
        if not _NEGATION.search(before) and not _FREE.match(masked[match.end() :]):
            return True
    return False


@cache
def _analyser() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyser = SentimentIntensityAnalyzer()
    analyser.lexicon.update(_COMPLAINTS)
    for word in _NEUTRAL:
        analyser.lexicon.pop(word, None)
    return analyser
