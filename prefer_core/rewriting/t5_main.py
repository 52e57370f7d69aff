"""The child process that holds google/flan-t5-large: ``python -m prefer_core.rewriting.t5_main FOLDER``."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from prefer_core.rewriting.base import Request
from prefer_core.rewriting.worker import cores, serve

SELF_TEST = Request("", "Summarize: the museum by the river opens at nine.", max_tokens=1)


class Engine:
    """An encoder-decoder model of a folder: it reads prefix and prompt as one text and has no cache to reuse."""

    def __init__(self, folder: str) -> None:
        import torch
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        torch.set_num_threads(cores())
        self._torch = torch
        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self._model: Any = AutoModelForSeq2SeqLM.from_pretrained(folder, local_files_only=True).eval()
        self._most = int(getattr(self._model.config, "n_positions", 512))

    def answers(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the whole text, cut at the first of the strings in ``stop``, or the probabilities of its first word."""
        read = self._tokenizer(f"{request['prefix']}{request['prompt']}", return_tensors="pt")
        length = int(read["input_ids"].shape[1])
        if length > self._most:
            raise ValueError(f"The prompt has {length} tokens; {self._most} fit.")
        self._torch.manual_seed(request["seed"])
        choices, temperature = request["choices"], request["temperature"]
        sampling: dict[str, Any] = {"do_sample": True, "temperature": temperature} if temperature > 0 else {}
        with self._torch.inference_mode():
            made = self._model.generate(
                **read,
                max_new_tokens=1 if choices else request["max_tokens"],
                no_repeat_ngram_size=4,
                return_dict_in_generate=True,
                output_logits=bool(choices),
                **({"do_sample": False} | sampling),
            )
        if choices:
            mass = self._torch.softmax(made.logits[0][0], dim=0)
            firsts = [self._tokenizer(word, add_special_tokens=False)["input_ids"][0] for word in choices]
            yield {"piece": json.dumps([float(mass[token]) for token in firsts])}
            return
        text = str(self._tokenizer.decode(made.sequences[0], skip_special_tokens=True))
        for mark in request["stop"]:
            text = text.split(mark, 1)[0]
        yield {"piece": text}


if __name__ == "__main__":
    serve(Engine, asdict(SELF_TEST))
