"""The limits of a number over test sets like the one that was observed.

As in `core/confidence.py`, each cell of the observed test set has as many observations as were
counted, and one more is given to whichever end of the scores makes the number worst, or best. A
curved function of such counts is biased as a score of a test set is; a limit that this
brings nearer to the observed number is moved back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.ranking.plausible.scored import scored

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.ranking.measures.record import ScoreMeasure
    from baserate.ranking.plausible.sample import Counts, Sample, Way

    Floats = NDArray[np.float64]
    # A number from scores and how many positives the test sets have.
    Reading = Callable[[Floats, Floats], Floats]

# How many points are drawn, divided by alpha: as wished, if test sets are scored one by one, and at
# least; and how many numbers.
_POINTS, _ONE_BY_ONE, _FEWEST = 60, 40, 20
_MOST_DRAWN = 4 * 10**6


@dataclass(frozen=True, eq=False)
class Plausible:
    """Test sets that could well have given a sample, by one measure.

    Parameters
    ----------
    measure
        The measure.
    sample
        What was observed, of one model or of two.
    exact
        The score, or the second score minus the first; the sample may be too coarse for it.
    alpha
        How often a pair of limits may be wrong.
    """

    measure: ScoreMeasure
    sample: Sample
    exact: float
    alpha: float

    def limits(self, read: Reading) -> tuple[float, float]:
        """Return the lower and the upper limit of a number, each wrong at most alpha / 2."""
        observed = float(read(np.array([self.exact]), np.array([self.sample.positives.sum()]))[0])
        worst, best = self._ways(read)
        scores, positives = self._drawn(None)
        plain = read(scores, positives)
        with np.errstate(invalid="ignore"):
            bias = float(np.nan_to_num(np.nanmean(plain) - observed, posinf=0.0, neginf=0.0))
        low = _lowest(read(*self._drawn(worst)), self.alpha / 2) - max(bias, 0.0)
        high = -_lowest(-read(*self._drawn(best)), self.alpha / 2) - min(bias, 0.0)
        ends = [read(np.full(scores.size, end), positives) for end in self._range]
        return (
            min(max(low, float(np.min(ends))), observed),
            max(min(high, float(np.max(ends))), observed),
        )

    def _ways(self, read: Reading) -> tuple[Way, Way]:
        """Return where one more observation makes a number smallest, and largest."""
        ways = self.sample.ways
        found = [float(read(*self._read(self.sample.observed(way)))[0]) for way in ways]
        return ways[int(np.nanargmin(found))], ways[int(np.nanargmax(found))]

    def _drawn(self, way: Way | None) -> tuple[Floats, Floats]:
        if way not in self._known:
            self._known[way] = self._read(self.sample.drawn(self._points, way))
        return self._known[way]

    def _read(self, counts: list[Counts]) -> tuple[Floats, Floats]:
        least, most = self._range
        scores = np.clip(self._plain(counts) + self._shift, least, most)
        return scores, counts[0].positives.sum(axis=1)

    def _plain(self, counts: list[Counts]) -> Floats:
        found = [scored(self.measure, each) for each in counts]
        return found[0] if len(found) == 1 else found[1] - found[0]

    @cached_property
    def _range(self) -> tuple[float, float]:
        """Between which numbers scores are, or their differences."""
        ends = self.measure.codomain
        if len(self.sample.values) == 1:
            return ends.lower, ends.upper
        return ends.lower - ends.upper, ends.upper - ends.lower

    @cached_property
    def _shift(self) -> float:
        shift = self.exact - float(self._plain(self.sample.observed())[0])
        return shift if math.isfinite(shift) else 0.0

    @cached_property
    def _points(self) -> int:
        wished = _ONE_BY_ONE if self.measure.many is None else _POINTS
        most = _MOST_DRAWN // self.sample.cells
        return max(min(math.ceil(wished / self.alpha), most), math.ceil(_FEWEST / self.alpha))

    @cached_property
    def _known(self) -> dict[Way | None, tuple[Floats, Floats]]:
        return {}


def _lowest(values: Floats, level: float) -> float:
    """Return the point that so many of all points are below, or the next lower one."""
    known = values[~np.isnan(values)]
    place = max(int(level * known.size - 0.5), 0)
    return float(np.partition(known, place)[place]) if known.size else math.nan
