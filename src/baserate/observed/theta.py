"""Sets of fractions θ that are predicted positive."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.exceptions import InvalidThetaError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


Counts: TypeAlias = tuple[range, ...]
"""An exact, lazy set of P̂: disjoint ranges, ascending."""

# The number of runs of members to print.
_MOST_SHOWN = 4


def predicted_positives_of(theta: float | Fraction, total: int) -> int:
    """Return P̂ = ⌊Mθ⌉ with halves rounded up.

    A Fraction is rounded exactly. A float is compared with the half-way points as floats, so
    1/(2M), which is rarely a float, lands where the paper's interval [1/(2M), …) puts it.

    Examples
    --------
    >>> predicted_positives_of(0.5, total=3)
    2
    >>> predicted_positives_of(1 / 98, total=49), predicted_positives_of(1 - 1 / 98, total=49)
    (1, 49)
    """
    theta = _plain(theta)
    if not _is_fraction(theta):
        raise _outside(theta)
    count = math.floor(total * Fraction(theta) + Fraction(1, 2))
    if not isinstance(theta, float) or count == total:
        return count
    # (2k + 1) / (2M) of two ints is correctly rounded.
    return count + ((2 * count + 1) / (2 * total) <= theta)


def _plain(value: Any) -> Any:
    """Return a numpy number as a Python number, whose arithmetic cannot overflow."""
    if isinstance(value, np.floating):
        return float(value)
    return value.item() if isinstance(value, np.generic) else value


def _outside(theta: object) -> InvalidThetaError:
    return InvalidThetaError(
        f"must be a number between 0 and 1 (got {shown(theta)})", parameter="theta"
    )


def _is_fraction(theta: Any) -> bool:
    is_number = isinstance(theta, float | int | Fraction) and not isinstance(theta, bool)
    return is_number and 0 <= theta <= 1


def predicted_positives_of_all(thetas: Any, total: int) -> NDArray[Any]:
    """Return P̂ for each θ of an array, as `predicted_positives_of` does for one."""
    if np.ma.is_masked(thetas):
        raise _outside(np.ma.masked)
    try:
        array = np.asarray(thetas)
    except ValueError:  # lists of different lengths
        raise _outside(thetas) from None
    if array.dtype.kind not in "fiu":
        counts = [predicted_positives_of(theta, total) for theta in array.ravel()]
        return np.array(counts, dtype=np.int64).reshape(array.shape)
    with np.errstate(over="ignore"):  # a float longer than 64 bits
        theta = array.astype(float)
    outside = ~((theta >= 0) & (theta <= 1))
    if outside.any():
        raise _outside(theta[outside].flat[0].item())
    # 2·P̂ + 1 and 2·M are whole numbers that a float holds exactly.
    count = np.floor(total * theta + 0.5)
    count -= (2 * count - 1) / (2 * total) > theta
    count += ((2 * count + 1) / (2 * total) <= theta) & (count < total)
    return count.astype(np.int64)


@dataclass(frozen=True)
class ThetaInterval:
    """An interval of θ as in the paper, open or closed at each end."""

    lower: Fraction
    upper: Fraction
    closed_lower: bool
    closed_upper: bool

    def __contains__(self, value: object) -> bool:
        theta = _plain(value)
        if not _is_fraction(theta):
            return False
        # Compare a float with the ends as floats, as a draw does.
        number: type[float | Fraction] = float if isinstance(theta, float) else Fraction
        lower, upper = number(self.lower), number(self.upper)
        above = lower <= theta if self.closed_lower else lower < theta
        below = theta <= upper if self.closed_upper else theta < upper
        return bool(above and below)

    def __str__(self) -> str:
        left = "[" if self.closed_lower else "("
        right = "]" if self.closed_upper else ")"
        return f"{left}{self.lower}, {self.upper}{right}"


@dataclass(frozen=True)
class ThetaSet(Collection[float]):
    """An exact set of θ*, lazy because it may have as many members as the test set.

    Parameters
    ----------
    counts
        The numbers of positive predictions, P̂ = M·θ*, as disjoint ascending ranges.
    total
        M.

    Examples
    --------
    >>> ends = ThetaSet((range(0, 1), range(10, 11)), total=10)
    >>> ends, list(ends), 0.5 in ends
    (ThetaSet({0, 1}), [0.0, 1.0], False)
    >>> 0.5 in ThetaSet((range(1, 10**12),), total=10**12)
    True
    """

    counts: Counts
    total: int

    @property
    def size(self) -> int:
        """The number of members."""
        return sum(part.stop - part.start for part in self.counts)

    @property
    def intervals(self) -> tuple[ThetaInterval, ...]:
        """The θ that round to a member, as the paper writes them."""
        return tuple(self._interval(part) for part in self.counts)

    def _interval(self, part: range) -> ThetaInterval:
        last = part.stop - 1
        return ThetaInterval(
            lower=max(Fraction(0), Fraction(2 * part.start - 1, 2 * self.total)),
            upper=min(Fraction(1), Fraction(2 * last + 1, 2 * self.total)),
            closed_lower=True,
            closed_upper=last == self.total,
        )

    def nearest_count(self, count: int) -> int:
        """Return the member's P̂ that is nearest to a count; the smaller one of a tie."""
        within = (min(max(count, part.start), part.stop - 1) for part in self.counts)
        return min(within, key=lambda member: abs(member - count))

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[float]:
        return (count / self.total for part in self.counts for count in part)

    def __contains__(self, value: object) -> bool:
        theta_star = _plain(value)
        if not _is_fraction(theta_star):
            return False
        count = round(Fraction(theta_star) * self.total)
        is_float = isinstance(theta_star, float)
        member = count / self.total if is_float else Fraction(count, self.total)
        return member == theta_star and any(count in part for part in self.counts)

    def __bool__(self) -> bool:
        return self.size > 0

    def __str__(self) -> str:
        parts = list(map(self._shown, self.counts))
        if len(parts) > _MOST_SHOWN:
            parts = [*parts[: _MOST_SHOWN - 1], "…", parts[-1]]
        return f"{{{', '.join(parts)}}}"

    def __repr__(self) -> str:
        return f"ThetaSet({self})"

    def _shown(self, part: range) -> str:
        first, last = self._fraction(part.start), self._fraction(part.stop - 1)
        between = {1: [first], 2: [first, last]}
        return ", ".join(between.get(part.stop - part.start, [first, "…", last]))

    def _fraction(self, count: int) -> str:
        if count in (0, self.total):
            return str(count // self.total)
        return f"{count}/{self.total}"
