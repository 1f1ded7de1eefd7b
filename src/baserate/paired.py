"""The paired permutation test: whether two models differ on the same rows.

If two models are equally good, it is as likely that one of them made a prediction as that the
other did. So predictions are swapped at random, row by row, and the p-value is the chance that the
scores then differ at least as much as they do, in either direction. Swaps that tie with what was
observed count, and so do swaps that leave a model without a score.

Where scores differ as the sums of two losses do, a swap turns the sign of a row's difference: a
sum of sign flips is counted while that is small, and known by a saddlepoint otherwise. All other
scores are those of the swapped predictions themselves: of rows that are alike, a binomial number
is swapped. Nothing here knows a kind of prediction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.observed import SAME, UNDEFINED, SwapTest
from baserate.null.distribution import settled
from baserate.null.matching import (
    FEW_LEVELS,
    MANY_ROWS,
    MAX_STATES,
    MAX_WORK,
    log_choose,
    merged,
    span,
)
from baserate.null.permutations import MAX_CELLS, SEED, Permuted
from baserate.null.saddlepoint import tails

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

# The largest fourth moment of a sum of flips, scaled by the variance, of which a saddlepoint holds:
# against all signs of 24 to 38 rows, tails from 0.001 on are within 4% up to it, and 11% at twice.
LARGEST_FOURTH = 0.1
# More units than these are swapped in blocks. Any blocks that do not depend on who made which
# prediction keep the level, and a thousand lose no power to speak of: the variance of a difference
# of z standard deviations is too large by a share of z² / 1,000.
MAX_UNITS, BLOCKS = 10_000, 1_000
# This many rows at most are told apart for that, if some are alike.
MAX_EXPANDED = 10_000_000
# A binomial number takes as long as this many coins.
BINOMIAL_COST = 20
# Codes with fewer combinations are counted in a table, without sorting rows.
MAX_TABLE = 2_000_000
# Outcomes that are listed whole; of more, binomial numbers are cut to all but about 1e-17.
MAX_WHOLE = 2_000_000
CUT = 4.45  # P(|heads - n/2| >= t·√n) <= 2·exp(-2t²) (Hoeffding 1963)
CELLS_AT_ONCE = 400_000
ONE_BY_ONE = 100
"""What a score costs by a function that does not take arrays."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two models whose scores are functions of sums over the rows.

    Parameters
    ----------
    rows, first
        How many rows of each kind there are, and on how many of them the first model makes the
        first of the kind's two predictions; on the others, the second model makes it.
    adds
        What a row adds to the sums of a model that makes the first prediction, and the second: of
        shape (kinds, sums) each, dense or sparse.
    score
        The scores of sums of shape (…, sums); nan where there is none.
    clusters
        A number from 0 on for each kind, if whole clusters are swapped; None for single rows.
    size, cost
        The largest number that a score is computed from, if it is larger than the scores, and how
        many cells of an array take as long as one score, if it takes longer than its sums.
    """

    rows: NDArray[Any]
    first: NDArray[Any]
    adds: Sequence[Any]
    score: Callable[[Floats], Floats]
    clusters: Ints | None = None
    size: float = 0.0
    cost: int = 1


class Alike(NamedTuple):
    """Kinds of rows: two predictions, how many rows, and on how many the first model's is low."""

    low: NDArray[Any]
    high: NDArray[Any]
    rows: Ints
    first: Ints
    shared: list[NDArray[Any]]


def alike(
    first: NDArray[Any], second: NDArray[Any], rows: NDArray[Any] | None, *shared: NDArray[Any]
) -> Alike:
    """Group cells by both predictions, whoever made which, and by the truth and what else matters.

    Predictions are numbers or codes of classes, and each cell has one row unless rows are given.

    Examples
    --------
    >>> kinds = alike(np.array([1, 2, 2]), np.array([2, 1, 3]), np.array([5, 3, 4]))
    >>> kinds.low.tolist(), kinds.high.tolist(), kinds.rows.tolist(), kinds.first.tolist()
    ([1, 2], [2, 3], [8, 4], [5, 4])
    """
    counts = np.ones(first.size, dtype=np.int64) if rows is None else np.asarray(rows, np.int64)
    by_first = np.where(first <= second, counts, 0)
    columns = [np.maximum(first, second), np.minimum(first, second), *shared]
    if all(each.size and each.dtype.kind in "iu" for each in columns):
        sizes = [int(each.max()) + 1 for each in columns]
        if math.prod(sizes) <= MAX_TABLE:  # a table of codes is counted without sorting
            keys = np.ravel_multi_index(columns[::-1], sizes[::-1])
            both = [np.bincount(keys, each) for each in (counts, by_first)]
            kept = np.flatnonzero(both[0])
            met, mine = (each[kept].astype(np.int64) for each in both)
            high, low, *others = np.unravel_index(kept, sizes[::-1])[::-1]
            return Alike(low, high, met, mine, others)
    order = np.argsort(columns[0], kind="stable")
    if (np.diff(columns[0][order]) == 0).any():
        order = np.lexsort(columns)
    is_new = np.arange(order.size) == 0
    for column in columns:
        is_new[1:] |= np.diff(column[order]) != 0
    start = np.flatnonzero(is_new)
    if start.size:
        counts, by_first = (np.add.reduceat(each[order], start) for each in (counts, by_first))
    high, low, *others = (column[order[start]] for column in columns)
    return Alike(low, high, counts, by_first, others)


# --- Sums of sign flips --------------------------------------------------------------------------


def flip_test(
    differences: Floats, rows: NDArray[Any] | None = None, clusters: Ints | None = None
) -> SwapTest:
    """Return the chance that a sum is at least as far from 0 if its signs are coin flips.

    It is the paired permutation test of any measure that rises or falls with a mean loss; of
    accuracy it is McNemar's exact test. Given are by how much the losses of a row differ in each
    cell, how many rows it has, and its cluster from 0 on if whole clusters are swapped.

    Examples
    --------
    >>> flip_test(np.array([1.0, 3.0]), np.array([5, 1]))
    SwapTest(p_value=0.03125, method='exact', floor=0.0)
    """
    counts = np.ones(differences.size) if rows is None else np.asarray(rows, dtype=float)
    if clusters is not None:
        differences = np.bincount(clusters, differences * counts).astype(float)
        counts = np.ones(differences.size)
    if not np.isfinite(differences).all():
        return UNDEFINED
    largest = float(np.abs(differences).max(initial=0.0))
    if not largest:
        return SAME
    differences = differences / largest
    flips = _Flips(np.abs(differences), counts)
    # An exact sum is the same in any order of the rows.
    needed = abs(math.fsum(differences * counts)) - 2 * flips.slack
    if needed <= 0:
        return SAME
    tail = _counted(flips, needed)
    if tail is not None:
        return SwapTest(settled(min(2 * tail, 1.0)))
    if flips.is_tame:
        tail = float(tails([flips], np.array([needed]), np.array([True]), _tilted)[0])
        return SwapTest(min(2 * tail, 1.0), "saddlepoint")
    return _permuted(differences * counts, flips, needed)


class _Flips:
    """A sum of numbers with random signs: their sizes, ascending, and how often each occurs.

    The largest is 1, and sizes that only rounding makes differ are one.
    """

    mean = log_margins = 0.0

    def __init__(self, sizes: Floats, counts: Floats) -> None:
        matters = (counts > 0) & (sizes > 1e-14)
        order = np.argsort(sizes[matters], kind="stable")
        ranked, numbers = sizes[matters][order], counts[matters][order]
        start = np.flatnonzero(np.diff(ranked, prepend=-1.0) > 1e-13)
        self.sizes, self.counts = ranked[start], np.add.reduceat(numbers, start)
        self.total = float(self.counts.sum())
        self.sd = math.sqrt(float(self.counts @ self.sizes**2))
        self.slack = 1e-12 * math.sqrt(self.total)
        self.origin = float(self.counts @ self.sizes)
        self.bounds = -self.origin, self.origin
        self.log_arrangements = self.total * math.log(2)

    @cached_property
    def step(self) -> float:
        """The step of the lattice that sums are on; 0 if there is none, or a very fine one."""
        return span(2 * self.sizes, self.sd)

    @property
    def is_tame(self) -> bool:
        """Whether no few rows decide the sum, so that a saddlepoint holds."""
        if self.sizes.size <= FEW_LEVELS and not self.step and self.total < MANY_ROWS:
            return False
        return float(self.counts @ self.sizes**4) / self.sd**4 <= LARGEST_FOURTH


def _permuted(differences: Floats, flips: _Flips, needed: float) -> SwapTest:
    """Return the chance of a sum as far from 0 by random signs.

    Blocks of many rows have one of the largest each, so that no two of these are swapped together.
    """
    sizes, counts = flips.sizes, flips.counts.astype(np.int64)
    if sizes.size > MAX_UNITS:
        turned = differences if differences.sum() > 0 else -differences
        order = np.lexsort((turned, -np.abs(turned)))
        sizes = np.bincount(np.arange(order.size) % BLOCKS, turned[order]).astype(float)
        counts = np.ones(BLOCKS, dtype=np.int64)

    def draw(rng: np.random.Generator, number: int) -> Floats:
        return np.abs((2 * _heads(rng, counts, number) - counts) @ sizes)

    found = Permuted(draw, _cost(counts))
    return SwapTest(found.sf(needed), "permutations", found.floor)


def _counted(flips: _Flips, needed: float) -> float | None:
    """Return the chance of at least a sum, by counting; None where there are too many states.

    All sums of all but the most frequent size are listed, equal ones as one, and those that surely
    reach the number or miss it are set aside. The last size is a binomial tail.
    """
    last = int(np.argmax(flips.counts))
    others = np.delete(np.arange(flips.sizes.size), last)[::-1]
    sizes, counts = flips.sizes[others], flips.counts[others]
    if not flips.step and float(np.log2(counts + 1).sum()) > 2 * math.log2(MAX_STATES):
        return None
    reach = flips.bounds[1] - np.append(0.0, np.cumsum(sizes * counts))
    sums, logs, passed, work = np.zeros(1), np.zeros(1), 0.0, 0.0
    for size, count, rest in zip(sizes, counts, reach[1:], strict=True):
        work += sums.size * (count + 1)
        if sums.size * (count + 1) > 4 * MAX_STATES or work > MAX_WORK:
            return None
        heads = np.arange(count + 1)
        chance = log_choose(np.full(heads.size, count), heads) - count * math.log(2)
        sums = (sums[:, None] + size * (2 * heads - count)).ravel()
        logs = (logs[:, None] + chance).ravel()
        is_sure = sums - rest >= needed
        passed += float(np.exp(logs[is_sure]).sum())
        is_open = ~is_sure & (sums + rest >= needed)
        if not is_open.any():
            return passed
        nothing = np.zeros((np.count_nonzero(is_open), 1), dtype=np.int64)
        _, sums, logs = merged(nothing, sums[is_open], logs[is_open], flips.slack)
        if sums.size > MAX_STATES:
            return None
    wanted = (needed - sums) / flips.sizes[last]
    return passed + float(np.exp(logs) @ _at_least(wanted, flips.counts[last]))


def _at_least(sums: Floats, flips: float) -> Floats:
    """Return the chance that this many signs add up to at least some numbers."""
    from scipy.special import bdtrc

    heads = np.ceil((sums + flips) / 2)
    return np.asarray(bdtrc(np.clip(heads - 1, -1, flips), int(flips), 0.5))


def _tilted(sums: Sequence[Any], values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return slopes, divergences and standard deviations of the tilts that expect the values.

    Newton's method: Σ d·tanh(t·d) bends down for t > 0, so that it comes up to the root from below.
    """
    found = []
    for flips, value in zip(sums, values.tolist(), strict=True):
        d, n, aim = flips.sizes, flips.counts, abs(value)
        t = aim / flips.sd**2
        for _ in range(200):
            tilt = np.tanh(t * d)
            variance = float(n @ (d**2 * (1 - tilt**2)))
            gap = aim - float(n @ (d * tilt))
            if gap <= 1e-12 * aim or variance <= 0:
                break
            t += gap / variance
        x = t * d
        log_cosh = x + np.log1p(np.exp(-2 * x)) - math.log(2)
        divergence = max(t * aim - float(n @ log_cosh), 0.0)
        found.append((math.copysign(t, value), divergence, math.sqrt(max(variance, 0.0))))
    slope, divergence, spread = np.array(found).T
    return slope, divergence, spread


# --- Swaps of predictions ------------------------------------------------------------------------


def permutation_test(pair: Pair) -> SwapTest:
    """Return the two-sided p-value of swapping the predictions of two models.

    All swaps are listed while they are few, by how many rows of each kind are swapped; otherwise
    they are random.

    Examples
    --------
    >>> rows, first = np.array([12, 8]), np.array([3, 6])  # positives and negatives
    >>> adds = np.array([[1.0, 0], [0, 1]]), np.zeros((2, 2))  # of a row that is called positive
    >>> precision = lambda sums: (20 + sums[..., 0]) / (20 + sums.sum(axis=-1))
    >>> found = permutation_test(Pair(rows, first, adds, precision))
    >>> round(found.p_value, 4), found.method
    (0.0861, 'exact')
    """
    return _Swaps.of(pair).test()


@dataclass(frozen=True, eq=False)
class _Swaps:
    """Units that are swapped: rows of a kind, or whole clusters, each of them a kind of its own.

    The sums of the first model are `start` and as many `moves` as there are heads, and those of
    the second are the rest of `total`.
    """

    rows: Ints
    observed: Ints
    moves: Any
    start: Floats
    total: Floats
    score: Callable[[Floats], Floats]
    size: float
    cost: int

    @classmethod
    def of(cls, pair: Pair) -> _Swaps:
        rows, first = np.asarray(pair.rows, np.int64), np.asarray(pair.first, np.int64)
        (one, other), units = pair.adds, pair.clusters
        moves, total = one - other, rows @ one + rows @ other
        known = total, pair.score, pair.size, pair.cost
        if units is None:
            matters = np.asarray(abs(moves).sum(axis=1)).ravel() * rows > 0
            if np.count_nonzero(matters) <= MAX_UNITS:
                return cls(rows[matters], first[matters], moves[matters], rows @ other, *known)
            if rows.max() > 1 and rows.sum() <= MAX_EXPANDED:
                return cls.of(_expanded(pair))
            units = np.cumsum(matters) % BLOCKS
        from scipy.sparse import csr_array

        shape = int(units.max()) + 1, units.size
        places = units, np.arange(units.size)
        swapped = csr_array(((rows - 2 * first).astype(float), places), shape=shape)
        ones = np.ones(shape[0], dtype=np.int64)
        start = first @ one + (rows - first) @ other
        joined = swapped @ moves
        dense = joined.toarray() if hasattr(joined, "toarray") else joined
        return cls(ones, 0 * ones, dense, start, *known)

    def test(self) -> SwapTest:
        first, second = self._scores(self._sums(self.observed[None].astype(float)))[:, 0].tolist()
        if math.isnan(first) or math.isnan(second):
            return UNDEFINED
        slack = COMPUTATION * max(abs(first), abs(second), self.size)
        needed = abs(second - first) - slack
        if needed <= 0 or not self.rows.size:
            return SAME
        coins = _all_coins(self.rows, MAX_CELLS // (4 * self._cells))
        if coins is not None:
            return self._listed(coins, needed)
        found = Permuted(
            lambda rng, number: self._apart(self._sums(_heads(rng, self.rows, number)), needed),
            _cost(self.rows) + self._cells,
        )
        return SwapTest(found.sf(needed), "permutations", found.floor)

    @property
    def _cells(self) -> int:
        numbers = getattr(self.moves, "nnz", self.moves.size)
        return int(max(2 * self.total.size, self.cost, numbers // 16))

    def _sums(self, heads: Floats) -> Floats:
        return np.asarray(self.start + heads @ self.moves)

    def _scores(self, sums: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return np.stack([self.score(sums), self.score(self.total - sums)])

    def _apart(self, sums: Floats, needed: float) -> Floats:
        """Return how far apart scores are; as far as needed where one is missing."""
        first, second = self._scores(sums)
        apart = np.abs(second - first)
        return np.where(np.isnan(apart), needed, apart)

    def _listed(self, coins: list[_Coins], needed: float) -> SwapTest:
        """Return the p-value from all numbers of heads: those of some coins, for each of others."""
        sizes = np.cumprod([each.heads.size for each in coins[::-1]])
        inner = max(int(np.searchsorted(sizes, CELLS_AT_ONCE // self._cells, side="right")), 1)
        place, total = len(coins) - inner, 0.0
        heads, weights = _product(coins[place:])
        sums = self.start + heads @ self.moves[place:]
        for more, chance in zip(*_product(coins[:place]), strict=True):
            apart = self._apart(sums + more @ self.moves[:place], needed)
            total += chance * float(weights[apart >= needed].sum())
        left_out = math.fsum(coin.left_out for coin in coins)
        floor = settled(10 * left_out)
        return SwapTest(max(settled(min(total + left_out, 1.0)), floor), "exact", floor)


def _expanded(pair: Pair) -> Pair:
    """Return every row as a kind of its own, so that rows that are alike are in different blocks.

    Which of them are those of the first model is random; the better one counts as the first.
    """
    (one, other), rows, first = pair.adds, np.asarray(pair.rows), np.asarray(pair.first)
    sums = np.stack([first @ one + (rows - first) @ other, (rows - first) @ one + first @ other])
    with np.errstate(all="ignore"):
        scores = pair.score(sums)
    first = rows - first if scores[0] < scores[1] else first
    kind = np.repeat(np.arange(rows.size), rows)
    order = np.lexsort((np.random.default_rng(SEED).random(kind.size), kind))
    of_first = np.empty(kind.size, dtype=np.int64)
    of_first[order] = np.arange(kind.size) - (np.cumsum(rows) - rows)[kind] < first[kind]
    return replace(pair, rows=np.ones_like(kind), first=of_first, adds=[one[kind], other[kind]])


class _Coins(NamedTuple):
    """Numbers of heads in some flips of a fair coin, and their chances."""

    heads: Floats
    chances: Floats
    left_out: float

    @classmethod
    def of(cls, flips: int, cut: float) -> _Coins:
        """Return all numbers of heads, or those within this many √flips of the middle."""
        low, high = _ends(flips, cut)
        heads = np.arange(low, high + 1)
        logs = log_choose(np.full(heads.size, flips), heads) - flips * math.log(2)
        left_out = 2 * math.exp(-2 * cut**2) if heads.size <= flips else 0.0
        return cls(heads.astype(float), np.exp(logs), left_out)


def _ends(flips: int, cut: float) -> tuple[int, int]:
    """Return the fewest and the most heads."""
    reach = min(cut * math.sqrt(flips), flips / 2)
    return math.ceil(flips / 2 - reach), math.floor(flips / 2 + reach)


def _all_coins(rows: Ints, most: int) -> list[_Coins] | None:
    """Return the numbers of heads of all units; None if their outcomes are too many.

    With all units swapped the scores differ the other way: the upper half of the first coin's
    stands for the lower one too, and the middle, if any, for itself.
    """
    if rows.size > most.bit_length():  # each has two sides
        return None
    for cut, limit in ((math.inf, min(most, MAX_WHOLE)), (CUT, most)):
        sizes = [_ends(int(each), cut) for each in rows]
        if math.prod(high - low + 1 for low, high in sizes) <= 2 * limit:
            (heads, chances, left_out), *others = (_Coins.of(int(each), cut) for each in rows)
            half = heads.size // 2
            chances = 2 * chances[half:]
            chances[0] /= 1 + heads.size % 2
            return [_Coins(heads[half:], chances, left_out), *others]
    return None


def _product(coins: Sequence[_Coins]) -> tuple[Floats, Floats]:
    """Return all combinations of numbers of heads, and their chances."""
    heads, chances = np.zeros((1, 0)), np.ones(1)
    for coin in coins:
        many = np.tile(coin.heads, len(heads))[:, np.newaxis]
        heads = np.hstack([np.repeat(heads, coin.heads.size, axis=0), many])
        chances = np.outer(chances, coin.chances).ravel()
    return heads, chances


def _heads(rng: np.random.Generator, rows: Ints, number: int) -> Floats:
    """Return random numbers of heads, of shape (number, units)."""
    several = np.flatnonzero(rows != 1)
    if several.size == rows.size:
        return rng.binomial(rows[:, None], 0.5, (rows.size, number)).T.astype(float)
    coins = np.frombuffer(rng.bytes(number * -(-rows.size // 8)), dtype=np.uint8)
    heads = np.unpackbits(coins.reshape(number, -1), axis=1, count=rows.size).astype(float)
    heads[:, several] = rng.binomial(rows[several, None], 0.5, (several.size, number)).T
    return heads


def _cost(rows: Ints) -> int:
    return int(np.where(rows == 1, 1, BINOMIAL_COST).sum())
