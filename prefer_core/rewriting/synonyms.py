"""Words and phrases of reviews that may stand for one another; whether two words do, and which never may."""

import re
from functools import cache, lru_cache

from prefer_core.rewriting import lexicon
from prefer_core.rewriting.lexicon import lines_of, words_of
from prefer_core.rewriting.words import OPPOSITES, stem

_PHRASES = (
    (r"without (?:any |much |a )?(?:trouble|problems?|difficulty|effort|fuss|issues?|hassle)", "easily"),
    (r"with (?:ease|room to spare)|no (?:trouble|problems?|difficulty) (?=\w+ing\b)", "easily"),
    (r"(?:a breeze|a snap|a cinch|a piece of cake|no trouble)", "easy"),
    (r"(?:put|puts|putting) (?:it |them |this )?together", "assemble"),
    (r"(?:send|sent|sending|took|take|taking|bring|brought) (?:it |them |this )?back", "returned"),
    (r"(?:turn|turns|shut|shuts|switch|switches)(?:ed)? (it |them |itself )?off", r"switches \1off"),
    (r"(?:do|does|did)(?:n't| not) do (?:anything|much|a thing)", "does nothing"),
    (r"(?:hardly|barely|scarcely) any(?:thing)?|almost (?:no|nothing)|next to nothing|not much", "little"),
    (r"(?:(?:is|are|was|were) )?impossible to (\w+)", r"cannot \1"),
    (r"(?:cannot|can't|could not|couldn't) be (\w+)", r"cannot \1"),
    (r"(?:comes?|came|turns?|turned) out (?=\w)", "is "),
    (r"for the first time|the first time|at first use|on first use", "first"),
    (r"at first|in the beginning|initially", "first"),
    (r"see[- ]through", "sheer"),
    (r"(?:runs?|ran) out|dies|died", "expires"),
    (r"pea[- ]sized?", "small"),
    (
        r"(?:can|may|could) (?:go|be (?:put|washed|used|placed)) in (?:the |a |my )?(dishwasher|microwave|oven|dryer)",
        r"is \1 safe",
    ),
    (r"(?:(?:does|do|did)(?: not|n't)|won't|will not) (\w+) (?:very |so |that |too )?well", r"\1 badly"),
    (r"(?:was|is|were|are|been)? ?(?:up and running|up and ready)", "was set up"),
    (r"no longer|not any ?more", "stopped"),
    (r"(?:fails?|failed|refuses?|refused) to (?=\w)", "does not "),
    (r"(?:(?:is|are|was|were|am)(?: not|n't) able|unable) to (?=\w)", "cannot "),
    (r"(?:is |are |was |were )?(?:completely )?free (?:of|from) (?:any )?(?=\w)", "has no "),
    (r"(?:the |an? )?(\w+) (?:was|is|were|are) missing from", r"there was no \1 in"),
    (r"(?:the |an? )?(\w+) (?:was|is|were|are) (?:missing|not included)", r"there was no \1"),
    (r"(?:keeps?|kept|prevents?|prevented|stops?|stopped) (?:it|them|this|things) from (?=\w+ing\b)", "does not "),
    (r"(?:gets?|got|getting) rid of", "removes"),
    (r"(?:did|does|do) nothing for", "does not help"),
    (r"no more(?= \w)", "has no"),
    (r"(?:goes|go|went|going) (?:so |very |really )?(?:well |great |nicely |perfectly )?with", "matches"),
    (r"(?:as well|too)(?=\W*$)", "also"),
    (r"(?:makes?|made|making) (?:an? |some |so much |too much |lots of )?(?:\w+ing |loud )?noises?", "is noisy"),
    (r"(?:tore|tears?|ripped|rips?|chewed|pulled) (it|them) apart", r"shredded \1"),
    (r"half an hour", "thirty minutes"),
    (r"half a year|half year", "six months"),
    (r"twice", "two times"),
    (
        r"so (\w+) (?:that )?(?:you|i|we|they|one) (?:can't|cannot|can not|couldn't|could not) (\w+)"
        r"(?: (?:it|them|this)(?=\W|$))?",
        r"too \1 to \2",
    ),
    (r"under (?=(?:\d+|one|two|three|four|five|six|ten|a|an) (?:second|minute|hour|day|week|dollar))", "less than "),
    (r"(?:is|are|was|were) not possible|(?:isn't|wasn't|aren't) possible", "cannot be done"),
    (r"(?:lacks?|lacked|lacking) (?:any |an? )?(?=\w)", "has no "),
    (r"there(?: is|'s| are) no (\w+)", r"has no \1"),
    (r"one (minute|hour|day|week|month|year|wash|use)", r"a \1"),
    (
        r"(?:can be )?(?:fell|falls?|came|comes?|coming|peels?|peeled|washed|wore|rubbed|taken) (?:off|undone)",
        "detached",
    ),
    (r"(?:fell|falls?|came|comes?|coming) (?:apart|loose)", "detached"),
    (r"now and then|at times|from time to time|once in a while|occasionally", "sometimes"),
    (r"all the time|every time|constantly", "always"),
    (r"(?:on )?(?:the )?first (day|night|week|month)", r"\1 one"),
    (r"(?:on )?(?:the )?second (day|night|week|month)", r"\1 two"),
    (r"(?:on )?(?:the )?third (day|night|week|month)", r"\1 three"),
    (r"brand[- ]new", "new"),
    (r"every (?:single )?day|each day", "daily"),
    (r"small enough for", "fits in"),
    (r"(?:fits?|slips?) (?:in|into) (?=(?:my|the|a|your|their) (?:pocket|bag|purse|hand))", "fits in "),
    (r"\bif (?:it|they|you|this)(?:'s|'re| is| are| gets?| goes?| comes?)? (?=(?:in|on|under|near|into) )", ""),
    (r"not as (\w+) as (?:i |they |we )?(?:had )?expected", r"less \1 than expected"),
    (r"than (?:i|they|we) (?:had )?(?:expected|thought)", "than expected"),
)
_CANON = tuple((re.compile(rf"\b(?:{find})" + r"(?:(?<=\s)|(?!\w))", re.IGNORECASE), put) for find, put in _PHRASES)

_WORDS = "one two three four five six seven eight nine ten eleven twelve"
COUNTS = {str(number): word for number, word in enumerate(_WORDS.split(), 1)}
"""Numbers that are written either way."""

_DIGIT = re.compile(rf"(?<![\w.,'’\"/$:-])(?:{'|'.join(COUNTS)})(?![\w.,:'’\"/%-]*\w|%)")
"""A count by itself: no size, price, clock or part of a larger number."""

_ENDINGS = words_of("y e i er en ed ing ness li ity ion ment al ful able ible ish ier s t ability ation") | {""}
"""What may follow the common beginning of two forms of one word; "less" turns it round and is not here."""

LIGHT = frozenset(map(stem, words_of("fit hold come arrive look take make keep use give sit go need turn run last")))
"""Verbs that say little beside what they stand with."""

_COMMON = 4
_FEW = 3


@cache
def _contrasts() -> dict[str, dict[int, str]]:
    """Return for each stem the numbers of the contrasts it is in, and on which side of each."""
    found: dict[str, dict[int, str]] = {}
    for number, line in enumerate(lines_of("opposites.txt")):
        for side, words in zip("ab", line.split("|"), strict=True):
            for word in words.split():
                found.setdefault(stem(word), {}).setdefault(number, side)
    return found


def _contrary(one: str, other: str) -> bool:
    here, there = _contrasts().get(one, {}), _contrasts().get(other, {})
    return any(there[number] != side for number, side in here.items() if number in there)


@lru_cache(maxsize=2_000)
def opposites_of(said: str) -> tuple[str, ...]:
    """Return opposites of a stem, a few words of each contrast that it is in.

    Examples
    --------
    >>> "quiet" in opposites_of("loud"), opposites_of("zipper")
    (True, ())
    """
    here, lines = _contrasts().get(said, {}), lines_of("opposites.txt")
    other = [lines[number].split("|")[side == "a"].split()[:_FEW] for number, side in here.items()]
    listed = [b if stem(a) == said else a for a, b in lexicon.OPPOSITES if said in (stem(a), stem(b))]
    return tuple(dict.fromkeys([*listed, *(word for words in other for word in words)]))


def _index() -> dict[str, frozenset[str]]:
    """Return for each stem of the evidence the stems that may stand for it in a text."""
    found: dict[str, set[str]] = {}
    for line in lines_of("synonyms.txt"):
        strong, _, weak = line.partition(">")
        stems = {stem(word) for word in strong.split()}
        for one in stems:
            found.setdefault(one, set()).update({stem(word) for word in weak.split()} if weak else stems)
    return {word: frozenset(others) for word, others in found.items()}


_MEANT = _index()
_STRONG = frozenset(there for there, weak in _MEANT.items() if any(there not in _MEANT.get(one, ()) for one in weak))


def canonical(text: str) -> str:
    """Return a text in which phrases that mean the same are written alike.

    Examples
    --------
    >>> canonical("bagels fit without any trouble"), canonical("I had to send it back.")
    ('bagels fit easily', 'I had to returned.')
    """
    text = _DIGIT.sub(lambda match: COUNTS[match[0]], text)
    for find, put in _CANON:
        text = find.sub(put, text)
    return text


@lru_cache(maxsize=20_000)
def opposed(said: str, there: str) -> bool:
    """Whether a stem of a text, or a synonym of it, is the opposite of a stem of its evidence or a synonym of that.

    Verbs that say little by themselves have none: "fit" is not the opposite of "soft".

    Examples
    --------
    >>> opposed("slow", "rapid"), opposed("dri", "soak"), opposed("fabric", "soft")
    (True, True, False)
    """
    if said == there or said in LIGHT:
        return (said, there) in OPPOSITES
    if _contrary(said, there):
        return True
    return any((a, b) in OPPOSITES for a in {said, *_MEANT.get(said, ())} for b in {there, *_MEANT.get(there, ())})


def implied(said: str, there: str) -> bool:
    """Whether a stem of the evidence says more than a stem of a text, which it implies.

    Examples
    --------
    >>> implied("hot", "scorch"), implied("fabric", "material")
    (True, False)
    """
    return said in _MEANT.get(there, ()) and there not in _MEANT.get(said, ())


def implies(there: str) -> bool:
    """Whether a stem is the strong form of another: "scorch" of "hot"."""
    return there in _STRONG


@lru_cache(maxsize=20_000)
def alike(said: str, there: str) -> bool:
    """Whether a stem of a text may stand for a stem of its evidence: a synonym, something weaker, a form of one word.

    Examples
    --------
    >>> alike("fabric", "material"), alike("zip", "zipper"), alike("use", "useless"), alike("warm", "cold")
    (True, True, False, False)
    >>> alike("good", "perfect"), alike("perfect", "good")
    (True, False)
    """
    if (said, there) in OPPOSITES:
        return False
    return said in _MEANT.get(there, frozenset()) or _related(said, there)


def _related(one: str, other: str) -> bool:
    """Whether two stems begin alike and differ by an ending: "wood" and "wooden", "bulk" and "bulki"."""
    common = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    least = 3 if min(len(one), len(other)) == 3 and len(one) != len(other) else _COMMON
    return common >= least and one[common:] in _ENDINGS and other[common:] in _ENDINGS
