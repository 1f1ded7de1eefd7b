"""What a measure of numbers gives away: the score of the best constant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.core.optimum import TwoEnds
from baserate.formatting import number_format
from baserate.ranking.optimum import ScoreYardstick

if TYPE_CHECKING:
    from baserate.regression.constants import NumberOptimum
    from baserate.regression.measures.record import NumberMeasure
    from baserate.regression.numbers import Numbers
    from baserate.regression.summary import NumbersSummary


@dataclass(frozen=True)
class NumberBaseline(TwoEnds["NumberOptimum"]):
    """What a measure of numbers gives away on a test set.

    Parameters
    ----------
    measure
        The measure.
    numbers
        The test set.
    max, min
        The largest and the smallest expected score of predictions that ignore their input; nan if
        there is no end.

    Examples
    --------
    >>> from baserate.regression.measures.catalogue import get_number_measure
    >>> from baserate.regression.numbers import Numbers
    >>> numbers = Numbers([1.0, 2, 3, 10])
    >>> print(get_number_measure("MAE").yardstick(numbers).base)
    MAE baseline: 2.500 (any constant from 2 to 3)
    (4 observations from 1 to 10, mean 4)
    """

    measure: NumberMeasure
    numbers: Numbers | NumbersSummary
    max: NumberOptimum
    min: NumberOptimum

    def __str__(self) -> str:
        best = self.best
        write = number_format((best.value,))
        return (
            f"{self.measure.key} baseline: {write(best.value)} ({best.said})\n"
            f"({self.numbers.described})"
        )


@dataclass(frozen=True)
class NumberYardstick(ScoreYardstick):
    """How scores are read on a test set; a loss has no worst constant, which is then nan.

    Parameters
    ----------
    base
        The baseline.
    perfect
        The score of a prediction without errors.
    """

    base: NumberBaseline

    @property
    def reference(self) -> str:
        """The best constant in words."""
        return self.base.best.said
