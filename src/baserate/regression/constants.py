"""The constants that are best for a measure, and what they score."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class ConstantSet:
    """All constants from one number to another; one number if both are the same.

    Parameters
    ----------
    low, high
        The ends, which belong to it unless they are infinite.

    Examples
    --------
    >>> print(ConstantSet(2.0, 3.0), ConstantSet(1.0, 1.0), ConstantSet.every(), sep="; ")
    any constant from 2 to 3; always 1; any constant
    >>> 2.5 in ConstantSet(2.0, 3.0)
    True
    """

    low: float
    high: float

    @classmethod
    def every(cls) -> ConstantSet:
        """Return all numbers."""
        return cls(-math.inf, math.inf)

    @property
    def middle(self) -> float:
        """The constant to name, if one is to be named."""
        if math.isinf(self.low) or math.isinf(self.high):
            return 0.0 if 0.0 in self else self.low if math.isinf(self.high) else self.high
        return self.low + (self.high - self.low) / 2

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high

    def __str__(self) -> str:
        if math.isinf(self.low) and math.isinf(self.high):
            return "any constant"
        low, high = f"{self.low:.6g}", f"{self.high:.6g}"
        return f"always {low}" if low == high else f"any constant from {low} to {high}"


class Constants(tuple[ConstantSet, ...]):
    """Constants as disjoint ranges, ascending.

    Examples
    --------
    >>> print(Constants([ConstantSet(1.0, 1.0), ConstantSet(3.0, 4.0)]))
    always 1, or any constant from 3 to 4
    """

    __slots__ = ()

    def __str__(self) -> str:
        return in_words(self)


def one(value: float) -> Constants:
    """Return the set of one constant."""
    return Constants([ConstantSet(float(value), float(value))])


def between(low: float, high: float) -> Constants:
    """Return all constants from one number to another."""
    return Constants([ConstantSet(float(low), float(high))])


def every() -> Constants:
    """Return all constants."""
    return Constants([ConstantSet.every()])


def joined(ranges: list[tuple[float, float]]) -> Constants:
    """Return ranges, ascending by their lower ends, with those that meet made one."""
    found: list[ConstantSet] = []
    for low, high in ranges:
        if found and low <= found[-1].high:
            found[-1] = ConstantSet(found[-1].low, max(found[-1].high, high))
        else:
            found.append(ConstantSet(low, high))
    return Constants(found)


@dataclass(frozen=True)
class NumberOptimum:
    """An extreme of the score of a constant, and all constants that attain it.

    Parameters
    ----------
    value
        The score; nan if there is none, as for the worst constant of a loss without end.
    decks
        The constants, as disjoint ranges, ascending; none if it is no constant that attains it.
    said
        What attains it, in words.
    exact
        Whether this is certain.

    Examples
    --------
    >>> from baserate.regression.measures.catalogue import get_number_measure
    >>> from baserate.regression.numbers import Numbers
    >>> best = get_number_measure("MAPE").yardstick(Numbers([1.0, 2, 3, 10, 100])).base.best
    >>> round(best.value, 3), best.said
    (0.611, 'always 1')
    """

    value: float
    decks: Constants
    said: str
    exact: bool = True

    @classmethod
    def of(cls, value: float, constants: Constants) -> NumberOptimum:
        """Return the score of some constants, which all have it."""
        return cls(value, constants, in_words(constants))


def in_words(constants: tuple[ConstantSet, ...], most: int = 3) -> str:
    """Name some constants.

    Examples
    --------
    >>> in_words((*one(1), *between(3, 4)))
    'always 1, or any constant from 3 to 4'
    """
    words = list(dict.fromkeys(map(str, constants)))  # neighbours may look the same
    if len(words) > most:
        words[most:] = [f"one of {len(words) - most:,} more"]
    return ", or ".join(words)


NO_WORST = NumberOptimum(math.nan, Constants(), "no constant: it gets worse without end")
"""The worst constant of a loss without end."""
