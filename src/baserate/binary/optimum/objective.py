"""The expectation as a function of P̂, and when two of its values tie."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.expectation import means_of_many
from baserate.core.rounding import COMPUTATION
from baserate.data.labels import four_counts
from baserate.null.expectation import Overlap, floats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.measures.record import Measure

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]


class Objective:
    """The expectation of a measure as a function of P̂, computed where it is asked for."""

    def __init__(self, rate: BaseRate, measure: Measure) -> None:
        self._rate, self._measure = rate, measure
        self.total = rate.total

    def __call__(self, counts: Ints) -> Floats:
        """Return the expectations of these draws; nan where they are undefined."""
        return means_of_many(self._measure.scores, self._rate, self._measure, counts)

    def at(self, count: int) -> float:
        """Return the expectation of one draw."""
        return float(self(np.array([count]))[0])

    def slack(self, counts: Ints) -> Floats:
        """Return how far apart two expectations may be and still tie.

        This is rounding on the scale of the scores: at the mean of TP, and two standard deviations
        to either side. An expectation of zero has no scale of its own.
        """
        rate = self._rate
        low = floats(np.maximum(0, counts - rate.negatives))
        high = floats(np.minimum(rate.positives, counts))
        mean = rate.positives * (floats(counts) / rate.total)
        aside = 2 * Overlap.of(rate.positives, rate.negatives, counts).sd
        drawn, left = floats(counts), floats(rate.negatives - counts)
        sizes = np.zeros(counts.shape)
        for hits in (
            np.clip(np.rint(mean + step), low, high) for step in (-aside, 0 * aside, aside)
        ):
            tp, fp, fn, _ = four_counts(hits, rate.positives, rate.negatives, drawn)
            # TN from a difference of integers: of floats it may be a little below zero.
            scores = np.abs(self._measure.scores(tp, fp, fn, np.maximum(left + tp, 0)))
            sizes = np.where(np.isfinite(scores), np.maximum(sizes, scores), sizes)
        bound = self._measure.magnitude(math.inf)
        return COMPUTATION * (sizes if math.isinf(bound) else np.full_like(sizes, bound))

    def tie(self, count: int, other: int) -> bool:
        """Return whether two draws have the same expectation, up to rounding."""
        both = np.array([count, other])
        difference = np.diff(self(both))[0]
        return bool(abs(difference) <= self.slack(both).max())
