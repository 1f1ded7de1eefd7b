"""A measure of several classes on a test set: its baseline, and the scale around it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.scale import Scale

if TYPE_CHECKING:
    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.multiclass.optimum.baseline import ClassBaseline


@dataclass(frozen=True)
class ClassYardstick:
    """How scores are read on a test set.

    Parameters
    ----------
    base
        The baseline.
    """

    base: ClassBaseline

    theta_star = math.nan

    @property
    def measure(self) -> ClassMeasure:
        """The measure."""
        return self.base.measure

    @cached_property
    def scale(self) -> Scale:
        """The worst baseline, the best one and perfection."""
        return Scale.of(self.base, self._perfect)

    @property
    def reference(self) -> str:
        """The best deck in words."""
        return self.base.reference

    def oracle_weight(self, score: float, margin: float) -> float:  # noqa: ARG002
        """Return nan: a Dutch Scaler is of two classes."""
        return math.nan

    @property
    def _perfect(self) -> float:
        """The score of a prediction without errors."""
        counts = self.base.test_set.occurring.array
        return float(self.base.measure.scores(np.diag(counts).astype(float)))
