"""Figures: what they draw, by the numbers in their traces."""
