"""Formulas, each written once: to compute with and to print."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

Number: TypeAlias = Any
"""An int, a float, a Fraction, an mpmath number or an array of floats: formulas take them all."""


@dataclass(frozen=True)
class Formula:
    """A formula to compute with and to print.

    Parameters
    ----------
    latex
        How the paper writes it.
    function
        How it is computed, in whatever number type it is given.
    """

    latex: str
    function: Callable[..., Number] = field(repr=False)

    def __call__(self, *arguments: Number) -> Number:
        """Compute it."""
        return self.function(*arguments)


ZERO = Formula("0", lambda _: 0)
ONE = Formula("1", lambda _: 1)


def sqrt(value: Number) -> Number:
    """Return the square root in the number type of the value, a Fraction's as a float."""
    if isinstance(value, np.ndarray):
        return np.sqrt(value)
    if hasattr(value, "sqrt"):  # mpmath and decimal numbers
        return value.sqrt()
    return math.sqrt(value)
