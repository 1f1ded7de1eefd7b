"""`evaluate` and `compare` take scores in every form in which they take labels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import baserate as br
from baserate.exceptions import (
    InvalidPredictionsError,
    InvalidScoresError,
    MisalignedRowsError,
    UndefinedMeasureError,
)
from baserate.observed.scores import RankedScores

Y = [0, 1, 0, 1, 0, 0, 1, 0, 0, 1]
FOREST = [0.1, 0.8, 0.3, 0.6, 0.6, 0.2, 0.9, 0.1, 0.4, 0.5]
LINEAR = [-1.5, 0.2, 0.1, 2.0, -0.3, -math.inf, 1.0, 0.1, 0.4, math.inf]
GROUPS = list("aabbabbaab")


def test_a_function_of_labels_at_a_threshold() -> None:
    """One that more true positives may make worse has the p-value of the labels themselves."""
    own = br.Measure.custom("own", lambda tp, fp, fn, tn: (tp * 7 + fp * 3) % 5)
    (found,) = br.evaluate(Y, {"m": FOREST}, [own], threshold=0.5)
    (expected,) = br.evaluate(Y, {"m": [int(each >= 0.5) for each in FOREST]}, [own])
    assert found.p_value == expected.p_value == pytest.approx(41 / 42)
    assert (found.score, found.low, found.high) == (expected.score, expected.low, expected.high)


@pytest.mark.parametrize(
    ("y_true", "predictions", "options", "error", "why"),
    [
        (Y, {"m": ["ill"] * 10}, {}, InvalidScoresError,
         r"model 'm' must be numbers .*\(got text such as 'ill'\): AUC, AP, .* scores; F1, MCC"),
        (Y, {"m": np.zeros((10, 2))}, {}, InvalidScoresError, r"predict_proba .*\[:, 1\]"),
        (Y, {"m": FOREST[:-1]}, {}, InvalidScoresError,
         "y_true and model 'm' must be equally long"),
        (None, {"m": FOREST}, {}, InvalidPredictionsError,
         "y_true must be given for the scores of model 'm'"),
        (Y, {"m": FOREST, "t": RankedScores.of([0, 1], [0.5, 0.1])}, {}, InvalidPredictionsError,
         r"model 't' must be counted on the labels of y_true, .*positives=4.*positives=1"),
        (Y, {"t": RankedScores.of(Y, FOREST)}, {"by": GROUPS}, InvalidPredictionsError,
         r"by must come with a score per observation \(model 't' is Scores"),
        (Y, {"t": RankedScores([], [], [])}, {}, InvalidPredictionsError,  # type: ignore[arg-type]
         "model 't' must have at least one observation"),
        (pd.Series(Y), {"m": pd.Series(FOREST, index=range(1, 11))}, {}, MisalignedRowsError,
         "same index"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(
    y_true: Any, predictions: Any, options: Any, error: type[Exception], why: str
) -> None:
    """Errors name the model or the argument, and what to do."""
    with pytest.raises(error, match=why):
        br.evaluate(y_true, predictions, "AUC", **options)


@pytest.mark.parametrize("deck", [[], [0.1, 0.2], [0.1] * 11])
def test_a_deck_has_a_score_for_each_observation(deck: list[float]) -> None:
    """Scores of another test set cannot be dealt on this one."""
    with pytest.raises(InvalidScoresError, match=rf"y_pred must have 10 .*\(got {len(deck)}\)"):
        br.null_distribution(br.BaseRate.of(Y), deck, "AP")


@pytest.mark.parametrize(
    ("measure", "positives", "why"),
    [
        ("AUC", 0, "no positives"),
        ("AUC@0.1", 10, "no negatives"),
        ("AP", 0, "no positives"),
        ("NDCG", 0, "no positives"),
        ("precision@20", 4, "fewer than 20 observations"),
        ("D2 Brier", 10, "no negatives"),
    ],
)
def test_no_distribution_without_a_score(measure: str, positives: int, why: str) -> None:
    """A measure without a score on a test set has no distribution there."""
    with pytest.raises(UndefinedMeasureError, match=f"{measure} is undefined: .*{why}"):
        br.null_distribution(br.BaseRate(positives=positives, total=10), FOREST, measure)


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
