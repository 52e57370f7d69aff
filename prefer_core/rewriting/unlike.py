"""A copy in slightly other words: where a clause repeats its source at length, words that mean the same take turns."""

import re
from collections.abc import Sequence

from prefer_core.rewriting.form import runs_ending
from prefer_core.rewriting.phrases import COUNTS
from prefer_core.rewriting.words import Token, tokens

_EITHER = (
    ("don't", "do not"), ("doesn't", "does not"), ("didn't", "did not"), ("isn't", "is not"), ("aren't", "are not"),
    ("wasn't", "was not"), ("weren't", "were not"), ("can't", "cannot"), ("couldn't", "could not"),
    ("wouldn't", "would not"), ("won't", "will not"), ("haven't", "have not"), ("hasn't", "has not"),
    ("hadn't", "had not"), ("you'll", "you will"), ("they'll", "they will"), ("it'll", "it will"),
    ("began to", "started to"), ("begins to", "starts to"), ("purchased", "bought"), ("to purchase", "to buy"),
    ("maybe", "perhaps"), ("the entire", "the whole"), ("an entire", "a whole"), ("almost", "nearly"),
    ("everyone", "everybody"), ("anyone", "anybody"), ("someone", "somebody"), ("pictures", "photos"),
    ("picture", "photo"), ("seems to", "appears to"), ("seemed to", "appeared to"), ("each time", "every time"),
    ("need to", "have to"), ("needs to", "has to"), ("needed to", "had to"), ("often", "frequently"),
    ("due to", "because of"),
)  # fmt: skip
"""Each may stand for the other."""

_DOING = "is|was|has|had|does|did|came|went|got|made|felt|took|put|shut|ran|fell|broke|kept|lost|left"
_HOLDING = "think|thought|hope|hoped|found|guess|believe|know|knew"
_SAID = r"(?:it|they|this) (?:is|are|was|were|has|have|will|would|can|could|does|did)\b"

_ONE_WAY = (
    (r"it's (?!got\b|been\b|had\b)", "it is "),
    (r"(?<!about )(?<!is )(?<!of )(?<!that )it is (?!that\b)(?=\w)", "it's "),
    (r"they're ", "they are "),
    (r"they are (?=\w)", "they're "),
    (r"you're ", "you are "),
    (r"you are (?=\w)", "you're "),
    (r"(?<!quite )(?<!not )(?<!such )a lot of", "lots of"),
    (r"lots of|(?:a bunch|a ton|tons) of", "a lot of"),
    (r"a bit (?!of\b)", "a little "),
    (r"a little (?=\w+er\b|more\b|too\b)", "a bit "),
    (r"even though|although", "though"),
    (r"right away", "immediately"),
    (r"instead of", "rather than"),
    (r"eventually", "in the end"),
    (r"more than (?=\d)", "over "),
    (r"about (?=(?:another |an? )?\d)", "around "),
    (rf"and (?=[a-z]+ed\b|(?:{_DOING})\b)", "and also "),
    (rf"({_HOLDING}) (?={_SAID})", r"\1 that "),
    (rf"({_HOLDING}) that (?={_SAID})", r"\1 "),
    *((rf"{digit}(?= [a-z])", word) for digit, word in COUNTS.items()),
    *((rf"{word}(?= [a-z]+s\b)", digit) for digit, word in COUNTS.items() if digit != "1"),
)
"""What is found, and what may stand for it there."""

_APART = r"(?<![\w.,'’$/:-])"
_EDITS = tuple(
    (re.compile(_APART + find, re.IGNORECASE), put)
    for find, put in (*((rf"{find}(?![\w'’-])", put) for a, b in _EITHER for find, put in ((a, b), (b, a))), *_ONE_WAY)
)

_MOST = 6


def unlike(clause: str, sources: Sequence[str], longest: int) -> str | None:
    """Return a clause that shares no more than `longest` words in a row with any source, or None if it cannot be made.

    What takes turns means the same: "it's" and "it is", "began to" and "started to", "and broke" and "and also broke".

    Examples
    --------
    >>> unlike("you will never be able to put it down", ["You will never be able to put it down."], 8)
    "you'll never be able to put it down"
    >>> unlike("the lid cracks", ["The lid cracks."], 8)
    'the lid cracks'
    """
    there = [[t.word for t in tokens(source)] for source in sources]
    for _ in range(_MOST):
        words = tokens(clause)
        copied = _copied(words, there, longest)
        if copied is None:
            return clause
        start, end = copied
        # The last change that still leaves no more than `longest` words before it.
        within = [
            (match.start(), match.end(), match.expand(put))
            for find, put in _EDITS
            for match in find.finditer(clause, words[start].start, words[end - 1].end)
            if match.start() <= words[min(start + longest, end - 1)].start
        ]
        if not within:
            return None
        left, right, put = max(within)
        clause = clause[:left] + put + clause[right:]
    return None


def _copied(words: Sequence[Token], there: Sequence[Sequence[str]], longest: int) -> tuple[int, int] | None:
    """Return the first run (start, end) of more than `longest` words that a source holds too."""
    said = [t.word for t in words]
    runs = [(i + 1 - n, i + 1) for source in there for i, n in enumerate(runs_ending(said, source)) if n > longest]
    return max((run for run in runs if run[0] == min(runs)[0]), default=None)
