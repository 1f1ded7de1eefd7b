"""A column of values that are not numbers: each distinct value once, and a code per row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.data.words import coded_objects
from baserate.exceptions import InvalidLabelsError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.data.counting import Mask

NUMBERS = "biuf"
"""The kinds of numpy types that are numbers."""


@dataclass(frozen=True)
class Values:
    """A non-numeric column: its distinct values, and the value of each row as a code.

    Questions about rows are answered per distinct value: a lookup is far faster than a comparison.
    """

    distinct: list[Any]
    codes: NDArray[Any]

    @classmethod
    def of(cls, values: list[Any]) -> Values:
        """Return the column, or raise TypeError if a value is not hashable."""
        places = Places()
        try:
            codes = np.fromiter(map(places.__getitem__, values), dtype=np.intp, count=len(values))
        except TypeError:
            raise
        except Exception as error:  # a user's object may raise anything
            raise InvalidLabelsError.not_comparable(error) from None
        return cls(list(places), codes)

    @classmethod
    def of_objects(cls, column: NDArray[Any]) -> Values:
        """Return a column of objects, or raise TypeError if one is not hashable."""
        shared = coded_objects(column)
        if shared is None:
            return cls.of(column.tolist())
        found = cls.of(column[shared.firsts].tolist())  # different objects may be equal
        return cls(found.distinct, found.codes[shared.codes])

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.codes.size

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, as numpy gives it."""
        return self.codes.shape

    @property
    def present(self) -> list[Any]:
        """The values that occur in some row."""
        counts = np.bincount(self.codes, minlength=len(self.distinct))
        return [self.distinct[place] for place in np.flatnonzero(counts)]

    def __getitem__(self, keep: Mask) -> Values:
        return Values(self.distinct, self.codes[keep])

    def where(self, told: Callable[[Any], bool]) -> Mask:
        """Return the rows whose value satisfies a condition."""
        answers = np.array([bool(told(value)) for value in self.distinct], dtype=bool)
        return np.asarray(answers[self.codes])

    def tolist(self) -> list[Any]:
        """Return the value of each row."""
        return [self.distinct[code] for code in self.codes.tolist()]


class Places(dict[Any, int]):
    """The place of each value: those that are new come last."""

    def __missing__(self, value: Any) -> int:
        self[value] = place = len(self)
        return place


Column: TypeAlias = "NDArray[Any] | Values"
"""Numbers, or values."""


def objects(values: list[Any]) -> NDArray[Any]:
    """Return a vector of Python values, even if they are tuples."""
    vector = np.empty(len(values), dtype=object)
    vector[:] = values
    return vector
