"""Checks of one text against its evidence: a text that fails is never shown.

All functions are pure and know no model. The rules are blunt on purpose: they reject some good sentences, and a
rejected sentence only means that the next candidate, or the template, speaks instead.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from prefer_core.config import WritingSettings
from prefer_core.rewriting.again import Asked, asked_again
from prefer_core.rewriting.form import QUOTE, clause_of, first_person, longest_run, loops, well_formed
from prefer_core.rewriting.lexicon import SECOND_PERSON
from prefer_core.rewriting.marks import Source
from prefer_core.rewriting.meaning import Meaning
from prefer_core.rewriting.synonyms import alike
from prefer_core.rewriting.truth import Rules, untrue
from prefer_core.rewriting.words import VAGUE, content_stems, plain, sentences, tokens

_INCHES = re.compile(r"(?<=\d['’]\d)\"|(?<=\d['’]\d\d)\"")
_FRAGMENT = "not a whole clause"


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
    meaning: Meaning | None = None,
) -> Verdict:
    """Check one text of one or more sentences against the evidence it reports.

    Two layers: the text stands in its evidence's own words (anchored), or, with `meaning`, it does so once its words
    are exchanged for their synonyms, and an encoder of sentences agrees.

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
    meaning : Meaning, optional
        The second layer; without it a text in other words fails.

    Examples
    --------
    >>> source = ["I love how the coconut smell lasts for hours."]
    >>> check("Reviewers say the coconut smell lasts for hours.", source, WritingSettings()).ok
    True
    >>> check("Reviewers say the coconut smell does not last.", source, WritingSettings()).reasons
    ('a negation that the evidence lacks, or the reverse: last',)
    """
    free = {t.stem for word in allowed for t in tokens(word)}
    text = _INCHES.sub("", text)
    bare = QUOTE.sub(" ", text)
    read = [Source.read(source) for source in sources]
    form = [*_form(text, bare), *_copies(text, bare, sources, settings.longest_copy)]
    rules = Rules(frozenset(foreign), settings.anchored, '"' in text)
    truth = untrue(bare, read, free, rules)
    if truth and meaning is not None and '"' not in text and not (form and set(form) - {_FRAGMENT}):
        truth = asked_again(bare, truth, Asked(sources, free, rules, meaning))
    reasons = (*form, *truth)
    return Verdict(not reasons, 0.0 if reasons else _score(bare, text, sources, free), reasons)


def cites(text: str, sources: Sequence[str], meaning: Meaning | None = None) -> tuple[int, ...]:
    """Return the positions of the sources that a text rests on, at least one if there are any.

    The source that shares most content words comes in first, then whichever explains the most words still open. With
    `meaning` synonyms count as shared, and a cosine decides between sources that share as many.

    Examples
    --------
    >>> cites("the lid cracks and the smell is sweet", ["The lid cracked.", "Came late.", "A sweet smell!"])
    (0, 2)
    """
    if not sources:
        return ()
    open_words = content_stems(text)
    stems = [content_stems(source) for source in sources]
    if meaning is not None:
        stems = [{w for w in open_words if w in there or any(alike(w, s) for s in there)} for there in stems]
    near = None if meaning is None or len(sources) < 2 else meaning.closeness([clause_of(text) or text], sources)
    found: list[int] = []
    while len(found) < len(sources):
        rest = [i for i in range(len(sources)) if i not in found]
        best = max(rest, key=lambda i: len(stems[i] & open_words) + (0.0 if near is None else 0.5 * near[0, i]))
        if found and not stems[best] & open_words:
            break
        found.append(best)
        open_words -= stems[best]
    return tuple(sorted(found))


def _form(text: str, bare: str) -> list[str]:
    found = []
    if not text.strip():
        return ["an empty text"]
    if people := first_person(text):
        found.append(f"first person: {', '.join(people)}")
    if not text.rstrip().rstrip('"').endswith((".", "!", "?", "…")):
        found.append("does not end as a sentence")
    if text.count('"') % 2 or "\n" in text or "--" in bare:
        found.append("stray quotes or lines")
    if any(loops(one) for one in sentences(bare)):
        found.append("repeats itself")
    if '"' not in text and any(not well_formed(clause_of(one)) for one in sentences(bare)):
        found.append(_FRAGMENT)
    return found


def _copies(text: str, bare: str, sources: Sequence[str], limit: int) -> list[str]:
    found = []
    # The opening is ours: only what follows it can be a copy.
    if any(longest_run(clause_of(one), source) > limit for one in sentences(bare) for source in sources):
        found.append(f"more than {limit} words in a row are copied")
    for quote in QUOTE.findall(text):
        said = plain(quote.strip('"')).strip("… ")
        if len(tokens(said)) > limit or not any(said in plain(source) for source in sources):
            found.append("a quote that is not the evidence's own words")
    return found


def _score(bare: str, text: str, sources: Sequence[str], free: set[str]) -> float:
    """How much a reader learns: coverage of the lead source, concreteness, a good length; minus address in person."""
    stems = content_stems(bare if '"' not in text else text) - free
    best = max((content_stems(s) for s in sources), key=lambda s: len(s & stems), default=set())
    coverage = min(1.0, len(stems & best) / max(1, min(len(best), 5)))
    concrete = len(stems - VAGUE) / max(1, min(3, len(best - VAGUE) or 1))
    length = len(tokens(clause_of(bare)))
    good_length = 1.0 if 3 <= length <= 22 else 0.4
    you = any(t.word in SECOND_PERSON for t in tokens(bare))
    score = 0.45 * coverage + 0.35 * min(1.0, concrete) + 0.2 * good_length - 0.1 * you
    return round(max(0.0, min(1.0, score)), 4)
