"""Shuffled predictions: draws from a fixed stream, valid at any number of them, and their tables.

Tables with given margins are all of them with their probabilities, or random ones.
"""

from __future__ import annotations

import math
from decimal import localcontext
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.multiple_testing import ALPHA, LEVEL
from baserate.null.distribution import NullDistribution
from baserate.null.hypergeometric import CONTEXT, log_factorial

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

SEED = 41
# After how many draws a tail may stop, and how many as extreme ones let it (Besag and Clifford
# 1991). More are added where a smaller level is asked for, as long as they have so many cells, and
# of huge test sets there are as many as tell a tenth of the usual level.
STAGES = (999, 9_999)
ENOUGH = 50
MAX_CELLS, FEWEST = 10**8, math.ceil(10 / ALPHA) - 1
# Cells that are drawn at once: what a processor's cache holds. Draws do not depend on it, as blocks
# have a fixed number of draws each.
CELLS_AT_ONCE = 400_000

# So many cells of random orders are kept, of the last few numbers of rows, and up to so many rows.
MAX_KEPT, KEPT_ROWS = 10**7, 2**16

MOST_CELLS = 3_000_000
"""The most cells of all tables together: they are in memory at once."""
# The most tables: a second of a user's function.
_MOST_TABLES = 100_000
# numpy's hypergeometric generator takes fewer good ones, and fewer bad ones, than this. Beyond it,
# a number with a larger variance than the second one is a rounded normal one.
MOST_FOR_NUMPY, LARGE_VARIANCE = 10**9, 1e4
# Positives that are placed one by one.
MAX_PICKED = 64

T = TypeVar("T")


class SharedDraws(Generic[T]):
    """Blocks of draws from the fixed stream, drawn once for all scores that share them."""

    def __init__(self, draw: Callable[[np.random.Generator, int], T]) -> None:
        self._draw, self._rng = draw, np.random.default_rng(SEED)
        self._blocks: list[T] = []

    def from_the_start(self) -> Callable[[object, int], T]:
        """Return what returns one block after the other, all of the same number of draws."""
        places = count()
        return lambda _, number: self._block(next(places), number)

    def _block(self, place: int, number: int) -> T:
        while len(self._blocks) <= place:
            self._blocks.append(self._draw(self._rng, number))
        return self._blocks[place]


class RandomOrders:
    """Random orders of rows, from the fixed stream; many small test sets share the first ones."""

    def __init__(self, rows: int) -> None:
        self._rows, self._place = rows, 0

    def __call__(self, rng: np.random.Generator, number: int) -> Ints:
        """Return the next so many orders; the number is the same each time."""
        stream, blocks = _kept_orders(self._rows, number)
        every = np.arange(self._rows)
        most = MAX_KEPT // max(self._rows * number, 1) if self._rows <= KEPT_ROWS else 0
        place = self._place
        self._place += 1
        if place < most:
            while len(blocks) <= place:
                blocks.append(shuffled(every, number, stream).astype(np.uint16))
            return blocks[place].astype(np.int64)
        if place == most:  # from where the others end
            rng.bit_generator.state = stream.bit_generator.state
        return shuffled(every, number, rng)


@lru_cache(maxsize=4)
def _kept_orders(
    rows: int,  # noqa: ARG001
    number: int,  # noqa: ARG001
) -> tuple[np.random.Generator, list[NDArray[np.uint16]]]:
    return np.random.default_rng(SEED), []


def shuffled(numbers: Ints, number: int, rng: np.random.Generator) -> Ints:
    """Return small whole numbers in random orders.

    They are the last bits of random keys that are sorted, in two thirds of the time of
    `rng.permuted`: numpy sorts several at once.
    """
    bits = max(int(numbers.max()).bit_length(), 1)
    keys = rng.integers(0, 2**64 - 1, (number, numbers.size), dtype=np.uint64, endpoint=True)
    keys &= np.uint64(2**64 - 2**bits)
    keys |= numbers.astype(np.uint64)
    keys.sort(axis=1)
    keys &= np.uint64(2**bits - 1)
    return keys.view(np.int64)


class Permuted(NullDistribution):
    """The null distribution of any score, by permutations.

    A tail is (b + 1) / (n + 1) (Phipson and Smyth 2010): the observed order is one of them, so that
    no p-value is 0, and all keep their level.

    Examples
    --------
    >>> coin = Permuted(lambda rng, number: rng.integers(0, 2, number).astype(float), cells=1)
    >>> 0.45 < coin.sf(1.0) < 0.55, coin.sf(2.0) == coin.floor, coin.ppf(0.9)
    (True, True, 1.0)
    """

    method = "permutations"

    def __init__(
        self,
        draw: Callable[[np.random.Generator, int], Floats],
        cells: int,
        mean: float | None = None,
        size: float = 0.0,
        held: int = 0,
    ) -> None:
        self._draw, self._known_mean, self._size = draw, mean, size
        self._most = max(MAX_CELLS // max(cells, 1), FEWEST)
        self._block = max(min(CELLS_AT_ONCE // max(held or cells, 1), STAGES[0]), 1)
        self._rng = np.random.default_rng(SEED)
        self._scores = np.empty(0)

    def _stages(self, level: float) -> list[int]:
        wanted = max(math.ceil(10 / level) - 1, STAGES[-1])
        return sorted({min(stage, self._most) for stage in (*STAGES, wanted)})

    @property
    def floor(self) -> float:
        """The smallest probability that is told apart from smaller ones."""
        return 1 / (self._stages(LEVEL.get())[-1] + 1)

    @property
    def error(self) -> float:
        """The standard error at 0.05, relative to it."""
        return math.sqrt(0.95 / 0.05 / self._stages(LEVEL.get())[-1])

    def first(self, number: int) -> Floats:
        """Return the first so many scores; always the same ones, whatever was asked before."""
        if self._scores.size < number:
            blocks = [self._scores]
            while sum(each.size for each in blocks) < number:
                blocks.append(self._draw(self._rng, self._block))
            self._scores = np.concatenate(blocks)
        return self._scores[:number]

    def mean(self) -> float:
        """Return the expected score."""
        return self._known_mean if self._known_mean is not None else float(self._some().mean())

    def var(self) -> float:
        """Return the variance of the score."""
        return float(self._some().var())

    def sf(self, score: float) -> float:
        """Return the probability of at least a score."""
        return self._tail(1, score)

    def cdf(self, score: float) -> float:
        """Return the probability of at most a score."""
        return self._tail(-1, score)

    def ppf(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least a probability."""
        return float(np.quantile(self._some(), level, method="inverted_cdf"))

    def upper(self, level: float) -> float:
        """Return the highest score that is reached with at least a probability."""
        return float(-np.quantile(-self._some(), level, method="inverted_cdf"))

    @property
    def scores(self) -> Floats:
        """The scores of all draws."""
        return self._some()

    @property
    def weights(self) -> Floats:
        """How much each draw counts."""
        return np.full(self._some().size, 1 / self._some().size)

    def _some(self) -> Floats:
        return self.first(self._stages(ALPHA)[-1])

    def _tail(self, sign: int, score: float) -> float:
        slack = 16 * COMPUTATION * max(float(np.abs(self.first(99)).max()), self._size)
        for number in self._stages(LEVEL.get()):
            count = int((sign * self.first(number) >= sign * score - slack).sum())
            if count >= ENOUGH:
                break
        return (count + 1) / (number + 1)


def all_tables(n: Sequence[int], m: Sequence[int]) -> tuple[Ints, Floats] | None:
    """Return all tables with these margins and their probabilities; None if they are too many.

    Examples
    --------
    >>> tables, chances = all_tables((2, 1), (1, 2))
    >>> tables.tolist(), chances.round(4)
    ([[[0, 2], [1, 0]], [[1, 1], [0, 1]]], array([0.3333, 0.6667]))
    """
    rows, columns = (np.flatnonzero(margin) for margin in (n, m))
    most = min(_MOST_TABLES, MOST_CELLS // (len(n) * len(m)))
    first = n[rows[0]] if rows.size else 0
    few = min(first, sum(n) - first)
    # Each choice of so many columns is the start of another table.
    if few <= columns.size and math.comb(columns.size, few) > most:
        return None
    left = np.array(m, dtype=np.int64)[np.newaxis, columns]
    parts = np.empty((1, 0, columns.size), dtype=np.int64)
    for row in rows[:-1].tolist():
        found = all_rows(n[row], left, most)
        if found is None:
            return None
        origin, filled = found
        parts = np.concatenate([parts[origin], filled[:, np.newaxis]], axis=1)
        left = left[origin] - filled
    parts = np.concatenate([parts, left[:, np.newaxis]], axis=1)
    tables = np.zeros((len(parts), len(n), len(m)), dtype=np.int64)
    tables[:, rows[:, np.newaxis], columns] = parts
    return tables, _chances(parts.reshape(len(parts), -1))


def all_rows(size: int, left: Ints, most: int) -> tuple[Ints, Ints] | None:
    """Return all ways to fill a row, for each state of the columns: which state, and the row."""
    origin = np.arange(len(left))
    filled = np.zeros((len(left), 0), dtype=np.int64)
    needed = np.full(len(left), size)
    for column in range(left.shape[1]):
        room = left[origin]
        lowest = np.maximum(needed - room[:, column + 1 :].sum(axis=1), 0)
        ways = np.minimum(needed, room[:, column]) - lowest + 1
        # Every way to fill a part of a table can be completed: parts are never more than tables.
        if int(ways.sum()) > most:
            return None
        from_ = np.repeat(np.arange(origin.size), ways)
        nth = np.arange(from_.size) - np.repeat(np.cumsum(ways) - ways, ways)
        cell = lowest[from_] + nth
        filled = np.concatenate([filled[from_], cell[:, np.newaxis]], axis=1)
        origin, needed = origin[from_], needed[from_] - cell
    return origin, filled


def _chances(cells: Ints) -> Floats:
    """Return the probability of each table, which 1 / ∏ C_jk! is proportional to.

    Logarithms of factorials are huge for large counts. They are compared with those of a likely
    table with 50 digits, so that nothing is lost.
    """
    logs = np.zeros(len(cells))
    with localcontext(CONTEXT):
        for column in cells.T:
            values, place = np.unique(column, return_inverse=True)
            known = [log_factorial(value) for value in values.tolist()]
            middle = known[len(known) // 2]
            logs -= np.array([float(each - middle) for each in known])[place]
    chances = np.exp(logs - logs.max())
    return np.asarray(chances / chances.sum())


def random_tables(n: Ints, m: Ints, number: int, rng: np.random.Generator) -> Ints:
    """Return random tables with given margins, of shape (number, rows, columns)."""
    shape = number, n.size, m.size
    if int(n.sum()) <= 4 * n.size * m.size:
        return _of_shuffled_rows(n, m, number, rng)
    tables = np.zeros(shape, dtype=np.int64)
    left = np.broadcast_to(m, (number, m.size)).astype(np.int64)
    for k in range(n.size - 1):
        drawn = np.full(number, int(n[k]))
        rest = left.sum(axis=1)
        for j in range(m.size - 1):
            rest = rest - left[:, j]
            tables[:, k, j] = hypergeometric(left[:, j], rest, drawn, rng)
            drawn = drawn - tables[:, k, j]
        tables[:, k, -1] = drawn
        left = left - tables[:, k]
    tables[:, -1] = left
    return tables


def _of_shuffled_rows(n: Ints, m: Ints, number: int, rng: np.random.Generator) -> Ints:
    """Return random tables by shuffling the rows themselves: fewer numbers if classes are many."""
    truth, answers = np.repeat(np.arange(n.size), n), np.repeat(np.arange(m.size), m)
    cells = n.size * m.size
    place = shuffled(answers, number, rng)
    place += np.arange(number)[:, None] * cells + truth * m.size
    counts = np.bincount(place.ravel(), minlength=number * cells)
    return counts.reshape(number, n.size, m.size)


class RandomBlocks:
    """Positives placed at random into blocks of rows: a table of two rows."""

    def __init__(self, positives: int, sizes: Ints) -> None:
        self._positives, self._sizes = int(positives), sizes
        self._total, blocks = int(sizes.sum()), sizes.size
        self._is_few = self._positives <= MAX_PICKED
        self._is_shuffled = self._total <= 20 * blocks
        costs = blocks if self._is_few else 2 * self._total if self._is_shuffled else 40 * blocks
        self.cells: int = costs
        """How much work one draw is."""

    def __call__(self, rng: np.random.Generator, number: int) -> Ints:
        """Return the positives of each block, so many times."""
        if self._is_few:
            return self._picked(rng, number)
        if self._is_shuffled:
            is_positive = np.arange(self._total) < self._positives
            order = shuffled(is_positive.astype(np.int64), number, rng)
            if self._sizes.size == self._total:
                return order
            starts = np.cumsum(self._sizes) - self._sizes
            return np.asarray(np.add.reduceat(order, starts, axis=1))
        if self._total < MOST_FOR_NUMPY:
            drawn = rng.multivariate_hypergeometric(
                self._sizes, self._positives, number, method="marginals"
            )
            return np.asarray(drawn)
        rest = np.array([self._positives, self._total - self._positives])
        return random_tables(rest, self._sizes, number, rng)[:, 0]

    def _picked(self, rng: np.random.Generator, number: int) -> Ints:
        """Place a few positives one by one, each at a place of its own (Floyd's algorithm)."""
        places = np.empty((number, self._positives), dtype=np.int64)
        for i in range(self._positives):
            last = self._total - self._positives + i
            place = rng.integers(0, last + 1, number)
            is_taken = (places[:, :i] == place[:, None]).any(axis=1)
            places[:, i] = np.where(is_taken, last, place)
        blocks = np.searchsorted(np.cumsum(self._sizes), places, side="right")
        cells = np.arange(number)[:, None] * self._sizes.size + blocks
        counts = np.bincount(cells.ravel(), minlength=number * self._sizes.size)
        return counts.reshape(number, self._sizes.size)


def hypergeometric(good: Ints, bad: Ints, drawn: Ints, rng: np.random.Generator) -> Ints:
    """Return how many of the good ones are drawn, elementwise, at any size.

    With 10⁹ observations or more these are rounded normal numbers; or binomial ones if their
    variance is small, as then so few are drawn, or left, that it does not matter whether they are
    put back.
    """
    if max(int(good.max()), int(bad.max())) < MOST_FOR_NUMPY:
        return np.asarray(rng.hypergeometric(good, bad, drawn))
    total = good + bad
    share = good / total
    variance = drawn * share * (1 - share) * (total - drawn) / (total - 1)
    normal = np.rint(drawn * share + np.sqrt(variance) * rng.standard_normal(good.size))
    found = np.where(variance > LARGE_VARIANCE, normal, _binomial(good, bad, drawn, rng))
    return np.clip(found, np.maximum(drawn - bad, 0), np.minimum(good, drawn)).astype(np.int64)


def _binomial(good: Ints, bad: Ints, drawn: Ints, rng: np.random.Generator) -> Ints:
    """Draw with replacement, for each of the rarest kind: good, bad, drawn or left."""
    total = good + bad
    kinds = np.stack([good, bad, drawn, total - drawn])
    rarest = kinds.argmin(axis=0)
    chance = np.where(rarest < 2, drawn, good) / total
    found = rng.binomial(kinds.min(axis=0), np.clip(chance, 0, 1))
    return np.asarray(np.choose(rarest, [found, drawn - found, found, good - found]))
