"""Shuffled predictions: draws from a fixed stream, valid at any number of them."""

from __future__ import annotations

import math
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.multiple_testing import ALPHA
from baserate.null.distribution import NullDistribution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

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

T = TypeVar("T")
_LEVEL: ContextVar[float] = ContextVar("level", default=ALPHA)


@contextmanager
def claims_at(level: float) -> Iterator[None]:
    """Let p-values be told apart down to a tenth of a level, unless it takes too long."""
    token = _LEVEL.set(level)
    try:
        yield
    finally:
        _LEVEL.reset(token)


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

    def __call__(self, rng: np.random.Generator, number: int) -> NDArray[np.intp]:
        """Return the next so many orders; the number is the same each time."""
        stream, blocks = _kept_orders(self._rows, number)
        most = MAX_KEPT // max(self._rows * number, 1) if self._rows <= KEPT_ROWS else 0
        place = self._place
        self._place += 1
        if place < most:
            while len(blocks) <= place:
                blocks.append(_orders(stream, self._rows, number).astype(np.uint16))
            return blocks[place].astype(np.intp)
        if place == most:  # from where the others end
            rng.bit_generator.state = stream.bit_generator.state
        return _orders(rng, self._rows, number)


@lru_cache(maxsize=4)
def _kept_orders(
    rows: int,  # noqa: ARG001
    number: int,  # noqa: ARG001
) -> tuple[np.random.Generator, list[NDArray[np.uint16]]]:
    return np.random.default_rng(SEED), []


def _orders(rng: np.random.Generator, rows: int, number: int) -> NDArray[np.intp]:
    return rng.permuted(np.broadcast_to(np.arange(rows), (number, rows)), axis=1)


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
        return 1 / (self._stages(_LEVEL.get())[-1] + 1)

    @property
    def error(self) -> float:
        """The standard error at 0.05, relative to it."""
        return math.sqrt(0.95 / 0.05 / self._stages(_LEVEL.get())[-1])

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
        for number in self._stages(_LEVEL.get()):
            count = int((sign * self.first(number) >= sign * score - slack).sum())
            if count >= ENOUGH:
                break
        return (count + 1) / (number + 1)
