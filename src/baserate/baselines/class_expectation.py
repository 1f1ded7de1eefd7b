"""What guesses of several classes are expected to score."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.measures.classes_record import (
    OfDistance,
    OfProduct,
    OfTable,
    OfTrace,
    Place,
)
from baserate.null.permutations import MOST_CELLS, all_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.measures.classes_record import ClassMeasure

    Floats = NDArray[np.float64]
    Counts = tuple[int, ...]


class Effort(NamedTuple):
    """How much work an expectation may be. A user's function is called for each table.

    All tables of a mix are scored if there are at most this many ways to fill all rows but one.
    Otherwise this many are drawn, always the same, or fewer if together they have too many cells.
    """

    ways: int
    drawn: int
    cells: int
    seed: int


CAREFUL = Effort(ways=20_000, drawn=2_000, cells=500_000, seed=20_230_318)
"""For an expectation that is reported."""
ROUGH = Effort(ways=200, drawn=100, cells=50_000, seed=20_190_318)
"""For one of hundreds that a search compares."""
# In a larger test set a table is so near the expected one that this stands for all of them; to
# draw tables takes longer there, and fails with a crash from 10¹⁵ observations on (SciPy 1.17).
_MOST_DRAWN_FROM = 10**6
# Newton's series of a score of the trace ends after this many terms. Those of the micro Jaccard
# index are positive, and each is less than half of the one before.
_TERMS = 60


def expected_score(
    measure: ClassMeasure, n: Sequence[int], m: Sequence[int], *, effort: Effort = CAREFUL
) -> float:
    """Return the expected score of a mix that is shuffled; nan if it has none.

    Examples
    --------
    >>> from baserate.measures.classes import get_class_measure
    >>> expected_score(get_class_measure("macro F1"), (70, 20, 10), (70, 20, 10))
    0.3333333333333333
    >>> expected_score(get_class_measure("micro Jaccard"), (2, 2), (2, 2))
    0.3888888888888889
    """
    truth, mix = tuple(map(int, n)), tuple(map(int, m))
    pairs = zip(truth, mix, strict=True)
    if measure.maximum is Place.EVERYWHERE and all(a or not b for a, b in pairs):
        # All mixes expect the same, and the one that is always right or wrong has least rounding.
        largest = truth.index(max(truth))
        mix = tuple(sum(truth) if k == largest else 0 for k in range(len(truth)))
    with np.errstate(all="ignore"):
        if isinstance(measure.form, OfTable):
            return _mean_over_tables(measure, truth, mix, effort)
        value = _by_formula(measure.form, truth, mix)
    # A score that may be negative is a difference: what rounding leaves of it is zero.
    return 0.0 if measure.codomain.lower < 0 and abs(value) <= COMPUTATION else value


def is_exact(measure: ClassMeasure, n: Sequence[int], m: Sequence[int]) -> bool:
    """Return whether an expected score is exact up to rounding, and no approximation."""
    return not isinstance(measure.form, OfTable) or _has_few_tables(n, m, CAREFUL)


def _has_few_tables(n: Sequence[int], m: Sequence[int], effort: Effort) -> bool:
    """Return whether the tables of a mix are few enough to score them all."""
    most = min(effort.ways, MOST_CELLS // len(n) ** 2)
    return are_few_ways(sorted(n)[:-1], sum(map(bool, m)), most)


def are_few_ways(rows: Sequence[int], columns: int, most: int) -> bool:
    """Return whether there are at most so many ways to fill rows of a table."""
    ways = 1
    for size in rows:
        ways *= math.comb(size + columns - 1, columns - 1)
        if ways > most:
            return False
    return True


def _mean_over_tables(measure: ClassMeasure, n: Counts, m: Counts, effort: Effort) -> float:
    """Return the expected score of a mix; nan if one of its tables has no score."""
    found = all_tables(n, m) if _has_few_tables(n, m, effort) else None
    if found is not None:
        tables, chances = found
        return math.fsum(chances * measure.scores(tables.astype(float)))
    if isinstance(measure.form, OfProduct):
        return _mean_of_product(measure.form, n, m)
    return float(measure.scores(_drawn(n, m, effort)).mean())


def _drawn(n: Counts, m: Counts, effort: Effort) -> Floats:
    """Return some tables of a mix, or the expected one."""
    from scipy.stats import random_table

    if sum(n) > _MOST_DRAWN_FROM:
        return np.outer(n, np.array(m) / sum(n))[np.newaxis]
    size = max(1, min(effort.drawn, effort.cells // len(n) ** 2))
    tables, random = random_table(np.array(n), np.array(m)), np.random.default_rng(effort.seed)
    # The other method takes as long as there are observations.
    return np.asarray(tables.rvs(size, method="patefield", random_state=random), dtype=float)


def _by_formula(form: Any, n: Counts, m: Counts) -> float:
    truth, mix, total = np.array(n, dtype=float), np.array(m, dtype=float), sum(n)
    if isinstance(form, OfDistance):
        weights, added = form.weights(truth, mix)
        return float((weights * np.outer(truth, mix / total)).sum() + added)
    if isinstance(form, OfTrace) and not form.affine:
        return _newton_series(form, n, m)
    if isinstance(form, OfTrace):
        # Products of whole numbers: nothing is rounded before the division.
        right = sum(a * b for a, b in zip(n, m, strict=True)) / total
        return float(form.score(np.float64(right), truth, mix))
    expected = np.array([a * b / total for a, b in zip(n, m, strict=True)])
    if form.linear:
        return math.fsum(form.term(expected, truth, mix))
    # E f(C) = f(0) + E C · E [(f(1 + h) - f(0)) / (1 + h)], where h are the right answers beside
    # one that is known: a rare answer does not drown in the rounding of a weight near 1.
    known = np.flatnonzero((truth > 0) & (mix > 0))
    hits, weights = gauss_rule(truth[known] - 1, mix[known] - 1, total - 1)
    met = np.ones((hits.shape[-1], truth.size))
    met[:, known] += hits.T
    none = form.term(np.zeros_like(truth), truth, mix)
    more = ((form.term(met, truth, mix) - none) / met)[:, known]
    return math.fsum((*none, *(expected[known] * (weights.T * more).sum(axis=0))))


def _newton_series(form: OfTrace, n: Counts, m: Counts) -> float:
    """Return Σ_j Δʲf(0) E C(T, j) for a score f of the trace T."""
    total = sum(n)
    last = min(_TERMS, total)
    at = np.array([Fraction(j) for j in range(last + 1)], dtype=object)
    # Python's whole numbers do not overflow.
    whole = partial(np.array, dtype=object)
    values = list(form.score(at, whole(n), whole(m)))
    moments = _scaled_moments(n, m, last)
    terms = [float(values[0])]
    scale = Fraction(1)
    for j in range(1, last + 1):
        values = [after - before for before, after in pairwise(values)]
        scale *= Fraction(total * total, total - j + 1)
        terms.append(float(values[0] * scale) * moments[j])
    return math.fsum(terms)


def _scaled_moments(n: Counts, m: Counts, last: int) -> list[float]:
    """Return E C(T, j) · (M)_j / M²ʲ for j = 0, 1, …, where T is the trace.

    With falling factorials (n)_i, it is [yʲ] Π_k Σ_i (n_k)_i (m_k)_i / M²ⁱ yⁱ / i! (Greville
    1941), a sum of positive terms.
    """
    total = float(sum(n))
    product = np.zeros(last + 1)
    product[0] = 1
    i = np.arange(float(last))  # floats: products of counts overflow
    for a, b in zip(n, m, strict=True):
        if a and b:
            steps = np.maximum(a - i, 0) * np.maximum(b - i, 0) / (total * total * (i + 1))
            factor = np.append(1, np.cumprod(steps))
            product = np.convolve(product, factor)[: last + 1]
    return [float(each) for each in product]


# The scores that are averaged have a pole as far beyond the largest value as that is from zero, or
# farther. Then the error falls as (3 + √8)^(-2L): with 14 nodes it is below 10⁻²¹.
NODES = 14


def gauss_rule(marked: NDArray[Any], drawn: NDArray[Any], total: int) -> tuple[Floats, Floats]:
    """Return nodes and weights, of shape (…, nodes), of how many marked ones are drawn."""
    a, b = (np.asarray(each, dtype=float)[..., np.newaxis] for each in (marked, drawn))
    lowest = np.maximum(a + b - total, 0)
    values = np.minimum(a, b) - lowest + 1
    up, down = _recurrence(a, b, float(total), values)
    matrix = np.zeros((*up.shape, NODES))
    here = np.arange(NODES)
    # Beyond the number of values the matrix falls apart: those nodes have no weight.
    matrix[..., here, here] = np.where(here < values, up + down, lowest)
    beside = np.sqrt(np.where(here[1:] < values, up[..., :-1] * down[..., 1:], 0))
    matrix[..., here[1:], here[:-1]] = beside
    nodes, vectors = np.linalg.eigh(matrix)
    return np.clip(nodes, lowest, lowest + values - 1), vectors[..., 0, :] ** 2


def _recurrence(a: Floats, b: Floats, total: float, values: Floats) -> tuple[Floats, Floats]:
    """Return A_i and C_i of Hahn's polynomials (Koekoek and Swarttouw, 1.5.3).

    Their α is -a - 1, their β is -(total - a) - 1, and their N is b.
    """
    i = np.arange(NODES, dtype=float)
    # Where the denominators are not positive, there are no more values.
    width, one_more, two_more = (np.maximum(total - 2 * i + extra, 1) for extra in (0, 1, 2))
    up = (total + 1 - i) * (a - i) * (b - i) / (one_more * width)
    down = i * (total + 1 - a - i) * (total + 1 - b - i) / (two_more * one_more)
    return np.where(i < values, up, 0), np.where(i < values, down, 0)


# With more right answers than this on average, none at all is so unlikely that a root is smooth.
_MANY = 200.0
# How often a mix is improved, and by which fraction its counts are changed to find out how.
_STEPS, _MORE = 8, 0.05


def _mean_of_product(form: OfProduct, n: Counts, m: Counts) -> float:
    """Return the expectation of a product of functions of the right answers of each class.

    It is that of independent classes, with their covariances to first order. See decision 4 for
    the error.
    """
    truth, mix, total = np.array(n, dtype=float), np.array(m, dtype=float), sum(n)
    right, weights, factors = _laws(form, truth, mix, total)
    means = (weights * factors).sum(axis=0)
    if not means.all():
        return 0.0
    expected = truth * (mix / total)
    aside = right - expected
    variances = (weights * aside * aside).sum(axis=0)
    slopes = (weights * aside * factors).sum(axis=0) / np.where(variances == 0, 1, variances)
    # Cov(C_aa, C_bb) = n_a n_b m_a m_b / (M²(M - 1)), summed over the pairs.
    relative = expected * slopes / means
    pairs = float(relative.sum() ** 2 - (relative**2).sum()) / 2
    return math.exp(math.fsum(np.log(means))) * (1 + pairs / (total - 1))


def mix_of_product(form: OfProduct, n: Sequence[int]) -> tuple[int, ...]:
    """Return a mix under which a product expects about the most.

    There, one percent more predictions add the same percentage to the product for each
    prediction, whichever class they are of: each class is predicted in proportion to what a
    percent more would add.
    """
    truth, total = np.array(n, dtype=float), sum(n)

    def log_means(mix: Floats) -> Floats:
        _, weights, factors = _laws(form, truth, mix, total)
        return np.asarray(np.log((weights * factors).sum(axis=0)))

    mix = np.full_like(truth, max(1, total // len(n)))
    for _ in range(_STEPS):
        more = np.minimum(mix + np.maximum(1, np.rint(_MORE * mix)), total)
        less = np.maximum(mix - np.maximum(1, np.rint(_MORE * mix)), 1)
        gains = (log_means(more) - log_means(less)) / (np.log(more) - np.log(less))
        aim = total * gains / gains.sum()
        mix = np.clip(np.rint(np.sqrt(mix * aim)), 1, total)
    return of_total(mix * (total / mix.sum()), total)


def of_total(mix: Floats, total: int, least: int = 1) -> tuple[int, ...]:
    """Return whole numbers with a total, each at least so large, that are near some numbers."""
    whole = [max(least, int(count)) for count in mix.tolist()]
    by_rest = sorted(range(len(whole)), key=lambda k: whole[k] - mix[k])
    for k in by_rest[: max(0, total - sum(whole))]:
        whole[k] += 1
    # Classes that were raised, and rounding, are paid for by the largest, again and again.
    left = total - sum(whole)
    for _ in range(abs(left)):
        whole[whole.index(max(whole))] += 1 if left > 0 else -1
    return tuple(whole)


def _laws(form: OfProduct, truth: Floats, mix: Floats, total: int) -> tuple[Floats, Floats, Floats]:
    """Return the right answers of each class, of shape (values, K), their weights, and factors."""
    many = truth * (mix / total) > _MANY
    parts = [
        (~many, *_summed(truth[~many], mix[~many], total)),
        (many, *(each.T for each in gauss_rule(truth[many], mix[many], total))),
    ]
    size = max(len(values) for _, values, _ in parts)
    right, weights = np.zeros((2, size, truth.size))
    for where, found, chances in parts:
        right[: len(found), where], weights[: len(found), where] = found, chances
    return right, weights / weights.sum(axis=0), np.asarray(form.function(right, truth, mix))


def _summed(truth: Floats, mix: Floats, total: int) -> tuple[Floats, Floats]:
    """Return all likely values with weights, each from its neighbour's."""
    expected = truth * (mix / total)
    lowest = np.maximum(truth + mix - total, 0)
    highest = np.minimum(truth, mix)
    ends = np.minimum(highest, np.ceil(expected + 10 * np.sqrt(expected) + 40)) - lowest
    x = np.minimum(lowest + np.arange(1 + int(ends.max(initial=0)))[:, np.newaxis], highest)
    before = x[:-1]
    ratios = (truth - before) * (mix - before) / ((before + 1) * (total - truth - mix + before + 1))
    with np.errstate(divide="ignore"):  # beyond the highest value there is no weight
        logs = np.cumsum(np.log(np.maximum(ratios, 0)), axis=0)
    logs = np.vstack([np.zeros_like(truth), logs])
    return x, np.exp(logs - logs.max(axis=0, initial=0))
