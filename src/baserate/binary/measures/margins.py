"""The four margins of a confusion table, in any number type."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from baserate.binary.base_rate import BaseRate

Number: TypeAlias = Any
"""An int, a float, a Fraction, an mpmath number or an array of floats: formulas take them all."""


class Margins(NamedTuple):
    """What a draw fixes: P, N, P̂ and N̂. Only TP is left to chance.

    A `Confusion` has the same attributes, so that a formula takes either.
    """

    positives: Number
    negatives: Number
    predicted_positives: Number
    predicted_negatives: Number

    @classmethod
    def of(cls, base_rate: BaseRate, predicted_positives: Number) -> Margins:
        """Return the margins of a test set of which so many are predicted positive."""
        return cls(
            base_rate.positives,
            base_rate.negatives,
            predicted_positives,
            base_rate.total - predicted_positives,
        )

    @property
    def total(self) -> Number:
        """The number of observations, M = P + N."""
        return self.positives + self.negatives


def sqrt(value: Number) -> Number:
    """Return the square root in the number type of the value, a Fraction's as a float."""
    if isinstance(value, np.ndarray):
        return np.sqrt(value)
    if hasattr(value, "sqrt"):  # mpmath and decimal numbers
        return value.sqrt()
    return math.sqrt(value)
