"""Bad input, as a table: each case works as users expect, or raises the right error."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import baserate as br
from baserate.measures.two_classes import TWO_CLASS_MEASURES

RATE = br.BaseRate(positives=3, total=10)
TABLE = br.Confusion(tp=2, fp=1, fn=1, tn=6)

# Labels that work: (labels, pos_label, positives, total).
GOOD_LABELS = {
    "integers": ([0, 1, 1, 0], None, 2, 4),
    "booleans": ([True, False, True], None, 2, 3),
    "minus one and one": ([-1, 1, 1], None, 2, 3),
    "only minus ones": ([-1, -1], None, 0, 2),
    "floats": (np.array([0.0, 1.0, 1.0]), None, 2, 3),
    "unsigned bytes": (np.array([0, 1, 1], dtype=np.uint8), None, 2, 3),
    "strided": (np.array([0, 9, 1, 9, 1, 9])[::2], None, 2, 3),
    "one class of ones": ([1, 1, 1], None, 3, 3),
    "one class of zeros": ([0, 0], None, 0, 2),
    "one class, named": (["no", "no"], "yes", 0, 2),
    "strings": (["yes", "no", "yes"], "yes", 2, 3),
    "numpy strings": (np.array(["yes", "no"]), "no", 1, 2),
    "bytes": ([b"a", b"b"], b"a", 1, 2),
    "other integers": ([1, 2, 2], 2, 2, 3),
    "zero is positive": ([0, 1, 1], 0, 1, 3),
    "False is positive": ([False, True], False, 1, 2),
    "objects": (np.array([1, 0, 1], dtype=object), None, 2, 3),
    "mixed types": ([1, "a", 1], "a", 1, 3),
    "a tuple": ((0, 1), None, 1, 2),
    "a range": (range(2), None, 1, 2),
    "masked, nothing hidden": (np.ma.array([0, 1]), None, 1, 2),
    "pandas": (pd.Series([0, 1, 1], index=[5, 5, 7]), None, 2, 3),
    "pandas Int64": (pd.array([0, 1, 1], dtype="Int64"), None, 2, 3),
    "pandas boolean": (pd.Series([True, False], dtype="boolean"), None, 1, 2),
    "pandas string": (pd.Series(["a", "b"], dtype="string"), "b", 1, 2),
    "pandas category": (pd.Series(["a", "b", "b"], dtype="category"), "b", 2, 3),
    "an unused category": (pd.Categorical([0, 1], categories=[0, 1, 2]), None, 1, 2),
    "polars": (pl.Series([0, 1, 1]), None, 2, 3),
    "polars strings": (pl.Series(["a", "b"]), "a", 1, 2),
    "pyarrow": (pa.array([0, 1, 1]), None, 2, 3),
    "pyarrow chunks": (pa.chunked_array([[True], [False]]), None, 1, 2),
}


@pytest.mark.parametrize("name", GOOD_LABELS)
def test_labels_that_work(name: str) -> None:
    """Two classes in any notation are counted, as truth and as prediction."""
    labels, pos_label, positives, total = GOOD_LABELS[name]
    assert br.BaseRate.of(labels, pos_label) == br.BaseRate(positives=positives, total=total)
    table = br.Confusion.of(labels, labels, pos_label)
    assert table == br.Confusion(tp=positives, tn=total - positives)


def test_undefined_expectation_is_nan_with_a_warning() -> None:
    """In a curve, undefined draws are nan, and the warning says how many there are."""
    with pytest.warns(br.exceptions.UndefinedMeasureWarning, match="1 of 3 draws"):
        curve = br.expected_score(RATE, "PPV", [0, 0.5, 1])
    assert np.isnan(curve[0])
    assert curve[1:].tolist() == [0.3, 0.3]
    with pytest.warns(br.exceptions.UndefinedMeasureWarning):
        assert br.expected_score(RATE, "PPV", 0, undefined=0.0) == 0.0


def test_empty_table_has_no_score() -> None:
    """Every measure requires M > 0."""
    for measure in TWO_CLASS_MEASURES.values():
        with pytest.warns(br.exceptions.UndefinedMeasureWarning, match="M > 0"):
            assert math.isnan(measure.score(br.Confusion()))


def test_warning_points_at_the_caller() -> None:
    """A warning points to the user's own line."""
    with pytest.warns(br.exceptions.UndefinedMeasureWarning) as caught:
        br.get_measure("PPV").score(br.Confusion(tn=1))
    assert caught[0].filename == __file__


def test_counts_from_a_data_frame() -> None:
    """Data frames return sums in many types: whole numbers are counts."""
    counts = {"tp": np.int64(2), "fp": 1.0, "fn": np.float32(1), "tn": Decimal(6)}
    assert br.Confusion(**counts) == TABLE  # type: ignore[arg-type]
    assert all(type(count) is int for count in vars(br.Confusion(**counts)).values())  # type: ignore[arg-type]


def test_large_and_small_numbers() -> None:
    """Up to 1e300 and down to 1e-300, every measure is computed without a warning of numpy."""
    for size in (1e300, 1e-300):
        y_true, y_pred = [size, -size, size / 3] * 4, [size / 2, size, -size] * 4
        for measures in (["MAE", "RMSE", "R2", "Pearson"], ["MedAE", "sMAPE", "CCC"]):
            report = br.evaluate(y_true, {"m": y_pred}, measures, task="regression")
            assert br.Report.from_json(report.to_json()) == report
            assert str(br.compare(y_true, {"m": y_pred, "n": y_true[::-1]}, measures))
