"""The law of the pairs in order: of AUC, and of what is linear in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.direction import Direction
from baserate.core.law import deviate
from baserate.core.rounding import COMPUTATION
from baserate.data.score_counts import pieces
from baserate.ranking.law.blocks import Blocks
from baserate.ranking.law.dealt import DealtLaw
from baserate.ranking.law.linear import LinearLaw
from baserate.ranking.law.saddlepoint import is_smooth
from baserate.ranking.law.tail import is_counted, span_of_positions, tail

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.ranking.deck import ScoreDeck

    Ints = NDArray[Any]

# Positions of so many observations, and sums of them, fit into 64 bits.
_MOST = 2**30
# Beyond so many blocks neighbours are merged once and for all.
_MANY_BLOCKS = 4000
# The largest relative error of a saddlepoint that was measured for p ≥ 1e-7; if blocks are so large
# that the law is lumpy it is on the safe side.
_SMOOTH_ERROR, _LUMPY_ERROR = 0.01, 0.3
# Quantiles of larger test sets are not counted.
_SMALL = 100
# How far from the mean to look, in standard deviations; and how often to follow a secant.
_FAR, _PATIENCE = 38.0, 20


@dataclass(frozen=True, eq=False, repr=False)
class PairLaw(DealtLaw):
    """The law of a score that is linear in the number of pairs in order.

    Parameters
    ----------
    rate
        The test set, with positives and negatives.
    deck
        The scores that are dealt.
    slope, intercept
        The score of an AUC is the slope, which is positive, times it, plus the intercept.

    Examples
    --------
    >>> import baserate as br
    >>> from baserate.ranking.deck import ScoreDeck
    >>> rate = br.BaseRate(positives=2, total=5)
    >>> law = PairLaw(rate, ScoreDeck.of([1, 2, 3, 4, 5]))
    >>> law.mean(), law.tail(1.0, Direction.MAXIMIZE), round(law.quantile(0.5), 3)
    (0.5, 0.1, 0.5)
    """

    rate: BaseRate
    deck: ScoreDeck
    slope: float = 1.0
    intercept: float = 0.0

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no approximation."""
        return self._counted or (self._linear is not None and self._linear.exact)

    @property
    def method(self) -> str:
        """How they were found: "counting" or "saddlepoint", or as for any linear score."""
        if self._linear is not None:
            return self._linear.method
        return "counting" if self._counted else "saddlepoint"

    @property
    def error(self) -> float:
        """The largest relative error that was measured; 0 if it is exact."""
        if self._linear is not None:
            return self._linear.error
        if self._counted:
            return 0.0
        return _SMOOTH_ERROR if self._is_smooth else _LUMPY_ERROR

    def mean(self) -> float:
        """Return the expected score."""
        return self.slope / 2 + self.intercept

    def variance(self) -> float:
        """Return the variance of the score."""
        total, untied = float(self.rate.total), 0.0
        for part in pieces(self.deck.sizes.size):
            shares = self.deck.sizes[part] / total
            # Of M + 1 - Σ(t³ - t) / (M(M - 1)), without the cancellation of one large block.
            untied += total**2 * float((1 - shares) @ (shares * (1 + shares)))
        of_auc = untied / (12 * float(self._pairs) * (total - 1)) if self._pairs else math.nan
        return self.slope**2 * of_auc

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""
        if math.isnan(score) or not self._pairs:
            return math.nan
        if self._linear is not None:
            return self._linear.tail(score, direction)
        auc = min(max((score - self.intercept) / self.slope, -1.0), 2.0)
        right = auc if direction is Direction.MINIMIZE else 1 - auc
        # Twice the pairs that are wrong, or right, of a score that is no worse, up to rounding.
        most = math.floor(2 * self._pairs * (right + COMPUTATION))
        is_best = direction is Direction.MAXIMIZE
        fewest = self._fewest_wrong if is_best else self._fewest_right
        if most < fewest:
            return 0.0  # ties keep every ranking from such a score
        sizes = self._sizes if is_best else self._sizes[::-1]
        return self._at_most(sizes, most - (most - fewest) % self._span)

    def quantile(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least this probability.

        Of more than 100 observations it may be the next one, if its probability is the level up to
        an error of a saddlepoint: it is not worth the time to count.
        """
        if not self._pairs:
            return math.nan
        if self._linear is not None:
            return self._linear.quantile(level)
        least, step = self._lattice
        place = self._place(level * (1 - COMPUTATION))
        return self.slope * ((least + step * place) / (2 * self._pairs)) + self.intercept

    def _place(self, level: float) -> int:
        """Return the first place on the lattice where the distribution reaches a level."""
        low, high = self._range
        least, step = self._lattice
        slope = step / (self._spread or 1.0)
        start = round((self._pairs - least) / step + deviate(level) / slope)
        if self._counted or not self._is_smooth:
            # Each tail takes its time: the law of positions that are floats is nearly right.
            auc = (self._of_positions.quantile(level) - self.intercept) / self.slope
            start = round((2 * self._pairs * auc - least) / step)
            if self._counted and self.rate.total > _SMALL:
                return min(max(start, low + 1), high)
        return _first_place(self._cdf, start, slope, (low, high), level)

    @cached_property
    def _blocks(self) -> Blocks:
        return Blocks(self.deck.sizes, self.rate.positives, self._pairs)

    @cached_property
    def _spread(self) -> float:
        """The standard deviation of the pairs in order, doubled."""
        return math.sqrt(self.variance()) / self.slope * 2 * self._pairs

    @property
    def _pairs(self) -> int:
        return self.rate.positives * self.rate.negatives

    @cached_property
    def _counted(self) -> bool:
        """Whether pairs are counted: the middle of the law takes longest."""
        return self.rate.total <= _MOST and is_counted(self._blocks)

    @cached_property
    def _is_smooth(self) -> bool:
        return is_smooth(self._blocks)

    @cached_property
    def _linear(self) -> LinearLaw | None:
        """The law by positions that are floats, if it is better.

        So it is if whole numbers would overflow, or if few positives or large blocks make a law
        lumpy that is not counted; unless it would be simulated.
        """
        if self.rate.total > _MOST:
            return self._of_positions
        if self._counted or self._is_smooth or self._of_positions.method == "simulation":
            return None
        return self._of_positions

    @cached_property
    def _of_positions(self) -> LinearLaw:
        """The law by positions that are floats."""
        sizes, positives, negatives = self.deck.sizes, *self.rate.class_sizes
        below = self.rate.total - np.cumsum(sizes.astype(float)) + sizes / 2
        # Positions from below, less those among the positives.
        slope = self.slope / self._pairs
        start = self.intercept - self.slope * positives / (2 * negatives)
        return LinearLaw(self.rate, sizes, below, slope, start)

    @cached_property
    def _sizes(self) -> Ints:
        """The sizes of the blocks; with neighbours merged if they are many, and not counted."""
        if self.deck.sizes.size <= _MANY_BLOCKS or self._counted:
            return self.deck.sizes
        return self._blocks.merged.sizes

    @cached_property
    def _span(self) -> int:
        return max(1, span_of_positions(self._blocks))

    @cached_property
    def _lattice(self) -> tuple[int, int]:
        """The smallest number of pairs in order, doubled, and the step to the next."""
        return self._fewest_right, self._span

    @cached_property
    def _fewest_wrong(self) -> int:
        """How many pairs are wrong, doubled, with all positives at the top."""
        return _tied_pairs(self.deck, self.rate.positives)

    @cached_property
    def _fewest_right(self) -> int:
        """How many pairs are in order, doubled, with all negatives at the top."""
        return _tied_pairs(self.deck, self.rate.negatives)

    @cached_property
    def _range(self) -> tuple[int, int]:
        """The place before the first one on the lattice that matters, and the last one."""
        least, step = self._lattice
        reach = _FAR * self._spread + step
        first, last = ((self._pairs + way * reach - least) / step for way in (-1, 1))
        return max(-1, math.floor(first)), min(self._last, math.ceil(last))

    @cached_property
    def _last(self) -> int:
        """The last place on the lattice: all positives at the top."""
        most = 2 * self._pairs - self._fewest_wrong
        return (most - self._lattice[0]) // self._lattice[1]

    @cached_property
    def _known(self) -> dict[int, float]:
        return {}

    def _cdf(self, place: int) -> float:
        """Return the probability of at most a place on the lattice."""
        if place not in self._known:
            least, step = self._lattice
            self._known[place] = self._at_most(self._sizes[::-1], least + step * place)
        return self._known[place]

    def _at_most(self, sizes: Ints, wrong: int) -> float:
        """Return the probability of at most so many wrong pairs, doubled; some ranking has them."""
        blocks = Blocks(sizes, self.rate.positives, min(wrong, 2 * self._pairs))
        return tail(blocks, counted=self._counted, span=self._span).probability


def _tied_pairs(deck: ScoreDeck, first: int) -> int:
    """Return how many pairs are tied if one class, of so many, has all of the highest scores."""
    if deck.without_ties:
        return 0
    # Only pairs in the block where the first class ends are tied.
    place = int(np.searchsorted(deck.upto, first, side="right"))
    inside = first - (int(deck.upto[place - 1]) if place else 0)
    return inside * (int(deck.sizes[place]) - inside) if inside else 0


def _first_place(
    cdf: Callable[[int], float], start: int, slope: float, ends: tuple[int, int], level: float
) -> int:
    """Return the first place where a distribution reaches a level.

    Parameters
    ----------
    cdf
        The probability of at most a place.
    start
        Where to look first.
    slope
        How much the normal quantile rises with each place, about.
    ends
        A place before, and the last place.
    level
        The level.
    """
    low, high = ends
    wanted, place, steps = deviate(level), start, 0
    before: tuple[int, float] | None = None
    while high - low > 1:
        place = min(max(place, low + 1), high - 1)
        chance = cdf(place)
        low, high = (low, place) if chance >= level else (place, high)
        star = deviate(chance)
        if before is not None and place != before[0] and star != before[1]:
            slope = (star - before[1]) / (place - before[0])
        before, steps = (place, star), steps + 1
        # The root of the secant, or at least one place on; after many steps the middle.
        after = place + (wanted - star) / slope
        if steps > _PATIENCE:
            place = (low + high) // 2
        else:
            near = min(max(after, low), high)
            place = min(math.floor(near), high - 1) if chance >= level else math.ceil(near)
    return high
