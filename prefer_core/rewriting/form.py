"""The form of a text: person, copies, loops, and whether a clause is whole."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from prefer_core.rewriting.lexicon import CONTRAST, FILLERS, FINITE, FIRST_PERSON, PLURAL, words_of
from prefer_core.rewriting.words import PAST, VERBS, Token, tokens

QUOTE = re.compile(r'"[^"]*"')
_OPENING = re.compile(
    r"^(?:Many|Some|A few|One|Reviewers?|Others?)(?: reviewers?)? (?:say|write|find|note|add)s?\b(?: that)?", re.I
)
_DANGLING = words_of(
    """a an the and or but so to of with for because if than as at by from my your their its is are was were be very
    really that which who when while not no into per plus like just also nor i more less same
    rather most such other used going between
    feel feels look looks make makes seem seems"""
)
_OPENERS = words_of("if when since after before for in at on with from because once although though while despite")
_ORDERS = words_of(
    """pull buy order get go try use make be don't do do take put keep add love loved like liked bought purchased see
    let look give think stay save spend beware avoid forget"""
)
_SIZES = frozenset("sml")
_NAMED = frozenset({"feel", "look", "looks"})
_ARTICLES = frozenset({"the", "a", "an", "its", "their", "this", "that"})
_PLURALS = words_of("feet teeth men women people children mice")
_OBJECTS = words_of("it them the their this these its")
_STARTS = words_of("it they the there their this these you")
_OPENING_WORDS = 9
_ADVERBS = words_of(
    "longer also all still only often usually always sometimes never now already even both then actually"
)
_BOTH = re.compile(r"\b(?:is|are|was|were) both\b", re.IGNORECASE)
_TURN = re.compile(r",?\s(?:but|thus)\s", re.IGNORECASE)
_EXCEPT = re.compile(r"(?:all|every\w*|nothing|none|no) (?:[\w-]+ ){0,3}but (?:the|a|one|for)\b", re.IGNORECASE)
_INNER = re.compile(r"\b(?:is|was) that (.+)", re.IGNORECASE)
_POINTERS = frozenset({"this", "that", "these", "those"})
_ENDED = re.compile(
    r"\bthan (?:it|they) (?:is|was|are|were|does|do|looks?|feels?|seems?)$"
    r"|\bthe others?$|\bany more$"
    r"|\b(?:any|some|no)thing to \w+ (?:it |them )?(?:with|for|on|in|at)$",
    re.IGNORECASE,
)
_SUBORDINATE = words_of("where which who when once because if since whenever")
_JOINT = re.compile(r",?\s(?:and|but|so)\s(?=(?:they|it|it's|you|there|that's|that is)\b)|;\s", re.IGNORECASE)
_BROKEN = re.compile(
    r"\bhow \w+$"
    r"|\b(?:and|but|so),? (?:while|although|though|if|when|because|since)\b"
    r"|^(?:the|a) \w+ (?:they|it|you)\b"
    r"|^(?:what (?:more|else|can|not)|what's not|why|how (?:can|do|could|\w+ (?:is|are|was)))\b"
    r"|^\w+, |: '|\b(?:a|an|the) (?:they|them)\b"
    r"|\b(?:did|do|does)(?:n't| not) (?:something|anything|it|they|the|a|an)\b"
    r"|-(?:that|it|this|they|i)\b|\w- |\(|\bas a result$"
    r"|^\w+ly (?:will|would|is|are|was|were|can|could|has|have|had|do|does|did)\b"
    r"|\b(?:the|a|an) (?:in|on|at|of|to|for|the|a|an)\b(?!-)"
    r"|^\w+ing (?:it|them|this|the|that|these|a|their)\b"
    r"(?!.*\b(?:is|was|took|takes|made|makes|needs|needed|requires|required|helps|helped)\b)",
    re.IGNORECASE,
)
_NOMINAL = words_of(
    "the a an to of in for with this that their its his her my your no and or is are was were having being so very"
)
_WEAK_START = words_of(
    """because maybe perhaps and or but also so to of with from than like unlike just not as by at in for on which who
    despite although though even plus then yet while whereas except too very really if when since after before"""
)


def first_person(text: str) -> tuple[str, ...]:
    """Return the first-person words outside quotes; "US" in capitals is a country."""
    bare = QUOTE.sub(" ", text)
    raw = [(t.word, bare[t.start : t.end]) for t in tokens(bare)]
    return tuple(word for word, shown in raw if word in FIRST_PERSON and shown != "US")


def longest_run(text: str, source: str) -> int:
    """Return the length in words of the longest run that `text` shares with `source`."""
    return max(runs_ending([t.word for t in tokens(text)], [t.word for t in tokens(source)]), default=0)


def runs_ending(said: Sequence[str], there: Sequence[str]) -> list[int]:
    """Return for each word said how long the longest run is that ends with it and that stands there too."""
    found, row = [], [0] * (len(there) + 1)
    for word in said:
        row = [0] + [row[j] + 1 if word == other else 0 for j, other in enumerate(there)]
        found.append(max(row))
    return found


def loops(text: str) -> bool:
    """Whether a text repeats itself: a run of three words or a word in a row twice, or one content word often."""
    words = [t.word for t in tokens(text)]
    triples = Counter(zip(words, words[1:], words[2:], strict=False))
    content = Counter(t.stem for t in tokens(text) if t.content)
    doubled = any(a == b and a not in {"that", "had"} for a, b in pairwise(words))
    return doubled or any(n > 1 for n in triples.values()) or any(n > 3 for n in content.values())


def clause_of(text: str) -> str:
    """Return what a statement reports: the text without its opening ("Many reviewers say") and final stop."""
    return _OPENING.sub("", text, count=1).strip().rstrip(".!?").strip()


def well_formed(clause: str) -> bool:
    """Whether a clause has a verb, does not start in mid-sentence and does not end on a word that wants another.

    Examples
    --------
    >>> [well_formed(c) for c in ("the lid cracks", "soft cotton in simple style", "if it is cold, they wear it")]
    [True, False, True]
    """
    words = tokens(clause)
    if words and words[0].word in _OPENERS and (rest := _behind_opening(clause, words)):
        return well_formed(rest)
    if _BROKEN.search(clause) or _listed(clause, words):
        return False
    if len(words) < 2 or words[0].word in _WEAK_START | _ORDERS or _dangles(clause, words):
        return False
    if words[0].word in FINITE and ("'" not in words[0].word or words[0].word.endswith("n't")):
        return False
    if words[0].word in PAST and words[1].word not in FINITE:  # "sat away from the body": who?
        return False
    if " - " in clause and not _has_verb(clause.split(" - ", 1)[0]):
        return False
    if {"both", "and"} & {t.word for t in words} == {"both"} and _BOTH.search(clause):
        return False
    if (words[0].word in _POINTERS and words[1].word in PLURAL | {"it"}) or (
        words[-1].word.isalpha() and len(words[-1].word) < 2 and words[-1].word not in _SIZES
    ):
        return False
    inner = _INNER.search(clause)
    turn = [] if _EXCEPT.match(clause) else [_TURN.split(clause)[0]]
    parts = [*_JOINT.split(clause), *turn, *([inner.group(1)] if inner else [])]
    return all(_has_verb(part) for part in parts)


def _behind_opening(clause: str, words: Sequence[Token]) -> str:
    """Return the sentence behind a phrase that opens a clause, "for the price | the tube is tiny"; "" without one."""
    if "," in clause:
        return clause.split(",", 1)[1]
    for i in range(2, min(len(words), _OPENING_WORDS)):
        rest = clause[words[i].start :]
        if words[i].word in _STARTS and words[i - 1].content and well_formed(rest):
            return rest
    return ""


def _listed(clause: str, words: Sequence[Token]) -> bool:
    """Whether a clause starts with a list that is no sentence: "soft and delicate, the design is great"."""
    first = clause.split(",", 1)[0]
    return first != clause and len(tokens(first)) > 1 and words[0].word not in _OPENERS and not _has_verb(first)


def _dangles(clause: str, words: Sequence[Token]) -> bool:
    """Whether a clause ends on a word that wants another; "than it is" and "nothing to use it with" do not."""
    named = words[-1].word in _NAMED and bool(_ARTICLES & {t.word for t in words[-4:-1]})
    return words[-1].word in _DANGLING and not named and not _ENDED.search(clause)


def _has_verb(part: str) -> bool:
    """Whether a part has its verb before any subordinate clause."""
    words = tokens(part)
    inner = next((i for i, t in enumerate(words) if i and _opens_inner(words, i)), len(words))
    return any(
        (t.word in FINITE and (i > 0 or t.word.endswith(("'s", "'re", "'ve", "'ll", "'d"))))
        or (i > 0 and _is_verb(words, i))
        for i, t in enumerate(words[:inner])
    )


def _inflected(word: str) -> bool:
    """Whether a word has the ending of a finite verb; what stands after "it" with one is a verb."""
    return len(word) > 3 and word.endswith(("s", "ed")) and not word.endswith(("ss", "us", "is"))


def _opens_inner(words: Sequence[Token], i: int) -> bool:
    """Whether word i opens a subordinate clause; "that" does so before a pronoun or an article."""
    following = words[i + 1].word if i + 1 < len(words) else ""
    return words[i].word in _SUBORDINATE or (words[i].word == "that" and following in PLURAL | {"it", "the", "a"})


def _by_the_way(word: str, following: str) -> bool:
    """Whether a word may stand between a subject and its verb: "really", "no longer"."""
    return word in FILLERS | _ADVERBS or word.endswith("ly") or (word, following) == ("no", "longer")


def _is_verb(words: Sequence[Token], i: int) -> bool:
    """Whether word i stands as a finite verb: "it fits", "they love", "colors pop"; not "the fit", "to love"."""
    token, before = words[i], words[i - 1].word
    if before in {"it", "this", "they"} and words[i - 1].clause == token.clause and _inflected(token.word):
        return True
    following = words[i + 1].word if i + 1 < len(words) else ""
    if before == "they" and following in _OBJECTS:  # "they vacuum it"
        return True
    if token.stem not in VERBS or before in _NOMINAL:
        return False
    listed = i + 1 < len(words) and words[i + 1].clause != token.clause and words[i + 1].word not in CONTRAST
    if listed and token.word.endswith("s"):
        return False
    if (token.word.endswith(("s", "ed")) and not token.word.endswith("ss")) or token.word in PAST:
        return True
    while i > 1 and _by_the_way(words[i - 1].word, words[i].word):
        i -= 1
    before = words[i - 1].word
    if i > 2 and words[i - 2].word == "of":  # "five pounds of seed fit"
        before = words[i - 3].word
    plural_noun = before.endswith("s") and not before.endswith(("ss", "us", "is", "this", "'s"))
    return before in PLURAL | _PLURALS or plural_noun
