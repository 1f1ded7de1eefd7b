"""Where scores stand between the worst draw, the baseline and perfection: places on a track.

The baseline is at 0, perfection at 1 and the worst draw at -1, so that everything right of the
middle is better than what comes for free, by every measure and in either direction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from baserate.core.direction import Direction

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from baserate.report.panels import Row
    from baserate.verdicts.verdict import Verdict

# What is worse than the worst draw stops here, just outside the track.
EDGE = 1.08
# Where the best of what is shown stands if perfection is not known.
_WITHOUT_END = 0.85


@dataclass(frozen=True)
class Track:
    """The track of one measure on one test set.

    Parameters
    ----------
    first
        A verdict of that measure there.
    above, below
        How much better than the baseline the place 1 is, and how much worse the place -1.
    """

    first: Verdict
    above: float
    below: float

    @classmethod
    def of(cls, verdicts: Sequence[Verdict]) -> Track:
        """Return the track on which verdicts of one measure and one test set are shown."""
        first = verdicts[0]
        shown = [gain for each in verdicts for gain in _shown(each)]
        room = _advantage(first, first.perfect)
        if math.isnan(room):
            room = max(filter(math.isfinite, shown), default=0.0) / _WITHOUT_END
        span = -_advantage(first, first.scale.worst)
        # Where all draws tie, as by MCC, or there is no worst, a step down is as long as one up.
        return cls(first, room, span if span > 0 else room)

    @property
    def has_perfect(self) -> bool:
        """Whether perfection is known, and better than the baseline."""
        return _advantage(self.first, self.first.perfect) > 0

    @property
    def has_worst(self) -> bool:
        """Whether the worst draw is worse than the best."""
        return _advantage(self.first, self.first.scale.worst) < 0

    def at(self, score: float) -> float:
        """Return the place of a score; nan if it has none."""
        return self.beyond(_advantage(self.first, score))

    def beyond(self, gain: float) -> float:
        """Return the place of what is better than the baseline by this much."""
        length = self.above if gain > 0 else self.below
        if math.isnan(gain) or not gain:
            return gain
        place = gain / length if length > 0 else math.copysign(EDGE, gain)
        # The interval of a margin may hold more room than this test set has: nothing is past 1.
        return max(-EDGE, min(1.0, place))


@dataclass(frozen=True)
class Picture:
    """One score on its track, with the interval of its margin and with what luck gives.

    The margin decides whether a score clears the baseline. The baseline changes from test set to
    test set as the score does, so the interval of the score may say something else.
    """

    verdict: Verdict
    track: Track

    @property
    def is_drawn(self) -> bool:
        """Whether the score has a place."""
        return not math.isnan(self.dot)

    @cached_property
    def dot(self) -> float:
        """The place of the score; a tie up to rounding is a tie here, too."""
        return self.track.beyond(self.verdict.margin)

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """The places between which the margin's interval puts the score."""
        return _ends(*map(self.track.beyond, (self.verdict.margin_low, self.verdict.margin_high)))

    @cached_property
    def luck(self) -> tuple[float, float] | None:
        """The places between which luck alone puts the score."""
        return _ends(*map(self.track.at, (self.verdict.luck_low, self.verdict.luck_high)))


def _ends(one: float, other: float) -> tuple[float, float] | None:
    return None if math.isnan(one + other) else (min(one, other), max(one, other))


def picture(verdict: Verdict) -> Picture:
    """Return the picture of one verdict by itself."""
    return Picture(verdict, Track.of([verdict]))


def pictures(row: Row) -> tuple[Picture, ...]:
    """Return the picture of each model by one measure, all on one track."""
    verdicts = [verdict for verdict in row.verdicts if verdict is not None]
    track = Track.of(verdicts)
    return tuple(Picture(verdict, track) for verdict in verdicts)


def _shown(verdict: Verdict) -> Iterable[float]:
    """Return how much better than the baseline all that is drawn of a verdict is."""
    yield from (verdict.margin, verdict.margin_low, verdict.margin_high)
    yield from (_advantage(verdict, luck) for luck in (verdict.luck_low, verdict.luck_high))


def _advantage(verdict: Verdict, value: float) -> float:
    """Return how much better a score is than the baseline."""
    difference = value - verdict.baseline
    return difference if verdict.direction is Direction.MAXIMIZE else -difference
