"""What a calibration found on a corpus: presets for people, and how many ratings they need."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from prefer_core.config import PERSON, PRESETS, SESSION_SECTIONS, SessionSettings, overrides

BLOCK = "calibration"
"""Where the report stands in the manifest."""
GOAL = {"omd": 0.8, "posterior": 0.9, "static": 0.8}
"""The A_pref at which the typical reader counts as found."""


def report_of(manifest: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the calibration report in a corpus's manifest, or None where it was not calibrated."""
    found: Mapping[str, Any] | None = manifest.get(BLOCK)
    return found


def settings_of(manifest: Mapping[str, Any], learner: str = "omd") -> SessionSettings:
    """Return a learner's preset for people on a corpus: the calibrated one, else the one that fits most corpora.

    What the file with settings says comes before what a calibration found.
    """
    report = report_of(manifest)
    found = {} if report is None else report.get("presets", {})
    if learner in found:
        section = SESSION_SECTIONS["posterior" if learner == "posterior" else "person"]
        return replace(SessionSettings.from_dict(found[learner]), **overrides(section))
    return PERSON.get(learner) or replace(PRESETS["person"], learner=learner)


def ratings_left(manifest: Mapping[str, Any], learner: str, rated: int) -> int | None:
    """Return about how many more ratings find the typical reader; None where nothing is known or it never happens."""
    report = report_of(manifest)
    if report is None or learner not in report["held_out"]:
        return None
    curve = report["held_out"][learner]["curve"]
    reached = next((t for t, value in enumerate(curve, start=1) if value >= GOAL[learner]), None)
    return None if reached is None else max(0, reached - rated)
