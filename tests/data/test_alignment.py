"""Rows are compared by position, so that two pandas indexes that differ are an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import baserate as br
from baserate.exceptions import MisalignedRowsError

if TYPE_CHECKING:
    from collections.abc import Callable

Y = pd.Series([1, 1, 0, 0, 1, 0], index=list("abcdef"))
P = Y.iloc[::-1]  # the same labels, from the last to the first

# Every call in which two columns meet.
MEETINGS: dict[str, Callable[[Any, Any], object]] = {
    "ConfusionMatrix.of": br.ConfusionMatrix.of,
    "evaluate": lambda y, p: br.evaluate(y, p, "F1"),
    "evaluate, two models": lambda y, p: br.evaluate(y, {"good": y, "tree": p}, "F1"),
    "evaluate, a frame of models": lambda y, p: br.evaluate(y, p.to_frame("tree"), "F1"),
    "evaluate, groups": lambda y, p: br.evaluate(y, y, "F1", by=p),
    "evaluate, groups of arrays": lambda y, p: br.evaluate(
        y.to_numpy(), {"tree": y}, "F1", by=p, missing="drop"
    ),
    "assert_beats_baseline": lambda y, p: br.assert_beats_baseline(y, p, "F1"),
    "threshold_curve": lambda y, p: br.threshold_curve(y, p.astype(float), "F1"),
    "ThresholdDisplay": lambda y, p: br.plots.ThresholdDisplay.from_predictions(y, p, "F1"),
    "BaselineDisplay": lambda y, p: br.plots.BaselineDisplay.from_predictions(y, p, "F1"),
    "ReportDisplay": lambda y, p: br.plots.ReportDisplay.from_predictions(y, p, "F1"),
    "NullDistributionDisplay": lambda y, p: br.plots.NullDistributionDisplay.from_predictions(
        y, p, "F1"
    ),
    "a scorer": lambda y, p: br.sklearn.make_scorer("f1")(Told(p), np.zeros((len(y), 1)), y),
    "a scorer's weights": lambda y, p: br.sklearn.make_scorer("f1", weights="frequency")(
        Told(y), np.zeros((len(y), 1)), y, sample_weight=p
    ),
    "DutchDrawClassifier": lambda y, p: br.sklearn.DutchDrawClassifier("F1").fit(
        np.zeros((len(y), 1)), y, sample_weight=p + 1
    ),
}


class Told(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier that predicts what it was told."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.classes_ = np.array([0, 1])

    def predict(self, _: Any) -> Any:
        """Return the answer."""
        return self.answer


@pytest.mark.parametrize("meet", MEETINGS.values(), ids=MEETINGS)
def test_another_order_is_an_error(meet: Callable[[Any, Any], object]) -> None:
    """Wherever two columns meet: the same labels in another order scored 0.667."""
    with pytest.raises(MisalignedRowsError, match=r"must have the same index .* at position 0"):
        meet(Y, P)


def test_the_message_says_how_to_align() -> None:
    """By index if each has the rows of the other, and by position in any case."""
    with pytest.raises(MisalignedRowsError) as caught:
        br.ConfusionMatrix.of(Y, P)
    assert str(caught.value) == (
        "y_true and y_pred must have the same index in the same order (got 'a' and 'f' at position "
        "0): rows are compared by position; to match them by index, pass y_pred.loc[y_true.index], "
        "or by position, y_pred.to_numpy()"
    )
    assert br.ConfusionMatrix.of(Y, P.loc[Y.index]) == br.ConfusionMatrix(tp=3, tn=3)
    assert br.ConfusionMatrix.of(Y, P.to_numpy()) == br.ConfusionMatrix(tp=2, fp=1, fn=1, tn=2)
    with pytest.raises(MisalignedRowsError) as caught:
        br.evaluate(Y, {"my tree": Y.reset_index(drop=True)}, "F1")
    assert str(caught.value) == (
        "y_true and model 'my tree' must have the same index in the same order (got 'a' and 0 at "
        "position 0): rows are compared by position; if they are in the same order, pass "
        "y_pred.to_numpy()"
    )
    assert caught.value.parameters == ("y_true", "model 'my tree'")
    models = {"knn": Y, "my tree": P}
    with pytest.raises(MisalignedRowsError) as caught:
        br.compare(Y.to_numpy(), models, "F1")
    advice = "y_pred['my tree'].loc[y_pred['knn'].index]"
    assert f"pass {advice}, or by position, y_pred['my tree'].to_numpy()" in str(caught.value)
    aligned = eval(advice, {"y_pred": models})
    assert br.compare(Y.to_numpy(), models | {"my tree": aligned}, "F1")


def test_rows_that_occur_twice_cannot_be_matched() -> None:
    """Then `.loc` would repeat them, so that it is not suggested."""
    twice, other = Y.set_axis([1, 1, 2, 3, 4, 5]), Y.set_axis([1, 2, 1, 3, 4, 5])
    with pytest.raises(MisalignedRowsError, match="at position 1") as caught:
        br.ConfusionMatrix.of(twice, other)
    assert ".loc" not in str(caught.value)
    assert br.ConfusionMatrix.of(twice, twice.copy()).total == 6


ALIGNED = {
    "the same object": lambda y: y,
    "another name": lambda y: y.rename_axis("row"),
    "categories": lambda y: y.set_axis(pd.CategoricalIndex(y.index)),
    "an array": lambda y: y.to_numpy(),
    "polars": lambda y: pl.Series(y.to_list()),
    "an index": lambda y: pd.Index(y.to_list()),
}


@pytest.mark.parametrize("other", ALIGNED.values(), ids=ALIGNED)
@pytest.mark.parametrize(
    "index",
    [
        list("abcdef"),
        [0.0, np.nan, 2, 3, 4, 5],
        [pd.NA, *"bcdef"],
        pd.MultiIndex.from_product([[1, 2], [3, 4, np.nan]]),
        pd.date_range("2026", periods=6, tz="Europe/Amsterdam"),
        [7] * 6,
    ],
    ids=str,
)
def test_the_same_index_is_none_the_wiser(index: Any, other: Callable[[Any], Any]) -> None:
    """Equal rows are equal in any form, and what has no index is compared by position."""
    y = pd.Series([1, 1, 0, 0, 1, 0], index=index)
    try:
        form = other(y)
    except (TypeError, NotImplementedError):
        return  # pandas has no categories of such rows
    assert br.ConfusionMatrix.of(y, form) == br.ConfusionMatrix(tp=3, tn=3)
    report = br.evaluate(y, {"tree": form, "array": y.to_numpy()}, "F1", by=form)
    assert report["tree", "F1"].score == 1
