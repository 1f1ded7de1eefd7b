"""How sure a score and its margin are, over test sets like the one that was observed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.base_rate import BaseRate
from baserate.binary.measures.extreme import ALWAYS
from baserate.binary.measures.margins import Margins
from baserate.binary.null import null_of
from baserate.core.confidence import around, limits, limits_of_rate, plausible
from baserate.core.direction import Direction
from baserate.exceptions import InvalidMeasureError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.confusion import Confusion
    from baserate.binary.dutch_scaler import Scaler
    from baserate.binary.measures.proportion import Proportion
    from baserate.binary.measures.record import Measure
    from baserate.binary.optimum.baseline import Baseline

    Floats = NDArray[np.float64]
    Cells = tuple[Floats, Floats, Floats, Floats]

# The base rates at which the expectation of a draw is computed; it is a straight line in between.
_BASE_RATES = 9


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """The limits of scores and margins over test sets like this one.

    The four counts are taken as a sample of all that could be observed, base rate included.

    Parameters
    ----------
    table
        What was observed.
    alpha
        How often a pair of limits may be wrong.
    """

    table: Confusion
    alpha: float

    def score(self, measure: Measure) -> tuple[float, float]:
        """Return the limits of a score; nan if it has no value here."""
        score, _ = measure.score_or_reason(self.table)
        if math.isnan(score):
            return math.nan, math.nan
        if measure.proportion is not None:
            return self._of_proportion(measure, measure.proportion)
        return around(score, limits(self._scores(measure), self.alpha))

    def margin(self, yardstick: Scaler) -> tuple[float, float]:
        """Return the limits of how much better a score is than the baseline; nan if it has none.

        A claim against the best of several references is a claim against each of them, so each
        is compared, and the smallest limits count.
        """
        measure = yardstick.base.measure
        score, _ = measure.score_or_reason(self.table)
        if math.isnan(score):
            return math.nan, math.nan
        scores, scale = self._scores(measure), yardstick.scale
        sign = 1 if measure.direction is Direction.MAXIMIZE else -1
        found = [
            limits(sign * (scores - reference), self.alpha)
            for reference in self._references(yardstick.base)
        ]
        slack = scale.slack(score, scale.best)
        ends = map(min, zip(*found, strict=True))
        low, high = (0.0 if abs(end) <= slack else end for end in ends)
        return around(scale.advantage(score, scale.best), (low, high))

    def _of_proportion(self, measure: Measure, proportion: Proportion) -> tuple[float, float]:
        ends = limits_of_rate(*proportion.counted(self.table), self.alpha)
        low, high = sorted(
            float(measure.definition(*proportion.cells(end, self.table.total))) for end in ends
        )
        return low, high

    @cached_property
    def _cells(self) -> Cells:
        """Tables that could well have given this one, their total kept."""
        table = self.table
        counts = table.tp, table.fp, table.fn, table.tn
        # G2 needs a true positive and a true negative: one observation alone would not change it.
        empty = [pair for pair in ((0, 3), (1, 2)) if not any(counts[place] for place in pair)]
        return tuple(plausible(counts, self.alpha, empty) * table.total)

    def _scores(self, measure: Measure) -> Floats:
        known = self._known.get(measure)
        if known is None:
            known = self._known[measure] = scored(measure, self._cells)
        return known

    @cached_property
    def _known(self) -> dict[Measure, Floats]:
        return {}

    def _references(self, base: Baseline) -> list[Floats]:
        """Return what the best predictions that ignore their input expect on those tables."""
        found = [self._reference(base, drawn) for drawn in _candidates(base)]
        # By a user's function, a constant prediction may have no score at any base rate.
        known = [each for each in found if not np.isnan(each).all()]
        return _undominated(known or found[-1:], base.measure)

    def _reference(self, base: Baseline, drawn: int) -> Floats:
        """Return the expectation of a draw at the base rate of each table."""
        tp, fp, fn, tn = self._cells
        positives, negatives, left = tp + fn, fp + tn, self.table.total - drawn
        formula = base.measure.draw.expectation
        if formula is not None:
            expected = formula(Margins(positives, negatives, drawn, left))
            return np.broadcast_to(np.asarray(expected, dtype=float), tp.shape)
        none = np.zeros_like(tp)
        if not left:
            return scored(base.measure, (positives, negatives, none, none))
        if not drawn:
            return scored(base.measure, (none, none, positives, negatives))
        return np.interp(positives, *_nearby(base.measure, base.base_rate, drawn))


def _candidates(base: Baseline) -> list[int]:
    """Return the draws that may be the best on test sets like this one.

    They are the constant ones, and the best draw if it is none of these. At another base rate
    another one may be the best: that of G2 draws two thirds if one observation is positive, and
    soon half if more are, so half is compared too. If all draws tie at any base rate, one of them
    will do.
    """
    best = base.best.theta_stars.counts
    if base.measure.draw.constant is ALWAYS:
        return [best[0][0]]
    allowed = base.measure.allowed(base.base_rate)
    ends = [end for end in (0, base.base_rate.total) if end in allowed]
    is_constant = any(end in part for part in best for end in ends)
    if is_constant:
        return ends
    half = base.base_rate.total // 2
    is_new = half in allowed and not any(half in part for part in best)
    return [*ends, best[0][0], *([half] if is_new else [])]


def scored(measure: Measure, cells: Cells) -> Floats:
    """Return scores of tables with parts of counts; nan where there is none."""
    try:
        scores = measure.scores(*cells)
    except InvalidMeasureError:  # a user's function may take whole counts only
        scores = measure.scores(*(np.rint(cell) for cell in cells))
    # An MCC of 1 may be 1 + 2e-16, and a limit is no place for it.
    within = np.clip(scores, measure.codomain.lower, measure.codomain.upper)
    return np.where(np.isfinite(scores), within, np.nan)


def _undominated(references: list[Floats], measure: Measure) -> list[Floats]:
    """Leave out references that are nowhere better than another one."""
    sign = 1 if measure.direction is Direction.MAXIMIZE else -1
    kept: list[Floats] = []
    for reference in references:
        if any(not (sign * (reference - other) > 0).any() for other in kept):
            continue
        kept = [other for other in kept if (sign * (other - reference) > 0).any()]
        kept.append(reference)
    return kept


@lru_cache(maxsize=1024)
def _nearby(measure: Measure, rate: BaseRate, drawn: int) -> tuple[Floats, list[float]]:
    """Return some base rates that could well have given this one, and what a draw expects there.

    They are numbers of positives, four standard deviations and a few to either side.
    """
    reach = 4 * math.sqrt(rate.positives * rate.negatives / rate.total) + 5
    ends = max(rate.positives - reach, 1), min(rate.positives + reach, rate.total - 1)
    positives = np.unique(np.linspace(*ends, _BASE_RATES).round())
    return positives, [_expected(measure, int(each), rate.total, drawn) for each in positives]


def _expected(measure: Measure, positives: int, total: int, drawn: int) -> float:
    return null_of(measure, BaseRate(positives=positives, total=total), drawn).mean()
