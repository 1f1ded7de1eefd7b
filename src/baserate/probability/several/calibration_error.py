"""The expected calibration error of the most likely class: there to be told uninformative."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.codomain import UNIT
from baserate.core.direction import Direction
from baserate.probability.measures.calibration_error import (
    ECE,
    in_bins,
    quantile_of,
    share_at_least,
)
from baserate.probability.rules import BRIER
from baserate.probability.several.measures import ProbabilityMeasure
from baserate.ranking.law.dealt import DealtLaw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.multiclass.class_counts import ClassCounts
    from baserate.probability.several.observed import ClassProbabilities

    Ints = NDArray[np.int64]
    Floats = NDArray[Any]

# How many deals, fewer if they have many cells, and how many cells at a time.
_DEALS, _FEWEST, _CELLS, _AT_ONCE = 9_999, 99, 20_000_000, 2_000_000
_SEED = 20_260_405
# More observations than this are not dealt.
_MOST_CARDS = 10**9


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TopCalibrationError(ProbabilityMeasure):
    """The mean gap between the highest probability and how often that class is right, in 15 bins.

    Of equal probabilities the first class is meant, as numpy's `argmax` has it.
    """

    additive = False

    def score_or_reason(self, observed: ClassProbabilities) -> tuple[float, str]:
        """Return the score; there always is one."""
        tops, certainty = _tops(observed.rows)
        is_hit = tops[observed.given] == observed.truth
        hits = in_bins(certainty[observed.given], observed.counts * is_hit)
        expected = in_bins(certainty, observed.sizes * certainty)
        return float(np.abs(hits - expected).sum() / observed.total), ""

    def constants(self, test_set: ClassCounts, corner: int) -> tuple[float, float]:
        """Return the score of the class shares, and of certainty of a class, for everyone."""
        return 0.0, 1 - int(test_set.array[corner]) / test_set.total

    def law(
        self,
        test_set: ClassCounts,
        rows: Floats,
        sizes: Ints,
        tiny: float,  # noqa: ARG002
    ) -> TopCalibrationLaw:
        """Return the law of the score when some rows are dealt at random."""
        return TopCalibrationLaw(test_set.array, rows, sizes)


def _tops(rows: Floats) -> tuple[Ints, Floats]:
    """Return the most likely class of each row, and its probability."""
    return np.asarray(rows.argmax(axis=1)), np.asarray(rows.max(axis=1).astype(float))


@dataclass(frozen=True, eq=False, repr=False)
class TopCalibrationLaw(DealtLaw):
    """The law of the calibration error when rows are dealt at random, from random deals.

    Rows of one bin and one most likely class are alike, so a deal is a random table.

    Parameters
    ----------
    counts
        How often each class occurs.
    rows, sizes
        The rows that are dealt, and how often each occurs.
    """

    counts: Ints
    rows: Floats
    sizes: Ints

    exact = False
    method = "simulation"

    @property
    def error(self) -> float:
        """Two standard errors of a tail of 0.05, relative to it."""
        return 2 * math.sqrt(0.95 / 0.05 / max(self._deals.size, 1))

    @cached_property
    def _deals(self) -> Floats:
        """The scores of random deals, ascending; none if the cards are too many to deal."""
        from scipy.stats import random_table

        total = int(self.sizes.sum())
        if total >= _MOST_CARDS:
            return np.empty(0)
        tops, certainty = _tops(self.rows)
        expected = in_bins(certainty, self.sizes * certainty)
        groups = np.stack([in_bins(certainty, self.sizes * (tops == k)) for k in self._classes])
        group, place = np.nonzero(groups)
        cells = group.size * self.counts.size
        table = random_table(groups[group, place].astype(np.int64), self.counts)
        rng, left = np.random.default_rng(_SEED), min(_DEALS, max(_FEWEST, _CELLS // cells))
        found = []
        while left > 0:
            chunk = min(left, max(1, _AT_ONCE // cells))
            dealt = table.rvs(chunk, random_state=rng)
            hits = dealt[:, np.arange(group.size), group]
            in_each = np.stack([hits[:, place == b].sum(axis=1) for b in range(expected.size)])
            found.append(np.abs(in_each.T - expected).sum(axis=1) / total)
            left -= chunk
        return np.sort(np.concatenate(found))

    @property
    def _classes(self) -> range:
        return range(self.counts.size)

    def mean(self) -> float:
        """Return the mean of the random deals; nan if there are none."""
        return float(self._deals.mean()) if self._deals.size else math.nan

    def variance(self) -> float:
        """Return the variance of the random deals; nan if there are none."""
        return float(self._deals.var()) if self._deals.size else math.nan

    def tail(self, score: float, direction: Direction) -> float:
        """Return the share of deals that are at least as good, counting the score itself."""
        return share_at_least(self._deals, score, direction)

    def quantile(self, level: float) -> float:
        """Return the lowest of the deals that is not exceeded with at least this probability."""
        return quantile_of(self._deals, level)


TOP_ECE = TopCalibrationError(
    key=ECE.key,
    name=ECE.name,
    aliases=ECE.aliases,
    meaning=(
        "The mean gap between the probability of the most likely class and how often it is right, "
        "in 15 bins of equal width, weighted by their sizes."
    ),
    pitfall=(
        "The class shares for everyone have 0, the perfect score, for free; and a perfectly "
        "calibrated model does not."
    ),
    direction=Direction.MINIMIZE,
    codomain=UNIT,
    rounds=True,
    rule=BRIER,
)
