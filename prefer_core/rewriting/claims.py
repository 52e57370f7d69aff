"""What each clause of a text claims, held against its evidence: strength, number, people, negation, pairs of words."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from prefer_core.rewriting.align import paired
from prefer_core.rewriting.form import clause_of
from prefer_core.rewriting.lexicon import FIRST_PERSON, INTENSE, PLURAL, QUANTITY, SAME_QUANTITY, TELLING
from prefer_core.rewriting.marks import Source, agree, before_but
from prefer_core.rewriting.synonyms import implied, implies
from prefer_core.rewriting.words import sentences, tokens

_ANYTHING = frozenset({"ever", "before", "expected", "usual", "i", "we", "they", "it", "any"})
_OWN = frozenset({"my", "our", "his", "her", "their"})
_SUBJECTS = frozenset({"i", "it", "you", "we", "they", "he", "she", "this", "that", "the", "my", "if", "when", "far"})
_ADVISING = frozenset({"will", "they'll", "should", "must"})
_ARTICLES = frozenset({"the", "a", "an", "their", "his", "her", "my", "this"})
_THEY = frozenset({"they", "their", "them", "themselves", "theirs", "they're", "they've", "they'd", "they'll"})


def claims(bare: str, read: Sequence[Source], free: set[str]) -> list[str]:
    """Return what the clauses of a text claim that its evidence does not.

    Parameters
    ----------
    bare : str
        The text without its quotes.
    read : sequence of Source
        Its evidence.
    free : set of str
        Stems that need no support.
    """
    said = {t.word for source in read for t in source.words}
    # "Love the color": someone does, though no one is named.
    telling = any(source.words and source.words[0].word in TELLING for source in read)
    elided = all(source.words and source.words[0].word not in _ARTICLES | {"there"} for source in read)
    found = []
    for one in sentences(bare):
        clause = clause_of(one)
        words = {t.word for t in tokens(clause)}
        if words & INTENSE and not said & INTENSE and not _weaker(clause, read):
            found.append(f"stronger than the evidence: {', '.join(sorted(words & INTENSE))}")
        if counted := sorted(word for word in words & QUANTITY - said if not _same_quantity(word, said)):
            found.append(f"a quantity that the evidence lacks: {', '.join(counted)}")
        if not telling and _invents_people(words, said, elided):
            found.append("they, where the evidence speaks of no one")
        found += [reason for holds, reason in _RULES if holds(clause, read)]
        if turned := _nouned(clause, read):
            found.append(f"a verb of the evidence as a thing: {', '.join(turned)}")
        if doubled := _doubled(clause, read):
            found.append(f"repeats a word: {', '.join(doubled)}")
        found += agree(clause, read, free)
        found += paired(clause, read, free)
        found += before_but(clause, read, free)
    return found


def _same_quantity(word: str, said: set[str]) -> bool:
    return any(word in group and group & said for group in SAME_QUANTITY)


def _weaker(clause: str, read: Sequence[Source]) -> bool:
    """Whether what a clause strengthens stands for something stronger: "very hot" for "scorching"."""
    words = tokens(clause)
    there = {stem for source in read for stem in source.stems}
    told = [b.stem for a, b in pairwise(words) if a.word in INTENSE - {"too"}]
    return bool(told) and all(
        any(implied(stem, strong) for strong in there) or (stem in there and implies(stem)) for stem in told
    )


def _half_compares(clause: str, read: Sequence[Source]) -> bool:
    """Whether a clause leaves out the "than": "looks much nicer" of "looks much nicer on the model than in person"."""
    words = {t.word for t in tokens(clause)}
    for source in read:
        there = [t.word for t in source.words]
        if "than" in words or "than" not in there[:-1]:
            continue
        place = there.index("than")
        compared = [w for w in there[max(0, place - 6) : place] if w in words and (w.endswith("er") or w == "more")]
        with_what = next(w for w in there[place + 1 :] if w not in _OWN or w == there[-1])
        if compared and with_what not in _ANYTHING:
            return True
    return False


def _swaps_subject(clause: str, read: Sequence[Source]) -> bool:
    """Whether "it" does in a clause what only someone does in the evidence: "it had to have it", "I had to have it"."""
    words = [t.word for t in tokens(clause)]
    there = [(a.word, b.word) for source in read for a, b in pairwise(source.words)]
    if len(words) < 2 or words[0] not in {"it", "this", "that"}:
        return False
    doers = {a for a, b in there if b == words[1]}
    return bool(doers & {"i", "we", "he", "she"}) and not doers - {"i", "we", "he", "she", "and", "also", "they"}


def _swaps_thing(clause: str, read: Sequence[Source]) -> bool:
    """Whether "they are" is said of what only "it is" in the evidence: "they are going back", "it's going back"."""
    words = [t.word for t in tokens(clause)]
    told = {c for a, b, c in zip(words, words[1:], words[2:], strict=False) if a == "they" and b in {"are", "were"}}
    there = [t.word for source in read for t in source.words]
    doers = {word: {a for a, b in pairwise(there) if b == word} for word in told}
    return any(found and found <= {"it's", "its"} for found in doers.values())


def _cut_from_so(clause: str, read: Sequence[Source]) -> bool:
    """Whether a clause starts behind a "so" that it leaves out: "massive it looks sloppy"."""
    start = tuple(t.word for t in tokens(clause)[:2])
    there = [[t.word for t in source.words] for source in read]
    return (
        len(start) == 2
        and any(("so", *start) == run for words in there for run in zip(words, words[1:], words[2:], strict=False))
        and not start[0].endswith("ly")
        and start[0] not in _SUBJECTS
    )


def _invents_people(words: set[str], said: set[str], elided: bool) -> bool:
    """Whether a clause speaks of people where its evidence does not: "bought this" means someone, "it left" none."""
    # "You will need a tailor" is advice to others, and no plan of its reviewer's; "you can't complain" is said of both.
    people = PLURAL - {"you"} if words & _ADVISING else PLURAL
    if words & _THEY and not said & (_THEY | FIRST_PERSON | people):
        # "Comfortable out of the box" leaves out what is comfortable: that may be "they".
        return not (elided and words & {"are", "were", "they're"} and not said & {"it", "it's", "this", "he", "she"})
    if "they're" in words or ("they" in words and words & {"are", "were"}):
        several = {
            "am",
            "i'm",
            "im",
            "we",
            "we're",
            "were",
            "they",
            "they're",
            "these",
            "those",
            "them",
            "people",
            "you",
        }
        if not said & several and not {"i", "was"} <= said and said & {"it", "it's", "this"}:
            return True
    acting = {word.split("'")[0] for word in said} & (PLURAL | {"i", "im", "ive", "he", "she"})
    return "they" in {word.split("'")[0] for word in words} and not acting and bool(said & {"it", "it's", "this"})


def _nouned(clause: str, read: Sequence[Source]) -> list[str]:
    """Return words with an article that only act upon someone in the evidence: "drives me crazy", "their drives"."""
    words = [t.word for t in tokens(clause)]
    named = {b for a, b in pairwise(words) if a in _ARTICLES and not (a == "this" and b.endswith("s"))}
    there = [(a.word, b.word) for source in read for a, b in pairwise(source.words)]
    acting = {a for a, b in there if b in {"me", "us", "him", "her", "them", "you"}}
    return sorted(named & acting - {b for a, b in there if a in _ARTICLES})


def _doubled(clause: str, read: Sequence[Source]) -> list[str]:
    """Content stems that a clause has more often than any source sentence."""
    counts = Counter(t.stem for t in tokens(clause) if t.content)
    most = {stem: max((len(s.marks.get(stem, [])) for s in read), default=0) for stem in counts}
    return [stem for stem, n in counts.items() if n > max(1, most[stem])]


_RULES: tuple[tuple[Callable[[str, Sequence[Source]], bool], str], ...] = (
    (_swaps_subject, "it, where the evidence speaks of someone"),
    (_swaps_thing, "they, where the evidence speaks of it"),
    (_cut_from_so, "what follows from a so, without it"),
    (_half_compares, "a comparison without what it is compared with"),
)
