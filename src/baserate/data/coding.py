"""Labels of any number of classes as small codes, read in pieces that fit in the cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.data.values import Values
from baserate.data.words import PIECE, coded_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.data.values import Column

    Ints = NDArray[np.int64]

# Whole numbers of a range up to this long are their own codes; for others, codes are looked up.
_MOST_SPREAD = 2**7
# Below this, the distance of two whole numbers is an int64.
_LARGE = 2**62


@dataclass(frozen=True)
class Codes:
    """A column whose codes are stored.

    Parameters
    ----------
    labels
        The label of each code, whether or not it occurs.
    codes
        The code of each row.
    """

    labels: Sequence[Any]
    codes: NDArray[Any]

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.codes.size

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return the codes of some rows."""
        return self.codes[start:stop]


@dataclass(frozen=True)
class Span:
    """A column of whole numbers from `low` to `high`, which need no codes: they count from `low`.

    Parameters
    ----------
    column
        Integers, or booleans as integers.
    low, high
        The smallest and the largest number, as far as is known.
    labels
        The label of each code.
    """

    column: NDArray[Any]
    low: int
    high: int
    labels: Sequence[Any]

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.column.size

    def read(self, start: int, stop: int) -> NDArray[Any] | None:
        """Return the codes of some rows, or None if one is outside the known span."""
        piece = self.column[start:stop]
        if piece.min() < self.low or piece.max() > self.high:
            return None
        return piece if self.low == 0 else np.subtract(piece, self.low, dtype=np.int64)


Coded: TypeAlias = Codes | Span
"""A column of labels as codes."""


def coded(column: Column, *, closely: bool = False) -> Coded:
    """Return the codes of a column without missing labels.

    Parameters
    ----------
    column
        Numbers, or values.
    closely
        Whether to take the span of whole numbers from all rows, not only from the first.
    """
    if isinstance(column, Values):
        return Codes(column.distinct, column.codes)
    if column.dtype.kind == "b":
        return Span(column.view(np.uint8), 0, 1, (False, True))
    if column.dtype.kind in "iu":
        sample = column if closely else column[:PIECE]
        low, high = int(sample.min()), int(sample.max())
        if high - low < _MOST_SPREAD and max(-low, high) < _LARGE:
            low = min(low, 0) if high < _MOST_SPREAD else low  # from 0, they are their own codes
            return Span(column, low, high, range(low, high + 1))
    found = coded_numbers(column)
    if found is not None:
        return Codes(column[found.firsts].tolist(), found.codes)
    values, codes = np.unique(column, return_inverse=True)
    return Codes(values.tolist(), codes)
