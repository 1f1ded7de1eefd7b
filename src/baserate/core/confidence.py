"""The level at which claims are made."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from baserate.arguments import as_float, is_number
from baserate.exceptions import InvalidProbabilityError
from baserate.formatting import shown

if TYPE_CHECKING:
    from typing import Self

ALPHA = 0.05
"""The significance level of each claim, unless told otherwise."""
_SMALLEST, _LARGEST = 1e-3, 0.5


class Limits(tuple[float, float]):
    """Both ends of a confidence interval; it knows the standard error of the number too.

    Examples
    --------
    >>> found = Limits(0.1, 0.4, error=0.07)
    >>> low, high = found
    >>> low, high, found.error
    (0.1, 0.4, 0.07)
    """

    error: float

    def __new__(cls, low: float, high: float, error: float = math.nan) -> Self:
        """Return the ends, lower one first; what is not known is nan."""
        found = super().__new__(cls, (low, high))
        found.error = error
        return found

    def __neg__(self) -> Self:
        """Return the interval of the number with the other sign."""
        return type(self)(-self[1], -self[0], self.error)


def require_alpha(alpha: object) -> float:
    """Return alpha as a float, or raise if claims cannot be made at that level."""
    if not (is_number(alpha) and _SMALLEST <= as_float(alpha) <= _LARGEST):
        raise InvalidProbabilityError(
            f"must be between {_SMALLEST:g} and {_LARGEST:g} (got {shown(alpha)}); 5% is written "
            "0.05",
            parameter="alpha",
        )
    return as_float(alpha)
