"""The groups of a report: a table per model, worst first."""

from __future__ import annotations

import baserate as br
from baserate.report.matrices import matrices

Y_TRUE = [1, 0, 0, 0] * 40 + [1, 0]
BY = ["fine"] * 40 + ["silent"] * 40 + ["swapped"] * 40 + ["good"] * 40 + ["tiny"] * 2
Y_PRED = Y_TRUE[:40] + [0] * 40 + [1 - label for label in Y_TRUE[80:120]] + Y_TRUE[120:160] + [0, 1]


def test_worst_first() -> None:
    """Reversed groups, then failing ones, then the others; those too small come last."""
    report = br.evaluate(Y_TRUE, {"m": Y_PRED}, ["TPR", "ACC", "MCC"], by=BY)
    (matrix,) = matrices(report)
    assert [row.performance.group for row in matrix.rows] == [
        "swapped", "silent", "fine", "good", "tiny",
    ]  # fmt: skip
    assert [row.is_too_small for row in matrix.rows] == [False] * 4 + [True]


def test_measures_that_show_nothing_come_last() -> None:
    """So a reader sees first what tells something."""
    report = br.evaluate(Y_TRUE, {"m": Y_PRED}, ["TPR", "ACC", "MCC"], by=BY)
    (matrix,) = matrices(report)
    assert [verdict.measure for verdict in matrix.measures] == ["ACC", "MCC", "TPR"]
    assert [verdict.measure for verdict in matrix.rows[0].verdicts if verdict] == [
        "ACC", "MCC", "TPR",
    ]  # fmt: skip


def test_one_for_each_model_without_the_whole_test_set() -> None:
    """Models have a matrix each, a part may have gaps, and a report without groups has none."""
    report = br.evaluate(Y_TRUE, {"m": Y_PRED, "n": Y_TRUE}, ["ACC", "F1"], by=BY)
    assert [matrix.model for matrix in matrices(report)] == ["m", "n"]
    assert all(row.performance.group is not None for row in matrices(report)[0].rows)
    (gaps,) = matrices(br.Report(report["m"].verdicts[:-1]))
    assert [row.verdicts[1] for row in gaps.rows if row.performance.group == "tiny"] == [None]
    assert matrices(report.overall) == ()


def test_p_values() -> None:
    """A row has the p-value that its measures share, adjusted, or that of the first measure."""
    report = br.evaluate(Y_TRUE, {"m": Y_PRED}, "ACC", by=BY, adjust="holm")
    (matrix,) = matrices(report)
    for row in matrix.rows:
        assert row.p_value.value == report["m", "ACC", row.performance.group].p_adjusted  # type: ignore[index]
    own = br.Measure.custom("own", lambda tp, fp, fn, tn: (tp - fn) ** 2 + fp)
    another = br.Measure.custom("another", lambda tp, fp, fn, tn: (tp - fn) ** 2 + fn)
    report = br.evaluate(Y_TRUE, {"m": Y_PRED}, [own, another], by=BY)
    (matrix,) = matrices(report)
    assert matrix.p_title == "p-value of own"
    (alone,) = matrices(br.Report([verdict for verdict in report if verdict.measure == "own"]))
    assert alone.p_title == "p-value"
    for row in (*matrix.rows, *alone.rows):
        assert row.p_value.value == report["m", "own", row.performance.group].p_adjusted  # type: ignore[index]
