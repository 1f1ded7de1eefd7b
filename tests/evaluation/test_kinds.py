"""What kind of prediction it is, as the truth, the predictions and the measures say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baserate as br
from baserate.exceptions import TooManyClassesError

RNG = np.random.default_rng(6)
TWO, CLASSES, NUMBERS = RNG.integers(0, 2, 60), RNG.integers(0, 3, 60), RNG.normal(size=60)
NAMES = np.array(["a", "b", "c"])[CLASSES]
KINDS: dict[str, tuple[Any, Any, Any, str]] = {
    "two classes": (TWO, TWO[::-1], None, "binary"),
    "booleans": (TWO == 1, TWO[::-1] == 1, "accuracy", "binary"),
    "whole floats": (TWO * 1.0, TWO[::-1] * 1.0, None, "binary"),
    "three classes": (CLASSES, CLASSES[::-1], None, "multiclass"),
    "texts": (NAMES, NAMES[::-1], "accuracy", "multiclass"),
    "scores": (TWO, RNG.random(60), None, "scores"),
    "scores in a list": (TWO.tolist(), RNG.random(60).tolist(), None, "scores"),
    "scores as objects": (TWO, RNG.random(60).astype(object), None, "scores"),
    "class scores": (CLASSES, RNG.dirichlet(np.ones(3), 60), None, "class-scores"),
    "numbers": (NUMBERS, NUMBERS[::-1], None, "regression"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_columns_say_what_they_are(kind: str) -> None:
    """As arrays, as columns with an index, and where the rows are."""
    y_true, y_pred, measure, task = KINDS[kind]
    (first, *_) = br.evaluate(y_true, y_pred, measure)
    assert first.performance.table.task == task
    if np.ndim(y_pred) == 1:
        columns = pd.Series(y_true), {"m": pd.Series(y_pred)}
        found = br.evaluate(y_true, {"m": y_pred}, measure)
        assert br.evaluate(*columns, measure).verdicts == found.verdicts
    if np.ndim(y_pred) == 1 and "objects" not in kind:
        frame = pl.DataFrame({"y": y_true, "m": y_pred}).lazy()
        (there, *_) = br.evaluate(frame, "m", measure, truth="y")
        assert there.performance.table.task == task


def test_scores_beside_a_positive_class_are_scores() -> None:
    """Whether or not it is obvious which class is positive."""
    scores = RNG.random(60)
    named = br.evaluate(np.where(TWO, "ill", "well"), scores, pos_label="ill")
    assert named.verdicts == br.evaluate(TWO, scores).verdicts


def test_what_comes_late_is_an_error_that_names_the_choices() -> None:
    """Only the first rows of an engine are looked at before all are counted."""
    frame = pl.LazyFrame({"y": [1.0, 0.0] * 20_000, "m": [1.0] * 39_999 + [0.25]})
    with pytest.raises(TooManyClassesError, match=r"third is 0\.25 .*AUC, AP, .*threshold=0\.5"):
        br.evaluate(frame, "m", truth="y")
    (auc,) = br.evaluate(frame, "m", "AUC", truth="y")
    assert auc.performance.table.task == "scores"
