"""Where a score stands between what comes for free and perfection."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from baserate.binary.confusion import Confusion
from baserate.binary.optimum.baseline import Baseline, baseline
from baserate.core.direction import Direction
from baserate.core.rounding import COMPUTATION, FORMULA
from baserate.exceptions import InvalidMeasureError
from baserate.exceptions.base import shown
from baserate.support.arguments import as_float, is_number

if TYPE_CHECKING:
    from baserate.binary.base_rate import BaseRate
    from baserate.binary.measures.record import Measure
    from baserate.data.labels import Labels


def rescaled_score(
    test_set: BaseRate | Confusion | Labels, measure: str | Measure, score: float
) -> float:
    """Rescale a score, so that it can be read without knowing the base rate.

    It is -1 at the worst baseline and below it, 0 at the best baseline and 1 for a perfect
    prediction, and straight in between (the paper's second proposal for further research). A
    measure to minimize is mirrored. Where all draws expect the same, whatever is below that is
    -1. Where the best baseline is perfect, nothing is above 0.

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
        whose perfect score is not known.

    Examples
    --------
    >>> from baserate import BaseRate
    >>> rate = BaseRate(positives=139, total=303)
    >>> [round(rescaled_score(rate, "F1", score), 3) for score in (0.0, 0.5, 0.629, 0.8, 1.0)]
    [-1.0, -0.207, 0.0, 0.461, 1.0]
    """
    return Scale.of(baseline(test_set, measure)).rescaled(require_score(score))


def require_score(score: Any) -> float:
    """Return a score as a float, or raise if it is no number that a score can be."""
    number = as_float(score) if is_number(score) else math.inf
    if math.isinf(number):
        raise InvalidMeasureError(
            f"must be a finite number (got {shown(score)} of type {type(score).__name__})",
            parameter="score",
        )
    return number


@dataclass(frozen=True)
class Scale:
    """Three marks to read a score by: the worst baseline, the best baseline and perfection.

    Parameters
    ----------
    worst, best
        The expected scores of the worst and the best draw, in the measure's direction.
    perfect
        The score of a prediction without errors; nan if it is not known.
    direction
        Which way the measure is better.
    rounds
        Whether equal scores may differ in their last places; see `Measure.rounds`.
    """

    worst: float
    best: float
    perfect: float
    direction: Direction
    rounds: bool = False

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

    def is_worse_than_every_draw(self, score: float) -> bool:
        """Tell a score at or under the worst baseline, unless it is the best one as well."""
        return self.advantage(score, self.worst) <= 0 and self.advantage(score, self.best) < 0

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
        return max(margin / span, -1.0) if span > 0 else math.copysign(1.0, margin)

    def slack(self, score: float, mark: float) -> float:
        """Return how far apart two scores may be, and be the same up to rounding."""
        if not self.rounds:
            return FORMULA * max(abs(score), abs(mark))
        marks = (score, mark, self.worst, self.best, self.perfect)
        largest = max(abs(number) for number in marks if not math.isnan(number))
        return COMPUTATION * largest


def _perfect_score(base: Baseline) -> float:
    """Return the score of a prediction without errors."""
    measure, rate = base.measure, base.base_rate
    table = Confusion(tp=rate.positives, tn=rate.negatives)
    if measure.failing_requirement(table) is None:
        score = float(measure.definition(table.tp, table.fp, table.fn, table.tn))
        if math.isfinite(score):
            return score
    if not measure.may_be_undefined:
        # With one class there is nothing to err on: whatever is predicted scores the same.
        return base.best.value
    maximize = measure.direction is Direction.MAXIMIZE
    end = measure.codomain.upper if maximize else measure.codomain.lower
    return end if math.isfinite(end) else math.nan
