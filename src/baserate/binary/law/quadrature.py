"""Expectations under a draw, at a cost that does not grow with the test set.

The rule depends on the width of the law and on the known facts of the measure; see
docs/decisions/0006-expectations.md for the error of each rule.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.law.canonical import Canonical, floats
from baserate.binary.law.trapezoid import (
    NEGLIGIBLE_EDGE,
    NODES,
    changes,
    trapezoidal,
    two_grids,
    weighted_mean,
    weights_of,
)
from baserate.exceptions import TooManyValuesError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.law.canonical import Kernel

    Floats = NDArray[np.float64]
    Rule = Callable[["Kernel", "Canonical", "_Scratch"], Floats]


# From this standard deviation on, the trapezoidal rule replaces the sum over the integers.
WIDE = 12.0
# From here on the log-pmf weights the integers: ratios would need too many multiplications.
_VERY_WIDE = 300.0
# A user's function is summed over whole laws if the test set has at most this many tables.
_FEW_TABLES = 4 * 10**6
# The most integers to sum for one draw: about ten seconds of work.
_MOST_INTEGERS = 10**8
# The widest sum for a measure whose unlikely scores matter.
_FURTHEST = 5 * 10**6
# The number of nodes summed together, so that the work fits in the cache.
_BLOCK_NODES, _WINDOW_NODES = 2**14, 2**16
# The number of draws summed together over whole laws.
_WHOLE_DRAWS = 32


def means(
    kernel: Kernel,
    base_rate: BaseRate,
    predicted_positives: NDArray[Any],
    *,
    smooth: bool,
    trusted: bool = True,
) -> Floats:
    """Return the expected score of each draw; nan if it can attain an undefined score.

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
    trusted
        Whether the smoothness is known. If it is only a user's claim, small test sets are still
        summed in full, and large ones are integrated twice.
    """
    counts = predicted_positives.ravel()
    sd = Canonical.of(base_rate, counts).sd
    result, scratch = np.empty(counts.shape), _Scratch()
    rules = _rules(sd, smooth=smooth, trusted=trusted)
    if not trusted and has_few_tables(base_rate):
        rules = [(sd >= 0, _whole)]
    with np.errstate(invalid="ignore", over="ignore"):  # undefined scores, undefined mean
        for where, rule in rules:
            for block in _blocks(np.flatnonzero(where), sd, rule):
                result[block] = rule(kernel, Canonical.of(base_rate, counts[block]), scratch)
        widen = 1
        while (outgrown := np.flatnonzero(np.isinf(result))).size:
            widen *= 2
            if widen * _reach(sd[outgrown].max()) > _FURTHEST:
                break
            for block in _blocks(outgrown, sd, _window, widen):
                overlap = Canonical.of(base_rate, counts[block])
                result[block] = _window(kernel, overlap, scratch, widen)
    result[~np.isfinite(result)] = np.nan
    return result.reshape(predicted_positives.shape)


def has_few_tables(base_rate: BaseRate) -> bool:
    """Return whether a user's function is called for every table that a draw can have."""
    return (base_rate.positives + 1) * (base_rate.negatives + 1) <= _FEW_TABLES


def _rules(sd: Floats, *, smooth: bool, trusted: bool) -> list[tuple[NDArray[np.bool_], Rule]]:
    """Return the draws that each rule sums."""
    if smooth:
        return [(sd >= WIDE, trapezoidal if trusted else two_grids), (sd < WIDE, _window)]
    return [(sd >= _VERY_WIDE, _integers), (sd < _VERY_WIDE, _window)]


def _blocks(
    draws: NDArray[np.intp], sd: Floats, rule: Rule, widen: int = 1
) -> Iterator[NDArray[np.intp]]:
    """Split draws into blocks of similar width, so that memory is bounded."""
    start = 0
    while start < draws.size:
        ahead = draws[start : start + _BLOCK_NODES // NODES.size]
        size = ahead.size
        if rule is _window:
            size = max(1, _WINDOW_NODES // (2 * widen * _reach(sd[ahead].max()) + 1))
        elif rule is _whole:
            size = _WHOLE_DRAWS
        elif rule is _integers:
            size = 1
        block = ahead[:size]
        yield block
        start += block.size


def _reach(sd: float) -> int:
    """Return how far from the mean a sum over the integers extends.

    8.5 sd leave 10⁻¹⁷ of a normal law; the tail of a skewed or narrow law ends within 30 more.
    """
    return math.ceil(8.5 * sd + 30)


class _Scratch:
    """Arrays that all blocks reuse: allocating them costs more than computing with them."""

    def __init__(self) -> None:
        self._arrays = [np.empty(0) for _ in range(7)]

    def arrays(self, shape: tuple[int, int]) -> list[Floats]:
        """Return uninitialised arrays of a shape."""
        size = shape[0] * shape[1]
        if self._arrays[0].size < size:
            self._arrays = [np.empty(size) for _ in self._arrays]
        return [array[:size].reshape(shape) for array in self._arrays]


def _window(kernel: Kernel, overlap: Canonical, scratch: _Scratch, widen: int = 1) -> Floats:
    """Sum over the integers around the mean, each weight from its neighbour's."""
    reach = widen * _reach(overlap.sd.max())
    return _summed(kernel, overlap, scratch, reach, reach)


def _whole(kernel: Kernel, overlap: Canonical, scratch: _Scratch) -> Floats:
    """Sum over every integer, each weight from its neighbour's."""
    means = np.floor(overlap.means[0])
    most = np.minimum(overlap.smaller_class, overlap.smaller_prediction)
    # One more on either side, where the weight is zero and every law has ended.
    return _summed(kernel, overlap, scratch, int(means.max()) + 1, int((most - means).max()) + 1)


def _summed(kernel: Kernel, overlap: Canonical, scratch: _Scratch, left: int, right: int) -> Floats:
    """Sum over the integers from so far left of the mean to so far right of it."""
    a, b, rest = (
        floats(part)[..., np.newaxis]
        for part in (overlap.smaller_class, overlap.smaller_prediction, overlap.rest)
    )
    x, a_rest, b_rest, growing_rest, *others = scratch.arrays((b.size, left + right + 1))
    np.add(np.floor(overlap.means[0])[:, np.newaxis], np.arange(-left, right + 1.0), out=x)
    np.clip(x, 0, np.minimum(a, b), out=x)
    np.subtract(a, x, out=a_rest)
    np.subtract(b, x, out=b_rest)
    np.add(rest, x, out=growing_rest)
    cells = (x, a_rest, b_rest, growing_rest)
    return weighted_mean(_ratio_weights(cells, left, others), overlap.score(kernel, cells))


def _ratio_weights(cells: tuple[Floats, ...], centre: int, others: list[Floats]) -> Floats:
    """Return weights that are 1 at the centre, and 0 outside the support.

    pmf(x + 1) / pmf(x) = (A - x)(B - x) / [(x + 1)(M - A - B + x + 1)]: divide the shrinking
    cells at x by the growing cells at x + 1. Outside the support the cells are clamped, and the
    one that is zero makes the weights vanish.
    """
    shrinking, growing, weights = others
    np.multiply(cells[1], cells[2], out=shrinking)
    np.multiply(cells[0], cells[3], out=growing)
    before, after = weights[:, :centre], weights[:, centre + 1 :]
    weights[:, centre] = 1
    np.maximum(growing[:, centre + 1 :], 1, out=after)
    np.divide(shrinking[:, centre:-1], after, out=after)
    np.cumprod(after, axis=1, out=after)
    np.maximum(shrinking[:, :centre], 1, out=before)
    np.divide(growing[:, 1 : centre + 1], before, out=before)
    np.cumprod(before[:, ::-1], axis=1, out=before[:, ::-1])
    return weights


def _integers(kernel: Kernel, overlap: Canonical, _: _Scratch) -> Floats:
    """Sum over all integers around the mean of one draw, piece by piece."""
    reach = _reach(float(overlap.sd[0]))
    if 2 * reach > _MOST_INTEGERS:
        raise TooManyValuesError(
            f"at most {_MOST_INTEGERS:,} scores can be summed for one draw (got one with "
            f"{2 * reach:,}); if the measure is smooth between whole counts, make it with "
            "smooth=True"
        )
    a, b, m = overlap.smaller_class, int(overlap.smaller_prediction[0]), overlap.total
    centre, remainder = divmod(a * b, m)
    anchors = [np.array([[float(n)]]) for n in (centre, a - centre, b - centre, m - a - b + centre)]
    totals, edges = np.zeros(3), []
    for start in range(-reach, reach + 1, _BLOCK_NODES):
        offsets = np.arange(start, min(start + _BLOCK_NODES, reach + 1), dtype=float)[np.newaxis]
        steps = offsets - remainder / m
        weights = weights_of([mean[:, np.newaxis] for mean in overlap.means], steps)
        cells = tuple(n + c for n, c in zip(anchors, changes(offsets), strict=True))
        terms = weights * overlap.score(kernel, cells)
        totals += weights.sum(), terms.sum(), np.abs(terms).sum()
        edges += [abs(terms[0, 0]), abs(terms[0, -1])]
    outgrown = max(edges[0], edges[-1]) > NEGLIGIBLE_EDGE * totals[2]
    if not np.isfinite(totals[1]):
        return np.array([np.nan])
    return np.array([np.inf if outgrown else totals[1] / totals[0]])
