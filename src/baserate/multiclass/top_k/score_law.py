"""The distribution of top-k accuracy when some answers are dealt at random."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.direction import Direction
from baserate.exceptions import InvalidCountError, InvalidProbabilityError
from baserate.exceptions.base import shown
from baserate.multiclass.top_k.board import Sets
from baserate.multiclass.top_k.law import law_of_sets
from baserate.support.arguments import is_probability, whole_number

if TYPE_CHECKING:
    from baserate.multiclass.class_counts import ClassCounts
    from baserate.multiclass.top_k.hits import HitLaw
    from baserate.multiclass.top_k.measures import TopKMeasure


def top_score_law(
    measure: TopKMeasure, test_set: ClassCounts, deck: Mapping[tuple[Any, ...], int]
) -> TopScoreLaw:
    """Return the distribution of top-k accuracy when some answers are dealt at random.

    Parameters
    ----------
    measure
        Top-k accuracy for some k.
    test_set
        How often each class occurs.
    deck
        How often each answer is given: a mapping from tuples of k classes to counts.

    Examples
    --------
    >>> from baserate.multiclass.class_counts import ClassCounts
    >>> from baserate.multiclass.top_k.measures import get_top_k
    >>> counts = ClassCounts({"a": 5, "b": 3, "c": 2, "d": 2})
    >>> law = top_score_law(get_top_k("top-2 accuracy"), counts, {("a", "b"): 6, ("a", "c"): 6})
    >>> round(law.mean(), 4), round(law.tail(0.75, Direction.MAXIMIZE), 4), law.exact
    (0.625, 0.197, True)
    """
    place = {label: number for number, label in enumerate(test_set.labels)}
    if not _are_answers(deck, measure.k, place):
        raise InvalidCountError(
            f"must be a mapping from answers of {measure.k} classes to counts, as in "
            f"{{{shown(test_set.labels[: measure.k])}: {test_set.total}}} (got {shown(deck)})",
            parameter="deck",
        )
    counts = [whole_number(f"the count of {shown(each)}", deck[each]) for each in deck]
    if min(counts, default=0) < 0 or sum(counts) != test_set.total:
        raise InvalidCountError(
            f"must be counts of at least 0 that add up to {test_set.total:,}, the number of "
            f"observations (got {sum(counts):,})",
            parameter="deck",
        )
    sets = [sorted(place[label] for label in each) for each in deck]
    return TopScoreLaw(measure, Sets.given(test_set.array, np.array(sets), np.array(counts)))


def _are_answers(deck: object, k: int, labels: Collection[Any]) -> bool:
    """Return whether a deck has answers of k different classes each."""
    return isinstance(deck, Mapping) and all(
        isinstance(each, tuple) and len(set(each)) == len(each) == k and set(each) <= set(labels)
        for each in deck
    )


@dataclass(frozen=True, eq=False)
class TopScoreLaw:
    """The distribution of top-k accuracy when some answers are dealt at random.

    Parameters
    ----------
    measure
        The measure.
    sets
        The classes and the answers.
    """

    measure: TopKMeasure
    sets: Sets

    @cached_property
    def _hits(self) -> HitLaw:
        return law_of_sets(self.sets)

    @property
    def _total(self) -> int:
        return int(self.sets.n.sum())

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding, and no approximation."""
        return self._hits.exact

    @property
    def method(self) -> str:
        """How they were found."""
        return self._hits.method

    @property
    def error(self) -> float:
        """What is known of the relative error of a probability; 0 if it is exact."""
        return self._hits.error

    def mean(self) -> float:
        """Return the expected score."""
        return self.sets.moments()[0] / self._total

    def variance(self) -> float:
        """Return the variance of the score."""
        return (self.sets.moments()[1] / self._total) ** 2

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""
        hits = score * self._total
        near = round(hits)
        # A score is a whole number of hits, up to rounding.
        is_whole = abs(hits - near) <= 1e-9 * self._total
        if direction is Direction.MAXIMIZE:
            return self._hits.at_least(near if is_whole else int(np.ceil(hits)))
        return self._hits.at_most(near if is_whole else int(np.floor(hits)))

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the central interval that holds at least this probability."""
        if not is_probability(confidence):
            raise InvalidProbabilityError(
                f"must be between 0 and 1 (got {shown(confidence)}); 95% is written 0.95",
                parameter="confidence",
            )
        tail = (1 - confidence) / 2
        low, high = (self._hits.ppf(level) / self._total for level in (tail, 1 - tail))
        return low, high
