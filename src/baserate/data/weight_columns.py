"""Read columns of weights, and raise if they are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.arguments import MOST_OBSERVATIONS
from baserate.data.scores import WEIGHTS, number_array
from baserate.exceptions import InvalidWeightsError
from baserate.formatting import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.data.counting import Mask

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]


def frequencies(values: Any, total: int, parameter: str = "sample_weight") -> Ints:
    """Return how often each row was seen, or raise unless these are whole numbers.

    Parameters
    ----------
    values
        A number per row.
    total
        How many rows there are.
    parameter
        What errors call them.

    Examples
    --------
    >>> frequencies([3, 0.0, 1], 3).tolist()
    [3, 0, 1]
    """
    numbers = _numbers(values, total, parameter)
    are_whole: Mask = numbers >= 0
    if numbers.dtype.kind == "f":
        with np.errstate(invalid="ignore"):  # infinity has no remainder
            are_whole &= numbers % 1 == 0
    _require(numbers, are_whole, parameter, whole=True)
    with np.errstate(over="ignore"):
        require_sum(numbers.sum(dtype=float), parameter)
    return numbers.astype(np.int64)


def importance_weights(values: Any, total: int, parameter: str = "sample_weight") -> Floats:
    """Return how much each row matters, or raise unless these are finite and none is negative.

    Parameters
    ----------
    values
        A number per row.
    total
        How many rows there are.
    parameter
        What errors call them.

    Examples
    --------
    >>> importance_weights([1, 0, 2.5], 3).tolist()
    [1.0, 0.0, 2.5]
    """
    numbers = _numbers(values, total, parameter).astype(float)
    _require(numbers, np.isfinite(numbers) & (numbers >= 0), parameter, whole=False)
    with np.errstate(over="ignore"):
        total_weight = numbers.sum()
    if not np.isfinite(total_weight):
        raise InvalidWeightsError("must have a finite sum", parameter=parameter)
    return numbers


def require_sum(total: float, parameter: str = "sample_weight") -> None:
    """Raise if frequencies add up to more observations than a test set may have."""
    if total > MOST_OBSERVATIONS:
        raise InvalidWeightsError(
            f"must add up to at most {MOST_OBSERVATIONS:,} (got {total:.6g})", parameter=parameter
        )


def _numbers(values: Any, total: int, parameter: str) -> NDArray[Any]:
    """Return a column of numbers, one per row, or raise."""
    if isinstance(values, str):
        raise InvalidWeightsError(
            f"must be a column of numbers (got the text {shown(values)}); to name a column of a "
            "data frame, name the column of the truth too, with truth",
            parameter=parameter,
        )
    try:
        found = number_array(parameter, values, WEIGHTS)
    except ValueError:
        found = np.empty(0, dtype=object)
    if found.dtype.kind not in "biuf" or found.ndim != 1:
        raise InvalidWeightsError(
            f"must be one column of numbers (got {sample_of(values)})", parameter=parameter
        )
    if found.size != total:
        raise InvalidWeightsError(
            f"must have a number for each of {total:,} observations (got {found.size:,})",
            parameter=parameter,
        )
    return found


def sample_of(values: Any) -> str:
    """Write what is no column of numbers: the first text in it, if there is one.

    Examples
    --------
    >>> sample_of(["a", "b"] * 500), sample_of(2.5)
    ("text such as 'a'", '2.5')
    >>> sample_of([[0, 1], [1]])
    '[[0, 1], [1]]'
    """
    is_column = isinstance(values, list | tuple) or getattr(values, "ndim", 0) == 1
    texts = (each for each in (values if is_column else ()) if isinstance(each, str))
    text = next(texts, None)
    return shown(values) if text is None else f"text such as {shown(text)}"


def _require(numbers: NDArray[Any], are_good: Mask, parameter: str, *, whole: bool) -> None:
    """Raise if a weight is not allowed, and name the first one, or if all are 0."""
    if not are_good.all():
        place = int(are_good.argmin())
        raise InvalidWeightsError.of_bad_value(
            f"{numbers[place].item()!r} at position {place}", parameter, whole=whole
        )
    if not numbers.any():
        raise InvalidWeightsError("must not all be zero", parameter=parameter)
