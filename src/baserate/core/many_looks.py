"""Adjust p-values for many looks: the more that are tested, the smaller one is by luck."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from baserate.exceptions import InvalidPredictionsError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Adjustment: TypeAlias = Literal["holm", "bh"] | None
"""How p-values are adjusted: by Holm, by Benjamini and Hochberg, or not at all."""


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values that hold for a whole family: a false alarm anywhere is as rare as alpha.

    The smallest of n is multiplied by n, the next by n - 1, and so on (Holm 1979). It holds
    whatever the p-values have to do with each other.

    Parameters
    ----------
    p_values
        The p-values of one family. A nan stands for no test: it stays nan and does not count.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    return _adjusted(p_values, _step_down)


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return p-values of which, below alpha, at most a share alpha are false alarms on average.

    The k-th smallest of n is multiplied by n / k (Benjamini and Hochberg 1995). It holds for
    independent p-values and for those that rise together.

    Parameters
    ----------
    p_values
        The p-values of one family. A nan stands for no test: it stays nan and does not count.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    return _adjusted(p_values, _step_up)


def adjusted(p_values: Sequence[float], adjust: Adjustment) -> list[float]:
    """Return p-values adjusted in the way that is asked for, or raise if it is unknown."""
    if not isinstance(adjust, str | None) or adjust not in _WAYS:
        raise InvalidPredictionsError(
            f"must be 'holm', 'bh' or None (got {shown(adjust)})", parameter="adjust"
        )
    return _WAYS[adjust](p_values)


def widened(
    number: float, ends: tuple[float, float], rows: int, alpha: float, claims: int
) -> tuple[float, float]:
    """Return an interval that holds together with those of other claims, all of them at 1 - alpha.

    Its ends are as much farther from the number as Student's t is for one of so many (Bonferroni).

    Parameters
    ----------
    number, ends
        The number, and its own interval at 1 - alpha.
    rows
        How many rows there are, or clusters of them.
    alpha
        How often any of the intervals may be wrong.
    claims
        How many there are.

    Examples
    --------
    >>> low, high = widened(0.1, (0.02, 0.2), rows=100, alpha=0.05, claims=20)
    >>> round(low, 3), round(high, 3)
    (-0.025, 0.256)
    """
    from scipy.special import stdtrit

    freedom = max(rows - 1, 1)
    alone, together = (stdtrit(freedom, 1 - alpha / 2 / each) for each in (1, max(claims, 1)))
    factor = float(together / alone)
    low, high = (number + factor * (end - number) for end in ends)
    return low, high


def _adjusted(p_values: Sequence[float], step: Callable[[Floats], Floats]) -> list[float]:
    """Adjust the p-values that are known, in ascending order."""
    found = np.array(p_values, dtype=float)
    known = np.flatnonzero(~np.isnan(found))
    order = known[np.argsort(found[known], kind="stable")]
    found[order] = np.minimum(step(found[order]), 1.0)
    return list(map(float, found))


def _step_down(ascending: Floats) -> Floats:
    factors = np.arange(ascending.size, 0, -1)
    return np.asarray(np.maximum.accumulate(ascending * factors))


def _step_up(ascending: Floats) -> Floats:
    size = ascending.size
    # Rounding must not make a p-value smaller: 0.0275 * 7 / 7 may fall below 0.0275.
    raised = np.maximum(ascending * size / np.arange(1, size + 1), ascending)
    return np.asarray(np.minimum.accumulate(raised[::-1])[::-1])


_WAYS: dict[Adjustment, Callable[[Sequence[float]], list[float]]] = {
    None: list,
    "holm": holm,
    "bh": benjamini_hochberg,
}
