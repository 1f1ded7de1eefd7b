"""Small test sets with weights, for tests against the oracle."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from baserate.measures.two_classes import get_measure
from baserate.measures.weighted import WeightedMeasure
from baserate.observed.weighted import WeightedLabels

if TYPE_CHECKING:
    from exact_weighted import Truth, Weights


@dataclass(frozen=True)
class Case:
    """Labels with weights that are quarters, and so exact floats."""

    truth: Truth
    first: Truth
    second: Truth
    weights: Weights

    @property
    def labels(self) -> WeightedLabels:
        """What the first model did."""
        return WeightedLabels.of_rows(self.truth, self.first, self.floats)

    @property
    def floats(self) -> list[float]:
        """The weights."""
        return [float(weight) for weight in self.weights]


def cases(number: int, most: int, seed: int, kind: str = "free") -> list[Case]:
    """Some test sets: with any weights, with one weight for each class, or with one for all."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(number):
        size = int(rng.integers(2, most + 1))
        truth, first, second = (tuple(rng.integers(0, 2, size).tolist()) for _ in range(3))
        quarters = rng.integers(1, 20, size)
        if kind == "class":
            quarters = np.where(np.array(truth) == 1, quarters[0], quarters[1])
        if kind == "equal":
            quarters = np.full(size, quarters[0])
        weights = tuple(Fraction(int(each), 4) for each in quarters)
        found.append(Case(truth, first, second, weights))
    return found


def weighted(key: str) -> WeightedMeasure:
    """A measure of weighted labels."""
    return WeightedMeasure.by(get_measure(key))
