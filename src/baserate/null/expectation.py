"""Expected scores of shuffled predictions of two classes, at a cost that does not grow with M.

Every score is a function of one hypergeometric count. By swapping classes and predictions, that
count is the overlap x of the smaller class (A) with the smaller prediction (B), and the table is x,
A - x, B - x and M - A - B + x. Scores are summed over x, or integrated where the distribution is
wide and the score is smooth: docs/decisions/0003-hypergeometric.md has the error of each rule.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from baserate.exceptions import InvalidMeasureError, TooManyValuesError
from baserate.null.hypergeometric import CONTEXT, log_factorial_excess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from baserate.core.measure import Formula
    from baserate.null.hypergeometric import Hypergeometric

    Floats = NDArray[np.float64]
    Rule = Callable[["Kernel", "Overlap", "_Scratch"], Floats]

# From this standard deviation on, the trapezoidal rule replaces the sum over the integers.
WIDE = 12.0
# From here on the log-pmf weights the integers: ratios would need too many multiplications.
_VERY_WIDE = 300.0
# A user's function is summed over whole distributions if the test set has at most this many tables.
_FEW_TABLES = 4 * 10**6
# The most integers to sum for one draw: about ten seconds of work.
_MOST_INTEGERS = 10**8
# The widest sum for a measure whose unlikely scores matter.
_FURTHEST = 5 * 10**6
# The number of nodes summed together, so that the work fits in the cache.
_BLOCK_NODES, _WINDOW_NODES = 2**14, 2**16
# Masses below this fraction of the largest are negligible, even for a variance of 1e-15.
_NEGLIGIBLE = 1e-40
# The number of draws summed together over whole distributions.
_WHOLE_DRAWS = 32
# The largest share of the sum that the first or last term may have, if the rest is negligible.
_NEGLIGIBLE_EDGE = 1e-15
# The step of the trapezoidal rule is sd / 1.4, so its error is about exp(-2π²·1.4²) = 2e-17.
_STEPS_PER_SD = 1.4
NODES = np.arange(-15, 16) / _STEPS_PER_SD
# The same rule, shifted by half a step. For a smooth function both agree to this relative error.
_BETWEEN = np.arange(-15.5, 16) / _STEPS_PER_SD
_AGREEMENT = 1e-12
# A small difference of large rates is rounded like those rates: allow for that, within bounds.
_EXCUSED, _NEVER_EXCUSED = 1e-10, 1e-4


class Kernel(Protocol):
    """A vectorised measure: it scores tables; the score is not finite where it is undefined."""

    def __call__(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats, /) -> Floats:
        """Score tables."""
        ...


class Overlap(NamedTuple):
    """The overlap of the smaller class with the smaller prediction, for one or many draws."""

    smaller_class: Any
    smaller_prediction: Any
    rest: Any
    total: int
    swapped_class: bool
    swapped_prediction: Any

    @classmethod
    def of(cls, positives: int, negatives: int, drawn: NDArray[Any]) -> Overlap:
        """Return the overlap for these numbers of positive predictions."""
        total, smaller = positives + negatives, min(positives, negatives)
        swapped = np.asarray(drawn > total - drawn, dtype=bool)
        drawn = np.where(swapped, total - drawn, drawn)
        rest = total - smaller - drawn
        return cls(smaller, drawn, rest, total, positives > negatives, swapped)

    @property
    def means(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The means of the four cells; the products across both diagonals are equal."""
        a, b, m = float(self.smaller_class), floats(self.smaller_prediction), float(self.total)
        other_a, other_b = float(self.total - self.smaller_class), floats(self.total - b)
        return a * b / m, a * other_b / m, b * other_a / m, other_a * other_b / m

    @property
    def sd(self) -> Floats:
        """The standard deviation of every cell."""
        mean = self.means[0]
        spread = float(self.total - self.smaller_class) / max(self.total - 1, 1)
        return np.sqrt(mean * spread * floats(self.total - self.smaller_prediction) / self.total)

    def score(self, kernel: Kernel, cells: tuple[Floats, ...]) -> Floats:
        """Score tables given as (x, A - x, B - x, M - A - B + x), one row per draw."""
        x, a_rest, b_rest, rest = cells
        # tp, fp, fn, tn if nothing is swapped; swapping the predictions reverses the order.
        direct = (b_rest, x, rest, a_rest) if self.swapped_class else (x, b_rest, a_rest, rest)
        swapped = (rest, a_rest, b_rest, x) if self.swapped_class else (a_rest, rest, x, b_rest)
        if not self.swapped_prediction.any():
            return kernel(*direct)
        if self.swapped_prediction.all():
            return kernel(*swapped)
        scores = np.empty(x.shape)
        for where, table in (
            (~self.swapped_prediction, direct),
            (self.swapped_prediction, swapped),
        ):
            scores[where] = kernel(*(cell[where] for cell in table))
        return scores


def floats(values: Any) -> Floats:
    """Return counts as floats."""
    return np.asarray(values, dtype=float)


def means(
    kernel: Kernel,
    positives: int,
    negatives: int,
    drawn: NDArray[Any],
    *,
    smooth: bool,
    trusted: bool = True,
) -> Floats:
    """Return the expected score of each draw; nan if it can attain an undefined score."""
    counts = drawn.ravel()
    sd = Overlap.of(positives, negatives, counts).sd
    result, scratch = np.empty(counts.shape), _Scratch()
    rules = _rules(sd, smooth=smooth, trusted=trusted)
    if not trusted and has_few_tables(positives, negatives):
        rules = [(sd >= 0, _whole)]
    with np.errstate(invalid="ignore", over="ignore"):  # undefined scores, undefined mean
        for where, rule in rules:
            for block in _blocks(np.flatnonzero(where), sd, rule):
                overlap = Overlap.of(positives, negatives, counts[block])
                result[block] = rule(kernel, overlap, scratch)
        widen = 1
        while (outgrown := np.flatnonzero(np.isinf(result))).size:
            widen *= 2
            if widen * _reach(sd[outgrown].max()) > _FURTHEST:
                break
            for block in _blocks(outgrown, sd, _window, widen):
                overlap = Overlap.of(positives, negatives, counts[block])
                result[block] = _window(kernel, overlap, scratch, widen)
    result[~np.isfinite(result)] = np.nan
    return result.reshape(drawn.shape)


def has_few_tables(positives: int, negatives: int) -> bool:
    """Return whether a user's function is called for every table that a draw can have."""
    return (positives + 1) * (negatives + 1) <= _FEW_TABLES


def _rules(sd: Floats, *, smooth: bool, trusted: bool) -> list[tuple[NDArray[np.bool_], Rule]]:
    """Return the draws that each rule sums."""
    if smooth:
        return [(sd >= WIDE, _trapezoidal if trusted else _two_grids), (sd < WIDE, _window)]
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

    8.5 sd leave 10⁻¹⁷ of a normal distribution; the tail of a skewed or narrow one ends within 30
    more.
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


def _window(kernel: Kernel, overlap: Overlap, scratch: _Scratch, widen: int = 1) -> Floats:
    """Sum over the integers around the mean, each weight from its neighbour's."""
    reach = widen * _reach(overlap.sd.max())
    return _summed(kernel, overlap, scratch, reach, reach)


def _whole(kernel: Kernel, overlap: Overlap, scratch: _Scratch) -> Floats:
    """Sum over every integer, each weight from its neighbour's."""
    means = np.floor(overlap.means[0])
    most = np.minimum(overlap.smaller_class, overlap.smaller_prediction)
    # One more on either side, where the weight is zero and every distribution has ended.
    return _summed(kernel, overlap, scratch, int(means.max()) + 1, int((most - means).max()) + 1)


def _summed(kernel: Kernel, overlap: Overlap, scratch: _Scratch, left: int, right: int) -> Floats:
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
    return _weighted_mean(_ratio_weights(cells, left, others), overlap.score(kernel, cells))


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


def _integers(kernel: Kernel, overlap: Overlap, _: _Scratch) -> Floats:
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
        weights = _weights_of([mean[:, np.newaxis] for mean in overlap.means], steps)
        cells = tuple(n + c for n, c in zip(anchors, _changes(offsets), strict=True))
        terms = weights * overlap.score(kernel, cells)
        totals += weights.sum(), terms.sum(), np.abs(terms).sum()
        edges += [abs(terms[0, 0]), abs(terms[0, -1])]
    outgrown = max(edges[0], edges[-1]) > _NEGLIGIBLE_EDGE * totals[2]
    if not np.isfinite(totals[1]):
        return np.array([np.nan])
    return np.array([np.inf if outgrown else totals[1] / totals[0]])


def _trapezoidal(kernel: Kernel, overlap: Overlap, _: object = None) -> Floats:
    """Integrate over 31 points within 11 sd of the mean, where the summand is an analytic bell."""
    weights, cells = _grid(overlap, NODES)
    return _weighted_mean(weights, overlap.score(kernel, cells))


def _grid(overlap: Overlap, nodes: Floats) -> tuple[Floats, tuple[Floats, ...]]:
    """Return the weights of the trapezoidal rule, and the tables between whole counts."""
    steps = overlap.sd[:, np.newaxis] * nodes
    means = [mean[:, np.newaxis] for mean in overlap.means]
    cells = tuple(mean + c for mean, c in zip(means, _changes(steps), strict=True))
    return _weights_of(means, steps), cells


def _two_grids(kernel: Kernel, overlap: Overlap, _: object = None) -> Floats:
    """Integrate a function that is said to be smooth, and raise if it is seen not to be."""
    means, sizes = [], np.zeros(overlap.sd.shape)
    for nodes in (NODES, _BETWEEN):
        weights, cells = _grid(overlap, nodes)
        scores = overlap.score(kernel, cells)
        _require_finite(kernel, overlap, cells, scores)
        means.append(_weighted_mean(weights, scores))
        sizes = np.maximum(sizes, np.vecdot(weights, np.abs(scores)) / weights.sum(axis=1))
    apart = np.abs(means[0] - means[1])
    suspect = np.isfinite(apart) & (apart > _AGREEMENT * sizes)
    if suspect.any():
        excuse = _AGREEMENT * sizes + _EXCUSED * _largest(kernel, overlap)
        if (suspect & (apart > np.minimum(excuse, _NEVER_EXCUSED * sizes))).any():
            raise InvalidMeasureError.not_smooth()
    return means[0]


def _largest(kernel: Kernel, overlap: Overlap) -> float:
    """Return the size of the scores of a perfect and of an all-wrong prediction."""
    sizes = [overlap.smaller_class, overlap.total - overlap.smaller_class]
    positives, negatives = sizes[::-1] if overlap.swapped_class else sizes
    p, n, none = (np.array([float(count)]) for count in (positives, negatives, 0))
    scores = np.abs([kernel(p, none, none, n), kernel(none, n, p, none)])
    return float(scores[np.isfinite(scores)].max(initial=0))


def _require_finite(
    kernel: Kernel, overlap: Overlap, cells: tuple[Floats, ...], scores: Floats
) -> None:
    """Raise if a score is finite at the nearest count, but not between counts."""
    if np.isfinite(scores).all():
        return
    x, b = np.rint(cells[0]), floats(overlap.smaller_prediction)[:, np.newaxis]
    rest = floats(overlap.rest)[:, np.newaxis]
    whole = overlap.score(kernel, (x, overlap.smaller_class - x, b - x, rest + x))
    if (np.isfinite(whole) & ~np.isfinite(scores)).any():
        raise InvalidMeasureError.not_smooth()


def _changes(steps: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return how the four cells change when the overlap grows by some steps."""
    return steps, -steps, -steps, steps


def _weights_of(means: list[Floats], steps: Floats) -> Floats:
    """Return weights proportional to the pmf, some steps from the mean."""
    pairs = zip(means, _changes(steps), strict=True)
    return np.asarray(np.exp(-sum(log_factorial_excess(mean, change) for mean, change in pairs)))


def _weighted_mean(weights: Floats, scores: Floats) -> Floats:
    """Return mean scores: nan if one is undefined, infinite if they outgrow the weights."""
    totals = np.vecdot(weights, scores)
    totals[~np.isfinite(totals)] = np.nan
    edges = np.abs(weights[:, [0, -1]] * scores[:, [0, -1]]).max(axis=1)
    outgrown = edges > _NEGLIGIBLE_EDGE * np.abs(totals)
    if outgrown.any():  # or the mean is zero, and only the sum of absolute values shows it
        sizes = np.vecdot(weights[outgrown], np.abs(scores[outgrown]))
        outgrown[outgrown] = edges[outgrown] > _NEGLIGIBLE_EDGE * sizes
    return np.where(outgrown, np.inf, totals / weights.sum(axis=1))


def variance_of_formula(definition: Formula, tp: Hypergeometric) -> float:
    """Return the variance of a smooth measure of the catalogue under a draw.

    At M = 10¹⁵ the scores differ by 10⁻⁸ of their size, or less. So they are computed to 50 digits,
    and only their differences from the most likely one are rounded to floats.
    """
    steps, weights = _nodes(tp)
    with localcontext(CONTEXT):
        counts = np.array([Decimal(tp.mode) + Decimal(step) for step in [*steps.tolist(), 0]])
        scores = definition(*tp.cells(counts))
        apart = (scores[:-1] - scores[-1]).astype(float)
    mean = np.average(apart, weights=weights)
    return float(np.average((apart - mean) ** 2, weights=weights))


def _nodes(tp: Hypergeometric) -> tuple[Floats, Floats]:
    """Return counts around the mode (integers if they are few) and their weights."""
    if tp.sd >= WIDE:
        steps = tp.sd * NODES
        return steps, np.exp(tp.log_ratio(tp.mode, steps))
    first, masses = tp.masses()
    steps = np.arange(first - tp.mode, first - tp.mode + masses.size, dtype=float)
    heavy = masses > _NEGLIGIBLE * masses.max()
    return steps[heavy], masses[heavy]
