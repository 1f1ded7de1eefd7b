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


def powers(difference: Any) -> dict[str, Any]:
    """Return the square, the cube and the fourth power of a difference, as expressions."""
    square = difference * difference
    return {"power_2": square, "power_3": square * difference, "power_4": square * square}


def moved_powers(sums: Mapping[str, float], shift: float, total: int) -> tuple[float, float] | None:
    """Return the sums of the squares and fourth powers of differences from the mean.

    None if digits would cancel.

    Parameters
    ----------
    sums
        The sums of `powers`.
    shift
        How far the mean is above the number that was subtracted.
    total
        The number of rows.

    Examples
    --------
    The numbers 0 and 8 around 3, whose mean is 4:

    >>> moved_powers({"power_2": 34, "power_3": 98, "power_4": 706}, 1.0, 2)
    (32.0, 512.0)
    """
    squares, cubes, fourths = (sums[name] for name in ("power_2", "power_3", "power_4"))
    lost = total * shift * shift
    if not _is_little(lost, squares):
        return None
    moved = fourths - 4 * shift * cubes + 6 * shift * shift * squares - 3 * lost * shift * shift
    return squares - lost, moved


def _is_little(lost: float, sum_of_squares: float) -> bool:
    return lost <= _MOST_LOST * sum_of_squares
