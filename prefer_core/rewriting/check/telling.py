"""Reported speech: a sentence may tell in the third person what a reviewer wrote, word for word.

"My hair feels softer" becomes "One reviewer says their hair feels softer": persons change, verbs agree with them,
and everything else stays in its place, so that what passes can be untrue by nothing that the quotation does not say.
"""

import re

from prefer_core.data.wordlist import words
from prefer_core.rewriting.base import Claim
from prefer_core.rewriting.check.rules import form
from prefer_core.rewriting.check.strict import written_out

LONGEST = 22
"""Words of a sentence that is told; a longer one is quoted."""

_FIRST = {"i": "they", "we": "they", "me": "them", "us": "them", "my": "their", "our": "their", "mine": "theirs",
          "ours": "theirs", "myself": "themselves", "ourselves": "themselves"}  # fmt: skip
_OWN = re.compile(r"\b(?:[Mm]e|[Uu]s|[Mm]y|[Oo]ur|[Mm]ine|[Oo]urs|[Mm]yself|[Oo]urselves)\b(?!['’])")
_PLURAL = {"am": "are", "was": "were"}
_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does"}
_OTHERS = words("they them their theirs themselves")
_SUBJECTS = words("i we my our mine it this these the there everything nothing both you your")
_OF_A_THING = words(
    "smells leaves tips stings disappears clamps looks feels works fits makes does has is runs comes takes gets goes "
    "keeps stays needs holds lasts shrinks wrinkles fades breaks falls washes dries absorbs helps tastes sounds"
)
"""Verbs that begin a note whose subject is the product: "smells like tar"."""
_VERBS = words("is are was were has have do does did am")
_BESIDE = words("also always never still just even only really actually already usually")
"""Words that may stand between a subject and its verb."""
_PAST = words(
    "got had bought made found thought felt took left kept put cut lost gave went wore did read set sat hit saw said "
    "came ran knew began broke chose threw sent spent can could will would should must may might"
)
"""Verbs that do not change behind "one reviewer"."""

_SPLICED = re.compile(r", (?:it|she|he|they|you|this|my|their)\b", re.IGNORECASE)
"""Where two sentences are run together by a comma, as people write; "and" puts it right and changes nothing."""
_SAYS = re.compile(r"(?:also )?(?:say|note|add|report|mention|write)s?(?: that)?,? (.+)")
_WORD = re.compile(r"[$€£]?\d+(?:[.,:/]\d+)*%?|[^\W\d_]+(?:-[^\W\d_]+)*")


def with_subject(clause: str) -> str:
    """Return a sentence with the subject that a note leaves out.

    >>> with_subject("Smells like tar."), with_subject("I like it.")
    ('It smells like tar.', 'I like it.')
    """
    first = clause.split(" ", 1)[0].lower()
    return f"It {clause[:1].lower()}{clause[1:]}" if first in _OF_A_THING else clause


def of_others(clause: str) -> str:
    """Return a sentence as calm as if it were told, with what belonged to its writer given to "them".

    Small models leave both as they were.

    >>> of_others("I wear it and my hair stays dry!")
    'I wear it and their hair stays dry.'
    """
    told = _OWN.sub(lambda found: _cased(_FIRST[found[0].lower()], found[0]), clause)
    return f"{told.rstrip('!')}." if told.endswith("!") else told


def _cased(word: str, like: str) -> str:
    return word.capitalize() if like[0].isupper() else word


def can_be_told(clause: str) -> bool:
    """Whether a sentence is a short statement with a subject, and nobody but its writer could be meant by "they".

    Examples
    --------
    >>> [can_be_told(text) for text in ("My hair feels softer.", "Bought two!", "I asked and they sent it.", "Is it?")]
    [True, False, False, False]
    """
    found = _words(with_subject(clause))
    first = not _FIRST.keys().isdisjoint(found)
    verb = found[:1] in (["i"], ["we"]) or any(
        word in _VERBS or word in _PAST or word.endswith(("s", "ed")) for word in found[1:]
    )
    plain = not re.search(r"[?\"“”()\[\]:;…]|[.!]\s+\S|\bsays?\b", clause) and not clause.isupper()
    return (
        plain and verb and 3 < len(found) <= LONGEST and found[0] in _SUBJECTS
        and not (first and not _OTHERS.isdisjoint(found))
    )  # fmt: skip


def mistold(text: str, claim: Claim) -> list[str]:
    """Return what is wrong with a sentence that is to tell what the reviewers of a quotation wrote.

    Examples
    --------
    >>> claim = Claim("I crochet under it and my eyes don't hurt", "quote", "One reviewer", 1, 9, 9, 0, (0,))
    >>> mistold("One reviewer crochets under it and their eyes don't hurt.", claim)
    []
    >>> mistold("One reviewer says they crochet under it and their eyes hurt.", claim)
    ['It does not say word for word what was written.']
    """
    found = form(text)
    if not text.startswith(f"{claim.word} "):
        return [*found, f"It does not begin with who says it: {claim.word}."]
    rest = text.removeprefix(f"{claim.word} ")
    wanted = _third(_words(with_subject(claim.clause)))
    says = _SAYS.fullmatch(rest)
    told = says is not None and _alike(_words(says[1]), wanted)
    if not told and not _acted(_words(rest), wanted, claim.said == "one"):
        found.append("It does not say word for word what was written.")
    if text.endswith("!"):
        found.append("It calls out what it only tells.")
    if _SPLICED.search(text):
        found.append("It runs two sentences together.")
    return found


def _words(text: str) -> list[str]:
    """Return the words of a text, contractions written out, without those that only join."""
    return [word for word in _WORD.findall(written_out(text)) if word not in ("that", "and")]


def _third(found: list[str]) -> list[str]:
    """Return words in the third person."""
    said = [_FIRST.get(word, word) for word in found]
    for place, word in enumerate(found[1:], 1):
        if found[place - 1] in ("i", "we") and word in _PLURAL:
            said[place] = _PLURAL[word]
    return said


def _alike(said: list[str], wanted: list[str]) -> bool:
    near = {"this": ("the", "it"), "these": ("the",)}
    return len(said) == len(wanted) and all(a == b or a in near.get(b, ()) for a, b in zip(said, wanted, strict=True))


def _acted(said: list[str], wanted: list[str], one: bool) -> bool:
    """Whether words tell what "they" did with the reviewers for a subject: "crochets" for "they crochet"."""
    if wanted[:1] != ["they"] or len(said) != len(wanted) - 1:
        return False
    wanted = wanted[1:]
    verb = next((i for i, word in enumerate(wanted) if word not in _BESIDE), 0)
    if not one:
        return _alike(said, wanted)
    stays = wanted[verb] in _PAST or wanted[verb].endswith("ed")
    if (said[verb] == wanted[verb]) is not stays or (not stays and said[verb] not in _singular(wanted[verb])):
        return False
    agreeing = [b if a in _singular(b) else a for a, b in zip(said, wanted, strict=True)]
    return _alike(agreeing, wanted)


def _singular(verb: str) -> tuple[str, ...]:
    """Return how a verb may read behind "one reviewer".

    >>> _singular("have"), _singular("try")
    (('has',), ('trys', 'tryes', 'tries'))
    """
    if verb in _SINGULAR:
        return (_SINGULAR[verb],)
    return (f"{verb}s", f"{verb}es", f"{verb[:-1]}ies") if verb[-1:] == "y" else (f"{verb}s", f"{verb}es")
