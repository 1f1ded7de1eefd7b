"""A ranking in few segments: blocks of equal scores, or several neighbours together.

Down the ranking, single ranks matter less and less: a segment there holds many blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]


# Up to so many observations blocks stay as they are, if they are few.
_SHORT = 5_000
# How many segments are few, and how large they may be, as a share of what is above them.
_SEGMENTS, _RATIOS = 350, (0.0, 0.012, 0.016, 0.02, 0.03, 0.04, 0.05)


@dataclass(frozen=True)
class Segments:
    """Neighbouring blocks together.

    Parameters
    ----------
    ends
        How many observations are ranked down to the end of each segment.
    firsts
        The same for its first block.
    blocks
        How many blocks it has.
    shares, squares
        The sums of t_b/T_b and of t_b/T_b² over its blocks.
    """

    ends: Floats
    firsts: Floats
    blocks: Ints
    shares: Floats
    squares: Floats

    @property
    def sizes(self) -> Floats:
        """The number of observations in each segment."""
        return np.diff(self.ends, prepend=0.0)

    @classmethod
    def of(cls, sizes: Ints, ratio: float, least: float = 1.0) -> Segments:
        """Group blocks, from the highest.

        Parameters
        ----------
        sizes
            The number of observations in each block of equal scores.
        ratio
            How large a segment is, as a share of the observations above it.
        least
            How many observations it has at least.
        """
        total = int(sizes.sum())
        if total == sizes.size:
            return cls.strict(total, ratio, least)
        upto = np.cumsum(sizes, dtype=float)
        last = _grouped(upto, ratio, least)
        first = np.append(0, last[:-1] + 1)
        shares = sizes / upto
        return cls(
            upto[last],
            upto[first],
            last - first + 1,
            np.add.reduceat(shares, first),
            np.add.reduceat(shares / upto, first),
        )

    @classmethod
    def few(cls, sizes: Ints) -> Segments:
        """Group blocks into some hundred segments: no more than needed."""
        for ratio in _RATIOS:
            # Blocks put together are about 1/r, and log(r M)/r below them.
            total = float(sizes.sum())
            usual = (1 + np.log(max(ratio * total, 1.0))) / ratio if ratio else sizes.size
            if usual <= _SEGMENTS and (ratio or total <= _SHORT):
                break
        return cls.of(sizes, ratio)

    @classmethod
    def strict(cls, total: int, ratio: float, least: float = 1.0) -> Segments:
        """Group ranks without ties: sums of them are known."""
        ends = _ranks(total, ratio, least)
        starts = np.append(0.0, ends[:-1])
        shares, squares = _harmonic_sums(starts, ends)
        return cls(ends, starts + 1, (ends - starts).astype(np.int64), shares, squares)


def _grouped(upto: Floats, ratio: float, least: float) -> Ints:
    """Return the last block of each segment."""
    last: list[int] = []
    place, above = 0, 0.0
    while place < upto.size:
        reach = above + max(least, ratio * above, 1.0)
        start, place = above, max(int(np.searchsorted(upto, reach, side="right")), place + 1)
        if upto[place - 1] - start < ratio * start / 2 and place < upto.size:
            # Too small for itself: the large block that follows belongs to it.
            place += 1
        above = float(upto[place - 1])
        if upto[-1] - above < max(least, ratio * above):
            # A last segment that is too small would need finer steps than all others.
            place = upto.size
        last.append(place - 1)
    return np.array(last)


def _ranks(total: int, ratio: float, least: float) -> Floats:
    """Return the last rank of each segment."""
    ends: list[float] = []
    above = 0.0
    while above < total:
        above += max(np.floor(max(least, ratio * above)), 1.0)
        if total - above < max(least, ratio * above):
            above = float(total)
        ends.append(above)
    return np.array(ends)


def _harmonic_sums(starts: Floats, ends: Floats) -> tuple[Floats, Floats]:
    """Return the sums of 1/r and of 1/r² over the ranks after each start, up to its end."""
    from scipy.special import digamma, polygamma

    shares = digamma(ends + 1) - digamma(starts + 1)
    squares = polygamma(1, starts + 1) - polygamma(1, ends + 1)
    single = ends - starts == 1
    # One rank needs no difference of large numbers.
    return np.where(single, 1 / ends, shares), np.where(single, 1 / ends**2, squares)
