"""Summaries without a model: aspect, count, and at most eight quoted words of the evidence."""

import re
from collections.abc import Sequence

from prefer_core.config import WritingSettings
from prefer_core.data.spam import is_no_review
from prefer_core.rewriting.base import Evidence, Statement, Summary
from prefer_core.rewriting.form import well_formed
from prefer_core.rewriting.grounding import check
from prefer_core.rewriting.lexicon import FIRST_PERSON, words_of
from prefer_core.rewriting.paragraph import compose
from prefer_core.rewriting.words import VAGUE, Token, plain, tokens

NAME = "template"

_LONGEST = 8
_MOST_CHARACTERS = 80
_LEADS = words_of("and but so because also then plus or which that well than of in on at for with to by as while")
_BREAKS = frozenset({"and", "that", "because", "so", "which"})
_TAILS = words_of(
    """a an the and or but so to of with for because if than as at in on my your is are was i not very that some you it
    they we which who"""
)
_NUMBERED = re.compile(r"^\W*\d{1,2}\s?[.)]+\s+|^\W+(?=\w)")
_SETTINGS = WritingSettings(longest_copy=_LONGEST)


def write(evidence: Evidence) -> Summary:
    """Write a summary from the evidence alone; the same evidence gives the same text.

    Examples
    --------
    >>> from prefer_core.rewriting.base import Group
    >>> group = Group("high", 0, (0,), reviewers=30, total=90)
    >>> text = ("The coconut smell hangs around the bathroom.",)
    >>> write(Evidence("p", "", text, (group,), ("smell, coconut",))).paragraph
    'Many reviewers write about smell and coconut: "The coconut smell hangs around the bathroom".'
    """
    statements = tuple(statement(evidence, index) for index in range(len(evidence.groups)))
    paragraph, cited = compose(statements)
    return Summary(statements, paragraph, "template", NAME, stages(evidence, statements, paragraph), cited)


def statement(evidence: Evidence, index: int) -> Statement:
    """Write the statement of one group; it cites all sentences of the group."""
    group = evidence.groups[index]
    sources = [evidence.text[i] for i in group.members]
    quote = max(
        (excerpt(evidence.text[i]) for i in group.sent if not is_no_review(evidence.text[i])), key=_worth, default=""
    )
    word = evidence.word(group, group.members)
    verb = "writes" if word == "One reviewer" else "write"
    about = topic(evidence.label(group))
    texts = [f'{word} {verb} about {about}: "{quote}".'] if about and quote else []
    texts += [f'{word} {verb} along these lines: "{quote}".'] if quote else []
    texts += [f"{word} {verb} about {about}."] if about else []
    text = next((t for t in texts if check(t, sources, _SETTINGS, allowed=(about, "along", "lines")).ok), "")
    return Statement(
        text=text or f"{word} {verb} about this without words that can be quoted.",
        word=word,
        group=index,
        cites=group.members,
        source="template",
        reviewers=evidence.reviewers(group, group.members),
        total=group.total,
    )


def stages(evidence: Evidence, statements: Sequence[Statement], final: str) -> dict[str, str]:
    """Return the text of each stage: a block for each bin, the stitched draft, the final paragraph."""
    blocks: dict[str, str] = {}
    for one in statements:
        name = evidence.groups[one.group].bin
        blocks[name] = f"{blocks[name]} {one.text}" if name in blocks else one.text
    return blocks | {"stitch": "\n".join(blocks.values()), "final": final}


def topic(label: str) -> str:
    """Return an aspect's name as it reads in a sentence: at most two terms.

    Examples
    --------
    >>> topic("smell, coconut, body"), topic("Fit & size"), topic("")
    ('smell and coconut', 'fit and size', '')
    """
    terms = [" ".join(t.word for t in tokens(term)) for term in re.split(r"[,;/|·&+]|\band\b", label)]
    kept = [term for term in dict.fromkeys(terms) if any(t.content for t in tokens(term))]
    fitting = [term for term in kept if not set(term.split()) & FIRST_PERSON and len(term) <= _MOST_CHARACTERS // 2]
    return " and ".join(fitting[:2])


def excerpt(text: str, longest: int = _LONGEST) -> str:
    """Return at most `longest` words of a sentence that say something, an ellipsis where the sentence was cut.

    Examples
    --------
    >>> excerpt("I have used many of them, but the coconut smell hangs around for hours")
    '… the coconut smell hangs around for hours'
    """
    shown = _NUMBERED.sub("", plain(text))
    words = tokens(shown)
    if not words:
        return shown[:_MOST_CHARACTERS].strip("'… ")
    start, end = max(_windows(words, longest), key=lambda w: _window_worth(shown, words, *w))
    left, right = words[start].start, words[end - 1].end
    if right - left > _MOST_CHARACTERS:
        right = left + _MOST_CHARACTERS
    before, after = shown[:left].rstrip("'( "), shown[right:].lstrip("'\") ")
    opened = "… " if before and before[-1] not in ".!?" else ""
    closed = " …" if after and after[0] not in ".!?" else ""
    return f"{opened}{shown[left:right].strip()}{closed}"


def _windows(words: Sequence[Token], longest: int) -> list[tuple[int, int]]:
    """Return the runs (start, end) that begin a clause or follow "and"; they end with a clause or at the limit."""
    starts = [
        i for i, t in enumerate(words) if not i or t.clause != words[i - 1].clause or words[i - 1].word in _BREAKS
    ]
    found = []
    for start in starts:
        while start < len(words) - 1 and words[start].word in _LEADS:
            start += 1
        stop = min(len(words), start + longest)
        ends = {end for end in range(start + 1, stop) if words[end].clause != words[end - 1].clause} | {stop}
        for end in sorted(ends):
            while end - start > 2 and end < len(words) and words[end - 1].word in _TAILS:
                end -= 1
            found.append((start, end))
    return found


def _window_worth(text: str, words: Sequence[Token], start: int, end: int) -> float:
    """How much a window tells: concrete words, a whole clause, no first person."""
    run = words[start:end]
    concrete = len({t.stem for t in run if t.content} - VAGUE)
    whole = end == len(words) or words[end].clause != run[-1].clause
    person = any(t.word in FIRST_PERSON for t in run)
    sound = well_formed(text[run[0].start : run[-1].end])
    everything = start == 0 and end == len(words)
    short = max(0, 4 - len(run))
    inner = start > 0 and words[start - 1].word in {"that", "which"}
    return (
        concrete
        + 1.5 * whole
        + sound
        - inner
        - person
        - 0.6 * (start > 0)
        + 3 * everything
        - 1.5 * short
        - 0.01 * start
    )


def _worth(quote: str) -> float:
    words = tokens(quote)
    return len({t.stem for t in words if t.content} - VAGUE) - 0.5 * quote.count("…") + 0.5 * well_formed(quote)
