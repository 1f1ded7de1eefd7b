"""The number of right answers of someone who guesses, and of the best of several who do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections import Counter

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Terms further from the centre than this many standard deviations are below 1e-18 of it.
_REACH = 10


@dataclass(frozen=True)
class Guesses:
    """The distribution of the number of right answers, if every question is answered at random.

    Parameters
    ----------
    questions
        How many questions have each number of options: {4: 198}.
    """

    questions: Counter[int]

    @cached_property
    def total(self) -> int:
        """The number of questions."""
        return self.questions.total()

    @cached_property
    def mean(self) -> float:
        """The expected number of right answers."""
        return math.fsum(count / options for options, count in self.questions.items())

    @property
    def lowest(self) -> int:
        """The fewest right answers: a question with one option cannot be missed."""
        return self.questions.get(1, 0)

    @cached_property
    def central(self) -> tuple[int, Floats]:
        """The first number of right answers that matters, and the masses from there on."""
        return self._window(0.0)

    def at_least(self, right: int) -> float:
        """Return the chance of at least so many right answers, with full relative precision."""
        if right <= self.lowest:
            return 1.0
        if right > self.total:
            return 0.0
        if right <= self.mean:
            return 1.0 - self._tail(right - 1, -1)
        return self._tail(right, 1)

    def at_most(self, right: int) -> float:
        """Return the chance of at most so many right answers, with full relative precision."""
        if right < self.lowest:
            return 0.0
        if right >= self.total:
            return 1.0
        if right < self.mean:
            return self._tail(right, -1)
        return 1.0 - self._tail(right + 1, 1)

    def pmf(self, right: int) -> float:
        """Return the chance of exactly so many right answers."""
        if not self.lowest <= right <= self.total:
            return 0.0
        if self.lowest == self.total:
            return 1.0
        tilt = self._tilt(right)
        first, masses = self._window(tilt)
        return float(masses[right - first] * math.exp(self._log_scale(tilt) - tilt * right))

    def _tail(self, right: int, outward: int) -> float:
        """Return the chance of a number of right answers and of all further from the mean.

        The distribution is tilted so that this number is its mean: there the terms are large and
        few, and none of them is negative.
        """
        tilt = self._tilt(right)
        first, masses = self._window(tilt)
        counts = np.arange(first, first + masses.size)
        kept = counts >= right if outward > 0 else counts <= right
        terms = masses[kept] * np.exp(-tilt * (counts[kept] - right))
        return float(terms.sum() * math.exp(self._log_scale(tilt) - tilt * right))

    def _chances(self, tilt: float) -> dict[int, float]:
        """Return the tilted chance of a right answer, by the number of options."""
        return {options: 1 / (1 + (options - 1) * math.exp(-tilt)) for options in self.questions}

    def _log_scale(self, tilt: float) -> float:
        """Return the logarithm of the generating function."""
        return math.fsum(
            count * math.log1p(math.expm1(tilt) / options)
            for options, count in self.questions.items()
        )

    def _tilt(self, right: int) -> float:
        """Return the tilt at which so many right answers are expected, or nearly so at the ends."""
        wanted = min(max(right, self.lowest + 0.5), self.total - 0.5)
        low, high = -1.0, 1.0
        while self._tilted_mean(low) > wanted:
            low *= 2
        while self._tilted_mean(high) < wanted:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self._tilted_mean(middle) < wanted else (low, middle)
        return (low + high) / 2

    def _tilted_mean(self, tilt: float) -> float:
        chances = self._chances(tilt)
        return math.fsum(count * chances[options] for options, count in self.questions.items())

    def _window(self, tilt: float) -> tuple[int, Floats]:
        """Return where the tilted distribution starts to matter, and its masses from there on."""
        chances = self._chances(tilt)
        parts = [_binomial(count, chances[options]) for options, count in self.questions.items()]
        return reduce(_added, parts)


def _binomial(count: int, chance: float) -> tuple[int, Floats]:
    """Return the binomial masses that matter, and where they start."""
    if chance == 1:
        return count, np.ones(1)
    mean, sd = count * chance, math.sqrt(count * chance * (1 - chance))
    reach = math.ceil(_REACH * sd) + 40
    first, last = max(0, math.floor(mean) - reach), min(count, math.ceil(mean) + reach)
    mode = min(max(math.floor((count + 1) * chance), first), last)
    right = np.arange(mode, last)
    left = np.arange(mode, first, -1)
    odds = chance / (1 - chance)
    up = np.cumprod((count - right) / (right + 1) * odds)
    down = np.cumprod(left / (count - left + 1) / odds)
    masses = np.concatenate([down[::-1], [1.0], up])
    return first, masses / masses.sum()


def _added(one: tuple[int, Floats], other: tuple[int, Floats]) -> tuple[int, Floats]:
    """Return the distribution of a sum."""
    return one[0] + other[0], np.convolve(one[1], other[1])
