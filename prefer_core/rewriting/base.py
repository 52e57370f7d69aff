"""Values and protocols of rewriting: evidence in, summary out, and the one narrow door to a model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from prefer_core.config import SupportSettings
from prefer_core.rewriting.support import BinName, quantifier

Source = Literal["model", "template"]


@dataclass(frozen=True)
class Group:
    """Evidence of one statement: sentences of one bin that have the same dominant aspect and polarity.

    Attributes
    ----------
    bin : {"high", "mid", "low"}
        Support level within S_t; gives the order.
    aspect : int
        Dominant aspect k.
    members : tuple of int
        Positions in S_t, in order of extraction.
    reviewers, total : int
        N distinct reviewers of the product who say what a member says, and M reviewers of the product.
    kept : tuple of int
        Members sent to the model; the others nearly repeat one of them.
    about : int
        Distinct reviewers of the product who write about the aspect at all.
    """

    bin: BinName
    aspect: int
    members: tuple[int, ...]
    reviewers: int
    total: int
    kept: tuple[int, ...] = ()
    about: int = 0

    @property
    def sent(self) -> tuple[int, ...]:
        """Positions in S_t that the model reads."""
        return self.kept or self.members


@dataclass(frozen=True)
class Evidence:
    """S_t, ready to be written up; it holds nothing about the reader.

    Attributes
    ----------
    product_id, product_title : str
        Whose reviews these are.
    text : tuple of k str
        The sentences in order of extraction.
    groups : tuple of Group
        One statement each, in the order of the summary: high, mid, low.
    labels : tuple of K str
        Names of the aspects; may be empty.
    backers : tuple of k frozenset of int
        Codes of the product's reviewers who say what each sentence says; may be empty.
    support : SupportSettings
        Limits of the words.
    reviewer : tuple of k int
        Code of the reviewer of each sentence; may be empty, then every sentence is one reviewer's.
    """

    product_id: str
    product_title: str
    text: tuple[str, ...]
    groups: tuple[Group, ...]
    labels: tuple[str, ...] = ()
    backers: tuple[frozenset[int], ...] = ()
    support: SupportSettings = field(default_factory=SupportSettings)
    reviewer: tuple[int, ...] = ()

    def label(self, group: Group) -> str:
        """Return the name of the group's aspect, or an empty string."""
        return self.labels[group.aspect] if 0 <= group.aspect < len(self.labels) else ""

    def reviewers(self, group: Group, cites: Sequence[int]) -> int:
        """Return N for the cited sentences of a group: distinct reviewers who say what one of them says."""
        if not self.backers:
            return group.reviewers
        return len(frozenset().union(*(self.backers[i] for i in cites)))

    def word(self, group: Group, cites: Sequence[int]) -> str:
        """Return the quantifier that the cited sentences have earned."""
        return quantifier(self.reviewers(group, cites), group.total, self.support)


@dataclass(frozen=True)
class Statement:
    """One sentence of a summary with its citations.

    Attributes
    ----------
    text : str
        The full sentence as shown.
    word : str
        Its quantifier, "Many reviewers" to "One reviewer".
    group : int
        Which of the evidence's groups it reports.
    cites : tuple of int
        0-based positions in S_t.
    source : {"model", "template"}
        Who wrote it.
    reviewers, total : int
        N and M behind `word`.
    """

    text: str
    word: str
    group: int
    cites: tuple[int, ...]
    source: Source
    reviewers: int = 0
    total: int = 0


@dataclass(frozen=True)
class Summary:
    """A summary as shown and as stored.

    Attributes
    ----------
    statements : tuple of Statement
        High support first.
    paragraph : str
        The polished text y_t.
    paragraph_source : {"model", "template"}
        Who wrote the paragraph.
    writer : str
        Display name of who wrote; the statements tell where it was mixed.
    stages : dict of str to str
        Text of each stage of the paper as it passed its checks: one per bin ("high", "mid", "low"), then "stitch" and
        "final"; and, where a model took a whole stage, under "raw high" and so on what it wrote, unchecked.
    paragraph_cites : tuple of tuple of int
        For each sentence of the paragraph, the positions in S_t it rests on.
    """

    statements: tuple[Statement, ...]
    paragraph: str
    paragraph_source: Source
    writer: str
    stages: dict[str, str] = field(default_factory=dict)
    paragraph_cites: tuple[tuple[int, ...], ...] = ()

    @property
    def model_share(self) -> float:
        """Share of statements that the model wrote."""
        return sum(s.source == "model" for s in self.statements) / max(1, len(self.statements))

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Summary":
        """Make a summary from plain JSON values; wrong ones raise KeyError, TypeError or ValueError."""
        statements = tuple(
            Statement(**{**one, "cites": tuple(int(i) for i in one["cites"])}) for one in values["statements"]
        )
        cites = tuple(tuple(int(i) for i in part) for part in values.get("paragraph_cites", ()))
        return cls(
            statements=statements,
            paragraph=str(values["paragraph"]),
            paragraph_source="model" if values["paragraph_source"] == "model" else "template",
            writer=str(values["writer"]),
            stages={str(k): str(v) for k, v in dict(values.get("stages", {})).items()},
            paragraph_cites=cites,
        )


class Backend(Protocol):
    """A language model behind one narrow method of plain strings."""

    name: str

    def complete(
        self, prefix: str, prompt: str, *, max_tokens: int, stop: Sequence[str], temperature: float, seed: int
    ) -> str:
        """Return the continuation of `prefix` + `prompt`; BackendError says in words why there is none.

        `prefix` is the fixed part: a backend may keep it evaluated between calls, but the text must not depend on
        earlier calls.
        """
        ...

    def close(self) -> None:
        """Give back whatever the backend holds; calling twice is fine."""
        ...


@runtime_checkable
class Streaming(Protocol):
    """A backend that also gives its text piece by piece."""

    def stream(
        self, prefix: str, prompt: str, *, max_tokens: int, stop: Sequence[str], temperature: float, seed: int
    ) -> Iterator[str]:
        """Yield the pieces of what `complete` returns as they are written; the same errors."""
        ...
