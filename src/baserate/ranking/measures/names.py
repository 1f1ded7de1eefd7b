"""Names with a number in them: precision@10, NDCG@5, AUC@0.1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.ranking.measures.at_k import measure_at_k
from baserate.ranking.measures.partial_area import named_partial_auc

if TYPE_CHECKING:
    from baserate.ranking.measures.record import ScoreMeasure


def with_number(name: str) -> ScoreMeasure | None:
    """Return the measure that a name with a number means; None if it means none.

    Examples
    --------
    >>> with_number("P@5"), with_number("partial AUC 1")
    (<Measure precision@5: Precision at 5>, \
<Measure AUC@1: Partial AUC up to a false positive rate of 1>)
    """
    return measure_at_k(name) or named_partial_auc(name)
