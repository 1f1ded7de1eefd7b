"""What is asked of the distribution of a score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from baserate.core.direction import Direction


class Law(Protocol):
    """The distribution of a score under a prediction that never looks at its input."""

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no approximation."""

    def mean(self) -> float:
        """Return the expected score."""

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the central interval that holds at least this probability."""
