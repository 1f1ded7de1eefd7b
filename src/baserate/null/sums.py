"""The null distribution of a score that is a function of a random sum, or of a random table."""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.null.distribution import Listed, NullDistribution
from baserate.null.matching import SAME_SUMS, Matching, counted
from baserate.null.permutations import (
    Permuted,
    RandomBlocks,
    RandomOrders,
    SharedDraws,
    all_tables,
    random_tables,
)
from baserate.null.saddlepoint import Link, SaddlepointSum

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Draw = Callable[[np.random.Generator, int], Floats]

# Blocks of scores beyond these are merged with their neighbours: by size, then by influence. Of
# more columns of several levels, a part stands for all.
MAX_FINE_BLOCKS, MAX_BLOCKS, MAX_COLUMNS = 65_536, 1_024, 20_000
# A cell of a random table takes as long as so many rows that are shuffled.
CELL_COST = 16


def of_sum(sums: Matching, link: Link) -> NullDistribution:
    """Return the distribution of a score of a random sum.

    It is counted while that is small; by a saddlepoint if no few cells decide the sum; and by
    permutations otherwise.
    """
    exact = counted(sums) if sums.sd else (np.array([sums.mean]), np.ones(1))
    if exact is None and sums.is_tame:
        return SaddlepointSum(sums, link)
    if exact is None:
        return Read(_permuted(sums), link)
    largest, slack = abs(sums.mean) + max(map(abs, sums.bounds)), 2 * SAME_SUMS * sums.slack
    if not link.is_line:
        return Read(Listed(exact[0], exact[1], largest, slack), link)
    size = float(np.abs(link.score(np.array([-largest, 0.0, largest]))).max())
    ends = link.score(sums.mean + np.array([0.0, slack]))
    return Listed(link.score(exact[0]), exact[1], size, float(abs(ends[1] - ends[0])))


@lru_cache(maxsize=4)  # scores that share a sum share its draws
def _permuted(sums: Matching) -> Permuted:
    draw, cells, held = _two_level_draws(sums) if sums.n.size == 2 else _many_level_draws(sums)

    def drawn(rng: np.random.Generator, number: int) -> Floats:
        found = sums.mean + draw(rng, number)
        found[np.abs(found) <= sums.slack] = 0.0  # and not -1e-18
        return found

    return Permuted(drawn, cells, mean=sums.mean, held=held)


def linear(
    n: Any, m: Any, a: Floats, slope: float = 1.0, intercept: float = 0.0
) -> NullDistribution:
    """Return the distribution of intercept + slope · Σ a[k, j]·C[k, j].

    Examples
    --------
    >>> ranks = np.array([[0, 0, 0, 0], [1.0, 2.0, 3.0, 4.0]])
    >>> null = linear([2, 2], [1, 1, 1, 1], ranks, slope=1 / 4, intercept=-3 / 4)  # an AUC
    >>> null.mean(), round(null.sf(1.0), 4), null.method
    (0.5, 0.1667, 'exact')
    """
    truth, predictions = np.asarray(n), np.asarray(m)
    met = np.flatnonzero(truth)
    if met.size == 2:
        first, second = a[met]
        start = intercept + slope * float(predictions @ first)
        return two_levels(int(truth[met[1]]), predictions, second - first, slope, start)
    if predictions.size > MAX_COLUMNS:
        of_met = a if met.size == truth.size else a[met]
        some = thinned(truth[met], predictions.astype(float), of_met)
        if some.is_tame:
            return SaddlepointSum(some, Link.affine(slope, intercept))
    return of_sum(Matching(truth, predictions, a), Link.affine(slope, intercept))


def two_levels(
    positives: int, sizes: Any, gains: Floats, slope: float = 1.0, intercept: float = 0.0
) -> NullDistribution:
    """Return the distribution of intercept + slope · (the sum of the gains of the positives)."""
    total = int(sizes.sum())
    m, gain, spread = _merged(sizes, gains)
    sums = Matching(
        np.array([total - positives, positives]),
        m,
        np.vstack([np.zeros(gain.size), gain]),
        merged=m.size < gains.size,
    )
    if sums.merged:  # it keeps its spread
        scale = positives * (total - positives) / max(total - 1, 1)
        sums = sums.rescaled((scale * spread) ** 0.5)
    return of_sum(sums, Link.affine(slope, intercept))


def _merged(sizes: NDArray[Any], gains: Floats) -> tuple[NDArray[Any], Floats, float]:
    """Return blocks that are merged with their neighbours if they are many, and the variance.

    Blocks stay smaller where gains are large. Their mean gain stays as it is.
    """
    if gains.size <= MAX_BLOCKS:
        return sizes, gains, 0.0
    total = float(sizes.sum())
    # Part by part, as new memory takes longer than all else.
    starts = range(0, gains.size, MAX_FINE_BLOCKS)
    parts = [slice(start, start + MAX_FINE_BLOCKS) for start in starts]
    mean = math.fsum(sizes[part] @ gains[part] for part in parts) / total
    variance = math.fsum(sizes[part] @ (gains[part] - mean) ** 2 for part in parts) / total
    if not variance:
        return np.array([total]), np.array([mean]), 0.0
    if gains.size > MAX_FINE_BLOCKS:
        found, before = [], 0.0
        for part in parts:
            upto = before + np.cumsum(sizes[part])
            found.append(_joined(sizes[part], gains[part], upto, total / MAX_FINE_BLOCKS))
            before = float(upto[-1])
        sizes, gains = (np.concatenate(each) for each in zip(*found, strict=True))
    influence = np.cumsum(sizes * (1 + (gains - mean) ** 2 / variance))
    return *_joined(sizes, gains, influence, influence[-1] / MAX_BLOCKS), variance


def _joined(sizes: NDArray[Any], gains: Floats, upto: Floats, step: float) -> tuple[Floats, Floats]:
    """Return blocks that are joined with their neighbours, until a total has grown by a step."""
    marks = np.ceil(upto / step)
    starts = np.flatnonzero(np.append(True, marks[1:] > marks[:-1]))
    joined = np.add.reduceat(sizes, starts).astype(float)
    return joined, np.add.reduceat(sizes * gains, starts) / joined


def thinned(n: NDArray[Any], m: Floats, a: Floats, most: int = MAX_COLUMNS) -> Matching:
    """Return the sum of every so many columns, ordered by how much they matter."""
    total = float(m.sum())
    by_row, by_column, all_of_it = a @ m / total, n @ a / total, n @ (a @ m) / total**2
    weight = np.empty(m.size)
    for start in range(0, m.size, MAX_COLUMNS):
        part = slice(start, start + MAX_COLUMNS)
        away = a[:, part] - by_row[:, None] - by_column[part] + all_of_it
        weight[part] = n @ away**2
    order = np.argsort(weight)
    is_tied = np.diff(weight[order], append=np.nan) == 0
    tied = np.flatnonzero(is_tied | np.append(False, is_tied[:-1]))
    some = order[tied]  # are put in an order that does not depend on that of the rows
    order[tied] = some[np.lexsort((*a[:, some], weight[some]))]
    kept = order[np.linspace(0, m.size - 1, min(most, m.size)).round().astype(int)]
    sizes = m[kept] * (total / m[kept].sum())
    found = Matching(n, sizes, a[:, kept])
    variance = float(weight @ m) / max(total - 1, 1)
    found.mean = float(n @ (a @ m)) / total
    return found.rescaled(variance**0.5)


def _two_level_draws(sums: Matching) -> tuple[Draw, int, int]:
    """Return what draws centred sums of two levels: where the rows of the rarer one are."""
    rare = int(np.argmin(sums.n))
    blocks = RandomBlocks(int(sums.n[rare]), sums.m.astype(np.int64))
    gain, start = sums.a[rare] - sums.a[1 - rare], float(sums.m @ sums.a[1 - rare])

    def draw(rng: np.random.Generator, number: int) -> Floats:
        return np.asarray(start + blocks(rng, number) @ gain)

    return draw, blocks.cells, blocks.cells


def _many_level_draws(sums: Matching) -> tuple[Draw, int, int]:
    """Return what draws centred sums of several levels: rows that are shuffled, or tables."""
    n, m, total = sums.n.astype(np.int64), sums.m.astype(np.int64), int(sums.total)
    if total <= CELL_COST * sums.a.size:
        rows, columns = np.repeat(np.arange(n.size) * m.size, n), np.repeat(np.arange(m.size), m)
        adds = sums.a.ravel()

        orders, factors = RandomOrders(total), _factors(sums.a)
        if factors is not None:  # a sum of products
            left, right = factors[0].repeat(n), factors[1].repeat(m)
            return lambda rng, number: right[orders(rng, number)] @ left, total, total
        if 2 * sums.a.size <= total:
            tables = _shuffled_tables(tuple(n.tolist()), tuple(m.tolist())).from_the_start()
            return lambda rng, number: tables(rng, number) @ adds, total, total

        def rows_shuffled(rng: np.random.Generator, number: int) -> Floats:
            order = columns[orders(rng, number)]
            order += rows
            return np.asarray(adds[order].sum(axis=1))

        return rows_shuffled, total, total

    def tables_drawn(rng: np.random.Generator, number: int) -> Floats:
        return np.asarray((random_tables(n, m, number, rng) * sums.a).sum(axis=(1, 2)))

    return tables_drawn, CELL_COST * sums.a.size, sums.a.size


@lru_cache(maxsize=4)
def _shuffled_tables(n: tuple[int, ...], m: tuple[int, ...]) -> SharedDraws[NDArray[Any]]:
    """Return random tables with fixed margins, which the scores of few classes share."""
    orders, size = RandomOrders(sum(n)), len(n) * len(m)
    rows, columns = np.repeat(np.arange(len(n)) * len(m), n), np.repeat(np.arange(len(m)), m)

    def draw(rng: np.random.Generator, number: int) -> NDArray[Any]:
        cells = columns[orders(rng, number)]
        cells += rows + np.arange(number)[:, None] * size
        counts = np.bincount(cells.ravel(), minlength=number * size)
        return counts.reshape(number, size).astype(np.uint16 if sum(n) < 2**16 else np.int64)

    return SharedDraws(draw)


def _factors(a: Floats) -> tuple[Floats, Floats] | None:
    """Return two vectors whose products are a table, but for rounding; None if there are none."""
    row, column = np.unravel_index(int(np.abs(a).argmax()), a.shape)
    left, right = a[:, column], a[row] / a[row, column]
    is_off = np.abs(a - np.multiply.outer(left, right)).max() > 1e-12 * abs(a[row, column])
    return None if is_off else (left, right)


def of_tables(
    n: Ints, m: Ints, score: Callable[[Floats], Floats], size: float = 0.0
) -> NullDistribution:
    """Return the distribution of any score of a table with given margins.

    All tables are scored if they are few, and random ones otherwise.
    """
    every = all_tables(n.tolist(), m.tolist())
    if every is not None:
        return Listed(score(every[0].astype(float)), every[1], size)
    # In an order that does not depend on what classes are called: of both sides, if they have the
    # same classes.
    is_square = n.size == m.size
    rows = np.lexsort((m, n)) if is_square else np.argsort(n, kind="stable")
    columns = rows if is_square else np.argsort(m, kind="stable")
    first, second = np.ix_(np.argsort(rows), np.argsort(columns))

    def draw(rng: np.random.Generator, number: int) -> Floats:
        tables = random_tables(n[rows], m[columns], number, rng)
        return score(tables[:, first, second].astype(float))

    return Permuted(draw, n.size * m.size)


class Read(NullDistribution):
    """The distribution of a score that is a monotone function of a number, whose own is known.

    Scores are compared by their numbers: a root would blow up the rounding of a number near 0.
    """

    method = ""

    def __init__(self, numbers: Listed | Permuted, link: Link) -> None:
        self._numbers, self._link = numbers, link
        self.method = numbers.method

    @property
    def error(self) -> float:
        """What is known of the relative error of a probability."""
        return self._numbers.error

    @property
    def floor(self) -> float:
        """The smallest probability that is told apart from smaller ones."""
        return self._numbers.floor

    def mean(self) -> float:
        """Return the expected score."""
        return self._moments[0]

    def var(self) -> float:
        """Return the variance of the score."""
        return self._moments[1]

    @cached_property
    def _moments(self) -> tuple[float, float]:
        scores, weights = self._link.score(self._numbers.scores), self._numbers.weights
        mean = math.fsum(scores * weights)
        variance = math.fsum((scores - mean) ** 2 * weights)
        # What draws miss of the mean of the number, which may be known, they miss of the score.
        middle = np.array([self._numbers.mean(), math.fsum(self._numbers.scores * weights)])
        known, drawn = self._link.score(middle)
        return mean + float(known - drawn), variance

    def sf(self, score: float) -> float:
        """Return the probability of at least a score."""
        number = self._link.sum(score)
        return self._numbers.sf(number) if self._link.rises else self._numbers.cdf(number)

    def cdf(self, score: float) -> float:
        """Return the probability of at most a score."""
        number = self._link.sum(score)
        return self._numbers.cdf(number) if self._link.rises else self._numbers.sf(number)

    def ppf(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least a probability."""
        if self._link.rises:
            return float(self._link.score(np.array([self._numbers.ppf(level)]))[0])
        # The largest number that is reached with at least this probability.
        turned = self._numbers.upper(level)
        return float(self._link.score(np.array([turned]))[0])
