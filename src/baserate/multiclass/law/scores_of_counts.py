"""Scores that the number of right answers decides."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.direction import Direction
from baserate.core.rounding import COMPUTATION

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.multiclass.law.trace_law import CountLaw


@dataclass(frozen=True, eq=False)
class ScoresOfCounts:
    """The law of a score that never falls, or never rises, with the number of right answers.

    Parameters
    ----------
    law
        The law of the number of right answers.
    score
        The score of a number of right answers.
    counts
        Which numbers there are.
    magnitude
        The size of the numbers that rounding errors come from.
    """

    law: CountLaw
    score: Callable[[float], float]
    counts: range
    magnitude: float

    @property
    def step(self) -> float:
        """Return 0: scores are known one by one."""
        return 0.0

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding."""
        return self.law.exact

    @property
    def method(self) -> str:
        """How they were found."""
        return self.law.method

    @property
    def error(self) -> float:
        """What is known of their relative error."""
        return self.law.error

    @cached_property
    def _rises(self) -> bool:
        return self.score(self.counts[0]) <= self.score(self.counts[-1])

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""
        below, found = self._located(score)
        upward = (direction is Direction.MAXIMIZE) == self._rises
        if found is not None:
            return self.law.at_least(found) if upward else self.law.at_most(found)
        step = self.counts.step
        return self.law.at_least(below + step) if upward else self.law.at_most(below)

    def luck(self, levels: tuple[float, float]) -> tuple[float, float]:
        """Return the scores of two quantiles of the right answers, the lower score first."""
        low, high = sorted(self.score(self.law.ppf(level)) for level in levels)
        return low, high

    def quantile(self, level: float) -> float:
        """Return the smallest score that is not exceeded with at least this probability."""
        if self._rises:
            return self.score(self.law.ppf(level))
        # P(T ≥ t) ≥ level for the largest such t: the first t with P(T ≤ t) > 1 - level.
        reached = 1 - level * (1 - COMPUTATION)
        place = bisect_left(
            range(len(self.counts)),
            x=True,
            key=lambda i: self.law.at_most(self.counts[i]) > reached or i == len(self.counts) - 1,
        )
        return self.score(self.counts[place])

    def variance(self) -> float:
        """Return the variance of the score."""
        counts, masses = self.law.nodes()
        scores = np.array([self.score(count) for count in counts.tolist()])
        mean = float(masses @ scores)
        return float(masses @ (scores - mean) ** 2)

    def _located(self, score: float) -> tuple[int, int | None]:
        """Return the last count on the near side of a score, and the count that has it, if any.

        A score may be slightly off, but never half-way to the next.
        """
        sign = 1 if self._rises else -1
        counts = self.counts
        place = bisect_left(counts, sign * score, key=lambda count: sign * self.score(count))
        near = [i for i in (place - 1, place) if 0 <= i < len(counts)]
        scores = [self.score(counts[i]) for i in near]
        gaps = [abs(each - score) for each in scores]
        nearest = int(np.argmin(gaps))
        slack = COMPUTATION * self.magnitude
        if len(near) == 2:
            slack = min(slack, abs(scores[1] - scores[0]) / 4)
        below = counts.start + (place - 1) * counts.step
        return below, counts[near[nearest]] if gaps[nearest] <= slack else None
