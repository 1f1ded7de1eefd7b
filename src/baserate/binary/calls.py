"""How functions of two classes read their arguments."""

from __future__ import annotations

from baserate.binary.base_rate import BaseRate
from baserate.binary.confusion import Confusion, as_base_rate
from baserate.binary.measures.catalogue import get_measure
from baserate.binary.predictions import require_test_set
from baserate.core.calls import Reader

READER = Reader(
    table=Confusion,
    test_set=BaseRate,
    get_measure=get_measure,
    count=Confusion.of,
    test_set_of=as_base_rate,
    require_test_set=lambda name, table, y_true, pos_label: require_test_set(
        name, table, y_true, pos_label, by=None
    ),
)
