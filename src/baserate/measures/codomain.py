"""The values that a measure can take (the paper's Table 1)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from baserate.exceptions import InvalidMeasureError


@dataclass(frozen=True)
class Codomain:
    """The values that a measure can take on some table, from `lower` to `upper`.

    Examples
    --------
    >>> print(Codomain(-1, 1))
    [-1, 1]
    """

    lower: float
    upper: float

    @classmethod
    def of(cls, ends: object) -> Codomain:
        """Return the codomain between two ends, or raise if they are none."""
        try:
            lower, upper = map(float, ends)  # type: ignore[call-overload]
        except (TypeError, ValueError, OverflowError):
            raise InvalidMeasureError.codomain(ends) from None
        if not lower <= upper:
            raise InvalidMeasureError.codomain(ends)
        return cls(lower, upper)

    def __str__(self) -> str:
        left = "(" if math.isinf(self.lower) else "["
        right = ")" if math.isinf(self.upper) else "]"
        return f"{left}{self.lower:g}, {self.upper:g}{right}"


UNIT = Codomain(0, 1)
SIGNED = Codomain(-1, 1)
COUNT = Codomain(0, math.inf)
