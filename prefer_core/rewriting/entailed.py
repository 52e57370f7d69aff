"""What follows from a sentence of evidence without being said in it: "too big for the bin" does not fit the bin."""

import re
from collections.abc import Callable
from functools import lru_cache

_SIZE = (
    "small|big|short|long|narrow|wide|tight|loose|low|high|thin|thick|shallow|deep|large|tall|bulky|little|tiny|huge"
)
_BE = r"(?:is|are|was|were|am|'s|'re|seems?|comes?|came)"
_UNIT = r"(?:second|minute|hour|day|week|month|year|wash|washe|use|wear|mile|night)s?"
_END = r"(?P<rest>[^.,;!?]+)"

_DENIED = re.compile(r"\b(?:barely|hardly|scarcely|never|not|no|nothing|almost|nearly|\w+n't)\b", re.IGNORECASE)
"""After these nothing follows."""

Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]


def _rule(find: str, put: Callable[[re.Match[str]], str]) -> Rule:
    return re.compile(find, re.IGNORECASE), put


_RULES: tuple[Rule, ...] = (
    _rule(
        rf"^(?P<what>[^.,;!?]*?) ?{_BE} (?:\w+ )?too (?:small|narrow|tight|short|shallow|thin) for {_END}",
        lambda m: f"{m['rest']} does not fit {m['what']}",
    ),
    _rule(
        rf"\btoo (?:{_SIZE}) (?:for|to (?:fit|go)(?: in| into| on| over)?) {_END}",
        lambda m: f"does not fit {m['rest']}",
    ),
    _rule(r"\btoo (?P<how>\w+) (?P<rest>for [^.,;!?]+)", lambda m: f"{m['how']} {m['rest']}"),
    _rule(r"(?P<what>(?:inch|inches|size|sizes|bit)) too (?P<how>\w+)", lambda m: f"{m['what']} {m['how']}"),
    _rule(rf"(?P<what>^|[^.,;!?]*) holds? {_END}", lambda m: f"{m['rest']} fits in {m['what']}"),
    _rule(
        rf"(?P<what>^|[^.,;!?]*?) ?{_BE} (?:big|large|wide|deep|roomy|long|spacious) enough (?:for|to (?:hold|fit))"
        rf" {_END}",
        lambda m: f"{m['rest']} fits in {m['what']}, {m['what']} holds {m['rest']}",
    ),
    _rule(
        rf"(?P<what>[^.,;!?]*?) (?:died|broke|quit|failed|gave out|stopped working|quit working) (?:down )?(?:on me )?"
        rf"(?:after|within|in) (?P<time>(?:only |just |about |around )?[\w-]+ {_UNIT})\b",
        lambda m: f"{m['what']} lasted {m['time']}",
    ),
    _rule(
        rf"(?P<what>[^.,;!?]*?) ?{_BE} (?:long|tall|high|short) enough to {_END}", lambda m: f"{m['what']} {m['rest']}"
    ),
    _rule(rf"\bheavier than {_END}", lambda m: f"weighs more than {m['rest']}"),
    _rule(rf"\blighter than {_END}", lambda m: f"weighs less than {m['rest']}"),
    _rule(
        r"^(?P<what>[^.;!?]+?),? unless (?:i|you|we|they|it|one|he|she) (?P<rest>[^.;!?]+)",
        lambda m: f"{m['what']} without {m['rest']}",
    ),
)


@lru_cache(maxsize=2_000)
def entailed(source: str) -> tuple[str, ...]:
    """Return what follows from a sentence by its form alone, as texts to compare with.

    Examples
    --------
    >>> entailed("It was too big for the overhead bin.")
    ('does not fit the overhead bin', 'big for the overhead bin')
    >>> entailed("The lid is red.")
    ()
    """
    found = ((match, put) for find, put in _RULES if (match := find.search(source)))
    return tuple(put(match) for match, put in found if not _DENIED.search(source[: match.end()]))
