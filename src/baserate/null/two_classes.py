"""The null distribution of a measure of two classes: a function of one hypergeometric count.

Shuffled predictions have P̂ positives among P and N, so the true positives decide the score. A
measure that rises or falls with them needs no list of its scores: bisection over the counts finds
one, at any size. The scores of any other function are listed.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from baserate.core.baseline import COMPUTATION, FORMULA
from baserate.exceptions import TooManyValuesError, UndefinedMeasureError
from baserate.null.distribution import NullDistribution

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.null.hypergeometric import Hypergeometric

    Floats = NDArray[np.float64]

# The most scores to list; those of a million counts take half a second.
MOST_LISTED = 10**6
# Masses are above the smallest float within 38 standard deviations, and some counts more.
_REACH = 38.0, 600


class Scored(Protocol):
    """What is asked of a measure of two classes."""

    @property
    def key(self) -> str:
        """Its short name."""

    @property
    def rounds(self) -> bool:
        """Whether equal scores may differ in their last places."""

    @property
    def definition(self) -> Callable[..., Any]:
        """The score of TP, FP, FN and TN."""

    def scores(self, tp: Any, fp: Any, fn: Any, tn: Any, /) -> Floats:
        """Score arrays of tables; an undefined score is not finite."""

    def magnitude(self, largest: float) -> float:
        """Return the size of the numbers that scores are computed from."""


class Ladder(Protocol):
    """All possible scores in ascending order, by their places: 0, 1, 2 and so on."""

    size: int

    def score(self, place: int) -> float:
        """Return the score at a place."""

    def at_most(self, place: int) -> float:
        """Return the probability of this score and of all lower ones; 0 below all places."""

    def at_least(self, place: int) -> float:
        """Return the probability of this score and of all higher ones; 0 above all places."""

    def quantile(self, level: float) -> int:
        """Return the lowest place that is not exceeded with at least a probability."""


class TwoClasses(NullDistribution):
    """The score of shuffled predictions of two classes."""

    method = "exact"

    def __init__(
        self,
        true_positives: Hypergeometric,
        measure: Scored,
        mean: Callable[[], float],
        var: Callable[[], float],
        *,
        is_monotone: bool,
    ) -> None:
        self.true_positives, self.measure, self.score_of = true_positives, measure, measure.key
        self._mean, self._var, self._is_monotone = mean, var, is_monotone

    @cached_property
    def ladder(self) -> Ladder:
        """All possible scores."""
        made = _Counts if self._is_monotone else _Listing
        return made(self.true_positives, self.measure)

    def mean(self) -> float:
        """Return the expected score."""
        return self._mean()

    def var(self) -> float:
        """Return the variance of the score."""
        return self._var()

    def sf(self, score: float) -> float:
        """Return the probability of at least a score; nan for nan."""
        return math.nan if math.isnan(score) else self.ladder.at_least(self.places(score)[0])

    def cdf(self, score: float) -> float:
        """Return the probability of at most a score; nan for nan."""
        return math.nan if math.isnan(score) else self.ladder.at_most(self.places(score)[1])

    def ppf(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least a probability."""
        return self.ladder.score(self.ladder.quantile(level))

    def places(self, score: float) -> tuple[int, int]:
        """Return the first place that is at least a score, and the last that is at most it.

        A score with a rounding error is meant to be the nearest one, if it is not a quarter of the
        way to the next: docs/decisions/0003-hypergeometric.md.
        """
        ladder = self.ladder
        first = bisect_left(range(ladder.size), score, key=ladder.score)
        near = [place for place in (first - 1, first) if 0 <= place < ladder.size]
        scores = [ladder.score(place) for place in near]
        apart = [abs(each - score) for each in scores]
        slack = COMPUTATION * self._scale
        if len(near) == 2:
            slack = min(slack, (scores[1] - scores[0]) / 4)
        nearest = apart.index(min(apart))
        return (near[nearest],) * 2 if apart[nearest] <= slack else (first, first - 1)

    @cached_property
    def _scale(self) -> float:
        ends = self.ladder.score(0), self.ladder.score(self.ladder.size - 1)
        return self.measure.magnitude(max(map(abs, ends)))


class _Counts:
    """Scores that rise with TP, or with FN, which is the TP of the opposite predictions."""

    def __init__(self, true_positives: Hypergeometric, measure: Scored) -> None:
        self._definition = measure.definition
        ends = true_positives.low, true_positives.high
        first, last = (float(self._definition(*true_positives.cells(tp))) for tp in ends)
        self._rises = first <= last
        self._count = true_positives if self._rises else true_positives.opposite
        self.size = self._count.size

    def score(self, place: int) -> float:
        """Return the score at a place."""
        tp, fp, fn, tn = self._count.cells(self._count.low + place)
        # The opposite predictions' TP, FP, FN and TN are these predictions' FN, TN, TP and FP.
        return float(self._definition(*((tp, fp, fn, tn) if self._rises else (fn, tn, tp, fp))))

    def at_most(self, place: int) -> float:
        """Return the probability of this score and of all lower ones."""
        return self._count.cdf(self._count.low + place)

    def at_least(self, place: int) -> float:
        """Return the probability of this score and of all higher ones."""
        return self._count.sf(self._count.low + place - 1)

    def quantile(self, level: float) -> int:
        """Return the lowest place that is not exceeded with at least a probability."""
        return self._count.ppf(level) - self._count.low


class _Listing:
    """Scores in a sorted array, because those of a user's function may rise, fall and repeat.

    Counts whose probability is below the smallest float are left out.
    """

    def __init__(self, true_positives: Hypergeometric, measure: Scored) -> None:
        longest = 2 * math.ceil(_REACH[0] * true_positives.sd + _REACH[1])
        if min(true_positives.size, longest) > MOST_LISTED:
            raise TooManyValuesError(
                f"at most {MOST_LISTED:,} scores can be listed (got predictions with "
                f"{true_positives.size:,}): of such test sets only measures of the catalogue, and "
                "sums of counts, have a null distribution"
            )
        first, masses = true_positives.masses()
        scores = _finite(measure, true_positives, first + np.arange(masses.size))
        # Equal scores, but for rounding.
        order = np.argsort(scores, kind="stable")
        scores, masses = scores[order], masses[order]
        slack = (FORMULA if measure.rounds else 0.0) * np.maximum(
            np.abs(scores[1:]), np.abs(scores[:-1])
        )
        starts = np.append(0, np.flatnonzero(np.diff(scores) > slack) + 1)
        self._scores, masses = scores[starts], np.add.reduceat(masses, starts)
        self._below = np.minimum(np.cumsum(masses), 1.0)
        self._above = np.minimum(np.cumsum(masses[::-1])[::-1], 1.0)
        # All of them, whatever rounding says.
        self._below[-1] = self._above[0] = 1.0
        self.size = self._scores.size

    def score(self, place: int) -> float:
        """Return the score at a place."""
        return float(self._scores[place])

    def at_most(self, place: int) -> float:
        """Return the probability of this score and of all lower ones."""
        return float(self._below[place]) if place >= 0 else 0.0

    def at_least(self, place: int) -> float:
        """Return the probability of this score and of all higher ones."""
        return float(self._above[place]) if place < self.size else 0.0

    def quantile(self, level: float) -> int:
        """Return the lowest place that is not exceeded with at least a probability."""
        return self.size - 1 if level >= 1 else int(np.searchsorted(self._below, level))


def _finite(measure: Scored, true_positives: Hypergeometric, tp: NDArray[Any]) -> Floats:
    """Return the scores of some counts, or raise if one of them, or an end, has none."""
    # A function divides by zero where a cell is empty: at an end, however unlikely that is.
    every = np.append(tp, [true_positives.low, true_positives.high]).astype(float)
    cells = true_positives.cells(every)
    scores = measure.scores(*cells)
    missing = np.flatnonzero(~np.isfinite(scores))
    if missing.size:
        where = [int(cell[missing[0]]) for cell in cells]
        evidence = "tp = {}, fp = {}, fn = {}, tn = {}".format(*where)
        raise UndefinedMeasureError.no_distribution(
            measure.key, "a number for every score it can have", evidence
        )
    return scores[: tp.size]
