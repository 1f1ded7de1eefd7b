"""Names with a number in them: precision@10, NDCG@5, AUC@0.1."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from baserate.ranking.measures.gain import ndcg
from baserate.ranking.measures.partial_area import partial_auc
from baserate.ranking.measures.top import lift_at, precision_at, recall_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.ranking.measures.record import ScoreMeasure

_AT = r"[\s_-]*(?:@|at)[\s_-]*"
_AT_K = re.compile(rf"(precision|p|recall|r|lift|ndcg|ndcg[\s_-]*score){_AT}(\d{{1,15}})")
_PARTIAL = re.compile(
    rf"(?:p[\s_-]*auc|partial[\s_-]*(?:roc[\s_-]*)?auc|(?:roc[\s_-]*)?auc)(?:{_AT}|[\s_-]+)"
    r"(0?\.\d+|1\.0*|1)"
)
_OF_K: dict[str, Callable[[int], ScoreMeasure]] = {
    "precision": precision_at,
    "p": precision_at,
    "recall": recall_at,
    "r": recall_at,
    "lift": lift_at,
    "ndcg": ndcg,
}


def with_number(name: str) -> ScoreMeasure | None:
    """Return the measure that a name with a number means; None if it means none.

    Examples
    --------
    >>> with_number("P@10"), with_number("partial AUC 0.1")
    (<Measure precision@10: Precision at 10>, <Measure AUC@0.1: Partial AUC up to a FPR of 0.1>)
    """
    plain = unicodedata.normalize("NFKC", name).casefold().strip()
    top = _AT_K.fullmatch(plain)
    if top is not None:
        return _OF_K[top[1].split()[0].split("_")[0].split("-")[0]](int(top[2]))
    partial = _PARTIAL.fullmatch(plain)
    return None if partial is None else partial_auc(float(partial[1]))
