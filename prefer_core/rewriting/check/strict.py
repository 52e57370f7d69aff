"""The strict check: a text may say its sources as they stand, joined and attributed, and nothing else.

Text and sources are brought into one form: small letters, contractions written out, articles dropped, "I" and "we" as
"they", endings cut. A text passes if, without its attributions ("many reviewers say that"), it is a chain of whole
sources. Order, numbers, negations and conditions are part of the form, so a text that passes can be untrue by nothing
but a word of strength that it leaves out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from prefer_core.data.wordlist import words
from prefer_core.rewriting.check.rules import ATTRIBUTED, NUMBERS, faults

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


@dataclass(frozen=True)
class Statement:
    """One way to say a source, and how many of its first tokens are its subject with its verb "be"."""

    said: Tokens
    subject: int = 0


def strict(text: str, sources: Sequence[str]) -> list[str]:
    """Return why a text may not be shown; empty if each of its parts is a source as it stands.

    Examples
    --------
    >>> strict("Many reviewers say the lid leaks and the cup is light.", ["The lid leaks.", "the cup is very light"])
    []
    >>> strict("Reviewers say the lid leaks.", ["The lid leaks if it isn't screwed tight."])
    ['No source says "lid leak" and no more.']
    >>> strict("It does not smell.", ["It smells."])
    ['No source says "it do not smell" and no more.']
    """
    found = faults(text, sources)
    statements = [statements_of(source) for source in sources]
    for segment in segments(text):
        if chain(segment, statements) is None:
            found.append(f'No source says "{" ".join(segment.said)}" and no more.')
    return found


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
    lead = lead[opening.end() :] if opening and lead.strip() else lead
    word_first = opening[1].lower() if opening else ""
    pending = tokens(lead)
    link = ""
    for place, mark in enumerate(marks):
        word = (mark["word"] or mark["word2"] or "some").lower() if (mark["word"] or mark["word2"]) else ""
        rest = plain[mark.end() : marks[place + 1].start() if place + 1 < len(marks) else len(plain)]
        joined = _LINK.search(rest)
        next_link = joined[1].split()[0].lower() if joined else ""
        rest = rest[: joined.start()] if joined else rest
        if pending and mark["to"] and not (place == 0 and not lead.strip()):
            found.append(Segment(word, link, pending))  # "The lid leaks, according to many reviewers"
            pending = tokens(rest)
        else:
            if pending:
                found.append(Segment("", link, pending))
            found.append(
                Segment(
                    word,
                    link,
                    tokens(rest),
                    (mark["verb"] or "").lower().startswith(("find", "describe", "call", "consider")),
                )
            )
            pending = ()
        link = next_link
    if pending:
        found.append(Segment("", link, pending))
    # "While many say A, a few say B" joins the two as "many say A, while a few say B" does.
    if word_first and len(found) > 1 and not found[1].link:
        found[1] = replace(found[1], link=word_first)
    return found


def statements_of(source: str) -> list[Statement]:
    """Return the ways to say a source: as it is, with or without words of strength; none for a question."""
    if source.rstrip().endswith("?"):
        return []
    said = tokens(source)
    found = [_statement(said)]
    weaker = tuple(token for token in said if token not in _STRENGTH)
    return found if weaker == said or not weaker else [*found, _statement(weaker)]


def _statement(said: Tokens) -> Statement:
    copula = next((i for i, token in enumerate(said) if token in _BE), None)
    return Statement(said, copula + 1 if copula is not None else int(said[:1] in (("it",), ("they",))))


def chain(segment: Segment, statements: Sequence[Sequence[Statement]]) -> list[int] | None:
    """Return which sources a segment says, in its order, or None if it says anything else.

    Of two statements with one subject the second may leave it out ("the lid is light and cheap") or call it "it".
    """
    return _follow(segment, 0, None, statements) if segment.said else None


def _follow(
    segment: Segment, place: int, before: Statement | None, statements: Sequence[Sequence[Statement]]
) -> list[int] | None:
    """Return which sources the tokens from `place` on say, behind the statement `before`."""
    said = segment.said
    if place == len(said):
        return []
    if place and said[place] in _JOINING:
        rest = _follow(segment, place + 1, before, statements)
        if rest is not None:
            return rest
    ways = ((number, way) for number, forms in enumerate(statements) for way in forms)
    for number, way in ways:
        for form in _forms(way, before, segment.found):
            if form and said[place : place + len(form)] == form:
                rest = _follow(segment, place + len(form), way, statements)
                if rest is not None:
                    return [number, *rest]
    return None


def _forms(way: Statement, before: Statement | None, found: bool) -> Iterator[Tokens]:
    """Yield a statement in full, as it follows another with its subject, and as it follows "find"."""
    said = way.said
    yield said
    if found:
        yield tuple(token for i, token in enumerate(said) if token != "be" or i >= way.subject)
        yield ("it", *said)
    if before is None:
        return
    shared = 0
    while shared < min(way.subject, before.subject) and said[shared] == before.said[shared]:
        shared += 1
    if shared and said[shared - 1] in _BE:
        yield ("it", *said[shared - 1 :])
        yield ("they", *said[shared - 1 :])
        # "soft but thin" reads well, "made of thick cotton and perfect" does not.
        noun = "a" in before.said[shared : shared + 1] + said[shared : shared + 1]
        shared -= noun or len(before.said) > shared + 3
    if shared:
        yield said[shared:]


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
        token.lstrip("-−") if i and not plain[max(0, plain.find(token) - 1)].isspace() else token
        for i, token in enumerate(raw)
    ]
    kept = []
    for place, token in enumerate(raw):
        if (
            token in ("this", "that", "these", "those")
            and _SAME.get(raw[place + 1] if place + 1 < len(raw) else "") == "be"
        ):
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
    for ending in ("ing", "ed", "es", "s"):
        base = word[: -len(ending)]
        if (
            word.endswith(ending)
            and len(base) >= 2
            and any(c in "aeiouy" for c in base)
            and not word.endswith(("ss", "us", "is"))
        ):
            if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz":
                return base[:-1]
            return base[:-1] if base.endswith("e") and len(base) > 3 else base
    return word[:-1] if word.endswith("e") else word
