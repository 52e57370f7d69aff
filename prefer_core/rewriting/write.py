"""The stages of a text by a model, sentence by sentence, each checked before it is shown.

The rule's paragraph stands from the beginning. A base model joins two claims at a time into one sentence, and tells in
the third person what the rule quotes; a model that follows instructions writes the paper's stages: the claims of each
support level, the levels stitched, the final text. A sentence that passes takes the place of the rule's for its claims;
what fails keeps the rule's.
"""

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from prefer_core.config import WritingSettings
from prefer_core.rewriting import template
from prefer_core.rewriting.base import Backend, Claim, Evidence, Request, Summary
from prefer_core.rewriting.check import STRICT, Check
from prefer_core.rewriting.check.rules import faults
from prefer_core.rewriting.check.strict import CONTRAST, Segment, chain, segments, statements_of
from prefer_core.rewriting.check.telling import mistold, of_others
from prefer_core.rewriting.journal import LOG
from prefer_core.rewriting.prompts import Relation, Stage, Style
from prefer_core.rewriting.quantity import LEVELS
from prefer_core.rewriting.template import Line, merged, rule_lines, stated, summary
from prefer_core.rewriting.words import as_data, sentences, without_thoughts
from prefer_core.types import TOLD

Report = Callable[[str], None]

_MARKERS = re.compile(r"((?:\s*\[\d+(?:\s*,\s*\d+)*\])+)")
_LIST = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_LINKS: dict[Relation, tuple[str, ...]] = {
    "same": (" and {begin}", " and that"),
    "other": (", and {word} {say} that", ", and {word} {add} that"),
}
"""How a sentence may go on behind its first clause, for a model that does not find a way by itself."""


def write(
    evidence: Evidence,
    backend: Backend,
    style: Style,
    settings: WritingSettings,
    report: Report,
    check: Check = STRICT,
) -> Generator[Summary, None, None]:
    """Yield ever better summaries.

    Parameters
    ----------
    report : callable
        Told what is being done; it may raise to give the text up.
    check : Check
        Judges what an instruct model writes. Joins by a base model are always checked strictly.
    """
    writing = _by_instructions if style.follows else _by_examples
    yield from writing(evidence, backend, style, settings, report, check)


def spoken(text: str, claims: Sequence[Claim]) -> tuple[list[int], list[str]]:
    """Return which claims a sentence says, in its order, and what is wrong with it.

    Each part of it must be a claim as it stands, told of as many as say it; none may be said twice. Several claims of
    one word may share it ("many say A and B"), but not "one reviewer", who would be one and the same.

    Examples
    --------
    >>> soft = Claim("The fabric is soft", "clause", "Many reviewers", 88, 285, 400, 0, (0,))
    >>> big = Claim("Runs large", "predicate", "A few reviewers", 4, 285, 400, 0, (1,))
    >>> spoken("While many reviewers find the fabric soft, a few note that it runs large.", (soft, big))
    ([0, 1], [])
    >>> spoken("Many reviewers say the fabric is soft and that it runs large.", (soft, big))[1]
    ['It tells of many what a few reviewers say.']
    """
    clauses = [stated(claim) for claim in claims]
    found = faults(text, clauses)
    statements = [statements_of(clause) for clause in clauses]
    order: list[int] = []
    for segment in segments(text):
        told = chain(segment, statements)
        if told is None:
            found.append(f'No claim says "{" ".join(segment.said)}".')
            continue
        found += _misjoined(segment, told, order, claims)
        order += told
    if len(set(order)) < len(order):
        found.append("It says a claim twice.")
    if re.search(r"\bfinds? [^,]* and that\b", text):
        found.append("It finds that something is so.")
    if "also" in text.lower().split() and not any("also" in clause.split() for clause in clauses):
        found.append("It adds to nothing.")
    return order, found


def _misjoined(segment: Segment, told: Sequence[int], before: Sequence[int], claims: Sequence[Claim]) -> list[str]:
    word = "one" if segment.word == "another" and before else segment.word
    found = [
        f"It tells of {word or 'nobody'} what {claims[place].word.lower()} say."
        for place in told
        if word != claims[place].said
    ]
    if word == "one" and (len(told) > 1 or (segment.word == "one" and any(claims[i].said == "one" for i in before))):
        found.append("It makes one reviewer of several.")
    own = sum(1 for place in told for word in stated(claims[place]).split() if word == "but")
    against = segment.link in CONTRAST and before and not _contrast(claims[before[-1]], claims[told[0]])
    within = segment.said.count("but") > own and not (len(told) == 2 and _contrast(*(claims[i] for i in told)))
    if against or within:
        found.append("It sets claims against each other that agree.")
    if len(told) == 2 and segment.said.count("but") == own and _contrast(*(claims[i] for i in told)):
        found.append("It joins claims as if they agreed.")
    return found


def _contrast(one: Claim, other: Claim) -> bool:
    return template.tone_of(one) * template.tone_of(other) < 0


# A base model: two claims at a time, then what is quoted.


def _by_examples(
    evidence: Evidence, backend: Backend, style: Style, settings: WritingSettings, report: Report, check: Check
) -> Iterator[Summary]:
    told = [(i,) for i, claim in enumerate(evidence.claims) if claim.form in TOLD]
    wanted = sorted([*_pairs(evidence), *told])
    made: list[Line] = []
    for number, group in enumerate(wanted, 1):
        step = f"sentence {number} of {len(wanted)}"
        report(step)
        claims = [evidence.claims[i] for i in group]
        tries = _joins(claims, evidence, style, settings.candidates) if claims[1:] else _tellings(claims[0], style)
        for request, opening, wrong in tries:
            pieces = _watched(backend.write(request), lambda step=step: report(step))  # type: ignore[misc]
            text = next(iter(sentences(" ".join(f"{opening} {''.join(without_thoughts(pieces))}".split()))), "")
            reasons = wrong(text)
            if not reasons:
                made.append(Line(text, group, "model"))
                yield summary(evidence, merged(evidence, rule_lines(evidence), made), backend.name)
                break
            LOG.info("%s: %r is not shown: %s", evidence.product_id, text, " ".join(reasons))


def _pairs(evidence: Evidence) -> list[tuple[int, ...]]:
    """Return which claims are to share a sentence: each with the next that it may stand beside."""
    found: list[tuple[int, ...]] = []
    left = list(range(len(evidence.claims)))
    while left:
        one = left.pop(0)
        pair = next((pair for other in left if (pair := template.paired(evidence, one, other))), None)
        if pair is not None:
            found.append(pair)
            left = [place for place in left if place not in pair]
    return found


Try = tuple[Request, str, Callable[[str], list[str]]]
"""What a base model is asked, the words that its text goes on from, and what tells the faults of the whole."""


def _joins(claims: Sequence[Claim], evidence: Evidence, style: Style, tries: int) -> Iterator[Try]:
    """Yield ways to ask for one sentence of two claims: the model's own, then openings that lead on."""
    one, other = claims
    relation = template.relation(one, other)
    assert relation is not None
    first, second = (template.compose(evidence, (claim,)) for claim in claims)
    s = "s" if other.said == "one" else ""
    word = "another" if one.said == other.said == "one" else other.said
    links = _LINKS["other" if one.said == "one" else relation]
    said = {"word": word, "say": f"say{s}", "add": f"add{s}", "begin": stated(other).split()[0]}
    openings = [first.rstrip(".") + link.format(**said) for link in links]
    by_rule = {line.text for line in rule_lines(evidence)}

    def wrong(text: str) -> list[str]:
        order, found = spoken(text, claims)
        if not found and (order != [0, 1] or text in by_rule):
            found = ["It is the rule's." if text in by_rule else "It leaves a claim out or turns the two round."]
        if any(claim.form == "bare" and stated(claim) not in text for claim in claims):
            found.append("It leaves out the article.")
        return found

    for opening in ["", *openings][:tries]:
        yield style.join(relation, first, second, opening), opening, wrong


def _tellings(claim: Claim, style: Style) -> Iterator[Try]:
    """Yield ways to ask for what a quotation says in the third person."""
    said = replace(claim, clause=template.whole(claim))
    for opening in ("", f"{claim.word} {'says' if claim.said == 'one' else 'say'} that"):
        yield style.tell(claim.word, of_others(said.clause), opening), opening, lambda text: mistold(text, said)


def _watched(pieces: Iterable[str], alive: Callable[[], None]) -> Iterator[str]:
    """Yield a stream on; `alive` raises as soon as nobody waits for it any more."""
    for piece in pieces:
        alive()
        yield piece


# A model that follows instructions: bin, stitch, final.


def _by_instructions(
    evidence: Evidence, backend: Backend, style: Style, settings: WritingSettings, report: Report, check: Check
) -> Iterator[Summary]:
    pen = _Pen(evidence, backend, style, settings, report, check)
    lines = rule_lines(evidence)
    for level in LEVELS:
        wanted = [i for i, claim in enumerate(evidence.claims) if claim.level == level and claim.free]
        for attempt in range(2):  # what fails is asked for once more
            missing = [i for i in wanted if not any(i in line.places for line in lines if line.source == "model")]
            if not missing:
                break
            step = f"writing what {template.WORD_OF[level]} say" + (", once more" if attempt else "")
            for line in pen.ask("bin", step, [pen.note(i) for i in missing], missing, attempt):
                lines = merged(evidence, lines, [line])
                yield summary(evidence, lines, backend.name)
    blocks = {
        level: " ".join(line.text for line in lines if evidence.claims[min(line.places)].level == level)
        for level in LEVELS
    }
    stages: dict[str, str] = {level: text for level, text in blocks.items() if text}
    later: tuple[tuple[Stage, str], ...] = (("stitch", "stitching"), ("final", "polishing"))
    for stage, step in later:
        wanted = [i for line in lines for i in line.places if evidence.claims[i].free]
        draft = [pen.marked(line) for line in lines if all(evidence.claims[i].free for i in line.places)]
        if not draft:
            break
        revised: list[Line] = []
        for line in pen.ask(stage, step, draft, wanted, 0):
            revised.append(line)
            yield summary(evidence, merged(evidence, lines, revised), backend.name, stages)
        lines = merged(evidence, lines, revised)
        stages[stage] = " ".join(line.text for line in lines)
    yield summary(evidence, lines, backend.name, stages)


@dataclass(frozen=True)
class _Pen:
    """Asks an instruct model for the sentences of a stage and keeps those that may be shown."""

    evidence: Evidence
    backend: Backend
    style: Style
    settings: WritingSettings
    report: Report
    check: Check

    def note(self, place: int) -> str:
        """Return a claim as a line of evidence, in the form that is asked for, and the first sentences behind it."""
        behind = [as_data(self.evidence.text[i], 30) for i in self.evidence.claims[place].cites[:3]]
        return f"{self.marked(rule_lines(self.evidence, [place])[0])} (In their words: {' / '.join(behind)})"

    def marked(self, line: Line) -> str:
        """Return a sentence with its markers."""
        bare = as_data(line.text, 60).rstrip(" .!")
        return line.marked or f"{bare}{''.join(f' [{i + 1}]' for i in line.places)}."

    def ask(self, stage: Stage, step: str, lines: Sequence[str], wanted: Sequence[int], attempt: int) -> Iterator[Line]:
        """Yield the sentences of a stage that pass, each claim at most once, as they are written."""
        self.report(step)
        request = self.style.stage(stage, lines, max_tokens=60 * len(lines) + 40)
        request = replace(request, temperature=self.settings.temperature if attempt else 0.0, seed=attempt)
        left = set(wanted)
        seen: set[str] = set()
        with closing(self._written(request, step)) as texts:
            for text in texts:
                if text in seen:
                    return  # a model that repeats itself has nothing more to say
                seen.add(text)
                line, wrong = self.accept(text, sorted(left))
                if line is None:
                    LOG.info("%s: %r is not shown: %s", self.evidence.product_id, text, " ".join(wrong))
                else:
                    left -= set(line.places)
                    yield line

    def _written(self, request: Request, step: str) -> Generator[str, None, None]:
        pieces = _watched(self.backend.write(request), lambda: self.report(step))
        if self.check.asks_the_writer:
            pieces = iter(list(pieces))  # it cannot be asked in the middle of its own text
        yield from whole_sentences(without_thoughts(pieces))

    def accept(self, text: str, left: Sequence[int]) -> tuple[Line | None, list[str]]:
        """Return the line that a sentence makes, or why it makes none; `left` are the claims not said yet."""
        text = self.completed(text, left)
        bare = _MARKERS.sub("", text)
        parts = _parted(text)
        if not parts:
            # Without markers only what stands in the claims word for word can be told apart.
            order, wrong = spoken(bare, [self.evidence.claims[i] for i in left])
            places = tuple(left[i] for i in order)
            marked = bare.rstrip(".!") + "".join(f" [{i + 1}]" for i in places) + "."
            return (None, wrong) if wrong or not places else (Line(bare, places, "model", marked), [])
        places = tuple(i for _, numbers in parts for i in numbers)
        if not set(places) <= set(left) or len(set(places)) < len(places):
            return None, ["It has a marker of no line, or one twice."]
        wrong = faults(bare, self._sources(places))
        word = ""
        for said, numbers in parts:
            word, more = self._judged(said, numbers, word)
            wrong += more
        return (None, wrong) if wrong else (Line(bare, places, "model", text), [])

    def completed(self, text: str, left: Sequence[int]) -> str:
        """Return a sentence with the words of the one claim that it says, if it names nobody who says it."""
        if any(segment.word for segment in segments(_MARKERS.sub("", text))):
            return text
        marked = [i for _, numbers in _parted(text) for i in numbers]
        one = [i for i in left if i in marked] if len(marked) == 1 else []
        for place in one if marked else left:
            claim = self.evidence.claims[place]
            whole = f"{claim.word} {'says' if claim.said == 'one' else 'say'} {template.lowered(text)}"
            if marked or not spoken(whole, [claim])[1]:
                return whole
        return text

    def _judged(self, said: str, numbers: Sequence[int], before: str) -> tuple[str, list[str]]:
        """Judge what a sentence says of some claims; the word before it may reach on to it."""
        claims = [self.evidence.claims[i] for i in numbers]
        words = [segment.word for segment in segments(said) if segment.word] or ([before] if before != "one" else [])
        if not words or any(claim.said not in words for claim in claims) or len(set(words)) > 1:
            return "", [f"It does not tell how many say {said.strip()!r}."]
        clause = re.sub(r"^[\s,;]*(?:and|but|while|although|though|whereas)\s+", "", said).strip(" ,;")
        verdict = self.check.judge(_sentence(clause), self._sources(numbers))
        return words[-1], [] if verdict.ok else list(verdict.reasons)

    def _sources(self, places: Iterable[int]) -> list[str]:
        claims = [self.evidence.claims[i] for i in places]
        return [text for claim in claims for text in (stated(claim), *(self.evidence.text[i] for i in claim.cites))]


def _sentence(clause: str) -> str:
    return f"{clause[:1].upper()}{clause[1:]}."


def _parted(text: str) -> list[tuple[str, tuple[int, ...]]]:
    """Part a sentence at its markers; empty if it has none or says something behind the last.

    Examples
    --------
    >>> _parted("Many say it leaks [1], but a few find it handy [3].")
    [('Many say it leaks', (0,)), (', but a few find it handy', (2,))]
    """
    pieces = _MARKERS.split(text)
    if len(pieces) < 3 or pieces[-1].strip(" .!?"):
        return []
    return [
        (said, tuple(int(number) - 1 for number in re.findall(r"\d+", marks)))
        for said, marks in zip(pieces[::2], pieces[1::2], strict=False)
    ]


def whole_sentences(pieces: Iterable[str]) -> Iterator[str]:
    """Yield sentences of a stream as they end, without list marks and emphasis, their markers before the full stop.

    Examples
    --------
    >>> list(whole_sentences(["- It le", "aks.[1] It is", " *soft* [2]. And"]))
    ['It leaks [1].', 'It is soft [2].', 'And']
    """
    held = ""
    for piece in pieces:
        held += piece
        *ready, held = _cut(held)
        yield from filter(None, map(_tidied, ready))
    yield from filter(None, map(_tidied, sentences(_moved(" ".join(held.split())))))


def _cut(text: str) -> list[str]:
    """Cut a text behind each sentence that has ended, which the next one or a line break tells."""
    return re.split(r"(?<=[.!?])(?=\s+[^\s\[])|(?<=\])(?<=[.!?]\[\d\])(?=\s+[^\s\[])|\n+", text)


def _moved(text: str) -> str:
    return re.sub(r"\s*([.!?])\s*((?:\[\d+(?:\s*,\s*\d+)*\]\s*)+)", lambda m: f" {m[2].strip()}{m[1]} ", text)


def _tidied(text: str) -> str:
    return " ".join(_moved(_LIST.sub("", text.strip()).replace("*", "")).split())
