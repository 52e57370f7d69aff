"""Who does, is and feels what: a text must not give one's doings to another."""

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from prefer_core.rewriting.lexicon import FINITE, FIRST_PERSON, PLURAL, words_of
from prefer_core.rewriting.marks import Source
from prefer_core.rewriting.words import stem, tokens

_ADVISING = frozenset({"will", "they'll", "should", "must"})
_THEY = frozenset({"they", "their", "them", "themselves", "theirs", "they're", "they've", "they'd", "they'll"})
_SEVERAL = frozenset({"am", "i'm", "im", "we", "we're", "were", "they", "they're", "these", "those", "them", "people",
                      "you"})  # fmt: skip
_SELF = frozenset({"i", "we", "im", "ive"})
_DOING = _SELF | {"he", "she"}
_ANYONE = _DOING | {"they", "you", "it", "this", "that", "who"}
_ABLE = words_of("can can't cannot could couldn't")
_BETWEEN = words_of(
    "am be been not never also always once again just even still too so very really quite pretty both all"
)
_FEELINGS = words_of(
    """impressed disappointed pleased satisfied surprised thrilled amazed confused annoyed frustrated bored excited
    happy glad worried delighted underwhelmed overwhelmed"""
)


def swaps_subject(clause: str, read: Sequence[Source]) -> bool:
    """Whether "it" does in a clause what only someone does in the evidence: "it had to have it", "I had to have it"."""
    words = [t.word for t in tokens(clause)]
    there = [(a.word, b.word) for source in read for a, b in pairwise(source.words)]
    if len(words) < 2 or words[0] not in {"it", "this", "that"} or {"be", "been"} & set(words[2:4]):
        return False
    doers = {a for a, b in there if b == words[1]}
    return bool(doers & {"i", "we", "he", "she"}) and not doers - {"i", "we", "he", "she", "and", "also", "they"}


def swaps_thing(clause: str, read: Sequence[Source]) -> bool:
    """Whether "they are" is said of what only "it is" in the evidence: "they are going back", "it's going back"."""
    words = [t.word for t in tokens(clause)]
    told = {c for a, b, c in zip(words, words[1:], words[2:], strict=False) if a == "they" and b in {"are", "were"}}
    there = [t.word for source in read for t in source.words]
    doers = {word: {a for a, b in pairwise(there) if b == word} for word in told}
    return any(found and found <= {"it's", "its"} for found in doers.values())


def swaps_reader(clause: str, read: Sequence[Source]) -> bool:
    """Whether "they" do in a clause what the evidence says that you do: "they don't want it", "you don't want it".

    What "you can" is said of both.
    """
    words = [t.word for t in tokens(clause)]
    return not _ABLE & set(words) and any(_doers(verb, read) == {"you"} for verb in _deeds(words))


def feels(clause: str, read: Sequence[Source]) -> bool:
    """Whether a thing has the feelings of a reviewer: "the screen is impressed", "I am impressed with the screen"."""
    words = [t.word for t in tokens(clause)]
    for place, word in enumerate(words):
        doers = _doers(word, read) if word in _FEELINGS else set()
        if not doers or doers - _SELF:
            continue
        at = _before(words, place)
        who = words[at].split("'")[0] if at >= 0 else ""
        if at < place - 1 and who not in _ANYONE - {"it", "this", "that"}:
            return True
    return False


def invents_people(words: set[str], said: set[str], elided: bool) -> bool:
    """Whether a clause speaks of people where its evidence does not: "bought this" means someone, "it left" none."""
    # "You will need a tailor" is advice to others, and no plan of its reviewer's; "you can't complain" is said of both.
    people = PLURAL - {"you"} if words & _ADVISING else PLURAL
    if words & (_THEY - {"their"}) and not said & (_THEY | FIRST_PERSON | people):
        # "Comfortable out of the box" leaves out what is comfortable: that may be "they".
        return not (elided and words & {"are", "were", "they're"} and not said & {"it", "it's", "this", "he", "she"})
    if (
        ("they're" in words or ("they" in words and words & {"are", "were"}))
        and not said & _SEVERAL
        and not {"i", "was"} <= said
        and not (said & _SELF and any(word.endswith("ing") for word in words))
        and said & {"it", "it's", "this"}
    ):
        return True
    acting = {word.split("'")[0] for word in said} & (PLURAL | _DOING | {"them"})
    return "they" in {word.split("'")[0] for word in words} and not acting and bool(said & {"it", "it's", "this"})


def _before(words: Sequence[str], place: int) -> int:
    """Return the place of what stands before a word's auxiliaries and adverbs; -1 where there is nothing."""
    at = place - 1
    while at >= 0 and words[at].split("'")[0] not in _ANYONE and _slight(words[at]):
        at -= 1
    return at


def _slight(word: str) -> bool:
    return word in FINITE | _BETWEEN or word.endswith(("n't", "ly"))


def _deeds(words: Sequence[str]) -> Iterator[str]:
    """Yield what "they" do: for each, the first word behind it that is no auxiliary and no adverb."""
    for place, word in enumerate(words):
        if word.split("'")[0] == "they":
            yield from islice((other for other in words[place + 1 :] if not _slight(other)), 1)


def _doers(word: str, read: Sequence[Source]) -> set[str]:
    """Return who does or is something in the evidence, as pronouns; whatever else stands there as it is."""
    found = set()
    for source in read:
        words = [t.word for t in source.words]
        for place, other in enumerate(words):
            at = _before(words, place)
            if stem(other) == stem(word) and at >= 0:
                found.add(words[at].split("'")[0])
    return found
