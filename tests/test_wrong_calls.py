"""What each wrong call says: the call is below, and its error in a file beside this one.

A sentence that should be another is renewed by `pytest --snapshot-update`, and read in the diff.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baserate as br
from baserate.exceptions import BaserateError

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion


class Unspeakable:
    """An object that cannot be printed."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")


class Odd:
    """An object that can neither be compared nor be a name."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("theirs")

    def __hash__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return "an odd object"

    def __str__(self) -> str:
        raise RuntimeError("theirs")


def _raising(*_: object) -> float:
    raise RuntimeError("out of coffee")


def _fails_on_few(tp: int, fp: int, fn: int, tn: int) -> float:
    if tp < 1:
        raise ValueError("too few")
    return float(tp)


def _custom(function: Any, **facts: Any) -> Any:
    return br.Measure.custom("mine", function, **facts)


Y, TREE, KNN = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0, 0, 1], [0, 1] * 5
NUMBERS = [0.5, 1.5, 2.25, 4.0, 8.0, 3.0, 2.0, 1.0, 6.0, 7.5]
SCORES = [0.9, 0.8, 0.4, 0.3, 0.6, 0.1, 0.2, 0.2, 0.4, 0.5]
CLASSES = ["a", "b", "c", "a"]
ROWS = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.5, 0.3, 0.2], [1.0, 0.0, 0.0]])
RATE, TABLE = br.BaseRate(positives=3, total=10), br.ConfusionMatrix(tp=2, fp=1, fn=1, tn=6)
MATRIX = br.ConfusionMatrix([[1, 0], [0, 1]])
WHOLE = pl.DataFrame({"y": [25.0, 30.0, 40.0, 50.0], "ridge": [25.5, 31.0, 42.0, 51.0]})
FRAME = pd.DataFrame({"y": Y, "tree": TREE, "knn": KNN})
NAMES: dict[str, Any] = {
    **globals(),
    "math": math,
    "Decimal": Decimal,
    "Fraction": Fraction,
    "pl": pl,
    "X": np.zeros((10, 2)),
    "draw": br.DutchDraw(RATE, 0.5),
    "large": lambda total: br.BaseRate(positives=total // 3, total=total),
    "first": lambda tp, fp, fn, tn: tp,
    "scored": br.RankedScores.of([0, 1], [0.5, 0.1]),
    "Draw": br.sklearn.DutchDrawClassifier,
    "Mix": br.sklearn.ClassMixClassifier,
    "Best": br.sklearn.BestConstantRegressor,
}

CALLS = {
    "labels": """
br.BaseRate.of([])
br.BaseRate.of([0.0, 1.0, math.nan])
br.BaseRate.of([0, None, 1, None])
br.DutchDraw(["yes", "yes"], 0.5)
br.DutchDraw(["yes", "no"], 0.5)
br.DutchDraw([0, 1, 0, 2], 0.5)
br.DutchDraw([0.0, 0.5, 1.0], 0.5)
br.BaseRate.of(list("abcdefgh"), "z")
br.BaseRate.of([0, 1], "1")
br.BaseRate.of([0, 0], math.nan)
br.BaseRate.of([0.0, 1.0], 10**400)
br.BaseRate.of(np.zeros((3, 2)))
br.BaseRate.of([[0, 1], [1]])
br.BaseRate.of(np.ma.array([0, 1, 1], mask=[0, 0, 1]))
br.BaseRate.of(pd.DataFrame({"y": [0, 1]}))
br.BaseRate.of(np.array([3, [1], 2], dtype=object), 3)
br.ConfusionMatrix.of([0, 1, 1], [0, 1])
br.ConfusionMatrix.of(range(6_000), range(6_000))
br.ConfusionMatrix.of(["a", "b"], ["a", ["b"]])
br.ConfusionMatrix.of(["a", "b"], ["a", {}])
br.p_value([-1, 1], [1, 0])
br.ConfusionMatrix.of(["0", "1"], [0, 1], pos_label=1)
br.ConfusionMatrix.from_frame(FRAME, "y", {})
br.ConfusionMatrix.from_tp(1, 3, 1)
br.baseline("0101", "F1")
br.baseline(Unspeakable(), "F1")
br.evaluate([Odd(), *Y[1:]], TREE)
br.evaluate([Odd(), Odd(), "c"], ["c", "c", "c"], "accuracy")
br.evaluate(Y, {Odd(): TREE}, "F1")
""",
    "first calls": """
br.get_measure("precision@5%")
br.get_measure("(F1)")
br.get_measure("roc_curve")
br.get_measure("calibration curve")
br.get_measure("MAP")
br.get_measure("hinge_loss")
br.get_measure("KS")
br.get_measure("f1_samples")
br.evaluate(CLASSES, CLASSES, ["f1_macro", "zzzzz"])
br.evaluate(Y, TREE, "brier_score_loss")
br.evaluate(Y, list("abababaaaa"), "AUC")
br.evaluate(Y, SCORES, "F1")
br.evaluate(NUMBERS, {"ridge": NUMBERS, "same": KNN}, "F1")
br.evaluate([25.0, 30, 40, 50], {"ridge": [25.5, 31, 42, 51]})
br.evaluate(WHOLE.lazy(), ["ridge"], "AUC", truth="y")
br.evaluate(WHOLE.lazy(), ["ridge"], "F1", truth="y")
br.evaluate(CLASSES, ROWS, "F1")
br.evaluate(Y, np.array(TREE)[:, None])
br.evaluate(Y, [TREE, TREE])
br.evaluate(list(map(str, Y)), TREE)
br.evaluate(Y, list(map(str, TREE)))
br.evaluate(["yes", "no"], ["YES", "NO"], "F1", pos_label="yes")
br.evaluate(FRAME.assign(p=5), "p", "F1", truth="y", pos_label=1)
br.evaluate(Y, Best(), "F1")
br.evaluate(Y, {"a": Best()}, "RMSE")
br.evaluate(FRAME, "tree")
br.evaluate(FRAME, "tree", truth="Y")
br.evaluate(FRAME, "tree", truth="label")
br.evaluate(FRAME, "tre", truth="y")
br.evaluate(FRAME, "tree", truth="y", by="regions")
br.evaluate(FRAME, "tree", truth="y", by=["north"])
br.evaluate(FRAME, "y", truth="y")
br.evaluate(FRAME, {"a": "tree", "b": "tree"}, "accuracy", truth="y", task="multiclass")
br.evaluate(FRAME, [1, 0, 1], truth="y")
br.evaluate(FRAME, pl.Series([1, 0]))
br.evaluate([0, 1], [0.2, 1.5], "Brier")
br.evaluate([0, 1], [-3.0, 0.1], "log loss")
br.evaluate([0, 1], [0.1, math.inf], "ECE")
br.evaluate(["a", "b"], TREE[:2], "RMSE")
br.evaluate(None, TABLE, "RMSE")
br.evaluate(["no", "yes"], ["no", "yes"], "F1")
br.threshold_curve(["no", "yes"], [0.1, 0.9], "F1")
br.ConfusionMatrix.of([1, 0, 1], [1, 0, None])
""",
    "counts": """
br.ConfusionMatrix(tp=-1)
br.ConfusionMatrix(tp=2.5)
br.ConfusionMatrix(tp=Decimal("sNaN"))
br.ConfusionMatrix(tp=np.timedelta64(3, "s"))
br.ConfusionMatrix(tp=1, tn=10**15)
br.ConfusionMatrix(tp=10**15) + br.ConfusionMatrix(tn=1)
br.ConfusionMatrix().test_set
br.ConfusionMatrix.from_tp(4, RATE, predicted_positives=5)
br.ConfusionMatrix.from_tp(0, RATE, predicted_positives=8)
br.BaseRate(positives=Fraction(1, 2), total=3)
br.BaseRate(positives=True, total=9)
br.BaseRate(positives=1, total=math.inf)
br.BaseRate(positives=0, total=0)
br.BaseRate(positives=4, total=3)
br.BaseRate(positives=1, total=10**15 + 1)
br.null_distribution(br.BaseRate(positives=2, total=6), 7, "ACC")
br.null_distribution(br.BaseRate(positives=2, total=6), [0, 1, 1], "ACC")
br.null_distribution(br.BaseRate({"a": 7, "b": 3}), [5, 4], "accuracy")
br.null_distribution(br.BaseRate({"a": 7, "b": 3}), 10, "accuracy")
""",
    "theta": """
br.DutchDraw(RATE, theta=1.5)
br.DutchDraw(RATE, theta=10**5000)
br.DutchDraw(RATE)
br.DutchDraw(RATE, 0.5, predicted_positives=5)
br.DutchDraw(RATE, predicted_positives=11)
br.DutchDraw(RATE, predicted_positives=10**400)
br.DutchDraw(RATE, 0).score("precision")
br.DutchDraw(br.BaseRate(positives=10**11, total=10**12), 0.5).predict()
draw.predict("seed")
draw.predict(Unspeakable())
draw.predict(rng=-1)
draw.score("F1").interval(95)
br.expected_score(RATE, "F1", math.nan)
br.expected_score(RATE, "F1", [0.1, 1.1])
br.expected_score(RATE, "PPV", [0.0], undefined="zero")
br.dutch_scaler(RATE, "J", 0.5, rho=1.5)
br.dutch_scaler(RATE, "J", 0.5, rho="0.1")
br.dutch_scaler(RATE, "F1", 0.3)
br.dutch_scaler(RATE, "TPR", 0.9)
br.dutch_scaler(RATE, "J", 0.1, rho=0.6)
br.dutch_scaler(RATE, "J", 0.9, rho=0.1)
br.dutch_scaler(RATE, "F1", math.nan)
br.rescaled_score(RATE, "F1", "high")
br.rescaled_score(RATE, "F1", -(10**400))
""",
    "measures": """
br.fbeta(0)
br.fbeta(2**1100)
br.fbeta(1e-200)
br.get_measure("fbeta")
br.get_measure("fbeta", beta=-1)
br.get_measure("accuracy", beta=2)
br.get_measure("Fe1")
br.get_measure("F1e400")
br.get_measure("acuracy")
br.get_measure("false positiv rat")
br.get_measure(3)
br.get_measure(Unspeakable())
br.get_measure("precision@0")
br.get_measure("AUC@2")
br.get_measure("top-0 accuracy")
br.get_measure("pinball@1")
br.get_measure("Huber@0")
br.get_measure("Tweedie@0.5")
br.get_measure("D2 pinball@2")
br.get_measure("macro precision", zero_division=0.5)
br.get_measure("macro F1", zero_division=1)
br.get_measure("F1").score([0, 1], [1, 1])
br.get_measure("kappa", task="multiclass").score([[4, 1], [2, 3]])
br.baseline(RATE, "qqqqqqqq")
br.baseline(br.BaseRate(positives=0, total=5), "TPR")
br.baseline(br.BaseRate(positives=1, total=1), "MK")
br.baseline([0, 1, 0, 1], "RMSE", task="multiclass")
br.baseline([0, 1, 0, 1], "AUC", task="binary")
br.baseline([-1.5, 2], "Gamma")
br.baseline([0.0, 0.0], "Poisson")
br.baseline([2.0, 2.0], "R2")
br.baseline([-1e200, 1e200], "MSE")
br.evaluate([0, 1], [0, 1], np.array("F1"))
br.evaluate(Y, TREE, 5)
br.evaluate(Y, TREE, [])
br.evaluate(Y, TREE, ["f1", "Dice"])
br.evaluate(Y, TREE, ["F1", "macro F1"])
br.evaluate(None, MATRIX, "F1")
br.evaluate(Y, TREE, [_custom(first), _custom(lambda tp, fp, fn, tn: fp)])
""",
    "functions of a user": """
_custom(_raising)
_custom(3)
_custom(lambda a, b, c: 0)
_custom(lambda tp, fp, fn, tn: "good")
_custom(lambda tp, fp, fn, tn: [tp, fp])
_custom(lambda tp, fp, fn, tn: np.complex128(1j))
_custom(first, codomain=5)
_custom(first, codomain=(1, 0))
_custom(first, codomain="01")
_custom(first, direction="up")
_custom(first, direction=np.array([1, 2]))
_custom(first, shape="round")
_custom(first, smooth=np.array([1, 0]))
_custom(first, name=np.array([1, 2]))
_custom(lambda y_true, y_pred: 1.0, smooth=True)
br.Measure.custom(" ", first)
br.baseline(RATE, _custom(_fails_on_few))
br.baseline(RATE, _custom(lambda tp, fp, fn, tn: math.nan, shape="concave"))
br.baseline(large(10**3), _custom(lambda a, b, c, d: (a + b - 500) ** 2, shape="concave"))
br.expected_score(large(10**15), _custom(lambda tp, fp, fn, tn: tp**2), 0.5)
br.DutchDraw(large(10**11), 0.5).score(_custom(lambda tp, fp, fn, tn: tp**2)).cdf(0)
br.DutchDraw(RATE, 0).score(_custom(lambda tp, fp, fn, tn: tp / fp)).cdf(0)
br.evaluate(NUMBERS, NUMBERS, _custom(lambda y_true, y_pred: "good"))
br.evaluate(NUMBERS, NUMBERS, _custom(lambda y_true, y_pred: y_true.x))
br.Measure.custom("text", lambda table: "good").score(MATRIX)
""",
    "evaluate": """
br.evaluate(Y, {"tree": TREE, "knn": KNN[:-1]})
br.evaluate(Y, {"tree": TREE, "knn": [*KNN[:-1], 2]})
br.evaluate(["y", "n", "y"], {"m": ["y", "n", "maybe"]}, "accuracy")
br.evaluate(Y, pd.DataFrame({"knn": [*KNN[:-1], None]}))
br.evaluate(Y, np.zeros((10, 2)), "F1")
br.evaluate(Y, np.zeros((10, 2, 2), dtype=int), "F1")
br.evaluate(Y, {})
br.evaluate(Y)
br.evaluate(Y, {1: TREE, "1": KNN})
br.evaluate(Y, pd.DataFrame(np.array([TREE, KNN]).T, columns=["a", "a"]))
br.evaluate(None, {"tree": TREE})
br.evaluate(Y, {"tree": br.ConfusionMatrix(tp=3, tn=9)})
br.evaluate(["a", "b", "c"], MATRIX, "accuracy")
br.evaluate(None, {"tree": br.ConfusionMatrix()})
br.evaluate(None, br.ConfusionMatrix([[0, 0], [0, 0]]), "accuracy")
br.evaluate(None, {"tree": TABLE}, by=[1] * 10)
br.evaluate(None, MATRIX, "accuracy", by=["x"])
br.evaluate(Y, TREE, by=["a"] * 9)
br.evaluate(Y, TREE, by="region")
br.evaluate(Y, TREE, by=[[1], [1, 2]] * 5)
br.evaluate(Y, TREE, "accuracy", task="multiclass", threshold=0.5)
br.evaluate(Y, TREE, missing=pd.DataFrame())
br.evaluate(Y, TREE, "F1", alpha=0)
br.evaluate(Y, TREE, "F1", adjust="bonferroni")
br.evaluate(Y, TREE, "F1", adjust=["holm"])
br.evaluate(Y, TREE, "F1", tries=0)
br.evaluate(Y, TREE, "F1", tries=1.5)
br.evaluate(Y, TREE, "F1", clusters=[1, 2] * 5)
br.evaluate(Y, TREE, "F1", clusters=[1, 2, 3] * 3)
br.evaluate(Y, TREE, "F1", clusters="who")
br.evaluate(Y, TREE, "F1", clusters=[None, *range(9)])
br.evaluate(None, TABLE, "ACC", clusters=range(10))
br.evaluate(Y, TABLE, "ACC", clusters=range(10))
br.evaluate(5, TREE, "ACC", clusters=range(10))
br.evaluate(FRAME, "tree", "ACC", truth="y", clusters=range(10))
br.evaluate(FRAME, "tree", "ACC", truth="y", clusters="whom")
br.evaluate(FRAME.assign(who=[None] * 10), "tree", "ACC", truth="y", clusters="who")
br.compare(Y, {"tree": TREE}, "F1")
br.compare(Y, None, "F1")
br.compare(None, {"a": TREE, "b": KNN}, "F1")
br.compare(Y, {"a": TREE, "b": TABLE}, "F1")
br.compare(Y, {"a": TREE, "b": KNN}, "F1", missing="fill")
br.compare(FRAME, ["tree"], "F1", truth="y")
br.assert_beats_baseline(Y, TREE, ["F1", "ACC"])
br.assert_beats_baseline(Y, TREE, "all")
br.assert_beats_baseline(Y, TREE, "F1", margin=-0.1)
br.assert_beats_baseline(Y, TREE, "F1", margin=None)
br.assert_beats_baseline(Y, TREE, "F1", alpha=5)
br.assert_beats_baseline(TABLE, "F1", reference=TREE)
br.assert_beats_baseline(Y, TREE, reference=KNN)
""",
    "references": """
br.evaluate(Y, {"tree": TREE}, "F1", reference=TABLE)
br.evaluate(Y, {"tree": TREE}, "F1", reference={"a": TREE, "b": KNN})
br.evaluate(Y, {"tree": TREE}, "F1", reference="knn")
br.evaluate(Y, {"tree": TREE}, "F1", reference="tree")
br.evaluate(Y, {"tree": TREE}, "F1", reference={"tree": KNN})
br.evaluate(None, {"tree": TREE}, "F1", reference=KNN)
br.evaluate(FRAME, ["tree"], "F1", truth="y", reference=KNN)
br.evaluate(FRAME, ["tree"], "F1", truth="y", reference="b")
""",
    "weights": """
br.evaluate(Y, TREE, sample_weight=[1, -1] * 5, weights="frequency")
br.evaluate(Y, TREE, sample_weight=[1, 1.5] * 5, weights="frequency")
br.evaluate(Y, TREE, sample_weight=[0] * 10, weights="frequency")
br.evaluate(Y, TREE, sample_weight=[1, 1], weights="frequency")
br.evaluate(Y, TREE, sample_weight=[10**15, 1] * 5, weights="frequency")
br.evaluate(Y, TREE, sample_weight=list("abcdefghij"), weights="frequency")
br.evaluate(Y, TREE, sample_weight=np.ones((10, 2)), weights="frequency")
br.evaluate(Y, TREE, sample_weight="times", weights="frequency")
br.evaluate(Y, TREE, sample_weight=Y)
br.evaluate(Y, TREE, weights="frequency")
br.evaluate(Y, TREE, sample_weight=Y, weights="sampling")
br.evaluate(Y, TABLE, sample_weight=Y, weights="frequency")
br.evaluate(pd.Series(Y), TREE, sample_weight=pd.Series(Y)[::-1], weights="frequency")
br.evaluate(NUMBERS, NUMBERS, "MAE", sample_weight=[1.7e308] * 10, weights="importance")
br.evaluate(NUMBERS, NUMBERS, "MAE", sample_weight=[-1.0] * 10, weights="importance")
br.evaluate(Y, TREE, "F1", sample_weight=[1e300] + [1] * 9, weights="importance")
br.evaluate(NUMBERS, NUMBERS, "MAE", sample_weight=[1.5] * 10, weights="importance", clusters=Y)
br.sklearn.make_scorer("MAE", weights="sampling")
""",
    "scores": """
br.evaluate(Y, {"m": ["ill"] * 10}, "AUC")
br.evaluate(Y, {"m": np.zeros((10, 2))}, "AUC")
br.evaluate(Y, {"m": SCORES[:-1]}, "AUC")
br.evaluate(None, {"m": SCORES}, "AUC")
br.evaluate(Y, {"m": SCORES, "t": scored}, "AUC")
br.evaluate(None, {"t": scored}, "AUC", by=[1, 2])
br.evaluate(pd.Series(Y), {"m": pd.Series(SCORES, index=range(1, 11))}, "AUC")
br.evaluate(Y, [2 * each for each in SCORES], "Brier")
br.null_distribution(RATE, [0.1, 0.2], "AP")
br.null_distribution(br.BaseRate(positives=0, total=10), SCORES, "AUC")
br.null_distribution(br.BaseRate(positives=10, total=10), SCORES, "D2 Brier")
br.null_distribution(RATE, SCORES, "precision@20")
br.null_distribution(Y, br.DutchDraw([1, 0], 0.5), "F1")
br.null_distribution(Y, TREE, ["F1", "MCC"])
br.null_distribution("F1", Y, TREE)
br.threshold_curve(Y, np.zeros((10, 2)), "F1")
br.threshold_curve(Y, SCORES[:5], "F1")
br.threshold_curve(Y, [math.nan] * 10, "F1")
br.threshold_curve(Y, ["a"] * 10, "F1")
br.threshold_curve(Y, [10**400] * 10, "F1")
br.threshold_curve(Y, SCORES, "PT")
br.threshold_curve(Y, SCORES, "F1", threshold="0.5")
br.threshold_curve([0, 1, 2], [1, 2, 3], "F1")
br.reliability_curve(Y, [1 + each for each in SCORES])
br.reliability_curve(Y, SCORES[:3])
br.reliability_curve(Y, [math.nan] * 10)
br.reliability_curve(Y, ["a"] * 10)
br.reliability_curve(Y, 0.5)
br.reliability_curve([0, 1, 2], [0.1, 0.2, 0.3])
""",
    "class scores": """
br.evaluate(CLASSES, {"net": CLASSES}, "top-2 accuracy")
br.evaluate(CLASSES, [0.1, 0.2, 0.3, 0.1], ["Brier", "MCC"])
br.evaluate(CLASSES, {"net": ROWS}, "top-3 accuracy")
br.evaluate(CLASSES, np.ones((4, 4)), "top-2 accuracy")
br.evaluate(CLASSES, ROWS[:3], "Brier")
br.evaluate(CLASSES, [[1, 2], [1]], "top-2 accuracy")
br.evaluate(CLASSES, np.ones((0, 3)), "top-2 accuracy")
br.evaluate(CLASSES, pd.DataFrame(ROWS, columns=list("abx")), "AUC ovr")
br.evaluate(CLASSES, pd.DataFrame(ROWS, columns=list("abb")), "AUC ovr")
br.evaluate(CLASSES, {"net": pl.LazyFrame({"a": [1]})}, "top-2 accuracy")
br.evaluate(CLASSES, ROWS * 2, "Brier")
br.evaluate(CLASSES, {"net": ROWS - 0.5})
br.evaluate(CLASSES, ROWS * 0.9, "log loss")
br.evaluate(CLASSES, ROWS, "roc_auc_ovx")
br.evaluate(None, ROWS, "Brier")
br.evaluate(FRAME, ["tree", "knn"], "top-2 accuracy", truth="y")
br.evaluate(pd.Series(CLASSES), {"net": pd.DataFrame(ROWS, index=range(1, 5))}, "Brier")
br.evaluate(CLASSES, br.ClassProbabilities.of(CLASSES, ROWS), "Brier", by=CLASSES)
br.evaluate(["a"] * 4, br.ClassProbabilities.of(CLASSES, ROWS), "Brier")
br.evaluate(None, br.ClassProbabilities.of(CLASSES, 2 * ROWS), "Brier")
br.get_measure("Brier", task="class-scores").score([[1.0]])
br.null_distribution(br.BaseRate({"a": 1, "b": 1, "c": 0}), [[1, 2]], "AUC ovr")
br.p_value(CLASSES, ROWS)
""",
    "numbers": """
br.evaluate(list("ab"), [1, 2], "MAE")
br.evaluate([1, 2], [1, math.inf], "MAE")
br.evaluate(NUMBERS, NUMBERS[1:], "MAE")
br.evaluate(NUMBERS, np.zeros((10, 1)), "MAE")
br.evaluate([], [], "MAE")
br.evaluate(None, NUMBERS, "MAE")
br.evaluate(NUMBERS[1:], br.NumericPredictions.of(NUMBERS, NUMBERS), "MAE")
br.evaluate(NUMBERS, br.NumericPredictions.of(NUMBERS, NUMBERS), "MAE", by=NUMBERS)
br.evaluate(NUMBERS, NUMBERS, ["R2", "r2_score"])
br.evaluate(NUMBERS, NUMBERS, ["MAE", "F1"])
br.evaluate(NUMBERS, NUMBERS, "F1")
br.evaluate(pd.Series(NUMBERS), pd.Series(NUMBERS)[::-1], "MAE")
br.evaluate([1e308, -1e308, 1.5], [-1e308, 1e308, 2.5], "MAE")
br.compare([1e308, -1e308, 1.5], {"m": [-1e308, 1e308, 2.5], "n": [0.0] * 3}, "RMSE")
br.null_distribution(NUMBERS, {1.0: 2}, "MAE")
br.null_distribution([1.0, 2, 4], [3.0] * 3, "Pearson")
br.baseline([math.inf, 1], "MAE")
""",
    "planning": """
br.rows_needed("F1", score=0.5)
br.rows_needed("F1", score=0.5, base_rate=0.1, classes=3)
br.rows_needed("F1", score=0.1, base_rate=0.1)
br.rows_needed("F1", score="high", base_rate=0.1)
br.rows_needed("F1", score=0.5, base_rate=10)
br.rows_needed("F1", score=0.5, base_rate=0.1, power=80)
br.rows_needed("F1", score=0.5, base_rate=0.1, second=0.5)
br.rows_needed("F1", score=0.5, base_rate=0.1, second=2)
br.rows_needed("ACC", score=0.8, base_rate=0.3, second=0.8000001)
br.rows_needed("RMSE", score=3)
br.rows_needed("accuracy", score=0.5, classes=1)
br.rows_needed("RMSE", score=0.5, base_rate=0.1)
br.chance([])
br.chance("4444")
br.chance(4)
br.chance([4, 0])
br.chance([4.5])
br.chance({4: -1})
br.chance({4: 0})
br.chance({4: 10**8})
br.chance([4], 198)
br.chance([4], tries=0)
br.chance([4], answers=["A", "B"])
br.chance([2] * 3, answers="ABC")
br.chance([4]).p_value("high")
br.chance([4]).ppf(2)
""",
    "arguments in another order": """
br.rescaled_score(Y, 0.8, "F1")
br.rescaled_score("F1", Y, TREE)
br.rescaled_score(Y, TREE)
br.rescaled_score(Y, TREE, "F1", score=0.8)
br.rescaled_score(TABLE, TREE, "F1")
br.rescaled_score()
br.dutch_scaler(RATE, 3, 0.5)
br.p_value("F1", Y, TREE)
br.p_value(Y)
br.p_value(Y, TREE, 0.8)
br.evaluate(["F1", "MCC"], Y, TREE)
br.evaluate({"tree": TREE}, Y, "F1")
br.evaluate(Y, "F1")
br.evaluate(Y, TREE, np.array(Y))
br.evaluate(FRAME)
br.assert_beats_baseline("F1", Y, TREE)
br.confidence_interval("F1", Y, TREE)
br.confidence_interval(Y, TREE, ["F1", "MCC"])
br.baseline("F1", Y)
br.baseline(br.get_measure("F1"), Y)
br.threshold_curve([0.1, 0.7, 0.3], [0, 1, 1], "F1")
br.threshold_curve("F1", Y, SCORES)
br.threshold_curve(Y, SCORES, "AUC")
br.threshold_curve(Y, SCORES, "RMSE")
""",
    "scikit-learn": """
Draw("precison").fit(X, Y)
Draw(strategy="most").fit(X, Y)
Draw(theta=1.5).fit(X, Y)
Draw(pos_label="ill").fit(X, Y)
Draw().fit(X, np.arange(10) % 3)
Draw().fit(X, np.ones(10, dtype=int))
Draw().fit(X, [[0, 1], [1]] * 5)
Draw().fit(X, ["a", pd.NaT] * 5)
Draw().fit(X, Y, np.array(Y, dtype=float))
Draw("RMSE").fit(X, Y)
Draw(random_state=-1).fit(X, Y).predict(X)
Mix("f1_makro").fit(X, Y)
Mix("PPV").fit(X, Y)
Mix(strategy=["max"]).fit(X, Y)
Mix().fit(X, np.array(["a", 1] * 5, dtype=object))
Mix(random_state="seed").fit(X, Y).predict(X)
Best("RMSEE").fit(X, Y)
Best("accuracy").fit(X, Y)
Best("Pearson").fit(X, Y)
Best("MSLE").fit(X, [-2] * 10)
Best().fit(X, ["a"] * 10)
Best().fit(X, np.zeros((10, 2)))
Best().fit(X, Y, np.zeros(10))
Best().fit(X, Y, [1.0, 1])
br.sklearn.make_scorer("F1", scaled="best")
br.sklearn.make_scorer("F1", scaled=np.ones(2))
br.sklearn.make_scorer("F1", undefined="zero")
br.sklearn.make_scorer("F1", pos_label=[1])
br.sklearn.make_scorer("f1_worth")
br.sklearn.make_scorer("f1_makro")
br.sklearn.make_scorer("PT", scaled="rescaled")
br.sklearn.make_scorer("AUC", scaled="dutch_scaler")
br.sklearn.make_scorer("macro F1", scaled="dutch_scaler")
br.sklearn.make_scorer("macro F1", pos_label="cat")
br.sklearn.scorers("f1_worth")
""",
}


def _said(call: str) -> str:
    with pytest.raises(BaserateError) as caught:
        eval(call, NAMES)
    return f"{call}\n    {type(caught.value).__name__}: {caught.value}\n"


@pytest.mark.parametrize("what", CALLS)
def test_what_a_wrong_call_says(what: str, snapshot: SnapshotAssertion) -> None:
    """What must hold, what was got, and what to do instead."""
    assert "\n".join(map(_said, CALLS[what].split("\n")[1:-1])) == snapshot
