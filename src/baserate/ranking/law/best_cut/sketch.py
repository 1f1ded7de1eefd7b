"""A few random walks, looked at here and there: where the best cut-offs of luck are, roughly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.ranking.law.best_cut.coarse import spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.law.best_cut.target import Cuts

    Floats = NDArray[np.float64]


def sketched(cuts: Cuts, count: int, apart: float) -> Floats:
    """Return how good the best cut-offs of some random labels are, ascending.

    Only some cut-offs are looked at, so that the best ones may be slightly better.

    Parameters
    ----------
    cuts
        The measure and the cut-offs.
    count
        How many random labellings to try.
    apart
        How far apart the cut-offs are, relative to the distance from the nearer end.
    """
    rate, rng = cuts.rate, np.random.default_rng(17)
    best = np.full(count, -np.inf)
    hits, now = np.zeros(count, dtype=np.int64), 0
    for end in cuts.ends[spread(cuts.ends, rate.total, apart)].tolist():
        left = rate.positives - hits
        hits, now = hits + rng.hypergeometric(left, rate.total - now - left, end - now), end
        best = np.maximum(best, cuts.goodness(hits, np.full(count, end)))
    return np.sort(best)
