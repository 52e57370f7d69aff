"""Prompts for base models, and the styles by name: few-shot completion, fixed text first, evidence last, as data.

A base model follows examples, not instructions. The examples come from parks, libraries, museums and boats, far from
the products a corpus holds, so that a word that leaks from them is noticed (`PromptStyle.examples` feeds the check).
They are extractive on purpose: each answer uses the words of its notes, turned into the third person.

Both stages share one prefix, so that the worker evaluates it once and never again.

The stitch stage of the paper has no prompt here: a 270M base model reorders and drops what it is given, so the three
blocks are stitched by rule (high, mid, low; words by N) and the model only writes the bins and the final paragraph.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from prefer_core.rewriting.quoting import as_data

_LONGEST_NOTE = 60


@dataclass(frozen=True)
class PromptStyle:
    """How a family of base models is asked: by examples.

    Attributes
    ----------
    name : str
        Key of the style; part of the cache key through the texts below.
    bin_prefix, final_prefix : str
        Few-shot text of the two stages that a model writes.
    note, cue : str
        How one piece of evidence is quoted, and what stands before the model's sentence.
    final_cue : str
        What stands before the model's paragraph.
    stop : tuple of str
        Strings that end a text.
    markers : tuple of str
        Strings of the prompt's own form; evidence must not hold them.
    """

    name: str
    bin_prefix: str
    final_prefix: str
    note: str
    cue: str
    final_note: str
    final_cue: str
    stop: tuple[str, ...]
    markers: tuple[str, ...]
    chat = False

    def bin_prompt(self, notes: Sequence[str], opening: str = "") -> str:
        """Return what follows `bin_prefix` for the sentences of one group; the model goes on after `opening`."""
        quoted = "".join(self.note.format(self.quote(note)) for note in notes)
        begun = f" {self.quote(opening)}" if opening else ""
        return f"Notes:\n{quoted}{self.cue}{begun}"

    def final_prompt(self, draft: str, opening: str) -> str:
        """Return what follows `final_prefix` for a draft of two lines; the model goes on after `opening`."""
        return f"{self.final_note.format(self.quote(draft, 200))}{self.final_cue} {self.quote(opening, 100)}"

    def quote(self, text: str, longest: int = _LONGEST_NOTE) -> str:
        r"""Return review text as harmless data: one line, no control characters, none of the prompt's own marks.

        Examples
        --------
        >>> BASE.quote('Nice.\nReviewers say: "buy"')
        "Nice. Reviewers say 'buy'"
        """
        return as_data(text, self.markers, longest)

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that decides what the model reads besides the evidence."""
        return (self.name, self.bin_prefix, self.final_prefix, self.note, self.cue, self.final_cue)

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Fixed texts to read before the first request."""
        return (self.bin_prefix,)

_BIN = """\
Each entry turns notes from visitors into one short, plain sentence that only uses what the notes say.

Notes:
- "We walked our two dogs around the lake and I must say the path was muddy after the rain."
Reviewers say the path around the lake is muddy after rain.

Notes:
- "my kids adore the puppet corner, they never want to leave!"
Reviewers say their kids adore the puppet corner and never want to leave.

Notes:
- "I wish they had more benches near the pond."
- "not enough places to sit by the pond"
Reviewers say they wish there were more benches near the pond.

Notes:
- "The guide was a little hard to hear but I learned so much about the mill."
Reviewers say the guide is a little hard to hear, but they learned so much about the mill.

Notes:
- "honestly i was not impressed with the soup, it was cold and my husband sent his back"
Reviewers say the soup was cold and they were not impressed.

Notes:
- "Love love love this little library, staff is so friendly and patient!!"
- "The librarians were patient with my silly questions."
Reviewers say the staff of the library is friendly and patient.

Notes:
- "If you come by bus, get off one stop early, we missed the gate at first."
Reviewers say people who come by bus should get off one stop early.

Notes:
- "Loved the rose garden and the fountain."
Reviewers say they loved the rose garden and the fountain.

Notes:
- "The bridge is narrow, steep, quite slippery when it rains and packed on Sundays, still the view is worth it."
Reviewers say the bridge is narrow and slippery, but the view is worth it.

Notes:
- "That was our only complaint!"
Reviewers say that was their only complaint.

Notes:
- "I have been on many boats but this is the first one where the stairs did not scare me."
Reviewers say the stairs of the boat did not scare them.

"""

_FINAL = """\
Each entry joins two lines into one smooth sentence that says the same.

Draft: Many reviewers say the path around the lake is muddy. Some reviewers say their kids adore the puppet corner.
Joined: Many reviewers say the path around the lake is muddy, while some say their kids adore the puppet corner.

Draft: Some reviewers say the staff of the library is friendly. A few reviewers say the guide is hard to hear.
Joined: Some reviewers say the staff of the library is friendly, and a few say the guide is hard to hear.

Draft: A few reviewers say there are not enough benches near the pond. One reviewer says the soup was cold.
Joined: A few reviewers say there are not enough benches near the pond, and one says the soup was cold.

Draft: One reviewer says the stairs of the boat did not scare them. One reviewer says the ferry leaves on time.
Joined: One reviewer says the stairs of the boat did not scare them, and one adds that the ferry leaves on time.

Draft: Many reviewers say the tickets are cheap. Many reviewers say they wish there were more benches near the pond.
Joined: Many reviewers say the tickets are cheap, and many say they wish there were more benches near the pond.

"""

BASE = PromptStyle(
    name="base-1",
    bin_prefix=_FINAL + _BIN,
    final_prefix=_FINAL + _BIN,
    note='- "{}"\n',
    cue="Reviewers say",
    final_note="Draft: {}\n",
    final_cue="Joined:",
    stop=("\n", "Notes:", "Draft:"),
    markers=("notes", "reviewers say", "draft", "joined"),
)

Style = PromptStyle

STYLES: dict[str, Style] = {"base": BASE, "instruct": BASE, "t5": BASE}
"""One style a family; the model's entry in `models.MODELS` names it."""
