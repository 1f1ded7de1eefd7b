"""Which way a measure is better."""

from __future__ import annotations

import enum


class Direction(enum.StrEnum):
    """Which way a measure is better."""

    MAXIMIZE = "maximize"
    MINIMIZE = "minimize"

    @property
    def arrow(self) -> str:
        """The direction as a reader sees it in a table."""
        return "↑" if self is Direction.MAXIMIZE else "↓"

    @property
    def better(self) -> str:
        """The scores that are better, in a word."""
        return "higher" if self is Direction.MAXIMIZE else "lower"
