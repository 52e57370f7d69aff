"""The final paragraph: composed from the statements by rule, and the check of one that a model polished."""

import re
from collections.abc import Sequence

from prefer_core.rewriting.align import Source, agree, paired
from prefer_core.rewriting.base import Statement
from prefer_core.rewriting.form import clause_of, first_person, loops
from prefer_core.rewriting.words import content_stems, sentences, tokens

_QUANTIFIER = re.compile(r"\b(many|some|a few|one|most|all|several|others?|another|few|everyone)\b", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?P<word>many|some|a few|one)(?: reviewers?)? (?:also )?(?:says?|finds?|adds?|notes?|writes?|reports?)\b"
    r"(?: that)?",
    re.IGNORECASE,
)
_SHORT = 12
_KEPT = 0.8

Cited = tuple[str, tuple[tuple[int, ...], ...]]


def compose(statements: Sequence[Statement]) -> Cited:
    """Join the statements by rule; return the paragraph and what each of its sentences cites.

    Two short neighbours become one sentence; statements with a quotation stay alone.

    Examples
    --------
    >>> a = Statement("Many reviewers say the smell lasts.", "Many reviewers", 0, (0, 2), "model")
    >>> b = Statement("One reviewer says the lid cracks.", "One reviewer", 1, (1,), "model")
    >>> compose([a, b])
    ('Many reviewers say the smell lasts, and one says the lid cracks.', ((0, 1, 2),))
    """
    parts: list[str] = []
    cited: list[tuple[int, ...]] = []
    for pair in pairs(statements):
        if len(pair) == 2:
            first, second = pair
            parts.append(f"{first.text.rstrip('.')}, and {_short_lead(second)}")
        else:
            parts.append(pair[0].text)
        cited.append(tuple(sorted({i for one in pair for i in one.cites})))
    return " ".join(parts), tuple(cited)


def pairs(statements: Sequence[Statement]) -> list[tuple[Statement, ...]]:
    """Part the statements into neighbours that one sentence can hold, and single ones."""
    found: list[tuple[Statement, ...]] = []
    for one in statements:
        if found and len(found[-1]) == 1 and _joinable(found[-1][0]) and _joinable(one):
            found[-1] = (*found[-1], one)
        else:
            found.append((one,))
    return found


def check_paragraph(text: str, statements: Sequence[Statement]) -> tuple[tuple[int, ...], ...] | None:
    """Return what each sentence of a polished paragraph cites, or None if it may not be shown.

    The paragraph is cut where a quantifier starts. Each piece must be about one statement with the same quantifier, use
    no content word that the statement lacks, keep nearly all of its words and agree with it in negation; every
    statement must come back exactly once, in order.
    """
    if not text.strip().endswith(".") or '"' in text or first_person(text):
        return None
    cited: list[tuple[int, ...]] = []
    place = 0
    for sentence in sentences(text):
        parts = pieces(sentence)
        if not parts or (loops(sentence) and len(parts) == 1):
            return None
        here: set[int] = set()
        for piece in parts:
            if place >= len(statements) or not _same(piece, statements[place]):
                return None
            here.update(statements[place].cites)
            place += 1
        cited.append(tuple(sorted(here)))
    return tuple(cited) if place == len(statements) and cited else None


def pieces(sentence: str) -> list[str]:
    """Cut a sentence before each reporting quantifier; an empty list if it does not start with one."""
    starts = [m.start() for m in _QUANTIFIER.finditer(sentence) if _LEAD.match(sentence[m.start() :])]
    if not starts or starts[0] != 0:
        return []
    return [sentence[a:b].strip(" ,;.") for a, b in zip(starts, [*starts[1:], len(sentence)], strict=True)]


def lead_and_clause(piece: str) -> tuple[str, str] | None:
    """Return the quantifier of a piece in lower case and what it reports, or None if it does not start with one.

    Examples
    --------
    >>> lead_and_clause("some say that the lid cracks, and")
    ('some', 'the lid cracks')
    """
    lead = _LEAD.match(piece)
    if lead is None:
        return None
    return lead["word"].lower(), re.sub(r",?\s+(?:and|but|while)$", "", piece[lead.end() :].strip())


def _same(piece: str, statement: Statement) -> bool:
    found = lead_and_clause(piece)
    if found is None or not statement.word.lower().startswith(found[0]):
        return False
    clause = found[1]
    wanted = clause_of(statement.text)
    said, known = content_stems(clause), content_stems(wanted)
    if not said <= known or len(said) < _KEPT * len(known):
        return False
    source = [Source.read(wanted)]
    return not agree(clause, source, ()) and not paired(clause, source, ())


def _joinable(one: Statement) -> bool:
    clause = clause_of(one.text)
    plain_clause = not any(mark in one.text for mark in '":;') and ", " not in clause
    return plain_clause and len(tokens(clause)) <= _SHORT and bool(_LEAD.match(one.text))


def _short_lead(one: Statement) -> str:
    """Return the statement with "some" for "Some reviewers", for the second half of a sentence."""
    return re.sub(r"^(Many|Some|A few|One) reviewers?", lambda m: m.group(1).lower(), one.text, count=1)
