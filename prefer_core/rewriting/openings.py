"""How a sentence about a note may begin, by rule, for a small model that would else begin with its examples' words."""

import re

from prefer_core.rewriting.lexicon import CONTRAST, FINITE, TELLING, words_of
from prefer_core.rewriting.sentence import third_person
from prefer_core.rewriting.words import PAST, VERBS, Token, plain, tokens

_LONGEST = 6
_SUBJECTS = words_of("i we it it's its they this these the my our their there i'm i've we've that's im ive a an")
_ARTICLES = words_of("the my our their these this a an")
_SKIPPED = words_of("and but so also honestly overall well yes however although though plus then still yet because")
_BARE_ITS = re.compile(r"^its (?=a |an |the |so |very |too |not )", re.IGNORECASE)


def openings(note: str) -> list[str]:
    """Return the first words of a sentence about a note: of its first clause, and of what follows its last "but".

    Examples
    --------
    >>> openings("I love it, however it wrinkles easily.")
    ['it wrinkles', 'they love']
    >>> openings("love the color and the length"), openings("The sleeves are too long.")
    (['they love'], ['the sleeves are'])
    >>> openings("so cute")
    []
    """
    text = plain(note)
    words = tokens(text)
    turns = [i for i, t in enumerate(words) if i and t.word in CONTRAST - {"than", "unlike"}]
    starts = [turns[-1] + 1, 0] if turns else [0]
    found = [_opening(text, words[start:]) for start in starts]
    return [one for one in dict.fromkeys(found) if one]


def _acts(before: Token, token: Token) -> bool:
    """Whether a word is a verb; "the coat" is none."""
    return before.word not in _ARTICLES and (token.word in PAST or token.stem in VERBS)


def _opening(text: str, words: tuple[Token, ...]) -> str:
    """Return a clause's words up to its verb, in the third person; empty where no subject opens it."""
    while words and words[0].word in _SKIPPED:
        words = words[1:]
    if len(words) < 2:
        return ""
    first = words[0]
    if first.word in TELLING:
        return f"they {first.word}"
    if first.word not in _SUBJECTS:
        return ""
    for place, token in enumerate(words[:_LONGEST]):
        if token.clause != first.clause:
            break
        if token.word in FINITE or (place and _acts(words[place - 1], token)):
            shown = third_person(_BARE_ITS.sub("it is ", text[first.start : token.end]))
            return shown[:1].lower() + shown[1:]
    return ""
