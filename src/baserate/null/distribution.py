"""The one type of a null distribution, and the one of a distribution whose scores are listed."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.arguments import is_probability
from baserate.core.baseline import COMPUTATION
from baserate.core.measure import Direction
from baserate.core.multiple_testing import Tails
from baserate.exceptions import BaserateError, InvalidProbabilityError
from baserate.formatting import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from baserate.plots.null import NullDistributionDisplay

    Floats = NDArray[np.float64]


class NullDistribution(ABC):
    """The score of shuffled predictions: what chance gives, with the same predictions.

    Get it from `null_distribution`, or from `DutchDraw.score`.

    Examples
    --------
    >>> import baserate as br
    >>> null = br.null_distribution(br.BaseRate(positives=139, total=303), 93, "F1")
    >>> null
    <null distribution of F1: mean 0.3678, 95% within 0.3017 to 0.4397, exact>
    >>> round(null.sf(0.43), 4), round(null.cdf(0.43), 4), null.method
    (0.0438, 0.9562, 'exact')
    """

    score_of = ""
    """The measure whose score it is, if that is known."""

    @property
    @abstractmethod
    def method(self) -> str:
        """How probabilities are found: "exact", "saddlepoint" or "permutations"."""

    @property
    def error(self) -> float:
        """What is known of the relative error of a probability, 0 if it is exact.

        Of permutations it is the standard error at 0.05.
        """
        return 0.0

    @property
    def floor(self) -> float:
        """The smallest probability that is told apart from smaller ones; 0 if there is none."""
        return 0.0

    @property
    def step(self) -> float:
        """How far apart neighbouring scores are; 0 if that differs, or is not known."""
        return 0.0

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding."""
        return self.method == "exact"

    @abstractmethod
    def mean(self) -> float:
        """Return the expected score."""

    @abstractmethod
    def var(self) -> float:
        """Return the variance of the score."""

    @abstractmethod
    def sf(self, score: float) -> float:
        """Return the probability of at least a score."""

    @abstractmethod
    def cdf(self, score: float) -> float:
        """Return the probability of at most a score."""

    @abstractmethod
    def ppf(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least a probability."""

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good; nan for nan."""
        if math.isnan(score):
            return math.nan
        return self.sf(score) if direction is Direction.MAXIMIZE else self.cdf(score)

    def tails(self, score: float, direction: Direction) -> Tails:
        """Return the probability of a score at least as good, and of one at most as good.

        One that cannot be told from smaller ones is an upper end, and 0 the lower one.
        """
        better = self.tail(score, direction)
        least = 0.0 if 0 < better <= self.floor else math.nan
        return Tails(better, self.tail(score, direction.opposite), least)

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the central interval that holds at least this probability."""
        if not is_probability(confidence):
            raise InvalidProbabilityError(
                f"must be between 0 and 1 (got {shown(confidence)}); 95% is written 0.95",
                parameter="confidence",
            )
        return self.ppf((1 - confidence) / 2), self.ppf((1 + confidence) / 2)

    def plot(self, *, ax: Axes | None = None) -> NullDistributionDisplay:
        """Draw the distribution as bars.

        Parameters
        ----------
        ax
            Where to draw; a new figure by default.
        """
        from baserate.plots.null import NullDistributionDisplay

        return NullDistributionDisplay(self).plot(ax)

    def __repr__(self) -> str:
        of = f" of {self.score_of}" if self.score_of else ""
        try:
            low, high = self.interval(0.95)
            found = f"mean {self.mean():.4g}, 95% within {low:.4g} to {high:.4g}"
        except BaserateError as error:
            found = str(error)
        return f"<null distribution{of}: {found}, {self.method}>"


class Listed(NullDistribution):
    """All scores and their probabilities.

    Examples
    --------
    >>> coin = Listed(np.array([0.0, 1.0, 1.0]), np.array([0.5, 0.25, 0.25]))
    >>> coin.mean(), coin.var(), coin.sf(1.0), coin.cdf(0.0), coin.ppf(0.5), coin.interval(0.9)
    (0.5, 0.25, 0.5, 0.5, 0.0, (0.0, 1.0))
    """

    method = "exact"

    def __init__(
        self, scores: Floats, probabilities: Floats, size: float = 0.0, slack: float = 0.0
    ) -> None:
        order = np.argsort(scores, kind="stable")
        self._scores, self._chances = scores[order], probabilities[order] / probabilities.sum()
        # Equal scores, but for rounding.
        self._slack = max(16 * COMPUTATION * max(float(np.abs(scores).max()), size), slack)

    @cached_property
    def _below(self) -> Floats:
        below = np.cumsum(self._chances)
        return np.asarray(np.minimum(below / below[-1], 1.0))

    @cached_property
    def _above(self) -> Floats:
        above = np.cumsum(self._chances[::-1])[::-1]
        return np.asarray(np.minimum(above / above[0], 1.0))

    @property
    def scores(self) -> Floats:
        """The scores, ascending."""
        return np.asarray(self._scores)

    @property
    def weights(self) -> Floats:
        """Their probabilities."""
        return np.asarray(self._chances)

    def upper(self, level: float) -> float:
        """Return the highest score that is reached with at least a probability."""
        reached = np.flatnonzero(self._above >= level - COMPUTATION)
        return float(self._scores[reached[-1] if reached.size else 0])

    def mean(self) -> float:
        """Return the expected score."""
        return math.fsum(self._scores * self._chances)

    def var(self) -> float:
        """Return the variance of the score."""
        return math.fsum((self._scores - self.mean()) ** 2 * self._chances)

    def sf(self, score: float) -> float:
        """Return the probability of at least a score."""
        first = int(np.searchsorted(self._scores, score - self._slack))
        return settled(self._above[first]) if first < self._scores.size else 0.0

    def cdf(self, score: float) -> float:
        """Return the probability of at most a score."""
        last = int(np.searchsorted(self._scores, score + self._slack, side="right")) - 1
        return settled(self._below[last]) if last >= 0 else 0.0

    def ppf(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least a probability."""
        place = int(np.searchsorted(self._below, level - COMPUTATION))
        return float(self._scores[min(place, self._scores.size - 1)])


def settled(chance: float) -> float:
    """Return a probability with 13 digits: 6 of 120 orders are 5%, and not less by rounding."""
    return float(f"{chance:.13g}")
