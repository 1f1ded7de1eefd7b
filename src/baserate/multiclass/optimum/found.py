"""An extreme of the expected score, and which decks have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from baserate.multiclass.optimum.decks import DeckSet


@dataclass(frozen=True)
class ClassOptimum:
    """An extreme of the expected score, and all decks that attain it.

    Parameters
    ----------
    value
        The expected score.
    decks
        The decks that attain it, in the order of the labels of the test set.
    exact
        Whether the optimum is certain: it is known where it is, or every deck was computed. If
        False, there may be better decks, or the value is an approximation.

    Examples
    --------
    >>> import baserate as br
    >>> br.baseline(br.ClassCounts({"a": 4, "b": 4, "c": 1}), "accuracy").best
    ClassOptimum(value=0.4444444444444444, decks=DeckSet({(9, 0, 0), …: 10 decks}), exact=True)
    """

    value: float
    decks: DeckSet
    exact: bool = True
