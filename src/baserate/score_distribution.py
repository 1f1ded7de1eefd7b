"""The law of a score under a draw."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.attainable import (
    MOST_VALUES,
    AttainableScores,
    MonotoneScores,
    TabulatedScores,
)
from baserate.checks import is_probability
from baserate.exceptions import InvalidMeasureError, InvalidProbabilityError
from baserate.expectation import computed_expectations, expected_score_of_count
from baserate.hypergeometric import Hypergeometric
from baserate.measures.margins import Margins
from baserate.sampling import random_counts
from baserate.theta import as_counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from baserate.base_rate import BaseRate
    from baserate.measures.record import Measure


# To lay out so many scores takes as long as to look one of them up.
_WORTH_A_TABLE = 1000
# Fewer tails than this are summed one by one, so that ppf inverts cdf to the last bit.
_MANY = 256


@dataclass(frozen=True)
class ScoreDistribution:
    """The law of a measure's score under a Dutch Draw, named as scipy names its methods.

    A score given with rounding error still finds its mass; see `docs/decisions/`.

    Parameters
    ----------
    measure
        The measure.
    base_rate
        The test set.
    predicted_positives
        The size of the draw.

    Examples
    --------
    >>> from baserate import BaseRate, DutchDraw
    >>> law = DutchDraw(BaseRate(positives=2, total=4), theta=0.5).score("PPV")
    >>> law.values(), law.pmf(law.values()).round(4)
    (array([0. , 0.5, 1. ]), array([0.1667, 0.6667, 0.1667]))
    >>> law.mean(), law.cdf(0.5), law.ppf(0.9)
    (0.5, 0.8333333333333334, 1.0)
    """

    measure: Measure
    base_rate: BaseRate
    predicted_positives: int

    def __post_init__(self) -> None:
        self.measure.require_draw(self.base_rate, self.predicted_positives)

    @cached_property
    def true_positives(self) -> Hypergeometric:
        """The law of TP."""
        return Hypergeometric(self.base_rate, self.predicted_positives)

    @cached_property
    def _scores(self) -> AttainableScores:
        if self.measure.is_custom:
            return self._table
        return MonotoneScores(self.measure, self.true_positives)

    @cached_property
    def _table(self) -> TabulatedScores:
        return TabulatedScores(self.measure, self.true_positives)

    def _scores_for(self, x: ArrayLike, many: int = 2) -> AttainableScores:
        """Return the scores to look x up in: many questions are worth laying them all out."""
        most = min(_WORTH_A_TABLE * np.size(x), MOST_VALUES)
        is_worth_it = np.size(x) >= many and self.true_positives.size <= most
        return self._table if is_worth_it else self._scores

    def support(self) -> tuple[float, float]:
        """Return the lowest and the highest score that the draw can have."""
        return self._scores.lowest, self._scores.highest

    def values(self) -> NDArray[np.float64]:
        """Return every score that the draw can have, ascending."""
        return self._scores.values()

    def pmf(self, x: ArrayLike) -> Any:
        """Return the probability of a score of exactly x."""
        return _elementwise(self._scores_for(x).pmf, x, of_nan=0.0)

    def cdf(self, x: ArrayLike) -> Any:
        """Return the probability of a score of at most x, nan for nan."""
        return _elementwise(self._scores_for(x, _MANY).cdf, x)

    def sf(self, x: ArrayLike) -> Any:
        """Return the probability of a score above x, nan for nan."""
        return _elementwise(self._scores_for(x, _MANY).sf, x)

    def ppf(self, q: ArrayLike) -> Any:
        """Return the lowest score x with cdf(x) ≥ q, nan for a q outside [0, 1]."""
        return _elementwise(lambda p: self._scores.ppf(p) if 0 <= p <= 1 else math.nan, q)

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the central interval that holds at least this probability."""
        if not is_probability(confidence):
            raise InvalidProbabilityError.confidence(confidence)
        tail = (1 - confidence) / 2
        return self.ppf(tail), self.ppf(1 - tail)

    def mean(self) -> float:
        """Return the expected score."""
        return expected_score_of_count(self.base_rate, self.measure, self.predicted_positives)

    def var(self) -> float:
        """Return the variance of the score."""
        if self.measure.slope is not None:
            margins = Margins.of(self.base_rate, self.predicted_positives)
            return float(self.measure.slope(margins)) ** 2 * float(self.true_positives.variance)
        mean = self.mean()
        counts = as_counts([self.predicted_positives], self.base_rate.total)
        squares = computed_expectations(
            lambda *table: (self.measure.scores(*table) - mean) ** 2,
            self.base_rate,
            self.measure,
            counts,
        )
        return float(squares[0])

    def std(self) -> float:
        """Return the standard deviation of the score."""
        return math.sqrt(self.var())

    def rvs(self, size: int | tuple[int, ...] | None = None, rng: Any = None) -> Any:
        """Return random scores.

        Parameters
        ----------
        size
            How many, or the shape of an array of them; one number by default.
        rng
            A seed, a `numpy.random.Generator`, or None. The same seed gives the same scores.
        """
        generator = np.random.default_rng(rng)
        tp = random_counts(self.true_positives, generator, () if size is None else size)
        cells = (np.asarray(cell, dtype=float) for cell in self.true_positives.cells(tp))
        scores = self.measure.scores(*cells)
        return float(scores) if size is None else scores


def _elementwise(
    function: Callable[[float], float], values: ArrayLike, of_nan: float = math.nan
) -> Any:
    """Apply a function to a number or to each number of an array, but not to nan."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise InvalidMeasureError.score(values) from None
    results = [of_nan if math.isnan(x) else function(x) for x in array.ravel().tolist()]
    return np.array(results, dtype=float).reshape(array.shape) if array.ndim else results[0]
