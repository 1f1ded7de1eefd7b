"""The moment generating function of P times average precision, at many points at once.

Let every observation be positive on its own, with the chance P/M, and count the positives K down
the ranking: given that there are P in the end, they are dealt at random. A segment of t
observations that has x positives adds to the sum, in the mean over their places,

    (K + 1) x d + x (x - 1) e,  d = Σ t_b/T_b / t,  e = (t - (T - t + 1) t d) / (t (t - 1)),

which is exact for a block of equal scores, and a variance of about K² x Σ (1/T_b - d)² / t. With
x (K + 1) = ((K + x)² - K²) / 2 + x - x²/2 this is a factor of the start, one of the end and one of
x alone: a convolution per segment. Far down the ranking K is known at every second, fourth, …
number only: sums of smooth terms do not need them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from baserate.ranking.law.average_precision.segments import Segments

    Floats = NDArray[np.float64]
    Numbers = NDArray[Any]

# How many standard deviations, and how many positives more, the count of positives may be off.
_DEVIATIONS, _SPARE = 9.0, 12.0
# How many counts there are per standard deviation of all of them, and of those of one segment.
_POINTS, _POINTS_OF_SEGMENT = 5.0, 0.9


class Segment(NamedTuple):
    """One segment: its size, its end, and the sums of t_b/T_b and t_b/T_b² over its blocks."""

    size: float
    end: float
    shares: float
    squares: float


@dataclass(frozen=True, eq=False)
class Step:
    """One segment: from a count of positives above it to one at its end.

    Parameters
    ----------
    kept
        Which counts of the step before are used.
    bend, spread
        What belongs to the count at the start, times the argument and times half its square.
    slope
        What belongs to the number of positives in the segment, times the argument.
    log_chances
        Their log probabilities.
    offset
        The place of the first count plus the smallest number, among the counts at the end.
    ends
        How many counts there are at the end.
    """

    kept: slice
    bend: Floats
    spread: Floats | None
    slope: Floats
    log_chances: Floats
    offset: int
    ends: int

    def _factors(self, points: Numbers, spacing: float = 0.0) -> tuple[Numbers, Numbers]:
        """Return the factors of the count at the start, and of the number in the segment."""
        if spacing and self.spread is None:
            of_start, of_number = self._turns(spacing, points.size)
            chances = np.exp(self.slope * points[0] + self.log_chances)
            return np.exp(self.bend * points[0])[:, None] * of_start, chances[:, None] * of_number
        exponents = np.multiply.outer(self.bend, points)
        if self.spread is not None:
            exponents += np.multiply.outer(self.spread, points**2 / 2)
        kernel = np.multiply.outer(self.slope, points) + self.log_chances[:, None]
        return np.exp(exponents), np.exp(kernel)

    def _turns(self, spacing: float, size: int) -> tuple[Numbers, Numbers]:
        """Return what the factors are turned by, from the first of some points up to the last."""
        if (spacing, size) not in self._turned:
            angles = 1j * spacing * np.arange(size)
            of_start = np.exp(np.multiply.outer(self.bend, angles))
            of_number = np.exp(np.multiply.outer(self.slope, angles))
            # One line is drawn after another, and what belongs to one is large.
            self._turned.clear()
            self._turned[spacing, size] = of_start, of_number
        return self._turned[spacing, size]

    @cached_property
    def _turned(self) -> dict[tuple[float, int], tuple[Numbers, Numbers]]:
        return {}

    def back(self, state: Numbers, points: Numbers) -> Numbers:
        """Return what follows from each count at the start, given what follows from the end."""
        factors, kernel = self._factors(points)
        result = np.zeros_like(factors)
        for place, factor in enumerate(kernel, self.offset):
            first, last = max(0, -place), min(len(factors), self.ends - place)
            result[first:last] += factor * state[first + place : last + place]
        return np.asarray(result * factors)

    def taken(self, state: Numbers, points: Numbers, spacing: float = 0.0) -> Numbers:
        """Return the state at the end of the segment."""
        factors, kernel = self._factors(points, spacing)
        state = state[self.kept] * factors
        if len(kernel) > len(state):
            # The shorter of the two is taken apart.
            state, kernel = kernel, state
        result = np.zeros((self.ends, points.size), state.dtype)
        for place, factor in enumerate(kernel, self.offset):
            first, last = max(0, -place), min(len(state), self.ends - place)
            result[first + place : last + place] += factor * state[first:last]
        return result


@dataclass(frozen=True, eq=False)
class Transform:
    """E exp(z (S - centre)) for P times average precision, S.

    Parameters
    ----------
    steps
        The segments.
    centre
        A number near the mean of S.
    """

    steps: tuple[Step, ...]
    centre: float

    @classmethod
    def of(cls, segments: Segments, positives: int, first: int = 0) -> Transform:
        """Prepare the transform of a ranking, or of its segments from one on."""
        builder = _Builder(positives, float(segments.ends[-1]))
        steps = tuple(builder.steps(_each(segments), first))
        return cls(steps, builder.centre)

    def backwards(self, points: Numbers) -> Numbers:
        """Return the transform of what follows, for each count at the start."""
        state, kept = np.ones((1, points.size), points.dtype), slice(None)
        for step in reversed(self.steps):
            ends = np.zeros((step.ends, points.size), points.dtype)
            ends[kept] = state
            state, kept = step.back(ends, points), step.kept
        return state

    @property
    def work(self) -> int:
        """The number of multiplications per point, about."""
        return sum(
            20 * (step.bend.size + step.slope.size)
            + min(step.bend.size, step.slope.size) * step.ends
            for step in self.steps
        )

    def log_values(self, points: Numbers, spacing: float = 0.0) -> Numbers:
        """Return the logarithm at real or complex points, up to the same constant.

        Of points that are so far above each other, most exponentials are known from others.
        """
        state = np.ones((1, points.size), points.dtype)
        with np.errstate(all="ignore"):
            for step in self.steps:
                state = step.taken(state, points, spacing)
            return np.asarray(np.log(state[-1]))


def is_fine(segments: Segments, positives: int, place: int) -> bool:
    """Return whether all counts of positives are known at the start of a segment."""
    builder = _Builder(positives, float(segments.ends[-1]))
    return builder.spacings(_each(segments))[place] == 1


def _each(segments: Segments) -> list[Segment]:
    columns = segments.sizes, segments.ends, segments.shares, segments.squares
    return [Segment(*each) for each in zip(*columns, strict=True)]


class _Builder:
    """Builds the steps of a transform, and sums what does not depend on the path."""

    def __init__(self, positives: int, total: float) -> None:
        self.positives, self.total = positives, total
        self.share = positives / total
        self.noise = self.share * (1 - self.share)
        self.centre = 0.0

    def steps(self, segments: list[Segment], first: int) -> Iterator[Step]:
        """Yield the steps from a segment on."""
        counts, spacing, before = np.zeros(1), 1.0, 0.0
        wanted = iter(self.spacings(segments)[first:])
        if first:
            counts = self._counts(segments[first - 1].end, spacing)
        for segment in segments[first:]:
            wider = next(wanted)
            kept = self._kept(counts, spacing, wider)
            counts, spacing = counts[kept], wider
            after = self._counts(segment.end, spacing)
            more = self._numbers(segment, after[0] - counts[-1], after[-1] - counts[0], spacing)
            bend, spread = self._of_count(segment, counts, before)
            yield Step(
                kept,
                bend,
                spread,
                self._of_number(segment, more),
                self._log_chances(segment.size, more) + np.log(spacing),
                round((counts[0] + more[0] - after[0]) / spacing),
                after.size,
            )
            counts, before = after, segment.shares / segment.size

    def spacings(self, segments: list[Segment]) -> list[float]:
        """Return how far apart counts may be in each segment: never more than in a later one."""
        smallest = accumulate(map(self._spacing, reversed(segments)), min)
        return list(smallest)[::-1]

    def _spacing(self, segment: Segment) -> float:
        """Return how far apart counts may be, a power of 2: those at the start, and at the end."""
        above = segment.end - segment.size
        of_all = np.sqrt((above or segment.end) * self.noise) / _POINTS
        of_one = np.sqrt(segment.size * self.noise) / _POINTS_OF_SEGMENT
        return float(2.0 ** np.floor(np.log2(max(min(of_all, of_one), 1.0))))

    def _kept(self, counts: Floats, spacing: float, wider: float) -> slice:
        """Return which counts are left when they are further apart."""
        if wider == spacing or counts.size == 1:
            return slice(None)
        first = (self.positives - counts[0]) % wider
        return slice(round(first / spacing), None, round(wider / spacing))

    def _counts(self, end: float, spacing: float) -> Floats:
        """Return the counts of positives that are likely down to a rank, ascending."""
        mean, rest = end * self.share, self.total - end
        reach = _DEVIATIONS * np.sqrt(self.noise * end * rest / self.total) + _SPARE
        low = max(0.0, self.positives - rest, mean - reach)
        high = min(end, self.positives, mean + reach)
        places = np.arange(
            np.floor((self.positives - low) / spacing),
            np.ceil((self.positives - high) / spacing) - 1,
            -1,
        )
        return np.asarray(self.positives - spacing * places)

    def _numbers(self, segment: Segment, low: float, high: float, spacing: float) -> Floats:
        """Return the likely numbers of positives in a segment."""
        mean = segment.size * self.share
        reach = _DEVIATIONS * np.sqrt(segment.size * self.noise) + _SPARE
        skipped = np.ceil(max(max(0.0, mean - reach) - low, 0.0) / spacing)
        return np.arange(low + skipped * spacing, min(high, segment.size, mean + reach) + 1e-9,
                         spacing)  # fmt: skip

    def _of_count(
        self, segment: Segment, counts: Floats, before: float
    ) -> tuple[Floats, Floats | None]:
        """Return the exponents that belong to the count above a segment."""
        mean = segment.shares / segment.size
        above = (segment.end - segment.size) * self.share
        bend = -(mean - before) * (counts**2 - above**2) / 2
        self.centre += mean * ((segment.end * self.share) ** 2 - above**2) / 2
        uneven = segment.squares - segment.shares * mean
        if uneven <= 1e-12 * segment.squares:
            return bend, None
        return bend, uneven * self.noise * (counts + 1) ** 2

    def _of_number(self, segment: Segment, more: Floats) -> Floats:
        """Return the exponent that belongs to the number of positives in a segment."""
        size, end, shares, _ = segment
        mean = shares / size
        pair = (size - (end - size + 1) * shares) / (size * (size - 1)) if size > 1 else 0.0
        usual = size * self.share
        at_usual = mean * (usual - usual**2 / 2) + pair * usual * (usual - 1)
        self.centre += at_usual
        return np.asarray(mean * (more - more**2 / 2) + pair * more * (more - 1) - at_usual)

    def _log_chances(self, size: float, more: Floats) -> Floats:
        """Return the log probability of each number of positives among so many observations."""
        from scipy.special import gammaln

        ways = gammaln(size + 1) - gammaln(more + 1) - gammaln(size - more + 1)
        return np.asarray(ways + more * np.log(self.share) + (size - more) * np.log1p(-self.share))
