"""The law of the number of heads in d fair coin flips: its masses where they matter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# P(|heads - d/2| >= t√d) <= 2·exp(-2t²). At t = 20 no float can hold it, and at t = 4.3 it is
# below 2e-16.
_ALL, _NEARLY_ALL = 20.0, 4.3
# The most masses that are laid out.
_MOST = 2**20


@dataclass(frozen=True)
class CoinFlips:
    """The numbers of heads in fair coin flips that have a mass worth counting.

    Parameters
    ----------
    heads
        The numbers of heads, ascending and symmetric about the middle.
    masses
        Their probabilities, which are symmetric too.
    left_out
        A bound of the probability of all other numbers of heads.
    exact
        Whether every number of heads in between is there.
    """

    heads: Floats
    masses: Floats
    left_out: float = 0.0
    exact: bool = True

    @classmethod
    def of(cls, flips: int, *, reach: float = _ALL) -> CoinFlips:
        """Return the law of some flips.

        Parameters
        ----------
        flips
            How often the coin is flipped.
        reach
            How far from the middle to go, in √flips.
        """
        if 2 * reach * math.sqrt(flips) > _MOST:
            reach = min(reach, _NEARLY_ALL)
        half = min(math.ceil(reach * math.sqrt(flips)), flips // 2)
        is_cut = half < flips // 2 and reach < _ALL
        left_out = 2 * math.exp(-2 * reach**2) if is_cut else 0.0
        if 2 * half > _MOST:
            return cls._coarse(flips, half, left_out)
        upper = _upper_half(flips, half)
        masses = np.concatenate([upper[::-1], upper[1 - flips % 2 :]])
        first = flips // 2 - half
        return cls(
            first + np.arange(masses.size, dtype=float), masses / _sum(upper, flips), left_out
        )

    @classmethod
    def nearly_all(cls, flips: int) -> CoinFlips:
        """Return the law without the numbers of heads that are rarer than 2e-16 all together."""
        return cls.of(flips, reach=_NEARLY_ALL)

    @classmethod
    def _coarse(cls, flips: int, half: int, left_out: float) -> CoinFlips:
        """Return a law for so many flips that it is smooth, with every n-th number of heads."""
        places = np.linspace(-half, half, _MOST + 1)
        masses = np.exp(-2 * places**2 / flips)
        return cls(flips / 2 + places, masses / masses.sum(), left_out, exact=False)

    @property
    def at_least(self) -> Floats:
        """The chance of at least each number of heads, and 0 at the end."""
        return np.append(np.cumsum(self.masses[::-1])[::-1], 0.0)


def _upper_half(flips: int, half: int) -> Floats:
    """Return the masses from the middle up, relative to the largest."""
    start = flips - flips // 2
    j = np.arange(half, dtype=float)
    return np.append(1.0, np.multiply.accumulate((flips - start - j) / (start + 1 + j)))


def _sum(upper: Floats, flips: int) -> float:
    """Return the sum of all masses; an even number of flips has one in the middle."""
    total = float(upper[::-1].sum())
    return 2 * total - float(upper[0]) * (1 - flips % 2)
