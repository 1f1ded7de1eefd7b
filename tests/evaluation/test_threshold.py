"""Scores at thresholds: every cut-off counted by hand, the diagnosis, and labels that are cut."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

import baserate as br
from baserate.evaluation.diagnosis import Diagnosis
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.observed.scores import RankedScores

RNG = np.random.default_rng(5)
TRUTH = RNG.random(400) < 0.3
SIGNAL = np.round(0.4 * RNG.random(400) + 0.2 * TRUTH, 3)


test_sets = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=2, max_size=30
).filter(lambda rows: len({label for label, _ in rows}) == 2)


@given(test_sets, st.sampled_from(list(TWO_CLASS_MEASURES)))
def test_every_cut_off_is_the_table_of_its_own_predictions(
    rows: list[tuple[int, int]], key: str
) -> None:
    """Equal scores move together, and each score is that of the predictions at its cut-off."""
    y_true, y_score = map(np.array, zip(*rows, strict=True))
    curve = br.threshold_curve(y_true, y_score, key)
    assert curve.cutoffs.tolist() == [math.inf, *sorted(set(y_score.tolist()), reverse=True)]
    measure = br.get_measure(key)
    for place, cutoff in enumerate(curve.cutoffs):
        table = br.ConfusionMatrix.of(y_true, y_score >= cutoff)
        assert curve.predicted_positives[place] == table.predicted_positives
        assert curve.true_positives[place] == table.tp
        score, _ = measure.score_or_reason(table)
        np.testing.assert_allclose(curve.scores[place], score, rtol=1e-14, atol=1e-15)
        assert curve.at(cutoff).verdict.performance.table == table


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int64, np.uint8, np.bool_])
def test_a_threshold_means_what_numpy_makes_of_it(kind: Any) -> None:
    """Scores of low precision compare with 0.7 as in numpy, which rounds 0.7 to theirs."""
    scores = np.array([0.1, 0.3, 0.7, 0.7, 0.9, 7.0]).astype(kind)
    y_true = [0, 1, 0, 1, 1, 1]
    asked = [0.1, 0.3, 0.7, 0.9, 1e6, -1e6, 1, 7, math.inf]
    for threshold in [
        kind_of(each) for each in asked for kind_of in (float, np.float32, np.float64)
    ]:
        curve = br.threshold_curve(y_true, scores, "ACC", threshold=threshold)
        with np.errstate(over="ignore"):
            theirs = br.ConfusionMatrix.of(y_true, scores >= threshold)
        assert curve.at(threshold).verdict.performance.table == theirs
        assert curve.own is not None
        assert curve.own.verdict.performance.table == theirs


@pytest.mark.parametrize(
    ("scores", "threshold", "code", "words"),
    [
        (SIGNAL, None, "clears", "The model beats the baseline: at 0."),
        (SIGNAL, 0.35, "clears", "and the best F1 is 0."),
        (SIGNAL, 0.55, "wrong_threshold", "The threshold is wrong, not the model: at 0.55 F1 is"),
        (np.zeros(400), None, "no_signal", "There is no evidence that the scores tell"),
        (-SIGNAL, None, "reversed", "upside down"),
    ],
)
def test_signal_or_threshold(scores: Any, threshold: float | None, code: str, words: str) -> None:
    """A model without signal is distinguished from one with the wrong threshold."""
    curve = br.threshold_curve(TRUTH, scores, "F1", threshold=threshold)
    assert curve.diagnosis == Diagnosis(code)
    assert words in str(curve)
    assert str(curve) in repr(curve)


def test_several_tests_share_one_level() -> None:
    """Separate questions share the level: the ranking, the best cut-off, the model's threshold."""
    truth, scores = [0, 1, 0, 1, 1], [1, 2, 2, 3, 4]

    def level(y_score: Any, threshold: float | None) -> float:
        return br.threshold_curve(truth, y_score, "MCC", threshold=threshold).level

    assert level(scores, None) == level(scores, 0) == level(scores, 5) == 0.05 / 2
    assert level(scores, 2) == level(scores, 3) == 0.05 / 3
    assert level(np.array(scores) > 2, 1) == level(np.array(scores) > 2, None) == 0.05
    text = str(br.threshold_curve(truth, scores, "MCC", threshold=3))
    assert "p = 0.300 for the best cut-off; p = 0.300 at 3; one of the three must be below" in text
    assert "one of the two must be below 0.025" in str(br.threshold_curve(truth, scores, "MCC"))
    assert "must be below" not in str(br.threshold_curve(truth, np.array(scores) > 2, "MCC"))


def test_signal_at_the_best_cut_off_only() -> None:
    """A few sure cases on top of noise are evidence, though the ranking as a whole is not."""
    rng = np.random.default_rng(1)
    truth = np.arange(400) < 200
    scores = rng.random(400)
    scores[:30] += 1
    scores[200:] += 0.15
    curve = br.threshold_curve(truth, scores, "MCC")
    assert not curve.has_ranking
    assert curve.has_signal_at_its_best
    assert "Its best cut-off beats chance; its ranking may not (AUC" in str(curve)


def test_many_cut_offs_are_permuted() -> None:
    """Beyond an exact walk the p-value is that of permutations, and the sentence says so."""
    rng = np.random.default_rng(0)
    truth = np.arange(100_000) < 300
    curve = br.threshold_curve(truth, rng.random(100_000) + 0.03 * truth, "MCC")
    assert not curve.exact
    assert curve.floor <= curve.p_value < 1
    assert "p ≈ " in str(curve)
    sure = br.threshold_curve(truth, rng.random(100_000) + 0.7 * truth, "MCC")
    assert sure.p_value == sure.floor
    assert "p < " in str(sure)


def test_no_cut_off_no_p_value() -> None:
    """Where every cut-off is undefined there is no p-value, and no null interval."""
    curve = br.threshold_curve([0, 1, 1], [0.5, 0.5, 0.5], "MCC")
    assert str(curve).endswith("MCC is undefined at every cut-off.")
    assert math.isnan(curve.p_value)
    assert all(math.isnan(end) for end in curve.chance)
    assert br.threshold_curve([0, 1], [math.inf, 1], "ACC").p_value == 1.0


def test_signal_that_no_cut_off_can_use() -> None:
    """For a measure that is perfect for free, no cut-off is better than a draw."""
    curve = br.threshold_curve(TRUTH, SIGNAL, "TPR")
    assert curve.diagnosis is Diagnosis.UNINFORMATIVE
    assert str(curve).startswith("TPR shows nothing by itself: the baseline is 1.000")
    # The weakest detectable signal: F1 is still best if all are predicted positive.
    truth = np.repeat([1, 0], 200)
    scores = np.repeat([1, 0, 1, 0], [112, 88, 90, 110])
    weak = br.threshold_curve(truth, scores, "F1", threshold=1)
    assert weak.diagnosis is Diagnosis.NO_CUTOFF
    assert str(weak).startswith(
        "No cut-off beats the baseline: the best F1 is 0.667 at 0 (rescaled"
    )


Y = [0, 1, 0, 1, 0, 0, 1, 0, 0, 1]
FOREST = [0.1, 0.8, 0.3, 0.6, 0.6, 0.2, 0.9, 0.1, 0.4, 0.5]
LINEAR = [-1.5, 0.2, 0.1, 2.0, -0.3, -math.inf, 1.0, 0.1, 0.4, math.inf]


def test_a_function_of_labels_at_a_threshold() -> None:
    """One that more true positives may make worse has the p-value of the labels themselves."""
    own = br.Measure.custom("own", lambda tp, fp, fn, tn: (tp * 7 + fp * 3) % 5)
    (found,) = br.evaluate(Y, {"m": FOREST}, [own], threshold=0.5)
    (expected,) = br.evaluate(Y, {"m": [int(each >= 0.5) for each in FOREST]}, [own])
    assert found.p_value == expected.p_value == pytest.approx(41 / 42)
    assert (found.score, found.low, found.high) == (expected.score, expected.low, expected.high)


def test_tables_of_scores_and_clusters_at_a_threshold() -> None:
    """A table may stand beside columns; labels cut from scores have the clusters of labels."""
    models = {"forest": FOREST, "linear": LINEAR}
    counted = br.evaluate(Y, models | {"forest": RankedScores.of(Y, FOREST)}, "AUC")
    assert counted == br.evaluate(Y, models, "AUC")
    assert br.evaluate(None, RankedScores.of(Y, FOREST), "AUC").verdicts[0].score == pytest.approx(
        roc_auc_score(Y, FOREST)
    )
    clusters = [0, 1, 2, 3, 4] * 2
    cut = br.evaluate(Y, FOREST, ["AUC", "F1"], threshold=0.5, clusters=clusters)["model", "F1"]
    labels = [int(each >= 0.5) for each in FOREST]
    (known,) = br.evaluate(Y, labels, "F1", clusters=clusters)
    assert (cut.low, cut.high, cut.p_value) == (known.low, known.high, known.p_value)


def test_the_measures_that_are_left_out() -> None:
    """Scores are judged by their ranking, and with a threshold by what labels are judged by."""
    y_true, scores = [0, 1, 1, 0, 1, 0], [0.1, 0.4, 0.8, 0.3, 0.7, 0.6]
    assert br.evaluate(y_true, scores).measures == ("AUC", "AP")
    labels = br.evaluate(y_true, [score >= 0.5 for score in scores]).measures
    assert br.evaluate(y_true, scores, threshold=0.5).measures == ("AUC", "AP", *labels)


def test_signal_that_may_not_be_worth_the_baseline() -> None:
    """A cut-off that is better by two rows is no evidence, at the model's threshold or elsewhere.

    With 10% positives, the p-value of these scores is tiny, and the margin of accuracy is chance.
    """
    truth = np.repeat([1, 0], [200, 1800])
    scores = np.repeat([3, 2, 1, 3, 2, 1], [12, 88, 100, 10, 390, 1400])
    for threshold, at in ((None, 3), (3, 3), (2, 3)):
        curve = br.threshold_curve(truth, scores, "ACC", threshold=threshold)
        assert curve.has_ranking
        assert curve.best.verdict.beats
        assert curve.diagnosis is Diagnosis.UNSURE
        assert str(curve).startswith("The model may not beat the baseline: at ")
        assert f" At {at} the 95% interval of the margin is -0.00" in str(curve)
    # The best cut-off is sure, and the model's own threshold better, but not surely.
    scores = np.repeat([4, 3, 1, 4, 3, 1], [2, 60, 138, 0, 10, 1790])
    curve = br.threshold_curve(truth, scores, "ACC", threshold=4)
    assert curve.best.verdict.outcome is br.Outcome.CLEARS
    assert curve.diagnosis is Diagnosis.UNSURE
    assert " At 4 the 95% interval of the margin is " in str(curve)


def test_signal_at_the_model_s_own_threshold() -> None:
    """A threshold not chosen on these labels is evidence, whatever the ranking below it."""
    rng = np.random.default_rng(0)
    low, high = rng.normal(0, 1, 500), rng.normal(5, 0.1, 100)
    truth = np.repeat([0, 1], 500)
    for shift in (-0.6, -0.45):
        scores = np.concatenate([low, rng.normal(shift, 1, 400), high])
        curve = br.threshold_curve(truth, scores, "MCC", threshold=4)
        assert curve.own is not None
        assert curve.own.verdict.beats
        assert curve.diagnosis is Diagnosis.CLEARS
        assert "Its positive predictions beat chance (p = " in str(curve)
