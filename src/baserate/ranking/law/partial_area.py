"""The law of the area under the ROC curve up to a false positive rate, for a dealt deck."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.direction import Direction
from baserate.ranking.law.average_precision.atoms import Atoms, hypergeometric, likely, merged
from baserate.ranking.law.dealt import DealtLaw
from baserate.ranking.law.partial_area_mean import mean_pairs
from baserate.ranking.law.partial_area_simulation import simulated

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.ranking.deck import ScoreDeck

    Ints = NDArray[Any]

# The most values that are enumerated, and steps to find them.
_MOST, _STEPS = 60_000, 20_000
# The relative error of a simulated probability of 0.01.
_ERROR = 0.07


@dataclass(frozen=True, eq=False, repr=False)
class PartialAreaLaw(DealtLaw):
    """The distribution of the standardised partial area when a deck is dealt at random.

    Parameters
    ----------
    rate
        The test set, with both classes.
    deck
        The scores that are dealt.
    max_fpr
        The false positive rate up to which the area counts.
    """

    rate: BaseRate
    deck: ScoreDeck
    max_fpr: float

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no simulation."""
        return self._every is not None

    @property
    def method(self) -> str:
        """How they were found."""
        return "enumeration" if self.exact else "simulation"

    @property
    def error(self) -> float:
        """The relative error of a probability of 0.01; 0 if it is exact."""
        return 0.0 if self.exact else _ERROR

    def mean(self) -> float:
        """Return the expected score."""
        return float(self._score(mean_pairs(self.deck.sizes, self.rate, self._most)))

    def variance(self) -> float:
        """Return the variance of the score."""
        scores, chances = self._score(self._pairs.values), self._pairs.chances
        return float(chances @ (scores - chances @ scores) ** 2)

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""
        pairs = self._unscored(score)
        atoms = self._pairs
        chance = atoms.at_least(pairs) if direction is Direction.MAXIMIZE else atoms.at_most(pairs)
        if self.exact:
            return chance
        # The observed deal is one of the deals: without it, p could be 0.
        deals = atoms.values.size
        return (chance * deals + 1) / (deals + 1)

    def quantile(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least this probability."""
        return float(self._score(self._pairs.quantile(level)))

    @property
    def _most(self) -> float:
        """The number of negatives down to the rate."""
        return self.max_fpr * self.rate.negatives

    def _score(self, pairs: Any) -> Any:
        """Return the score of an area in pairs of a positive and a negative."""
        area = pairs / (float(self.rate.positives) * self.rate.negatives)
        least = self.max_fpr**2 / 2
        return (1 + (area - least) / (self.max_fpr - least)) / 2

    def _unscored(self, score: float) -> float:
        """Return the area in pairs that has a score."""
        least = self.max_fpr**2 / 2
        area = (2 * score - 1) * (self.max_fpr - least) + least
        return area * self.rate.positives * self.rate.negatives

    @cached_property
    def _every(self) -> Atoms | None:
        return _enumerated(self.deck.sizes, self.rate, self._most)

    @cached_property
    def _pairs(self) -> Atoms:
        """The distribution of the area, in pairs."""
        if self._every is not None:
            return self._every
        values = simulated(self.deck.sizes, self.rate, self._most)
        return Atoms(values, np.full(values.size, 1 / values.size))


def _enumerated(sizes: Ints, rate: BaseRate, most: float) -> Atoms | None:
    """Return the distribution by going through all outcomes; None if there are too many."""
    end, work, negatives = 0, 0, rate.negatives
    states = {0: Atoms(np.zeros(1), np.ones(1))}
    done: list[Atoms] = []
    blocks = iter(sizes.tolist())
    while states:  # until all have as many negatives as count: the last block has the last of them
        size = next(blocks)
        left, above = rate.total - end, end
        end += size
        parts: dict[int, list[Atoms]] = {}
        for count, atoms in states.items():
            low, high = likely(left, negatives - count, size)
            work += high - low + 1
            if work > _STEPS:
                return None
            low, chances = hypergeometric(left, negatives - count, size)
            for more, chance in enumerate(chances, low):
                gain = _gain(above - count, size - more, more, most - count)
                moved = Atoms(atoms.values + gain, atoms.chances * chance)
                place = done if count + more >= most else parts.setdefault(count + more, [])
                place.append(moved)
        done = [merged(done, rate.total)] if done else []
        states = {count: merged(each, rate.total) for count, each in parts.items()}
        if sum(atoms.values.size for atoms in (*done, *states.values())) > _MOST:
            return None
    return done[0]


def _gain(above: float, positives: float, negatives: float, room: float) -> float:
    """Return the area of a block: the positives above it, and what it has, with room for some."""
    if not negatives:
        return 0.0
    used = min(negatives, room)
    return used * (above + positives * used / negatives / 2)
