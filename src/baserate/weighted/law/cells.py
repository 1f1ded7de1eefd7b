"""The weighted counts of many draws at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from baserate.weighted.base import WeightedBase

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DrawCells:
    """The weights of the four cells in each of many draws.

    What is left is summed for itself, and is no difference: that would lose its digits.

    Parameters
    ----------
    tp, fp, fn, tn
        The weights; arrays of the same shape.
    """

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats

    def __iter__(self) -> Iterator[Floats]:
        return iter((self.tp, self.fp, self.fn, self.tn))

    def chosen(self, places: Any) -> DrawCells:
        """Return some of the draws."""
        return DrawCells(*(each[places] for each in self))


@dataclass(frozen=True)
class Moments:
    """Means and variances of the weights of true and of false positives, in draws of some sizes.

    Parameters
    ----------
    tp, fp
        The means.
    tp_variance, fp_variance, covariance
        The variances, and the covariance.
    """

    tp: Floats
    fp: Floats
    tp_variance: Floats
    fp_variance: Floats
    covariance: Floats

    def chosen(self, places: Any) -> Moments:
        """Return those of some sizes."""
        return Moments(*(each[places] for each in vars(self).values()))

    @classmethod
    def of(cls, base: WeightedBase, sizes: Floats) -> Moments:
        """Return the moments of draws of some sizes, without replacement.

        Examples
        --------
        >>> import numpy as np
        >>> from baserate.weighted.base import WeightedBase
        >>> base = WeightedBase(np.array([1.0, 100.0]), np.array([1, 0]), np.array([0, 1]))
        >>> found = Moments.of(base, np.array([1.0]))
        >>> found.tp, found.fp, found.covariance
        (array([0.5]), array([50.]), array([-25.]))
        """
        share, total = sizes / base.total, base.total
        # Of one observation nothing is random.
        spread = share * (1 - share) * (total / (total - 1) if total > 1 else 0.0)
        one, other = base.positive_weight, base.negative_weight
        squares = [float(counts @ base.weights**2) for counts in (base.positives, base.negatives)]
        return cls(
            share * one,
            share * other,
            spread * (squares[0] - one * one / total),
            spread * (squares[1] - other * other / total),
            -spread * one * other / total,
        )
