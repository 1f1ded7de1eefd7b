"""The baseline of labels, for scores that are cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from baserate.baselines.dutch_scaler import Scaler
    from baserate.core.measure import AnyMeasure
    from baserate.core.scale import Baseline, Scale


@dataclass(frozen=True)
class BorrowedYardstick:
    """The yardstick of a measure of labels, for another measure.

    Parameters
    ----------
    measure
        The other measure: that of labels at a threshold, or with a weight for each class.
    scaler
        The yardstick of the measure of labels.
    """

    measure: AnyMeasure[Any]
    scaler: Scaler

    @property
    def base(self) -> Baseline[Any]:
        """The baseline."""
        return self.scaler.base

    @property
    def scale(self) -> Scale:
        """The worst draw, the best one and perfection."""
        return self.scaler.scale

    @property
    def theta_star(self) -> float:
        """The fraction that the best draw predicts positive."""
        return self.scaler.theta_star

    @property
    def reference(self) -> str:
        """The best draw in words."""
        return self.scaler.reference

    def oracle_weight(self, score: float, margin: float) -> float:
        """Return the weight of an oracle that explains a score."""
        return self.scaler.oracle_weight(score, margin)
