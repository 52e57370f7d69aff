"""Phrases of reviews that mean the same, written alike before a text is compared with its evidence."""

import itertools
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from prefer_core.rewriting.lexicon import lines_of

_FORMS = (
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
    (r"(?:do|does|did|is|are|was|were|can|will)(?: not|n't) (\w+(?: \w+)?) any ?(?:more|longer)", r"no longer \1"),
    (r"no longer|not any ?more", "stopped"),
    (r"(?:not|isn't|wasn't|aren't) enough (\w+)", r"\1 is not enough"),
    (r"rather than|instead of", "not"),
    (
        r"over (?=(?:\d+|one|two|three|four|five|six|ten|a|an) (?:second|minute|hour|day|week|month|year|dollar))",
        "more than ",
    ),
    (r"(?:stopped|quit|ceased) works?(?:ing)?", "failed"),
    (r"(?<!i )(?<!we )(?:would not|wouldn't) (?=\w)(?!.*\bif\b)", "did not "),
    (r"(\w+) in the box", r"included \1"),
    (r"(\w+) that (?:comes?|came) (?:included )?with (?:it|them)", r"included \1"),
    (r"so (\w+) (?:that )?(?:you|i|we|they) can (?=\w)", r"\1 enough to "),
    (r"(leaves?|left|makes?|made|causes?|caused|needs?|needed|sees?|saw|finds?|found) no (?=\w)", r"not \1 "),
    (r"(?:fails?|failed|refuses?|refused) to (?=\w)", "does not "),
    (r"(?:(?:is|are|was|were|am)(?: not|n't) able|unable) to (?=\w)", "cannot "),
    (r"(?:is |are |was |were )?(?:completely )?free (?:of|from) (?:any )?(?=\w)", "has no "),
    (r"(?:the |an? )?(\w+) (?:was|is|were|are) missing from", r"there was no \1 in"),
    (r"(?:the |an? )?(\w+) (?:was|is|were|are) (?:missing|not included)", r"there was no \1,"),
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
    (r"an? (minute|hour|day|week|month|year|wash|use)", r"one \1"),
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
_CANON = tuple((re.compile(rf"\b(?:{find})" + r"(?:(?<=\s)|(?!\w))", re.IGNORECASE), put) for find, put in _FORMS)

_WORDS = "one two three four five six seven eight nine ten eleven twelve"
COUNTS = {str(number): word for number, word in enumerate(_WORDS.split(), 1)}
"""Numbers that are written either way."""

_DIGIT = re.compile(rf"(?<![\w.,'’\"/$:-])(?:{'|'.join(COUNTS)})(?![\w.,:'’\"/%-]*\w|%)")
"""A count by itself: no size, price, clock or part of a larger number."""

_LONGEST = 10
"""Most words of a listed phrase."""

_WORD = re.compile(r"[\w]+(?:['’]\w+)*")


@lru_cache(maxsize=4_000)
def canonical(text: str) -> str:
    """Return a text in which phrases that mean the same are written alike, by their forms.

    Examples
    --------
    >>> canonical("bagels fit without any trouble"), canonical("I had to send it back.")
    ('bagels fit easily', 'I had to returned.')
    """
    text = _DIGIT.sub(lambda match: COUNTS[match[0]], text)
    for find, put in _CANON:
        text = find.sub(put, text)
    return text


def in_phrases_of(text: str, sources: Sequence[str]) -> str:
    """Return a text in which each phrase is its evidence's own that means the same, by the list ``phrases.txt``.

    Examples
    --------
    >>> in_phrases_of("the cord quit working in may", ["The cord gave out in May."])
    'the cord gave out in may'
    >>> in_phrases_of("the cord quit working", ["The cord is red."])
    'the cord quit working'
    """
    there = {group: run for source in sources for run in _runs(source) for group in _same().get(_plain(run), ())}
    parts: list[str] = []
    end = 0
    for start, stop in _spans(text) if there else ():
        run = text[start:stop]
        put = next((there[group] for group in _same().get(_plain(run), ()) if group in there), None)
        if start >= end and put is not None:
            parts += [text[end:start], put]
            end = stop
    return "".join([*parts, text[end:]])


@lru_cache(maxsize=2_000)
def _runs(source: str) -> tuple[str, ...]:
    return tuple(source[start:stop] for start, stop in _spans(source))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each run of words that nothing but spaces and hyphens part is; by start, the longest first."""
    words = list(_WORD.finditer(text))
    for i, first in enumerate(words):
        last = i
        while last + 1 < len(words) and last < i + _LONGEST - 1 and _joined(text, words[last], words[last + 1]):
            last += 1
        yield from ((first.start(), words[j].end()) for j in range(last, i - 1, -1))


def _joined(text: str, one: re.Match[str], other: re.Match[str]) -> bool:
    return text[one.end() : other.start()] in (" ", "-")


def _plain(run: str) -> str:
    return run.lower().replace("’", "'").replace("-", " ")


@cache
def _same() -> dict[str, tuple[int, ...]]:
    """Return for each listed phrase the numbers of the lines it is in."""
    found: dict[str, tuple[int, ...]] = {}
    for number, line in enumerate(lines_of("phrases.txt")):
        for phrase in dict.fromkeys(form for member in line.split("=") for form in _spelled(member)):
            found[phrase] = (*found.get(phrase, ()), number)
    return found


def _spelled(phrase: str) -> list[str]:
    """Return a phrase once for each of its alternatives, "(is|was) unable to" twice, denials also contracted."""
    choices = [part.split("|") for part in re.split(r"\(([^)]*)\)", phrase)]
    texts = [" ".join("".join(parts).split()) for parts in itertools.product(*choices)]
    short = [re.sub(r"\b(do|does|did|is|are|was|were|would|could|has|have|had) not\b", r"\1n't", one) for one in texts]
    return list(dict.fromkeys([*texts, *short]))
