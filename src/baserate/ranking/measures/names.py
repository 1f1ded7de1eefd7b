"""Names with a number in them: precision@10, NDCG@5, AUC@0.1."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from baserate.ranking.measures.at_k import measure_at_k
from baserate.ranking.measures.partial_area import partial_auc

if TYPE_CHECKING:
    from baserate.ranking.measures.record import ScoreMeasure

_AREA = r"(?:p[\s_-]*auc|(?:partial[\s_-]*)?(?:roc[\s_-]*)?auc)"
_PARTIAL = re.compile(rf"{_AREA}(?:[\s_-]*@[\s_-]*|[\s_-]+(?:at[\s_-]+)?)(0?\.\d+|1(?:\.0*)?)")


def with_number(name: str) -> ScoreMeasure | None:
    """Return the measure that a name with a number means; None if it means none.

    Examples
    --------
    >>> with_number("P@5").key, with_number("partial AUC 0.2").key
    ('precision@5', 'AUC@0.2')
    """
    partial = _PARTIAL.fullmatch(unicodedata.normalize("NFKC", name).casefold().strip())
    return measure_at_k(name) if partial is None else partial_auc(float(partial[1]))
