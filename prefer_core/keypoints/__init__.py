"""Key points: short claims that several reviewers of a product make, and who makes them."""

from prefer_core.keypoints.matching import says

__all__ = ["says"]
