"""Word lists of the checks, as words; `words.py` stems them where stems are compared."""


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
    """not no never none nor neither cannot without hardly barely dont doesnt didnt cant wont isnt wasnt arent werent
    wouldnt couldnt shouldnt havent hasnt hadnt lack lacks lacked lacking"""
)

UNREAL = words_of(
    """wish wishes wished if would could should might hope hopes hoped hoping thought expected expecting expect
    supposed
    unless until almost nearly instead maybe perhaps worried afraid id prefer prefers want wants wanted wanting"""
)
"""Words that take what follows out of the world of facts."""

CONTRAST = words_of("but although though however except yet while whereas unlike despite than")

QUANTITY = words_of(
    """many most all everyone everybody nobody several few always every none majority lots plenty others same
    only more less enough again already still another other must should say says said"""
)
"""Words that say how many or how often; only the evidence may bring them into a clause."""

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
    they're they've they'd they'll he's she's who's"""
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
    lighten darken fray unravel detangle soak spray sink float"""
)
"""Verbs that reviews are made of; a clause needs a verb."""

PLURAL = words_of("they you people who these those we kids women men others both")
"""Subjects that take a verb without an s."""

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
    ("pleasant", "unpleasant"), ("always", "never"), ("perfect", "imperfect"), ("reliable", "unreliable"),
)  # fmt: skip
