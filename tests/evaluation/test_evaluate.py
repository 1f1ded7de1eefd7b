"""`evaluate`: the verdicts, and every form of predictions."""

from __future__ import annotations

import datetime as dt
import math
from fractions import Fraction
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
    UndefinedMeasureError,
)
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from strategies import tables

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

Y_TRUE = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
TREE = [1, 1, 0, 0, 0, 0, 0, 0, 0, 1]
KNN = [0, 1, 0, 0, 0, 1, 1, 1, 0, 1]
TREE_TABLE = br.ConfusionMatrix(tp=2, fp=1, fn=1, tn=6)
KNN_TABLE = br.ConfusionMatrix(tp=1, fp=4, fn=2, tn=3)

# Forms of predictions.


NAMED: dict[str, tuple[Any, Any, dict[str, Any], dict[str, br.ConfusionMatrix]]] = {
    "a column by its place": (
        Y_TRUE, pd.DataFrame(np.array([TREE, KNN]).T), {}, {"0": TREE_TABLE, "1": KNN_TABLE},
    ),
    "a column of a tuple": (
        Y_TRUE, pd.DataFrame(TREE, columns=pd.MultiIndex.from_tuples([("a", 1)])), {},
        {"('a', 1)": TREE_TABLE},
    ),
    "a list": (Y_TRUE, TREE, {}, {"model": TREE_TABLE}),
    "a table": (None, TREE_TABLE, {}, {"model": TREE_TABLE}),
    "a series": (Y_TRUE, pd.Series(TREE, name="tree"), {}, {"tree": TREE_TABLE}),
    "a nameless series": (Y_TRUE, pl.Series(TREE), {}, {"model": TREE_TABLE}),
    "words": (
        ["ill" if each else "well" for each in Y_TRUE],
        ["ill" if each else "well" for each in TREE],
        {"pos_label": "ill"}, {"model": TREE_TABLE},
    ),
    "signs": ([2 * y - 1 for y in Y_TRUE], [2 * y - 1 for y in TREE], {}, {"model": TREE_TABLE}),
}  # fmt: skip


@pytest.mark.parametrize("case", NAMED)
def test_names_and_labels(case: str) -> None:
    """A model is called as its column, or model; labels of any two classes are counted alike."""
    y_true, predictions, options, tables = NAMED[case]
    report = br.evaluate(y_true, predictions, "F1", **options)
    assert {each.model: each.table for each in report.performances} == tables


# The verdicts.


@given(tables(), st.sampled_from(list(TWO_CLASS_MEASURES)))
def test_a_verdict_has_the_numbers_of_the_library(table: br.ConfusionMatrix, key: str) -> None:
    """Each number of a verdict equals that of its own function, and the outcome follows."""
    measure = br.get_measure(key)
    (verdict,) = br.evaluate(y_pred=table, measures=key)
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
COST = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + fn, direction="minimize")
OUTCOMES: dict[str, tuple[br.ConfusionMatrix, Any, br.Outcome]] = {
    "clears": (br.ConfusionMatrix(tp=8, fp=4, fn=2, tn=86), "F1", br.Outcome.CLEARS),
    "better by chance": (br.ConfusionMatrix(tp=1, fp=6, fn=9, tn=84), "MCC", br.Outcome.UNSURE),
    "its margin may not be": (
        br.ConfusionMatrix(tp=98, fp=62, fn=41, tn=102),
        "F1",
        br.Outcome.UNSURE,
    ),
    "learned": (br.ConfusionMatrix(tp=9, fp=50, fn=1, tn=40), "ACC", br.Outcome.LEARNED),
    "no evidence": (br.ConfusionMatrix(tp=1, fp=10, fn=9, tn=80), "F1", br.Outcome.NO_EVIDENCE),
    "no hit among few": (br.ConfusionMatrix(fn=5, fp=5, tn=990), "F1", br.Outcome.NO_EVIDENCE),
    "a tie is not better": (br.ConfusionMatrix(tp=10, fp=90), "F1", br.Outcome.NO_EVIDENCE),
    "a tie with every draw": (
        br.ConfusionMatrix(tp=1, fp=9, fn=9, tn=81),
        "MCC",
        br.Outcome.NO_EVIDENCE,
    ),
    "reversed": (br.ConfusionMatrix(tp=1, fp=60, fn=9, tn=30), "F1", br.Outcome.REVERSED),
    "reversed, minimized": (br.ConfusionMatrix(fp=85, fn=10, tn=5), COST, br.Outcome.REVERSED),
    "chance has few hits": (br.ConfusionMatrix(fp=10, fn=10, tn=80), "FDR", br.Outcome.NO_EVIDENCE),
    "uninformative": (
        br.ConfusionMatrix(tp=9, fp=50, fn=1, tn=40),
        "TPR",
        br.Outcome.UNINFORMATIVE,
    ),
    "undefined score": (br.ConfusionMatrix(fn=10, tn=90), "PPV", br.Outcome.UNDEFINED),
    "no baseline": (br.ConfusionMatrix(tp=9, fp=50, fn=1, tn=40), "PT", br.Outcome.UNDEFINED),
    "close": (br.ConfusionMatrix(tp=490, fp=20, fn=10, tn=999_480), "ACC", br.Outcome.CLEARS),
}


def test_outcomes(snapshot: SnapshotAssertion) -> None:
    """Each outcome has the sentence that users read; all are here but one of references only."""
    sentences = []
    for case, (table, measure, outcome) in OUTCOMES.items():
        (verdict,) = br.evaluate(y_pred=table, measures=measure)
        assert verdict.outcome is outcome
        is_informative = outcome is not br.Outcome.UNINFORMATIVE and case != "no baseline"
        assert verdict.informative == is_informative
        sentences.append(f"{case}:\n{verdict}\n")
    assert "\n".join(sentences) == snapshot
    assert {outcome for _, _, outcome in OUTCOMES.values()} == {*br.Outcome} - {br.Outcome.WORSE}


def test_a_model_that_predicts_one_class_fails() -> None:
    """Without a score it fails as well, where there was a baseline to beat; and it is named."""
    report = br.evaluate(Y_TRUE, {"none": [0] * 10}, ["PPV", "ACC", "TPR"])
    assert [verdict.measure for verdict in report.failures] == ["PPV", "ACC"]
    assert "none: predicts no positives." in str(report)
    assert str(report["none", "PPV"]).endswith("It predicts no positives.")


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
        None: br.ConfusionMatrix.of(y_true, y_pred),
        "north": br.ConfusionMatrix.of(y_true[:10], y_pred[:10]),
        "south": br.ConfusionMatrix.of(y_true[10:], y_pred[10:]),
    }
    north = report["m", "F1", "north"]
    assert north.baseline == br.baseline(y_true[:10], "F1").best.value
    assert report["m", "F1"].outcome is br.Outcome.CLEARS
    assert [(v.measure, v.group) for v in report.findings] == [("F1", "north"), ("ACC", "north")]
    assert str(report).startswith("~ Overall m beats guessing, but it does not for north.")
    assert "north" in report.group("north").to_html()


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
    assert sum(parts, br.ConfusionMatrix()) == TREE_TABLE


# The gate of a test suite.

MANY = (Y_TRUE * 10, TREE * 10)
PASSES: list[tuple[Any, Any, str, dict[str, Any]]] = [
    (*MANY, "F1", {}),
    (*MANY, "F1", {"margin": 0.02, "alpha": 0.2}),
    (*MANY, "F1", {"margin": Fraction(1, 50), "alpha": 0.2}),
    (["y", "n"] * 9, ["y", "n"] * 9, "ACC", {"pos_label": "y"}),
    (Y_TRUE, TREE, "F1", {"alpha": None}),  # the paper's criterion, with no word about chance
    (Y_TRUE, TREE, "F1", {"margin": 0.2, "alpha": None}),
    (Y_TRUE, TREE, "FDR", {"margin": 0.3, "alpha": None}),  # a cost is lower by the margin
    *(
        (
            None,
            br.ConfusionMatrix(tp=each, fn=each, tn=8 * each),
            "ACC",
            {"margin": 0.1, "alpha": None},
        )
        for each in (1, 3, 7)  # 0.9 - 0.8 is a float below 0.1
    ),
]
FAILS: list[tuple[Any, Any, str, dict[str, Any], str]] = [
    (Y_TRUE, KNN, "F1", {}, r"^F1 of model misses the bar: the margin is -0.* 0.250 is below"),
    (*MANY, "F1", {"margin": 0.2}, r"the lower limit of the margin is 0.0\d+, 0.1\d+ below 0.2"),
    (Y_TRUE, TREE, "F1", {}, r"but not significantly: .* p = 0.183"),
    (Y_TRUE, Y_TRUE, "TPR", {}, "is uninformative on its own"),
    (Y_TRUE, [0] * 10, "PPV", {}, "it needs"),
    (Y_TRUE, TREE, "F1", {"margin": 0.21, "alpha": None}, r"margin is 0.205128, 0.0049 below 0.21"),
    (Y_TRUE, KNN, "F1", {"alpha": None}, "is below the baseline"),
    (Y_TRUE, TREE, "FDR", {"margin": 0.4, "alpha": None}, "below 0.4"),
    (None, TREE_TABLE, "ACC", {"margin": 0.1 + 1e-12, "alpha": None}, "below 0.1"),
]


def test_assert_beats_baseline_in_every_group() -> None:
    """The whole test set passes, and one of its groups does not; all that fail are named."""
    truth, right = [0, 1] * 100, [0, 1] * 60 + [1, 0] * 40
    groups = ["a"] * 60 + ["b"] * 60 + ["c"] * 80
    br.assert_beats_baseline(truth[:120], right[:120], "MCC", by=groups[:120])
    with pytest.raises(AssertionError, match="MCC of model in group c misses the bar") as raised:
        br.assert_beats_baseline(truth, right, "MCC", by=groups)
    assert "group a" not in str(raised.value)


def test_assert_beats_baseline() -> None:
    """It passes silently if there is evidence, and fails with what is missing and the verdict."""
    for y_true, predicted, measure, options in PASSES:
        br.assert_beats_baseline(y_true, predicted, measure, **options)
    for y_true, predicted, measure, options, says in FAILS:
        with pytest.raises(AssertionError, match=says):
            br.assert_beats_baseline(y_true, predicted, measure, **options)
