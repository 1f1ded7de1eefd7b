"""The distribution of a score as bars: one per score that matters, or one for several."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.direction import Direction
from baserate.null.histogram import Histogram

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.law.hypergeometric import Hypergeometric
    from baserate.binary.law.score_distribution import ScoreDistribution

    Floats = NDArray[np.float64]

# As many bars as a plot can show.
_MOST_BARS = 160
# Scores less likely than this in total are not shown.
_UNSEEN = 1e-5
# If a law has too many counts to list, take this many to either side, up to this many standard
# deviations away.
_NODES, _REACH = 640, 6


def histogram_of_draws(law: ScoreDistribution, score: float | None = None) -> Histogram:
    """Return the bars of a distribution; no bar straddles the model's score."""
    by_count, counted, step = _window(law)
    scores, masses = _merged(by_count, counted)
    maximize = law.measure.direction is Direction.MAXIMIZE
    is_reached = _is_reached(scores, score, maximize=maximize)
    reached = float(masses[is_reached].sum())
    scores, masses, is_reached = _visible(scores, masses, is_reached)
    together = -(-scores.size // _MOST_BARS)
    edge = int(is_reached.argmax() if maximize else is_reached.argmin())
    starts = np.unique([0, *range(edge % together, scores.size, together)])
    totals = np.add.reduceat(masses, starts)
    means = np.add.reduceat(masses * scores, starts) / totals
    gains = np.diff(by_count) if maximize else -np.diff(by_count)
    is_monotone = law.measure.monotone or bool((gains >= 0).all())
    return Histogram(means, totals, is_reached[starts], together * step, reached, is_monotone)


def _counts(law: Hypergeometric) -> tuple[NDArray[Any], Floats, int]:
    """Return the counts that matter, or an evenly spaced part of them, and their probabilities."""
    if law.is_narrow:
        first, window = law.window()
        return np.arange(first, first + window.size), window, 1
    step = math.ceil(_REACH * math.sqrt(law.variance) / _NODES)
    steps = step * np.arange(-_NODES, _NODES + 1)
    masses: Floats = np.exp(law.log_ratio(law.mode, steps))
    return float(law.mode) + steps, masses / masses.sum(), step


def _window(law: ScoreDistribution) -> tuple[Floats, Floats, int]:
    """Return the scores of the counts that matter, and their probabilities."""
    counts, masses, step = _counts(law.true_positives)
    cells = (cell.astype(float) for cell in law.true_positives.cells(counts))
    return law.measure.scores(*cells), masses, step


def _merged(scores: Floats, masses: Floats) -> tuple[Floats, Floats]:
    """Return each score once, ascending, with its probability."""
    distinct, place = np.unique(scores, return_inverse=True)
    return distinct, np.bincount(place, weights=masses).astype(float)


def _is_reached(scores: Floats, score: float | None, *, maximize: bool) -> NDArray[np.bool_]:
    """Return which scores are at least as good as the model's, up to rounding."""
    if score is None:
        return np.zeros(scores.size, dtype=bool)
    slack = 1e-9 * max(abs(score), float(np.ptp(scores)))
    return scores >= score - slack if maximize else scores <= score + slack


def _visible(
    scores: Floats, masses: Floats, is_reached: NDArray[np.bool_]
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Drop the ends that are too small to see."""
    below = np.cumsum(masses)
    seen = (below > _UNSEEN) & (below - masses < 1 - _UNSEEN)
    return scores[seen], masses[seen], is_reached[seen]
