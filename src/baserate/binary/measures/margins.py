"""The four margins of a confusion table, in any number type."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from baserate.binary.base_rate import BaseRate
    from baserate.core.formula import Number


class Margins(NamedTuple):
    """The counts that a draw fixes: P, N, P̂ and N̂. Only TP is random.

    A `Confusion` has the same attributes, so a formula accepts either.
    """

    positives: Number
    negatives: Number
    predicted_positives: Number
    predicted_negatives: Number

    @classmethod
    def of(cls, base_rate: BaseRate, predicted_positives: Number) -> Margins:
        """Return the margins of a test set with this many positive predictions."""
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
