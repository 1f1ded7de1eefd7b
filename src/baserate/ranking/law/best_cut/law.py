"""The distribution of the best score over all cut-offs when scores are dealt at random.

The best cut-off of a model is chosen with the labels in sight. So it is compared with the best
cut-offs of the same scores on shuffled labels. From the highest score down, the number of
positives so far is a walk; the score of a cut-off depends on where the walk is at the end of a
block of equal scores. What is looked for is the chance that it is at least once where the score
is at least so good.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baserate.binary.measures.function import UserFunction
from baserate.core.direction import Direction
from baserate.ranking.law.best_cut.coarse import bracket
from baserate.ranking.law.best_cut.masses import Labels
from baserate.ranking.law.best_cut.search import Search, all_values
from baserate.ranking.law.best_cut.simulated import chance_of, simulated
from baserate.ranking.law.best_cut.sketch import sketched
from baserate.ranking.law.best_cut.target import Cuts, Reached, Target
from baserate.ranking.law.best_cut.walk import OVERHEAD, Bounds, Walk
from baserate.ranking.law.dealt import DealtLaw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.core.scale import Scale

    Floats = NDArray[np.float64]

# The most work of an exact walk, in products: that takes about half a second.
_MOST_WORK = 4 * 10**8
# The work of one call of a user's function, for one table, with and without arrays.
_ARRAYS, _NO_ARRAYS = 100, 2000
# A walk with more work than this is not for every score that the best cut-off can have, or for a
# search.
_LONG, _VERY_LONG = 5 * 10**6, 5 * 10**7
# How many random walks are looked at: to start a search, or instead of one.
_FEWER, _FEW, _MANY = 50, 400, 2000
# Noise below this part of a chance is rounding.
_ROUNDING = 1e-6
# Where a function is not monotone, nothing is known of the chance before it is found.
_LEAST = 1e-20


class Found(NamedTuple):
    """Between which numbers a probability is, and how it was found."""

    low: float
    high: float
    method: str


@dataclass(frozen=True, eq=False, repr=False)
class BestCutLaw(DealtLaw):
    """The law of a measure's best score over all cut-offs.

    Parameters
    ----------
    cuts
        The measure and the cut-offs.
    scale
        The scale of the measure, which knows what scores are equal up to rounding.

    Examples
    --------
    Random scores of 4 positives among 20 expect a best F1 far above the best draw's 0.33:

    >>> import numpy as np
    >>> from baserate import BaseRate, baseline
    >>> from baserate.binary.rescaling import scale_of
    >>> base = baseline(BaseRate(positives=4, total=20), "F1")
    >>> cuts = Cuts(base.measure, base.base_rate, np.arange(21))
    >>> law = BestCutLaw(cuts, scale_of(base))
    >>> round(law.mean(), 3), round(law.tail(0.75, base.measure.direction), 4)
    (0.44, 0.0147)
    """

    cuts: Cuts
    scale: Scale

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding."""
        return self.method == "lattice path"

    @cached_property
    def method(self) -> str:
        """How probabilities are found."""
        if self._work <= _MOST_WORK:
            return "lattice path"
        return "bracket" if self.cuts.monotone else "simulation"

    @cached_property
    def _work(self) -> float:
        if not self._has_choice:
            return 0.0
        if self.cuts.ends.size > _MOST_WORK // OVERHEAD:
            return math.inf
        walk = Walk(self.cuts.rate, self.cuts.ends, _LEAST)
        if self.cuts.monotone:
            return walk.cost
        function = self.cuts.measure.definition.function
        takes_arrays = not isinstance(function, UserFunction) or function.vectorised
        return walk.cost + walk.tables * (_ARRAYS if takes_arrays else _NO_ARRAYS)

    @property
    def _has_choice(self) -> bool:
        return bool(self.cuts.rate.positives and self.cuts.rate.negatives)

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a best score at least as good; the upper end of a bracket."""
        return self.bracket(score, direction)[1]

    def bracket(self, score: float, direction: Direction) -> tuple[float, float]:
        """Return between which numbers the probability of a score at least as good is, surely."""
        if math.isnan(score):
            return math.nan, math.nan
        better = score if self._maximize else -score
        slack = self.scale.slack(score, score)
        if direction is self.cuts.measure.direction:
            found = self.reaching(better - slack)
            return found.low, found.high
        found = self.reaching(math.nextafter(better + slack, math.inf))
        return 1 - found.high, 1 - found.low

    def reaching(self, goodness: float) -> Found:
        """Return the chance that the best cut-off is at least so good, higher for better."""
        target = Target(self.cuts, goodness)
        if target.is_certain:
            return Found(1.0, 1.0, self.method)
        if not self._has_choice:
            return Found(0.0, 0.0, self.method)
        if self.method == "simulation":
            chance = chance_of(self._simulated, goodness)
            return Found(chance, chance, self.method)
        if self.method == "bracket":
            return Found(*bracket(target), self.method)
        return self._walked(target)

    def _walked(self, target: Target) -> Found:
        """Return the chance of a walk that is looked at at all ends."""
        cuts = self.cuts
        if not cuts.monotone:
            walk, least = Walk(cuts.rate, cuts.ends, _LEAST), 0.0
            chance = walk.meets(Reached(target))
        else:
            bounds = target.bounds(cuts.ends)
            least = float(Labels(cuts.rate).probabilities(cuts.ends, bounds).max())
            if not least:
                return Found(0.0, 0.0, self.method)
            walk = Walk(cuts.rate, cuts.ends, least)
            chance = walk.meets(Bounds(bounds))
        if walk.noise <= _ROUNDING * chance:
            return Found(chance, chance, self.method)
        return Found(max(chance - walk.noise, least), min(chance + walk.noise, 1.0), "bracket")

    def quantile(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least this probability.

        Beyond small test sets it is close to that, and beyond middling ones it is simulated.
        """
        if self.method != "lattice path" or self._work > _VERY_LONG:
            found = _quantile(self._simulated, level if self._maximize else 1 - level)
        else:
            start = _around(self._sketched, level if self._maximize else 1 - level)
            search = Search(self.cuts, self._middle, start, close=self._is_long)
            strictly = self._maximize
            found = search.largest(1 - level if strictly else level, strictly=strictly)
        if not math.isfinite(found):
            return math.nan
        return found if self._maximize else -found

    @property
    def _is_long(self) -> bool:
        """Whether a walk takes so long that there had better not be many."""
        return self._work > _LONG

    @cached_property
    def _sketched(self) -> Floats:
        return sketched(self.cuts, _FEW if self._is_long else _FEWER, apart=1 / 64)

    def _middle(self, goodness: float) -> float:
        found = self.reaching(goodness - self._slack(goodness))
        return math.sqrt(found.low * found.high)

    def _slack(self, goodness: float) -> float:
        return self.scale.slack(goodness, goodness)

    def mean(self) -> float:
        """Return the expected best score, where there is one."""
        values, chances = self._masses
        return float(values @ chances) * (1 if self._maximize else -1)

    def variance(self) -> float:
        """Return the variance of the best score, where there is one."""
        values, chances = self._masses
        return float((values - values @ chances) ** 2 @ chances)

    @cached_property
    def _masses(self) -> tuple[Floats, Floats]:
        """How good the best cut-off may be, and the chance of each, given that there is one."""
        if self._is_long or not self.exact:
            values = self._simulated[np.isfinite(self._simulated)]
            chances = np.ones(values.size)
        else:
            values = all_values(self.cuts, self._slack)
            reached = np.array([self._middle(value) for value in values.tolist()])
            chances = reached - np.append(reached[1:], 0.0)
        if not values.size:
            return np.array([math.nan]), np.ones(1)
        return values, chances / (chances.sum() or math.nan)

    @property
    def _maximize(self) -> bool:
        return self.cuts.measure.direction is Direction.MAXIMIZE

    @cached_property
    def _simulated(self) -> Floats:
        if self.method == "simulation":
            return simulated(self.cuts)
        return sketched(self.cuts, _MANY, apart=1 / 256)


def _quantile(found: Floats, level: float) -> float:
    """Return a quantile of what was simulated."""
    return float(found[min(max(math.ceil(level * found.size) - 1, 0), found.size - 1)])


def _around(found: Floats, level: float) -> tuple[float, float]:
    """Return two numbers between which a quantile probably is."""
    known = found[np.isfinite(found)]
    if not known.size:
        return -math.inf, math.inf
    wide = 4 * math.sqrt(level * (1 - level) / known.size)
    spread = float(known[-1] - known[0]) / 8
    return _quantile(known, level - wide) - spread, _quantile(known, level + wide) + spread
