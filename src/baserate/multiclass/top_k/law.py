"""The distribution of the number of hits, if a model's own answers are dealt at random.

A hit is a pair of a true class and an answer that has it. If each class is in one kind of answer at
most, as for k = 1, that is the card-matching problem; and so are the misses, if each class is
missing in one at most, as for all classes but one. Other boards are enumerated if they have few
tables, or counted by a product of polynomials, and approximated if that would take long.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baserate.multiclass.law.enumeration import all_tables
from baserate.multiclass.law.trace_law import trace_law
from baserate.multiclass.top_k.board import Board, Sets
from baserate.multiclass.top_k.hits import CountedLaw, MomentLaw, ReversedLaw, SaddlepointLaw
from baserate.multiclass.top_k.polynomial import masses_of_hits
from baserate.multiclass.top_k.shuffling import shuffled_hits

if TYPE_CHECKING:
    from baserate.multiclass.top_k.answers import TopAnswers
    from baserate.multiclass.top_k.hits import HitLaw

# The most cells of a board: with more, saddlepoints take seconds.
_MOST_CELLS = 2**15
# From this standard deviation on, three moments are enough for the tails.
_SMOOTH = 20.0
# The most observations that are dealt at random.
_MOST_DEALT = 10**7


@lru_cache(maxsize=256)
def hit_law(answers: TopAnswers, k: int) -> HitLaw:
    """Return the distribution of the number of hits, exactly if that takes about a second.

    Examples
    --------
    >>> from baserate.multiclass.top_k.answers import TopAnswers
    >>> scores = [[3, 2, 1, 0], [0, 3, 2, 1], [1, 0, 3, 2], [3, 2, 0, 1]]
    >>> law = hit_law(TopAnswers.of(["a", "b", "c", "d"], scores), 2)
    >>> law.exact, round(law.at_least(3), 4)
    (True, 0.3333)
    """
    return law_of_sets(Sets.of(answers, k))


def law_of_sets(sets: Sets) -> HitLaw:
    """Return the distribution of the number of hits of some sets of classes."""
    if sets.classes.shape[1] == 1:
        return trace_law(*sets.of_one_class)
    if sets.cells <= _MOST_CELLS:
        return _of_board(Board.of(sets))
    mean, sd, skewness = sets.moments()
    total = int(sets.n.sum())
    if sd >= _SMOOTH or total > _MOST_DEALT:
        return MomentLaw(mean, sd, skewness, total)
    return CountedLaw.of_hits(shuffled_hits(sets))


def _of_board(board: Board) -> HitLaw:
    matching = board.matching
    if matching is not None:
        return trace_law(*matching)
    matching = board.reversed.matching
    if matching is not None:
        return ReversedLaw(trace_law(*matching), sum(board.n))
    tables = all_tables(board.n, board.m)
    if tables is not None:
        hits = (tables[0] * board.hits).sum(axis=(1, 2))
        first = int(hits.min())
        chances = np.bincount(hits - first, tables[1])
        return CountedLaw(first, np.asarray(chances, dtype=float), "enumeration")
    masses = masses_of_hits(board)
    return SaddlepointLaw(board) if masses is None else CountedLaw(0, masses, "polynomial")
