"""All measures of rankings; those with a number in them at a usual one."""

from __future__ import annotations

from baserate.ranking.measures.area import AREAS
from baserate.ranking.measures.average_precision import AP
from baserate.ranking.measures.gain import ndcg
from baserate.ranking.measures.partial_area import partial_auc
from baserate.ranking.measures.top import lift_at, precision_at, recall_at

RANKING_MEASURES = (
    *AREAS,
    AP,
    partial_auc(0.1),
    precision_at(10),
    recall_at(10),
    lift_at(10),
    ndcg(None),
    ndcg(10),
)
