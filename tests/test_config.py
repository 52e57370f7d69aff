"""Facts about settings: what a file may say, what it may not, and what is in force."""

import subprocess
import sys
import tomllib
from dataclasses import fields, replace
from pathlib import Path

import pytest

from prefer_core import config
from prefer_core.config import PERSON, PRESETS, AspectSettings, KeyPointSettings, SupportSettings, TextSettings
from prefer_core.errors import ConfigError
from prefer_core.insight.calibrated import settings_of


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of the file that is in force in a test."""
    path = tmp_path / "mine.toml"
    path.write_text("", encoding="utf-8")
    monkeypatch.setenv("PREFER_CONFIG", str(path))
    return path


def test_every_section_reaches_its_stage(file: Path) -> None:
    """What the file says changes, what it leaves out keeps its default, lists and "none" are taken as such."""
    file.write_text(
        """
        [text]
        min_words = 6
        language = "none"
        [aspects]
        preset = "paper"
        candidates = [4, 8]
        mass_ratio = 5
        [keypoints]
        most = 12
        [support]
        many_share = 0.3
        [session.paper]
        trade_off = 0.5
        [session.posterior]
        exploration = 0.1
        """,
        encoding="utf-8",
    )
    assert TextSettings.in_force() == TextSettings(min_words=6)
    assert AspectSettings.in_force() == AspectSettings(preset="paper", candidates=(4, 8), mass_ratio=5)
    assert AspectSettings.in_force().n_components == 17
    assert KeyPointSettings.in_force(cited=2) == KeyPointSettings(most=12, cited=2)
    assert SupportSettings.from_toml(file).many_share == 0.3
    assert PRESETS["paper"].trade_off == 0.5
    assert PERSON["posterior"].exploration == 0.1
    assert PERSON["omd"] == PRESETS["person"]


def test_what_is_given_comes_before_the_file_and_the_file_before_a_calibration(file: Path) -> None:
    """Order: options, file, what a calibration found, default."""
    file.write_text("[text]\nmin_words = 6\n[session.person]\nstep_size = 3.0\n", encoding="utf-8")
    assert TextSettings.in_force(min_words=2).min_words == 2
    found = replace(PRESETS["person"], step_size=20.0, decay=0.5).to_dict()
    used = settings_of({"calibration": {"presets": {"omd": found}}})
    assert (used.step_size, used.decay) == (3.0, 0.5)


def test_a_changed_file_is_read_anew(file: Path) -> None:
    """No restart is needed for what is asked for later."""
    file.write_text("[text]\nmin_words = 6\n", encoding="utf-8")
    assert TextSettings.in_force().min_words == 6
    file.write_text("[text]\nmin_words = 17\n", encoding="utf-8")
    assert TextSettings.in_force().min_words == 17


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[txt]", "has no use for 'txt'; its sections are text, aspects"),
        ("[session]\nstep_size = 1", "has no use for 'session.step_size'"),
        ("[text]\nmin_word = 1", "has no setting min_word; it knows min_review_characters"),
        ('[text]\nmin_words = "4"', "min_words = '4' is not of its kind, a whole number"),
        ("[text]\nmin_words = true", "is not of its kind"),
        ("[aspects]\ncandidates = [5, 'x']", "is not of its kind, a list"),
        ('[aspects]\npreset = "mine"', 'is not of its kind, "paper" or "people"'),
        ("[text\n", "cannot be read as TOML"),
        ("[text]\nmin_words = 0", "min_words must be at least 1"),
    ],
)
def test_what_a_file_may_not_say(file: Path, text: str, told: str) -> None:
    """A wrong section, name, kind or value is one sentence that says what there is."""
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        TextSettings.in_force()
    assert told in str(caught.value)


def test_a_file_that_is_named_must_be_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """PREFER_CONFIG that names nothing is an error; without it `prefer.toml` is read where there is one."""
    monkeypatch.setenv("PREFER_CONFIG", str(tmp_path / "no.toml"))
    with pytest.raises(ConfigError, match="no file"):
        TextSettings.in_force()
    monkeypatch.delenv("PREFER_CONFIG")
    monkeypatch.chdir(tmp_path)
    assert TextSettings.in_force() == TextSettings()
    (tmp_path / config.CONFIG).write_text("[text]\nmin_words = 9\n", encoding="utf-8")
    assert TextSettings.in_force().min_words == 9


def test_the_command_prints_what_is_in_force(file: Path) -> None:
    """Every setting of every section is printed; as a file it gives the same settings again."""
    file.write_text('[aspects]\npreset = "paper"\n[session.paper]\nmax_tokens = 99\n', encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "prefer_core.config"], capture_output=True, text=True, check=True)
    assert tomllib.loads(done.stdout)["aspects"] == {"preset": "paper"}
    whole = tomllib.loads(done.stdout.replace("\n# ", "\n").partition("\n\n")[2])
    assert whole["session"]["paper"]["max_tokens"] == 99
    assert whole["aspects"]["n_components"] == 17
    for name, kind in config.sections().items():
        section, _, preset = name.partition(".")
        table = whole[section][preset] if preset else whole[section]
        assert set(table) == {one.name for one in fields(kind)}
    before = [TextSettings.in_force(), AspectSettings.in_force(), dict(PRESETS), dict(PERSON)]
    file.write_text(done.stdout.replace("\n# ", "\n").partition("\n\n")[2], encoding="utf-8")
    assert [TextSettings.in_force(), AspectSettings.in_force(), dict(PRESETS), dict(PERSON)] == before
