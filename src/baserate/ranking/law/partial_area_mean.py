"""The expected partial area of a dealt deck.

To break ties at random changes nothing in expectation, except in the block in which the false
positive rate is reached. If it has x positives and y negatives and there is room for w = m + f of
these, m whole and f a fraction, the line through the block has the area x w²/(2y), and a random
order expects x (m + 1)(m/2 + f)/(y + 1). The difference is never negative: y times (y + 1) times
it, doubled, is at least x w f (1 - f). So no deck expects more than a random ranking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate

    Floats = NDArray[np.float64]

# The most numbers of negatives above a block, or in it, that are summed over one by one.
_POINTS = 400
# Numbers so many standard deviations off, and some more, are left out.
_DEVIATIONS, _SPARE = 10.0, 30.0


def mean_of_ranking(rate: BaseRate, most: float) -> float:
    """Return the expected area of a random ranking, in pairs, up to so many negatives."""
    whole = np.floor(most)
    return float(rate.positives / (rate.negatives + 1) * (whole + 1) * (most - whole / 2))


def mean_pairs(sizes: NDArray[Any], rate: BaseRate, most: float) -> float:
    """Return the expected area of a deck, in pairs, up to so many negatives."""
    if sizes.size == rate.total:
        return mean_of_ranking(rate, most)
    upto = np.cumsum(sizes, dtype=float)
    starts = upto - sizes
    share = rate.negatives / rate.total
    spread = _DEVIATIONS * np.sqrt(share * (1 - share) * upto) + _SPARE
    near = (starts * share - spread <= most) & (upto * share + spread >= most) & (sizes > 1)
    places = np.flatnonzero(near)
    lost = sum(_lost(starts[place], float(sizes[place]), rate, most) for place in places)
    return mean_of_ranking(rate, most) - float(lost)


def _lost(start: float, size: float, rate: BaseRate, most: float) -> float:
    """Return what a block of ties loses against a random order, if the rate is reached in it."""
    above, step = _window(float(rate.total), float(rate.negatives), start)
    above = above[(above < most) & (above + size > most)]
    if not above.size:
        return 0.0
    chances = np.exp(_log_chances(float(rate.total), float(rate.negatives), start, above)) * step
    left = rate.total - start
    total = 0.0
    for count, chance in zip(above, chances, strict=True):
        inside, stride = _window(left, rate.negatives - count, size)
        inside = inside[inside > most - count]
        each = np.exp(_log_chances(left, rate.negatives - count, size, inside)) * stride
        total += chance * float(each @ _difference(size - inside, inside, most - count))
    return total


def _difference(positives: Floats, negatives: Floats, room: float) -> Floats:
    """Return how much more a random order of a block expects than a line through it."""
    whole = np.floor(room)
    in_order = (whole + 1) * (room - whole / 2) / (negatives + 1)
    return np.asarray(positives * (in_order - room**2 / (2 * negatives)))


def _window(total: float, negatives: float, drawn: float) -> tuple[Floats, float]:
    """Return likely numbers of negatives among some that are drawn, and their distance."""
    share = negatives / total
    mean = drawn * share
    reach = _DEVIATIONS * np.sqrt(mean * (1 - share) * (1 - drawn / total)) + _SPARE
    low = np.ceil(max(0.0, drawn - (total - negatives), mean - reach))
    high = np.floor(min(drawn, negatives, mean + reach))
    # Sums over smooth terms do not need them all.
    step = float(max(np.ceil((high - low) / _POINTS), 1.0))
    return np.arange(low, high + 1, step), step


def _log_chances(total: float, negatives: float, drawn: float, found: Floats) -> Floats:
    """Return the log probability of numbers of negatives among some that are drawn."""
    return np.asarray(
        _log_ways(negatives, found)
        + _log_ways(total - negatives, drawn - found)
        - _log_ways(total, np.array(drawn))
    )


def _log_ways(total: float, chosen: Floats) -> Floats:
    """Return the logarithm of a binomial coefficient."""
    from scipy.special import gammaln

    return np.asarray(gammaln(total + 1) - gammaln(chosen + 1) - gammaln(total - chosen + 1))
