"""Words and phrases of reviews that may stand for one another; whether two words do, and which never may."""

import re
from functools import lru_cache

from prefer_core.rewriting.words import OPPOSITES, stem

_GROUPS = """
fabric material cloth textile
pattern print design motif
picture photo image pictured photographed
shown pictured depicted seen displayed
described advertised stated claimed
scent smell odor odour fragrance aroma
color colour shade hue tone
price cost
money > price cost
expensive pricey costly overpriced dear
cheap inexpensive affordable
big large
oversized > big large
enormous massive giant gigantic huge > big large
small smallish
tiny miniature minuscule > small
loose baggy roomy
roomy spacious
tight snug constricting
fast quick rapid speedy quickly swiftly rapidly promptly
slow sluggish slowly
hard difficult tricky
hard tough firm
easy simple effortless easily simply effortlessly
strong powerful robust
strong sturdy
sturdy solid robust stout
sturdy > durable
durable lasting
flimsy fragile weak
soft plush cushy
silky smooth
comfortable comfy cozy cosy comfort comfortably
itchy scratchy prickly itches scratches
stretchy elastic stretches
sheer transparent
pretty beautiful lovely gorgeous attractive
cute adorable
ugly hideous unattractive
stylish fashionable chic trendy
flattering flatters
good great fine nice
perfect ideal
perfect ideal flawless > good great fine nice
perfect right exact exactly perfectly
excellent superb outstanding fantastic wonderful amazing awesome incredible > great good nice
bad poor
awful terrible horrible dreadful horrid
awful terrible horrible dreadful horrid > bad poor
happy pleased glad satisfied delighted thrilled
love adore
love adore > like enjoy
hate detest loathe
hate detest loathe > dislike
disappointed disappointing disappointment
return returned returning
buy bought purchase purchased
order ordered
arrive arrived come came delivered delivery arrival shipped
late delayed
thrilled delighted ecstatic > happy pleased
broke broken break breaks snapped
crack cracked cracks split
rip ripped tore torn tear
fade faded fades
shrink shrank shrunk shrinks
stop stopped quit ceased
vanish vanished disappear disappeared gone cleared
wrinkle wrinkles crease creases creased wrinkled
slip slips slide slides slid
fall falls fell drop dropped drops
stuck jammed stick
loud noisy
quiet silent
soaked drenched sodden > wet damp
scorching boiling burning sizzling > hot warm
hot > warm
cold chilly freezing cool
bright vivid vibrant
shiny glossy
clean spotless
dirty filthy soiled
oily greasy
sticky tacky
heavy weighty bulky
light lightweight
new unused
old aged
begin began start started starts begins
finish finished complete completed end
fix fixed repair repaired mend mended
help helps helped assist
answer answered reply replied respond responded
call called phone phoned ring
use used using
wear wears wore worn
night > dark darkness
amount quantity dab
stomach belly tummy abdomen midsection
chest bust
husband spouse partner
kid child children kids toddler
daughter son > child kid
mom mother mum
dad father
dog cat > pet animal
waist hip thigh > body
hand arm face leg foot > skin body
rose lavender vanilla coconut > scent
tv television
fridge refrigerator
car vehicle
couch sofa
rug carpet
zip zipper
pants trousers
sweater jumper pullover
shirt top blouse tee
shoes boots sneakers sandals > footwear shoes
purse handbag bag
phone cellphone smartphone
shipping delivery
box package packaging
instructions directions manual
daily everyday
month months
morning afternoon > day
hundreds dozens > many
week weeks
amazing awesome incredible wonderful fantastic superb excellent outstanding
smart clever
strange odd weird
safe secure
absorb absorbs absorbed soak soaks sink sinks
assemble assembly
build construct constructed built
carry carried haul tote
connect pair connects pairs connected paired
seem seems appear appears look looks
remain remains stay stays keep keeps
rinse rinses wash washes washed
tiring exhausting
boring dull
hurt hurts ache aches
pinch pinches squeeze squeezes
allergic allergy
rash hives
suit suits
fit fits fitted
last lasts lasted
near total whole entire
bigger larger
faster quicker speedier
easier simpler
comfier cozier
prettier lovelier
louder noisier
biggest largest
whole complete
usual normal typical regular usually normally typically regularly
extra additional
problem issue trouble difficulty
complaint issue
defect flaw fault
compliment praise compliments
recommend recommends recommended suggest
gift present
inside within
hide hides conceal conceals
show shows reveal reveals
"""
"""One group a line: within it a word may stand for another. Right of ">" is what the words on the left imply."""

_PHRASES = (
    (r"without (?:any |much |a )?(?:trouble|problems?|difficulty|effort|fuss|issues?|hassle)", "easily"),
    (r"with (?:ease|room to spare)|no (?:trouble|problems?|difficulty) (?=\w+ing\b)", "easily"),
    (r"(?:a breeze|a snap|a cinch|a piece of cake|no trouble)", "easy"),
    (r"(?:put|puts|putting) (?:it |them |this )?together", "assemble"),
    (r"(?:send|sent|sending|took|take|taking|bring|brought) (?:it |them |this )?back", "returned"),
    (r"(?:turn|turns|shut|shuts|switch|switches)(?:ed)? (it |them |itself )?off", r"switches \1off"),
    (r"(?:do|does|did)(?:n't| not) do (?:anything|much|a thing)", "does nothing"),
    (r"(?:hardly|barely|scarcely) any(?:thing)?|almost (?:no|nothing)|next to nothing|not much", "little"),
    (r"(?:(?:is|are|was|were) )?impossible to (\w+)", r"cannot \1"),
    (r"(?:cannot|can't|could not|couldn't) be (\w+)", r"cannot \1"),
    (r"(?:comes?|came|turns?|turned) out (?=\w)", "is "),
    (r"for the first time|the first time|at first use|on first use", "first"),
    (r"at first|in the beginning|initially", "first"),
    (r"see[- ]through", "sheer"),
    (r"(?:runs?|ran) out|dies|died", "expires"),
    (r"pea[- ]sized?", "small"),
    (r"(?:fell|falls?|came|comes?|coming|falling|peeled|peels?) (?:off|apart|loose|undone)", "detached"),
    (r"brand[- ]new", "new"),
    (r"every (?:single )?day|each day", "daily"),
    (r"small enough for", "fits in"),
    (r"(?:fits?|slips?) (?:in|into) (?=(?:my|the|a|your|their) (?:pocket|bag|purse|hand))", "fits in "),
    (r"\bif (?:it|they|you|this)(?:'s|'re| is| are| gets?| goes?| comes?)? (?=(?:in|on|under|near|into) )", ""),
    (r"not as (\w+) as (?:i |they |we )?(?:had )?expected", r"less \1 than expected"),
    (r"than (?:i|they|we) (?:had )?(?:expected|thought)", "than expected"),
)
_CANON = tuple((re.compile(rf"\b(?:{find})" + r"(?:(?<=\s)|(?!\w))", re.IGNORECASE), put) for find, put in _PHRASES)

_ENDINGS = frozenset(["", "y", "e", "i", "er", "en", "ed", "ing", "ness", "li", "ity", "ion", "ment", "al", "ful", "able", "ible", "ish", "ier", "s", "t", "ability", "ation"])
"""What may follow the common beginning of two forms of one word; "less" turns it round and is not here."""

_COMMON = 4


def _index() -> dict[str, frozenset[str]]:
    """Return for each stem of the evidence the stems that may stand for it in a text."""
    found: dict[str, set[str]] = {}
    for line in _GROUPS.strip().splitlines():
        strong, _, weak = line.partition(">")
        stems = {stem(word) for word in strong.split()}
        for one in stems:
            found.setdefault(one, set()).update({stem(word) for word in weak.split()} if weak else stems)
    return {word: frozenset(others) for word, others in found.items()}


_MEANT = _index()


def canonical(text: str) -> str:
    """Return a text in which phrases that mean the same are written alike.

    Examples
    --------
    >>> canonical("bagels fit without any trouble"), canonical("I had to send it back.")
    ('bagels fit easily', 'I had to returned.')
    """
    for find, put in _CANON:
        text = find.sub(put, text)
    return text


@lru_cache(maxsize=20_000)
def opposed(said: str, there: str) -> bool:
    """Whether a stem of a text, or a synonym of it, is the opposite of a stem of its evidence or a synonym of that.

    Examples
    --------
    >>> opposed("slow", "rapid"), opposed("dry", "soak"), opposed("soft", "silki")
    (True, True, False)
    """
    if said == there:
        return False
    return any((a, b) in OPPOSITES for a in {said, *_MEANT.get(said, ())} for b in {there, *_MEANT.get(there, ())})


@lru_cache(maxsize=20_000)
def alike(said: str, there: str) -> bool:
    """Whether a stem of a text may stand for a stem of its evidence: a synonym, something weaker, a form of one word.

    Examples
    --------
    >>> alike("fabric", "material"), alike("zip", "zipper"), alike("use", "useless"), alike("warm", "cold")
    (True, True, False, False)
    >>> alike("good", "perfect"), alike("perfect", "good")
    (True, False)
    """
    if (said, there) in OPPOSITES:
        return False
    return said in _MEANT.get(there, frozenset()) or _related(said, there)


def _related(one: str, other: str) -> bool:
    """Whether two stems begin alike and differ by an ending: "wood" and "wooden", "bulk" and "bulki"."""
    common = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    least = 3 if min(len(one), len(other)) == 3 and len(one) != len(other) else _COMMON
    return common >= least and one[common:] in _ENDINGS and other[common:] in _ENDINGS
