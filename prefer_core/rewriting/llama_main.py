"""The child process that holds llama.cpp: ``python -m prefer_core.rewriting.llama_main MODEL``."""

import argparse
import ctypes
from collections.abc import Iterator
from typing import Any

from prefer_core.rewriting.child_main import cores, run

SELF_TEST = "The museum by the river opens at nine, and the café beside it serves soup until late in the afternoon."

_PREFIXES = 4
"""States kept; one of 200 tokens takes 4 MiB with the 270M and about 30 with the 4B."""

_MARK = "prefer-evidence-stands-here"


class Engine:
    """One model, evaluated so that a text never depends on the calls before it.

    A fixed prefix is evaluated alone, once; before each call the KV cache is cut back to the prefix's length. A
    plain prefix match would also keep whatever the last prompt happened to share, and other batch sizes give other
    last bits. The stages of an instruct model have a prefix each: their states are kept beside the cache and put back
    when a stage comes again, bit for bit (the library's own saved states hold the logits too, a MiB a token).

    In a conversation the file's own chat template gives what stands before and after the user's turn. Only that and the
    fixed prefix may hold control tokens: evidence is tokenised as plain text, whatever it looks like.
    """

    def __init__(self, path: str, context: int, threads: int, chat: bool = False) -> None:
        import llama_cpp

        self._library: Any = llama_cpp
        self._llama: Any = llama_cpp.Llama(
            path,
            n_ctx=context,
            n_threads=threads,
            n_threads_batch=threads,
            verbose=False,
            logits_all=False,
            swa_full=True,  # a sliding-window cache could not be cut back to the prefix
        )
        self.counts: dict[str, int] = {}
        self._head, self._tail = self._turn() if chat else ("", "")
        self._chat = chat
        self._prefix: str | None = None
        self._tokens: list[int] = []
        self._kept: dict[str, tuple[list[int], Any]] = {}

    def pieces(
        self, prefix: str, prompt: str, max_tokens: int, stop: list[str], temperature: float, seed: int
    ) -> Iterator[str]:
        """Yield the text as it is written."""
        if prefix != self._prefix:
            self._take(prefix)
        self._llama.n_tokens = len(self._tokens)
        tokens = self._read(prompt) + (self._read(self._tail, special=True) if self._chat else [])
        room = self._llama.n_ctx() - len(self._tokens) - len(tokens)
        if room < max_tokens:
            raise ValueError(f"The prompt has {len(tokens)} tokens; {room + len(tokens) - max_tokens} fit.")
        self.counts = {"read": len(tokens), "written": 0}
        for part in self._llama.create_completion(
            self._tokens + tokens, max_tokens=max_tokens, stop=stop, temperature=temperature, seed=seed, stream=True
        ):
            self.counts["written"] += 1
            yield str(part["choices"][0]["text"])

    def _take(self, prefix: str) -> None:
        """Bring the cache to the state right after a prefix."""
        self._prefix = None
        self._llama.reset()
        context = self._llama._ctx.ctx
        if prefix in self._kept:
            self._tokens, state = self._kept[prefix]
            self._llama._ctx.kv_cache_clear()
            if not self._library.llama_state_seq_set_data(context, state, len(state), 0):
                raise ValueError("a kept state could not be put back")
            self._llama.input_ids[: len(self._tokens)] = self._tokens
            self._llama.n_tokens = len(self._tokens)
        else:
            # A template brings its own first token.
            self._tokens = self._read(self._head + prefix, add_bos=not self._head, special=self._chat)
            self._llama.eval(self._tokens)
            if len(self._kept) >= _PREFIXES:
                del self._kept[next(iter(self._kept))]
            state = (ctypes.c_uint8 * self._library.llama_state_seq_get_size(context, 0))()
            self._library.llama_state_seq_get_data(context, state, len(state), 0)
            self._kept[prefix] = (self._tokens, state)
        self._prefix = prefix

    def _read(self, text: str, add_bos: bool = False, special: bool = False) -> list[int]:
        return list(self._llama.tokenize(text.encode(), add_bos=add_bos, special=special))

    def _turn(self) -> tuple[str, str]:
        """Return what the chat template puts before and after the user's words."""
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        template = self._llama.metadata.get("tokenizer.chat_template")
        if not template:
            raise ValueError("the file has no chat template, so it cannot be asked by instructions")
        ends = [self._piece(token) for token in (self._llama.token_eos(), self._llama.token_bos())]
        made = Jinja2ChatFormatter(template, eos_token=ends[0], bos_token=ends[1])
        head, _, tail = made(messages=[{"role": "user", "content": _MARK}]).prompt.partition(_MARK)
        return head or ends[1], tail

    def _piece(self, token: int) -> str:
        return "" if token < 0 else str(self._llama._model.token_get_text(token))


def main() -> None:
    """Load the model, test it, and serve."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--context", type=int, default=2048)
    parser.add_argument("--chat", action="store_true")
    arguments = parser.parse_args()
    run(lambda: Engine(arguments.model, arguments.context, cores(), arguments.chat), SELF_TEST)


if __name__ == "__main__":
    main()
