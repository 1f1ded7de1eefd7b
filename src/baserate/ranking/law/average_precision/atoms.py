"""All values of P times average precision and their probabilities, where there are few."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# Values that differ by less are the same, up to rounding; as a share of the largest.
_SAME = 1e-13
# A score of the user is read with this much rounding.
_SLACK = 1e-12
# Numbers of positives so many standard deviations off, and some more, are neglected: far less than
# the last digit of any probability that is asked for.
_DEVIATIONS, _SPARE = 11.0, 40.0
# The most values, and steps to find them.
_MOST, _STEPS = 60_000, 20_000


@dataclass(frozen=True, eq=False)
class Atoms:
    """A distribution with finitely many values.

    Parameters
    ----------
    values
        The values, ascending.
    chances
        Their probabilities.
    """

    values: Floats
    chances: Floats

    def at_least(self, score: float) -> float:
        """Return the probability of at least a score."""
        place = np.searchsorted(self.values, score - _SLACK * max(abs(score), 1.0), side="left")
        return float(self._from[place])

    def at_most(self, score: float) -> float:
        """Return the probability of at most a score."""
        place = np.searchsorted(self.values, score + _SLACK * max(abs(score), 1.0), side="right")
        return float(self._upto[place])

    def quantile(self, level: float) -> float:
        """Return the lowest value that is not exceeded with at least this probability."""
        place = int(np.searchsorted(self._upto[1:], level - _SLACK, side="left"))
        return float(self.values[min(place, self.values.size - 1)])

    @cached_property
    def _upto(self) -> Floats:
        return np.asarray(np.minimum(np.append(0.0, np.cumsum(self.chances)), 1.0))

    @cached_property
    def _from(self) -> Floats:
        sums = np.append(np.cumsum(self.chances[::-1])[::-1], 0.0)
        return np.asarray(np.minimum(sums, 1.0))


def one_positive(sizes: Ints) -> Atoms:
    """Return the distribution for one positive."""
    upto = np.cumsum(sizes, dtype=float)
    return Atoms(1 / upto[::-1], (sizes / upto[-1])[::-1])


def one_negative(sizes: Ints) -> Atoms:
    """Return the distribution for one negative."""
    upto = np.cumsum(sizes, dtype=float)
    lost = (sizes / upto)[::-1].cumsum()[::-1] - 1 / upto
    return Atoms(upto[-1] - 1 - lost, sizes / upto[-1])


def all_atoms(sizes: Ints, positives: int) -> Atoms | None:
    """Return the distribution by going through all outcomes; None if there are too many."""
    if sizes.size > _STEPS:
        return None
    total, end, work = int(sizes.sum()), 0, 0
    states = {0: Atoms(np.zeros(1), np.ones(1))}
    for size in map(int, sizes):
        left = total - end
        end += size
        parts: dict[int, list[Atoms]] = {}
        for count, atoms in states.items():
            low, high = likely(left, positives - count, size)
            work += high - low + 1
            if work > _STEPS:
                return None
            low, chances = hypergeometric(left, positives - count, size)
            for more, chance in enumerate(chances, low):
                gain = more * (count + more) / end
                moved = Atoms(atoms.values + gain, atoms.chances * chance)
                parts.setdefault(count + more, []).append(moved)
        states = {count: merged(each, positives) for count, each in parts.items()}
        if sum(atoms.values.size for atoms in states.values()) > _MOST:
            return None
    return states[positives]


def hypergeometric(total: int, positives: int, drawn: int) -> tuple[int, Floats]:
    """Return the smallest number of positives among so many drawn, and all probabilities."""
    if drawn == 1:
        share = positives / total
        certain = positives in (0, total)
        return (int(share), np.ones(1)) if certain else (0, np.array([1 - share, share]))
    low, high = likely(total, positives, drawn)
    more = np.arange(low, high, dtype=float)
    ratios = (drawn - more) * (positives - more)
    ratios /= (more + 1) * (total - positives - drawn + more + 1)
    logs = np.append(0.0, np.cumsum(np.log(ratios)))
    chances = np.exp(logs - logs.max())
    return low, chances / chances.sum()


def likely(total: int, positives: int, drawn: int) -> tuple[int, int]:
    """Return the least and the largest number of positives drawn, but for the most unlikely."""
    mean = drawn * (positives / total)
    spread = mean * (1 - positives / total) * (total - drawn) / max(total - 1, 1)
    reach = _DEVIATIONS * spread**0.5 + _SPARE
    least, most = max(0, drawn - (total - positives)), min(drawn, positives)
    return max(least, math.floor(mean - reach)), min(most, math.ceil(mean + reach))


def merged(parts: list[Atoms], largest: float) -> Atoms:
    """Return some distributions as one."""
    if len(parts) == 1:
        return parts[0]
    values = np.concatenate([part.values for part in parts])
    order = np.argsort(values, kind="stable")
    values = values[order]
    chances = np.concatenate([part.chances for part in parts])[order]
    first = np.flatnonzero(np.diff(values, prepend=-np.inf) > _SAME * largest)
    return Atoms(values[first], np.add.reduceat(chances, first))
