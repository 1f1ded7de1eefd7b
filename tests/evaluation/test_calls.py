"""Functions take what a user has in hand: labels, a table, or a test set and a score."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baserate as br
from baserate.exceptions import (
    UndefinedMeasureError,
    UndefinedMeasureWarning,
)

Y = [1, 1, 1, 0, 0, 0, 0, 0, 1, 0]
P = [1, 1, 0, 1, 0, 0, 0, 0, 1, 0]
TEXT = (["ill" if y else "well" for y in Y], ["ill" if p else "well" for p in P])
TABLE = br.ConfusionMatrix.of(Y, P)
RATE = TABLE.test_set
F1 = br.get_measure("F1")
SCORE = F1.score(TABLE)
WORTHS: dict[str, Any] = {"rescaled_score": br.rescaled_score, "dutch_scaler": br.dutch_scaler}


def _forms(worth: Any) -> list[float]:
    """Call a function in every form that it has."""
    return [
        worth(RATE, "F1", SCORE),
        worth(RATE, "F1", score=SCORE),
        worth(RATE, measure="F1", score=SCORE),
        worth(test_set=RATE, measure="F1", score=SCORE),
        worth(Y, "F1", SCORE),
        worth(TEXT[0], "F1", SCORE, pos_label="ill"),
        worth(TABLE, F1, SCORE),
        worth(Y, P, "F1"),
        worth(Y, P, F1),
        worth(np.array(Y), pl.Series(P), measure="f1"),
        worth(y_true=Y, y_pred=P, measure="F1"),
        worth(*TEXT, "F1", pos_label="ill"),
        worth(TABLE, "F1"),
        worth(TABLE, measure="F1"),
        worth(None, TABLE, "F1"),
        worth(Y, TABLE, "F1"),
    ]


@pytest.mark.parametrize("worth", WORTHS.values(), ids=WORTHS)
def test_labels_a_table_or_a_score(worth: Any) -> None:
    """All forms of a call are about the same model, and return the same."""
    verdict = br.evaluate(Y, P, "F1").verdicts[0]
    expected = verdict.rescaled if worth is br.rescaled_score else verdict.dutch_scaler
    assert _forms(worth) == [expected] * 16


def test_p_value_of_labels_or_a_table() -> None:
    """Labels, a table, and a measure that makes no difference."""
    expected = br.evaluate(Y, P, "F1").verdicts[0].p_value
    assert [
        br.p_value(TABLE),
        br.p_value(TABLE),
        br.p_value(Y, P),
        br.p_value(y_true=Y, y_pred=P),
        br.p_value(*TEXT, pos_label="ill"),
        br.p_value(pd.Series(Y), np.array(P), "F1"),
        br.p_value(Y, P, measure=F1),
        br.p_value(TABLE, "MCC"),
        br.p_value(None, TABLE),
        br.p_value(Y, TABLE),
    ] == [expected] * 10


def test_a_score_that_is_undefined() -> None:
    """Is nan with a warning, and has no Dutch Scaler."""
    with pytest.warns(UndefinedMeasureWarning, match="P̂ > 0"):
        assert np.isnan(br.rescaled_score(Y, [0] * 10, "F1"))
    with (
        pytest.warns(UndefinedMeasureWarning, match="P̂ > 0"),
        pytest.raises(UndefinedMeasureError, match="the score is nan"),
    ):
        br.dutch_scaler(Y, [0] * 10, "F1")
