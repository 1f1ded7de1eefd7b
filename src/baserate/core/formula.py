"""Formulas, each written once, to compute and to print."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

Number: TypeAlias = Any
"""An int, a float, a Fraction, an mpmath number or an array of floats; formulas accept all."""


@dataclass(frozen=True)
class Formula:
    """A formula that can be computed and printed.

    Parameters
    ----------
    latex
        The formula as the paper writes it.
    function
        The computation, in the number type of its arguments.
    """

    latex: str
    function: Callable[..., Number] = field(repr=False)

    def __call__(self, *arguments: Number) -> Number:
        """Compute the formula."""
        return self.function(*arguments)


ZERO = Formula("0", lambda _: 0)
ONE = Formula("1", lambda _: 1)


def sqrt(value: Number) -> Number:
    """Return the square root in the number type of the value; a Fraction's is a float."""
    if isinstance(value, np.ndarray):
        return np.sqrt(value)
    if hasattr(value, "sqrt"):  # mpmath and decimal numbers
        return value.sqrt()
    return math.sqrt(value)
