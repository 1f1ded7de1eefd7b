"""The null distribution of a score of two classes, and a model compared with it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from baserate.arguments import as_float
from baserate.binary.expectation import expected_scores, means_of_few
from baserate.binary.measures.affine import affine_score
from baserate.binary.measures.margins import Margins
from baserate.core.direction import Direction
from baserate.core.law import Tails
from baserate.core.rounding import COMPUTATION
from baserate.exceptions import TooManyValuesError, UndefinedMeasureError
from baserate.null.expectation import variance_of_formula
from baserate.null.hypergeometric import Hypergeometric
from baserate.null.hypergeometrics import Hypergeometrics
from baserate.null.two_classes import MOST_LISTED, TwoClasses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.confusion import Confusion
    from baserate.binary.measures.record import Measure

CENTRAL = (0.025, 0.975)
"""The levels between which chance is expected to stay, unless told otherwise."""


@lru_cache(maxsize=8)  # the scores of a user's function may be a million
def null_of(measure: Measure, rate: BaseRate, drawn: int) -> TwoClasses:
    """Return the distribution of a score when so many positive predictions are shuffled.

    Parameters
    ----------
    measure
        The measure.
    rate
        The test set.
    drawn
        How many rows are predicted positive.

    Examples
    --------
    >>> from baserate import BaseRate, get_measure
    >>> null = null_of(get_measure("PPV"), BaseRate(positives=2, total=4), 2)
    >>> null.mean(), round(null.sf(0.5), 4), null.ppf(0.9)
    (0.5, 0.8333, 1.0)
    """
    measure.require_draw(rate, drawn)
    return TwoClasses(
        _true_positives(rate, drawn),
        measure,
        partial(_mean, measure, rate, drawn),
        partial(_variance, measure, rate, drawn),
        is_monotone=measure.monotone or _is_steep(measure, rate),
    )


def _true_positives(rate: BaseRate, drawn: int) -> Hypergeometric:
    return Hypergeometric(rate.positives, rate.negatives, drawn)


def _is_steep(measure: Measure, rate: BaseRate) -> bool:
    """Return whether a score is a straight line whose steps are more than rounding.

    Of more scores than can be listed, single ones tie.
    """
    line = affine_score(measure, rate)
    if line is None:
        return False
    if rate.total > MOST_LISTED:
        return line.slope != 0
    size = abs(line.constant) + abs(line.tp) * rate.positives + abs(line.fp) * rate.negatives
    return abs(line.slope) > 4 * COMPUTATION * size


def _mean(measure: Measure, rate: BaseRate, drawn: int) -> float:
    if measure.draw.expectation is not None:  # a formula, in exact integers
        return float(measure.draw.expectation(Margins.of(rate, drawn)))
    return float(expected_scores(rate, measure, np.array([drawn]))[0])


def _variance(measure: Measure, rate: BaseRate, drawn: int) -> float:
    true_positives, line = _true_positives(rate, drawn), affine_score(measure, rate)
    if measure.draw.slope is not None:
        slope = float(measure.draw.slope(Margins.of(rate, drawn)))
        return slope**2 * float(true_positives.variance)
    if line is not None:
        return as_float(line.slope**2 * true_positives.variance)
    if not measure.rounds:
        return variance_of_formula(measure.definition, true_positives)
    mean = _mean(measure, rate, drawn)

    def squared(*table: NDArray[np.float64]) -> NDArray[np.float64]:
        return (measure.scores(*table) - mean) ** 2

    return float(means_of_few(squared, rate, measure, np.array([drawn]))[0])


def tails(tables: Sequence[Confusion]) -> list[Tails]:
    """Return P(TP ≥ tp) and P(TP ≤ tp) of each table."""
    better, worse = np.full((2, len(tables)), np.nan)
    places, tp, narrow = Hypergeometrics.among(_cells(tables))
    better[places], worse[places] = narrow.at_least(tp), narrow.at_most(tp)
    for place in np.flatnonzero(np.isnan(better)).tolist():
        table = tables[place]
        one = _true_positives(table.base_rate, table.predicted_positives)
        better[place], worse[place] = one.sf(table.tp - 1), one.cdf(table.tp)
    return list(map(Tails, better.tolist(), worse.tolist()))


def _cells(tables: Sequence[Confusion]) -> NDArray[np.int64]:
    rows = [(table.tp, table.fp, table.fn, table.tn) for table in tables]
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


def chances(tables: Sequence[Confusion], levels: tuple[float, float] = CENTRAL) -> list[Chance]:
    """Return what chance does with as many positive predictions as each table has."""
    places, _, narrow = Hypergeometrics.among(_cells(tables))
    (low, is_low), (high, is_high) = narrow.quantiles(*levels)
    certain = is_low & is_high
    ends = zip(low[certain].tolist(), high[certain].tolist(), strict=True)
    known = dict(zip(places[certain].tolist(), ends, strict=True))
    return [
        Chance(table.base_rate, table.predicted_positives, levels, known.get(place))
        for place, table in enumerate(tables)
    ]


@dataclass(frozen=True)
class Chance:
    """The scores of shuffled predictions, with a given number of positive ones.

    Parameters
    ----------
    base_rate
        The test set.
    predicted_positives
        The number of positive predictions.
    levels
        The quantiles between which chance is expected to stay, from bad to good.
    known
        These quantiles of TP, if already found.
    """

    base_rate: BaseRate
    predicted_positives: int
    levels: tuple[float, float] = CENTRAL
    known: tuple[int, int] | None = field(default=None, compare=False, repr=False)

    def luck_interval(self, measure: Measure) -> tuple[float, float]:
        """Return between which scores chance stays; nan where it has none, or too many."""
        low, high = self.levels
        if measure.monotone:
            tp = _true_positives(self.base_rate, self.predicted_positives)
            ends = self.known or (tp.ppf(low), tp.ppf(high))
            first, last = sorted(float(measure.definition(*tp.cells(end))) for end in ends)
            return first, last
        if measure.direction is not Direction.MAXIMIZE:
            low, high = 1 - high, 1 - low
        try:
            null = self._null(measure)
            return null.ppf(low), null.ppf(high)
        except (TooManyValuesError, UndefinedMeasureError):
            return math.nan, math.nan

    def tails(self, measure: Measure, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad; nan where it has none.

        Measures that are monotone share `tails`.
        """
        try:
            return self._null(measure).tails(score, measure.direction)
        except (TooManyValuesError, UndefinedMeasureError):
            return Tails(math.nan, math.nan)

    def is_exact(self, measure: Measure) -> bool:  # noqa: ARG002
        """Return True: every chance is a sum over counts."""
        return True

    def _null(self, measure: Measure) -> TwoClasses:
        return null_of(measure, self.base_rate, self.predicted_positives)
