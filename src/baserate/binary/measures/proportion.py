"""Scores that are a proportion: hits among hits and misses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from baserate.binary.confusion import Confusion


@dataclass(frozen=True)
class Proportion:
    """Which cells are hits and which are misses, where a score is a function of their proportion.

    Parameters
    ----------
    hits, misses
        The names of the cells. Given how many observations are either, the hits are binomial.
    """

    hits: tuple[str, ...]
    misses: tuple[str, ...]

    def counted(self, table: Confusion) -> tuple[int, int]:
        """Return how many hits and misses a table has."""
        return (
            sum(getattr(table, cell) for cell in self.hits),
            sum(getattr(table, cell) for cell in self.misses),
        )

    def cells(self, proportion: float, total: int) -> tuple[float, float, float, float]:
        """Return (tp, fp, fn, tn) of a table that has no other cells, with this proportion."""
        share = {self.hits[0]: proportion * total, self.misses[0]: (1 - proportion) * total}
        return tuple(share.get(cell, 0.0) for cell in ("tp", "fp", "fn", "tn"))  # type: ignore[return-value]
