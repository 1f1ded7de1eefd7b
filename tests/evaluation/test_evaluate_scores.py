"""`evaluate` and `compare` take scores in every form in which they take labels."""

from __future__ import annotations

import math

import pytest
from sklearn.metrics import roc_auc_score

import baserate as br
from baserate.observed.scores import RankedScores

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
