"""Figures, not tests: each is a ratio against a rival, measured in the same run on the same data."""
