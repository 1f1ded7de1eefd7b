"""Baselines, and scores between the worst guess, the best one and perfection."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from baserate.core.measure import Direction
from baserate.formatting import Spoken, number_format

FORMULA = 4 * sys.float_info.epsilon
"""Two results of one formula: they differ in their last places."""
COMPUTATION = 16 * FORMULA
"""Two results of a sum, an integral or a user's function, relative to the largest number in it."""


RANDOM = "a random ranking"
EQUAL = "the same score for everyone"
ANY = "any guess"
BASE_RATE = "the base rate for everyone"


@dataclass(frozen=True)
class Optimum:
    """An extreme of the expected score, and the guesses that attain it."""

    value: float
    guesses: Any
    said: str = ""
    exact: bool = True

    @property
    def guess(self) -> str:
        """What attains it, in words."""
        return self.said or str(self.guesses)


@dataclass(frozen=True, repr=False)
class Baseline(Spoken):
    """What the best guess expects by a measure on a test set, and the worst one.

    Parameters
    ----------
    measure
        The measure.
    test_set
        The test set.
    max, min
        The largest and the smallest expected score of any guess.
    perfect
        The score of a prediction without errors; nan if it is not known.

    Examples
    --------
    >>> import baserate as br
    >>> base = br.baseline(br.BaseRate(positives=139, total=303), "F1")
    >>> round(base.value, 3), base.guess, base.guesses
    (0.629, 'everyone positive', ThetaSet({1}))
    >>> base
    F1 baseline 0.629 on 303 observations, 139 positive (45.9%): everyone positive; the worst
    guess has 0.007
    """

    measure: Any
    test_set: Any
    max: Optimum
    min: Optimum
    perfect: float = math.nan

    theta_star: ClassVar[float] = math.nan
    """The fraction that the best guess predicts positive, if it is a Dutch Draw."""

    @property
    def best(self) -> Optimum:
        """The optimum in the measure's direction: what a model has to beat."""
        return self.max if self.measure.direction is Direction.MAXIMIZE else self.min

    @property
    def worst(self) -> Optimum:
        """The other optimum."""
        return self.min if self.measure.direction is Direction.MAXIMIZE else self.max

    @property
    def value(self) -> float:
        """The score of the best guess."""
        return self.best.value

    @property
    def guess(self) -> str:
        """The best guess in words."""
        return self.best.guess

    @property
    def guesses(self) -> Any:
        """All guesses that are best."""
        return self.best.guesses

    @property
    def exact(self) -> bool:
        """Whether this is certain."""
        return self.best.exact

    @cached_property
    def scale(self) -> Scale:
        """The worst guess, the best one and perfection."""
        measure = self.measure
        return Scale(self.worst.value, self.value, self.perfect, measure.direction, measure.rounds)

    def oracle_weight(self, score: float) -> float:  # noqa: ARG002
        """Return the Dutch Scaler of a score; nan, as it is of two classes."""
        return math.nan

    def __str__(self) -> str:
        ends = self.value, self.worst.value
        write = number_format(ends, counted=self.measure.counts)
        has_worst = math.isfinite(ends[1]) and ends[0] != ends[1]
        worst = f"; the worst guess has {write(ends[1])}" if has_worst else ""
        sure = "" if self.exact else "; found by a search, and not certain"
        return (
            f"{self.measure.key} baseline {write(ends[0])} on {self.test_set.described}: "
            f"{self.guess}{worst}{sure}"
        )

    def facts_in_words(self) -> dict[str, str]:
        """Return the numbers by their names."""
        write = number_format((self.value, self.worst.value), counted=self.measure.counts)
        return {
            "measure": self.measure.name,
            "test set": self.test_set.described,
            "best guess": self.guess,
            "its score": write(self.value),
            "score of the worst guess": write(self.worst.value),
            "perfect score": write(self.perfect),
        }


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
