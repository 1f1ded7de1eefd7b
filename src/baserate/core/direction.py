"""The direction of a measure: whether higher or lower is better."""

from __future__ import annotations

import enum


class Direction(enum.StrEnum):
    """The direction of a measure: whether higher or lower is better."""

    MAXIMIZE = "maximize"
    MINIMIZE = "minimize"

    @property
    def arrow(self) -> str:
        """The arrow that tables show."""
        return "↑" if self is Direction.MAXIMIZE else "↓"

    @property
    def opposite(self) -> Direction:
        """The other direction."""
        return Direction.MINIMIZE if self is Direction.MAXIMIZE else Direction.MAXIMIZE

    @property
    def better(self) -> str:
        """The better scores, in one word."""
        return "higher" if self is Direction.MAXIMIZE else "lower"
