"""Class scores as a task: reading, reports, comparisons, and what is wrong with tables."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import top_k_accuracy_score

import baserate as br
from baserate.core.observed import Rows
from baserate.exceptions import (
    InvalidLabelsError,
    InvalidMeasureError,
    InvalidScoresError,
)
from baserate.kinds.class_scores import CLASS_SCORES

TRUTH = ["a", "b", "c", "a"]
ROWS = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.5, 0.3, 0.2], [1.0, 0.0, 0.0]])


def _models(size: int = 90, seed: int = 51) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return a truth, its probabilities, and those of a bold model and of one that knows none."""
    rng = np.random.default_rng(seed)
    right = rng.dirichlet([0.5, 0.4, 0.3], size)
    truth = (rng.uniform(size=(size, 1)) > right.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    truth[:3] = [0, 1, 2]
    bold = right**9 + 1e-9
    return np.array(list("abc"))[truth], {
        "right": right,
        "bold": bold / bold.sum(axis=1, keepdims=True),
        "shuffled": rng.permutation(right),
    }


# --- What may be passed ---------------------------------------------------------------------------


def test_tables_of_every_kind() -> None:
    """Arrays, lists of rows and data frames have one score; named columns in any order."""
    truth, models = _models(30)
    net = models["right"]
    frame = pd.DataFrame(net, columns=list("abc"))
    expected = br.ClassProbabilities.of(truth, net)
    for scores in (
        net.tolist(),
        np.ma.masked_array(net),
        net.astype(object),
        frame[list("bca")],
        frame.astype("Float64"),
        pd.DataFrame(net),
        pl.from_pandas(frame),
        pl.from_pandas(frame).to_arrow(),
    ):
        assert br.ClassProbabilities.of(truth, scores) == expected
    assert br.ClassProbabilities.of(pd.Series(truth), frame) == expected
    (found,) = br.evaluate(truth, {"net": frame}, "accuracy")
    (other,) = br.evaluate(truth, net, "accuracy")
    assert found.score == other.score


def test_classes_that_never_occur() -> None:
    """Columns may name classes that are not in the truth, as labels= says in scikit-learn."""
    y_true, scores = [0, 2, 2, 0, 3], np.random.default_rng(18).integers(0, 3, (5, 5)).astype(float)
    expected = top_k_accuracy_score(y_true, scores, k=2, labels=range(5))
    texts = pl.DataFrame(scores, schema=list("01234"))
    for truth, table in ((y_true, pd.DataFrame(scores)), (y_true, texts),
                         (list(map(str, y_true)), texts)):  # fmt: skip
        (found,) = br.evaluate(truth, {"net": table}, "top-2 accuracy")
        assert found.score == expected
    # A model that does not know a class gives it the lowest score.
    few = {"few": pd.DataFrame(ROWS, columns=list("abc")), "more": _with_column(ROWS)}
    tables = CLASS_SCORES.observe(TRUTH, few, Rows()).tables
    assert tables["few"][None] == tables["more"][None]
    low = CLASS_SCORES.observe(TRUTH, few | {"few": 9 * few["few"]}, Rows()).tables["few"][None]
    assert (low.rows[:, 3] == -np.inf).all()


def _with_column(rows: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list("abc")).assign(d=0.0)


def test_missing_scores_may_be_dropped() -> None:
    """Rows without a score or a label are left out of all models, if that is asked for."""
    truth, models = _models(40)
    holes = models["right"].copy()
    holes[3, 0] = math.nan
    labels = [None if place == 5 else str(label) for place, label in enumerate(truth)]
    report = br.evaluate(labels, models | {"right": holes}, "Brier", missing="drop")
    assert report.dropped == 2
    kept = [place for place in range(40) if place not in (3, 5)]
    (other,) = br.evaluate(truth[kept], models["right"][kept], "Brier")
    assert report["right", "Brier"].score == pytest.approx(other.score)
    with pytest.raises(InvalidScoresError, match=r"missing scores .* first at position 3"):
        br.evaluate(truth, {"right": holes}, "Brier")
    with pytest.raises(InvalidLabelsError, match="first at position 5"):
        br.evaluate(labels, models, "Brier")


def test_rows_are_counted() -> None:
    """Equal rows are one, in any order; and a p-value has a measure."""
    observed = br.ClassProbabilities.of(TRUTH, ROWS)
    assert repr(observed) == "ClassProbabilities(4 observations of 3 classes, 3 distinct rows)"
    order = [3, 1, 0, 2]
    assert br.ClassProbabilities.of([TRUTH[place] for place in order], ROWS[order]) == observed
    assert observed not in (br.ClassProbabilities.of(TRUTH[::-1], ROWS), TRUTH)
    counted = CLASS_SCORES.count_column(pl.LazyFrame({"y": TRUTH}), "y", Rows())
    assert counted == (observed.test_set, 0)
    with pytest.raises(InvalidMeasureError, match="must be named for class scores"):
        br.p_value(TRUTH, ROWS)
