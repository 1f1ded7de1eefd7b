"""Rescale a score to where it stands between the baseline and perfection."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from baserate.binary.confusion import Confusion
from baserate.binary.optimum.baseline import Baseline, baseline
from baserate.core.direction import Direction
from baserate.exceptions import InvalidMeasureError
from baserate.support.arguments import as_float, is_number

if TYPE_CHECKING:
    from baserate.binary.base_rate import BaseRate
    from baserate.binary.measures.record import Measure
    from baserate.data.labels import Labels

# Scores that differ by no more than this are equal up to rounding: relative to the scores for a
# formula, and to the largest number involved for a user's function.
_ROUNDING = 4 * sys.float_info.epsilon
_ROUNDING_OF_CUSTOM = 64 * sys.float_info.epsilon


def rescaled_score(
    test_set: BaseRate | Confusion | Labels, measure: str | Measure, score: float
) -> float:
    """Rescale a score, so that it can be read without knowing the base rate.

    The result is -1 at or below the worst baseline, 0 at the best baseline, 1 for a perfect
    prediction, and linear in between (the paper's second proposal for further research). A measure
    to minimize is mirrored. If all draws expect the same score, anything below it is -1. If the
    best baseline is perfect, nothing is above 0.

    Parameters
    ----------
    test_set
        A `BaseRate`, a `Confusion`, or the true labels.
    measure
        A measure or its name.
    score
        The model's score.

    Returns
    -------
    float
        A number from -1 to 1; nan for a score of nan, and above the baseline of a custom measure
        whose perfect score is unknown.

    Examples
    --------
    >>> from baserate import BaseRate
    >>> rate = BaseRate(positives=139, total=303)
    >>> [round(rescaled_score(rate, "F1", score), 3) for score in (0.0, 0.5, 0.629, 0.8, 1.0)]
    [-1.0, -0.207, 0.0, 0.461, 1.0]
    """
    return Scale.of(baseline(test_set, measure)).rescaled(require_score(score))


def require_score(score: Any) -> float:
    """Return a score as a float, or raise if it is not a valid score."""
    number = as_float(score) if is_number(score) else math.inf
    if math.isinf(number):
        raise InvalidMeasureError.score(score)
    return number


@dataclass(frozen=True)
class Scale:
    """The three reference points of a score: the worst baseline, the best one and perfection.

    Parameters
    ----------
    worst, best
        The expected scores of the worst and the best draw, in the measure's direction.
    perfect
        The score of a prediction without errors; nan if unknown.
    direction
        Whether a larger or a smaller score is better.
    is_custom
        Whether a user's function computes the scores.
    """

    worst: float
    best: float
    perfect: float
    direction: Direction
    is_custom: bool = False

    @classmethod
    def of(cls, base: Baseline) -> Scale:
        """Return the scale of a measure on a test set."""
        measure = base.measure
        maximize = measure.direction is Direction.MAXIMIZE
        worst = base.min.value if maximize else base.max.value
        return cls(
            worst,
            base.best.value,
            _perfect_score(base),
            measure.direction,
            measure.is_custom,
        )

    @cached_property
    def room(self) -> float:
        """How much better a prediction without errors is than the best draw; nan if unknown."""
        return self.advantage(self.perfect, self.best)

    @cached_property
    def informative(self) -> bool:
        """Whether a prediction without errors is better than the best draw."""
        return not self.room <= 0

    def advantage(self, score: float, mark: float) -> float:
        """Return how much better a score is than a mark; 0 if they differ only by rounding."""
        difference = score - mark if self.direction is Direction.MAXIMIZE else mark - score
        return 0.0 if abs(difference) <= self.slack(score, mark) else difference

    def is_worse_than_every_draw(self, score: float) -> bool:
        """Return whether a score is at or below the worst baseline, and below the best one."""
        return self.advantage(score, self.worst) <= 0 and self.advantage(score, self.best) < 0

    def rescaled(self, score: float) -> float:
        """Return the rescaled score; see `rescaled_score`."""
        return self.rescaled_margin(self.advantage(score, self.best))

    def rescaled_margin(self, margin: float) -> float:
        """Return the rescaled score, given how much better it is than the best baseline."""
        if margin > 0:
            return min(margin / self.room, 1.0) if self.room > 0 else math.nan
        if math.isnan(margin):
            return math.nan
        # Avoid a division at the baseline itself, where the span may be zero.
        span = self.advantage(self.best, self.worst) if margin else 1.0
        return max(margin / span, -1.0) if span > 0 else math.copysign(1.0, margin)

    def slack(self, score: float, mark: float) -> float:
        """Return how far apart two scores may be and still be equal up to rounding."""
        if not self.is_custom:
            return _ROUNDING * max(abs(score), abs(mark))
        marks = (score, mark, self.worst, self.best, self.perfect)
        largest = max(abs(number) for number in marks if not math.isnan(number))
        return _ROUNDING_OF_CUSTOM * largest


def _perfect_score(base: Baseline) -> float:
    """Return the score of a prediction without errors."""
    measure, rate = base.measure, base.base_rate
    table = Confusion(tp=rate.positives, tn=rate.negatives)
    if measure.failing_requirement(table) is None:
        score = float(measure.definition(table.tp, table.fp, table.fn, table.tn))
        if math.isfinite(score):
            return score
    if not measure.is_custom:
        # With one class there are no errors to make: every prediction scores the same.
        return base.best.value
    maximize = measure.direction is Direction.MAXIMIZE
    end = measure.codomain.upper if maximize else measure.codomain.lower
    return end if math.isfinite(end) else math.nan
