"""The strict check: a text may say its sources as they stand, joined and attributed, and nothing else.

Text and sources are brought into one form: small letters, contractions written out, articles dropped, "I" and "we" as
"they", endings cut. A text passes if, without its attributions ("many reviewers say that"), it is a chain of whole
sources. Order, numbers, negations and conditions are part of the form, so a text that passes can be untrue by nothing
but a word of strength that it leaves out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from prefer_core.data.wordlist import words
from prefer_core.rewriting.check.rules import ATTRIBUTED, NUMBERS, Verdict, faults

Tokens = tuple[str, ...]

_CONTRACTED = (("won't", "will not"), ("can't", "can not"), ("cannot", "can not"), ("n't", " not"), ("'re", " are"),
               ("'ll", " will"), ("'ve", " have"), ("'m", " am"), ("'d", " would"))  # fmt: skip
_IS = re.compile(r"\b(it|that|this|there|here|what|he|she)'s\b")
_TOKEN = re.compile(r"[-−]?[$€£]?\d+(?:[.,:/]\d+)*|[^\W\d_]+|[%°\"]", re.UNICODE)

_SAME = {
    "i": "they", "we": "they", "my": "their", "our": "their", "mine": "theirs", "me": "them", "us": "them",
    "myself": "themselves", "ourselves": "themselves", "reviewer": "they", "reviewers": "they", "is": "be",
    "are": "be", "was": "be", "were": "be", "am": "be", "been": "be", "has": "have", "had": "have", "does": "do",
    "did": "do", "an": "a",
}  # fmt: skip
_DROPPED = words("the that this these those")
_STRENGTH = words(
    "very really so super extremely totally absolutely incredibly just definitely truly actually pretty honestly "
    "quite also too indeed"
)
"""Words that a text may leave out; it may not add one."""

_JOINING = words("and but while also plus yet though although whereas")
CONTRAST = words("but yet though although whereas")
"""Joining words that say that what follows speaks against what precedes."""
_BE = ("be", "look", "feel", "seem")

_LINK = re.compile(
    r"(?:^|[\s,;]+)((?:and|but|while|whereas|although|though|yet|also|plus)(?:\s+also)?)\s*$", re.IGNORECASE
)
_LINK_FIRST = re.compile(r"^\s*(while|although|though|and|but|also|plus)\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Segment:
    """What a text says of one group of people.

    `word` is "many", "some", "a few", "one" or empty where nobody is named, `link` the word that joins it to what
    precedes, `said` what they say in the form of `tokens`, `found` whether they "find" it ("find it soft").
    """

    word: str
    link: str
    said: Tokens
    found: bool = False


class Strict:
    """Clauses of the sources as they stand, and nothing else."""

    name = "strict"
    asks_the_writer = False

    def judge(self, text: str, sources: Sequence[str]) -> Verdict:
        """Judge a text by its form, its numbers and its words.

        Examples
        --------
        >>> STRICT.judge("Many reviewers say the lid leaks and the cup is light.",
        ...              ["The lid leaks.", "the cup is very light"]).ok
        True
        >>> STRICT.judge("Reviewers say the lid leaks.", ["The lid leaks if it isn't screwed tight."]).reasons
        ('No source says "lid leak" and no more.',)
        >>> STRICT.judge("It does not smell.", ["It smells."]).reasons
        ('No source says "it do not smell" and no more.',)
        """
        reasons = faults(text, sources)
        for segment, said in told(text, sources):
            if said is None:
                reasons.append(f'No source says "{" ".join(segment.said)}" and no more.')
        return Verdict(not reasons, float(not reasons), tuple(reasons))


STRICT = Strict()


def told(text: str, sources: Sequence[str]) -> list[tuple[Segment, list[int] | None]]:
    """Return what a text says of each group of people, with the sources that say it, in its order, or None."""
    ways = [(number, way) for number, source in enumerate(sources) for way in _ways_to_say(source)]
    return [(segment, _chain(segment, ways)) for segment in segments(text)]


def segments(text: str) -> list[Segment]:
    """Part a text at its attributions.

    Examples
    --------
    >>> for one in segments("While many say the lid leaks, a few reviewers find it handy."):
    ...     print(one.word, one.link, one.said, one.found)
    many  ('lid', 'leak') False
    a few while ('it', 'handy') True
    """
    plain = " ".join(text.replace("’", "'").split()).rstrip(" .!")
    marks = list(ATTRIBUTED.finditer(plain))
    if not marks:
        return [Segment("", "", tokens(plain))]
    found: list[Segment] = []
    lead = plain[: marks[0].start()]
    opening = _LINK_FIRST.match(lead + " ")
    pending = tokens(lead[opening.end() :] if opening else lead)
    link = ""
    for place, mark in enumerate(marks):
        word = (mark["word"] or mark["word2"] or "").lower()
        rest = plain[mark.end() : marks[place + 1].start() if place + 1 < len(marks) else len(plain)]
        joined = _LINK.search(rest)
        said = tokens(rest[: joined.start()] if joined else rest)
        if pending and mark["to"]:
            found.append(Segment(word, link, pending))  # "The lid leaks, according to many reviewers"
            pending = said
        else:
            if pending:
                found.append(Segment("", link, pending))
            finds = (mark["verb"] or "").lower().startswith(("find", "describe", "call", "consider"))
            found.append(Segment(word, link, said, finds))
            pending = ()
        link = joined[1].split()[0].lower() if joined else ""
    if pending:
        found.append(Segment("", link, pending))
    # "While many say A, a few say B" joins the two as "many say A, while a few say B" does.
    if opening and len(found) > 1 and not found[1].link:
        found[1] = replace(found[1], link=opening[1].lower())
    return found


def _ways_to_say(source: str) -> list[Tokens]:
    """Return the ways to say a source: as it is, with or without words of strength; none for a question."""
    said = tokens(source)
    weaker = tuple(token for token in said if token not in _STRENGTH)
    found = [said] if weaker in (said, ()) else [said, weaker]
    return [] if source.rstrip().endswith("?") else found


def _chain(
    segment: Segment, ways: Sequence[tuple[int, Tokens]], place: int = 0, before: Tokens | None = None
) -> list[int] | None:
    """Return which sources the tokens from `place` on say, behind what is said `before`, or None if anything else.

    Of two sources with one subject the second may leave it out ("the lid is light and cheap") or call it "it".
    """
    said = segment.said
    if place == len(said):
        return [] if place else None
    if place and said[place] in _JOINING:
        rest = _chain(segment, ways, place + 1, before)
        if rest is not None:
            return rest
    for number, way in ways:
        for form in _forms(way, before, segment.found):
            if form and said[place : place + len(form)] == form:
                rest = _chain(segment, ways, place + len(form), way)
                if rest is not None:
                    return [number, *rest]
    return None


def _forms(said: Tokens, before: Tokens | None, found: bool) -> Iterator[Tokens]:
    """Yield a statement in full, as it follows another with its subject, and as it follows "find"."""
    yield said
    subject = _subject(said)
    if found:
        yield tuple(token for i, token in enumerate(said) if token != "be" or i >= subject)
        yield ("it", *said)
    if before is None:
        return
    shared = 0
    while shared < min(subject, _subject(before)) and said[shared] == before[shared]:
        shared += 1
    if shared and said[shared - 1] in _BE:
        yield ("it", *said[shared - 1 :])
        yield ("they", *said[shared - 1 :])
        # "soft but thin" reads well, "made of thick cotton and perfect" does not.
        noun = "a" in before[shared : shared + 1] + said[shared : shared + 1]
        shared -= noun or len(before) > shared + 3
    if shared:
        yield said[shared:]


def _subject(said: Tokens) -> int:
    """Return how many of the first tokens are the subject with its verb "be"."""
    copula = next((i for i, token in enumerate(said) if token in _BE), None)
    return copula + 1 if copula is not None else int(said[:1] in (("it",), ("they",)))


def tokens(text: str) -> Tokens:
    """Return a text in the form that texts and sources are compared in.

    Examples
    --------
    >>> tokens("It doesn't fit my 2-litre jug, and the lids ARE loose!")
    ('it', 'do', 'not', 'fit', 'their', '2', 'litr', 'jug', 'and', 'lid', 'be', 'loos')
    """
    plain = re.sub(r"'s?\b|\bas well\b(?! as)", " ", written_out(text))
    raw = _TOKEN.findall(re.sub(r"(?<=\d),(?=\d{3})", "", plain))
    raw = [
        token.lstrip("-") if i and not plain[max(0, plain.find(token) - 1)].isspace() else token
        for i, token in enumerate(raw)
    ]
    kept = []
    for token, behind in pairwise([*raw, ""]):
        if token in ("this", "that", "these", "those") and _SAME.get(behind) == "be":
            kept.append("it" if token in ("this", "that") else "they")
        elif token not in _DROPPED:
            kept.append(NUMBERS.get(token) or _SAME.get(token) or stem(token))
    return tuple(kept)


def written_out(text: str) -> str:
    """Return a text in small letters with its contractions written out."""
    plain = _IS.sub(r"\1 is", text.lower().replace("’", "'").replace("−", "-"))
    for short, long in _CONTRACTED:
        plain = plain.replace(short, long)
    return plain


def stem(word: str) -> str:
    """Return a word without the endings that do not change what it says.

    Examples
    --------
    >>> [stem(word) for word in ("runs", "running", "stopped", "batteries", "glass", "uses", "used")]
    ['run', 'run', 'stop', 'battery', 'glass', 'us', 'us']
    """
    if len(word) <= 3 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    for ending in () if word.endswith(("ss", "us", "is")) else ("ing", "ed", "es", "s"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= 2 and any(c in "aeiouy" for c in base):
            doubled = base[-1] == base[-2] and base[-1] not in "lsz"
            return base[:-1] if len(base) > 3 and (doubled or base[-1] == "e") else base
    return word.removesuffix("e")
