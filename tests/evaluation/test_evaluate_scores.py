"""`evaluate` and `compare` take scores in every form in which they take labels."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import f1_score, roc_auc_score

import baserate as br
from baserate.exceptions import (
    InvalidPredictionsError,
    InvalidScoresError,
    InvalidWeightsError,
    MisalignedRowsError,
    NoBaselineError,
    UndefinedMeasureError,
)
from baserate.kinds.scores.task import SCORES
from baserate.observed.scores import RankedScores

if TYPE_CHECKING:
    from collections.abc import Callable

Y = [0, 1, 0, 1, 0, 0, 1, 0, 0, 1]
FOREST = [0.1, 0.8, 0.3, 0.6, 0.6, 0.2, 0.9, 0.1, 0.4, 0.5]
LINEAR = [-1.5, 0.2, 0.1, 2.0, -0.3, -math.inf, 1.0, 0.1, 0.4, math.inf]
GROUPS = list("aabbabbaab")


def _scores(report: br.Report) -> dict[tuple[str, Any], float]:
    return {(each.model, each.group): each.score for each in report}


FORMS: dict[str, Callable[[], Any]] = {
    "a mapping": lambda: {"forest": FOREST, "linear": np.array(LINEAR)},
    "a pandas frame": lambda: pd.DataFrame({"forest": FOREST, "linear": LINEAR}),
    "a polars frame": lambda: pl.DataFrame({"forest": FOREST, "linear": LINEAR}),
    "libraries side by side": lambda: {"forest": pl.Series(FOREST), "linear": pd.Series(LINEAR)},
    "Scores in the place of a column": lambda: {
        "forest": RankedScores.of(Y, FOREST),
        "linear": LINEAR,
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_several_models(form: str) -> None:
    """A mapping, a data frame and Scores give the same report, and scikit-learn's scores."""
    report = br.evaluate(Y, FORMS[form](), ["AUC"])
    assert report == br.evaluate(Y, {"forest": FOREST, "linear": LINEAR}, ["AUC"])
    finite = np.nan_to_num(LINEAR, posinf=99, neginf=-99)
    assert _scores(report) == pytest.approx(
        {("forest", None): roc_auc_score(Y, FOREST), ("linear", None): roc_auc_score(Y, finite)}
    )


def test_one_model() -> None:
    """One column has a default name, or its own."""
    (verdict,) = br.evaluate(Y, FOREST, "AUC")
    assert verdict.model == "model"
    (verdict,) = br.evaluate(Y, pd.Series(FOREST, name="forest"), "AUC")
    assert verdict.model == "forest"
    (verdict,) = br.evaluate(None, RankedScores.of(Y, FOREST), "AUC")
    assert verdict.score == pytest.approx(roc_auc_score(Y, FOREST))


def test_groups() -> None:
    """Each group has its own counts, beside the whole."""
    report = br.evaluate(Y, {"forest": FOREST}, "AUC", by=GROUPS)
    expected: dict[tuple[str, Any], float] = {("forest", None): roc_auc_score(Y, FOREST)}
    for group in "ab":
        rows = [place for place, each in enumerate(GROUPS) if each == group]
        truth, scores = ([column[place] for place in rows] for column in (Y, FOREST))
        expected["forest", group] = roc_auc_score(truth, scores)
    assert _scores(report) == pytest.approx(expected)


def test_missing_values() -> None:
    """A row without a label or a score is left out for all models, and counted."""
    y_true: list[Any] = [*Y, None, 1]
    models = {"forest": [*FOREST, 0.5, 0.5], "linear": [*LINEAR, 0.5, math.nan]}
    with pytest.raises(InvalidScoresError, match=r"model 'linear' must not .*missing='drop'"):
        br.evaluate([*Y, 0, 1], models, "AUC")
    report = br.evaluate(y_true, models, "AUC", missing="drop")
    assert report.dropped == 2
    assert _scores(report) == _scores(br.evaluate(Y, {"forest": FOREST, "linear": LINEAR}, "AUC"))


def test_positive_label() -> None:
    """The positive class may be told; if it is the other one, the ranking is upside down."""
    names = ["ill" if each else "well" for each in Y]
    area = roc_auc_score(Y, FOREST)
    for pos_label, expected in (("ill", area), ("well", 1 - area)):
        (verdict,) = br.evaluate(names, {"m": FOREST}, "AUC", pos_label=pos_label)
        assert verdict.score == pytest.approx(expected)


def test_labels_at_a_threshold() -> None:
    """With a threshold measures of labels are known too, in arrays and in frames."""
    labels = [each >= 0.5 for each in FOREST]
    for report in (
        br.evaluate(Y, {"m": FOREST}, ["AUC", "F1"], threshold=0.5),
        br.evaluate(pl.LazyFrame({"y": Y, "m": FOREST}), ["m"], ["AUC", "F1"], truth="y",
                    threshold=0.5),
    ):  # fmt: skip
        found = {each.measure: each.score for each in report}
        assert found == pytest.approx({"AUC": roc_auc_score(Y, FOREST), "F1": f1_score(Y, labels)})


def test_a_function_of_labels_at_a_threshold() -> None:
    """One that more true positives may make worse has the p-value of the labels themselves."""
    own = br.Measure.custom("own", lambda tp, fp, fn, tn: (tp * 7 + fp * 3) % 5)
    (found,) = br.evaluate(Y, {"m": FOREST}, [own], threshold=0.5)
    (expected,) = br.evaluate(Y, {"m": [int(each >= 0.5) for each in FOREST]}, [own])
    assert found.p_value == expected.p_value == pytest.approx(41 / 42)
    assert (found.score, found.low, found.high) == (expected.score, expected.low, expected.high)


def test_measures_at_a_threshold_are_measures() -> None:
    """A task takes the measures that it gave, which score labels and know their baseline."""
    task = SCORES.at(0.5)
    measures = task.chosen(["F1", "AUC", "PT"])
    assert task.chosen(measures) == measures
    labels = [each >= 0.5 for each in FOREST]
    assert measures[0].score(RankedScores.of(Y, FOREST)) == pytest.approx(f1_score(Y, labels))
    measures[0].require_baseline()
    with pytest.raises(NoBaselineError, match="PT has scores and no baseline"):
        measures[2].require_baseline()


def test_scores_are_a_test_set() -> None:
    """Their base rate is that of the truth."""
    known = br.baseline(RankedScores.of(Y, FOREST), "AP")
    assert known == br.baseline(br.BaseRate.of(Y), "AP")
    assert known.best.value == pytest.approx(br.evaluate(Y, FOREST, "AP").verdicts[0].baseline)


def test_frames() -> None:
    """A data frame with the names of columns is the same report, lazy or not."""
    frame = pl.DataFrame({"y": Y, "forest": FOREST, "linear": LINEAR, "g": GROUPS})
    expected = br.evaluate(Y, {"forest": FOREST, "linear": LINEAR}, "AUC", by=frame["g"])
    for each in (frame, frame.lazy(), frame.to_pandas(), frame.to_arrow()):
        assert br.evaluate(each, ["forest", "linear"], "AUC", truth="y", by="g") == expected


def test_comparison() -> None:
    """Two models are compared on the same rows, wherever these are."""
    frame = pl.DataFrame({"y": Y, "forest": FOREST, "linear": LINEAR})
    expected = br.compare(Y, {"forest": FOREST, "linear": LINEAR}, "AUC")
    (difference,) = expected
    assert difference.first_score == pytest.approx(roc_auc_score(Y, FOREST))
    assert difference.disagreements == sum(a != b for a, b in zip(FOREST, LINEAR, strict=True))
    for each in (frame, frame.lazy()):
        assert br.compare(each, ["forest", "linear"], "AUC", truth="y") == expected


def test_json() -> None:
    """A report and a comparison of scores are what they were after JSON, also with infinity."""
    report = br.evaluate(Y, {"forest": FOREST, "linear": LINEAR}, "AUC", by=GROUPS)
    assert br.Report.from_json(report.to_json()) == report
    json.loads(report.to_json(), parse_constant=pytest.fail)


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


def test_weights() -> None:
    """A reader weighs rows as if they were repeated."""
    weights = np.arange(10) % 3
    found = SCORES.weigh(Y, FOREST, None, weights)
    assert found == RankedScores.of(np.repeat(Y, weights), np.repeat(FOREST, weights))
    with pytest.raises(InvalidWeightsError, match="whole numbers"):
        SCORES.weigh(Y, FOREST, None, weights + 0.5)


def test_a_reader_requires_the_same_test_set() -> None:
    """Scores beside labels must be counted on them."""
    SCORES.require_test_set("y_pred", RankedScores.of(Y, FOREST), Y, None)
    with pytest.raises(InvalidPredictionsError, match="y_pred must be counted on the labels"):
        SCORES.require_test_set("y_pred", RankedScores.of(Y[:5], FOREST[:5]), Y, None)


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


def test_no_distribution_of_one_class_among_several() -> None:
    """A skill score needs two classes that occur."""
    counts = br.ClassCounts({"a": 3, "b": 0, "c": 0})
    with pytest.raises(UndefinedMeasureError, match="D2 Brier is undefined: all observations are"):
        br.null_distribution(counts, [[0.2, 0.3, 0.5]] * 3, "D2 Brier")


def test_the_measures_that_are_left_out() -> None:
    """Scores are judged by their ranking, and with a threshold by what labels are judged by."""
    y_true, scores = [0, 1, 1, 0, 1, 0], [0.1, 0.4, 0.8, 0.3, 0.7, 0.6]
    assert br.evaluate(y_true, scores).measures == ("AUC", "AP")
    labels = br.evaluate(y_true, [score >= 0.5 for score in scores]).measures
    assert br.evaluate(y_true, scores, threshold=0.5).measures == ("AUC", "AP", *labels)
