"""The range of values of a measure (the paper's Table 1)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from baserate.arguments import as_float, is_number
from baserate.core.rule import Rule
from baserate.exceptions import InvalidMeasureError


@dataclass(frozen=True)
class Codomain:
    """The values that a measure can take over all tables, from `lower` to `upper`.

    Examples
    --------
    >>> print(Codomain(-1, 1))
    [-1, 1]
    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        # An end may become the limit of a score, which is a float.
        object.__setattr__(self, "lower", float(self.lower))
        object.__setattr__(self, "upper", float(self.upper))

    @classmethod
    def of(cls, ends: object) -> Codomain:
        """Return the codomain between two ends, or raise if they are not valid."""
        try:
            lower, upper = tuple(ends)  # type: ignore[arg-type, var-annotated]
        except (TypeError, ValueError):
            raise InvalidMeasureError.codomain(ends) from None
        if not (is_number(lower) and is_number(upper) and as_float(lower) <= as_float(upper)):
            raise InvalidMeasureError.codomain(ends)
        return cls(as_float(lower), as_float(upper))

    @property
    def rule(self) -> Rule:
        """How the confidence interval of a measure is made of which nothing else is known."""
        is_bounded = math.isfinite(self.lower) and math.isfinite(self.upper)
        return Rule.END if is_bounded else Rule.LOSS

    def __str__(self) -> str:
        left = "(" if math.isinf(self.lower) else "["
        right = ")" if math.isinf(self.upper) else "]"
        return f"{left}{self.lower:g}, {self.upper:g}{right}"


UNIT = Codomain(0, 1)
SIGNED = Codomain(-1, 1)
COUNT = Codomain(0, math.inf)
