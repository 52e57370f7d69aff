"""The paper's other model, google/flan-t5-large, through transformers in a process of its own."""

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from prefer_core.rewriting.child_main import cores, run
from prefer_core.rewriting.worker import ModelProcess

SELF_TEST = "Summarize: the museum by the river opens at nine, and the café beside it serves soup until late."


class T5Process(ModelProcess):
    """A `Backend` that talks with this file, run as ``python -m prefer_core.rewriting.t5 FOLDER``."""

    package = "transformers"
    install = "pip install transformers==5.24.0 torch==2.13.0"

    def command(self) -> list[str]:
        """Return the child's command line."""
        return [sys.executable, "-m", "prefer_core.rewriting.t5", str(self._path)]


class Engine:
    """An encoder-decoder model of a folder: it reads prefix and prompt as one text and has no cache to reuse."""

    def __init__(self, folder: str, threads: int) -> None:
        import torch
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        torch.set_num_threads(threads)
        self._torch = torch
        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self._model: Any = AutoModelForSeq2SeqLM.from_pretrained(folder, local_files_only=True).eval()
        self._most = int(getattr(self._model.config, "n_positions", 512))
        self.counts: dict[str, int] = {}

    def pieces(
        self, prefix: str, prompt: str, max_tokens: int, stop: list[str], temperature: float, seed: int
    ) -> Iterator[str]:
        """Yield the whole text, cut at the first of the strings in `stop`."""
        read = self._tokenizer(prefix + prompt, return_tensors="pt")
        length = int(read["input_ids"].shape[1])
        if length > self._most:
            raise ValueError(f"The prompt has {length} tokens; {self._most} fit.")
        self._torch.manual_seed(seed)
        chosen: dict[str, Any] = (
            {"do_sample": True, "temperature": temperature} if temperature > 0 else {"do_sample": False}
        )
        with self._torch.inference_mode():
            written = self._model.generate(**read, max_new_tokens=max_tokens, no_repeat_ngram_size=4, **chosen)[0]
        self.counts = {"read": length, "written": int(written.shape[0])}
        text = str(self._tokenizer.decode(written, skip_special_tokens=True))
        for mark in stop:
            text = text.split(mark, 1)[0]
        yield text


def main() -> None:
    """Load the model, test it, and serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    arguments = parser.parse_args()
    run(lambda: Engine(arguments.folder, cores()), SELF_TEST)


if __name__ == "__main__":
    main()
