"""The baseline of probabilities: the shares of the classes for everyone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.direction import Direction
from baserate.core.optimum import TwoEnds
from baserate.exceptions import UndefinedMeasureError
from baserate.formatting import in_words, number_format, shown
from baserate.ranking.optimum import ScoreOptimum

if TYPE_CHECKING:
    from baserate.multiclass.class_counts import ClassCounts
    from baserate.probability.several.measures import ProbabilityMeasure

SHARES = "the class shares for everyone"
# The most classes that are named.
_MOST_NAMED = 3


@dataclass(frozen=True)
class ProbabilityBaseline(TwoEnds[ScoreOptimum]):
    """What a measure of probabilities gives away on a test set.

    Parameters
    ----------
    measure
        The measure.
    test_set
        The classes, and how often each occurs.
    max, min
        The largest and the smallest expected score of any deck.
    """

    measure: ProbabilityMeasure
    test_set: ClassCounts
    max: ScoreOptimum
    min: ScoreOptimum

    def __str__(self) -> str:
        write = number_format((self.max.value, self.min.value))
        best, worst = self.best, self.worst
        return (
            f"{self.measure.key} baseline {write(best.value)}: {best.decks}; {worst.decks} has "
            f"{write(worst.value)} ({self.test_set.described})"
        )


def probability_baseline(test_set: ClassCounts, measure: ProbabilityMeasure) -> ProbabilityBaseline:
    """Return the baseline of a measure of probabilities.

    The expected score of a deck is the mean over its rows of that of each as a constant. So the
    best deck is the best constant, the class shares, and the worst one is the worst constant:
    certainty of the rarest class. References are certain of no class that never occurs.

    Parameters
    ----------
    test_set
        The classes, and how often each occurs, also those that never do: they have a column.
    measure
        The measure.

    Examples
    --------
    >>> from baserate.multiclass.class_counts import ClassCounts
    >>> from baserate.probability.several.catalogue import get_probability_measure
    >>> counts = ClassCounts({"a": 70, "b": 20, "c": 10})
    >>> print(probability_baseline(counts, get_probability_measure("Brier")))
    Brier baseline 0.460: the class shares for everyone; certainty of 'c' for everyone has 1.800
    (100 observations, 3 classes: 70.0% 'a', 20.0% 'b' and 10.0% 'c')
    """
    reason = measure.missing(test_set)
    if reason:
        raise UndefinedMeasureError(f"{measure.key} is undefined: {reason}")
    counts = test_set.array
    rarest = int(counts[counts > 0].min())
    free, certain = measure.constants(test_set, int(np.flatnonzero(counts == rarest)[0]))
    best = ScoreOptimum(free, SHARES)
    worst = ScoreOptimum(certain, _certainty(test_set, rarest))
    largest, least = (best, worst) if measure.direction is Direction.MAXIMIZE else (worst, best)
    return ProbabilityBaseline(measure, test_set, max=largest, min=least)


def _certainty(test_set: ClassCounts, rarest: int) -> str:
    """Name the constants that are certain of one of the rarest classes."""
    pairs = zip(test_set.labels, test_set.counts, strict=True)
    names = [shown(label) for label, count in pairs if count == rarest]
    left = len(names) - _MOST_NAMED
    some = [*names[:_MOST_NAMED], *([f"{left:,} more"] if left > 0 else [])]
    return f"certainty of {in_words(some).replace(' and ', ' or ')} for everyone"
