"""Expected scores of draws, at a cost that does not grow with the test set.

Every score is a function of one hypergeometric count. By swapping classes and predictions, that
count is the overlap x of the smaller class (A) with the smaller prediction (B), and the table is x,
A - x, B - x and M - A - B + x. Scores are summed over x, or integrated where the distribution is
wide and the score is smooth: docs/decisions/0003-hypergeometric.md has the error of each rule.
"""

from __future__ import annotations

import math
import warnings
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, overload

import numpy as np

from baserate.arguments import as_float, is_number
from baserate.data.labels import four_counts
from baserate.exceptions import InvalidMeasureError, TooManyValuesError, UndefinedMeasureWarning
from baserate.formatting import shown
from baserate.measures.affine import affine_score
from baserate.measures.two_classes import get_measure
from baserate.measures.two_classes_record import Margins
from baserate.null.hypergeometric import CONTEXT, Hypergeometric, log_factorial_excess
from baserate.observed.labels import ConfusionMatrix, as_base_rate
from baserate.observed.theta import predicted_positives_of_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from baserate.core.measure import Formula
    from baserate.data.columns import Labels
    from baserate.measures.two_classes_record import TwoClassMeasure
    from baserate.observed.labels import BaseRate

    Floats = NDArray[np.float64]

Kernel: TypeAlias = "Callable[..., Floats]"
"""A measure of arrays of TP, FP, FN and TN; scores are not finite where they are undefined."""

# From this standard deviation on, the trapezoidal rule replaces the sum over the integers.
WIDE = 12.0
# From here on, draws of functions that are not smooth are summed one by one.
_VERY_WIDE = 300.0
# A user's function is summed over whole distributions if the test set has at most this many tables.
_FEW_TABLES = 4 * 10**6
# The most integers to sum for one draw, about ten seconds of work, and for all of some draws.
_MOST_INTEGERS, _MOST_COUNTS = 10**8, 10**7
# Up to this many draws are computed one by one; more are a curve.
_FEW_DRAWS = 64
# The number of nodes summed together, so that the work fits in the cache.
_NODES_AT_ONCE = 2**16
# Masses below this fraction of the largest are negligible, even for a variance of 1e-15.
_NEGLIGIBLE = 1e-40
# The largest share of the sum that the first or last term may have, if the rest is negligible.
_NEGLIGIBLE_EDGE = 1e-15
# The step of the trapezoidal rule is sd / 1.4, so its error is about exp(-2π²·1.4²) = 2e-17.
_STEPS_PER_SD = 1.4
_NODES = np.arange(-15, 16) / _STEPS_PER_SD
# The same rule, shifted by half a step. For a smooth function both agree to this relative error.
_BETWEEN = np.arange(-15.5, 16) / _STEPS_PER_SD
_AGREEMENT = 1e-12
# A small difference of large rates is rounded like those rates: allow for that, within bounds.
_EXCUSED, _NEVER_EXCUSED = 1e-10, 1e-4


@overload
def expected_score(
    test_set: BaseRate | ConfusionMatrix | Labels,
    measure: str | TwoClassMeasure,
    theta: float | Fraction,
    undefined: float = ...,
    *,
    pos_label: object = ...,
) -> float: ...
@overload
def expected_score(
    test_set: BaseRate | ConfusionMatrix | Labels,
    measure: str | TwoClassMeasure,
    theta: Sequence[float] | NDArray[Any],
    undefined: float = ...,
    *,
    pos_label: object = ...,
) -> NDArray[np.float64]: ...
def expected_score(
    test_set: BaseRate | ConfusionMatrix | Labels,
    measure: str | TwoClassMeasure,
    theta: float | Fraction | Sequence[float] | NDArray[Any],
    undefined: float = math.nan,
    *,
    pos_label: object = None,
) -> float | NDArray[np.float64]:
    """Return the expected score of the Dutch Draw with a given θ.

    Parameters
    ----------
    test_set
        A `BaseRate`, a `ConfusionMatrix`, or the true labels.
    measure
        A measure or its name.
    theta
        The fraction to draw positive: a number between 0 and 1, or an array of such numbers.
    undefined
        What to return where the measure is undefined; an `UndefinedMeasureWarning` says so.
    pos_label
        The positive class, if the test set is given by its labels.

    Examples
    --------
    >>> from baserate import BaseRate
    >>> rate = BaseRate(positives=9, total=10)
    >>> expected_score(rate, "G2", 0.1)
    0.3
    >>> expected_score(rate, "ACC", [0, 0.5, 1])
    array([0.1, 0.5, 0.9])
    """
    rate, measure = as_base_rate(test_set, pos_label), get_measure(measure)
    measure.require_baseline()
    if not is_number(undefined):
        raise InvalidMeasureError(
            f"must be a number, such as 0 or math.nan (got {shown(undefined)})",
            parameter="undefined",
        )
    counts = predicted_positives_of_all(theta, rate.total)
    scores = expected_scores(rate, measure, counts)
    missing = np.isnan(scores)
    if missing.any():
        warnings.warn(
            f"the expectation of {measure.key} is undefined for {int(missing.sum())} of "
            f"{missing.size} draws",
            UndefinedMeasureWarning,
            stacklevel=2,
        )
        scores = np.where(missing, as_float(undefined), scores)
    return scores if scores.ndim else float(scores)


def expected_scores(
    rate: BaseRate, measure: TwoClassMeasure, predicted_positives: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the expected score for each P̂; nan where the measure is undefined."""
    allowed = measure.allowed(rate)
    inside = np.asarray(
        (predicted_positives >= allowed.start) & (predicted_positives < allowed.stop), dtype=bool
    )
    scores = np.full(predicted_positives.shape, np.nan)
    counts = predicted_positives[inside]
    affine = affine_score(measure, rate)
    if measure.draw.expectation is not None:
        # Subtract as integers, and only then convert to floats.
        drawn, left = counts.astype(float), (rate.total - counts).astype(float)
        margins = Margins(float(rate.positives), float(rate.negatives), drawn, left)
        scores[inside] = measure.draw.expectation(margins)
    elif affine is not None:
        scores[inside] = affine.means(counts)
    else:
        scores[inside] = means_of_few(measure.scores, rate, measure, counts)
    return scores


def means_of_few(
    kernel: Kernel, rate: BaseRate, measure: TwoClassMeasure, counts: NDArray[Any]
) -> Floats:
    """Return the expectations that a user asks for, of a measure or of a function of it.

    For a user's function they are sums over all counts, if that is feasible.
    """
    longest = min(rate.positives, rate.negatives) + 1
    is_little = counts.size <= _FEW_DRAWS and counts.size * longest <= _MOST_COUNTS
    if not measure.may_be_undefined or not is_little:
        return means_of_many(kernel, rate, measure, counts)
    scores = np.array([_draw(rate, each).expectation(kernel) for each in counts.ravel().tolist()])
    return _undefined_at_the_ends(scores.reshape(counts.shape), rate, measure, counts)


def means_of_many(
    kernel: Kernel, rate: BaseRate, measure: TwoClassMeasure, counts: NDArray[Any]
) -> Floats:
    """Return expectations at a cost that does not grow with the test set."""
    trusted = not measure.may_be_undefined
    scores = means(kernel, rate, counts, smooth=measure.smooth, trusted=trusted)
    return scores if trusted else _undefined_at_the_ends(scores, rate, measure, counts)


def _draw(rate: BaseRate, drawn: int) -> Hypergeometric:
    return Hypergeometric(rate.positives, rate.negatives, drawn)


def _undefined_at_the_ends(
    scores: Floats, rate: BaseRate, measure: TwoClassMeasure, counts: NDArray[Any]
) -> Floats:
    """Return nan in place of the expectations of draws with an undefined score."""
    # A user's function divides by zero where a cell is empty: at an end of the support, which
    # may be too unlikely for the sum to go there.
    low = np.maximum(0, counts - rate.negatives)
    high = np.minimum(rate.positives, counts)
    for tp in (low, high):
        cells = four_counts(tp, rate.positives, rate.negatives, counts)
        ends = measure.scores(*(cell.astype(float) for cell in cells))
        scores = np.where(np.isfinite(ends), scores, np.nan)
    return scores


class Overlap(NamedTuple):
    """The overlap of the smaller class with the smaller prediction, for many draws."""

    smaller_class: Any
    smaller_prediction: Any
    rest: Any
    total: int
    swapped_class: bool
    swapped_prediction: Any

    @classmethod
    def of(cls, rate: BaseRate, drawn: NDArray[Any]) -> Overlap:
        """Return the overlap for these numbers of positive predictions."""
        total, smaller = rate.total, min(rate.positives, rate.negatives)
        swapped = np.asarray(drawn > total - drawn, dtype=bool)
        drawn = np.where(swapped, total - drawn, drawn)
        rest = total - smaller - drawn
        return cls(smaller, drawn, rest, total, rate.positives > rate.negatives, swapped)

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
        scores = np.empty(x.shape)
        for where, table in (
            (~self.swapped_prediction, direct),
            (self.swapped_prediction, swapped),
        ):
            if where.any():
                scores[where] = kernel(*(cell[where] for cell in table))
        return scores


def floats(values: Any) -> Floats:
    """Return counts as floats."""
    return np.asarray(values, dtype=float)


def means(
    kernel: Kernel, rate: BaseRate, drawn: NDArray[Any], *, smooth: bool, trusted: bool = True
) -> Floats:
    """Return the expected score of each draw; nan if it can attain an undefined score.

    Smoothness that is only a user's claim is not trusted: small test sets are still summed in full,
    and large ones are integrated twice.
    """
    counts = drawn.ravel()
    sd, result = Overlap.of(rate, counts).sd, np.empty(counts.shape)
    is_small = not trusted and has_few_tables(rate)
    is_wide = (sd >= (WIDE if smooth else _VERY_WIDE)) & (not is_small)
    with np.errstate(invalid="ignore", over="ignore"):  # undefined scores, undefined mean
        if smooth:
            for block in _blocks(np.flatnonzero(is_wide), _NODES.size):
                result[block] = _integral(kernel, Overlap.of(rate, counts[block]), trusted=trusted)
        else:
            for place in np.flatnonzero(is_wide).tolist():
                result[place] = _one_by_one(kernel, _draw(rate, int(counts[place])))
        narrow = np.flatnonzero(~is_wide)
        longest = min(rate.positives, rate.negatives) + 1
        reach = longest if is_small else _reach(sd[narrow].max(initial=0.0))
        for block in _blocks(narrow, 2 * reach + 1):
            result[block] = _sum(kernel, Overlap.of(rate, counts[block]), reach)
        # Where unlikely counts decide, all of them are summed.
        for place in np.flatnonzero(np.isinf(result)).tolist():
            is_feasible = min(80 * sd[place], longest) <= _MOST_COUNTS
            draw = _draw(rate, int(counts[place]))
            result[place] = draw.expectation(kernel) if is_feasible else np.nan
    result[~np.isfinite(result)] = np.nan
    return result.reshape(drawn.shape)


def has_few_tables(rate: BaseRate) -> bool:
    """Return whether a user's function is called for every table that a draw can have."""
    return (rate.positives + 1) * (rate.negatives + 1) <= _FEW_TABLES


def _blocks(draws: NDArray[np.intp], nodes: int) -> Iterator[NDArray[np.intp]]:
    """Split draws into blocks with this many nodes each, so that memory is bounded."""
    size = max(1, _NODES_AT_ONCE // nodes)
    return (draws[start : start + size] for start in range(0, draws.size, size))


def _reach(sd: float) -> int:
    """Return how far from the mean a sum over the integers extends.

    8.5 sd leave 10⁻¹⁷ of a normal distribution; the tail of a skewed or narrow one ends within 30
    more.
    """
    return math.ceil(8.5 * sd + 30)


def _sum(kernel: Kernel, overlap: Overlap, reach: int) -> Floats:
    """Sum over the integers around the mean, each weight from its neighbour's.

    pmf(x + 1) / pmf(x) = (A - x)(B - x) / [(x + 1)(M - A - B + x + 1)]: divide the shrinking
    cells at x by the growing cells at x + 1. Outside the support the cells are clamped, and the
    one that is zero makes the weights vanish.
    """
    a, b, rest = (
        floats(part)[..., np.newaxis]
        for part in (overlap.smaller_class, overlap.smaller_prediction, overlap.rest)
    )
    x = np.floor(overlap.means[0])[:, np.newaxis] + np.arange(-reach, reach + 1.0)
    x = np.clip(x, 0, np.minimum(a, b))
    cells = x, a - x, b - x, rest + x
    shrinking, growing = cells[1] * cells[2], cells[0] * cells[3]
    after = shrinking[:, reach:-1] / np.maximum(growing[:, reach + 1 :], 1)
    before = growing[:, 1 : reach + 1] / np.maximum(shrinking[:, :reach], 1)
    left, right = np.cumprod(before[:, ::-1], axis=1)[:, ::-1], np.cumprod(after, axis=1)
    weights = np.concatenate([left, np.ones((len(x), 1)), right], axis=1)
    return _weighted_mean(weights, overlap.score(kernel, cells))


def _one_by_one(kernel: Kernel, draw: Hypergeometric) -> float:
    """Sum over all integers around the mean of one draw, piece by piece."""
    reach = _reach(draw.sd)
    if 2 * reach > _MOST_INTEGERS:
        raise TooManyValuesError(
            f"at most {_MOST_INTEGERS:,} scores can be summed for one draw (got one with "
            f"{2 * reach:,}); if the measure is smooth between whole counts, make it with "
            "smooth=True"
        )
    return draw.expectation(kernel, reach)


def _integral(kernel: Kernel, overlap: Overlap, *, trusted: bool) -> Floats:
    """Integrate over 31 points within 11 sd of the mean, where the summand is an analytic bell.

    Of a function that is said to be smooth this is done twice, to raise if it is seen not to be.
    """
    weights, cells = _grid(overlap, _NODES)
    scores = overlap.score(kernel, cells)
    found = _weighted_mean(weights, scores)
    if trusted:
        return found
    _require_finite(kernel, overlap, cells, scores)
    others, between = _grid(overlap, _BETWEEN)
    scores_between = overlap.score(kernel, between)
    _require_finite(kernel, overlap, between, scores_between)
    sizes = np.maximum(
        np.vecdot(weights, np.abs(scores)) / weights.sum(axis=1),
        np.vecdot(others, np.abs(scores_between)) / others.sum(axis=1),
    )
    apart = np.abs(found - _weighted_mean(others, scores_between))
    suspect = np.isfinite(apart) & (apart > _AGREEMENT * sizes)
    if suspect.any():
        excuse = _AGREEMENT * sizes + _EXCUSED * _largest(kernel, overlap)
        if (suspect & (apart > np.minimum(excuse, _NEVER_EXCUSED * sizes))).any():
            raise InvalidMeasureError.not_smooth()
    return found


def _grid(overlap: Overlap, nodes: Floats) -> tuple[Floats, tuple[Floats, ...]]:
    """Return the weights of the trapezoidal rule, and the tables between whole counts."""
    steps = overlap.sd[:, np.newaxis] * nodes
    changes = steps, -steps, -steps, steps
    pairs = [(mean[:, np.newaxis], each) for mean, each in zip(overlap.means, changes, strict=True)]
    weights = np.exp(-sum(log_factorial_excess(mean, change) for mean, change in pairs))
    return np.asarray(weights), tuple(mean + change for mean, change in pairs)


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


def _weighted_mean(weights: Floats, scores: Floats) -> Floats:
    """Return mean scores: nan if one is undefined, infinite if they outgrow the weights."""
    totals = np.vecdot(weights, scores)
    totals[~np.isfinite(totals)] = np.nan
    edges = np.abs(weights[:, [0, -1]] * scores[:, [0, -1]]).max(axis=1)
    sizes = np.vecdot(weights, np.abs(scores))
    return np.where(edges > _NEGLIGIBLE_EDGE * sizes, np.inf, totals / weights.sum(axis=1))


def variance_of_formula(definition: Formula, tp: Hypergeometric) -> float:
    """Return the variance of a smooth measure of the catalogue under a draw.

    At M = 10¹⁵ the scores differ by 10⁻⁸ of their size, or less. So they are computed to 50 digits,
    and only their differences from the most likely one are rounded to floats.
    """
    if tp.sd >= WIDE:
        steps = tp.sd * _NODES
        weights = np.exp(tp.log_ratio(tp.mode, steps))
    else:
        first, masses = tp.masses()
        heavy = np.flatnonzero(masses > _NEGLIGIBLE * masses.max())
        steps, weights = first - tp.mode + heavy.astype(float), masses[heavy]
    with localcontext(CONTEXT):
        counts = np.array([Decimal(tp.mode) + Decimal(step) for step in [*steps.tolist(), 0]])
        scores = definition(*tp.cells(counts))
        apart = (scores[:-1] - scores[-1]).astype(float)
    mean = np.average(apart, weights=weights)
    return float(np.average((apart - mean) ** 2, weights=weights))
