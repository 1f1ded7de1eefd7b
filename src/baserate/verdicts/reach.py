"""Whether a test set is large enough to show anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.core.clusters import score_test
from baserate.core.multiple_testing import Tails

if TYPE_CHECKING:
    from baserate.core.observed import TestSet
    from baserate.verdicts.standard import Standard
    from baserate.verdicts.verdict import Performance


def shows_nothing(performance: Performance, standard: Standard) -> bool:
    """Whether even the best performance on that test set would be no evidence."""
    test_set, clusters = performance.table.test_set, performance.clusters
    if performance.against is not None:
        return is_too_small_to_swap(test_set, standard, clusters)
    return is_too_small(test_set, standard) or are_too_few(clusters, standard)


def are_too_few(clusters: int | None, standard: Standard) -> bool:
    """Whether clusters that all show the same, as clearly as can be, would be no evidence.

    Examples
    --------
    >>> from baserate.verdicts.standard import Standard
    >>> [are_too_few(number, Standard()) for number in (None, 5, 6)]
    [False, True, False]
    """
    if clusters is None:
        return False
    best = score_test(np.ones(clusters)).of_best(standard.tries)
    return not best.better < standard.alpha


def is_too_small_to_swap(
    test_set: TestSet, standard: Standard, clusters: int | None = None
) -> bool:
    """Whether a model that is better than a reference on every row would be no evidence.

    Only two of all the ways to swap answers are as extreme: none of them, and all.

    Examples
    --------
    >>> import baserate as br
    >>> from baserate.verdicts.standard import Standard
    >>> [is_too_small_to_swap(br.BaseRate(positives=1, total=rows), Standard()) for rows in (5, 6)]
    [True, False]
    """
    least = 2.0 ** (1 - min(clusters or test_set.total, 1000))
    return not Tails(least, least).of_best(standard.tries).better < standard.alpha


def is_too_small(test_set: TestSet, standard: Standard) -> bool:
    """Whether even a prediction without errors would be no evidence of learning.

    Its p-value is one in all the ways to order the truth. An adjustment for many models
    and groups makes p-values larger still, and is left out: it depends on the other models.

    Examples
    --------
    >>> import baserate as br
    >>> from baserate.verdicts.standard import Standard
    >>> [is_too_small(br.BaseRate(positives=1, total=size), Standard()) for size in (20, 21)]
    [True, False]
    """
    # The ways are a product of binomial coefficients, the largest class left out. The others have
    # at most half of what is left, so that each coefficient only grows.
    ways, left = 1, test_set.total
    for size in sorted(test_set.class_sizes)[:-1]:
        chosen = 1
        for place in range(size):
            chosen = chosen * (left - place) // (place + 1)
            perfect = Tails(better=1 / (ways * chosen), worse=1.0).of_best(standard.tries)
            if perfect.better < standard.alpha:
                return False
        ways, left = ways * chosen, left - size
    return True
