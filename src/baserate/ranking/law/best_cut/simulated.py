"""The best cut-offs of shuffled labels, where no sum can find their distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.law.best_cut.target import Cuts

    Floats = NDArray[np.float64]

# As many shuffles as this many observations allow, and at least and at most so many.
_OBSERVATIONS, _FEWEST, _MOST = 3 * 10**7, 99, 4999


def simulated(cuts: Cuts) -> Floats:
    """Return how good the best cut-offs of shuffled labels are, ascending; always the same ones."""
    rng = np.random.default_rng(17)
    count = min(max(_OBSERVATIONS // cuts.rate.total, _FEWEST), _MOST)
    labels = np.zeros(cuts.rate.total, dtype=bool)
    labels[: cuts.rate.positives] = True
    found = np.empty(count)
    for place in range(count):
        rng.shuffle(labels)
        above = np.append(0, np.cumsum(labels))
        found[place] = cuts.goodness(above[cuts.ends], cuts.ends).max()
    return np.sort(found)


def chance_of(found: Floats, goodness: float) -> float:
    """Return the chance of a best cut-off at least as good; the observed one is one of them."""
    reached = found.size - int(np.searchsorted(found, goodness))
    return (reached + 1) / (found.size + 1)
