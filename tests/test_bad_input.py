"""Bad input, as a table: each case works as users expect, or raises the right error."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import baserate as br
from baserate.exceptions import (
    BaserateError,
    InvalidCountError,
    InvalidFrameError,
    InvalidLabelsError,
    InvalidMeasureError,
    InvalidProbabilityError,
    InvalidSampleError,
    InvalidScoresError,
    InvalidTargetError,
    InvalidThetaError,
    TooManyClassesError,
    TooManyValuesError,
    UndefinedMeasureError,
    UnknownMeasureError,
)
from baserate.measures.two_classes import TWO_CLASS_MEASURES

if TYPE_CHECKING:
    from collections.abc import Callable


class Unspeakable:
    """An object that cannot be printed."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")


RATE = br.BaseRate(positives=3, total=10)
TABLE = br.Confusion(tp=2, fp=1, fn=1, tn=6)
NAN = float("nan")

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

# Labels that do not: (labels, pos_label, what the message says).
BAD_LABELS = {
    "empty": ([], None, "at least one label"),
    "empty array": (np.array([]), None, "at least one label"),
    "nan": ([0.0, 1.0, NAN], None, r"missing values \(got 1, the first at position 2\)"),
    "nan beside strings": (["yes", NAN], "yes", "missing values"),
    "None": ([0, None, 1, None], None, r"got 2, the first at position 1"),
    "None beside strings": (["yes", None], "yes", "missing values"),
    "pandas.NA": (pd.Series([0, pd.NA], dtype="Int64"), None, "missing values"),
    "pandas.NA among objects": (np.array([0, pd.NA], dtype=object), None, "missing values"),
    "pandas.NaT": (np.array(["NaT", "2026-01-01"], "M8[D]"), None, "missing values"),
    "pandas missing category": (pd.Categorical(["a", None]), "a", "missing values"),
    "polars null": (pl.Series([True, None]), None, "missing values"),
    "pyarrow null": (pa.array([1, None]), None, "missing values"),
    "one class of strings": (["yes", "yes"], None, "pos_label must say which class"),
    "two strings": (["yes", "no"], None, r"got 'no', 'yes'\).*say so as in pos_label='yes'"),
    "one and two": ([1, 2], None, "pos_label must say which class"),
    "three classes": (
        [0, 1, 0, 2], None,
        r"at most two classes \(got 0, 1, 2; the third is 2 at position 3 of y_true\)",
    ),
    "three floats": ([0.0, 0.5, 1.0], None, "for numbers, name a measure such as .RMSE."),
    "three strings": (["a", "b", "c"], None, "such as 'macro F1', .* as in pos_label='a'"),
    "many strings": (list("abcdefgh"), None, "…"),
    "three mixed": ([1, "a", None.__class__], None, "at most two classes"),
    "absent among many": (list("abcdefgh"), "z", "pos_label must be one of the classes .* …"),
    "absent positive": ([0, 1], 2, "pos_label must be one of the classes"),
    "positive of another type": ([0, 1], "1", "pos_label must be one of the classes"),
    "two dimensions": (np.zeros((3, 2)), None, r"one-dimensional \(got 2 dimensions"),
    "a column": (np.zeros((3, 1)), None, "pass one column"),
    "ragged": ([[0, 1], [1]], None, "lists of different lengths"),
    "masked": (
        np.ma.array([0, 1, 1], mask=[0, 0, 1]), None,
        "missing values .got 1, the first at position 2",
    ),
    "a missing positive": ([0, 0], NAN, "pos_label must be one of the labels"),
    "a positive beyond the floats": ([0.0, 1.0], 10**400, "pos_label must be one of the classes"),
    "text, one class, and a number": (["1", "1"], 1, "pos_label must be one of the classes"),
    "a frame": (pd.DataFrame({"y": [0, 1]}), None, "one-dimensional"),
    "a list among labels": (
        np.array([3, [1], 2], dtype=object), 3, r"plain values .* \(got a list: \[1\]\)",
    ),
    "lists as labels": (np.array([[1], [1, 2], 3], dtype=object), 3, "plain values"),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD_LABELS)
def test_labels_that_work(name: str) -> None:
    """Two classes in any notation are counted, as truth and as prediction."""
    labels, pos_label, positives, total = GOOD_LABELS[name]
    assert br.BaseRate.of(labels, pos_label) == br.BaseRate(positives=positives, total=total)
    table = br.Confusion.of(labels, labels, pos_label)
    assert table == br.Confusion(tp=positives, tn=total - positives)


@pytest.mark.parametrize("name", BAD_LABELS)
def test_labels_that_do_not(name: str) -> None:
    """Bad labels raise InvalidLabelsError, which says what was found."""
    labels, pos_label, message = BAD_LABELS[name]
    with pytest.raises(InvalidLabelsError, match=message):
        br.BaseRate.of(labels, pos_label)
    with pytest.raises(InvalidLabelsError):
        br.Confusion.of([0, 1, 1], labels, pos_label)


def _raising(*_: object) -> float:
    raise RuntimeError("out of coffee")


def _custom(function: Callable[..., Any]) -> br.Measure:
    return br.Measure.custom("mine", function)


CASES: list[tuple[type[BaserateError], str, Callable[[], object]]] = [
    (InvalidLabelsError, r"equally long \(got 3 and 2\)",
     lambda: br.Confusion.of([0, 1, 1], [0, 1])),
    (TooManyClassesError,
     r"y_true and y_pred must .* \(got -1, 0, 1; the third is 0 at position 1 of y_pred\)",
     lambda: br.Confusion.of([-1, 1], [1, 0])),
    (InvalidLabelsError, r"y_pred must hold labels of the same kind as y_true \(got 0 beside '0'\)",
     lambda: br.Confusion.of(["0", "1"], [0, 1], pos_label=1)),
    (InvalidLabelsError, "BaseRate", lambda: br.baseline(0.3, "F1")),
    (InvalidLabelsError, "BaseRate", lambda: br.baseline("0101", "F1")),
    (InvalidCountError, r"tp must be at least 0 \(got -1\)", lambda: br.Confusion(tp=-1)),
    (InvalidCountError, r"whole number \(got 2.5", lambda: br.Confusion(tp=2.5)),  # type: ignore[arg-type]
    (InvalidCountError, "whole number", lambda: br.BaseRate(positives=Fraction(1, 2), total=3)),  # type: ignore[arg-type]
    (InvalidCountError, "whole number", lambda: br.BaseRate(positives=NAN, total=3)),  # type: ignore[arg-type]
    (InvalidCountError, "whole number", lambda: br.BaseRate(positives=1, total=math.inf)),  # type: ignore[arg-type]
    (InvalidCountError, "whole number", lambda: br.BaseRate(positives="3", total=9)),  # type: ignore[arg-type]
    (InvalidCountError, "whole number", lambda: br.BaseRate(positives=True, total=9)),
    (InvalidCountError, r"total must be at least 1 \(got 0\)",
     lambda: br.BaseRate(positives=0, total=0)),
    (InvalidCountError, "at least one observation", lambda: br.Confusion().base_rate),
    (InvalidCountError, r"between 0 and 3 \(got 4\)", lambda: br.BaseRate(positives=4, total=3)),
    (InvalidCountError, r"tp must be between 0 and 3 \(got 4\): tp \+ fn must be the 3 positives",
     lambda: br.Confusion.from_tp(4, RATE, predicted_positives=5)),
    (InvalidCountError, r"tp must be between 1 and 3 \(got 0\)",
     lambda: br.Confusion.from_tp(0, RATE, predicted_positives=8)),
    (InvalidCountError, "predicted_positives must be between 0 and 10",
     lambda: br.Confusion.from_tp(0, RATE, predicted_positives=11)),
    (InvalidCountError, "predicted_positives must be between 0 and 10",
     lambda: br.DutchDraw(RATE, predicted_positives=11)),
    (InvalidThetaError, r"between 0 and 1 \(got 1.5\)", lambda: br.DutchDraw(RATE, theta=1.5)),
    (InvalidThetaError, "between 0 and 1", lambda: br.expected_score(RATE, "F1", -0.1)),
    (InvalidThetaError, r"got nan", lambda: br.expected_score(RATE, "F1", NAN)),
    (InvalidThetaError, "between 0 and 1", lambda: br.DutchDraw(RATE, theta="0.5")),  # type: ignore[arg-type]
    (InvalidThetaError, "between 0 and 1", lambda: br.DutchDraw(RATE, theta=True)),
    (InvalidThetaError, r"got 1.1", lambda: br.expected_score(RATE, "F1", [0.1, 1.1])),
    (InvalidThetaError, "either", lambda: br.DutchDraw(RATE)),
    (InvalidThetaError, "either", lambda: br.DutchDraw(RATE, 0.5, predicted_positives=5)),
    (InvalidMeasureError, "above 0", lambda: br.fbeta(0)),
    (InvalidMeasureError, "above 0", lambda: br.fbeta(-0.5)),
    (InvalidMeasureError, "above 0", lambda: br.get_measure("fbeta", beta=-1)),
    (InvalidMeasureError, "got nan", lambda: br.fbeta(NAN)),
    (InvalidMeasureError, "got inf", lambda: br.fbeta(math.inf)),
    (InvalidThetaError, "between 0 and 1",
     lambda: br.expected_score(RATE, "F1", [[0.1], [0.2, 0.3]])),
    (InvalidFrameError, "missing must be 'error' or 'drop'",
     lambda: br.evaluate([0, 1], [0, 1], missing=pd.DataFrame())),  # type: ignore[arg-type]
    (InvalidFrameError, r"must be the names of columns of the data frame \(got a dict\)",
     lambda: br.Confusion.from_frame(pd.DataFrame({"y": [0]}), "y", {})),  # type: ignore[call-overload]
    (InvalidMeasureError, "scaled must be True, False or one of",
     lambda: br.sklearn.make_scorer("F1", scaled=np.ones(2))),  # type: ignore[arg-type]
    (InvalidLabelsError, "pos_label must hold plain values",
     lambda: br.sklearn.make_scorer("F1", pos_label=[1])),
    (InvalidTargetError, "labels of one type",
     lambda: br.sklearn.DutchDrawClassifier().fit(np.zeros((3, 1)), ["a", pd.NaT, "b"])),
    (InvalidLabelsError, "lists of different lengths",
     lambda: br.sklearn.DutchDrawClassifier().fit(np.zeros((2, 1)), [[0, 1], [1]])),
    (InvalidScoresError, "y_score must be numbers",
     lambda: br.threshold_curve([0, 1], [10**400, 1], "F1")),
    (InvalidProbabilityError, "0.95", lambda: br.DutchDraw(RATE, 0.5).score("F1").interval(95)),
    (InvalidProbabilityError, "0.95", lambda: br.DutchDraw(RATE, 0.5).score("F1").interval("0.9")),  # type: ignore[arg-type]
    (InvalidThetaError, "got inf",
     lambda: br.expected_score(RATE, "F1", [np.finfo(np.longdouble).max])),
    (InvalidThetaError, "between 0 and 1",
     lambda: br.expected_score(RATE, "F1", np.ma.array([0.1, 0.2], mask=[0, 1]))),
    (InvalidProbabilityError, "got True",
     lambda: br.DutchDraw(RATE, 0.5).score("F1").interval(True)),
    (InvalidCountError, "total must be a whole number of at most 1,000,000,000,000,000",
     lambda: br.BaseRate(positives=1, total=10**5000)),
    (InvalidCountError, "total must be a whole number of at most 1,000,000,000,000,000",
     lambda: br.BaseRate(positives=1, total=10**15 + 1)),
    (InvalidCountError, "positives must be a whole number of at most 1,000,000,000,000,000",
     lambda: br.BaseRate(positives=10**15 + 1, total=10**15)),
    (InvalidCountError, "the total must be a whole number of at most 1,000,000,000,000,000",
     lambda: br.Confusion(tp=1, tn=10**15)),
    (InvalidCountError, "tp must be a whole number of at most",
     lambda: br.Confusion(tp=4 * 10**80, fp=1, fn=1, tn=4 * 10**80)),
    (InvalidCountError, "the total must be a whole number of at most",
     lambda: br.Confusion(tp=10**15) + br.Confusion(tn=1)),
    (InvalidCountError, "predicted_positives must be a whole number of at most",
     lambda: br.DutchDraw(RATE, predicted_positives=10**400)),
    (InvalidCountError, "tp must be a whole number", lambda: br.Confusion(tp=-(10**5000))),
    (InvalidThetaError, "got a value of type int", lambda: br.DutchDraw(RATE, theta=10**5000)),
    (InvalidLabelsError, "a test set must be a BaseRate", lambda: br.Confusion.from_tp(1, 3, 1)),  # type: ignore[arg-type]
    (InvalidMeasureError, "score must be a finite number",
     lambda: br.rescaled_score(RATE, "F1", -(10**400))),
    (InvalidLabelsError, "lists of different lengths", lambda: br.baseline([[1], [1, 2]], "F1")),
    (InvalidProbabilityError, "between 0 and 1",
     lambda: br.DutchDraw(RATE, 0.5).score("F1").interval(-1)),
    (InvalidMeasureError, r"Confusion.of\(y_true, y_pred\)",
     lambda: br.get_measure("F1").score([0, 1], [1, 1])),  # type: ignore[arg-type]
    (InvalidMeasureError, r"1e\+100", lambda: br.fbeta(2**1100)),
    (InvalidMeasureError, "type int", lambda: br.fbeta(10**5000)),
    (InvalidMeasureError, r"1e\+100", lambda: br.fbeta(1e153)),
    (UnknownMeasureError, "did you mean 'F1'", lambda: br.get_measure("Fe1")),
    (UnknownMeasureError, "fe-1", lambda: br.get_measure("fe-1")),
    (InvalidMeasureError, "inf", lambda: br.get_measure("F1e400")),
    (UnknownMeasureError, "F05", lambda: br.get_measure("F05")),
    (InvalidMeasureError, "got '2'", lambda: br.fbeta("2")),  # type: ignore[arg-type]
    (InvalidMeasureError, r"1e\+100", lambda: br.fbeta(1e200)),
    (InvalidMeasureError, "1e-100", lambda: br.fbeta(1e-200)),
    (InvalidMeasureError, "above 0", lambda: br.get_measure("f0")),
    (InvalidMeasureError, "beta=2", lambda: br.get_measure("fbeta")),
    (InvalidMeasureError, "takes no beta", lambda: br.get_measure("accuracy", beta=2)),
    (UnknownMeasureError, "did you mean 'Accuracy'", lambda: br.get_measure("acuracy")),
    (UnknownMeasureError, "MEASURES", lambda: br.baseline(RATE, "qqqqqqqq")),
    (UnknownMeasureError, "unknown measure 3", lambda: br.get_measure(3)),  # type: ignore[arg-type]
    (UndefinedMeasureError, r"TPR has no baseline.*needs P > 0 \(got positives = 0\)",
     lambda: br.baseline(br.BaseRate(positives=0, total=5), "TPR")),
    (UndefinedMeasureError, "MCC has no baseline",
     lambda: br.baseline(br.BaseRate(positives=1, total=1), "MCC")),
    (UndefinedMeasureError, r"P̂ > 0 and N̂ > 0 \(got positives = 1, total = 1\)",
     lambda: br.baseline(br.BaseRate(positives=1, total=1), "MK")),
    (UndefinedMeasureError, r"P̂ > 0 \(got predicted_positives = 0\)",
     lambda: br.DutchDraw(RATE, 0).score("precision")),
    (InvalidMeasureError, "RuntimeError: out of coffee, at tp=3", lambda: _custom(_raising)),
    (InvalidMeasureError, "needs 3 arguments", lambda: _custom(lambda tp, fp, fn: tp)),
    (InvalidMeasureError, "one number per table", lambda: _custom(lambda tp, fp, fn, tn: "good")),
    (InvalidMeasureError, "got None", lambda: _custom(lambda tp, fp, fn, tn: None)),
    (InvalidMeasureError, "one number per table", lambda: _custom(lambda tp, fp, fn, tn: [tp, fp])),
    (InvalidMeasureError, "one number per table",
     lambda: _custom(lambda tp, fp, fn, tn: np.complex128(1j))),
    (InvalidMeasureError, "one number per table",
     lambda: _custom(lambda tp, fp, fn, tn: np.str_("3"))),
    (InvalidMeasureError, r"such as \(0, 1\)",
     lambda: br.Measure.custom("x", lambda tp, fp, fn, tn: tp, codomain=5)),  # type: ignore[arg-type]
    (InvalidMeasureError, "lowest and the highest",
     lambda: br.Measure.custom("x", lambda tp, fp, fn, tn: tp, codomain=(1, 0))),
    (InvalidMeasureError, "lowest and the highest",
     lambda: br.Measure.custom("x", lambda tp, fp, fn, tn: tp, codomain="01")),  # type: ignore[arg-type]
    (InvalidMeasureError, "lowest and the highest",
     lambda: br.Measure.custom("x", lambda tp, fp, fn, tn: tp, codomain=(0, np.ma.masked))),  # type: ignore[arg-type]
    (InvalidMeasureError, "'maximize' or 'minimize'",
     lambda: br.Measure.custom("x", lambda tp, fp, fn, tn: tp, direction=np.array([1, 2]))),  # type: ignore[arg-type]
    (InvalidMeasureError, "'concave', 'convex' or None",
     lambda: br.Measure.custom("x", lambda tp, fp, fn, tn: tp, shape=np.array([]))),  # type: ignore[arg-type]
    (InvalidMeasureError, "smooth must be True or False",
     lambda: br.Measure.custom("x", lambda tp, fp, fn, tn: tp, smooth=np.array([1, 0]))),  # type: ignore[arg-type]
    (InvalidMeasureError, "must be texts",
     lambda: br.Measure.custom("x", lambda tp, fp, fn, tn: tp, name=np.array([1, 2]))),  # type: ignore[arg-type]
    (UnknownMeasureError, "a value of type Unspeakable", lambda: br.get_measure(Unspeakable())),  # type: ignore[arg-type]
    (InvalidLabelsError, "a value of type Unspeakable", lambda: br.baseline(Unspeakable(), "F1")),  # type: ignore[arg-type]
    (UnknownMeasureError, "unknown measure", lambda: br.evaluate([0, 1], [0, 1], np.array("F1"))),  # type: ignore[arg-type]
    (InvalidMeasureError, "undefined must be a number",
     lambda: br.expected_score(RATE, "PPV", [0.0], undefined="zero")),  # type: ignore[arg-type]
    (InvalidCountError, "whole number", lambda: br.Confusion(tp=Decimal("sNaN"))),  # type: ignore[arg-type]
    (InvalidCountError, "whole number", lambda: br.Confusion(tp=np.timedelta64(3, "s"))),  # type: ignore[arg-type]
    (InvalidMeasureError, "'concave', 'convex' or None",
     lambda: br.Measure.custom("x", lambda tp, fp, fn, tn: tp, shape="round")),  # type: ignore[arg-type]
    (
        TooManyValuesError,
        "smooth=True",
        lambda: br.expected_score(
            br.BaseRate(positives=10**15 // 2, total=10**15),
            _custom(lambda tp, fp, fn, tn: tp**2),
            0.5,
        ),
    ),
    (
        TooManyValuesError,
        "can be listed",
        lambda: (
            br.DutchDraw(br.BaseRate(positives=10**10, total=10**11), 0.5)
            .score(_custom(lambda tp, fp, fn, tn: tp**2))
            .cdf(0)
        ),
    ),
    (InvalidSampleError, r"at most 10,000,000,000 values \(got 1000000000000\)",
     lambda: br.DutchDraw(br.BaseRate(positives=10**11, total=10**12), 0.5).predict()),
    (InvalidSampleError, "rng must be a whole number",
     lambda: br.DutchDraw(RATE, 0.5).predict("seed")),
    (InvalidSampleError, "type Unspeakable",
     lambda: br.DutchDraw(RATE, 0.5).predict(Unspeakable())),
    (InvalidSampleError, "got -1", lambda: br.DutchDraw(RATE, 0.5).predict(rng=-1)),
    (InvalidMeasureError, r"function of \(tp, fp, fn, tn\)", lambda: _custom(3)),  # type: ignore[arg-type]
    (InvalidMeasureError, "key", lambda: br.Measure.custom(" ", lambda tp, fp, fn, tn: tp)),
    (InvalidMeasureError, "'maximize' or 'minimize'",
     lambda: br.Measure.custom("x", lambda tp, fp, fn, tn: tp, direction="up")),  # type: ignore[arg-type]
    (InvalidMeasureError, "ValueError: too few, at",
     lambda: br.baseline(RATE, _custom(_fails_on_few))),
    (InvalidMeasureError, "ValueError: too many, at",
     lambda: br.baseline(RATE, _custom(_fails_on_many))),
    (
        UndefinedMeasureError,
        "every score is a number",
        lambda: br.baseline(
            RATE, br.Measure.custom("x", lambda tp, fp, fn, tn: math.nan, shape="concave")
        ),
    ),
    (InvalidMeasureError, "one number per table", lambda: br.baseline(RATE, _custom(_shrinks))),
    (UndefinedMeasureError, "every score is a number",
     lambda: br.baseline(RATE, _custom(lambda tp, fp, fn, tn: math.nan))),
]  # fmt: skip


def _fails_on_few(tp: int, fp: int, fn: int, tn: int) -> float:
    if tp < 1:
        raise ValueError("too few")
    return float(tp)


def _fails_on_many(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    if np.size(tp) > 2:
        raise ValueError("too many")
    return tp / (tp + fn)


def _shrinks(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp if np.size(tp) <= 2 else tp[0][:1]


@pytest.mark.parametrize(("error", "message", "call"), CASES)
def test_bad_input(error: type[BaserateError], message: str, call: Callable[[], object]) -> None:
    """The right exception says what must hold, what was got and what to do."""
    with pytest.raises(error, match=message) as caught:
        call()
    assert type(caught.value) is error
    assert isinstance(caught.value, ValueError)


def test_undefined_expectation_is_nan_with_a_warning() -> None:
    """In a curve, undefined draws are nan, and the warning says how many there are."""
    with pytest.warns(br.exceptions.UndefinedMeasureWarning, match="1 of 3 draws"):
        curve = br.expected_score(RATE, "PPV", [0, 0.5, 1])
    assert np.isnan(curve[0])
    assert curve[1:].tolist() == [0.3, 0.3]
    with pytest.warns(br.exceptions.UndefinedMeasureWarning):
        assert br.expected_score(RATE, "PPV", 0, undefined=0.0) == 0.0


def test_custom_division_by_zero_is_undefined() -> None:
    """A custom function may divide by zero: the score is undefined there, with a warning."""
    ratio = _custom(lambda tp, fp, fn, tn: tp / fp)
    with pytest.warns(br.exceptions.UndefinedMeasureWarning, match="no value at Confusion"):
        assert math.isnan(ratio.score(br.Confusion(tp=1, tn=1)))
    with pytest.raises(UndefinedMeasureError, match="tp = 0, fp = 0"):
        br.DutchDraw(RATE, 0).score(ratio).cdf(0)


def test_empty_table_has_no_score() -> None:
    """Every measure requires M > 0."""
    for measure in TWO_CLASS_MEASURES.values():
        with pytest.warns(br.exceptions.UndefinedMeasureWarning, match="M > 0"):
            assert math.isnan(measure.score(br.Confusion()))


def test_custom_functions_may_use_numpy() -> None:
    """numpy.where returns zero-dimensional arrays for numbers: they count as numbers."""
    guarded = _custom(lambda tp, fp, fn, tn: np.where(tp + fp == 0, 0, tp / np.maximum(tp + fp, 1)))
    assert guarded.score(TABLE) == pytest.approx(2 / 3)
    assert br.baseline(RATE, guarded).max.value == pytest.approx(0.3)


def test_custom_draw_is_not_allowed_where_an_end_is_undefined() -> None:
    """1/tp: a draw that can miss every positive has no expectation, however unlikely that is."""
    inverse = _custom(lambda tp, fp, fn, tn: 1 / tp)
    rate = br.BaseRate(positives=500, total=1000)
    for optimum in (br.baseline(rate, inverse).max, br.baseline(rate, inverse).min):
        for part in optimum.guesses.counts:
            assert part.start > 500
            assert br.null_distribution(rate, part.start, inverse).cdf(1) == 1


def test_custom_scores_of_any_range() -> None:
    """Scores over fifty orders of magnitude stay distinct."""
    tiny = _custom(lambda tp, fp, fn, tn: 10.0**-tp)
    draw = br.DutchDraw(br.BaseRate(positives=50, total=100), theta=0.5)
    for count in (0, 20, 45, 50):
        found = draw.score(tiny).cdf(10.0**-count)
        assert found == pytest.approx(draw.score("TP").sf(count), rel=1e-12)


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


def test_adding_something_else() -> None:
    """A table can only be added to a table."""
    with pytest.raises(TypeError):
        TABLE + 1  # type: ignore[operator]
    assert TABLE + br.Confusion() == TABLE


def test_labels_and_tables_are_test_sets() -> None:
    """Labels and tables are accepted wherever a base rate is."""
    labels = [1] * 3 + [0] * 7
    for test_set in (labels, np.array(labels), pd.Series(labels), TABLE, RATE):
        assert br.baseline(test_set, "F1") == br.baseline(RATE, "F1")
        assert br.DutchDraw(test_set, 0.5) == br.DutchDraw(RATE, 0.5)
        assert br.expected_score(test_set, "F1", 0.5) == br.expected_score(RATE, "F1", 0.5)


@pytest.mark.parametrize("deck", [600, 7, -2, 2.5, [0, 1, 1], {1: 2}, np.array([1, 2])])
def test_impossible_decks_of_labels(deck: Any) -> None:
    """Six observations cannot have seven positive predictions, nor half of one."""
    with pytest.raises(InvalidCountError, match=r"^y_pred must be"):
        br.null_distribution(br.BaseRate(positives=2, total=6), deck, "ACC")


@pytest.mark.parametrize(
    ("measure", "task"),
    [
        ("RMSE", "multiclass"),
        ("F1", "regression"),
        ("F1", "scores"),
        ("AUC", "class-scores"),
        ("AUC", "binary"),
        ("nonsense", "multiclass"),
    ],
)
def test_baseline_of_a_measure_of_another_task(measure: str, task: str) -> None:
    """The error names the measure that was asked for."""
    with pytest.raises(UnknownMeasureError, match=f"'{measure}'"):
        br.baseline([0, 1, 0, 1, 1, 0], measure, task=task)


def test_a_gate_has_one_measure() -> None:
    """Also beside a reference: "all" is not one."""
    y = [0, 1, 0, 1, 1, 0]
    for more in ({}, {"reference": y}, {"sample_weight": y, "weights": "importance"}):
        with pytest.raises(UnknownMeasureError, match="'all'"):
            br.assert_beats_baseline(y, y, "all", **more)


def test_a_number_of_options_is_not_a_question() -> None:
    """A list has one for each question."""
    for options in (4, np.array(4)):
        with pytest.raises(BaserateError):
            br.chance(options)


def test_extreme_importance_weights_and_cubes() -> None:
    """Products of four weights must be floats, and labels have one dimension."""
    y = [0, 1, 0, 1]
    for most in (1e300, 1e-300):
        with pytest.raises(BaserateError, match=r"between 1e-60 and 1e\+60"):
            br.evaluate(y, y, "F1", sample_weight=[most, 1, 1, 1], weights="importance")
    with pytest.raises(InvalidLabelsError, match="pass one column of labels"):
        br.evaluate(y, np.zeros((4, 2, 2), dtype=int), "F1")


@pytest.mark.parametrize("size", [1e301, 1e308, 1.7e308])
def test_numbers_that_are_nearly_infinite(size: float) -> None:
    """Their sums are no floats: an error of ours, and no warning of numpy."""
    y_true, y_pred = [size, -size, 1.5], [-size, size, 2.5]
    frame = pl.DataFrame({"y": y_true, "m": y_pred, "n": [0.0] * 3})
    calls: list[Callable[[], object]] = [
        lambda: br.evaluate(y_true, {"m": y_pred}, "MAE"),
        lambda: br.evaluate(frame, ["m", "n"], "MAE", truth="y"),
        lambda: br.evaluate(frame.lazy(), ["m", "n"], "MAE", truth="y"),
        lambda: br.evaluate([1.0, 2.5, 3.0], {"m": [1.0, 2.0, 4.0]}, "MAE", reference=y_true),
        lambda: br.compare(y_true, {"m": y_pred, "n": [0.0] * 3}, "RMSE"),
        lambda: br.p_value(y_true, y_pred, "MAE"),
        lambda: br.confidence_interval(y_true, y_pred, "R2"),
        lambda: br.baseline(y_true, "MAE"),
    ]
    for call in calls:
        with pytest.raises(InvalidScoresError, match=r"numbers (from|with)"):
            call()


def test_large_and_small_numbers() -> None:
    """Up to 1e300 and down to 1e-300, every measure is computed without a warning of numpy."""
    for size in (1e300, 1e-300):
        y_true, y_pred = [size, -size, size / 3] * 4, [size / 2, size, -size] * 4
        for measures in (["MAE", "RMSE", "R2", "Pearson"], ["MedAE", "sMAPE", "CCC"]):
            report = br.evaluate(y_true, {"m": y_pred}, measures, task="regression")
            assert br.Report.from_json(report.to_json()) == report
            assert str(br.compare(y_true, {"m": y_pred, "n": y_true[::-1]}, measures))


class Raising:
    """An object whose methods raise an error of their own, but for those that are named."""

    def __init__(self, *raising: str) -> None:
        self.raising = raising

    def _raise(self, name: str, otherwise: Any) -> Any:
        if name in self.raising:
            raise RuntimeError("theirs")
        return otherwise

    def __eq__(self, other: object) -> bool:
        return bool(self._raise("eq", self is other))

    def __hash__(self) -> int:
        return int(self._raise("hash", 1))

    def __repr__(self) -> str:
        return str(self._raise("repr", "an object"))

    def __lt__(self, other: object) -> bool:
        return bool(self._raise("lt", NotImplemented))

    def __float__(self) -> float:
        return float(self._raise("float", 0.5))


@pytest.mark.parametrize(
    "raising", [("eq",), ("hash",), ("repr",), ("lt",), ("float",), ("eq", "hash", "repr", "lt")]
)
def test_objects_that_raise(raising: tuple[str, ...]) -> None:
    """What a user's object raises does not leak: the call works, or raises an error of ours."""
    odd, labels = Raising(*raising), [0, 1, 1, 0] * 3
    several = [odd, "b", "c"] * 4
    calls: list[Callable[[], Any]] = [
        lambda: br.evaluate([odd, *labels[1:]], {"m": labels}),
        lambda: br.evaluate(labels, {"m": [odd, *labels[1:]]}),
        lambda: br.evaluate([odd, "b"] * 6, {"m": [odd, "b"] * 6}, pos_label="b"),
        lambda: br.evaluate(several, {"m": several[::-1]}, ["accuracy"]),
        lambda: br.evaluate(labels, {"m": labels}, "F1", by=[odd, 1] * 6),
        lambda: br.evaluate(labels, {"m": labels}, odd),  # type: ignore[call-overload]
        lambda: br.evaluate(labels, {"m": labels}, [odd]),  # type: ignore[list-item]
        lambda: br.evaluate(labels, {"m": labels}, "F1", pos_label=odd),
        lambda: br.evaluate(labels, {"m": [odd] * 12}, "AUC"),
        lambda: br.evaluate([0.5, odd] * 6, {"m": labels}, "MAE"),
        lambda: br.evaluate(labels, {"m": labels}, "F1", sample_weight=[odd] * 12),
        lambda: br.ConfusionMatrix([[1, 2], [3, 4]], [odd, "b"]),
        lambda: br.evaluate(labels, {"m": labels}, "F1").group(odd),
        lambda: br.evaluate(labels, {"m": labels}, "F1").measure(odd),  # type: ignore[arg-type]
    ]
    if "hash" not in raising:
        calls.append(lambda: br.evaluate(labels, {odd: labels}, "F1"))
        calls.append(lambda: br.compare(labels, {odd: labels, "n": labels[::-1]}, "F1"))
    messages = []
    for call in calls:
        try:
            found = call()
            assert str(found)
            if isinstance(found, br.Report | br.Comparison):
                assert found.to_json()
                assert found.to_html()
        except BaserateError as error:
            messages.append(str(error))
    assert all(messages)
