"""Class scores as a task: reading, reports, comparisons, and what is wrong with tables."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.stats import binomtest
from sklearn.metrics import top_k_accuracy_score

import baserate as br
from baserate.cli.program import program
from baserate.core.observed import Rows
from baserate.exceptions import (
    InvalidFrameError,
    InvalidLabelsError,
    InvalidMeasureError,
    InvalidPredictionsError,
    InvalidScoresError,
    MisalignedRowsError,
    UnknownMeasureError,
)
from baserate.kinds.class_scores import observed as observed_module
from baserate.kinds.class_scores.measures import CLASS_SCORE_MEASURES
from baserate.kinds.class_scores.task import CLASS_SCORES

TRUTH = ["a", "b", "c", "a"]
ROWS = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.5, 0.3, 0.2], [1.0, 0.0, 0.0]])
MANY = ["log loss", "top-2 accuracy", "AUC ovr", "AUC ovo weighted", "accuracy", "ECE"]


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


# --- What is observed -----------------------------------------------------------------------------


def test_rows_are_counted() -> None:
    """Equal rows are one, and nothing depends on the order of the observations."""
    observed = br.ClassProbabilities.of(TRUTH, ROWS)
    assert (len(observed.rows), sum(observed.cells.counts)) == (3, 4)
    assert observed.test_set == br.ClassCounts({"a": 2, "b": 1, "c": 1})
    order = [3, 1, 0, 2]
    same = br.ClassProbabilities.of([TRUTH[place] for place in order], ROWS[order])
    assert same == observed
    assert hash(same) == hash(observed)
    assert observed not in (br.ClassProbabilities.of(TRUTH[::-1], ROWS), TRUTH)
    assert br.ClassProbabilities.of(TRUTH, -0.0 + ROWS) == br.ClassProbabilities.of(TRUTH, ROWS)
    assert repr(observed) == "ClassProbabilities(4 observations of 3 classes, 3 distinct rows)"


def test_rows_that_share_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are told apart by themselves if their numbers collide."""
    expected = br.ClassProbabilities.of(TRUTH, ROWS)
    monkeypatch.setattr(observed_module, "_projected", lambda rows, _: np.zeros(len(rows)))
    found = br.ClassProbabilities.of(TRUTH, ROWS)
    assert len(found.rows) == 3
    for measure in CLASS_SCORE_MEASURES.values():
        assert measure.score(found) == pytest.approx(measure.score(expected))


def test_probabilities_are_told_from_scores() -> None:
    """Sums may be off by rounding, as much as scikit-learn takes: more for less precision."""
    for rows in (ROWS, ROWS * (1 - 1e-8), (ROWS * (1 - 1e-4)).astype(np.float32)):
        assert br.ClassProbabilities.of(TRUTH, rows).are_probabilities
    for rows in (ROWS * (1 - 1e-4), 2 * ROWS, ROWS - 1):
        assert not br.ClassProbabilities.of(TRUTH, rows).are_probabilities
    assert br.ClassProbabilities.of(["a", "b"], [[1, 0], [0, 1]]).rows.dtype == float


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_a_json_record_is_read_back(kind: type) -> None:
    """Also of two models, with the type of their numbers, and infinite ones."""
    truth, models = _models(20)
    table = models["right"].astype(kind)
    table[0] = [-np.inf, 1, np.inf]
    observed = br.ClassProbabilities.of(truth, table)
    assert CLASS_SCORES.observed(json.loads(json.dumps(observed.facts))) == observed
    pairs = CLASS_SCORES.observe_pairs(truth, {"one": table, "other": models["bold"]}, Rows()).pairs
    joint = pairs["one", "other"][None]
    again = CLASS_SCORES.joint(json.loads(json.dumps(joint.facts)))
    assert again == joint
    assert hash(again) == hash(joint)
    assert joint.first == observed
    assert joint.second == br.ClassProbabilities.of(truth, models["bold"])
    assert joint.flat == {"observations": 20, "disagreements": 20}


# --- Reports --------------------------------------------------------------------------------------


def test_verdicts() -> None:
    """Right probabilities clear, bold ones learned and are miscalibrated, shuffled ones did not."""
    truth, models = _models(150)
    found = br.evaluate(truth, models)
    for key in ("Brier", "log loss", "accuracy", "AUC ovr"):
        assert found["right", key].outcome is br.Outcome.CLEARS
        assert found["shuffled", key].fails
    assert found["bold", "log loss"].outcome is br.Outcome.LEARNED
    assert "the probabilities are miscalibrated" in str(found["bold", "log loss"])


def test_the_same_row_for_everyone() -> None:
    """The class shares are no better than the baseline, nor is a constant answer."""
    truth, _ = _models(77)
    counts = br.ClassCounts.of(truth)
    rows = np.tile(counts.array / counts.total, (77, 1))
    for verdict in br.evaluate(truth, rows, list(CLASS_SCORE_MEASURES)):
        assert (verdict.margin, verdict.p_value) == pytest.approx((0, 1), abs=1e-12)
        assert not verdict.beats
    scores = np.tile([3.0, 2.0, 1.0], (50, 1))
    (verdict,) = br.evaluate(["a"] * 25 + ["b"] * 15 + ["c"] * 10, scores, "top-2 accuracy")
    assert str(verdict) == (
        "Top-2 accuracy of model: 0.800 is no better than the baseline of 0.800 (always answering "
        "'a' and 'b'), with no evidence of learning (p = 1.000). It gives every observation the "
        "same scores."
    )


def test_reports_survive_json() -> None:
    """A report and a comparison are the same after a round trip, and are written in every way."""
    truth, models = _models(24)
    by = ["left", "right"] * 12
    report = br.evaluate(truth, models, MANY, by=by)
    assert br.Report.from_json(report.to_json()) == report
    comparison = br.compare(truth, models, MANY, by=by)
    assert br.Comparison.from_json(comparison.to_json()) == comparison
    assert len(report.to_frame()) == len(report)
    assert len(comparison.to_frame()) == len(comparison)
    for text in (report.to_markdown(), report.to_latex(), report.to_html()):
        assert "AUC ovo weighted" in text
    with pytest.raises(ValueError, match="report must be"):
        br.Report.from_json(report.to_json().replace('"cells": [[', '"cells": [[7, 0, 1], [', 1))


def test_groups() -> None:
    """Each group is judged by its own rows, and one without a class by what is left."""
    truth, models = _models(60)
    by = np.where(truth == "c", "x", np.array(["x", "y"])[np.arange(60) % 2])
    report = br.evaluate(truth, models["right"], ["top-2 accuracy", "AUC ovr"], by=by)
    where = by == "y"
    hits = [np.argsort(row)[-2:] for row in models["right"][where]]
    places = ["abc".index(label) for label in truth[where]]
    score = np.mean([place in top for place, top in zip(places, hits, strict=True)])
    assert report["model", "top-2 accuracy", "y"].score == pytest.approx(score)
    assert report["model", "top-2 accuracy", "y"].outcome is br.Outcome.UNINFORMATIVE
    assert report["model", "AUC ovr", "y"].outcome is br.Outcome.UNDEFINED
    assert math.isfinite(report["model", "AUC ovr", "x"].p_value)


@pytest.mark.parametrize("key", MANY)
def test_rows_that_belong_together(key: str) -> None:
    """Each row of two as a cluster of its own says nearly what rows do, and two models too."""
    truth, models = _models(60)
    clusters = np.arange(60) // 2
    (found,) = br.evaluate(truth, models["right"], key, clusters=clusters)
    (alone,) = br.evaluate(truth, models["right"], key)
    assert (found.score, found.performance.clusters) == (alone.score, 30)
    if key != "ECE":
        assert found.p_value < 0.01
        assert found.low <= found.score <= found.high
    pair = {name: models[name] for name in ("right", "shuffled")}
    (found,) = br.compare(truth, pair, key, clusters=clusters)
    assert key == "ECE" or found.p_value < 0.05


def test_two_models() -> None:
    """Right probabilities are better than bold ones, and no better than themselves."""
    truth, models = _models(120)
    named = {"right": models["right"], "bold": models["bold"], "again": models["right"].copy()}
    found = br.compare(truth, named, ["log loss", "Brier", "AUC ovr", "top-2 accuracy"])
    assert found["right", "bold", "log loss"].winner == "right"
    assert found["bold", "again", "Brier"].winner == "again"
    for key in found.measures:
        alike = found["right", "again", key]
        assert (alike.winner, alike.p_value, alike.disagreements) == (None, 1.0, 0)


def test_top_k_of_two_models_is_mcnemars_test() -> None:
    """The p-value is that of the rows on which only one is right; its mirror has the same."""
    truth, models = _models(120)
    pair = {name: models[name] for name in ("right", "shuffled")}
    (one,) = br.compare(truth, pair, "top-1 accuracy")
    (other,) = br.compare(truth, dict(reversed(pair.items())), "top-1 accuracy")
    places = np.array(["abc".index(label) for label in truth])
    hits = [models[name].argmax(axis=1) == places for name in pair]
    only = int((hits[0] & ~hits[1]).sum()), int((~hits[0] & hits[1]).sum())
    assert one.p_value == pytest.approx(binomtest(only[0], sum(only)).pvalue)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))


def test_one_number_at_a_time() -> None:
    """The functions of one number agree with the verdict."""
    truth, models = _models(40)
    table = br.ClassProbabilities.of(truth, models["right"])
    for key in ("top-1 accuracy", "AUC ovr", "Brier", "accuracy"):
        (verdict,) = br.evaluate(truth, models["right"], key)
        asked = (truth, models["right"], key)
        assert br.p_value(*asked) == br.p_value(table, key) == verdict.p_value
        assert br.rescaled_score(*asked) == verdict.rescaled
        assert br.confidence_interval(table, key) == br.confidence_interval(*asked)
        assert br.baseline(table, key).best.value == verdict.baseline
        br.assert_beats_baseline(*asked)


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


def test_what_is_counted_needs_no_truth() -> None:
    """Counted rows may take the place of the truth and the scores, next to other models."""
    observed = br.ClassProbabilities.of(TRUTH, ROWS)
    (alone,) = br.evaluate(None, observed, "Brier")
    report = br.evaluate(TRUTH, {"one": observed, "two": ROWS}, "Brier")
    assert [verdict.score for verdict in report] == [alone.score] * 2


@pytest.mark.parametrize(
    ("error", "message", "predictions", "measures"),
    [
        (InvalidScoresError, "one column.*takes scores", {"net": TRUTH}, "top-2 accuracy"),
        (InvalidScoresError, "one column.*threshold=0.5", [0.1, 0.2, 0.3, 0.1], ["Brier", "MCC"]),
        (InvalidMeasureError, "more than 3 classes", {"net": ROWS}, "top-3 accuracy"),
        (InvalidScoresError, "4 columns for the 3", np.ones((4, 4)), "top-2 accuracy"),
        (InvalidScoresError, "3 rows and 4 labels", ROWS[:3], "Brier"),
        (InvalidScoresError, "table of numbers", [list("abc")] * 4, "top-2 accuracy"),
        (InvalidScoresError, "table of numbers", [[1, 2], [1]], "top-2 accuracy"),
        (InvalidScoresError, "table of numbers", np.array([["1", None]] * 4, object), "Brier"),
        (InvalidScoresError, "table of numbers", np.ones((0, 3)), "top-2 accuracy"),
        (InvalidScoresError, "table of numbers", {"net": 3}, "top-2 accuracy"),
        (InvalidScoresError, "3 dimensions", np.ones((4, 3, 2)), "top-2 accuracy"),
        (InvalidScoresError, "none for 'c'", pd.DataFrame(ROWS, columns=list("abx")), "AUC ovr"),
        (InvalidScoresError, "each once", pd.DataFrame(ROWS, columns=list("abb")), "AUC ovr"),
        (InvalidScoresError, "LazyFrame", {"net": pl.LazyFrame({"a": [1]})}, "top-2 accuracy"),
        (InvalidScoresError, r"model 'model' must be .*0 to 1 \(got 2.0\)", ROWS * 2, "Brier"),
        (InvalidScoresError, r"0 to 1 \(got -0.5\)", {"net": ROWS - 0.5}, None),
        (InvalidScoresError, r"a sum of 0.9 in the row at position 0", ROWS * 0.9, "log loss"),
        (InvalidScoresError, r"0 to 1 \(got inf\)", np.full((4, 3), np.inf), "all"),
        (InvalidPredictionsError, "at least one model", {}, "top-2 accuracy"),
        (InvalidPredictionsError, "at least one model", None, "top-2 accuracy"),
        (UnknownMeasureError, "did you mean", ROWS, "roc_auc_ovx"),
    ],
)
def test_what_cannot_be_judged(
    error: type[Exception], message: str, predictions: Any, measures: Any
) -> None:
    """An error says what was passed, and what to pass instead."""
    with pytest.raises(error, match=message):
        br.evaluate(TRUTH, predictions, measures)


def test_other_errors() -> None:
    """Rows that do not match, one column of a frame, and counts without rows."""
    shifted = pd.DataFrame(ROWS, columns=list("abc"), index=range(1, 5))
    with pytest.raises(MisalignedRowsError, match="same index"):
        br.evaluate(pd.Series(TRUTH), {"net": shifted}, "Brier")
    frame = pd.DataFrame({"label": TRUTH, "net": TRUTH})
    for function in (br.evaluate, br.compare):
        with pytest.raises(InvalidFrameError, match="not one column"):
            function(frame, ["net", "label"], "top-2 accuracy", truth="label")
    observed = br.ClassProbabilities.of(TRUTH, ROWS * 2)
    for message, truth, by, key in (
        ("no rows to group", TRUTH, TRUTH, "top-2 accuracy"),
        ("counted on the labels", ["a"] * 4, None, "top-2 accuracy"),
        ("must be probabilities", TRUTH, None, "Brier"),
    ):
        with pytest.raises((InvalidPredictionsError, InvalidScoresError), match=message):
            br.evaluate(truth, observed, key, by=by)
    with pytest.raises(InvalidPredictionsError, match="y_true must be given"):
        br.evaluate(None, ROWS, "Brier")


def test_the_baseline_of_a_file(tmp_path: Any) -> None:
    """The true classes are enough: the two most frequent ones are always answered."""
    pl.DataFrame({"y": list("aaabbc")}).write_csv(tmp_path / "y.csv")
    words = ["baseline", str(tmp_path / "y.csv"), "--truth", "y", "-m", "top-2 accuracy"]
    result = CliRunner().invoke(program, [*words, "--format", "json"])
    (found,) = json.loads(result.stdout)["baselines"]
    assert found["baseline"] == sum(sorted(Counter("aaabbc").values())[-2:]) / 6
    assert found["guesses"] == "always answering 'a' and 'b'"


def test_a_p_value_has_a_measure() -> None:
    """Measures of class scores share none, so one has to be named."""
    rows = np.eye(3)[[0, 1, 2, 0]] * 0.7 + 0.1
    with pytest.raises(br.exceptions.InvalidMeasureError, match="must be named for class scores"):
        br.p_value([0, 1, 2, 0], rows)
    assert br.p_value([0, 1, 2, 0], rows, "log loss") < 0.2
