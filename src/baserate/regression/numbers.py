"""The truth of a regression: the numbers that models predict."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.data.weights import importance_weights, sample_of
from baserate.exceptions import InvalidLabelsError
from baserate.regression.best.means import mean_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def finite_numbers(values: Any, parameter: str) -> Floats:
    """Return a column of numbers, or raise if it is none, is empty, or has one that is not finite.

    Examples
    --------
    >>> finite_numbers([1, 2.5], "y_true").tolist()
    [1.0, 2.5]
    """
    try:
        read = np.asarray(values)
        # Complex numbers would lose their imaginary part.
        numbers = read.astype(
            float, casting="safe" if read.dtype.kind == "c" else "unsafe", copy=False
        )
    except (TypeError, ValueError, OverflowError):
        raise InvalidLabelsError(
            f"must hold numbers (got {sample_of(values)})", parameter=parameter
        ) from None
    if numbers.ndim != 1 or not numbers.size:
        raise InvalidLabelsError(
            f"must be one column of at least one number (got the shape {numbers.shape})",
            parameter=parameter,
        )
    unusable = numbers[~np.isfinite(numbers)]
    if unusable.size:
        raise InvalidLabelsError(
            f"must hold finite numbers (got {float(unusable[0])})", parameter=parameter
        )
    return numbers


def unequal(weights: Floats | None) -> Floats | None:
    """Return weights; None if all are the same, since only their relation counts."""
    return None if weights is None or (weights == weights[:1]).all() else weights


def weights_or_none(weights: Floats | None) -> Any:
    """Return weights to compare; those of observations that all count alike are empty."""
    return np.zeros(0) if weights is None else weights


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Numbers:
    """The true numbers of a test set, sorted: all that a baseline needs.

    `baseline` takes it. To judge a model, call `evaluate` with the numbers themselves, and with
    `sample_weight` if they have weights.

    Parameters
    ----------
    values
        The numbers, in any order.
    weights
        How important each number is, in the same order; left out if all count alike. Numbers of
        weight 0 are left out.

    Examples
    --------
    >>> numbers = Numbers([10.0, 1, 100, 3, 2])
    >>> numbers, numbers.total
    (Numbers(5 observations from 1 to 100, mean 23.2), 5)
    >>> Numbers([10.0, 1, 100], weights=[1, 2.5, 0.5])
    Numbers(3 observations of total weight 4 from 1 to 100, weighted mean 15.625)
    >>> import baserate as br
    >>> print(br.baseline(Numbers([10.0, 1, 100], weights=[1, 2.5, 0.5]), "MAE"))
    MAE baseline: 14.625 (always 1)
    (3 observations of total weight 4 from 1 to 100, weighted mean 15.625)
    """

    values: Floats
    weights: Floats | None

    def __init__(self, values: Any, weights: Any = None) -> None:
        numbers = finite_numbers(values, "values") + 0.0  # no -0.0, which is 0.0
        if weights is not None:
            weights = importance_weights(weights, numbers.size)
            order = np.argsort(numbers, kind="stable")
            order = order[weights[order] > 0]
            numbers, weights = numbers[order], unequal(weights[order])
        else:
            numbers.sort()
        numbers.flags.writeable = False
        object.__setattr__(self, "values", numbers)
        object.__setattr__(self, "weights", weights)

    @property
    def total(self) -> int:
        """The number of observations."""
        return self.values.size

    @cached_property
    def class_sizes(self) -> tuple[int, ...]:
        """How often each number occurs."""
        firsts = np.flatnonzero(np.append(True, self.values[1:] != self.values[:-1]))
        return tuple(np.diff(np.append(firsts, self.total)).tolist())

    @property
    def described(self) -> str:
        """The test set in a few words."""
        low, high = self.values[0], self.values[-1]
        if self.total == 1:
            return f"1 observation, {low:.6g}"
        weighed, mean = "", "mean"
        if self.weights is not None:
            weighed, mean = f" of total weight {self.weights.sum():.6g}", "weighted mean"
        return (
            f"{self.total:,} observations{weighed} from {low:.6g} to {high:.6g}, "
            f"{mean} {self.mean:.6g}"
        )

    @cached_property
    def mean(self) -> float:
        """The mean, with weights if there are any."""
        return mean_of(self.values, self.weights)

    @property
    def facts(self) -> dict[str, Any]:
        """All numbers, for JSON."""
        found = {"truth": self.values.tolist()}
        return found if self.weights is None else {**found, "weights": self.weights.tolist()}

    @property
    def share(self) -> tuple[str, str]:
        """What a table says of a group in one cell, after the title of that column."""
        return "observations", f"{self.total:,}"

    def __repr__(self) -> str:
        return f"Numbers({self.described})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Numbers):
            return NotImplemented
        return self is other or (
            np.array_equal(self.values, other.values)
            and np.array_equal(weights_or_none(self.weights), weights_or_none(other.weights))
        )

    def __hash__(self) -> int:
        return hash((self.total, float(self.values[0]), self.mean))
