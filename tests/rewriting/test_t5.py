"""The encoder-decoder backend, on a tiny T5 made for the test: random weights, so what it says means nothing."""

import importlib.util
import json

import pytest

from prefer_core.config import WritingSettings
from prefer_core.errors import BackendError
from prefer_core.rewriting import make_writer, models, write_template
from prefer_core.rewriting.base import Request, probabilities
from prefer_core.rewriting.models import MODELS
from prefer_core.rewriting.worker import T5Process
from tests.rewriting.conftest import SETS, make_evidence

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(importlib.util.find_spec("transformers") is None, reason="not installed: transformers"),
]
LIMITS = WritingSettings(start_timeout=120, call_timeout=60, job_timeout=120)
PROMPTS = ["Summarize: " + " ".join(text) for text in SETS]


def ask(process, prompt, **asked):
    """Return a text."""
    return "".join(process.write(Request("", prompt, max_tokens=12, **asked)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a T5 of one layer and the words of the evidence sets."""
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    path = tmp_path_factory.mktemp("home") / "models" / "flan-t5-large"
    words = sorted({word for text in SETS for one in text for word in one.replace(".", " .").split()})
    vocabulary = {word: i for i, word in enumerate(["<pad>", "</s>", "<unk>", *words])}
    raw = Tokenizer(WordLevel(vocabulary, unk_token="<unk>"))  # no password
    raw.pre_tokenizer = Whitespace()
    made = PreTrainedTokenizerFast(tokenizer_object=raw, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")
    made.save_pretrained(path)
    torch.manual_seed(0)
    size = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_decoder_layers": 1, "num_heads": 2}
    special = {"decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 1}
    config = T5Config(vocab_size=len(vocabulary), n_positions=512, **size, **special)
    T5ForConditionalGeneration(config).save_pretrained(path)
    (path / "special_tokens_map.json").write_text("{}")
    return path


@pytest.fixture(scope="module")
def process(folder):
    """Return a running child."""
    made = T5Process(folder, LIMITS, "Tiny T5")
    yield made
    made.close()


def test_texts_come_and_do_not_depend_on_what_came_before(process):
    """The same prompt gives the same text, before and after others; its length keeps the limit."""
    first = ask(process, PROMPTS[0])
    ask(process, PROMPTS[1])
    assert ask(process, PROMPTS[0]) == first
    assert 0 < len(first.split()) <= 13


def test_choices_are_probabilities(process):
    """Two words of the vocabulary have small positive probabilities."""
    found = probabilities(process, Request("", PROMPTS[0], choices=("lid", "smell")))
    assert all(0 < value < 1 for value in found)


def test_sampling_follows_its_seed(process):
    """One seed one text; seeds differ."""
    texts = [ask(process, PROMPTS[2], temperature=1.0, seed=seed) for seed in (1, 1, 2, 3)]
    assert texts[0] == texts[1]
    assert len(set(texts)) > 1


def test_too_long_a_prompt_is_refused_in_words(process):
    """The model reads 512 tokens; the child lives on."""
    with pytest.raises(BackendError, match=r"Tiny T5 could not write this text: .*512 fit"):
        ask(process, "soft " * 600)
    assert ask(process, "soft") is not None


def test_a_folder_without_a_model_is_told_in_words(tmp_path):
    """What is missing and what to do."""
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "t5"}))
    broken = T5Process(tmp_path, LIMITS, "Tiny T5")
    with pytest.raises(BackendError, match="Tiny T5 could not be loaded"):
        ask(broken, "x")
    broken.close()


def test_the_ladder_takes_it_by_name_and_checks_what_it_says(folder, monkeypatch):
    """PREFER_MODEL=flan-t5-large writes with the folder; nonsense of random weights never passes the checks."""
    monkeypatch.setenv("PREFER_HOME", str(folder.parents[1]))
    assert "--fetch-model flan-t5-large" in models.resolve({"PREFER_MODEL": "flan-t5-large", "PREFER_HOME": "/x"}).note
    monkeypatch.setenv("PREFER_MODEL", "flan-t5-large")
    assert models.resolve().model is MODELS["flan-t5-large"]
    writer = make_writer(LIMITS)
    evidence = make_evidence(SETS[0][:2])
    job = writer.submit(evidence)
    assert job.wait(120)
    assert (job.state, job.error) == ("done", None)
    assert job.summary.statements == write_template(evidence).statements
    writer.close()
