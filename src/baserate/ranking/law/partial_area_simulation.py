"""Random deals of a long ranking: the area under its ROC curve up to a false positive rate.

The ranking is cut in pieces, and the numbers of negatives in them are drawn. What the order within
a piece adds is drawn from a normal distribution with the variance of Mann and Whitney's statistic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate

    Floats = NDArray[np.float64]

# The number of deals and of pieces; and the first number of the stream.
_DEALS, _PIECES, _SEED = 20_000, 60, 20_231
# More observations than this are too many for the generator: fewer have a wider distribution.
_MOST = 10**8


def simulated(sizes: NDArray[Any], rate: BaseRate, most: float) -> Floats:
    """Return the areas of random deals, in pairs, ascending."""
    pieces, untied = _pieces(sizes, rate, most)
    rng = np.random.default_rng(_SEED)
    factor = max(rate.total / _MOST, 1.0)
    counts = np.maximum((pieces / factor).astype(np.int64), 1)
    drawn = min(round(rate.negatives / factor), int(counts.sum()))
    found = rng.multivariate_hypergeometric(counts, drawn, _DEALS, method="marginals") * factor
    others = pieces - found
    above = np.cumsum(others, axis=1) - others
    room = np.clip(most - (np.cumsum(found, axis=1) - found), 0.0, found)
    parts = np.divide(room, found, out=np.zeros(found.shape), where=found > 0)
    # Where the rate is reached: a random order, or the line through ties, or some of both.
    whole = np.floor(room)
    in_order = (whole + 1) * (room - whole / 2) / (found + 1)
    inside = untied * in_order + (1 - untied) * room * parts / 2
    area = (room * above + others * inside).sum(axis=1)
    within = (found * others * (pieces + 1) / 12 * untied * parts**2).clip(min=0).sum(axis=1)
    return np.sort(area + rng.standard_normal(_DEALS) * np.sqrt(within))


def _pieces(sizes: NDArray[Any], rate: BaseRate, most: float) -> tuple[Floats, Floats]:
    """Return the sizes of pieces of the ranking, and how far they are from one block of ties."""
    upto = np.cumsum(sizes, dtype=float)
    share = most / rate.negatives
    spread = 8 * np.sqrt(share / rate.negatives) + 12 / rate.negatives
    reach = min(share + spread, 1.0) * rate.total
    marks = np.linspace(0, reach, _PIECES)[1:]
    last = np.unique(np.append(np.searchsorted(upto, marks).clip(max=upto.size - 1), upto.size - 1))
    first = np.append(0, last[:-1] + 1)
    pieces = np.diff(upto[last], prepend=0.0)
    cubes = np.add.reduceat(sizes.astype(float) ** 3 - sizes, first)
    return pieces, 1 - cubes / np.maximum(pieces**3 - pieces, 1.0)
