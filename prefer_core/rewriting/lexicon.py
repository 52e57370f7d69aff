"""Word lists of the checks, as words; `words.py` stems them where stems are compared."""

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parents[2] / "assets" / "checker"


@cache
def lines_of(name: str) -> list[str]:
    """Return the lines of a list in ``assets/checker``, without its remarks."""
    text = (_FOLDER / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def words_of(text: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(text.split())


STOP = words_of(
    """a an the this that these those it its he him his she her hers they them their theirs themselves itself himself
    herself i me my mine myself we us our ours ourselves you your yours yourself one ones someone anyone everyone
    somebody anybody who whom whose which what where when why how there here and or but nor so yet if as at by for
    from
    in into of off on onto out over to up upon with within about above across after again against along among around
    because before behind below between both during each either else ever every few further had has have having do
    does
    did doing done be am is are was were been being can could may might must shall should will would also any all more
    most much many some such than then though although through too under until very while whether just even only own
    same other another still already rather quite really get gets got getting let lets put s t d m re ve ll am im ive
    reviewer reviewers review reviews people person customer customers user users buyer buyers wearer wearers say says
    said saying tell tells told report reports mention mentions note notes noted find finds found think thinks feel
    feels felt product products item items thing things something everything anything way lot lots bit kind sort
    however therefore overall especially well de like write writes wrote im id ill isn aren wasn
    weren don doesn didn won hasn haven hadn couldn wouldn shouldn ain neither without not no never none
    cannot dont doesnt didnt cant wont isnt wasnt
    arent werent wouldnt couldnt shouldnt havent hasnt hadnt hardly barely"""
)

NEGATORS = words_of(
    """not no never nothing nobody none nor neither cannot without hardly barely dont doesnt didnt cant wont isnt wasnt
    arent werent
    wouldnt couldnt shouldnt havent hasnt hadnt lack lacks lacked lacking"""
)

UNREAL = words_of(
    """wish wishes wished if would could should might hope hopes hoped hoping thought expected expecting expect
    supposed
    unless until almost nearly instead maybe perhaps worried afraid doubt doubts doubted doubtful
    id prefer prefers want wants wanted wanting"""
)
"""Words that take what follows out of the world of facts."""

CONTRAST = words_of("but although though however except yet while whereas unlike despite than")

QUANTITY = words_of(
    """many most all everyone everybody nobody several few always every none majority lots plenty others same
    only more less enough again already another other must should say says said"""
)
"""Words that say how many or how often; only the evidence may bring them into a clause."""

SAME_QUANTITY = tuple(
    map(
        words_of,
        (
            "all every each everyone everybody everything whole entire",
            "none nobody no nothing zero",
            "always constantly forever every",
            "another other",
            "lot lots many plenty",
            "only just",
            "enough plenty sufficient",
        ),
    )
)
"""Words one of which in the evidence lets another of them stand in a text."""

NUMBERS = words_of(
    """zero one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty hundred
    hundreds thousand dozen half third quarter once twice double triple second"""
)
"""Words that count; as with digits, only the evidence may bring them in."""

EXACT = words_of(
    """seconds minute minutes hour hours day days night nights week weeks weekend month months year years season morning
    evening noon summer winter spring fall autumn monday tuesday wednesday thursday friday saturday sunday
    inch inches foot feet yard mile cm mm meter metre litre liter ml ounce oz pound lb lbs gram kilo kg percent dollar
    small medium large petite xs xl xxl mini midi maxi
    red blue green yellow orange purple pink black white grey gray brown beige navy ivory cream gold silver teal coral
    mother father mom dad son daughter brother sister wife husband aunt uncle cousin niece nephew friend grandson
    granddaughter grandmother grandfather baby toddler teenager
    cotton wool silk linen polyester nylon leather suede denim rayon velvet lace cashmere fleece plastic metal wood
    steel glass rubber ceramic
    arm arms leg legs hip hips waist bust chest shoulder shoulders neck back thigh thighs knee knees ankle wrist hand
    hands finger toe toes head hair face eye eyes ear ears nose skin scalp elbow
    sleeve sleeves hem collar neckline pocket pockets button buttons zipper strap straps lining cuff hood belt seam
    shirt dress skirt pants jeans sweater jacket coat blouse top tunic shoe shoes boots hat scarf sock socks"""
)
"""Words one of which never stands for another: a guess by meaning takes hours for days and a sleeve for a hem."""

FILLERS = words_of("just really so very super totally absolutely truly definitely simply actually honestly quite")
"""Words that a shorter form may leave out: what is left claims less."""

FIRST_PERSON = words_of(
    """i me my mine myself we us our ours ourselves im ive i'm i've i'd i'll we're we've we'd we'll"""
)

SECOND_PERSON = words_of("""you your yours yourself u ur you're you've you'd you'll""")

INTENSE = words_of(
    """very really so super extremely incredibly totally absolutely highly truly insanely amazingly definitely too
    quite completely perfectly"""
)
"""Words that strengthen; a text may use one only where its evidence does."""

FINITE = words_of(
    """is are was were has have had does do did can could will would should might must may cannot isn't aren't wasn't
    weren't hasn't haven't hadn't doesn't don't didn't can't couldn't won't wouldn't shouldn't it's that's there's
    they're they've they'd they'll he's she's who's you're you've you'd you'll it'll it'd"""
)

VERBS = words_of(
    """fit run look feel smell last work come make keep hold stay go need show hang stretch shrink wash dry leave
    break
    crack tear fall ride sit hit cover hide wear love like hate enjoy want wish hope think recommend buy return arrive
    appear seem stick give take taste cost rinse clean peel fade bleed itch scratch bunch wrinkle pill pull drape flow
    flatter add get let help cause burn turn play sound charge connect start stop download read load drain use try
    prefer order receive expect include contain require stand match suit rub slip slide clog leak lather provide
    deserve compare accentuate complement move adore say mean tend draw reveal appreciate regret size ship change run
    know remind dress skim cling gap sag ride bounce exfoliate moisturize soften foam melt store save open close
    purchase own live miss notice walk travel pair style layer create lay lie
    rip strip sting hum weigh pack snap block set snag boil dent drip bend stain rust squeak wobble rattle click pop
    burst spill lock fold flip spin roll press squeeze pour absorb resist survive replace repair fix support warn shed
    split loosen tighten scrub sweat swell twist tangle tip vibrate buzz beep glow flicker dim heat cool
    freeze thaw carry lift mount attach detach fasten clip zip chafe pinch dissolve evaporate harden thicken
    lighten darken fray unravel detangle soak spray sink float crease yellow vanish disappear expire detach remain
    behave perform function operate assemble shine sparkle glide stand begin finish end bring catch hurt cut put shut
    spread sell spend write build bend dig feed lead light meet rise speak sweep swing throw wake drive eat fly shake
    cost equal measure offer produce reach resemble respond reply answer serve smudge smear tarnish age blend shed
    arrange adjust protect prevent allow enhance improve dissolve expand collapse emphasize highlight hug skim swallow
    overwhelm drown dip nip sleep learn smoke figure snore chew glue iron press heat stain ruin damage destroy
    disintegrate unravel dangle hover poke rustle stream lose drop drink jam cook bake brew grind chop slice mix blend
    pack store ship mail wait call ask tell hear watch feed groom brush comb dye paint draw cover uncover wrap unwrap
    bleed swallow breathe crawl climb jump run race train teach study count weigh rent borrow lend owe pay charge bill
    warp crumble curl flake chip dent blister bubble drag lag freeze crash reset reboot pause skip scroll swipe tap type
    vary differ depend matter belong exist occur happen end cease survive thrive improve worsen decline increase
    decrease rise shift tilt lean rest balance stack nest overlap align bind tie lace knot stitch sew knit weave crop
    praise creep admire trust mislead irritate annoy bother frustrate surprise disappoint impress please satisfy
    confuse blur distort hiss whine buckle sink drift shred chip scrape swallow trap track record display swivel click
    recharge sync pinpoint respond ignore fail refuse struggle manage cope tolerate tire drain numb soothe calm relieve
    ease aggravate worsen inflame redden crust peel flatten fluff swirl splash leach stink reek scent perfume polish
    dampen moisten wet sop mop wipe dust sweep rake shovel cram stash hang suspend hook unhook latch unlatch seat fold
    unfold recline swing swerve skid grip grab clamp clutch loosen unscrew screw bolt drill sand saw hammer glue weld
    taper widen narrow lengthen shorten thin trim hem alter tailor resize accommodate house contain protrude stick
    outlast outgrow outperform beat win exceed surpass rival mimic imitate copy pretend claim promise advertise
    illustrate explain guide instruct teach warn alert notify remind forget recall remember recognize identify detect
    sense register transfer upload install update upgrade erase delete format corrupt crash buffer stutter skip
    button unbutton tuck roll cuff cinch gather gape ride billow balloon poof puff swamp overpower dominate complete
    finish polish coat seal line pad stuff fill empty top blow dislike
    clear brown clump lengthen thicken beep weigh tell find upset escape hunt spit"""
)
"""Verbs that reviews are made of; a clause needs a verb."""

PLURAL = words_of("they you people who these those we kids women men others both")
"""Subjects that take a verb without an s."""

TELLING = words_of(
    """love loved like liked hate hated ordered bought got wore tried returned wish wished needed need wanted want
    received"""
)
"""Verbs that open a note whose "I" is left out."""

VAGUE = words_of(
    """good great nice love like bad ok okay amazing awesome perfect excellent best better beautiful lovely recommend
    happy glad pleased wonderful fantastic favorite purchase buy order want try give know"""
)
"""Words that alone tell a reader nothing about a product."""

OPPOSITES: tuple[tuple[str, str], ...] = (
    ("good", "bad"), ("great", "terrible"), ("love", "hate"), ("soft", "rough"), ("soft", "scratchy"),
    ("soft", "stiff"),
    ("big", "small"), ("large", "small"), ("long", "short"), ("loose", "tight"), ("thick", "thin"), ("heavy",
    "light"),
    ("cheap", "expensive"), ("easy", "hard"), ("easy", "difficult"), ("fast", "slow"), ("loud", "quiet"),
    ("bright", "dark"), ("wet", "dry"), ("hot", "cold"), ("warm", "cold"), ("strong", "weak"), ("high", "low"),
    ("comfortable", "uncomfortable"), ("flattering", "unflattering"), ("happy", "unhappy"), ("happy", "disappointed"),
    ("more", "less"), ("best", "worst"), ("better", "worse"), ("sturdy", "flimsy"), ("clean", "dirty"),
    ("smooth", "rough"), ("wide", "narrow"), ("early", "late"), ("new", "old"), ("right", "wrong"), ("up", "down"),
    ("tall", "short"), ("full", "empty"), ("open", "closed"), ("front", "back"), ("top", "bottom"), ("left", "right"),
    ("first", "last"), ("before", "after"), ("begin", "end"), ("start", "stop"), ("rise", "fall"), ("win", "lose"),
    ("buy", "return"), ("keep", "return"), ("work", "fail"), ("work", "break"), ("shrink", "stretch"), ("gain", "lose"),
    ("tighten", "loosen"), ("flexible", "stiff"), ("stretchy", "stiff"), ("sharp", "dull"), ("sharp", "blurry"),
    ("clear", "blurry"), ("bright", "dull"), ("vivid", "faded"), ("rich", "faded"), ("fresh", "stale"),
    ("sweet", "bitter"), ("safe", "dangerous"), ("simple", "complicated"), ("clear", "confusing"), ("deep", "shallow"),
    ("casual", "dressy"), ("casual", "formal"), ("modest", "revealing"), ("slim", "bulky"), ("thick", "sheer"),
    ("sheer", "opaque"), ("fitted", "boxy"), ("fitted", "loose"), ("plain", "fancy"), ("pretty", "ugly"),
    ("beautiful", "ugly"), ("nice", "awful"), ("great", "bad"), ("great", "awful"), ("like", "dislike"),
    ("love", "dislike"), ("enjoy", "hate"), ("praise", "complain"), ("careful", "careless"), ("useful", "useless"),
    ("helpful", "useless"), ("strong", "fragile"), ("sturdy", "fragile"), ("solid", "hollow"), ("even", "uneven"),
    ("even", "patchy"), ("steady", "shaky"), ("stable", "wobbly"), ("secure", "loose"), ("firm", "soft"),
    ("firm", "saggy"), ("moist", "dry"), ("oily", "dry"), ("greasy", "dry"), ("same", "different"),
    ("frequent", "rare"), ("often", "rarely"), ("increase", "decrease"), ("lighten", "darken"), ("pale", "dark"),
    ("light", "dark"), ("polite", "rude"), ("friendly", "rude"), ("accurate", "wrong"), ("genuine", "fake"),
    ("real", "fake"), ("male", "female"), ("indoor", "outdoor"), ("inside", "outside"), ("near", "far"),
    ("smooth", "bumpy"), ("soft", "harsh"),
    ("pleasant", "unpleasant"), ("always", "never"), ("perfect", "imperfect"), ("reliable", "unreliable"),
)  # fmt: skip
