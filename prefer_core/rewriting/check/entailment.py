"""The check by entailment: a cross-encoder from the hub reads evidence and text, in a process of its own.

Run as ``python -m prefer_core.rewriting.check.entailment FOLDER`` it is that process: torch is never loaded beside a
page, and its death costs one verdict.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prefer_core.config import WritingSettings, home
from prefer_core.errors import BackendError
from prefer_core.rewriting.check.rules import ScoredCheck
from prefer_core.rewriting.models import in_hub_cache
from prefer_core.rewriting.worker import ModelProcess, cores, serve


@dataclass(frozen=True)
class Candidate:
    """A model that may judge: where it is on the hub, its terms, about how large it is."""

    repository: str
    licence: str
    size_mib: int


CANDIDATES = (
    Candidate("cross-encoder/nli-deberta-v3-small", "Apache 2.0", 541),
    Candidate("cross-encoder/nli-deberta-v3-base", "Apache 2.0", 704),
    Candidate("MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli", "MIT", 352),
    Candidate("MoritzLaurer/deberta-v3-large-zeroshot-v2.0", "MIT", 830),
    Candidate("vectara/hallucination_evaluation_model", "Apache 2.0", 420),
    Candidate("KRLabsOrg/tinylettuce-ettin-68m-en", "MIT", 263),
)
"""Cross-encoders as last seen on the hub in November 2026; those that are in its cache are measured."""

_ENTAILS = ("entail", "consistent", "supported")


def folder_of(one: Candidate) -> Path | None:
    """Return where a candidate lies: in PREFER_HOME/models or in the hub's cache; None if it is not here."""
    own = home() / "models" / one.repository.replace("/", "--")
    if (own / "config.json").is_file():
        return own
    found = in_hub_cache(one.repository, "config.json")
    return None if found is None else found.parent


class JudgeProcess(ModelProcess):
    """The child that reads evidence and claims."""

    package = "sentence-transformers"
    install = "pip install sentence-transformers==6.2.0 torch==2.13.0"
    module = "prefer_core.rewriting.check.entailment"


class EntailmentCheck(ScoredCheck):
    """Accepts what a cross-encoder takes to follow from one of the sources, or from all of them together."""

    refusal = "It does not follow from its sources"

    def __init__(self, one: Candidate, threshold: float) -> None:
        super().__init__(one.repository, threshold)
        folder = folder_of(one)
        if folder is None:
            raise BackendError(f"{one.repository} is not here; fetch it with: hf download {one.repository}")
        self._process = JudgeProcess(folder, WritingSettings.in_force(), self.name, home() / "logs" / "entailment.log")

    def score(self, text: str, sources: Sequence[str]) -> float:
        """Return the highest probability with which the text follows."""
        for answer in self._process.ask({"pairs": [[source, text] for source in (*sources, " ".join(sources))]}):
            if "scores" in answer:
                return max(float(score) for score in answer["scores"])
        raise BackendError(f"{self.name} gave no verdict.")

    def close(self) -> None:
        """End the process."""
        self._process.close()


class Engine:
    """The loaded cross-encoder: one logit, or one for each relation, of which it knows the name of entailment."""

    def __init__(self, folder: str) -> None:
        import torch
        from sentence_transformers import CrossEncoder

        torch.set_num_threads(cores())
        self._torch = torch
        self._model: Any = CrossEncoder(folder, local_files_only=True, max_length=256)
        names = {int(k): str(v).lower() for k, v in dict(self._model.config.id2label).items()}
        self._column = next(
            (k for k, name in sorted(names.items()) if name.startswith(_ENTAILS) and "not" not in name), None
        )
        if self._column is None and len(names) > 1:
            raise ValueError(f"its labels {sorted(names.values())} name no entailment")

    def answers(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the scores of the request's pairs."""
        pairs = [tuple(pair) for pair in request.get("pairs", ())]
        if not pairs:
            return
        logits = self._torch.as_tensor(self._model.predict(pairs, activation_fn=self._torch.nn.Identity()))
        if logits.ndim == 1 or logits.shape[1] == 1:
            scores = self._torch.sigmoid(logits.reshape(-1))
        else:
            scores = self._torch.softmax(logits, dim=1)[:, self._column]
        yield {"scores": [float(score) for score in scores]}


if __name__ == "__main__":
    serve(Engine, {"pairs": [["The lid leaks.", "the lid leaks"]]})
