"""The tail of a sum of independent variables with few values each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    # The values of a variable, and their probabilities.
    Variable = tuple[Floats, Floats]

# The most values of each half of the sum.
_MOST = 2**20


def tail_of_sum(variables: Sequence[Variable], needed: float) -> float | None:
    """Return the chance that a sum is at least so large; None if it has too many values.

    The sum is split in two, all values of both halves are listed, and for each value of one the
    other is looked up: so it may have as many values as the product of two long lists.

    Examples
    --------
    >>> coin = np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    >>> tail_of_sum([coin] * 3, 1.0)
    0.5
    """
    halves: list[Variable] = [(np.zeros(1), np.ones(1)), (np.zeros(1), np.ones(1))]
    for variable in sorted(variables, key=lambda each: -each[0].size):
        place = 0 if halves[0][0].size <= halves[1][0].size else 1
        if halves[place][0].size * variable[0].size > _MOST:
            return None
        halves[place] = _plus(halves[place], variable)
    (values, masses), (others, other_masses) = halves
    order = np.argsort(others)
    at_least = np.append(np.cumsum(other_masses[order][::-1])[::-1], 0.0)
    places = np.searchsorted(others[order], needed - values)
    return float((masses * at_least[places]).sum())


def _plus(one: Variable, other: Variable) -> Variable:
    values, masses = np.add.outer(one[0], other[0]), np.multiply.outer(one[1], other[1])
    return values.ravel(), masses.ravel()
