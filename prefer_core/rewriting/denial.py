"""A denied opposite said straight: "does not get hot" is "does get cool" where the evidence says that it is cool."""

import re
from collections.abc import Collection, Sequence

from prefer_core.rewriting.marks import Source
from prefer_core.rewriting.synonyms import opposed
from prefer_core.rewriting.words import VAGUE, stem

_DENIED = re.compile(
    r"\b(does|do|did|is|are|was|were|it's|they're)(?:n't| not)"
    r"((?: (?:get|be|feel|look|come|stay|at all|too|very))?) (\w+)",
    re.IGNORECASE,
)


def straight(text: str, read: Sequence[Source], free: Collection[str]) -> str:
    """Return a text in which a denied word that the evidence lacks is the opposite that it has, if it has one.

    What is not hot need not be cool, but what is cool is not hot: only the second way is taken.

    Examples
    --------
    >>> straight("it does not get hot", [Source.read("The handle stays cool.")], ())
    'it does get cool'
    >>> straight("it does not get hot", [Source.read("The handle gets hot.")], ())
    'it does not get hot'
    """
    known = {one for source in read for one in source.stems} | set(free)

    def said(match: re.Match[str]) -> str:
        denied = stem(match[3].lower())
        if denied in known | VAGUE or denied == "tru":
            return match[0]
        words = (t for source in read for t in source.words if set() in source.marks.get(t.stem, []))
        plain = (t.word for t in words if t.stem not in VAGUE and opposed(denied, t.stem))
        found = next(plain, None)
        return match[0] if found is None else f"{match[1]}{match[2]} {found}"

    return _DENIED.sub(said, text)
