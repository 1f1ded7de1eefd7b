"""The exact distribution of hits by a product of polynomials, where kinds are few.

Deal the observations to the answers one by one. With x_c for a class and z for a hit, an answer is
the factor Σ_c p_c x_c z^[c is in it], and the probability of t hits, given how often each class
occurs, is in proportion to the coefficient of Π x_c^(n_c) z^t. All terms are positive, so nothing
cancels. The largest class needs no variable, as the number of observations is known.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.multiclass.top_k.board import Board

    Floats = NDArray[np.float64]

# As many additions as take about half a second.
_MOST_ADDITIONS = 150_000_000


def masses_of_hits(board: Board) -> Floats | None:
    """Return the probability of each number of hits from 0 to M; None if it takes too long."""
    ways = [(board.n, board.m, board.hits.T), (board.m, board.n, board.hits)]
    n, m, hits = min(ways, key=lambda way: _additions(way[0]))
    return _masses(n, m, hits) if _additions(n) <= _MOST_ADDITIONS else None


def _additions(n: Sequence[int]) -> int:
    """Return how many additions the product takes, with a variable for each of these kinds."""
    *others, _ = sorted(n)
    return len(n) * sum(n) ** 2 * math.prod(count + 1 for count in others) // 2


def _masses(n: Sequence[int], m: Sequence[int], hits: NDArray[np.bool_]) -> Floats:
    """Return the probabilities, with variables for n and a factor for each of m."""
    total = sum(n)
    largest = n.index(max(n))
    axes = [kind for kind in range(len(n)) if kind != largest]
    law = np.zeros((*(n[kind] + 1 for kind in axes), total + 1))
    law[(0,) * law.ndim] = 1.0
    dealt = 0
    for size, inside in zip(m, hits, strict=True):
        for _ in range(size):
            dealt += 1
            law = _with_one_more(law, [count / total for count in n], inside, axes, dealt)
    found = law[tuple(n[kind] for kind in axes)]
    return np.asarray(found / found.sum())


def _with_one_more(
    law: Floats, shares: Sequence[float], inside: NDArray[np.bool_], axes: Sequence[int], dealt: int
) -> Floats:
    """Return the coefficients after another observation has been dealt."""
    after = np.zeros_like(law)
    for kind, share in enumerate(shares):
        before, now = [slice(None)] * law.ndim, [slice(None)] * law.ndim
        before[-1] = slice(0, dealt)
        now[-1] = slice(1, dealt + 1) if inside[kind] else slice(0, dealt)
        if kind in axes:
            axis = axes.index(kind)
            before[axis], now[axis] = slice(0, -1), slice(1, None)
        after[tuple(now)] += share * law[tuple(before)]
    return after
