"""The random count of a draw, in its smallest form.

Given P, N and P̂, every measure is a function of one hypergeometric count. By swapping classes
and predictions, that count is the overlap x of the smaller class (A) with the smaller prediction
(B), and the table is x, A - x, B - x and M - A - B + x.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate

    Floats = NDArray[np.float64]


class Kernel(Protocol):
    """A vectorised measure: it scores tables; the score is not finite where it is undefined."""

    def __call__(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats, /) -> Floats:
        """Score tables."""
        ...


class Canonical(NamedTuple):
    """The overlap of the smaller class with the smaller prediction, for one or many draws."""

    smaller_class: Any
    smaller_prediction: Any
    rest: Any
    total: int
    swapped_class: bool
    swapped_prediction: Any

    @classmethod
    def of(cls, base_rate: BaseRate, predicted_positives: Any) -> Canonical:
        """Return the overlap under draws with these numbers of positive predictions."""
        total = base_rate.total
        smaller_class = min(base_rate.positives, base_rate.negatives)
        swapped = np.asarray(predicted_positives > total - predicted_positives, dtype=bool)
        smaller_prediction = np.where(swapped, total - predicted_positives, predicted_positives)
        return cls(
            smaller_class,
            smaller_prediction,
            total - smaller_class - smaller_prediction,
            total,
            base_rate.positives > base_rate.negatives,
            swapped,
        )

    @property
    def means(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The means of the four cells; the products across both diagonals are equal."""
        a, b, m = float(self.smaller_class), floats(self.smaller_prediction), float(self.total)
        other_a, other_b = float(self.total - self.smaller_class), floats(self.total - b)
        return a * b / m, a * other_b / m, b * other_a / m, other_a * other_b / m

    @property
    def sd(self) -> Floats:
        """The standard deviation of every cell."""
        mean = self.means[0]
        spread = float(self.total - self.smaller_class) / max(self.total - 1, 1)
        return np.sqrt(mean * spread * floats(self.total - self.smaller_prediction) / self.total)

    def score(self, kernel: Kernel, cells: tuple[Floats, ...]) -> Floats:
        """Score tables given as (x, A - x, B - x, M - A - B + x), one row per draw."""
        x, a_rest, b_rest, rest = cells
        # tp, fp, fn, tn if nothing is swapped; swapping the predictions reverses the order.
        direct = (b_rest, x, rest, a_rest) if self.swapped_class else (x, b_rest, a_rest, rest)
        swapped = (rest, a_rest, b_rest, x) if self.swapped_class else (a_rest, rest, x, b_rest)
        if not self.swapped_prediction.any():
            return kernel(*direct)
        if self.swapped_prediction.all():
            return kernel(*swapped)
        scores = np.empty(x.shape)
        for where, table in (
            (~self.swapped_prediction, direct),
            (self.swapped_prediction, swapped),
        ):
            scores[where] = kernel(*(cell[where] for cell in table))
        return scores


def floats(values: Any) -> Floats:
    """Return counts as floats."""
    return np.asarray(values, dtype=float)
