"""Where drawings and the style sheet lie."""

from pathlib import Path

ASSETS = Path(__file__).resolve().parents[2] / "assets"
