"""The distribution of P times average precision if positives are rare.

Whether some of the few positives are at the very top decides, and makes the distribution lumpy
with a long tail. So the top of the ranking, with a dozen positives or so, is followed on a grid;
what the rest adds is smooth, given the number of positives in the top, and is inverted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.ranking.law.average_precision.segments import Segments
from baserate.ranking.law.average_precision.transform import Transform, is_fine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# The number of positives that are expected in the top, and the most of them that are followed.
_EXPECTED, _MOST = 6.0, 32
# The cells of a grid, the points of a line and those of a distribution.
_CELLS, _POINTS, _TABLE = 1_000, 192, 1_500
# How far the rest goes below its mean and above, in standard deviations.
_BELOW, _ABOVE = 8.0, 24.0
# Outcomes of a segment that are less likely are left out.
_UNLIKELY = 1e-15
# The finest grid, as a power of 2 of the largest sum.
_FINEST = 60


@dataclass(frozen=True, eq=False)
class Head:
    """The distribution of P times average precision, with rare positives.

    Parameters
    ----------
    segments
        The segments of the ranking.
    top
        How many of them are the top.
    positives
        The number of positives.
    """

    segments: Segments
    top: int
    positives: int

    @classmethod
    def of(cls, sizes: Ints, positives: int) -> Head | None:
        """Return the distribution for some blocks of equal scores; None if they are too large."""
        segments = Segments.few(sizes)
        expected = segments.ends * (positives / segments.ends[-1])
        top = int(np.searchsorted(expected, min(_EXPECTED, positives / 2)))
        top = max(min(top, segments.ends.size - 1), 1)
        return cls(segments, top, positives) if is_fine(segments, positives, top) else None

    def at_least(self, score: float) -> float:
        """Return the probability of at least a sum."""
        return self._weighed(score, self._rest[2])

    def at_most(self, score: float) -> float:
        """Return the probability of at most a sum."""
        return self._weighed(score, 1 - self._rest[2])

    def quantile(self, level: float) -> float:
        """Return the sum that is not exceeded with a probability."""
        grid = self._level(1.5 * self._mean)
        while grid and self._weighed(self._end(grid), 1 - self._rest[2], grid) < level:
            grid -= 1
        low, high = 0.0, self._end(grid)
        while high - low > 1e-8 * high:
            middle = (low + high) / 2
            if self._weighed(middle, 1 - self._rest[2], grid) >= level:
                high = middle
            else:
                low = middle
        return high

    @property
    def _mean(self) -> float:
        """The mean of the sum; its quantiles are of this size."""
        total = float(self.segments.ends[-1])
        shares = float(self.segments.shares.sum())
        rest = (total - self.positives) * shares / (total * (total - 1))
        return self.positives * ((self.positives - 1) / (total - 1) + rest)

    def _end(self, level: int) -> float:
        return float(self.positives / 2**level)

    def _weighed(self, score: float, table: Floats, level: int | None = None) -> float:
        """Return the chance of the rest to do its part, over all that the top may add."""
        cell, chances = self._grids(self._level(score) if level is None else level)
        places = score - cell * np.arange(_CELLS)
        starts, spacing, _ = self._rest
        total = 0.0
        for count, row in enumerate(chances):
            where = (places - starts[count]) / spacing
            found = np.interp(where, np.arange(_TABLE), table[count])
            # What left the grid is above the score.
            total += float(row[:-1] @ found) + row[-1] * float(table[count, 0])
        return min(max(total, 0.0), 1.0)

    def _level(self, score: float) -> int:
        if score <= 0:
            return _FINEST
        return min(max(math.floor(math.log2(self.positives / score) - 0.01), 0), _FINEST)

    @cached_property
    def _known(self) -> dict[int, tuple[float, Floats]]:
        return {}

    def _grids(self, level: int) -> tuple[float, Floats]:
        """Return the cell of a grid, and the chance of each count of positives and each sum."""
        if level not in self._known:
            cell = 1.02 * self.positives / 2**level / (_CELLS - 1)
            self._known[level] = cell, self._followed(cell) * self._weights[:, None]
        return self._known[level]

    def _followed(self, cell: float) -> Floats:
        """Return the same for positives that are independent, before they are P in all."""
        share = self.positives / float(self.segments.ends[-1])
        state = np.zeros((self._rows, _CELLS + 1))
        state[0, 0] = 1.0
        pieces = self.segments
        columns = zip(pieces.sizes, pieces.ends, pieces.shares, strict=True)
        for size, end, shares in islice(columns, self.top):
            chances = _binomial(size, share, self._rows)
            pair = (size - (end - size + 1) * shares) / (size * (size - 1)) if size > 1 else 0.0
            _spread_on(state, chances, shares / size, pair, cell)
        return state

    @property
    def _rows(self) -> int:
        """How many counts of positives in the top are followed."""
        return min(_MOST, self.positives, int(self.segments.ends[self.top - 1])) + 1

    @cached_property
    def _transform(self) -> Transform:
        return Transform.of(self.segments, self.positives, self.top)

    @cached_property
    def _weights(self) -> Floats:
        """The chance of P positives in all given each count, as a share of it in general."""
        share = self.positives / float(self.segments.ends[-1])
        chances = _binomial(float(self.segments.ends[self.top - 1]), share, self._rows)
        rest = self._values(np.zeros(1))[:, 0].real
        return np.asarray(rest / (rest @ np.append(chances, np.zeros(self._rows - chances.size))))

    def _values(self, points: NDArray[Any]) -> NDArray[Any]:
        """Return the transform of the rest for each count, without its centre."""
        return self._transform.backwards(points)[: self._rows]

    @cached_property
    def _rest(self) -> tuple[Floats, float, Floats]:
        """For each count, a table of the chance that the rest adds at least so much."""
        step = 1e-3
        scale = 1 / self._guess
        around = np.array([-step, 0.0, step]) * scale
        logs = np.log(self._values(around))
        mean = (logs[:, 2] - logs[:, 0]) / (2 * step * scale)
        deviation = np.sqrt(logs[:, 2] + logs[:, 0] - 2 * logs[:, 1]) / (step * scale)
        width = float(deviation.max())
        reach = (_BELOW + _ABOVE) * width
        heights = (np.arange(_POINTS) + 0.5) * math.pi / reach
        starts = mean - _BELOW * width
        turned = np.exp(-1j * np.outer(heights, starts)) / heights[:, None]
        turned *= (self._values(1j * heights) / np.exp(logs[:, 1])[:, None]).T
        waves = np.exp(-1j * np.outer(np.linspace(0, reach, _TABLE), heights))
        tails = 0.5 + (waves @ turned).imag.T / reach
        return starts + self._transform.centre, reach / (_TABLE - 1), np.clip(tails, 0.0, 1.0)

    @cached_property
    def _guess(self) -> float:
        """About the standard deviation of what the rest adds."""
        from baserate.ranking.law.average_precision.moments import variance_of_sum

        last = self.segments.sizes.copy()
        merged = np.append(last[: self.top].sum(), last[self.top :])
        return math.sqrt(variance_of_sum(merged, self.positives))


def _binomial(size: float, share: float, rows: int) -> Floats:
    """Return the chances of 0, 1, … positives among independent observations."""
    from scipy.stats import binom

    chances = np.asarray(binom.pmf(np.arange(rows), size, share))
    return chances[: 1 + int(np.flatnonzero(chances > _UNLIKELY)[-1])]


def _spread_on(state: Floats, chances: Floats, mean: float, pair: float, cell: float) -> None:
    """Follow one segment: each sum goes to the two cells beside it, with its mean."""
    masses = state.sum(axis=1)
    for target in range(len(state) - 1, -1, -1):
        row = state[target] * chances[0]
        for more in range(1, min(target, len(chances) - 1) + 1):
            above = target - more
            if masses[above] * chances[more] < _UNLIKELY:
                continue
            gain = ((above + 1) * more * mean + more * (more - 1) * pair) / cell
            steps = int(min(gain, _CELLS + 1))
            upper = gain - steps if steps <= _CELLS else 0.0
            _moved(state[above], steps, chances[more] * (1 - upper), row)
            if upper:
                _moved(state[above], steps + 1, chances[more] * upper, row)
        state[target] = row


def _moved(source: Floats, steps: int, chance: float, target: Floats) -> None:
    """Add a share of a row to another, moved up; what leaves the grid stays in the last cell."""
    last = target.size - 1
    steps = min(steps, last)
    target[steps:last] += chance * source[: last - steps]
    target[last] += chance * source[last - steps :].sum()
