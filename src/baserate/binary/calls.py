"""How functions of two classes read their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baserate.binary.base_rate import BaseRate
from baserate.binary.confusion import Confusion, as_base_rate
from baserate.binary.measures.catalogue import get_measure
from baserate.binary.predictions import require_test_set
from baserate.core.calls import Reader
from baserate.data.labels import positive_masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.data.columns import Labels


def weighted_table(
    y_true: Labels, y_pred: Labels, pos_label: object, weights: NDArray[Any]
) -> Confusion:
    """Count labels, each observation as often as its weight says."""
    truth, predicted = positive_masks({"y_true": y_true, "y_pred": y_pred}, pos_label)
    tp, fp, fn, tn = (
        int(weights[cell].sum())
        for cell in (truth & predicted, ~truth & predicted, truth & ~predicted, ~truth & ~predicted)
    )
    return Confusion(tp=tp, fp=fp, fn=fn, tn=tn)


READER = Reader(
    table=Confusion,
    test_set=BaseRate,
    get_measure=get_measure,
    count=Confusion.of,
    weigh=weighted_table,
    test_set_of=as_base_rate,
    require_test_set=lambda name, table, y_true, pos_label: require_test_set(
        name, table, y_true, pos_label, by=None
    ),
)
