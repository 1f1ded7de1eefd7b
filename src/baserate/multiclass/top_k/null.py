"""The null distribution of top-k accuracy: hits of a model's answers, shuffled over the rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.arguments import whole_number
from baserate.exceptions import InvalidCountError
from baserate.formatting import shown
from baserate.multiclass.top_k.sets import Sets
from baserate.null.matching import Matching
from baserate.null.permutations import Permuted
from baserate.null.saddlepoint import Link
from baserate.null.sums import of_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.multiclass.class_counts import ClassCounts
    from baserate.multiclass.top_k.answers import TopAnswers
    from baserate.multiclass.top_k.measures import TopKMeasure
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]

# The most pairs of a class and a set: with more, a saddlepoint takes seconds.
MAX_PAIRS = 2**17


@lru_cache(maxsize=256)
def null_of(answers: TopAnswers, k: int) -> NullDistribution:
    """Return the distribution of top-k accuracy when a model's answers are shuffled.

    Examples
    --------
    >>> from baserate.multiclass.top_k.answers import TopAnswers
    >>> scores = [[3, 2, 1, 0], [0, 3, 2, 1], [1, 0, 3, 2], [3, 2, 0, 1]]
    >>> null = null_of(TopAnswers.of(["a", "b", "c", "d"], scores), 2)
    >>> null.method, round(null.sf(0.75), 4)
    ('exact', 0.3333)
    """
    return null_of_sets(Sets.of(answers, k))


def null_of_sets(sets: Sets) -> NullDistribution:
    """Return the distribution of the share of rows whose class is in the set that they get."""
    total = int(sets.n.sum())
    if sets.n.size * sets.m.size <= MAX_PAIRS:
        hits = Matching(sets.n, sets.m, sets.hits.astype(float))
        return of_sum(hits, Link.affine(1 / total))
    truth = np.repeat(np.arange(sets.n.size, dtype=np.int32), sets.n)
    answers = np.repeat(sets.classes.astype(np.int32), sets.m, axis=0)

    def draw(rng: np.random.Generator, number: int) -> Floats:
        shuffled = rng.permuted(np.broadcast_to(truth, (number, total)), axis=1)
        # The classes of an answer differ: a row has one hit at most.
        hits = sum(np.count_nonzero(shuffled == each, axis=1) for each in answers.T)
        return np.asarray(hits / total)

    share = np.append(sets.n, 0)[sets.classes].sum(axis=1) / total
    return Permuted(draw, total, mean=float(sets.m @ share) / total)


def null_of_guess(
    measure: TopKMeasure, test_set: ClassCounts, guess: Mapping[tuple[Any, ...], int]
) -> NullDistribution:
    """Return the distribution of top-k accuracy when some answers are shuffled.

    Parameters
    ----------
    measure
        Top-k accuracy for some k.
    test_set
        How often each class occurs.
    guess
        How often each answer is given: a mapping from tuples of k classes to counts.

    Examples
    --------
    >>> from baserate.multiclass.class_counts import ClassCounts
    >>> from baserate.multiclass.top_k.measures import get_top_k
    >>> counts = ClassCounts({"a": 5, "b": 3, "c": 2, "d": 2})
    >>> null = null_of_guess(get_top_k("top-2 accuracy"), counts, {("a", "b"): 6, ("a", "c"): 6})
    >>> round(null.mean(), 4), round(null.sf(0.75), 4), null.method
    (0.625, 0.197, 'exact')
    """
    place = {label: number for number, label in enumerate(test_set.labels)}
    if not _are_answers(guess, measure.k, place):
        raise InvalidCountError(
            f"must be a mapping from answers of {measure.k} classes to counts, as in "
            f"{{{shown(test_set.labels[: measure.k])}: {test_set.total}}} (got {shown(guess)})",
            parameter="y_pred",
        )
    counts = [whole_number(f"the count of {shown(each)}", guess[each]) for each in guess]
    if min(counts, default=0) < 0 or sum(counts) != test_set.total:
        raise InvalidCountError(
            f"must be counts of at least 0 that add up to {test_set.total:,}, the number of "
            f"observations (got {sum(counts):,})",
            parameter="y_pred",
        )
    sets = [sorted(place[label] for label in each) for each in guess]
    return null_of_sets(Sets.given(test_set.array, np.array(sets), np.array(counts)))


def _are_answers(guess: object, k: int, labels: Collection[Any]) -> bool:
    """Return whether a guess has answers of k different classes each."""
    return isinstance(guess, Mapping) and all(
        isinstance(each, tuple) and len(set(each)) == len(each) == k and set(each) <= set(labels)
        for each in guess
    )
