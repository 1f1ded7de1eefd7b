"""The constants that are best for a loss, and what they score."""

from __future__ import annotations

from dataclasses import dataclass

from baserate.core.direction import Direction


@dataclass(frozen=True)
class ConstantSet:
    """All constants from one number to another; one number if both are the same.

    Examples
    --------
    >>> print(ConstantSet(2.0, 3.0), ConstantSet(1.0, 1.0), 2.5 in ConstantSet(2.0, 3.0))
    any constant from 2 to 3 the constant 1 True
    """

    low: float
    high: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high

    def __str__(self) -> str:
        if self.low == self.high:
            return f"the constant {self.low:.6g}"
        return f"any constant from {self.low:.6g} to {self.high:.6g}"


@dataclass(frozen=True)
class NumberOptimum:
    """An extreme of the score of a constant, and all constants that attain it.

    Parameters
    ----------
    value
        The score; nan if there is none, as for the worst constant of a loss without end.
    decks
        The constants, as disjoint ranges, ascending.
    exact
        Whether this is certain.
    """

    value: float
    decks: tuple[ConstantSet, ...]
    exact: bool = True


def is_maximized(direction: Direction) -> bool:
    """Return whether a larger score is better."""
    return direction is Direction.MAXIMIZE
