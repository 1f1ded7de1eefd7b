"""Expectations under a draw, at a cost that does not grow with the test set.

Given P, N and P̂, every measure is a function of one hypergeometric count. By swapping classes
and predictions, that count is the overlap x of the smaller class (A) with the smaller prediction
(B), and the table is x, A - x, B - x and M - A - B + x. See docs/decisions/ for the error argument.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from baserate.stirling import deviance, stirling_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from baserate.base_rate import BaseRate

    Floats = NDArray[np.float64]
    Rule = Callable[["Kernel", "Overlap"], Floats]


class Kernel(Protocol):
    """A vectorised measure: scores of tables, nan where it is undefined."""

    def __call__(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats, /) -> Floats:
        """Score tables."""
        ...


# From this standard deviation on, the sum over the integers is replaced by the trapezoidal rule.
WIDE = 12.0
# Its step is sd / 1.4, and its error of the order exp(-2π²·1.4²) = 2e-17.
_STEPS_PER_SD = 1.4
_NODES = np.arange(-15, 16) / _STEPS_PER_SD
# Nodes that are summed together, so that the work fits in the cache whatever their number.
_BLOCK_NODES = 2**16


class Overlap(NamedTuple):
    """The overlap of the smaller class with the smaller prediction, for one or many draws."""

    smaller_class: Any
    smaller_prediction: Any
    rest: Any
    total: int
    swapped_class: bool
    swapped_prediction: Any

    @classmethod
    def of(cls, base_rate: BaseRate, predicted_positives: Any) -> Overlap:
        """Return the overlap under draws with these numbers of positive predictions."""
        total = base_rate.total
        smaller_class = min(base_rate.positives, base_rate.negatives)
        swapped = np.asarray(predicted_positives > total - predicted_positives, dtype=bool)
        smaller_prediction = np.where(swapped, total - predicted_positives, predicted_positives)
        return cls(
            smaller_class,
            smaller_prediction,
            total - smaller_class - smaller_prediction,
            total,
            base_rate.positives > base_rate.negatives,
            swapped,
        )

    @property
    def means(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The means of the four cells; their product across either diagonal is the same."""
        a, b, m = float(self.smaller_class), _floats(self.smaller_prediction), float(self.total)
        other_a, other_b = float(self.total - self.smaller_class), _floats(self.total - b)
        return a * b / m, a * other_b / m, b * other_a / m, other_a * other_b / m

    @property
    def sd(self) -> Floats:
        """The standard deviation of every cell."""
        mean = self.means[0]
        spread = float(self.total - self.smaller_class) / max(self.total - 1, 1)
        return np.sqrt(mean * spread * _floats(self.total - self.smaller_prediction) / self.total)

    def score(self, kernel: Kernel, cells: tuple[Floats, ...]) -> Floats:
        """Score tables given as (x, A - x, B - x, M - A - B + x), one row per draw."""
        x, a_rest, b_rest, rest = cells
        # tp, fp, fn, tn if nothing is swapped; swapping predictions turns it into the other way.
        direct = (b_rest, x, rest, a_rest) if self.swapped_class else (x, b_rest, a_rest, rest)
        swapped = (rest, a_rest, b_rest, x) if self.swapped_class else (a_rest, rest, x, b_rest)
        scores = np.empty(x.shape)
        for where, table in (
            (~self.swapped_prediction, direct),
            (self.swapped_prediction, swapped),
        ):
            if where.any():
                scores[where] = kernel(*(cell[where] for cell in table))
        return scores


def expectations(
    kernel: Kernel, base_rate: BaseRate, predicted_positives: NDArray[Any], *, smooth: bool
) -> Floats:
    """Return the expected score of each draw, nan where a score that it attains is undefined.

    Parameters
    ----------
    kernel
        The measure.
    base_rate
        The test set.
    predicted_positives
        P̂ of each draw.
    smooth
        Whether the kernel is smooth between whole counts too.
    """
    counts = predicted_positives.ravel()
    sd = Overlap.of(base_rate, counts).sd
    wide = (sd >= WIDE) & smooth
    result = np.empty(counts.shape)
    for where, rule in ((np.flatnonzero(wide), _trapezoidal), (np.flatnonzero(~wide), _window)):
        for block in _blocks(where, sd, rule):
            result[block] = rule(kernel, Overlap.of(base_rate, counts[block]))
    return result.reshape(predicted_positives.shape)


def _blocks(draws: NDArray[np.intp], sd: Floats, rule: Rule) -> Iterator[NDArray[np.intp]]:
    """Split draws into blocks of similar width, so that memory is bounded."""
    start = 0
    while start < draws.size:
        ahead = draws[start : start + _BLOCK_NODES // _NODES.size]
        nodes = _NODES.size if rule is _trapezoidal else 2 * _reach(sd[ahead].max()) + 1
        block = ahead[: max(1, _BLOCK_NODES // nodes)]
        yield block
        start += block.size


def _reach(sd: float) -> int:
    """Return how far from the mean a sum over the integers goes."""
    return math.ceil(9 * sd + 30)


def _trapezoidal(kernel: Kernel, overlap: Overlap) -> Floats:
    """Integrate over 31 points within 11 sd of the mean, where the summand is an analytic bell."""
    step = overlap.sd[:, np.newaxis] * _NODES
    means = [mean[:, np.newaxis] for mean in overlap.means]
    cells = [mean + sign * step for mean, sign in zip(means, (1, -1, -1, 1), strict=True)]
    weights = np.exp(
        -sum(
            deviance(mean, sign * step) + 0.5 * np.log1p(sign * step / mean) + stirling_error(cell)
            for mean, sign, cell in zip(means, (1, -1, -1, 1), cells, strict=True)
        )
    )
    return _weighted_mean(weights, overlap.score(kernel, tuple(cells)))


def _window(kernel: Kernel, overlap: Overlap) -> Floats:
    """Sum over the integers within 9 sd + 30 of the mean, by the ratio of neighbouring terms."""
    reach = _reach(overlap.sd.max())
    centre = np.floor(overlap.means[0])[:, np.newaxis]
    a, b, rest = (
        _floats(part)[..., np.newaxis]
        for part in (overlap.smaller_class, overlap.smaller_prediction, overlap.rest)
    )
    ahead = centre + np.arange(reach)
    behind = centre - np.arange(reach)
    # A ratio is zero at the end of the support, and so is all that follows.
    up = np.cumprod((a - ahead) * (b - ahead) / ((ahead + 1) * (rest + ahead + 1)), axis=1)
    down = np.cumprod(behind * (rest + behind) / ((a - behind + 1) * (b - behind + 1)), axis=1)
    weights = np.hstack((down[:, ::-1], np.ones_like(centre), up))
    x: Floats = np.clip(centre + np.arange(-reach, reach + 1.0), 0, np.minimum(a, b))
    scores = overlap.score(kernel, (x, a - x, b - x, rest + x))
    return _weighted_mean(weights, np.where(weights > 0, scores, 0.0))


def _weighted_mean(weights: Floats, scores: Floats) -> Floats:
    return np.asarray((weights * scores).sum(axis=1) / weights.sum(axis=1))


def _floats(values: Any) -> Floats:
    return np.asarray(values, dtype=float)
