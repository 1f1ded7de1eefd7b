"""Whether a test set is large enough to show anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.core.law import Tails

if TYPE_CHECKING:
    from baserate.binary.base_rate import BaseRate
    from baserate.verdicts.standard import Standard


def is_too_small(rate: BaseRate, standard: Standard) -> bool:
    """Whether even a prediction without errors would be no evidence of learning.

    Its p-value is one in all the ways to place as many positives. An adjustment for many models
    and groups makes p-values larger still, and is left out: it depends on the other models.

    Examples
    --------
    >>> import baserate as br
    >>> from baserate.verdicts.standard import Standard
    >>> [is_too_small(br.BaseRate(positives=1, total=size), Standard()) for size in (20, 21)]
    [True, False]
    """
    fewest = min(rate.positives, rate.negatives)
    ways = 1
    for place in range(fewest):
        ways = ways * (rate.total - place) // (place + 1)
        # The ways only grow up to the fewest, so the p-value only falls.
        if Tails(better=1 / ways, worse=1.0).of_best(standard.tries).better < standard.alpha:
            return False
    return True
