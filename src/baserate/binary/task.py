"""The binary task, as a judge asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.binary.dutch_scaler import Scaler
from baserate.binary.law.chance import chances, tails
from baserate.binary.optimum.baseline import baseline
from baserate.binary.rescaling import scale_of
from baserate.binary.uncertainty import Uncertainty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.confusion import Confusion
    from baserate.binary.law.chance import Chance
    from baserate.binary.measures.record import Measure
    from baserate.core.law import Tails


class BinaryTask:
    """Two classes: what is observed is a confusion table, and chance is a draw of its size."""

    def test_set(self, observed: Confusion) -> BaseRate:
        """Return the test set of a table."""
        return observed.base_rate

    def yardstick(self, test_set: BaseRate, measure: Measure) -> Scaler:
        """Return the baseline of a measure, and the scale around it."""
        base = baseline(test_set, measure)
        return Scaler(base, scale_of(base))

    def nulls(self, observed: Sequence[Confusion], levels: tuple[float, float]) -> list[Chance]:
        """Return what chance does with as many positive predictions as each table has."""
        return chances(observed, levels)

    def tails(self, observed: Sequence[Confusion]) -> list[Tails]:
        """Return the chances of as many true positives as each table has, and of as few."""
        return tails(observed)

    def uncertainty(self, observed: Confusion, alpha: float) -> Uncertainty:
        """Return the limits of scores and margins over test sets like this one."""
        return Uncertainty(observed, alpha)


BINARY = BinaryTask()
