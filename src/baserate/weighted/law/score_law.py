"""The law of a weighted score when as many positive predictions are dealt at random."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.direction import Direction
from baserate.core.rounding import COMPUTATION
from baserate.exceptions import UndefinedMeasureError
from baserate.null.sums import two_levels
from baserate.ranking.law.dealt import DealtLaw
from baserate.weighted.law.listed import few_draws
from baserate.weighted.law.sampled import sampled
from baserate.weighted.shapes import Linear, Plane, Ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.null.distribution import NullDistribution
    from baserate.weighted.base import WeightedBase
    from baserate.weighted.law.cells import DrawCells
    from baserate.weighted.measures import WeightedMeasure

    Floats = NDArray[np.float64]

# The probability whose standard error a simulation states.
_STATED = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class ListedLaw(DealtLaw):
    """The law of a score from a list of all scores.

    Parameters
    ----------
    scores, chances
        The scores of some draws, ascending, and how much each counts; chances sum to 1.
    slack
        How far apart two scores may be, and be the same up to rounding.
    """

    scores: Floats
    chances: Floats
    slack: float

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact: all draws are counted."""
        return True

    @property
    def method(self) -> str:
        """How probabilities were found."""
        return "counting"

    def mean(self) -> float:
        """Return the expected score."""
        return math.fsum(self.chances * self.scores)

    def variance(self) -> float:
        """Return the variance of the score."""
        return max(math.fsum(self.chances * (self.scores - self.mean()) ** 2), 0.0)

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""
        if math.isnan(score):
            return math.nan
        return min(math.fsum(self.chances[self._reached(score, direction)]), 1.0)

    def quantile(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least this probability."""
        place = int(np.searchsorted(np.cumsum(self.chances), level * (1 - COMPUTATION)))
        return float(self.scores[min(place, self.scores.size - 1)])

    def _reached(self, score: float, direction: Direction) -> slice:
        if direction is Direction.MAXIMIZE:
            return slice(int(np.searchsorted(self.scores, score - self.slack, "left")), None)
        return slice(int(np.searchsorted(self.scores, score + self.slack, "right")))


@dataclass(frozen=True, eq=False, repr=False)
class SampledLaw(ListedLaw):
    """The law of a score from random draws.

    Parameters
    ----------
    scores, chances, slack
        As of a list. Means are over these chances; a probability is a share of the draws.
    """

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact: some draws stand for all."""
        return False

    @property
    def method(self) -> str:
        """How probabilities were found."""
        return "simulation"

    @property
    def floor(self) -> float:
        """The smallest probability that is told apart from smaller ones."""
        return 1 / (self.scores.size + 1)

    @property
    def error(self) -> float:
        """The standard error of p = 0.05, relative to it."""
        return math.sqrt((1 / _STATED - 1) / self.scores.size)

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good; the observed draw is counted."""
        if math.isnan(score):
            return math.nan
        reached = self.scores[self._reached(score, direction)].size
        return (reached + 1) / (self.scores.size + 1)

    def quantile(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least this probability."""
        place = math.ceil(level * (1 - COMPUTATION) * self.scores.size) - 1
        return float(self.scores[min(max(place, 0), self.scores.size - 1)])


@dataclass(frozen=True, eq=False, repr=False)
class RatioLaw(SampledLaw):
    """The law of a ratio: a score of at least s is a condition on a sum over what is dealt.

    Means and quantiles are those of random draws. A linear score is a ratio over 1: its mean and
    variance are exact, since those of the draws are made to be.

    Parameters
    ----------
    scores, chances, slack
        As of random draws.
    base, drawn
        The test set, and the size of draws.
    ratio
        The ratio.
    """

    base: WeightedBase
    drawn: int
    ratio: Ratio

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding."""
        return self._middle.exact

    @property
    def method(self) -> str:
        """How probabilities were found."""
        return self._middle.method

    @property
    def error(self) -> float:
        """What is known of the relative error of a probability."""
        return self._middle.error

    @property
    def _middle(self) -> NullDistribution:
        """The distribution at a score in the middle."""
        return self._at(float(np.median(self.scores)))

    def _at(self, score: float) -> NullDistribution:
        """Return the law of what is at least 0 if the score is at least this."""
        if score not in self._known:
            plane = self.ratio.top.minus(self.ratio.bottom, score)
            self._known[score] = linear_law(self.base, self.drawn, plane)
        return self._known[score]

    @cached_property
    def _known(self) -> dict[float, NullDistribution]:
        return {}

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""
        return math.nan if math.isnan(score) else self._at(score).tail(0.0, direction)


def linear_law(base: WeightedBase, drawn: int, plane: Plane) -> NullDistribution:
    """Return the law of a number that is linear in what is predicted positive."""
    blocks = base.blocks
    added = np.where(blocks.positive, plane.tp, plane.fp) * blocks.weights
    return two_levels(drawn, blocks.sizes, added, intercept=plane.constant)


@lru_cache(maxsize=64)
def law_of(measure: WeightedMeasure, base: WeightedBase, drawn: int) -> NullDistribution:
    """Return the law of a score over draws of a size, or raise if some have no score.

    Examples
    --------
    >>> from baserate import get_measure
    >>> from baserate.weighted.measures import WeightedMeasure
    >>> from baserate.weighted.base import WeightedBase
    >>> base = WeightedBase(np.array([1.0, 100.0]), np.array([1, 0]), np.array([0, 1]))
    >>> law = law_of(WeightedMeasure.by(get_measure("F1")), base, 1)
    >>> law.mean(), law.tail(1.0, Direction.MAXIMIZE), law.method
    (0.5, 0.5, 'counting')
    """
    measure.of.require_draw(base.rate, drawn)
    base = measure.on(base)
    known = few_draws(base, drawn)
    if known is not None:
        return ListedLaw(*_scored(measure, *known))
    shape = measure.shape(base)
    if isinstance(shape, Linear):
        law = linear_law(base, drawn, shape.score)
        if law.exact:
            return law
        shape = Ratio(shape.score, Plane(1.0, 0.0, 0.0))
    draws = sampled(base, drawn)
    found = _scored(measure, draws.cells, draws.shares)
    return SampledLaw(*found) if shape is None else RatioLaw(*found, base, drawn, shape)


def _scored(
    measure: WeightedMeasure, cells: DrawCells, chances: Floats
) -> tuple[Floats, Floats, float]:
    """Return the scores of draws, ascending, with their chances, and how far rounding goes."""
    scores = measure.scores(*cells)
    if np.isnan(scores).any():
        needs = "a draw whose every score is a number"
        raise UndefinedMeasureError.no_law(measure.key, needs, "none")
    order = np.argsort(scores, kind="stable")
    slack = COMPUTATION * measure.of.magnitude(float(np.abs(scores).max()))
    return scores[order], chances[order], slack
