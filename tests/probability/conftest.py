"""Laws by brute force, for as long as the room of rankings does not have its own."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import factorial
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from baserate.core.direction import Direction
from baserate.ranking.law.dealt import DealtLaw


class _Brute(DealtLaw):
    """All arrangements of the truth if they are few, and many random ones otherwise."""

    slope: float
    intercept: float
    method = "brute force"

    def _rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the truth, and what each row adds for each class."""
        raise NotImplementedError

    @property
    def exact(self) -> bool:
        truth, _ = self._rows()
        return factorial(truth.size) <= 6000

    @cached_property
    def _scores(self) -> np.ndarray:
        truth, added = self._rows()
        if self.exact:
            dealt = np.array(list(permutations(truth.tolist())))
        else:
            rng = np.random.default_rng(3)
            dealt = rng.permuted(np.tile(truth, (4000, 1)), axis=1)
        sums = added[np.arange(truth.size), dealt].sum(axis=1)
        return np.sort(self.intercept + self.slope * sums)

    def mean(self) -> float:
        return float(self._scores.mean())

    def variance(self) -> float:
        return float(self._scores.var())

    def tail(self, score: float, direction: Direction) -> float:
        sign = 1 if direction is Direction.MAXIMIZE else -1
        return float((sign * self._scores >= sign * score - 1e-11).mean())

    def quantile(self, level: float) -> float:
        place = int(np.ceil(level * self._scores.size - 1e-9)) - 1
        return float(self._scores[min(max(place, 0), self._scores.size - 1)])


@dataclass(frozen=True, eq=False)
class LinearLaw(_Brute):
    """A score that is linear in a sum over the positives."""

    rate: Any
    sizes: Any
    weights: Any
    slope: float
    intercept: float

    def _rows(self) -> tuple[np.ndarray, np.ndarray]:
        weights = np.repeat(self.weights, self.sizes)
        truth = np.repeat([1, 0], [self.rate.positives, self.rate.negatives])
        return truth, np.stack([np.zeros(weights.size), weights], axis=1)


@dataclass(frozen=True, eq=False)
class SeveralLaw(_Brute):
    """A score that is linear in a sum over the rows, of several classes."""

    class_counts: Any
    rows: Any
    sizes: Any
    slope: float
    intercept: float

    def _rows(self) -> tuple[np.ndarray, np.ndarray]:
        counts = np.asarray(self.class_counts)
        return np.repeat(np.arange(counts.size), counts), np.repeat(self.rows, self.sizes, axis=0)


@pytest.fixture(autouse=True)
def laws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the brute force where the laws will be."""
    for name, law in (("linear", LinearLaw), ("linear_several", SeveralLaw)):
        full = f"baserate.ranking.law.{name}"
        try:
            importlib.import_module(full)
        except ModuleNotFoundError:
            module = ModuleType(full)
            setattr(module, law.__name__, law)
            monkeypatch.setitem(sys.modules, full, module)
