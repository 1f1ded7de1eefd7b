"""The sum of numbers whose signs are coin flips: losses of two models, swapped row by row."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.paired.coin_flips import CoinFlips
from baserate.core.rounding import COMPUTATION
from baserate.multiclass.paired.sums import tail_of_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# So many different numbers have too many sums.
_MOST_DIFFERENT = 40
# The most rows that are swapped at random, and how often; beyond, a saddlepoint.
_MOST_ROWS, _SWAPS = 10_000, 99_999
# Signs are drawn for so many rows at once, as the bits of a number.
_WORD = 16
# Beside a saddlepoint, all signs of the largest numbers are tried: they may be few and large.
_LARGEST = 12
# The others are few different numbers, and their tail is known at so many slopes: up to so many
# standard deviations.
_MOST_SIZES, _SLOPES, _FARTHEST = 2_000, 400, 37.0
_SEED = 40


def flip_test(differences: Floats, rows: Ints) -> tuple[float, bool]:
    """Return the chance that a sum is as far from 0 if its signs are coin flips, and if exact.

    Parameters
    ----------
    differences
        How much a row adds to the difference between two models.
    rows
        How many rows add that.

    Examples
    --------
    >>> flip_test(np.array([1.0, 3.0]), np.array([5, 1]))
    (0.03125, True)
    """
    sizes = np.abs(differences)
    total = float(sizes @ rows)
    needed = abs(float(differences @ rows)) - COMPUTATION * total
    if needed <= 0:
        return 1.0, True
    matters = (rows > 0) & (sizes > 0)
    distinct, place = np.unique(sizes[matters], return_inverse=True)
    counts = np.bincount(place.ravel(), rows[matters]).astype(np.int64)
    known = _counted(distinct, counts, needed)
    if known is not None:
        return known
    if int(counts.sum()) <= _MOST_ROWS:
        return _simulated(np.repeat(distinct, counts), needed), False
    return min(2 * _by_saddlepoint(distinct, counts, needed), 1.0), False


def _counted(sizes: Floats, counts: Ints, needed: float) -> tuple[float, bool] | None:
    """Return the chance from all sums; None if they are too many."""
    if sizes.size > _MOST_DIFFERENT:
        return None
    flips = [CoinFlips.of(int(count)) for count in counts]
    found = tail_of_sum(
        [
            (size * (2 * each.heads - count), each.masses)
            for size, count, each in zip(sizes, counts, flips, strict=True)
        ],
        needed,
    )
    if found is None:
        return None
    p_value = 2 * found + sum(each.left_out for each in flips)
    return min(p_value, 1.0), all(each.exact for each in flips)


def _simulated(sizes: Floats, needed: float) -> float:
    """Return the chance from random signs, what was observed counted among them."""
    rng = np.random.default_rng(_SEED)
    sums = np.zeros(_SWAPS)
    for start in range(0, sizes.size, _WORD):
        signed = _signed(sizes[start : start + _WORD])
        sums += signed[rng.integers(0, signed.size, _SWAPS)]
    return (1 + int(np.count_nonzero(np.abs(sums) >= needed))) / (1 + _SWAPS)


def _signed(sizes: Floats) -> Floats:
    """Return the sums of some numbers with all signs."""
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    return sums


def _by_saddlepoint(sizes: Floats, counts: Ints, needed: float) -> float:
    """Return the chance of a sum at least so large: the largest numbers exactly, the others near.

    The tail of the others is known at fixed slopes of its generating function, by Lugannani and
    Rice, and its logarithm is interpolated.
    """
    kept = int(np.searchsorted(np.cumsum(counts[::-1]), _LARGEST, side="right"))
    cut = sizes.size - min(kept, sizes.size - 1)
    largest = _signed(np.repeat(sizes[cut:], counts[cut:]))
    others, times = _fewer(sizes[:cut], counts[:cut].astype(float))
    spread = math.sqrt(float(times @ others**2))
    places, logs = _tail_of_flips(others, times, np.linspace(0.1, _FARTHEST, _SLOPES) / spread)
    ends = needed - largest
    tails = np.exp(np.interp(np.abs(ends), places, logs))
    return float(np.mean(np.where(ends >= 0, tails, 1 - tails)))


def _fewer(sizes: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Return fewer numbers with the same sum of squares, if there are many."""
    if sizes.size <= _MOST_SIZES:
        return sizes, counts
    starts = np.arange(_MOST_SIZES) * sizes.size // _MOST_SIZES
    together = np.add.reduceat(counts, starts)
    return np.sqrt(np.add.reduceat(counts * sizes**2, starts) / together), together


def _tail_of_flips(sizes: Floats, counts: Floats, slopes: Floats) -> tuple[Floats, Floats]:
    """Return sums, and the logarithm of the chance of at least each."""
    from scipy.special import log_ndtr

    found = np.array([_at_slope(sizes, counts, float(slope)) for slope in slopes])
    places, generating, curvature = found.T
    w = np.sqrt(2 * np.maximum(slopes * places - generating, 0.0))
    u = slopes * np.sqrt(curvature)
    # log(1 - Φ(w) + φ(w) (1/u - 1/w)), without leaving the range of a float
    normal = log_ndtr(-w)
    density = -0.5 * w**2 - 0.5 * math.log(2 * math.pi)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = normal + np.log1p(np.exp(density - normal) * (1 / u - 1 / w))
    known = np.isfinite(logs)
    return np.append(0.0, places[known]), np.append(math.log(0.5), logs[known])


def _at_slope(sizes: Floats, counts: Floats, slope: float) -> tuple[float, float, float]:
    """Return the first derivative, the cumulant generating function and its second derivative."""
    x = slope * sizes
    tilted = np.tanh(x)
    log_cosh = x + np.log1p(np.exp(-2 * x)) - math.log(2)
    return (
        float(counts @ (sizes * tilted)),
        float(counts @ log_cosh),
        float(counts @ (sizes**2 * (1 - tilted**2))),
    )
