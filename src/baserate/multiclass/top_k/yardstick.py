"""Top-k accuracy on a test set: its baseline, and the scale around it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from baserate.core.scale import Scale

if TYPE_CHECKING:
    from baserate.multiclass.top_k.measures import TopKMeasure
    from baserate.multiclass.top_k.optimum import TopBaseline


@dataclass(frozen=True)
class TopYardstick:
    """How scores are read on a test set.

    Parameters
    ----------
    base
        The baseline.
    """

    base: TopBaseline

    theta_star = math.nan

    @property
    def measure(self) -> TopKMeasure:
        """The measure."""
        return self.base.measure

    @cached_property
    def scale(self) -> Scale:
        """The worst constant answer, the best one and perfection."""
        return Scale.of(self.base, 1.0)

    @property
    def reference(self) -> str:
        """The best constant answer in words."""
        return self.base.reference

    def oracle_weight(self, score: float, margin: float) -> float:  # noqa: ARG002
        """Return nan: a Dutch Scaler is of two classes."""
        return math.nan
