"""Confidence intervals of every measure hold what was observed, and some are known exactly."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.special import betaincinv
from scipy.stats import binomtest, multinomial

import baserate as br
from properties.kinds import Sketch, classes, labels, numbers, scores, shares

MAKERS = {
    "binary": labels,
    "multiclass": classes,
    "scores": scores,
    "class-scores": shares,
    "regression": numbers,
}
TABLE = br.ConfusionMatrix(tp=98, fp=62, fn=41, tn=102)
MATRIX = br.ConfusionMatrix([[50, 15, 5], [8, 10, 2], [4, 3, 3]])
# Rates, accuracy, and TP among TP + FP + FN; and functions of accuracy.
PROPORTIONS: dict[str, tuple[Any, int, int]] = {
    "ACC": (TABLE, 200, 303), "TPR": (TABLE, 98, 139), "FPR": (TABLE, 62, 164),
    "PPV": (TABLE, 98, 160), "FOR": (TABLE, 41, 143), "TS": (TABLE, 98, 201),
    "micro F1": (MATRIX, 63, 100), "weighted recall": (MATRIX, 63, 100),
    "Hamming loss": (MATRIX, 37, 100),
}  # fmt: skip


def _assert_around(verdict: br.Verdict) -> None:
    """Both ends are numbers, and what was observed is between them."""
    if math.isnan(verdict.score) or verdict.measure in ("max error", "ECE"):
        return
    near = 1e-15 * max(abs(verdict.score), 1)  # an MCC may be 1 + 2e-16
    assert verdict.low - near <= verdict.score <= verdict.high + near, verdict.measure
    assert verdict.margin_low - near <= verdict.margin <= verdict.margin_high + near


@pytest.mark.parametrize("rows", [5, 40, 400])
@pytest.mark.parametrize("task", MAKERS)
def test_intervals_hold_what_was_observed(task: str, rows: int) -> None:
    """Of each measure of the catalogue, with few rows, some and many."""
    drawn = MAKERS[task](Sketch(rows=rows, seed=3, signal=0.5, share=0.5, levels=12))
    shift = 10.0 if task == "regression" else 0  # some measures need numbers above 0
    for verdict in br.evaluate(drawn.y_true + shift, drawn.first + shift, "all", task=task):
        _assert_around(verdict)


@pytest.mark.parametrize(
    "table",
    [
        br.ConfusionMatrix(np.diag([9, 9, 9, 9])),
        br.ConfusionMatrix([[0, 5, 5], [5, 0, 5], [5, 5, 0]]),
        br.ConfusionMatrix([[3 * 10**14, 10**14, 1], [10**14, 4 * 10**14, 7], [0, 3, 10**13]]),
        br.ConfusionMatrix(tp=10**14, fp=3, fn=0, tn=8 * 10**14),
        br.ConfusionMatrix(tp=1, fp=4, fn=0, tn=95),
    ],
    ids=str,
)
def test_perfect_hopeless_and_huge_tables(table: Any) -> None:
    """Ends stay in the range of a measure, whatever was counted."""
    for verdict in br.evaluate(None, table, "all"):
        _assert_around(verdict)


@pytest.mark.parametrize("key", PROPORTIONS)
@pytest.mark.parametrize("alpha", [0.01, 0.32])
def test_proportions_have_the_limits_of_clopper_and_pearson(key: str, alpha: float) -> None:
    """As scipy.stats has them; F1 is 2 TS / (1 + TS), and a count is M times a proportion."""
    table, hits, total = PROPORTIONS[key]
    expected = binomtest(hits, total).proportion_ci(1 - alpha, method="exact")
    found = br.confidence_interval(table, key, alpha=alpha)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    if key == "TS":
        ends = [2 * end / (1 + end) for end in (expected.low, expected.high)]
        f1 = br.confidence_interval(table, "F1", alpha=alpha)
        assert (f1.low, f1.high) == pytest.approx(ends, abs=1e-9)


# Test sets of 30 rows: rare or not, with a model that is cautious or nearly perfect.
CORNERS = [
    [rate * hit, (1 - rate) * alarm, rate * (1 - hit), (1 - rate) * (1 - alarm)]
    for rate, hit, alarm in ((0.05, 0.1, 0.02), (0.05, 0.98, 0.01), (0.5, 0.1, 0.02))
]
MARGINS = {
    "MCC": lambda tp, fp, fn, tn: (
        (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tn + fn) * (tp + fn) * (tn + fp))
    ),
    "F1": lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn) - 2 * (tp + fn) / (1 + tp + fn),
}


@pytest.mark.parametrize("key", MARGINS)
def test_coverage_by_exact_sums(key: str) -> None:
    """The lower limit of a margin is wrong at most 1.3 × 2.5% of the time, over all tables."""
    counts = np.array([(*three, 30 - sum(three)) for three in product(range(31), repeat=3)])
    counts = counts[counts[:, 3] >= 0]
    masses = np.array([multinomial(30, cells).pmf(counts) for cells in CORNERS])
    seen = masses.max(axis=0) >= 1e-4
    counts, masses = counts[seen], masses[:, seen]
    tables = [
        br.ConfusionMatrix(**dict(zip(("tp", "fp", "fn", "tn"), c, strict=True))) for c in counts
    ]
    models = {str(place): table for place, table in enumerate(tables)}
    found = br.evaluate(None, models, key).verdicts
    low, high = np.array([(each.margin_low, each.margin_high) for each in found]).T
    for cells, mass in zip(CORNERS, masses, strict=True):
        truth = MARGINS[key](*cells)
        assert mass @ (low > truth + 1e-12) <= 1.3 * 0.025
        assert mass @ (high < truth - 1e-12) <= 0.08


@pytest.mark.parametrize("rows", [5_000, 150_000])
def test_many_rows_have_the_interval_of_the_central_limit_theorem(rows: int) -> None:
    """1.96 standard errors to each side, whether rows are merged or a sample of them."""
    truth, noise = np.random.default_rng(3).normal(size=(2, rows))
    found = br.confidence_interval(truth, truth + noise, "MAE")
    error = np.abs(noise).std() / np.sqrt(rows)
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * error, rel=0.08)
    chance, bits = np.random.default_rng(4).random((2, rows))
    found = br.confidence_interval((bits < chance).astype(int), chance, "Brier")
    error = np.std(((bits < chance) - chance) ** 2) / np.sqrt(rows)
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * error, rel=0.08)


@pytest.mark.parametrize(("positives", "negatives"), [(3, 27), (40, 8), (500, 500)])
def test_perfect_separation_is_a_rate(positives: int, negatives: int) -> None:
    """Without an error, the rarer class decides, as in the interval of Clopper and Pearson."""
    truth = np.repeat([0, 1], [negatives, positives])
    found = br.confidence_interval(truth, np.arange(truth.size), "AUC")
    least = betaincinv(min(positives, negatives), 1, 0.025)
    assert found.low == pytest.approx(least, abs=0.15 * (1 - found.low))
    assert found.high == 1


def test_the_same_for_everyone_is_no_certainty() -> None:
    """At least one end is elsewhere; of numbers without an error the margin alone is known."""
    for verdict in br.evaluate([1] * 5 + [0] * 15, [0.25] * 20, "all"):
        assert verdict.low < verdict.high
        assert verdict.margin_low <= 0 <= verdict.margin_high
    truth = np.arange(20) + 0.5
    found = br.evaluate(truth, truth, "RMSE").verdicts[0]
    assert np.isnan([found.low, found.high]).all()
    assert 0 < found.margin_low < found.margin <= found.margin_high


@pytest.mark.parametrize("classes", [[1], [0, 1], [1] * 9])
def test_no_interval_without_a_score_or_of_two_rows(classes: list[int]) -> None:
    """With one class, an area has no score; and two rows say nothing of others."""
    (found,) = br.evaluate(classes, np.arange(len(classes)) / 10, "AUC", pos_label=1)
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_two_rows_of_numbers_say_nothing_of_others() -> None:
    """Neither a score nor a margin has an interval."""
    for found in br.evaluate([1.0, 2.0], [1.2, 1.9], ["RMSE", "MAE", "Pearson"]):
        assert np.isnan([found.low, found.high, found.margin_low, found.margin_high]).all()


def test_perfect_probabilities_have_a_margin_that_is_not_certain() -> None:
    """Other test sets have other base rates."""
    truth = np.array([0, 1, 2] * 4)
    for y_true, y_pred in ((truth, np.eye(3)[truth]), (truth % 2, 1.0 * (truth % 2))):
        for found in br.evaluate(y_true, y_pred, ["log loss", "Brier"]):
            assert 0 < found.margin_low < found.margin < found.margin_high


def test_a_constant_near_the_mean_is_rarely_called_better() -> None:
    """The best constant is chosen again in each resample, so that the margin is not too high."""
    rng, far = np.random.default_rng(3), 0.1
    true_margin = 1 - math.sqrt(1 + far**2)
    lows = []
    for _ in range(100):
        truth, predicted = rng.normal(size=30), far + 1e-9 * rng.normal(size=30)
        lows.append(br.evaluate(truth, predicted, "RMSE").verdicts[0].margin_low)
    assert np.mean(np.array(lows) > true_margin) <= 0.05


def test_hundreds_of_classes() -> None:
    """The interval is about as wide as that of accuracy: 3,000 observations, 70% right."""
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 300, 3000)
    answers = np.where(rng.random(3000) < 0.7, truth, rng.integers(0, 300, 3000))
    found = br.confidence_interval(truth, answers, "MCC")
    width = (found.high - found.low) / math.sqrt(0.7 * 0.3 / 3000)
    assert 0.7 * 2 * 1.96 <= width <= 1.5 * 2 * 1.96


def test_a_function_of_whole_counts() -> None:
    """It is given rounded tables."""

    def share(table: Any) -> float:
        if (table % 1).any():
            raise TypeError
        return float(np.trace(table) / table.sum())

    found = br.confidence_interval(MATRIX, br.Measure.custom("share", share))
    known = br.confidence_interval(MATRIX, "accuracy")
    assert (found.low, found.high) == pytest.approx((known.low, known.high), abs=0.03)
