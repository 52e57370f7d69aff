"""Words of review sentences that can name an aspect."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from prefer_core.data.wordlist import words

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")

STOP_WORDS = words(
    """
    werent shouldnt hadnt mustnt neednt aint lets heres wheres youve weve theyve youd hed shed itll wed
    a able about above absolutely across actually after again ago all almost alone along already also although
    always am amount an and another any anymore anyone anything anyway apart april are arent around as ask asked at
    august away back basically be became because become been before behind being below beside besides between
    beyond bit both but by came can cannot cant certain certainly come comes coming completely could couldnt course
    day days december definitely despite did didn didnt do does doesnt doing done dont down due each eight either
    eleven else end enough entire entirely especially etc even ever every everyone everything exactly except extra
    extremely far february feel feels felt few fifty figure finally find first five for forty found four friday
    from full fully further gave get gets getting give given gives giving glad go goes going gone gonna got guess
    had half has hasnt have havent having he hence her here hers herself hes him himself his honestly hope how
    however hundred i id idea if ill im in instead into is isnt it its itself ive january july june just keep keeps
    kept kind knew know known last later least left less let like liked likely literally little ll long longer look
    looked looking looks lot lots made mainly make makes making many march may maybe me mean might mine monday
    month months more most mostly much must my myself near nearly need needed needs neither never new next nine no
    nobody non none nor not nothing november now october of off often oh ok okay old on once one ones only onto or
    order ordered other others otherwise our ours ourselves out over overall own part particular particularly per
    perhaps person place please plus point possible pre pretty probably put puts quite rather re real really
    regular right said same saturday saw say says second see seem seemed seems seen self september seven several
    shall she shes should show side simply since six so some somebody somehow someone something sometimes somewhat
    soon start started starting still stuff such sunday super sure take taken takes taking tell ten than that thats
    the their them themselves then there therefore theres these they theyll theyre thing things think thinking
    third thirty this tho those though thought three through throughout thursday thus time times to together too
    took top totally toward towards tried tries truly try trying tuesday turn twelve twenty two under unfortunately
    unless until up update upon us use used uses using usually ve very via want wanted wants was wasnt way ways we
    wednesday week weeks well went were what whatever whats when where whether which while who whole whom whose why
    will wish with within without won wont would wouldnt wow yeah year years yes yet you youll your youre yours
    yourself
    """
)
"""Words that never name an aspect."""

GENERIC = words(
    """
    love loved loves loving great good nice best better amazing awesome excellent perfect perfectly wonderful fantastic
    beautiful bad worst worse poor terrible horrible awful favorite favourite happy pleased disappointed satisfied enjoy
    enjoyed like recommend recommended highly definitely worth work works worked working product products item items buy
    bought buying purchase purchased purchasing star stars review reviews reviewer amazon people thank thanks
    happen different difference hard easy big small easily problem problem issue issues want help helps fine
    received getting decided read believe surprised expected expecting hoping complaint complaints opinion
    absolute fun cool cute gorgeous lovely pretty decent sad extremely nicely
    """
)
"""Words that say that people liked it or bought it; they name an aspect only where nothing better does."""


def words_of(text: str) -> set[str]:
    """Return the different words of a sentence that can carry meaning, in lower case, without possessive "'s".

    >>> sorted(words_of("The bottle's LID cracked, and it leaked."))
    ['bottle', 'cracked', 'leaked', 'lid']
    """
    found = set()
    for match in _WORD.finditer(text.lower()):
        word = match[0].replace("’", "'")
        stem, _, ending = word.partition("'")
        plain = stem if ending == "s" else word.replace("'", "")
        if len(plain) > 2 and plain not in STOP_WORDS:
            found.add(plain)
    return found


def base_forms(counts: Mapping[str, int]) -> dict[str, str]:
    """Map inflected words to a base that occurs as well: "smells", "smelling" to "smell", "dresses" to "dress".

    >>> base_forms({"smell": 5, "smells": 3, "smelling": 1, "sleeves": 2, "sleeve": 1, "bus": 1})["smelling"]
    'smell'
    """
    bases = {}
    for word in counts:
        base = next((b for b in _stems(word) if len(b) > 2 and b != word and b in counts), word)
        bases[word] = base
    # "fittings" -> "fitting" -> "fit": follow to the end; every step is shorter, or ends in y or e.
    return {word: bases.get(bases[base], bases[base]) for word, base in bases.items()}


def _stems(word: str) -> Iterable[str]:
    if word.endswith("ies"):
        yield word[:-3] + "y"
    if word.endswith("es") and word[:-2].endswith(("s", "x", "z", "ch", "sh")):
        yield word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        yield word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            yield from (stem + "e", stem, stem[:-1] if stem[-2:-1] == stem[-1:] else stem)


def count_words(sentences: Iterable[set[str]]) -> Counter[str]:
    """Count in how many sentences each word occurs."""
    counts: Counter[str] = Counter()
    for found in sentences:
        counts.update(found)
    return counts
