"""The positions of the positives, given how well they are ranked: independent labels, tilted.

Place P positives at random over M ranked observations, and consider rankings as good as an
observed one. Most of them have their positives where independent labels would have them, with odds
that rise exponentially with the rank, so that P positives and the observed ranking are expected.
This is the saddlepoint of the law of the rank sum (J. Booth and R. Butler, Randomization
distributions and saddlepoint approximations in generalized linear models, 1990).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

# The most Newton steps, and halvings of each; and the error that ends them, in standard
# deviations. Within _NEAR, the square of such an error, steps are not checked.
_STEPS, _HALVINGS, _PRECISION, _NEAR = 200, 40, 1e-7, 1e-3


@dataclass(frozen=True)
class Tilt:
    """The probability of a positive in each block of ties, for one or more questions.

    Parameters
    ----------
    share
        The share of positives without a tilt, one row per question.
    slope
        How much the log odds rise from the middle of the ranking to its top.
    chances
        The tilted probability of each block, one row per question.
    spread
        The determinant of the covariance of the number of positives and of their rank sum.
    """

    share: Floats
    slope: Floats
    chances: Floats
    spread: Floats

    @property
    def divergence(self) -> Floats:
        """The Kullback-Leibler divergence of the tilted probabilities from the share."""
        chances, share = self.chances, self.share
        with np.errstate(all="ignore"):
            gained = np.where(chances > 0, chances * np.log(chances / share), 0)
            lost = np.where(chances < 1, (1 - chances) * np.log((1 - chances) / (1 - share)), 0)
        return np.asarray(np.maximum(gained + lost, 0))

    @classmethod
    def of(cls, sizes: Floats, ranks: Floats, positives: Floats, sums: Floats) -> Tilt:
        """Return the tilt with these expected numbers of positives and sums of their ranks.

        Parameters
        ----------
        sizes, ranks
            The number of observations in each block, and their common rank.
        positives, sums
            The expected values of each question; strictly inside the attainable range.
        """
        share = positives / sizes.sum()
        dual = _Dual(sizes, ranks, np.stack([positives, sums], axis=-1))
        point = np.stack([np.log(share) - np.log1p(-share), np.zeros(share.size)], axis=-1)
        for _ in range(_STEPS):
            gradient, covariance = dual.moments(point)
            step = np.asarray(np.linalg.solve(covariance, gradient[..., None])[..., 0], float)
            decrement = np.einsum("qi,qi->q", gradient, step)
            if not (decrement > _PRECISION**2).any():
                break
            point = dual.descended(point, step, decrement)
        spread = np.linalg.det(dual.moments(point)[1])
        return cls(share[:, None], point[:, 1], dual.chances(point), spread)


@dataclass(frozen=True)
class _Dual:
    """The function to minimise over s and τ: Σ t log(1 + e^(s + τ r)) - s P - τ W, per question."""

    sizes: Floats
    ranks: Floats
    wanted: Floats

    def _log_odds(self, point: Floats) -> Floats:
        """Return the log odds of a positive in each block."""
        return point[:, :1] + point[:, 1:] * self.ranks

    def chances(self, point: Floats) -> Floats:
        """Return the probability of a positive in each block."""
        return 1 / (1 + np.exp(-np.clip(self._log_odds(point), -700, 700)))

    def value(self, point: Floats) -> Floats:
        """Return the value to minimise."""
        sums = np.logaddexp(0, self._log_odds(point)) @ self.sizes
        return np.asarray(sums - np.einsum("qi,qi->q", point, self.wanted))

    def moments(self, point: Floats) -> tuple[Floats, Floats]:
        """Return the shortfall of the expected values, and their covariance."""
        chances = self.chances(point)
        weighted = [self.sizes * self.ranks**power for power in range(3)]
        expected = np.stack([chances @ weighted[0], chances @ weighted[1]], axis=-1)
        count, mixed, square = (chances * (1 - chances) @ weight for weight in weighted)
        # A tiny ridge, for a tilt so strong that the variance vanishes.
        count, square = (each * (1 + 1e-14) + 1e-290 for each in (count, square))
        covariance = np.stack([count, mixed, mixed, square], axis=-1).reshape(-1, 2, 2)
        return self.wanted - expected, covariance

    def descended(self, point: Floats, step: Floats, decrement: Floats) -> Floats:
        """Return the next point: the full Newton step, or as much of it as descends."""
        value = self.value(point)
        length = np.where(decrement > _PRECISION**2, 1.0, 0.0)
        for _ in range(_HALVINGS):
            moved: Floats = point + length[:, None] * step
            # Near the minimum the full step is right, and rounding hides the descent.
            descends = self.value(moved) <= value - 0.1 * length * decrement
            if (descends | (decrement <= _NEAR)).all():
                break
            length = np.where(descends | (decrement <= _NEAR), length, length / 2)
        return moved


def end_sums(
    sizes: Ints, weights: NDArray[Any], positives: Ints
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the sums of weights if positives fill the first blocks, and if they fill the last."""
    ends = []
    for step in (1, -1):
        size, weight = sizes[::step], weights[::step]
        filled = np.append(0, np.cumsum(size))
        sums = np.append(0, np.cumsum(size * weight))
        place = np.searchsorted(filled, positives, side="right") - 1
        extra = np.append(weight, 0)[place]
        ends.append(sums[place] + (positives - filled[place]) * extra)
    return ends[0], ends[1]
