"""What one pass finds of columns of numbers: how many there are, and between which ends."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from baserate.data.numbers import LARGEST, what_numbers
from baserate.exceptions import InvalidScoresError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import narwhals.stable.v2 as nw


_ENDS = ("low", "high", "sum")


class Ends(NamedTuple):
    """A column in three numbers.

    Parameters
    ----------
    low, high
        The lowest and the highest number.
    centre
        About the mean.
    """

    low: float
    high: float
    centre: float

    @classmethod
    def of(cls, low: float, high: float, mean: float) -> Ends:
        """Return the ends, with the mean between them, which it may miss by a rounding."""
        return cls(float(low) + 0.0, float(high) + 0.0, float(min(max(mean, low), high)) + 0.0)


class Overview(NamedTuple):
    """What one pass finds: the number of rows, and of each column how many are numbers, and ends.

    Parameters
    ----------
    numbers
        What was found: ``total``, and ``score0_sum``, ``score0_count``, ``score0_low``,
        ``score0_high`` and so on.
    columns
        The columns of numbers.
    """

    numbers: Mapping[str, float]
    columns: Sequence[str]

    @property
    def total(self) -> int:
        """The number of rows."""
        return round(self.numbers["total"])

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing or infinite."""
        return self.total > 0 and all(
            self.numbers[f"{name}_count"] == self.total
            and not any(self._is_beyond(name, end) for end in _ENDS)
            for name in self.columns
        )

    def _is_beyond(self, column: str, end: str) -> bool:
        """Return whether a sum is infinite, or an end is nearly so."""
        number = self.numbers[f"{column}_{end}"]
        return not (math.isfinite(number) if end == "sum" else abs(number) <= LARGEST)

    def ends(self, centres: Iterable[float] = ()) -> list[Ends]:
        """Return the ends and the mean of each column; the sums are of what is above a centre."""
        found = []
        for name, centre in zip(self.columns, centres or [0.0] * len(self.columns), strict=True):
            low, high, above = (self.numbers[f"{name}_{each}"] for each in ("low", "high", "sum"))
            found.append(Ends.of(low, high, centre + above / self.total))
        return found

    def infinite(self, names: Sequence[str]) -> InvalidScoresError:
        """Return the error about a number that is infinite, or numbers too large to be summed."""
        name, end, number = next(
            (name, end, self.numbers[f"{column}_{end}"])
            for name, column in zip(names, self.columns, strict=True)
            for end in _ENDS
            if self._is_beyond(column, end)
        )
        what = what_numbers(number) if end != "sum" else "numbers with a finite sum"
        return InvalidScoresError(
            f"must be {what} (got {number})", parameter=f"column {shown(name)}"
        )


def described(name: str) -> list[nw.Expr]:
    """Return how many numbers a column has, and its ends."""
    import narwhals.stable.v2 as nw

    column = nw.col(name)
    return [
        column.count().alias(f"{name}_count"),
        column.min().alias(f"{name}_low"),
        column.max().alias(f"{name}_high"),
    ]
