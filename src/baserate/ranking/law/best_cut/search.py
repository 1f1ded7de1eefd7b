"""Search among the scores that the best cut-off can have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from baserate.ranking.law.best_cut.target import Cuts, Target

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# List the scores in a range if there are at most so many.
_LISTED = 20_000
# The scores for which a mean is summed up.
_SUMMED = 400
# Stop when a probability is this close, relative to it, and after so many steps at most.
_CLOSE, _STEPS, _FEWER_STEPS = 0.02, 60, 12
_NORMAL = NormalDist()


def all_values(cuts: Cuts, slack: Callable[[float], float]) -> Floats:
    """Return the scores that a cut-off can have, higher for better ones, ascending; not too many.

    Scores that differ by rounding only are one.
    """
    low, high = cuts.ranges(cuts.ends)
    steps = np.maximum((high - low) * min(1.0, _LISTED / float((high - low + 1).sum())), 0)
    counts = [
        np.unique(np.linspace(a, b, math.floor(n) + 1).round())
        for a, b, n in zip(low.tolist(), high.tolist(), steps.tolist(), strict=True)
    ]
    tp = np.concatenate(counts)
    values = cuts.goodness(tp, np.repeat(cuts.ends, [each.size for each in counts]))
    found = _distinct(values, slack)
    if found.size <= _SUMMED:
        return found
    return np.asarray(np.quantile(found, np.linspace(0, 1, _SUMMED)))


def _distinct(values: Floats, slack: Callable[[float], float]) -> Floats:
    found = np.unique(values[np.isfinite(values)])
    if not found.size:
        return found
    apart = max(slack(float(found[0])), slack(float(found[-1])))
    return np.asarray(found[np.append(np.diff(found) > apart, True)])


@dataclass(frozen=True, eq=False)
class Search:
    """Search for a quantile of the best score.

    Parameters
    ----------
    cuts
        The measure and the cut-offs.
    reaching
        The chance that the best cut-off is at least so good.
    start
        Two scores between which the quantile probably is.
    close
        Whether a score with nearly that probability is enough.
    """

    cuts: Cuts
    reaching: Callable[[float], float]
    start: tuple[float, float]
    close: bool

    def largest(self, level: float, *, strictly: bool) -> float:
        """Return the best score that is reached with a probability of at least a level.

        Parameters
        ----------
        level
            The probability.
        strictly
            Whether it must be more than the level.
        """
        low, high = self._ends()
        if not low < high:
            return low if math.isfinite(low) else math.nan

        def holds(chance: float) -> bool:
            return chance > level if strictly else chance >= level

        below, above, guesses = 1.0, 0.0, list(self.start)
        for step in range(_FEWER_STEPS if self.close else _STEPS):
            listed = None if self.close else self._listed(low, high)
            if listed is not None and not listed.size:
                break
            # Every third step halves the range, whatever the guess.
            share = _share(below, above, level) if step % 3 else 0.5
            guess = guesses.pop() if guesses else low + (high - low) * share
            guess = _snapped(guess, listed)
            if not low < guess < high:
                continue
            chance = self.reaching(guess)
            if self.close and abs(chance - level) <= _CLOSE * min(level, 1 - level):
                return guess
            if holds(chance):
                low, below = guess, chance
            else:
                high, above = guess, chance
        return high if not self.close and holds(self.reaching(high)) else low

    def _ends(self) -> tuple[float, float]:
        """Return a score that every walk reaches, and the best that one can reach."""
        fewest, most = self.cuts.ranges(self.cuts.ends)
        if self.cuts.monotone:
            low = self.cuts.goodness(fewest, self.cuts.ends)
            return float(low.max()), float(self.cuts.goodness(most, self.cuts.ends).max())
        values = all_values(self.cuts, lambda _: 0.0)
        return (float(values[0]), float(values[-1])) if values.size else (-math.inf, -math.inf)

    def _listed(self, low: float, high: float) -> Floats | None:
        """Return the scores strictly between two, ascending; None if they are too many."""
        ends = self.cuts.ends
        if self.cuts.monotone:
            first = Target(self.cuts, math.nextafter(low, math.inf)).bounds(ends)
            last = Target(self.cuts, high).bounds(ends)
        else:
            fewest, most = self.cuts.ranges(ends)
            first, last = fewest, most + 1
        sizes = last - first
        if int(sizes.sum()) > _LISTED:
            return None
        places = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        values = self.cuts.goodness(np.repeat(first, sizes) + places, np.repeat(ends, sizes))
        return np.unique(values[(values > low) & (values < high)])


def _snapped(guess: float, listed: Floats | None) -> float:
    """Return the score that is next to a guess, if they are listed."""
    if listed is None:
        return guess
    return float(listed[min(int(np.searchsorted(listed, guess)), listed.size - 1)])


def _share(below: float, above: float, level: float) -> float:
    """Guess where a level is in a range from the chances at its ends."""
    ends = [_NORMAL.inv_cdf(min(max(each, 1e-12), 1 - 1e-12)) for each in (below, above, level)]
    if ends[0] <= ends[1]:
        return 0.5
    return min(max((ends[0] - ends[2]) / (ends[0] - ends[1]), 0.05), 0.95)
