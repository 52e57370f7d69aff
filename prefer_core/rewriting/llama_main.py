"""The child process that holds llama.cpp: ``python -m prefer_core.rewriting.llama_main MODEL``."""

import ctypes
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from functools import cached_property
from typing import Any

from prefer_core.rewriting.base import Request
from prefer_core.rewriting.worker import cores, serve

SELF_TEST = Request(
    "",
    "The museum by the river opens at nine, and the café beside it serves soup until late in the afternoon.",
    max_tokens=1,
)
"""More than fourteen tokens: on some processors a faulty build dies at the first batch of that size."""

_PREFIXES = 4
"""States kept; one of 200 tokens takes 4 MiB with the 270M and about 30 with the 4B."""

_MARK = "prefer-evidence-stands-here"
_ERROR = 4


class Engine:
    """One model, evaluated so that a text never depends on the calls before it.

    A fixed prefix is evaluated alone, once; before each call the KV cache is cut back to the prefix's length. A
    plain prefix match would also keep whatever the last prompt happened to share, and other batch sizes give other
    last bits. The stages of a text have a prefix each: their states are kept beside the cache and put back when a
    stage comes again, bit for bit (the library's own saved states hold the logits too, a MiB a token).

    In a conversation the file's own chat template, told not to think, gives what stands before and after the user's
    turn. Only that and the fixed prefix may hold control tokens: evidence is tokenised as plain text, whatever it
    looks like.
    """

    def __init__(self, path: str, context: str) -> None:
        import llama_cpp

        self._library: Any = llama_cpp
        self._errors: list[str] = []
        self._hear = llama_cpp.llama_log_callback(self._heard)
        llama_cpp.llama_log_set(self._hear, ctypes.c_void_p(0))
        try:
            self._llama: Any = llama_cpp.Llama(
                path,
                n_ctx=int(context),
                n_threads=cores(),
                n_threads_batch=cores(),
                verbose=False,
                logits_all=False,
                swa_full=True,  # a sliding-window cache could not be cut back to the prefix
            )
        except ValueError as error:
            print("\n".join(self._errors), file=sys.stderr, flush=True)  # noqa: T201  # the file of the log
            raise ValueError(self._errors[0] if self._errors else str(error)) from error
        self._prefix: tuple[bool, str] | None = None
        self._tokens: list[int] = []
        self._kept: dict[tuple[bool, str], tuple[list[int], Any]] = {}

    def _heard(self, level: int, text: bytes, _: Any) -> None:
        """Keep what went wrong: the library silences itself while it loads, and its exception says nothing."""
        if level == _ERROR and text.strip():
            self._errors.append(text.decode("utf-8", "replace").strip().rpartition("error loading model: ")[2])

    def answers(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the text as it is written, or the probabilities of its first word."""
        chat, longest = request["chat"], request["max_tokens"]
        if (chat, request["prefix"]) != self._prefix:
            self._take((chat, request["prefix"]))
        self._llama.n_tokens = len(self._tokens)
        tokens = self._read(request["prompt"]) + (self._read(self._turns[1], special=True) if chat else [])
        room = self._llama.n_ctx() - len(self._tokens) - len(tokens)
        if room < longest:
            raise ValueError(f"The prompt has {len(tokens)} tokens; {max(0, room + len(tokens) - longest)} fit.")
        if request["choices"]:
            yield {"piece": json.dumps(self._first(tokens, request["choices"]))}
            return
        for part in self._llama.create_completion(
            self._tokens + tokens,
            max_tokens=longest,
            stop=list(request["stop"]),
            temperature=request["temperature"],
            seed=request["seed"],
            stream=True,
        ):
            yield {"piece": str(part["choices"][0]["text"])}

    def _first(self, tokens: list[int], choices: tuple[str, ...]) -> list[float]:
        """Return the probability that the text begins with each word, with or without a space or a capital."""
        import numpy as np

        self._llama.eval(tokens)
        logits = self._library.llama_get_logits_ith(self._llama._ctx.ctx, -1)
        row = np.ctypeslib.as_array(logits, shape=(self._llama.n_vocab(),)).astype(np.float64)
        mass = np.exp(row - row.max())
        mass /= mass.sum()
        found = []
        for word in choices:
            forms = {f"{space}{form}" for space in ("", " ") for form in (word.lower(), word.capitalize())}
            firsts = {self._read(form)[0] for form in forms}
            found.append(float(mass[sorted(firsts)].sum()))
        return found

    def _take(self, key: tuple[bool, str]) -> None:
        """Bring the cache to the state right after a prefix."""
        chat, prefix = key
        self._prefix = None
        self._llama.reset()
        context = self._llama._ctx.ctx
        if key in self._kept:
            self._tokens, state = self._kept[key]
            self._llama._ctx.kv_cache_clear()
            if not self._library.llama_state_seq_set_data(context, state, len(state), 0):
                raise ValueError("a kept state could not be put back")
            self._llama.input_ids[: len(self._tokens)] = self._tokens
            self._llama.n_tokens = len(self._tokens)
        else:
            head = self._turns[0] if chat else ""
            # A template brings its own first token.
            self._tokens = self._read(head + prefix, add_bos=not head, special=chat)
            self._llama.eval(self._tokens)
            if len(self._kept) >= _PREFIXES:
                del self._kept[next(iter(self._kept))]
            state = (ctypes.c_uint8 * self._library.llama_state_seq_get_size(context, 0))()
            self._library.llama_state_seq_get_data(context, state, len(state), 0)
            self._kept[key] = (self._tokens, state)
        self._prefix = key

    def _read(self, text: str, add_bos: bool = False, special: bool = False) -> list[int]:
        return list(self._llama.tokenize(text.encode(), add_bos=add_bos, special=special))

    @cached_property
    def _turns(self) -> tuple[str, str]:
        """What the chat template puts before and after the user's words."""
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        template = self._llama.metadata.get("tokenizer.chat_template")
        if not template:
            raise ValueError("the file has no chat template, so it cannot be asked by instructions")
        read = self._llama._model.token_get_text
        eos, bos = (
            "" if token < 0 else str(read(token)) for token in (self._llama.token_eos(), self._llama.token_bos())
        )
        made = Jinja2ChatFormatter(template, eos_token=eos, bos_token=bos)
        turn = made(messages=[{"role": "user", "content": _MARK}], enable_thinking=False)
        head, _, tail = turn.prompt.partition(_MARK)
        return head or bos, tail


if __name__ == "__main__":
    serve(Engine, asdict(SELF_TEST))
