"""`evaluate`: the verdicts, and every form of predictions."""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.exceptions import (
    BaserateError,
    InvalidLabelsError,
    InvalidMeasureError,
    InvalidPredictionsError,
    InvalidProbabilityError,
    TooManyClassesError,
    UndefinedMeasureError,
    UnknownMeasureError,
)
from baserate.measures.two_classes import REPORTED, TWO_CLASS_MEASURES
from strategies import tables

if TYPE_CHECKING:
    from collections.abc import Callable

Y_TRUE = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
TREE = [1, 1, 0, 0, 0, 0, 0, 0, 0, 1]
KNN = [0, 1, 0, 0, 0, 1, 1, 1, 0, 1]
TREE_TABLE = br.Confusion(tp=2, fp=1, fn=1, tn=6)
KNN_TABLE = br.Confusion(tp=1, fp=4, fn=2, tn=3)


def _tables(report: br.Report) -> dict[str, br.Confusion]:
    return {performance.model: performance.table for performance in report.performances}


# Forms of predictions.


INPUTS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "lists": lambda: (Y_TRUE, {"tree": TREE, "knn": KNN}),
    "numpy": lambda: (np.array(Y_TRUE), {"tree": np.array(TREE), "knn": np.array(KNN)}),
    "a mix": lambda: (pl.Series(Y_TRUE), {"tree": pd.Series(TREE), "knn": pa.array(KNN)}),
    "booleans": lambda: (np.array(Y_TRUE) == 1, {"tree": pl.Series(TREE) == 1, "knn": KNN}),
    "pandas": lambda: (pd.Series(Y_TRUE), pd.DataFrame({"tree": TREE, "knn": KNN})),
    "polars": lambda: (pl.Series(Y_TRUE), pl.DataFrame({"tree": TREE, "knn": KNN})),
    "pyarrow": lambda: (pa.chunked_array([Y_TRUE]), pa.table({"tree": TREE, "knn": KNN})),
    "tables": lambda: (None, {"tree": TREE_TABLE, "knn": KNN_TABLE}),
    "tables and truth": lambda: (Y_TRUE, {"tree": TREE_TABLE, "knn": KNN}),
}


@pytest.mark.parametrize("case", INPUTS)
def test_predictions_in_whatever_users_have(case: str) -> None:
    """Arrays, columns, frames and tables give the same report."""
    assert br.evaluate(*INPUTS[case]()) == br.evaluate(Y_TRUE, {"tree": TREE, "knn": KNN})


def test_columns_of_pandas_by_their_place() -> None:
    """Column names may be numbers and tuples."""
    frame = pd.DataFrame(np.array([TREE, KNN]).T)
    assert _tables(br.evaluate(Y_TRUE, frame)) == {"0": TREE_TABLE, "1": KNN_TABLE}
    frame.columns = pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])
    frame.index = list("abcdefghij")
    report = br.evaluate(pd.Series(Y_TRUE, index=frame.index), frame)
    assert _tables(report) == {"('a', 1)": TREE_TABLE, "('a', 2)": KNN_TABLE}


def test_one_model_needs_no_name() -> None:
    """A single model is called model, or has the name of its column."""
    assert _tables(br.evaluate(Y_TRUE, TREE)) == {"model": TREE_TABLE}
    assert _tables(br.evaluate(predictions=TREE_TABLE)) == {"model": TREE_TABLE}
    assert _tables(br.evaluate(Y_TRUE, pd.Series(TREE, name="tree"))) == {"tree": TREE_TABLE}
    assert _tables(br.evaluate(Y_TRUE, pl.Series(TREE))) == {"model": TREE_TABLE}
    assert _tables(br.evaluate(Y_TRUE, pa.array(TREE))) == {"model": TREE_TABLE}


def test_labels_of_any_kind() -> None:
    """Strings with a positive label, and -1/1, work as labels."""
    words = ["ill" if label else "well" for label in Y_TRUE]
    report = br.evaluate(words, {"tree": ["ill" if x else "well" for x in TREE]}, pos_label="ill")
    assert _tables(report) == {"tree": TREE_TABLE}
    signs = br.evaluate([2 * y - 1 for y in Y_TRUE], [2 * y - 1 for y in TREE])
    assert _tables(signs) == {"model": TREE_TABLE}


def test_measures() -> None:
    """The default is those that people report; otherwise anything that names a measure."""
    assert br.evaluate(Y_TRUE, TREE).measures == REPORTED
    assert br.evaluate(Y_TRUE, TREE, "all").measures == tuple(TWO_CLASS_MEASURES)
    cost = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
    report = br.evaluate(Y_TRUE, TREE, ["f0.5", "matthews_corrcoef", cost, br.get_measure("PPV")])
    assert report.measures == ("F0.5", "MCC", "cost", "PPV")
    assert report["model", "cost"].score == 6
    assert br.evaluate(Y_TRUE, TREE, "F1").measures == ("F1",)


# The verdicts.


@given(tables(), st.sampled_from(list(TWO_CLASS_MEASURES)))
def test_a_verdict_has_the_numbers_of_the_library(table: br.Confusion, key: str) -> None:
    """Each number of a verdict equals that of its own function, and the outcome follows."""
    measure = br.get_measure(key)
    (verdict,) = br.evaluate(predictions=table, measures=key)
    score, reason = measure.score_or_reason(table)
    assert verdict.score == score or (reason and math.isnan(verdict.score))
    assert verdict.p_value == br.p_value(table)
    try:
        base = br.baseline(table, measure)
    except UndefinedMeasureError as error:
        reason = str(error)
    if "no baseline" in reason:
        assert (verdict.outcome, verdict.reason) == (br.Outcome.UNDEFINED, reason)
        assert math.isnan(verdict.baseline)
        return
    assert verdict.baseline == base.best.value
    assert (verdict.baseline_min, verdict.baseline_max) == (base.min.value, base.max.value)
    assert verdict.theta_star == base.guesses.counts[0][0] / table.total
    if reason:
        assert verdict.outcome is br.Outcome.UNDEFINED
        assert reason in verdict.reason
        return
    assert verdict.beats == (verdict.margin > 0)
    assert verdict.rescaled == br.rescaled_score(table, measure, score)
    assert verdict.null_low <= verdict.null_high
    try:
        assert verdict.dutch_scaler == br.dutch_scaler(table, measure, score)
    except UndefinedMeasureError:
        assert math.isnan(verdict.dutch_scaler)
    is_sure = verdict.p_value < 0.05 and verdict.margin_low > 0
    assert (verdict.outcome is br.Outcome.CLEARS) == (verdict.beats and is_sure)
    assert (verdict.outcome is br.Outcome.UNSURE) == (verdict.beats and not is_sure)
    assert verdict.outcome.fails == (verdict.informative and not verdict.beats)
    if table.total > 2:  # with fewer rows there are no intervals
        assert verdict.low <= verdict.high
        assert verdict.margin_low <= verdict.margin_high


# With 10 of 100 positive, the lowest F1 baseline is 0.018 and the highest 0.182.
OUTCOMES: dict[str, tuple[br.Confusion, str, br.Outcome, str]] = {
    "clears": (
        br.Confusion(tp=8, fp=4, fn=2, tn=86),
        "F1",
        br.Outcome.CLEARS,
        (
            r"0.727 beats the baseline of 0.182 \(everyone positive\): the margin is 0.545 "
            r"\(95% CI 0.2\d\d to 0.7\d\d; p = 1.1e-07\)"
        ),
    ),
    "better by luck": (
        br.Confusion(tp=1, fp=6, fn=9, tn=84),
        "MCC",
        br.Outcome.UNSURE,
        r"exceeds the baseline of 0.000 \(any guess\), but not significantly: .* p = 0.5",
    ),
    "better, but its margin may not be": (
        br.Confusion(tp=98, fp=62, fn=41, tn=102),
        "F1",
        br.Outcome.UNSURE,
        r"0.656 exceeds .* but not significantly: .* CI -0.038 to 0.084; p = 9.5e-09",
    ),
    "learned": (
        br.Confusion(tp=9, fp=50, fn=1, tn=40),
        "ACC",
        br.Outcome.LEARNED,
        (
            r"0.490 is below the baseline of 0.900 \(everyone negative\), but the model "
            r"learned something \(p = 0.0"
        ),
    ),
    "no evidence": (
        br.Confusion(tp=1, fp=10, fn=9, tn=80),
        "F1",
        br.Outcome.NO_EVIDENCE,
        r"0.095 is below the baseline of 0.182 \(everyone positive\), with no evidence",
    ),
    "no hit among few is what draws do": (
        br.Confusion(fn=5, fp=5, tn=990),
        "F1",
        br.Outcome.NO_EVIDENCE,
        r"0.000 is below the baseline of 0.010 \(everyone positive\), with no evidence",
    ),
    "a tie is not better": (
        br.Confusion(tp=10, fp=90),
        "F1",
        br.Outcome.NO_EVIDENCE,
        r"0.182 is no better than the baseline of 0.182 .* It predicts no negatives\.",
    ),
    "a tie with every draw": (
        br.Confusion(tp=1, fp=9, fn=9, tn=81),
        "MCC",
        br.Outcome.NO_EVIDENCE,
        r"0.000 is no better than the baseline of 0.000 \(any guess\)",
    ),
    "reversed": (
        br.Confusion(tp=1, fp=60, fn=9, tn=30),
        "F1",
        br.Outcome.REVERSED,
        (
            r"0.028 is below the baseline of 0.182 .* and worse than chance \(p = 7.8e-04\): "
            "check for swapped labels"
        ),
    ),
    "reversed, minimized": (
        br.Confusion(tp=0, fp=85, fn=10, tn=5),
        br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + fn, direction="minimize"),
        br.Outcome.REVERSED,
        r"95 is above the baseline of 10 \(everyone negative\) and worse than chance",
    ),
    "no hit where chance has few": (
        br.Confusion(tp=0, fp=10, fn=10, tn=80),
        "FDR",
        br.Outcome.NO_EVIDENCE,
        r"1.000 is above the baseline of 0.900 \(any guess\), with no evidence",
    ),
    "uninformative": (
        br.Confusion(tp=9, fp=50, fn=1, tn=40),
        "TPR",
        br.Outcome.UNINFORMATIVE,
        r"0.900 is uninformative on its own: everyone positive already scores 1.000",
    ),
    "undefined score": (
        br.Confusion(fn=10, tn=90),
        "PPV",
        br.Outcome.UNDEFINED,
        r"Precision \(PPV\) of model is undefined: it needs P̂ > 0 \(got predicted_positives = 0\)",
    ),
    "no baseline": (
        br.Confusion(tp=9, fp=50, fn=1, tn=40),
        "PT",
        br.Outcome.UNDEFINED,
        "PT has scores and no baseline",
    ),
}


@pytest.mark.parametrize("case", OUTCOMES)
def test_outcomes(case: str) -> None:
    """Each outcome has the sentence that users read."""
    table, key, outcome, sentence = OUTCOMES[case]
    (verdict,) = br.evaluate(predictions=table, measures=key)
    assert verdict.outcome is outcome
    is_informative = outcome is not br.Outcome.UNINFORMATIVE and case != "no baseline"
    assert verdict.informative == is_informative
    assert re.search(sentence, str(verdict)), str(verdict)


def test_every_outcome_is_tested() -> None:
    """The cases above cover all outcomes; one is of references only."""
    tested = {outcome for _, _, outcome, _ in OUTCOMES.values()}
    assert tested == {*br.Outcome} - {br.Outcome.WORSE}


def test_a_score_of_pt_is_kept() -> None:
    """PT has a score and no baseline."""
    (verdict,) = br.evaluate(predictions=TREE_TABLE, measures="PT")
    assert verdict.score == br.get_measure("PT").score(TREE_TABLE)


def test_undefined_for_one_model_leaves_the_others() -> None:
    """Without positive predictions a model has no precision; its recall is still reported."""
    report = br.evaluate(Y_TRUE, {"none": [0] * 10, "tree": TREE}, ["PPV", "ACC"])
    outcomes = [(verdict.model, verdict.measure, verdict.outcome.value) for verdict in report]
    assert outcomes == [
        ("none", "PPV", "undefined"),
        ("none", "ACC", "no_evidence"),
        ("tree", "PPV", "unsure"),
        ("tree", "ACC", "unsure"),
    ]


def test_a_model_that_predicts_one_class_fails() -> None:
    """Without a score it fails as well, where there was a baseline to beat; and it is named."""
    report = br.evaluate(Y_TRUE, {"none": [0] * 10}, ["PPV", "ACC", "TPR"])
    assert [verdict.measure for verdict in report.failures] == ["PPV", "ACC"]
    assert "none: predicts no positives." in str(report)
    assert str(report["none", "PPV"]).endswith("It predicts no positives.")


def test_a_custom_measure_of_whole_counts() -> None:
    """A measure that rejects fractional counts lacks only the Dutch Scaler."""
    bits = br.Measure.custom("bits", lambda tp, fp, fn, tn: math.comb(int(tp), 0) * _whole(tp))
    (verdict,) = br.evaluate(predictions=TREE_TABLE, measures=bits)
    assert verdict.score == 2
    assert math.isnan(verdict.dutch_scaler)
    assert verdict.rescaled == pytest.approx(-1 / 3)


def _whole(count: float) -> int:
    if count != int(count):
        raise TypeError(count)
    return int(count)


def test_a_custom_measure_that_no_law_can_be_made_of() -> None:
    """A ratio that is infinite for some draw has a score and a baseline, but no luck interval."""
    ratio = br.Measure.custom("LR+", lambda tp, fp, fn, tn: (tp / (tp + fn)) / (fp / (fp + tn)))
    report = br.evaluate(None, br.Confusion(tp=5, fp=3, fn=4, tn=20), ["F1", ratio])
    assert report["model", "LR+"].score == pytest.approx((5 / 9) / (3 / 23))
    assert math.isnan(report["model", "LR+"].null_low)


def test_better_than_a_table_without_errors() -> None:
    """For a custom measure, a model may beat a baseline that an error-free table does not."""
    spread = br.Measure.custom("spread", lambda tp, fp, fn, tn: tp * fn)
    (verdict,) = br.evaluate(None, br.Confusion(tp=5, fp=9, fn=5, tn=9), spread)
    assert (verdict.beats, verdict.informative) == (True, True)
    assert verdict.outcome is br.Outcome.UNSURE


# Groups.


def test_groups_have_their_own_base_rate() -> None:
    """Each group has its own verdict next to the overall one, and the finding comes first."""
    # In the north all but two are positive, and the model is a coin toss.
    y_true = [1] * 8 + [0] * 2 + [1] * 8 + [0] * 82
    y_pred = [1, 1, 1, 1, 0, 0, 0, 0, 1, 0] + [1] * 8 + [0] * 82
    region = ["north"] * 10 + ["south"] * 90
    report = br.evaluate(y_true, {"m": y_pred}, ["F1", "ACC"], by=pd.Series(region, name="region"))
    assert report.groups == ("north", "south")
    assert report.by == "region"
    tables = {performance.group: performance.table for performance in report.performances}
    assert tables == {
        None: br.Confusion.of(y_true, y_pred),
        "north": br.Confusion.of(y_true[:10], y_pred[:10]),
        "south": br.Confusion.of(y_true[10:], y_pred[10:]),
    }
    north = report["m", "F1", "north"]
    assert north.baseline == br.baseline(y_true[:10], "F1").best.value
    assert report["m", "F1"].outcome is br.Outcome.CLEARS
    assert [(v.measure, v.group) for v in report.findings] == [("F1", "north"), ("ACC", "north")]
    assert str(report).startswith("~ Overall m beats guessing, but it does not for north.")


GROUPS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "strings": (["b", "a"] * 5, ("a", "b")),
    "numbers": (np.array([2024, 2023] * 5), (2023, 2024)),
    "floats with nan": (np.array([1.0, math.nan] * 5), (1.0, "(missing)")),
    "None": (["a", None] * 5, ("a", "(missing)")),
    "booleans": (pl.Series([True, False] * 5), (False, True)),
    "dates": ([dt.date(2024, 1, 2), dt.date(2023, 1, 2)] * 5, ("2023-01-02", "2024-01-02")),
    "datetimes": (pd.Series(pd.to_datetime(["2024-01-02", None] * 5)), None),
    "objects that are numbers": (np.array([10, 2] * 5, dtype=object), (2, 10)),
    "numbers and text": (np.array([1, "a"] * 5, dtype=object), (1, "a")),
    "infinity": ([1.0, math.inf] * 5, (1.0, "inf")),
    "durations": (np.array([5, 3] * 5, dtype="m8[D]"), ("3 days, 0:00:00", "5 days, 0:00:00")),
    "masked": (np.ma.array([1, 2] * 5, mask=[False, True] * 5), (1, "(missing)")),
    "categories": (pd.Series(["x", "y"] * 5, dtype="category"), ("x", "y")),
    "polars": (pl.Series(["x", None] * 5), ("x", "(missing)")),
    "pyarrow": (pa.array(["x", "y"] * 5), ("x", "y")),
}


@pytest.mark.parametrize("case", GROUPS)
def test_groups_of_any_kind(case: str) -> None:
    """Any column makes groups; missing values form their own group; the tables add up."""
    by, names = GROUPS[case]
    report = br.evaluate(Y_TRUE, TREE, "ACC", by=by)
    assert names is None or report.groups == names
    assert len(report.groups) == 2
    parts = [each.table for each in report.performances if each.group is not None]
    assert sum(parts, br.Confusion()) == TREE_TABLE


def test_a_group_with_one_class() -> None:
    """Measures that need both classes are undefined there; the rest is reported."""
    report = br.evaluate(Y_TRUE, TREE, by=[0, 0, 0, 1, 1, 1, 1, 1, 1, 1])
    assert report["model", "MCC", 0].outcome is br.Outcome.UNDEFINED
    assert "it needs" in str(report["model", "MCC", 0])
    assert report["model", "ACC", 0].outcome is br.Outcome.UNINFORMATIVE
    assert report["model", "MCC"].outcome is br.Outcome.UNSURE


# Bad input.


BAD: dict[str, tuple[type[BaserateError], str, Callable[[], object]]] = {
    "another length": (
        InvalidLabelsError,
        r"y_true and model 'knn' must be equally long \(got 10 and 9\)",
        lambda: br.evaluate(Y_TRUE, {"tree": TREE, "knn": KNN[:-1]}),
    ),
    "another class": (
        TooManyClassesError,
        r"model 'knn' must .* \(got 0, 1, 2; the third is 2 at position 9 of model 'knn'\)",
        lambda: br.evaluate(Y_TRUE, {"tree": TREE, "knn": [*KNN[:-1], 2]}),
    ),
    "another word": (
        TooManyClassesError,
        "the third is 'maybe' at position 2 of model 'm'",
        lambda: br.evaluate(["y", "n", "y"], {"m": ["y", "n", "maybe"]}),
    ),
    "probabilities": (
        TooManyClassesError,
        "AUC, AP, Brier and log loss take scores; other measures take labels",
        lambda: br.evaluate(Y_TRUE, {"m": np.linspace(0, 1, 10)}, "F1"),
    ),
    "a missing value": (
        InvalidLabelsError,
        r"model 'knn' must not have missing values \(got 2, the first at position 3\)",
        lambda: br.evaluate(Y_TRUE, {"knn": [0, 1, 0, None, 1, 0, None, 0, 0, 0]}),
    ),
    "a missing value of pandas": (
        InvalidLabelsError,
        r"model 'knn' must not have missing values \(got 1, the first at position 9\)",
        lambda: br.evaluate(Y_TRUE, pd.DataFrame({"knn": [*KNN[:-1], None]})),
    ),
    "a missing truth": (
        InvalidLabelsError,
        "y_true must not have missing values",
        lambda: br.evaluate([math.nan, *Y_TRUE[1:]], {"knn": KNN}),
    ),
    "unknown positive": (
        InvalidLabelsError,
        "pos_label must say which class",
        lambda: br.evaluate(["y", "n"], {"m": ["y", "n"]}),
    ),
    "two dimensions": (
        InvalidLabelsError,
        "model 'model' must be one-dimensional",
        lambda: br.evaluate(Y_TRUE, np.zeros((10, 2)), "F1"),
    ),
    "an empty mapping": (
        InvalidPredictionsError,
        "at least one model",
        lambda: br.evaluate(Y_TRUE, {}),
    ),
    "an empty frame": (
        InvalidPredictionsError,
        "at least one model",
        lambda: br.evaluate(Y_TRUE, pd.DataFrame()),
    ),
    "no predictions": (
        InvalidPredictionsError,
        "at least one model",
        lambda: br.evaluate(Y_TRUE),
    ),
    "duplicate names": (
        InvalidPredictionsError,
        r"every model must have its own name \(got '1' twice\)",
        lambda: br.evaluate(Y_TRUE, {1: TREE, "1": KNN}),
    ),
    "duplicate columns": (
        InvalidPredictionsError,
        r"every model must have its own name \(got 'a' twice\)",
        lambda: br.evaluate(Y_TRUE, pd.DataFrame(np.array([TREE, KNN]).T, columns=["a", "a"])),
    ),
    "labels without truth": (
        InvalidPredictionsError,
        "y_true must be given for the predicted labels of model 'tree'",
        lambda: br.evaluate(None, {"tree": TREE}),
    ),
    "a table of another test set": (
        InvalidPredictionsError,
        r"model 'tree' must be counted on the labels of y_true, BaseRate\(positives=3, total=10\)",
        lambda: br.evaluate(Y_TRUE, {"tree": br.Confusion(tp=3, tn=9)}),
    ),
    "an empty table": (
        InvalidPredictionsError,
        "model 'tree' must have at least one observation",
        lambda: br.evaluate(None, {"tree": br.Confusion()}),
    ),
    "groups of a table": (
        InvalidPredictionsError,
        "by must come with predicted labels",
        lambda: br.evaluate(None, {"tree": TREE_TABLE}, by=[1] * 10),
    ),
    "groups of another length": (
        InvalidPredictionsError,
        r"equally long \(got 9 groups and 10 labels\)",
        lambda: br.evaluate(Y_TRUE, TREE, by=["a"] * 9),
    ),
    "a name for a group column": (
        InvalidPredictionsError,
        r"by must be a column with the group of each observation \(got 'region'\)",
        lambda: br.evaluate(Y_TRUE, TREE, by="region"),
    ),
    "ragged groups": (
        InvalidPredictionsError,
        "by must be a column with the group of each observation",
        lambda: br.evaluate(Y_TRUE, TREE, by=[[1], [1, 2]] * 5),
    ),
    "a number for a measure": (
        UnknownMeasureError,
        "unknown measure 5",
        lambda: br.evaluate(Y_TRUE, TREE, 5),  # type: ignore[arg-type]
    ),
    "two measures to assert": (
        InvalidMeasureError,
        "measure must be a single one .* call assert_beats_baseline for each, or evaluate",
        lambda: br.assert_beats_baseline(Y_TRUE, TREE, ["F1", "ACC"]),  # type: ignore[arg-type]
    ),
    "an alpha that is no level": (
        InvalidProbabilityError,
        r"alpha must be between 0.001 and 0.5 \(got 5\); 5% is written 0.05",
        lambda: br.assert_beats_baseline(Y_TRUE, TREE, "F1", alpha=5),
    ),
    "no measures": (
        InvalidMeasureError,
        "at least one measure",
        lambda: br.evaluate(Y_TRUE, TREE, []),
    ),
    "a measure twice": (
        InvalidMeasureError,
        r"each measure once \(got 'f1' and 'Dice', which are both F1\)",
        lambda: br.evaluate(Y_TRUE, TREE, ["f1", "Dice"]),
    ),
    "an unknown measure": (
        UnknownMeasureError,
        "did you mean",
        lambda: br.evaluate(Y_TRUE, TREE, ["precison"]),
    ),
    "a negative margin": (
        InvalidMeasureError,
        "margin must be a number of at least 0",
        lambda: br.assert_beats_baseline(Y_TRUE, TREE, "F1", margin=-1),
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case: str) -> None:
    """The error names the model, and the position of the first offender."""
    error, message, call = BAD[case]
    with pytest.raises(error, match=message):
        call()


# For a test suite.


def test_assert_beats_baseline() -> None:
    """It passes silently if there is evidence, and fails with the verdict."""
    many, tree = Y_TRUE * 10, TREE * 10
    br.assert_beats_baseline(many, tree, "F1")
    br.assert_beats_baseline(many, tree, "F1", margin=0.02, alpha=0.2)
    with pytest.raises(AssertionError, match=r"^F1 of model misses the bar: .* 0.250 is below"):
        br.assert_beats_baseline(Y_TRUE, KNN, "F1")
    with pytest.raises(
        AssertionError, match=r"bar: the lower limit of the margin is 0.0\d+, 0.1\d+ below 0.2\."
    ):
        br.assert_beats_baseline(many, tree, "F1", margin=0.2)
    with pytest.raises(AssertionError, match=r"but not significantly: .* p = 0.183"):
        br.assert_beats_baseline(Y_TRUE, TREE, "F1")
    with pytest.raises(AssertionError, match="is uninformative on its own"):
        br.assert_beats_baseline(Y_TRUE, Y_TRUE, "TPR")
    with pytest.raises(AssertionError, match="it needs"):
        br.assert_beats_baseline(Y_TRUE, [0] * 10, "PPV")
    br.assert_beats_baseline(["y", "n"] * 9, ["y", "n"] * 9, "ACC", pos_label="y")


def test_numbers_alone_may_be_compared() -> None:
    """Without alpha the paper's criterion decides, with no word about luck."""
    br.assert_beats_baseline(Y_TRUE, TREE, "F1", alpha=None)
    br.assert_beats_baseline(Y_TRUE, TREE, "F1", margin=0.2, alpha=None)
    with pytest.raises(AssertionError, match=r"bar: the margin is 0.205128, 0.0049 below 0.21"):
        br.assert_beats_baseline(Y_TRUE, TREE, "F1", margin=0.21, alpha=None)
    with pytest.raises(AssertionError, match="is below the baseline"):
        br.assert_beats_baseline(Y_TRUE, KNN, "F1", alpha=None)


@pytest.mark.parametrize("total", [10, 30, 70])
def test_a_margin_of_tenths_is_reached(total: int) -> None:
    """0.9 - 0.8 is a float below 0.1, but passes a margin of 0.1."""
    tenth = total // 10
    table = br.Confusion(tp=tenth, fn=tenth, tn=8 * tenth)
    br.assert_beats_baseline(None, table, "ACC", margin=0.1, alpha=None)
    with pytest.raises(AssertionError):
        br.assert_beats_baseline(None, table, "ACC", margin=0.1 + 1e-12, alpha=None)


def test_scores_are_written_until_they_differ() -> None:
    """A sentence never says that 1.000 clears 1.000."""
    (verdict,) = br.evaluate(None, br.Confusion(tp=490, fp=20, fn=10, tn=999_480), "ACC")
    assert str(verdict).startswith("Accuracy of model: 1.0000 beats the baseline of 0.9995 (")


def test_a_margin_is_in_the_measure_s_direction() -> None:
    """A cost must be lower by the margin."""
    (verdict,) = br.evaluate(Y_TRUE, TREE, "FDR")
    assert verdict.margin == pytest.approx(0.7 - 1 / 3)
    assert verdict.margin_low < verdict.margin < verdict.margin_high
    br.assert_beats_baseline(Y_TRUE, TREE, "FDR", margin=0.3, alpha=None)
    with pytest.raises(AssertionError):
        br.assert_beats_baseline(Y_TRUE, TREE, "FDR", margin=0.4, alpha=None)
