"""The truth of a test set whose observations have weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.base_rate import BaseRate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

MAX_BLOCKS = 500
"""Observations of nearly the same weight are joined if a class has more different weights."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Observations that are alike: of one class, and of one weight.

    Parameters
    ----------
    sizes
        How many observations each block has.
    weights
        The weight of each of them.
    positive
        Whether they are positive.
    """

    sizes: Ints
    weights: Floats
    positive: Bools


@dataclass(frozen=True, eq=False, repr=False)
class WeightedBase:
    """How many observations of each class have each weight: all that a baseline needs.

    Parameters
    ----------
    weights
        The distinct weights, ascending and above 0.
    positives, negatives
        How many positive and negative observations have each of them.

    Examples
    --------
    >>> base = WeightedBase(np.array([1.0, 2.5]), np.array([3, 1]), np.array([4, 0]))
    >>> base.total, base.positive_weight, base.total_weight
    (8, 5.5, 9.5)
    >>> print(base.described)
    8 observations, 4 positive, total weight 9.5, 57.9% of it positive
    """

    weights: Floats
    positives: Ints
    negatives: Ints

    @cached_property
    def rate(self) -> BaseRate:
        """The numbers of observations, without their weights."""
        positives, negatives = int(self.positives.sum()), int(self.negatives.sum())
        return BaseRate(positives=positives, total=positives + negatives)

    @property
    def total(self) -> int:
        """The number of observations."""
        return self.rate.total

    @property
    def class_sizes(self) -> tuple[int, int]:
        """The numbers of positive and of negative observations."""
        return self.rate.class_sizes

    @cached_property
    def positive_weight(self) -> float:
        """The weight of all positive observations."""
        return sum_of(self.weights, self.positives)

    @cached_property
    def negative_weight(self) -> float:
        """The weight of all negative observations."""
        return sum_of(self.weights, self.negatives)

    @property
    def total_weight(self) -> float:
        """The weight of all observations."""
        return self.positive_weight + self.negative_weight

    @cached_property
    def blocks(self) -> Blocks:
        """The observations in blocks that are alike, positives first."""
        parts = [(self.positives, True), (self.negatives, False)]
        return Blocks(
            np.concatenate([counts[counts > 0] for counts, _ in parts]),
            np.concatenate([self.weights[counts > 0] for counts, _ in parts]),
            np.concatenate([np.full(np.count_nonzero(counts), is_it) for counts, is_it in parts]),
        )

    @cached_property
    def class_weights(self) -> tuple[float, float] | None:
        """The weights of a positive and of a negative, if a class has one weight; else None."""
        found = [self.weights[counts > 0] for counts in (self.positives, self.negatives)]
        if max(each.size for each in found) > 1:
            return None
        # A class without observations may have any weight.
        one, other = (float(each[0]) if each.size else math.nan for each in found)
        return (other if math.isnan(one) else one), (one if math.isnan(other) else other)

    def scaled(self, factor: float) -> WeightedBase:
        """Return the same observations with all weights times a factor."""
        return WeightedBase(self.weights * factor, self.positives, self.negatives)

    @property
    def described(self) -> str:
        """The test set in a few words."""
        observations = "observation" if self.total == 1 else "observations"
        share = self.positive_weight / self.total_weight
        return (
            f"{self.total:,} {observations}, {self.rate.positives:,} positive, total weight "
            f"{self.total_weight:,.6g}, {share:.1%} of it positive"
        )

    @property
    def facts(self) -> dict[str, Any]:
        """All counts, for JSON."""
        return {
            "weights": self.weights.tolist(),
            "positives": self.positives.tolist(),
            "negatives": self.negatives.tolist(),
        }

    @property
    def share(self) -> tuple[str, str]:
        """What a table says of a group in one cell, after the title of that column."""
        share = self.positive_weight / self.total_weight
        return "positive", f"{self.rate.positives:,} of {self.total:,} ({share:.1%} by weight)"

    def __repr__(self) -> str:
        return f"WeightedBase({self.described})"

    @cached_property
    def _key(self) -> tuple[bytes, bytes, bytes]:
        return self.weights.tobytes(), self.positives.tobytes(), self.negatives.tobytes()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeightedBase):
            return NotImplemented
        return self is other or self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def sum_of(weights: Floats, counts: Ints) -> float:
    """Return the weight of some observations."""
    return float(weights @ counts)


def joined(weights: Floats, counts: Ints, most: int = MAX_BLOCKS) -> tuple[Ints, Floats]:
    """Return fewer counts of ascending weights, with the same sum.

    Each of the largest stays alone; the others are joined with their neighbours, so that each
    block has about the same share of the range.
    """
    weights, counts = weights[counts > 0], counts[counts > 0]
    if counts.size <= most:
        return counts, weights
    alone = most // 4
    edges = np.linspace(weights[0], weights[-alone], most - alone + 1)[:-1]
    starts = np.unique(np.searchsorted(weights, edges))
    starts = np.append(starts[starts < weights.size - alone], np.arange(-alone, 0) + weights.size)
    sizes = np.add.reduceat(counts, starts)
    return sizes, np.add.reduceat(counts * weights, starts) / sizes
