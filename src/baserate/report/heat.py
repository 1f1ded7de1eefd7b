"""A confusion matrix as a heat map: what share of each true class is predicted as what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.core.observed import Grid

MOST_CLASSES = 20
"""Beyond this many classes, the rarest are put together."""
REST = "all others"
"""The name of those that are."""


@dataclass(frozen=True)
class HeatCell:
    """How often a class is predicted as another, and what share of that class it is."""

    count: int
    share: float
    is_right: bool


@dataclass(frozen=True)
class HeatMap:
    """A square table that fits on a page, a row per true class.

    If there are too many classes, the last one stands for those that are left out.
    """

    labels: tuple[str, ...]
    rows: tuple[tuple[HeatCell, ...], ...]
    left_out: int

    @classmethod
    def of(cls, grid: Grid, most: int = MOST_CLASSES) -> HeatMap:
        """Return the heat map of a square table, the rarest classes put together.

        Examples
        --------
        >>> from baserate import ConfusionMatrix
        >>> found = HeatMap.of(ConfusionMatrix([[8, 2], [1, 3]], labels=["a", "b"]).grid)
        >>> [round(cell.share, 2) for cell in found.rows[1]]
        [0.25, 0.75]
        """
        counts = np.asarray(grid.counts)
        if len(counts) <= most + 1:
            return cls(grid.labels, _rows(counts, len(counts)), 0)
        seen = counts.sum(axis=1) + counts.sum(axis=0)
        kept = np.sort(np.argsort(-seen, kind="stable")[:most])
        place = np.full(len(counts), most)
        place[kept] = np.arange(most)
        merged = np.zeros((most + 1, most + 1), dtype=counts.dtype)
        np.add.at(merged, (place[:, np.newaxis], place), counts)
        labels = (*(grid.labels[each] for each in kept), REST)
        return cls(labels, _rows(merged, most), len(counts) - most)


def _rows(counts: NDArray[np.int64], classes: int) -> tuple[tuple[HeatCell, ...], ...]:
    """Return the cells; beyond the single classes, one on the diagonal may still be wrong."""
    totals = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shares = (counts / totals).tolist()
    return tuple(
        tuple(
            HeatCell(count, share, row == column < classes)
            for column, (count, share) in enumerate(zip(*pair, strict=True))
        )
        for row, pair in enumerate(zip(counts.tolist(), shares, strict=True))
    )
