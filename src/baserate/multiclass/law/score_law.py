"""The distribution of a score when a deck is dealt at random."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from baserate.core.law import Tails
from baserate.exceptions import InvalidProbabilityError
from baserate.exceptions.base import shown
from baserate.multiclass.law.choice import scores_of
from baserate.multiclass.law.expectation import expected_score
from baserate.multiclass.law.linear_form import floats, linear_form
from baserate.multiclass.law.moments import mean_and_sd
from baserate.multiclass.law.scores_of_tables import ScoresOfTables
from baserate.multiclass.measures.forms import OfTable
from baserate.support.arguments import is_probability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.core.direction import Direction
    from baserate.multiclass.law.choice import Scores
    from baserate.multiclass.measures.record import ClassMeasure


def law_of(measure: ClassMeasure, n: Sequence[int], m: Sequence[int]) -> ScoreLaw:
    """Return the distribution of a score when a deck is dealt at random.

    Parameters
    ----------
    measure
        The measure.
    n, m
        How often each class occurs, and how often it is predicted.

    Examples
    --------
    >>> from baserate.core.direction import Direction
    >>> from baserate.multiclass.measures.catalogue import get_class_measure
    >>> law = law_of(get_class_measure("accuracy"), (70, 20, 10), (62, 28, 10))
    >>> law.mean(), round(law.tail(0.63, Direction.MAXIMIZE), 5), law.exact
    (0.5, 0.00092, True)
    """
    return _kept(measure, tuple(map(int, n)), tuple(map(int, m)))


@lru_cache(maxsize=64)
def _kept(measure: ClassMeasure, n: tuple[int, ...], m: tuple[int, ...]) -> ScoreLaw:
    return ScoreLaw(measure, n, m)


@dataclass(frozen=True)
class ScoreLaw:
    """The distribution of a score when a deck is dealt at random.

    Scores that differ by rounding only are the same: `core/rounding.py` says by how much.

    Parameters
    ----------
    measure
        The measure.
    n, m
        How often each class occurs, and how often it is predicted.

    Examples
    --------
    >>> import baserate as br
    >>> counts = br.ClassCounts({"a": 70, "b": 20, "c": 10})
    >>> law = br.score_distribution("accuracy", counts, (62, 28, 10))
    >>> law.mean(), law.interval(0.95), law.method
    (0.5, (0.43, 0.58), 'card matching')
    """

    measure: ClassMeasure
    n: tuple[int, ...]
    m: tuple[int, ...]

    @cached_property
    def _scores(self) -> Scores:
        return scores_of(self.measure, self.n, self.m)

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no approximation."""
        return self._scores.exact

    @property
    def method(self) -> str:
        """How they were found.

        One of "hypergeometric", "card matching", "enumeration", "simulation" and "saddlepoint".
        """
        return self._scores.method

    @property
    def error(self) -> float:
        """What is known of the relative error of a probability; 0 if it is exact.

        Of a simulation it is the standard error at p = 0.05. Of a saddlepoint it is the largest
        error that was measured for p ≥ 1e-6; see `docs/decisions/`.
        """
        return self._scores.error

    @property
    def step(self) -> float:
        """How far apart neighbouring scores are; 0 if that is not known, or not always the same."""
        return self._scores.step

    def mean(self) -> float:
        """Return the expected score: by a formula, unless it is any function of the table."""
        scores = self._scores
        if type(self.measure.form) is OfTable and isinstance(scores, ScoresOfTables):
            return scores.mean()
        return expected_score(self.measure, self.n, self.m)

    def variance(self) -> float:
        """Return the variance of the score: by a formula if it is a weighted sum of the cells."""
        linear = linear_form(self.measure, self.n, self.m)
        if linear is None:
            return self._scores.variance()
        return mean_and_sd(*floats(self.n, self.m), linear[0])[1] ** 2

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good; nan for nan.

        Parameters
        ----------
        score
            A score.
        direction
            Which way is better.
        """
        return math.nan if math.isnan(score) else self._scores.tail(score, direction)

    def tails(self, score: float, direction: Direction) -> Tails:
        """Return the probability of a score at least as good, and of one at most as good."""
        return Tails(self.tail(score, direction), self.tail(score, direction.opposite))

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the central interval that holds at least this probability."""
        if not is_probability(confidence):
            raise InvalidProbabilityError(
                f"must be between 0 and 1 (got {shown(confidence)}); 95% is written 0.95",
                parameter="confidence",
            )
        tail = (1 - confidence) / 2
        return self._scores.quantile(tail), self._scores.quantile(1 - tail)

    def quantiles(self, levels: tuple[float, float]) -> tuple[float, float]:
        """Return the scores between which luck stays, the lower one first.

        Parameters
        ----------
        levels
            Two quantiles, from bad luck to good luck.
        """
        return self._scores.luck(levels)
