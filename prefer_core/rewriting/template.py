"""Summaries without a model: each claim as its reviewer wrote it, counted, and joined into a paragraph by rule."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prefer_core.data.flags import tone
from prefer_core.keypoints.candidates import OF_PEOPLE, standing_alone
from prefer_core.rewriting.base import LEVELS, Claim, Evidence, Source, Statement, Summary
from prefer_core.rewriting.check.telling import of_others
from prefer_core.rewriting.prompts import Relation

NAME = "template"

LONGEST_QUOTE = 25
"""Words up to which a sentence is quoted whole."""

_BORDER = re.compile(r"\s*(?:[,;:]|\s[-–—]+)\s+(?=\w)|\s+(?=(?:and|but|because|so|which|while|although)\s)")
_ONE = re.compile(r"\bone (?:reviewer|says|finds|writes|adds|notes|mentions)\b", re.IGNORECASE)
_THEY = re.compile(r"^they\b")
_ENDS = " .!?…,;:-–—"


@dataclass(frozen=True)
class Line:
    """One sentence of the paragraph: the claims it says, who wrote it, and for later stages itself with markers."""

    text: str
    places: tuple[int, ...]
    source: Source = "template"
    marked: str = ""


def write(evidence: Evidence) -> Summary:
    """Write a summary from the claims alone; the same evidence gives the same text.

    Examples
    --------
    >>> claim = Claim("The lid leaks.", "clause", "Many reviewers", 30, 90, 120, 0, (0,))
    >>> write(Evidence("p", "", ("The lid leaks.",), (claim,))).paragraph
    'Many reviewers say the lid leaks.'
    """
    return summary(evidence, rule_lines(evidence), NAME)


def rule_lines(evidence: Evidence) -> list[Line]:
    """Return the rule's sentences: neighbours that may share one do; quotes stand alone."""
    groups: list[tuple[int, ...]] = []
    for place in range(len(evidence.claims)):
        alone = bool(groups) and len(groups[-1]) == 1
        pair = paired(evidence, groups[-1][0], place) if alone else None
        groups[-1 if pair else len(groups) :] = [pair or (place,)]
    return [Line(compose(*(evidence.claims[i] for i in group)), group) for group in groups]


def merged(evidence: Evidence, lines: Sequence[Line], better: Sequence[Line]) -> list[Line]:
    """Return the lines with better ones in place; what an old line says besides is said by the rule."""
    taken = {i for line in better for i in line.places}
    found = list(better)
    for line in lines:
        if taken.isdisjoint(line.places):
            found.append(line)
        else:
            found += [Line(compose(evidence.claims[i]), (i,)) for i in line.places if i not in taken]
    return sorted(found, key=lambda line: min(line.places))


def summary(evidence: Evidence, lines: Sequence[Line], writer: str, stages: dict[str, str] | None = None) -> Summary:
    """Return the summary that lines make, with the claims as they stand and the text of each stage.

    The stages are the paper's: a block for each support level, the stitched draft, the final paragraph.
    """
    claims = evidence.claims
    statements = tuple(
        Statement(compose(c), c.word, place, c.all_cites, "template", c.reviewers, c.total, c.about)
        for place, c in enumerate(claims)
    )
    said = {level: [s.text for s in statements if claims[s.group].level == level] for level in LEVELS}
    blocks: dict[str, str] = {level: " ".join(texts) for level, texts in said.items() if texts}
    paragraph = " ".join(flowing([line.text for line in lines]))
    by_model = any(line.source == "model" for line in lines)
    return Summary(
        statements=statements,
        paragraph=paragraph,
        paragraph_source="model" if by_model else "template",
        writer=writer if by_model else NAME,
        stages={**blocks, "stitch": "\n".join(blocks.values()), **(stages or {}), "final": paragraph},
        paragraph_cites=tuple(tuple(cite for i in line.places for cite in claims[i].all_cites) for line in lines),
        sources=tuple(line.source for line in lines),
    )


def relation(one: Claim, other: Claim) -> Relation | None:
    """Return how two claims may share a sentence, None if they may not.

    Both must stand as clauses, and it must be known that both praise or both complain. As many say the one as the other
    ("same"), or more or fewer do ("other"); a single voice follows what several say on its own aspect only. What speaks
    against each other is no pair of these: an opposed pair is one claim.

    >>> soft, thin, warm = (Claim(text, "clause", "Many reviewers", 9, 20, 20, 0, (0,))
    ...                     for text in ("The fabric is lovely", "It is flimsy", "It has two sleeves"))
    >>> relation(soft, thin), relation(soft, soft), relation(soft, warm)
    (None, 'same', None)
    """
    praises, other_praises = tone_of(one), tone_of(other)
    if not (one.free and other.free) or praises != other_praises or praises == 0:
        return None
    if one.word == other.word:
        return "same"
    return "other" if one.aspect == other.aspect or "one" not in (one.said, other.said) else None


def tone_of(claim: Claim) -> int:
    """Return whether a claim praises (1) or complains (-1); 0 where nobody knows."""
    return tone(claim.clause) or 0 if claim.tone is None else claim.tone


def paired(evidence: Evidence, one: int, other: int) -> tuple[int, int] | None:
    """Return two places in the order in which their claims may share a sentence, None if they may not.

    The product is named first, then "it" follows, then what else the claims speak of, so that "it" is the product. No
    sentence names it twice, or "it" and "these", or turns from somebody's skin to a jar.
    """
    claims = [evidence.claims[place] for place in (one, other)]
    kinds = [_subject(evidence, claim) for claim in claims]
    if relation(*claims) is None or set(kinds) in ({"product"}, {"it", "these"}, {"theirs", "part"}):
        return None
    first, second = (_SUBJECTS.index(kind) for kind in kinds)
    return (other, one) if second < first else (one, other)


_SUBJECTS = ("product", "it", "these", "theirs", "part")
"""What a claim may speak of, in the order in which a sentence does."""


def _subject(evidence: Evidence, claim: Claim) -> str:
    clause = stated(claim).lower()
    first, second = [*clause.split(" ", 2), ""][:2]
    if first == "these":
        return "these"
    if re.search(r"\bit\b", clause):
        return "it"  # "cleaning it is easy" behind "the lid" would be its own
    if first == "their":
        return "theirs"
    return "product" if first == "the" and second in re.findall(r"\w+", evidence.product_title.lower()) else "part"


def compose(first: Claim, second: Claim | None = None) -> str:
    """Return one sentence that reports one claim, what is said against it, or two claims that share it.

    Examples
    --------
    >>> soft = Claim("The fabric is soft", "clause", "Many reviewers", 88, 285, 400, 0, (0,))
    >>> thin = Claim("Wrinkles easily", "predicate", "A few reviewers", 4, 285, 400, 0, (1,))
    >>> compose(soft, thin)
    'Many reviewers say the fabric is soft, and a few say it wrinkles easily.'
    """
    if first.opposed is not None:
        other = first.opposed
        return f"Reviewers differ: {first.reviewers} {_said(first)}, while {other.reviewers} {_said(other)}."
    if not first.reported:
        quoted = quotation(first.clause)
        return f'{first.word} {first.verb("write")}: "{quoted}"{"" if quoted[-1:] in ".!?…" else "."}'
    return f"{first.word} {_said(first)}{_joined(first, second) if second is not None else ''}."


def _joined(first: Claim, second: Claim) -> str:
    """Return how a sentence goes on to its second claim: ", and a few say ...", " and that ..."."""
    if first.word != second.word:
        return f", and {second.said} {_said(second)}"
    if second.said == "one":
        return f", and another {_said(second)}"
    alike = first.form != "adjective" and second.form != "adjective"
    return f" and that {stated(second)}" if alike else f" and {_said(second)}"


def flowing(sentences: Sequence[str]) -> list[str]:
    """Return the sentences of a paragraph with the single voices behind the first as others.

    Examples
    --------
    >>> flowing(["Some like it, but one says it leaks.", 'One reviewer writes: "It is red."'])
    ['Some like it, but one says it leaks.', 'Another reviewer writes: "It is red."']
    """
    found: list[str] = []
    for text in sentences:
        before = any(_ONE.search(earlier) for earlier in found)
        found.append(f"Another{text.removeprefix('One')}" if before and text.startswith("One reviewer ") else text)
    return found


def _said(claim: Claim) -> str:
    """Return the verb and what is said: "say the lid leaks", "say it runs large", "find it hard to open"."""
    if not claim.reported:
        return f'{claim.verb("write")} "{quotation(claim.clause).rstrip(".")}"'
    if claim.form == "adjective" and not claim.clause.lower().startswith("not "):
        return f"{claim.verb('find')} it {lowered(standing_alone(claim.clause))}"
    return f"{claim.verb('say')} {stated(claim)}"


def stated(claim: Claim) -> str:
    """Return what a claim says as a clause of its own, as it reads in mid-sentence; "they" might be the reviewers.

    Examples
    --------
    >>> [stated(Claim(text, form, "Many reviewers", 9, 20, 20, 0, (0,)))
    ...  for text, form in (("Runs large", "predicate"), ("Zipper broke too!", "bare"))]
    ['it runs large', 'the zipper broke']
    >>> stated(Claim("Skin feels soft.", "bare", "Many reviewers", 9, 20, 20, 0, (0,)))
    'their skin feels soft'
    >>> stated(Claim("They are light.", "clause", "Many reviewers", 9, 20, 20, 0, (0,)))
    'these are light'
    """
    return _THEY.sub("these", lowered(of_others(whole(claim))))


def whole(claim: Claim) -> str:
    """Return what a claim says with its subject, as its reviewer might have written it.

    Examples
    --------
    >>> [whole(Claim(text, form, "One reviewer", 1, 20, 20, 0, (0,)))
    ...  for text, form in (("Stings my eyes.", "told predicate"), ("Hair was dry.", "told bare"))]
    ['It stings my eyes', 'My hair was dry']
    """
    clause = standing_alone(claim.clause)
    shape = claim.form.removeprefix("told ")
    before = {"predicate": "It ", "adjective": "It is ", "bare": "The "}.get(shape, "")
    if shape == "bare" and re.split(r"\W", clause, maxsplit=1)[0].lower() in OF_PEOPLE:
        before = "My "
    return f"{before}{lowered(clause)}" if before else clause


def lowered(clause: str) -> str:
    """Return a clause as it reads in mid-sentence: its first letter small, unless the first word is a name or "I".

    Examples
    --------
    >>> lowered("The lid leaks"), lowered("USB port is loose"), lowered("THE LID leaks")
    ('the lid leaks', 'USB port is loose', 'THE LID leaks')
    """
    first = clause.split(" ", 1)[0]
    keeps = first == "I" or first.startswith("I'") or (len(first) > 1 and first[1:] != first[1:].lower())
    return clause if keeps else clause[:1].lower() + clause[1:]


def quotation(text: str) -> str:
    """Return a sentence to be quoted: whole up to `LONGEST_QUOTE` words, else its first clauses, with an ellipsis.

    Examples
    --------
    >>> quotation('I love "it"'), quotation(f'I love "it", but the cord is {"very " * 25}short')
    ("I love 'it'", "I love 'it' …")
    """
    plain = " ".join(re.sub(r'["“”„«»＂]', "'", text).split())
    words = plain.split(" ")
    if len(words) <= LONGEST_QUOTE:
        return plain
    borders = [m.start() for m in _BORDER.finditer(plain) if len(plain[: m.start()].split()) <= LONGEST_QUOTE]
    cut = borders[-1] if borders else len(" ".join(words[:LONGEST_QUOTE]))
    return f"{plain[:cut].rstrip(_ENDS)} …"
