"""Moments around means, from sums around numbers near them, so that one pass is enough.

The numbers near the means are those of a random sample, whose distance is a small share of the
standard deviation whatever the numbers are. So hardly a digit cancels (Chan, Golub and LeVeque
1983); where one would, another pass sums around the means themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baserate.regression.engine.losses import squared

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SQUARE = "square_of_truth"
"""The name of the sum of the squared differences of the truth from a number near its mean."""
# How much of a sum of squares may be due to the distance from the mean.
_MOST_LOST = 0.1


def moments(differences: Sequence[Any], models: Iterable[int]) -> dict[str, Any]:
    """Return squares and products of the differences of columns, as expressions.

    Parameters
    ----------
    differences
        The truth minus a number near its mean, and so on with each column of predictions.
    models
        The columns that are asked for.
    """
    y = differences[0]
    found: dict[str, Any] = {}
    for k in models:
        z = differences[k]
        found |= {f"square_{k}": z * z, f"product_{k}": z * y, f"left_{k}": squared(y, z)}
    return found


def moved_moments(
    sums: Mapping[str, float], shifts: Sequence[float], models: Iterable[int], total: int
) -> dict[str, float] | None:
    """Return the sums around the means; None if digits would cancel.

    Parameters
    ----------
    sums
        The sums of `moments`.
    shifts
        How far the mean of each column is above the number that was subtracted.
    models
        The columns that are asked for.
    total
        The number of rows.

    Examples
    --------
    The numbers 0 and 8 around 3, whose mean is 4:

    >>> moved_moments({"square_0": 34, "product_0": 34, "left_0": 0}, [1.0], [0], 2)
    {'square_0': 32.0, 'product_0': 32.0, 'left_0': 0.0}
    """
    found: dict[str, float] = {}
    for k in models:
        apart = shifts[0] - shifts[k]
        lost = {
            f"square_{k}": total * shifts[k] * shifts[k],
            f"product_{k}": total * shifts[k] * shifts[0],
            f"left_{k}": total * apart * apart,
        }
        if not all(_is_little(lost[name], sums[name]) for name in (f"square_{k}", f"left_{k}")):
            return None
        found |= {name: sums[name] - each for name, each in lost.items()}
    return found


def moved_square(squares: float, shift: float, total: int) -> float | None:
    """Return the sum of the squared differences from the mean; None if digits would cancel.

    Parameters
    ----------
    squares
        The same around a number near the mean.
    shift
        How far the mean is above that number.
    total
        The number of rows.

    Examples
    --------
    The numbers 0 and 8 around 3, whose mean is 4:

    >>> moved_square(34.0, 1.0, 2)
    32.0
    """
    lost = total * shift * shift
    return squares - lost if _is_little(lost, squares) else None


def _is_little(lost: float, sum_of_squares: float) -> bool:
    return lost <= _MOST_LOST * sum_of_squares
