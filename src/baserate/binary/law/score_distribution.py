"""The distribution of a score under a draw."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.law.affine import affine_score
from baserate.binary.law.attainable import AttainableScores, MonotoneScores, TabulatedScores
from baserate.binary.law.expectation import expected_scores, means_of_few
from baserate.binary.law.hypergeometric import MOST_VALUES, Hypergeometric
from baserate.binary.law.sampling import generator, random_counts, sample_shape, within_memory
from baserate.binary.law.spread import variance_of_formula
from baserate.binary.measures.margins import Margins
from baserate.core.direction import Direction
from baserate.exceptions import InvalidMeasureError, InvalidProbabilityError
from baserate.exceptions.base import shown
from baserate.support.arguments import as_float, is_probability

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.measures.record import Measure


# Listing this many scores takes as long as looking up one of them.
_WORTH_A_TABLE = 1000
# Sum fewer tails than this one by one, so that ppf inverts cdf to the last bit.
_MANY = 256


@dataclass(frozen=True)
class ScoreDistribution:
    """The distribution of a measure's score under a Dutch Draw, with scipy's method names.

    A score with a rounding error still finds its probability; see `docs/decisions/`.

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
        """The distribution of TP."""
        return Hypergeometric(self.base_rate, self.predicted_positives)

    @cached_property
    def _scores(self) -> AttainableScores:
        if not self.measure.monotone and not self._is_long_and_straight:
            return self._table
        return MonotoneScores(self.measure, self.true_positives)

    @property
    def _is_long_and_straight(self) -> bool:
        """Whether there are too many scores for a table, and each follows from its count."""
        affine = affine_score(self.measure, self.base_rate)
        is_long = self.true_positives.size > MOST_VALUES
        return is_long and affine is not None and affine.slope != 0

    @cached_property
    def _table(self) -> TabulatedScores:
        return TabulatedScores(self.measure, self.true_positives)

    def _looked_up(
        self, question: str, x: ArrayLike, many: int = 2, of_nan: float = math.nan
    ) -> Any:
        """Look up scores; for many of them, list all scores first."""
        asked = _numbers(x)
        most = min(_WORTH_A_TABLE * asked.size, MOST_VALUES)
        is_worth_it = asked.size >= many and self.true_positives.size <= most
        scores = self._table if is_worth_it else self._scores
        return _elementwise(getattr(scores, question), asked, of_nan)

    def support(self) -> tuple[float, float]:
        """Return the lowest and the highest possible score."""
        return self._scores.lowest, self._scores.highest

    def values(self) -> NDArray[np.float64]:
        """Return every possible score, ascending."""
        return self._scores.values()

    def pmf(self, x: ArrayLike) -> Any:
        """Return the probability of a score of exactly x."""
        return self._looked_up("pmf", x, of_nan=0.0)

    def cdf(self, x: ArrayLike) -> Any:
        """Return the probability of a score of at most x; nan for nan."""
        return self._looked_up("cdf", x, many=_MANY)

    def sf(self, x: ArrayLike) -> Any:
        """Return the probability of a score above x; nan for nan."""
        return self._looked_up("sf", x, many=_MANY)

    def ppf(self, q: ArrayLike) -> Any:
        """Return the lowest score x with cdf(x) ≥ q; nan for a q outside [0, 1]."""
        probabilities = _numbers(q)
        return _elementwise(
            lambda p: self._scores.ppf(p) if 0 <= p <= 1 else math.nan, probabilities
        )

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding: they always are."""
        return True

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good, nan for nan.

        Parameters
        ----------
        score
            A score.
        direction
            Which way is better.
        """
        if math.isnan(score):
            return math.nan
        scores = self._scores
        return scores.at_least(score) if direction is Direction.MAXIMIZE else scores.cdf(score)

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the central interval with at least this probability."""
        if not is_probability(confidence):
            raise InvalidProbabilityError(
                f"must be between 0 and 1 (got {shown(confidence)}); 95% is written 0.95",
                parameter="confidence",
            )
        tail = (1 - confidence) / 2
        return self.ppf(tail), self.ppf(1 - tail)

    def mean(self) -> float:
        """Return the expected score."""
        if self.measure.draw.expectation is not None:  # a formula, in exact integers
            margins = Margins.of(self.base_rate, self.predicted_positives)
            return float(self.measure.draw.expectation(margins))
        counts = np.array([self.predicted_positives])
        return float(expected_scores(self.base_rate, self.measure, counts)[0])

    def var(self) -> float:
        """Return the variance of the score."""
        if self.measure.draw.slope is not None:
            margins = Margins.of(self.base_rate, self.predicted_positives)
            return float(self.measure.draw.slope(margins)) ** 2 * float(
                self.true_positives.variance
            )
        affine = affine_score(self.measure, self.base_rate)
        if affine is not None:
            return as_float(affine.slope**2 * self.true_positives.variance)
        if not self.measure.rounds:
            return variance_of_formula(self.measure.definition, self.true_positives)
        mean = self.mean()
        counts = np.array([self.predicted_positives])
        squares = means_of_few(
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
            How many, or the shape of an array; a single number by default.
        rng
            A seed, a `numpy.random.Generator`, or None. The same seed gives the same scores.
        """
        shape = () if size is None else sample_shape(size)
        with within_memory(math.prod(shape)):
            tp = random_counts(self.true_positives, generator(rng), shape)
            cells = (np.asarray(cell, dtype=float) for cell in self.true_positives.cells(tp))
            scores = self.measure.scores(*cells)
        return float(scores) if size is None else scores


def _elementwise(
    function: Callable[[float], float], array: NDArray[np.float64], of_nan: float = math.nan
) -> Any:
    """Apply a function to a number or to each number of an array, except nan."""
    results = [of_nan if math.isnan(x) else function(x) for x in array.ravel().tolist()]
    return np.array(results, dtype=float).reshape(array.shape) if array.ndim else results[0]


def _numbers(values: ArrayLike) -> NDArray[np.float64]:
    """Return the numbers that a user looks up as floats, or raise if they are non-numeric."""
    try:
        array = np.asarray(values)
        is_numeric = array.dtype.kind in "biufO" and not np.ma.is_masked(values)
        if is_numeric:
            with np.errstate(over="ignore"):  # a float longer than 64 bits
                return array.astype(float)
    except Exception:  # ragged lists, and whatever a user's object raises
        raise InvalidMeasureError.scores(values) from None
    raise InvalidMeasureError.scores(values)
