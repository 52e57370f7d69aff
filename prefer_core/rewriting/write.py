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
from prefer_core.rewriting.base import LEVELS, Backend, Claim, Evidence, Level, Request, Summary
from prefer_core.rewriting.check import STRICT, Check
from prefer_core.rewriting.check.rules import faults
from prefer_core.rewriting.check.strict import CONTRAST, Segment, segments, told
from prefer_core.rewriting.check.telling import mistold, of_others
from prefer_core.rewriting.journal import LOG
from prefer_core.rewriting.prompts import Relation, Stage, Style
from prefer_core.rewriting.template import Line, compose, merged, rule_lines, stated
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

_WHO: dict[Level, str] = {"high": "many", "mid": "some", "low": "few"}
"""Support levels in words for people."""


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
    pen = _Pen(evidence, backend, style, settings, report, check)
    return pen.by_instructions() if style.follows else pen.by_examples()


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
    order: list[int] = []
    for segment, places in told(text, clauses):
        if places is None:
            found.append(f'No claim says "{" ".join(segment.said)}".')
            continue
        found += _misjoined(segment, places, order, claims)
        order += places
    if len(set(order)) < len(order):
        found.append("It says a claim twice.")
    if re.search(r"\bfinds? [^,]* and that\b", text):
        found.append("It finds that something is so.")
    if "also" in text.lower().split() and not any("also" in clause.split() for clause in clauses):
        found.append("It adds to nothing.")
    return order, found


def _misjoined(segment: Segment, places: Sequence[int], before: Sequence[int], claims: Sequence[Claim]) -> list[str]:
    """Return what is wrong with how one part of a sentence tells its claims, behind those told before it."""
    word = "one" if segment.word == "another" and before else segment.word
    found = [
        f"It tells of {word or 'nobody'} what {claims[place].word.lower()} say."
        for place in places
        if word != claims[place].said
    ]
    if word == "one" and (len(places) > 1 or (segment.word == "one" and any(claims[i].said == "one" for i in before))):
        found.append("It makes one reviewer of several.")
    own = sum(stated(claims[place]).split().count("but") for place in places)
    parted = len(places) == 2 and _contrast(claims[places[0]], claims[places[1]])
    against = segment.link in CONTRAST and before and not _contrast(claims[before[-1]], claims[places[0]])
    if against or (segment.said.count("but") > own and not parted):
        found.append("It sets claims against each other that agree.")
    if parted and segment.said.count("but") == own:
        found.append("It joins claims as if they agreed.")
    return found


def _contrast(one: Claim, other: Claim) -> bool:
    return template.tone_of(one) * template.tone_of(other) < 0


Try = tuple[Request, str, Callable[[str], list[str]]]
"""What a base model is asked, the words that its text goes on from, and what tells the faults of the whole."""


@dataclass(frozen=True)
class _Pen:
    """A model at work on one text: it is asked for sentences, and those that may be shown are kept."""

    evidence: Evidence
    backend: Backend
    style: Style
    settings: WritingSettings
    report: Report
    check: Check

    def pieces(self, request: Request, step: str) -> Iterator[str]:
        """Yield a text as it is written; `report` raises as soon as nobody waits for it any more."""
        for piece in self.backend.write(request):
            self.report(step)
            yield piece

    def summary(self, lines: Sequence[Line], stages: dict[str, str] | None = None) -> Summary:
        """Return the summary that lines make."""
        return template.summary(self.evidence, lines, self.backend.name, stages)

    def log(self, text: str, wrong: Sequence[str]) -> None:
        """Note why a sentence is not shown."""
        LOG.info("%s: %r is not shown: %s", self.evidence.product_id, text, " ".join(wrong))

    # A base model: two claims at a time, then what is quoted.

    def by_examples(self) -> Generator[Summary, None, None]:
        """Yield a better summary with each sentence that joins two claims or tells a quotation."""
        quoted = [(i,) for i, claim in enumerate(self.evidence.claims) if claim.form in TOLD]
        wanted = sorted([*self.pairs(), *quoted])
        made: list[Line] = []
        for number, group in enumerate(wanted, 1):
            step = f"sentence {number} of {len(wanted)}"
            self.report(step)
            claims = [self.evidence.claims[i] for i in group]
            for request, opening, wrong in self.joins(*claims) if claims[1:] else self.tellings(*claims):
                rest = "".join(without_thoughts(self.pieces(request, step)))
                text = next(iter(sentences(" ".join(f"{opening} {rest}".split()))), "")
                reasons = wrong(text)
                if not reasons:
                    made.append(Line(text, group, "model"))
                    yield self.summary(merged(self.evidence, rule_lines(self.evidence), made))
                    break
                self.log(text, reasons)

    def pairs(self) -> list[tuple[int, ...]]:
        """Return which claims are to share a sentence: each with the next that it may stand beside."""
        found: list[tuple[int, ...]] = []
        left = list(range(len(self.evidence.claims)))
        while left:
            one = left.pop(0)
            pair = next((pair for other in left if (pair := template.paired(self.evidence, one, other))), None)
            if pair is not None:
                found.append(pair)
                left = [place for place in left if place not in pair]
        return found

    def joins(self, one: Claim, other: Claim) -> Iterator[Try]:
        """Yield ways to ask for one sentence of two claims: the model's own, then openings that lead on."""
        relation = template.relation(one, other)
        assert relation is not None
        first, second = compose(one), compose(other)
        links = _LINKS["other" if one.said == "one" else relation]
        said = {
            "word": "another" if one.said == other.said == "one" else other.said,
            "say": other.verb("say"),
            "add": other.verb("add"),
            "begin": stated(other).split()[0],
        }
        openings = [first.rstrip(".") + link.format(**said) for link in links]
        by_rule = {line.text for line in rule_lines(self.evidence)}

        def wrong(text: str) -> list[str]:
            order, found = spoken(text, (one, other))
            if not found and text in by_rule:
                found = ["It is the rule's."]
            elif not found and order != [0, 1]:
                found = ["It leaves a claim out or turns the two round."]
            if any(claim.form == "bare" and stated(claim) not in text for claim in (one, other)):
                found.append("It leaves out the article.")
            return found

        for opening in ["", *openings][: self.settings.candidates]:
            yield self.style.join(relation, first, second, opening), opening, wrong

    def tellings(self, claim: Claim) -> Iterator[Try]:
        """Yield ways to ask for what a quotation says in the third person."""
        said = replace(claim, clause=template.whole(claim))
        for opening in ("", f"{claim.word} {claim.verb('say')} that"):
            yield self.style.tell(claim.word, of_others(said.clause), opening), opening, lambda t: mistold(t, said)

    # A model that follows instructions: bin, stitch, final.

    def by_instructions(self) -> Generator[Summary, None, None]:
        """Yield a better summary with each sentence of each stage."""
        claims = self.evidence.claims
        lines = rule_lines(self.evidence)
        for level in LEVELS:
            wanted = [i for i, claim in enumerate(claims) if claim.level == level and claim.free]
            for attempt in range(2):  # what fails is asked for once more
                missing = [i for i in wanted if not any(i in line.places for line in lines if line.source == "model")]
                if not missing:
                    break
                step = f"writing what {_WHO[level]} say" + (", once more" if attempt else "")
                for line in self.ask("bin", step, [self.note(i) for i in missing], missing, attempt):
                    lines = merged(self.evidence, lines, [line])
                    yield self.summary(lines)
        blocks = {level: [line.text for line in lines if claims[min(line.places)].level == level] for level in LEVELS}
        stages: dict[str, str] = {level: " ".join(texts) for level, texts in blocks.items() if texts}
        later: tuple[tuple[Stage, str], ...] = (("stitch", "stitching"), ("final", "polishing"))
        for stage, step in later:
            wanted = [i for line in lines for i in line.places if claims[i].free]
            draft = [_marked(line) for line in lines if all(claims[i].free for i in line.places)]
            if not draft:
                break
            revised: list[Line] = []
            for line in self.ask(stage, step, draft, wanted, 0):
                revised.append(line)
                yield self.summary(merged(self.evidence, lines, revised), stages)
            lines = merged(self.evidence, lines, revised)
            stages[stage] = " ".join(line.text for line in lines)
        yield self.summary(lines, stages)

    def note(self, place: int) -> str:
        """Return a claim as a line of evidence, in the form that is asked for, and the first sentences behind it."""
        claim = self.evidence.claims[place]
        behind = [as_data(self.evidence.text[i], 30) for i in claim.cites[:3]]
        return f"{_marked(Line(compose(claim), (place,)))} (In their words: {' / '.join(behind)})"

    def ask(self, stage: Stage, step: str, lines: Sequence[str], wanted: Sequence[int], attempt: int) -> Iterator[Line]:
        """Yield the sentences of a stage that pass, each claim at most once, as they are written."""
        self.report(step)
        request = self.style.stage(stage, lines, max_tokens=60 * len(lines) + 40)
        request = replace(request, temperature=self.settings.temperature if attempt else 0.0, seed=attempt)
        pieces = self.pieces(request, step)
        if self.check.asks_the_writer:
            pieces = iter(list(pieces))  # it cannot be asked in the middle of its own text
        left = set(wanted)
        seen: set[str] = set()
        with closing(whole_sentences(without_thoughts(pieces))) as texts:
            for text in texts:
                if text in seen:
                    return  # a model that repeats itself has nothing more to say
                seen.add(text)
                line, wrong = self.accept(text, sorted(left))
                if line is None:
                    self.log(text, wrong)
                else:
                    left -= set(line.places)
                    yield line

    def accept(self, text: str, left: Sequence[int]) -> tuple[Line | None, list[str]]:
        """Return the line that a sentence makes, or why it makes none; `left` are the claims not said yet."""
        text = self.completed(text, left)
        bare = _MARKERS.sub("", text)
        parts = _parted(text)
        if not parts:
            # Without markers only what stands in the claims word for word can be told apart.
            order, wrong = spoken(bare, [self.evidence.claims[i] for i in left])
            places = tuple(left[i] for i in order)
            line = Line(bare, places, "model", f"{bare.rstrip('.!')}{_markers(places)}.")
        else:
            line = Line(bare, tuple(i for _, numbers in parts for i in numbers), "model", text)
            if not set(line.places) <= set(left) or len(set(line.places)) < len(line.places):
                return None, ["It has a marker of no line, or one twice."]
            wrong = faults(bare, self.sources(line.places))
            word = ""
            for said, numbers in parts:
                word, more = self.judged(said, numbers, word)
                wrong += more
        return (None, wrong) if wrong or not line.places else (line, [])

    def completed(self, text: str, left: Sequence[int]) -> str:
        """Return a sentence with the words of the one claim that it says, if it names nobody who says it."""
        if any(segment.word for segment in segments(_MARKERS.sub("", text))):
            return text
        marked = [i for _, numbers in _parted(text) for i in numbers]
        if len(marked) > 1:
            return text
        for place in [i for i in left if i in marked] if marked else left:
            claim = self.evidence.claims[place]
            whole = f"{claim.word} {claim.verb('say')} {template.lowered(text)}"
            if marked or not spoken(whole, [claim])[1]:
                return whole
        return text

    def judged(self, said: str, numbers: Sequence[int], before: str) -> tuple[str, list[str]]:
        """Judge what a sentence says of some claims; the word before it may reach on to it."""
        claims = [self.evidence.claims[i] for i in numbers]
        words = [segment.word for segment in segments(said) if segment.word] or ([before] if before != "one" else [])
        if not words or any(claim.said not in words for claim in claims) or len(set(words)) > 1:
            return "", [f"It does not tell how many say {said.strip()!r}."]
        clause = re.sub(r"^[\s,;]*(?:and|but|while|although|though|whereas)\s+", "", said).strip(" ,;")
        verdict = self.check.judge(f"{clause[:1].upper()}{clause[1:]}.", self.sources(numbers))
        return words[-1], [] if verdict.ok else list(verdict.reasons)

    def sources(self, places: Iterable[int]) -> list[str]:
        """Return what some claims say, and the sentences behind them."""
        claims = [self.evidence.claims[i] for i in places]
        return [text for claim in claims for text in (stated(claim), *(self.evidence.text[i] for i in claim.cites))]


def _marked(line: Line) -> str:
    """Return a sentence with its markers."""
    return line.marked or f"{as_data(line.text, 60).rstrip(' .!')}{_markers(line.places)}."


def _markers(places: Sequence[int]) -> str:
    return "".join(f" [{i + 1}]" for i in places)


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


def whole_sentences(pieces: Iterable[str]) -> Generator[str, None, None]:
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
