"""The one type of a null distribution, that of one whose scores are listed, and its bars."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

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


# As many bars as a plot can show where each has one score, and where they share out a range.
_MOST_SCORES, _MOST_BARS = 120, 48
# The probability of what is not shown.
_UNSEEN = 1e-4
# Two scores that differ by less, relative to their range, are the same.
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Histogram:
    """Scores of shuffled predictions and their probabilities."""

    scores: Floats
    probabilities: Floats
    is_reached: NDArray[np.bool_]
    together: int
    reached: float

    @classmethod
    def of(
        cls, null: NullDistribution, direction: Direction, score: float | None = None
    ) -> Histogram:
        """Return the bars of a distribution; no bar straddles the model's score.

        The first and the last bar have what is beyond them too, so that all of them sum to 1.
        """
        null = getattr(null, "listed", None) or null
        made = _counted if hasattr(null, "places") else _shared  # those of two classes have places
        places, above, is_lower, together = made(null, direction, score)
        masses = np.maximum(-np.diff(above, prepend=1.0, append=0.0), 0.0)
        is_reached = (is_lower != (direction is Direction.MAXIMIZE)) & (score is not None)
        seen = masses > 0  # scores of few rows leave gaps
        reached = 0.0 if score is None else null.tail(score, direction)
        return cls(places[seen], masses[seen], is_reached[seen], together, reached)

    @property
    def widths(self) -> Floats:
        """The width of each bar: at most a tenth of the range, and not touching the next bar."""
        if self.scores.size == 1:
            return np.full(1, 0.05)
        gaps = np.diff(self.scores)
        nearest: Floats = np.minimum(np.append(gaps, np.inf), np.append(np.inf, gaps))
        return np.minimum(0.9 * nearest, 0.1 * np.ptp(self.scores))


# Both return the places of bars, the probability above each inner edge, which bars are below the
# edge that divides the model's score from those that are worse, and how many scores a bar has.


def _counted(
    null: Any, direction: Direction, score: float | None
) -> tuple[Floats, list[float], NDArray[np.bool_], int]:
    """Return bars of as many neighbouring scores each."""
    low, high = null.interval(1 - _UNSEEN)
    first, last = null.places(low)[0], null.places(high)[1]
    together = -(-(last - first + 1) // _MOST_SCORES)
    edge = first
    if score is not None:
        at_least, at_most = null.places(score)
        edge = at_least if direction is Direction.MAXIMIZE else at_most + 1
    inner = range(first + ((edge - first) % together or together), last + 1, together)
    starts = [first, *inner]
    ends = [start - 1 for start in inner] + [last]
    places = [(null.score(a) + null.score(b)) / 2 for a, b in zip(starts, ends, strict=True)]
    above = [null.at_least(start) for start in inner]
    return np.array(places), above, np.array(starts) < edge, together


def _shared(
    null: NullDistribution, direction: Direction, score: float | None
) -> tuple[Floats, list[float], NDArray[np.bool_], int]:
    """Return a bar for each score, or bars that share out their range."""
    low, high = null.interval(1 - _UNSEEN)
    slack = _SAME * max(abs(low), abs(high), high - low)
    back = slack if direction is Direction.MAXIMIZE else -slack
    divided = None if score is None else score - back
    places, inner = _listed(null, low, high, slack) or _shared_out(null, low, high, divided)
    above = [null.sf(edge) for edge in inner.tolist()]
    return places, above, places < (divided or 0.0), 1


def _listed(
    null: NullDistribution, low: float, high: float, slack: float
) -> tuple[Floats, Floats] | None:
    """Return all scores and what divides them; None if they are not known, or too many."""
    if not isinstance(null, Listed):
        return None
    scores = null.scores[(null.scores >= low - slack) & (null.scores <= high + slack)]
    distinct = scores[np.append(True, np.diff(scores) > slack)]
    if distinct.size > _MOST_SCORES:
        return None
    return distinct, (distinct[1:] + distinct[:-1]) / 2


def _shared_out(
    null: NullDistribution, low: float, high: float, divided: float | None
) -> tuple[Floats, Floats]:
    """Return bars that share out a range, one edge of which divides the model's score.

    If scores are a step apart, each bar has as many of them: otherwise bars would look like a comb.
    """
    if low == high:
        return np.array([low]), np.empty(0)
    width = (high - low) / _MOST_BARS
    if null.step:
        width = null.step * max(1, math.ceil(width / null.step))
    start = low - null.step / 2 if divided is None else low - (low - divided) % width
    edges: Floats = start + width * np.arange(math.ceil((high - start) / width) + 1.0)
    return (edges[1:] + edges[:-1]) / 2, edges[1:-1]
