"""Labels with importance weights as a task: reading, scores, verdicts, comparisons and records."""

from __future__ import annotations

import math
import warnings

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest

import baserate as br
from baserate import BaseRate, Confusion
from baserate.core.observed import Rows, Weights
from baserate.exceptions import BaserateError, InvalidLabelsError, UndefinedMeasureWarning
from baserate.kinds.two_classes.task import BINARY
from baserate.kinds.weighted.task import WEIGHTED_LABELS as TASK
from baserate.measures.two_classes import TWO_CLASS_MEASURES, get_measure
from baserate.measures.weighted import WeightedMeasure
from baserate.observed.weighted import WeightedBase, WeightedJoint, WeightedLabels
from baserate.report.collection import Report
from baserate.task import Chance
from baserate.tasks import TASKS, task_observed
from baserate.verdicts.difference import Pair
from baserate.verdicts.differences import differences
from baserate.verdicts.judge import verdicts
from baserate.verdicts.outcome import Standard
from baserate.verdicts.verdict import NUMBERS
from weighted_cases import cases, weighted

mpl.use("Agg")
RNG = np.random.default_rng(20)
TRUTH = RNG.random(80) < 0.4
GOOD, FLIP = np.where(RNG.random(80) < 0.93, TRUTH, ~TRUTH), RNG.random(80) < 0.5
WEIGHTS = np.round(RNG.lognormal(0, 0.7, 80), 2) + 0.01
GROUPS = np.where(RNG.random(80) < 0.5, "a", "b")


def _rows(weights: object = WEIGHTS, **options: object) -> Rows:
    return Rows(weights=Weights(weights, "importance"), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "key", [key for key in TWO_CLASS_MEASURES if get_measure(key).sklearn is not None]
)
def test_scores_equal_those_of_scikit_learn(key: str) -> None:
    """A weighted score is scikit-learn's with `sample_weight`."""
    measure = weighted(key)
    for case in cases(6, 10, seed=21):
        labels = case.labels
        score, reason = measure.score_or_reason(labels)
        assert measure.sklearn is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = measure.sklearn.score(case.truth, case.first, case.floats)
        if not reason:
            assert score == pytest.approx(theirs, rel=1e-12, abs=1e-12)


def test_scores_do_not_depend_on_the_unit_of_weights() -> None:
    """Weights of 1e-80 or 1e80 give the same score, baseline and p-value."""
    plain = WeightedLabels.of_rows(TRUTH, GOOD, WEIGHTS)
    for unit in (2.0**-266, 2.0**266):
        other = WeightedLabels.of_rows(TRUTH, GOOD, WEIGHTS * unit)
        for key in ("MCC", "F1", "KAPPA"):
            measure = weighted(key)
            assert measure.score(other) == measure.score(plain)
        for key in ("F1",):
            measure = weighted(key)
            ours, theirs = (TASK.baseline(each.test_set, measure) for each in (other, plain))
            assert ours.value == pytest.approx(theirs.value, rel=1e-12)


def test_the_task_is_that_of_binary_labels_with_weights() -> None:
    """It is found by `Task.weighted` and in records, and nobody can choose it by name."""
    assert BINARY.weighted is TASK
    assert TASK.name not in TASKS
    assert task_observed(TASK.name) is TASK
    with pytest.raises(BaserateError):
        br.evaluate([0, 1], [0, 1], task=TASK.name)
    assert TASK.named("f1_score") is weighted("F1")
    assert TASK.named("AUC") is None
    assert [measure.key for measure in TASK.chosen(None)][:2] == ["ACC", "BACC"]
    assert TASK.chosen("F1") == (weighted("F1"),) == TASK.chosen(iter(["f1 score"]))
    assert TASK.chosen(weighted("F1")) == TASK.chosen([weighted("F1")]) == (weighted("F1"),)
    assert len(TASK.chosen("all")) == len(TWO_CLASS_MEASURES)


def test_rows_are_counted_per_weight_and_group() -> None:
    """Counts add up, rows of weight 0 are left out, and a group without weight is too."""
    weights = np.where(GROUPS == "b", 0.0, WEIGHTS)
    found = TASK.observe(TRUTH, {"good": GOOD}, _rows(weights, by=GROUPS))
    assert set(found.tables["good"]) == {None, "a"}
    whole = found.tables["good"][None]
    assert whole.total == int((GROUPS == "a").sum())
    assert whole == found.tables["good"]["a"]
    assert whole.counts.total == pytest.approx(weights.sum())
    assert isinstance(whole.test_set, WeightedBase)
    assert whole.test_set.rate == BaseRate.of(TRUTH[GROUPS == "a"])


def test_missing_labels_are_dropped_with_their_weights() -> None:
    """`drop` leaves out rows with a missing label."""
    truth = [1.0, 0.0, np.nan, 1.0]
    found = TASK.observe(truth, [1, 0, 1, 0], _rows([1.0, 2.0, 4.0, 8.0], drop=True))
    assert found.dropped == 1
    assert found.tables["model"][None].counts == (1.0, 0.0, 8.0, 2.0)
    with pytest.raises(InvalidLabelsError):
        TASK.observe(truth, [1, 0, 1, 0], _rows([1.0, 2.0, 4.0, 8.0]))


@pytest.mark.parametrize(
    "weights", [[1.0, -1, 1, 1], [0.0, 0, 0, 0], [1.0, np.nan, 1, 1], [1.0, 2], [1, 2, 3, "x"]]
)
def test_bad_weights_raise(weights: list[object]) -> None:
    """Weights are finite numbers of 0 or more, one for each row, and not all 0."""
    with pytest.raises(BaserateError, match="sample_weight"):
        TASK.observe([1, 0, 1, 0], [1, 0, 1, 0], _rows(weights))


def test_other_labels_need_a_positive_class() -> None:
    """Labels are read as without weights: with `pos_label`, any two classes."""
    found = TASK.observe(["ill", "well"], ["ill", "ill"], _rows([2.0, 3.0], pos_label="ill"))
    assert found.tables["model"][None].counts == (2.0, 3.0, 0.0, 0.0)
    with pytest.raises(BaserateError):
        TASK.observe(["ill", "well"], ["ill", "ill"], _rows([2.0, 3.0]))


def _frames() -> list[object]:
    duckdb = pytest.importorskip("duckdb")
    frame = pd.DataFrame(
        {
            "y": TRUTH.astype(int),
            "good": GOOD.astype(int),
            "flip": FLIP.astype(int),
            "w": WEIGHTS,
            "g": GROUPS,
        }
    )
    lazy = pl.from_pandas(frame).lazy()
    return [frame, pl.from_pandas(frame), lazy, duckdb.connect().from_df(frame)]


@pytest.mark.parametrize("place", range(4))
def test_frames_give_what_arrays_give(place: int) -> None:
    """Eager and lazy frames are counted per weight; a lazy one where its rows are."""
    frame, columns = _frames()[place], {"good": "good", "flip": "flip"}
    arrays = TASK.observe(TRUTH, {"good": GOOD, "flip": FLIP}, _rows(by=GROUPS))
    found = TASK.observe_frame(frame, "y", columns, _rows("w", by="g"))
    assert found == arrays
    pairs = TASK.observe_pairs(TRUTH, {"good": GOOD, "flip": FLIP}, _rows(by=GROUPS))
    assert TASK.observe_frame_pairs(frame, "y", columns, _rows("w", by="g")) == pairs
    base, dropped = TASK.count_column(frame, "y", _rows("w"))
    assert base == arrays.tables["good"][None].test_set
    assert dropped == 0


def test_files_give_what_arrays_give(tmp_path: object) -> None:
    """Texts of a file are read as labels, weights and groups."""
    path = tmp_path / "rows.csv"  # type: ignore[operator]
    pd.DataFrame(
        {"y": TRUTH.astype(int), "good": GOOD.astype(int), "w": WEIGHTS, "g": GROUPS}
    ).to_csv(path, index=False)
    found = TASK.observe_frame(br.scan(path), "y", {"good": "good"}, _rows("w", by="g"))
    assert found == TASK.observe(TRUTH, {"good": GOOD}, _rows(by=GROUPS))


def _report(weights: object, **options: object) -> Report:
    observed = TASK.observe(TRUTH, {"good": GOOD, "flip": FLIP}, _rows(weights, **options))
    return Report(verdicts(TASK, observed.tables, TASK.chosen(["ACC", "F1", "MCC"])))


@pytest.mark.parametrize("weights", [WEIGHTS, np.where(TRUTH, 3.0, 1.0), np.full(80, 2.5)])
def test_reports_are_written_and_read_again(weights: object) -> None:
    """Text, HTML, LaTeX, Markdown, frames and JSON work, and JSON gives the same report."""
    report = _report(weights)
    assert Report.from_json(report.to_json()) == report
    assert "80 observations" in str(report)
    for written in (report.to_html(), report.to_latex(), report.to_markdown()):
        assert "good" in written
    frame = report.to_frame(full=True)
    assert frame["observations"].tolist() == [80] * 6
    clear = {verdict.outcome.value for verdict in report if verdict.model == "good"}
    assert clear <= {"clears", "unsure"}


@pytest.mark.parametrize("weight", [1.0, 0.7])
def test_equal_weights_give_the_verdicts_without_weights(weight: float) -> None:
    """Scores, baselines, p-values and limits are those of unweighted labels."""
    measures = ["ACC", "BACC", "F1", "MCC", "KAPPA", "PPV", "G2"]
    observed = TASK.observe(TRUTH, {"good": GOOD, "flip": FLIP}, _rows(np.full(80, weight)))
    ours = verdicts(TASK, observed.tables, TASK.chosen(measures))
    theirs = br.evaluate(TRUTH, {"good": GOOD, "flip": FLIP}, measures)
    for one, other in zip(ours, theirs, strict=True):
        for name in NUMBERS:
            mine, plain = getattr(one, name), getattr(other, name)
            assert mine == pytest.approx(plain, rel=1e-14, nan_ok=True), (one.measure, name)
        assert one.outcome is other.outcome
        assert one.exact


def test_each_measure_has_a_p_value_of_its_own() -> None:
    """With weights, draws of a size differ in two numbers, and p-values with the measure."""
    values = {verdict.measure: verdict.p_value for verdict in _report(WEIGHTS)}
    assert len(set(values.values())) == 3


def test_pairs_are_compared_and_written() -> None:
    """Differences have limits, p-values and a record that gives the same table."""
    for weights in (WEIGHTS, np.where(TRUTH, 3.0, 1.0)):
        pairs = TASK.observe_pairs(TRUTH, {"flip": FLIP, "good": GOOD}, _rows(weights)).pairs
        (joint,) = pairs["flip", "good"].values()
        assert TASK.joint(joint.facts) == joint
        assert TASK.observed(joint.first.facts) == joint.first
        pair = Pair(first="flip", second="good", group=None, table=joint)
        found = differences(TASK, [pair], TASK.chosen(["ACC", "F1", "MCC"]), Standard())
        assert [each.winner for each in found] == ["good"] * 3
        assert all(each.low < each.difference < each.high for each in found)


@pytest.mark.parametrize(
    "change",
    [
        {"weights": [2.0, 1.0]},
        {"weights": [0.0, 1.0]},
        {"tp": [1]},
        {"tp": [1, -1]},
        {"tp": [1, 0.5]},
    ],
)
def test_bad_records_raise(change: dict[str, object]) -> None:
    """A record needs ascending weights above 0, and a count for each."""
    facts = WeightedLabels.of_rows([1, 1, 0], [1, 0, 1], [1.0, 2.0, 2.0]).facts
    with pytest.raises((ValueError, TypeError)):
        TASK.observed(facts | change)


def test_edges() -> None:
    """One observation, one class, and predictions of one class are sensible."""
    alone = WeightedLabels.of_rows([1], [1], [3.0])
    assert weighted("ACC").score(alone) == 1.0
    assert TASK.baseline(alone.test_set, weighted("ACC")).best.value == 1.0
    none = WeightedLabels.of_rows([1, 0, 1, 0], [0, 0, 0, 0], [1.0, 2.0, 3.0, 4.0])
    assert none.one_class == "predicts no positives"
    with pytest.warns(UndefinedMeasureWarning, match="P̂ > 0"):
        assert math.isnan(weighted("F1").score(none))
    chance = Chance(TASK, none)
    assert math.isnan(chance.tails(weighted("F1"), math.nan).better)
    assert math.isnan(chance.null_interval(weighted("F1"))[0])
    assert TASK.tails([none])[0].better == 1.0
    one_class = WeightedLabels.of_rows([1, 1, 1], [0, 1, 1], [1.0, 2.0, 3.0])
    assert TASK.tails([one_class])[0][:2] == (1.0, 1.0)
    with pytest.raises(BaserateError):
        weighted("ACC").score(Confusion(tp=1))  # type: ignore[arg-type]


def test_the_distribution_of_a_deck() -> None:
    """Draws of any size have a law; sizes outside the test set raise."""
    base = WeightedLabels.of_rows(TRUTH, GOOD, WEIGHTS).test_set
    assert TASK.null_of_guess(weighted("ACC"), base, 30).mean() > 0
    equal = WeightedLabels.of_rows(TRUTH, GOOD, np.full(80, 2.0)).test_set
    plain = BINARY.null_of_guess(get_measure("F1"), equal.rate, 30)
    assert TASK.null_of_guess(weighted("F1"), equal, 30).mean() == plain.mean()
    with pytest.raises(BaserateError):
        TASK.null_of_guess(weighted("ACC"), base, 81)


def test_the_reader_counts_labels() -> None:
    """Labels without weights all weigh 1, and tables stand for themselves."""
    reader = TASK
    table = reader.count([1, 0, 1], [1, 1, 0], None)
    assert table.counts == (1.0, 1.0, 1.0, 0.0)
    assert reader.test_set_of(table, None) == table.test_set
    assert reader.test_set_of([1, 0, 1], None) == table.test_set
    assert reader.weigh([1, 0], [1, 1], None, np.array([2.0, 0.5])).counts == (2.0, 0.5, 0.0, 0.0)
    assert reader.get("F1") is weighted("F1")
    with pytest.raises(BaserateError):
        reader.test_set_of(3, None)
    assert isinstance(WeightedMeasure.by(get_measure("F1")), WeightedMeasure)
    assert WeightedJoint.of_rows([1], [1], [0], [2.0]).disagreements == 1


@pytest.mark.parametrize("weights", [WEIGHTS, np.where(TRUTH, 3.0, 1.0)])
def test_chance_is_drawn(weights: object) -> None:
    """The distribution of luck is drawn from a report; draws of every size need plain labels."""
    report = _report(weights)["good"]
    axes = br.plots.NullDistributionDisplay.from_report(report, "F1").ax_
    assert axes.patches or axes.lines or axes.collections
    with pytest.raises(BaserateError, match="importance weights"):
        br.plots.BaselineDisplay.from_report(report, "F1")
