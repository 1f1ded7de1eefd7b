"""The law of a sum over a random permutation in which a few rows or predictions weigh most.

What these few get is drawn at random, many times. The rest is close to a gamma distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baserate.regression.law.moments import of_losses, of_products

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.regression.law.sums import DealtSum

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]

# How many rows, and how many predictions, are drawn; and how often.
_DRAWN, _TIMES = 64, 20_000
_SEED = 20_260_119
# Below this, a gamma distribution is normal.
_FLAT = 1e-3
# Numbers that are no further apart, in standard deviations, are the same.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Mixture:
    """A number with a gamma distribution, given what the few outliers get.

    Parameters
    ----------
    centres
        The mean of the number, for each draw.
    width, skewness
        Its standard deviation and its skewness, given the draw.
    """

    centres: Floats
    width: float
    skewness: float

    @property
    def mean(self) -> float:
        """Its mean."""
        return float(self.centres.mean())

    @property
    def deviation(self) -> float:
        """Its standard deviation."""
        return float(np.sqrt(self.centres.var() + self.width**2))

    def above(self, value: float) -> float:
        """Return the probability of at least a value; never less than one draw has."""
        return _above(self._standard(value - self.centres), self.skewness)

    def below(self, value: float) -> float:
        """Return the probability of at most a value; never less than one draw has."""
        return _above(self._standard(self.centres - value), -self.skewness)

    def _standard(self, distance: Floats) -> Floats:
        """Return distances in standard deviations; without any spread, -inf up to 0."""
        if self.width > 0:
            return distance / self.width
        return np.where(distance <= _ROUNDING * self.deviation, -np.inf, np.inf)

    def quantile(self, level: float) -> float:
        """Return the value that is exceeded with one minus this probability."""
        low = float(self.centres.min()) - 10 * self.width
        high = float(self.centres.max()) + 10 * self.width
        for _ in range(40):
            middle = low / 2 + high / 2
            if self.below(middle) < level:
                low = middle
            else:
                high = middle
        return high


def _above(z: Floats, skewness: float) -> float:
    """Return the mean tail of a gamma distribution, or of a normal one."""
    from scipy.special import gammainc, gammaincc, ndtr

    if abs(skewness) < _FLAT:
        return _with_one_more(ndtr(-z))
    shape = 4 / skewness**2
    place = np.maximum(shape + np.copysign(np.sqrt(shape), skewness) * z, 0.0)
    return _with_one_more((gammaincc if skewness > 0 else gammainc)(shape, place))


def _with_one_more(tails: Floats) -> float:
    """Return the mean, with the observed order as one more draw: rare lumps may not be drawn."""
    return float((tails.sum() + 1) / (tails.size + 1))


def mixed(dealt: DealtSum) -> Mixture:
    """Return the law of a sum with outliers, as a mixture."""
    return mixed_products(dealt.rows, dealt.cards) if dealt.is_product else mixed_losses(dealt)


def mixed_products(left: Floats, right: Floats) -> Mixture:
    """Return the law of the mean product of centred numbers with outliers, as a mixture."""
    rng = np.random.default_rng(_SEED)
    m = left.size
    rows, other_rows = _split(np.abs(left))
    columns, other_columns = _split(np.abs(right))
    got = rng.integers(0, m, (_TIMES, _DRAWN))  # what each of the few rows gets
    given = other_rows[rng.integers(0, other_rows.size, (_TIMES, _DRAWN))]
    free = _not_among(columns, got, m)  # a card that one of the few rows got is not dealt again
    drawn = right[got] @ left[rows] + (left[given] * free) @ right[columns]
    # What is left has a mean too: its sums are what the drawn ones lack to 0.
    of_rows = left[rows].sum() + (left[given] * free).sum(axis=1)
    of_columns = right[got].sum(axis=1) + free @ right[columns]
    drawn = drawn + of_rows * of_columns / (m - _DRAWN - free.sum(axis=1))
    rest = of_products(_centred(left[other_rows]), _centred(right[other_columns]))
    share = other_rows.size / m
    return Mixture(drawn / m, rest.deviation * share, rest.skewness)


def _not_among(columns: Places, got: Places, total: int) -> Floats:
    """Return, of each draw, 1 for columns that are not among what was got, and 0 for others."""
    place = np.full(total, -1)
    place[columns] = np.arange(columns.size)
    hit = place[got]
    draw, _ = np.nonzero(hit >= 0)
    free = np.ones((len(got), columns.size))
    free[draw, hit[hit >= 0]] = 0.0
    return free


def mixed_losses(dealt: DealtSum) -> Mixture:
    """Return the law of the mean loss as a mixture, where a few rows or cards weigh most."""
    rng, m = np.random.default_rng(_SEED), dealt.total
    rows, other_rows = _split(dealt.spread_of_rows)
    columns, other_columns = _split(dealt.spread_of_cards)
    got = rng.integers(0, m, (_TIMES, _DRAWN))
    given = other_rows[rng.integers(0, other_rows.size, (_TIMES, _DRAWN))]
    free = _not_among(columns, got, m)
    of_cards = dealt.loss(dealt.rows[given], dealt.cards[columns])
    of_rows = dealt.loss(dealt.rows[rows], dealt.cards[got])
    if dealt.times is not None:
        of_cards, of_rows = of_cards * dealt.times[given], of_rows * dealt.times[rows]
    drawn = of_rows.sum(axis=1) + (of_cards * free).sum(axis=1)
    rest = of_losses(dealt.chosen(other_rows, other_columns))
    left = m - _DRAWN - free.sum(axis=1)  # how many rows get other cards
    return Mixture(
        (drawn + rest.mean * left) / m, rest.deviation * other_rows.size / m, rest.skewness
    )


def _split(sizes: Floats) -> tuple[Places, Places]:
    """Return the places of the few largest, and of all others."""
    order = np.argpartition(sizes, sizes.size - _DRAWN)
    return order[-_DRAWN:], order[:-_DRAWN]


def _centred(numbers: Floats) -> Floats:
    return np.asarray(numbers - numbers.mean())
