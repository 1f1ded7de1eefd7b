"""The decks that a measure declares to have an extreme expected score."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from baserate.core.rounding import FORMULA
from baserate.multiclass.measures.forms import OfTrace
from baserate.multiclass.measures.place import Place
from baserate.multiclass.optimum.decks import DeckSet
from baserate.multiclass.optimum.expectation import expected_score
from baserate.multiclass.optimum.found import ClassOptimum
from baserate.multiclass.optimum.greedy import greedy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.multiclass.measures.forms import OfDiagonal
    from baserate.multiclass.measures.gains import Gain
    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.multiclass.optimum.decks import Deck

# Up to this total two scores that differ by no more than rounding are the same.
_SURE_TIES = 10**6


def declared(measure: ClassMeasure, n: Deck, place: Place, sign: int) -> ClassOptimum:
    """Return the extreme of an expected score that a measure declares.

    Parameters
    ----------
    measure
        The measure.
    n
        How often each class occurs, at least once.
    place
        Where the extreme is; not `SEARCH`.
    sign
        1 for the maximum and -1 for the minimum.
    """
    if place is Place.SUM:
        return _best_sum(measure, n)
    if place is Place.ONE_CLASS:
        return _best_class(measure, n, sign)
    decks = _DECKS[place](n) or DeckSet.over(n)
    return ClassOptimum(expected_score(measure, n, decks.first), decks)


def _of_size(n: Deck, size: int) -> list[int]:
    return [k for k, count in enumerate(n) if count == size]


def _evenly(n: Deck) -> DeckSet:
    """Return the decks that have the most frequent classes as equally often as possible."""
    tied = _of_size(n, max(n))
    each = sum(n) // len(tied)
    base, more = (tuple(value if k in tied else 0 for k in range(len(n))) for value in (each, 1))
    return DeckSet.with_ties(base, more, sum(n))


_DECKS: dict[Place, Callable[[Deck], DeckSet]] = {
    Place.EVERYWHERE: DeckSet.over,
    Place.LARGEST_CLASS: lambda n: DeckSet.over(n, _of_size(n, max(n))),
    Place.SMALLEST_CLASS: lambda n: DeckSet.over(n, _of_size(n, min(n))),
    Place.LARGEST_CLASS_EVENLY: _evenly,
    Place.LIKE_TRUTH: lambda n: DeckSet.of([n]),
    Place.EVERY_CLASS: lambda n: DeckSet.over(n, least=1),
    # There is none if only one class occurs.
    Place.A_CLASS_LEFT_OUT: DeckSet.leaving_one_out,
}


def _best_sum(measure: ClassMeasure, n: Deck) -> ClassOptimum:
    form = cast("OfDiagonal", measure.form)
    found = greedy(n, cast("Gain", form.gain), linear=form.linear)
    return ClassOptimum(expected_score(measure, n, found.decks.first), found.decks, found.exact)


def _best_class(measure: ClassMeasure, n: Deck, sign: int) -> ClassOptimum:
    """Return the best decks of one class only."""
    scores = _of_constants(measure, n)
    best = int((sign * scores).argmax())
    near = np.abs(scores - scores[best]) <= FORMULA * abs(scores[best])
    tied = np.flatnonzero(near).tolist()
    # In a large test set classes that are almost as frequent have almost the same score.
    certain = sum(n) <= _SURE_TIES or len({n[k] for k in tied}) == 1
    return ClassOptimum(float(scores[best]), DeckSet.of(_constants(n, tied)), certain)


def _constants(n: Deck, classes: Sequence[int]) -> list[Deck]:
    total = sum(n)
    return [tuple(total if j == k else 0 for j in range(len(n))) for k in classes]


def _of_constants(measure: ClassMeasure, n: Deck) -> NDArray[Any]:
    """Return the score of each deck of one class: its table is known."""
    truth, total = np.array(n, dtype=float), float(sum(n))
    right, decks = np.diag(truth), total * np.eye(len(n))
    if isinstance(measure.form, OfTrace):
        return np.asarray(measure.form.score(truth, truth, decks))
    terms = cast("OfDiagonal", measure.form).term(right, truth, decks)
    return np.array([math.fsum(row) for row in terms])
