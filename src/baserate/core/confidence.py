"""The level at which claims are made."""

from __future__ import annotations

from baserate.exceptions import InvalidProbabilityError
from baserate.exceptions.base import shown
from baserate.support.arguments import as_float, is_number

ALPHA = 0.05
"""The significance level of each claim, unless told otherwise."""
_SMALLEST, _LARGEST = 1e-3, 0.5


def require_alpha(alpha: object) -> float:
    """Return alpha as a float, or raise if claims cannot be made at that level."""
    if not (is_number(alpha) and _SMALLEST <= as_float(alpha) <= _LARGEST):
        raise InvalidProbabilityError(
            f"must be between {_SMALLEST:g} and {_LARGEST:g} (got {shown(alpha)}); 5% is written "
            "0.05",
            parameter="alpha",
        )
    return as_float(alpha)
