"""What somebody meets who calls the library for the first time, and not quite as it is meant."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import baserate as br
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.task import TASKS, is_count

pytest_plugins = "pytester"

Y = [1, 1, 0, 0, 0, 1] * 5
P = [1, 0, 0, 0, 1, 1] * 5
CLASSES = ["a", "b", "c"] * 20
RATE = br.BaseRate(positives=3, total=10)
TABLE = br.ConfusionMatrix(tp=2, fp=1, fn=1, tn=6)

# Labels that work: (labels, pos_label, positives, total).
GOOD_LABELS = {
    "integers": ([0, 1, 1, 0], None, 2, 4),
    "minus one and one": ([-1, 1, 1], None, 2, 3),
    "only minus ones": ([-1, -1], None, 0, 2),
    "floats": (np.array([0.0, 1.0, 1.0]), None, 2, 3),
    "strided": (np.array([0, 9, 1, 9, 1, 9])[::2], None, 2, 3),
    "one class of ones": ([1, 1, 1], None, 3, 3),
    "one class of zeros": ([0, 0], None, 0, 2),
    "one class, named": (["no", "no"], "yes", 0, 2),
    "zero is positive": ([0, 1, 1], 0, 1, 3),
    "False is positive": ([False, True], False, 1, 2),
    "a tuple": ((0, 1), None, 1, 2),
    "a range": (range(2), None, 1, 2),
    "masked, nothing hidden": (np.ma.array([0, 1]), None, 1, 2),
    "pandas": (pd.Series([0, 1, 1], index=[5, 5, 7]), None, 2, 3),
    "an unused category": (pd.Categorical([0, 1], categories=[0, 1, 2]), None, 1, 2),
    "pyarrow chunks": (pa.chunked_array([[True], [False]]), None, 1, 2),
}


@pytest.mark.parametrize("name", GOOD_LABELS)
def test_labels_that_work(name: str) -> None:
    """Two classes in any notation are counted, as truth and as prediction."""
    labels, pos_label, positives, total = GOOD_LABELS[name]
    assert br.BaseRate.of(labels, pos_label) == br.BaseRate(positives=positives, total=total)
    table = br.ConfusionMatrix.of(labels, labels, pos_label)
    assert table == br.ConfusionMatrix(tp=positives, tn=total - positives)


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
            assert math.isnan(measure.score(br.ConfusionMatrix()))


def test_warning_points_at_the_caller() -> None:
    """A warning points to the user's own line."""
    with pytest.warns(br.exceptions.UndefinedMeasureWarning) as caught:
        br.get_measure("PPV").score(br.ConfusionMatrix(tn=1))
    assert caught[0].filename == __file__


def test_counts_from_a_data_frame() -> None:
    """Data frames return sums in many types: whole numbers are counts."""
    counts = {"tp": np.int64(2), "fp": 1.0, "fn": np.float32(1), "tn": Decimal(6)}
    assert br.ConfusionMatrix(**counts) == TABLE  # type: ignore[arg-type]
    assert all(type(count) is int for count in br.ConfusionMatrix(**counts).flat.values())  # type: ignore[arg-type]


def test_large_and_small_numbers() -> None:
    """Up to 1e300 and down to 1e-300, every measure is computed without a warning of numpy."""
    for size in (1e300, 1e-300):
        y_true, y_pred = [size, -size, size / 3] * 4, [size / 2, size, -size] * 4
        for measures in (["MAE", "RMSE", "R2", "Pearson"], ["MedAE", "sMAPE", "CCC"]):
            report = br.evaluate(y_true, {"m": y_pred}, measures, task="regression")
            assert br.Report.from_json(report.to_json()) == report
            assert str(br.compare(y_true, {"m": y_pred, "n": y_true[::-1]}, measures))


def test_a_ranking_is_praised_even_if_its_threshold_is_not() -> None:
    """What AUC says of the scores is said beside what the labels at the threshold lack."""
    truth = [0] * 20 + [1] * 20
    report = br.evaluate(truth, np.arange(40.0), ["AUC", "F1"], threshold=50)
    assert [verdict.measure for verdict in report.failures] == ["F1"]
    said = " ".join(str(report).split())
    assert said.startswith("~ model beats guessing by one of two measures. Not by F1.")


def test_only_who_learned_something_has_a_remedy() -> None:
    """The others need none."""
    table = br.ConfusionMatrix(tp=52, fp=41, fn=87, tn=123)
    report = br.evaluate(None, {"tree": table}, "all")
    assert {verdict.outcome for verdict in report} > {br.Outcome.LEARNED, br.Outcome.CLEARS}
    for verdict in report:
        assert bool(verdict.remedy) == (verdict.outcome is br.Outcome.LEARNED)
    for adjusted in br.evaluate(None, {"tree": table, "other": table}, "F1", adjust="holm"):
        assert bool(adjusted.remedy) == (adjusted.outcome is br.Outcome.LEARNED)


def test_predictions_that_share_some_label_with_the_truth() -> None:
    """A stray label is one of the rest, and so is all of a batch or of a truth of one class."""
    stray = ["z"] * 59 + ["b"]
    assert br.evaluate(CLASSES, stray, "ACC", pos_label="a").verdicts[0].score == 2 / 3
    frame = pl.DataFrame({"y": CLASSES, "p": stray}).lazy()
    assert br.evaluate(frame, "p", "ACC", truth="y", pos_label="a").verdicts[0].score == 2 / 3
    assert br.ConfusionMatrix.of(["yes"] * 3, ["no"] * 3, "yes") == br.ConfusionMatrix(fn=3)


def test_a_series_with_the_name_of_the_truth_is_a_model() -> None:
    """Its name is that of the column that it predicts, and not that of the model."""
    truth, predicted = pd.Series(Y, name="target"), pd.Series(P, name="target")
    assert br.evaluate(truth, predicted, "F1").models == ("model",)
    assert br.evaluate(truth, predicted.rename("tree"), iter(["F1"])).models == ("tree",)
    report = br.evaluate(truth, predicted, "F1", reference=predicted)
    assert (report.models, report.verdicts[0].reference) == (("model",), "reference")


def test_a_gate_shows_its_sentence_only(pytester: pytest.Pytester) -> None:
    """And none of the lines of the library."""
    pytester.makepyfile(
        """
        import baserate as br

        def test_model():
            br.assert_beats_baseline([0, 1] * 20, [1, 0] * 20, "F1")

        def test_model_against_another():
            truth = [0, 1] * 20
            br.assert_beats_baseline(truth, [1, 0] * 20, "ACC", reference=truth)
        """
    )
    run = pytester.runpytest("-p", "no:cacheprovider")
    run.assert_outcomes(failed=2)
    text = run.stdout.str()
    assert "AssertionError: F1 of model misses the bar: the margin is -0.66" in text
    assert "evaluate.py" not in text


def test_undefined_numbers_are_equal() -> None:
    """Also if they are not the same object, as after reading JSON."""
    (verdict,) = br.evaluate(Y, [0] * 30, "F1")
    performance = replace(verdict.performance, p_value=float("nan"))
    twin = replace(verdict.performance, p_value=float("nan"))
    assert performance == twin
    assert len({performance, twin}) == 1
    assert performance != replace(twin, p_value=0.5)
    assert replace(verdict, performance=performance) == replace(verdict, performance=twin)
    assert performance != verdict


# Counts have no decimals.

COUNTS = ("TP", "TN", "FN", "FP")
# A count that is written as if it were measured.
_DECIMALS = re.compile(r"\b\d+\.000\b")


def test_what_counts() -> None:
    """The four cells of the table, and nothing else."""
    assert {each.key for task in TASKS.values() for each in task.chosen("all") if each.counts} == {
        *COUNTS
    }
    assert [key for key in (*TWO_CLASS_MEASURES, "cost", "RMSE", "hits") if is_count(key)] == [
        *COUNTS
    ]


@pytest.mark.parametrize("table", [(1, 0, 0, 9), (12, 3, 2, 13), (0, 1, 1, 0)])
def test_no_report_gives_a_count_decimals(table: tuple[int, int, int, int]) -> None:
    """Sentences, tables and tooltips write 12, and not 12.000."""
    tp, fp, fn, tn = table
    report = br.evaluate(None, br.ConfusionMatrix(tp=tp, fp=fp, fn=fn, tn=tn), COUNTS)
    for verdict in report:
        said = str(verdict).partition("p = ")[0]
        assert not _DECIMALS.search(said)
        assert not _DECIMALS.search(
            str(br.confidence_interval(None, report.performances[0].table, verdict.measure))
        )
    rows = [line for line in str(report).splitlines() if any(key in line for key in COUNTS)]
    assert rows
    assert not any(map(_DECIMALS.search, rows))
    assert not any(map(_DECIMALS.search, report.to_markdown().split("p-value")[0].splitlines()))
