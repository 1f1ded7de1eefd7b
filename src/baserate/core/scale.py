"""Baselines, and scores between the worst guess, the best one and perfection."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from baserate.core.measure import Direction

if TYPE_CHECKING:
    from baserate.core.measure import AnyMeasure


FORMULA = 4 * sys.float_info.epsilon
"""Two results of one formula: they differ in their last places."""
COMPUTATION = 16 * FORMULA
"""Two results of a sum, an integral or a user's function, relative to the largest number in it."""


D_co = TypeVar("D_co", covariant=True)
E = TypeVar("E")  # an end


class Optimum(Protocol[D_co]):
    """An extreme of the expected score, and the decks that attain it.

    A deck is what a prediction consists of, without its order: for two classes, how many
    observations are called positive.
    """

    @property
    def value(self) -> float:
        """The expected score."""

    @property
    def decks(self) -> D_co:
        """All decks that attain it."""

    @property
    def exact(self) -> bool:
        """Whether this is certain."""


class Baseline(Protocol[D_co]):
    """What a measure gives away on a test set."""

    @property
    def measure(self) -> AnyMeasure[Any]:
        """The measure."""

    @property
    def max(self) -> Optimum[D_co]:
        """The largest expected score of any deck."""

    @property
    def min(self) -> Optimum[D_co]:
        """The smallest expected score of any deck."""

    @property
    def best(self) -> Optimum[D_co]:
        """The optimum in the measure's direction: what a model has to beat."""


class TwoEnds(Generic[E]):
    """The largest and the smallest expected score of any deck, and which of them is to beat."""

    measure: AnyMeasure[Any]
    max: E
    min: E

    @property
    def best(self) -> E:
        """The optimum in the measure's direction: what a model has to beat."""
        return self.max if self.measure.direction is Direction.MAXIMIZE else self.min

    @property
    def worst(self) -> E:
        """The other optimum."""
        return self.min if self.measure.direction is Direction.MAXIMIZE else self.max


_LEAST = -sys.float_info.max


@dataclass(frozen=True)
class Scale:
    """Three marks to read a score by: the worst baseline, the best baseline and perfection.

    Parameters
    ----------
    worst, best
        The expected scores of the worst and the best draw, in the measure's direction. The worst is
        nan if there is none, as for a loss without end.
    perfect
        The score of a prediction without errors; nan if it is not known.
    direction
        Which way the measure is better.
    rounds
        Whether equal scores may differ in their last places; see `Measure.rounds`.

    Examples
    --------
    >>> scale = Scale(math.nan, best=4.0, perfect=0.0, direction=Direction.MINIMIZE)
    >>> scale.rescaled(3.0), scale.rescaled(10.0)
    (0.25, -1.5)
    """

    worst: float
    best: float
    perfect: float
    direction: Direction
    rounds: bool = False

    @classmethod
    def of(cls, base: Baseline[Any], perfect: float) -> Scale:
        """Return the scale of a measure on a test set, where perfection is known."""
        measure = base.measure
        maximize = measure.direction is Direction.MAXIMIZE
        worst = base.min.value if maximize else base.max.value
        return cls(
            worst,
            base.best.value,
            perfect,
            measure.direction,
            measure.rounds,
        )

    @cached_property
    def room(self) -> float:
        """How much better a prediction without errors is than the best draw; nan if not known."""
        return self.advantage(self.perfect, self.best)

    @cached_property
    def informative(self) -> bool:
        """Whether a prediction without errors is better than the best draw."""
        return not self.room <= 0

    def advantage(self, score: float, mark: float) -> float:
        """Return how much better a score is than a mark; 0 if they differ by rounding only."""
        difference = score - mark if self.direction is Direction.MAXIMIZE else mark - score
        return 0.0 if abs(difference) <= self.slack(score, mark) else difference

    def rescaled(self, score: float) -> float:
        """Return the rescaled score, see `rescaled_score`."""
        return self.rescaled_margin(self.advantage(score, self.best))

    def rescaled_margin(self, margin: float) -> float:
        """Return the rescaled score from how much better it is than the best baseline."""
        if margin > 0:
            return min(margin / self.room, 1.0) if self.room > 0 else math.nan
        if math.isnan(margin):
            return math.nan
        # No division at the baseline itself, where the span may be zero.
        span = self.advantage(self.best, self.worst) if margin else 1.0
        if math.isnan(span):  # without a worst, down is counted in the same unit as up
            return max(margin / self.room, _LEAST) if self.room > 0 else math.nan
        return max(margin / span, -1.0) if span > 0 else math.copysign(1.0, margin)

    def slack(self, score: float, mark: float) -> float:
        """Return how far apart two scores may be, and be the same up to rounding."""
        if not self.rounds:
            return FORMULA * max(abs(score), abs(mark))
        marks = (score, mark, self.worst, self.best, self.perfect)
        largest = max((abs(number) for number in marks if not math.isnan(number)), default=0.0)
        return COMPUTATION * largest
