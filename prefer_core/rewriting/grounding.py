"""Checks of one text against its evidence: a text that fails is never shown.

All functions are pure and know no model. The rules are blunt on purpose: they reject some good sentences, and a
rejected sentence only means that the next candidate, or the template, speaks instead.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from prefer_core.config import WritingSettings
from prefer_core.rewriting.align import Source, agree, flags_of, paired
from prefer_core.rewriting.words import (
    FINITE,
    FIRST_PERSON,
    INTENSE,
    OPPOSITES,
    SECOND_PERSON,
    STOP,
    VAGUE,
    VERBS,
    Token,
    content_stems,
    fold,
    sentences,
    tokens,
)

_QUOTE = re.compile(r'"[^"]*"')
_OPENING = re.compile(r"^(?:Many|Some|A few|One|Reviewers?|Others?)(?: reviewers?)? (?:say|write|find|note|add)s?\b(?: that)?", re.I)
_DANGLING = frozenset(
    """a an the and or but so to of with for because if than as at by from my your their its is are was were be very
    really that which who when while too's not no into per plus like just also nor i""".split()
)
_WEAK_START = frozenset(
    """because maybe perhaps and or but also so to of with from than like unlike just not as by at in for on which who
    despite although though even plus then yet while whereas except too very really if when since after before""".split()
)


@dataclass(frozen=True)
class Verdict:
    """Outcome of a check.

    Attributes
    ----------
    ok : bool
        Whether the text may be shown.
    score : float
        Rank among candidates, in [0, 1].
    reasons : tuple of str
        What is wrong, in words; empty if `ok`.
    """

    ok: bool
    score: float
    reasons: tuple[str, ...] = ()


def check(
    text: str,
    sources: Sequence[str],
    settings: WritingSettings,
    *,
    allowed: Collection[str] = (),
    foreign: Collection[str] = (),
) -> Verdict:
    """Check one text of one or more sentences against the evidence it reports.

    Parameters
    ----------
    text : str
        The text as it would be shown.
    sources : sequence of str
        Evidence sentences.
    settings : WritingSettings
        `longest_copy` and `anchored` are used.
    allowed : collection of str
        Words that need no anchor, such as the name of an aspect.
    foreign : collection of str
        Content stems of the few-shot examples.

    Examples
    --------
    >>> source = ["I love how the coconut smell lasts for hours."]
    >>> check("Reviewers say the coconut smell lasts for hours.", source, WritingSettings()).ok
    True
    >>> check("Reviewers say the coconut smell does not last.", source, WritingSettings()).reasons
    ('a negation that the evidence lacks, or the reverse: last',)
    """
    free = {t.stem for word in allowed for t in tokens(word)}
    plain = _QUOTE.sub(" ", text)
    reasons = [
        *_form(text, plain),
        *_copies(text, plain, sources, settings.longest_copy),
        *_meaning(plain, sources, free, set(foreign), settings.anchored),
    ]
    return Verdict(not reasons, 0.0 if reasons else _score(plain, text, sources, free), tuple(reasons))


def cites(text: str, sources: Sequence[str]) -> tuple[int, ...]:
    """Return the positions of the sources that a text rests on, at least one if there are any.

    The source that shares most content words comes in first, then whichever explains the most words still open.

    Examples
    --------
    >>> cites("the lid cracks and the smell is sweet", ["The lid cracked.", "Came late.", "A sweet smell!"])
    (0, 2)
    """
    if not sources:
        return ()
    open_words = content_stems(text)
    stems = [content_stems(source) for source in sources]
    found: list[int] = []
    while len(found) < len(sources):
        best = max((i for i in range(len(sources)) if i not in found), key=lambda i: len(stems[i] & open_words))
        if found and not stems[best] & open_words:
            break
        found.append(best)
        open_words -= stems[best]
    return tuple(sorted(found))


def first_person(text: str) -> tuple[str, ...]:
    """Return the first-person words outside quotes; "US" in capitals is a country."""
    plain = _QUOTE.sub(" ", text)
    raw = [(t.word, plain[t.start : t.end]) for t in tokens(plain)]
    return tuple(word for word, shown in raw if word in FIRST_PERSON and shown != "US")


def longest_run(text: str, source: str) -> int:
    """Return the length in words of the longest run that `text` shares with `source`."""
    a, b = [t.word for t in tokens(text)], [t.word for t in tokens(source)]
    best, row = 0, [0] * (len(b) + 1)
    for word in a:
        row = [0] + [row[j] + 1 if word == other else 0 for j, other in enumerate(b)]
        best = max(best, *row)
    return best


def loops(text: str) -> bool:
    """Whether a text repeats itself: a run of three words twice, a word twice in a row, or one content word four times."""
    words = [t.word for t in tokens(text)]
    triples = Counter(zip(words, words[1:], words[2:], strict=False))
    content = Counter(t.stem for t in tokens(text) if t.content)
    doubled = any(a == b and a not in {"that", "had"} for a, b in zip(words, words[1:], strict=False))
    return doubled or any(n > 1 for n in triples.values()) or any(n > 3 for n in content.values())


def clause_of(text: str) -> str:
    """Return what a statement reports: the text without its opening ("Many reviewers say") and final stop."""
    return _OPENING.sub("", text, count=1).strip().rstrip(".!?").strip()


def well_formed(clause: str) -> bool:
    """Whether a clause has a verb, does not start in mid-sentence and does not end on a word that wants another."""
    words = tokens(clause)
    if len(words) < 2 or words[0].word in _WEAK_START or words[-1].word in _DANGLING:
        return False
    return any(t.word in FINITE or (i and t.stem in VERBS and words[i - 1].word != "to") for i, t in enumerate(words))


def _form(text: str, plain: str) -> list[str]:
    found = []
    if not text.strip():
        return ["an empty text"]
    if people := first_person(text):
        found.append(f"first person: {', '.join(people)}")
    if not text.rstrip().rstrip('"').endswith((".", "!", "?", "…")):
        found.append("does not end as a sentence")
    if text.count('"') % 2 or "\n" in text:
        found.append("stray quotes or lines")
    if any(loops(one) for one in sentences(plain)):
        found.append("repeats itself")
    if '"' not in text and any(not well_formed(clause_of(one)) for one in sentences(plain)):
        found.append("not a whole clause")
    return found


def _copies(text: str, plain: str, sources: Sequence[str], limit: int) -> list[str]:
    found = []
    # The opening is ours: only what follows it can be a copy.
    if any(longest_run(clause_of(one), source) > limit for one in sentences(plain) for source in sources):
        found.append(f"more than {limit} words in a row are copied")
    for quote in _QUOTE.findall(text):
        words = [t.word for t in tokens(quote)]
        if len(words) > limit or (words and max((longest_run(quote, s) for s in sources), default=0) < len(words)):
            found.append("a quote that is not the evidence's own words")
    return found


def _meaning(plain: str, sources: Sequence[str], free: set[str], foreign: set[str], limit: float) -> list[str]:
    read = [Source.read(source) for source in sources]
    known = free | {stem for source in read for stem in source.stems}
    words = [t for t in tokens(plain) if t.content]
    missing = [t for t in words if t.stem not in known]
    found = []
    if numbers := [t.word for t in missing if any(c.isdigit() for c in t.word)]:
        found.append(f"numbers that the evidence lacks: {', '.join(numbers)}")
    if leaked := [t.word for t in missing if t.stem in foreign]:
        found.append(f"words of the prompt's examples: {', '.join(leaked)}")
    if words and 1 - len(missing) / len(words) < limit:
        found.append(f"words that the evidence lacks: {', '.join(t.word for t in missing)}")
    for a, b in (*OPPOSITES, *((b, a) for a, b in OPPOSITES)):
        if b in known - free and any(t.stem == a for t in missing):
            found.append(f"{a} where the evidence says {b}")
    said = {t.word for source in read for t in source.words}
    if strong := [t.word for t in tokens(plain) if t.word in INTENSE and t.word not in STOP - INTENSE]:
        if not said & INTENSE:
            found.append(f"stronger than the evidence: {', '.join(strong)}")
    for one in sentences(plain):
        clause = clause_of(one)
        found += agree(clause, read, free)
        found += paired(clause, read, free)
    return found


def _score(plain: str, text: str, sources: Sequence[str], free: set[str]) -> float:
    """How much a reader learns: coverage of the lead source, concreteness, a good length; minus address in person."""
    stems = content_stems(plain if '"' not in text else text) - free
    best = max((content_stems(s) for s in sources), key=lambda s: len(s & stems), default=set())
    coverage = min(1.0, len(stems & best) / max(1, min(len(best), 5)))
    concrete = len(stems - VAGUE) / max(1, min(3, len(best - VAGUE) or 1))
    length = len(tokens(clause_of(plain)))
    good_length = 1.0 if 3 <= length <= 22 else 0.4
    you = any(fold(t.word) in SECOND_PERSON for t in tokens(plain))
    score = 0.45 * coverage + 0.35 * min(1.0, concrete) + 0.2 * good_length - 0.1 * you
    return round(max(0.0, min(1.0, score)), 4)


