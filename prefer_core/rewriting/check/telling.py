"""Reported speech: a sentence may tell in the third person what a reviewer wrote, word for word.

"My hair feels softer" becomes "One reviewer says their hair feels softer": persons change, verbs agree with them,
and everything else stays in its place, so that what passes can be untrue by nothing that the quotation does not say.
"""

import re

from prefer_core.data.wordlist import words
from prefer_core.rewriting.base import Claim
from prefer_core.rewriting.check.rules import form
from prefer_core.rewriting.check.strict import written_out

_FIRST = {"i": "they", "we": "they", "me": "them", "us": "them", "my": "their", "our": "their", "mine": "theirs",
          "ours": "theirs", "myself": "themselves", "ourselves": "themselves"}  # fmt: skip
_OWN = re.compile(r"\b(?:[Mm]e|[Uu]s|[Mm]y|[Oo]ur|[Mm]ine|[Oo]urs|[Mm]yself|[Oo]urselves)\b(?!['’])")
_SELF = re.compile(r"\b(?:[Ii]|[Ww]e)\b(?!-)(['’]m\b| am\b| was\b)?")
_OF_THEM = {"'m": "'re", "’m": "’re", " am": " are", " was": " were"}
_POINTING = re.compile(r"^(this|these|its) (?!an? |the |so |not )(\S+)(?= (\S+))", re.IGNORECASE)
_VERBS = words("is are was were has have had does do did can could will would should may might must")
_PLURAL = {"am": "are", "was": "were"}
_SAYS = re.compile(r"(?:say|note|add|report|mention|write)s?( that)?,? (.+)")
_LEADS = words("in on at after before by with for from within during under when if")
_WORD = re.compile(r"[$€£]?\d+(?:[.,:/]\d+)*%?|[^\W\d_]+(?:-[^\W\d_]+)*")


def of_others(clause: str) -> str:
    """Return a sentence as calm as if it were told, in the third person.

    Small models leave it as it was. Nothing is pointed at: "this is" becomes "it is", "this jacket" "the jacket".

    >>> of_others("It is dry and I'm glad my hair is!"), of_others("This keeps me dry"), of_others("This coat is warm")
    ("It is dry and they're glad their hair is.", 'It keeps them dry', 'The coat is warm')
    """
    told = _SELF.sub(lambda found: f"they{_OF_THEM.get(found[1], '')}", clause)
    told = _OWN.sub(lambda found: _FIRST[found[0].lower()], _POINTING.sub(_named, told))
    told = told[:1].upper() + told[1:] if clause[:1].isupper() else told
    return f"{told.rstrip('!')}." if told.endswith("!") else told


def _named(found: re.Match[str]) -> str:
    """Return what "this is", "this keeps", "these are", "this jacket" and "its lid" are in reported speech."""
    pointer, word, behind = found[1].lower(), found[2], found[3]
    verb = word in _VERBS or (pointer == "this" and word[-1] == "s" and word[-2:] != "ss" and behind not in _VERBS)
    return f"{'the' if not verb or pointer == 'its' else 'it' if pointer == 'this' else 'they'} {word}"


def mistold(text: str, claim: Claim) -> list[str]:
    """Return what is wrong with a sentence that is to tell what the reviewers of a quotation wrote.

    Examples
    --------
    >>> claim = Claim("I crochet under it and my eyes don't hurt", "told", "One reviewer", 1, 9, 9, 0, (0,))
    >>> mistold("One reviewer says they crochet under it and their eyes don't hurt.", claim)
    []
    >>> mistold("One reviewer says they crochet under it and their eyes hurt.", claim)
    ['It does not say word for word what was written.']
    """
    found = form(text)
    wrote = _words(claim.clause)
    # In the third person; a verb behind "I" or "we" agrees with "they".
    wanted = [
        (_FIRST | _PLURAL if before in ("i", "we") else _FIRST).get(word, word)
        for before, word in zip(["", *wrote], wrote, strict=False)
    ]
    says = _SAYS.fullmatch(text.removeprefix(f"{claim.word} "))
    if not text.startswith(f"{claim.word} ") or says is None:
        found.append(f"It does not begin with who says it: {claim.word}.")
    elif not _alike(_words(says[2]), wanted):
        found.append("It does not say word for word what was written.")
    elif not says[1] and wanted[0] in _LEADS:
        found.append('It needs "that" before what does not begin with its subject.')
    if text.endswith("!"):
        found.append("It calls out what it only tells.")
    return found


def _words(text: str) -> list[str]:
    """Return the words of a text, contractions written out, without those that only join."""
    return [word for word in _WORD.findall(written_out(text)) if word not in ("that", "and")]


def _alike(said: list[str], wanted: list[str]) -> bool:
    near = {"this": ("the", "it"), "these": ("the", "they"), "its": ("the",)}
    return len(said) == len(wanted) and all(a == b or a in near.get(b, ()) for a, b in zip(said, wanted, strict=True))
