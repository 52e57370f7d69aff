"""What a check is, and the rules that each keeps, whoever judges the meaning: form, person, copied runs, numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from prefer_core.data.wordlist import words
from prefer_core.errors import BackendError


@dataclass(frozen=True)
class Verdict:
    """Whether a text may be shown, how sure the check is in [0, 1] (comparable within one check only), and why not."""

    ok: bool
    score: float
    reasons: tuple[str, ...] = ()


class Check(Protocol):
    """Something that judges texts."""

    name: str
    asks_the_writer: bool

    def judge(self, text: str, sources: Sequence[str]) -> Verdict:
        """Judge whether a text says only what its sources say."""
        ...


class ScoredCheck:
    """A check by a model: what keeps the rules and scores at least the threshold is accepted.

    A model that fails accepts nothing. `refusal` is what a text is told that scores less.
    """

    asks_the_writer = False
    refusal = ""

    def __init__(self, name: str, threshold: float) -> None:
        self.name = name
        self._threshold = threshold

    def judge(self, text: str, sources: Sequence[str]) -> Verdict:
        """Judge a text by the rules, then by the model."""
        if reasons := faults(text, sources):
            return Verdict(False, 0.0, tuple(reasons))
        try:
            score = self.score(text, sources)
        except BackendError as error:
            return Verdict(False, 0.0, (str(error),))
        accepted = score >= self._threshold
        return Verdict(accepted, score, () if accepted else (f"{self.refusal} ({score:.2f}).",))

    def score(self, text: str, sources: Sequence[str]) -> float:
        """Return how surely the sources say the text, in [0, 1]; BackendError if the model fails."""
        raise NotImplementedError


LONGEST_COPY = 8
"""Words in a row that a text may have in common with a source, unless they are a whole clause of it."""

_QUOTED = re.compile(r'"[^"]*"')
_PERSON = re.compile(
    r"\b(?:I(?:['’](?:m|ve|d|ll))?|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e(?:['’](?:re|ve|d|ll))?|[Oo]urs?|us)\b"
)
_MARKUP = re.compile(r"[<>{}|*_#\\`]|https?:|www\.|\[\D*\]")
_PEOPLE = "(?:reviewers?|people|buyers?|users?|customers?|owners?|shoppers?)"
_WHO = rf"(?:(?P<word>many|most|some|several|a few|few|one|two|another|others)(?:\s+other)?(?:\s+{_PEOPLE})?|{_PEOPLE})"
_SAY = r"(?:say|find|note|think|feel|add|mention|report|agree|state|write|point out|describe|call|consider)s?"
ATTRIBUTED = re.compile(
    rf"\b(?:(?P<to>according to)\s+{_WHO},?|"
    rf"{_WHO.replace('word', 'word2')}\s+(?:also\s+|even\s+)?(?P<verb>{_SAY})(?:\s+that)?)\b,?",
    re.IGNORECASE,
)
"""Who says it: "many reviewers say that", "according to a few buyers"."""

_WORD = re.compile(r"[^\W_]+(?:['’.,]?[^\W_]+)*", re.UNICODE)

NUMBERS = {
    "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30",
    "forty": "40", "fifty": "50", "hundred": "100", "half": "0.5", "twice": "2",
}  # fmt: skip
"""Numbers that are written as words."""

_BOUNDS = {"over": 1, "above": 1, "more": 1, "least": 1, "under": -1, "below": -1, "less": -1, "most": -1, "almost": -1,
           "nearly": -1, "barely": 1}  # fmt: skip
"""Words before a number that say on which side of it something lies."""

_NUMBER = re.compile(r"[-−]?[$€£]?\d+(?:[.,:/]\d+)*\s*(?:%|°|\"|″|'|[^\W\d_]+)?|[^\W\d_]+", re.UNICODE)


_UNITS = words(
    "% ° \" ' ″ hour minute second day week month year time inch foot feet cm mm m km mile yard gram g kg pound lb lbs "
    "ounce oz litre liter l ml cup gb mb tb watt w volt v amp mah degree percent star dollar euro pack piece wash size"
)

_CLAUSES = re.compile(r"[.!?;:,]\s+|\s(?:and|but|so|because|although|though|while)\s")


def faults(text: str, sources: Sequence[str]) -> list[str]:
    """Return what is wrong with a text by the rules alone, one sentence a fault.

    Examples
    --------
    >>> faults("Many say it lasts 3 hours.", ["It lasts three hours"])
    []
    >>> faults("We love it as it lasts 5 hours", ["It lasts 3 hours."])
    ['It does not end like a sentence.', 'It speaks in the first person: "We".', 'No source has the number 5 hour.']
    """
    found = form(text)
    bare = _QUOTED.sub(" ", text)
    if person := _PERSON.search(bare):
        found.append(f'It speaks in the first person: "{person[0]}".')
    known = {fact for source in sources for fact in numbers(source)}
    unknown = [fact for fact in numbers(bare) if fact not in known]
    found += [f"No source has the number {' '.join(filter(None, fact[:2]))}." for fact in unknown]
    if run := copied(bare, sources):
        found.append(f'It copies "{run}".')
    return found


def form(text: str) -> list[str]:
    """Return what keeps a text from being one well-formed English sentence or a few."""
    found = []
    if not text.split() or text.rstrip()[-1:] not in '.!?"':
        found.append("It does not end like a sentence.")
    if text.count('"') % 2:
        found.append("A quotation is not closed.")
    if _MARKUP.search(text):
        found.append("It holds markup or a link.")
    if text[:1].islower() or not text[:1].isalnum():
        found.append("It does not begin like a sentence.")
    lowered = [word.lower().strip(".,;") for word in ATTRIBUTED.sub(" ", text).split()]
    triples = list(zip(lowered, lowered[1:], lowered[2:], strict=False))
    doubled = any(a == b and a not in ("that", "had") for a, b in pairwise(lowered))
    if doubled or len(set(triples)) < len(triples):
        found.append("It repeats itself.")
    return found


def numbers(text: str) -> list[tuple[str, str, int]]:
    """Return each number with the unit behind it and the side of it that is meant: 1 above, -1 below, 0 neither.

    Examples
    --------
    >>> numbers("lasts over 3 hours at -5 degrees, one of two")
    [('3', 'hour', 1), ('-5', 'degree', 0), ('2', '', 0)]
    """
    found = []
    parts = [part.strip() for part in _NUMBER.findall(text.lower().replace("−", "-"))]
    parts = [NUMBERS.get(part, part) for part in parts if part]
    for place, part in enumerate(parts):
        if not any(c.isdecimal() for c in part):
            continue
        value, unit = re.match(r"([-$€£\d.,:/]+)\s*(.*)", part, re.DOTALL).groups()  # type: ignore[union-attr]
        behind = parts[place + 1] if not unit and place + 1 < len(parts) and part in NUMBERS.values() else unit
        single = behind[:-1] if behind.endswith("s") and behind != "lbs" and len(behind) > 2 else behind
        unit = single if single in _UNITS else ""
        if part == "1" and not unit:
            continue  # "one" is mostly no number
        before = parts[max(0, place - 2) : place]
        side = next((_BOUNDS[word] for word in reversed(before) if word in _BOUNDS), 0)
        found.append((value.rstrip(".,:/"), unit, side))
    return found


def copied(text: str, sources: Sequence[str]) -> str:
    """Return a run of more than `LONGEST_COPY` words that a source has too, or "" if there is none.

    A run that is a whole clause of the source, up to its marks or joining words, is allowed: it stands as written.
    """
    said, longest = _lower(text), LONGEST_COPY
    for source in sources:
        heard = _lower(source)
        whole = [heard, *map(_lower, _CLAUSES.split(source))]
        places: dict[tuple[str, ...], int] = {}
        for i in range(len(heard) - longest):
            places.setdefault(tuple(heard[i : i + longest + 1]), i)
        j = 0
        while j < len(said) - longest:
            start = places.get(tuple(said[j : j + longest + 1]))
            if start is None:
                j += 1
                continue
            end = longest + 1
            while j + end < len(said) and start + end < len(heard) and said[j + end] == heard[start + end]:
                end += 1
            run = said[j : j + end]
            # The clause may stand inside a longer run, its first article or pronoun may be another.
            if not any(len(clause) > 2 and clause[1:] == run[-len(clause) + 1 :] for clause in whole):
                return " ".join(run)
            j += end
    return ""


def _lower(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
