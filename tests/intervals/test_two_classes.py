"""The limits of scores and margins over test sets like this one."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import binomtest, multinomial

import baserate as br
from baserate.exceptions import UndefinedMeasureError
from baserate.kinds.two_classes.task import BINARY
from strategies import tables

TABLE = br.Confusion(tp=98, fp=62, fn=41, tn=102)


def _margin(table: br.Confusion, measure: Any, alpha: float = 0.05) -> tuple[float, float]:
    baseline = BINARY.baseline(table.base_rate, br.get_measure(measure))
    return BINARY.uncertainty(table, alpha).margin(baseline.measure, baseline)


def _score(table: br.Confusion, measure: Any, alpha: float = 0.05) -> tuple[float, float]:
    return BINARY.uncertainty(table, alpha).score(br.get_measure(measure))


# Exact limits.

PROPORTIONS = {
    "ACC": (200, 303), "TPR": (98, 139), "TNR": (102, 164), "FNR": (41, 139), "FPR": (62, 164),
    "PPV": (98, 160), "NPV": (102, 143), "FDR": (62, 160), "FOR": (41, 143), "TS": (98, 201),
}  # fmt: skip


@pytest.mark.parametrize("key", PROPORTIONS)
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.32])
def test_proportions_have_the_limits_of_clopper_and_pearson(key: str, alpha: float) -> None:
    """A rate, accuracy, and TP among TP + FP + FN, as scipy.stats has them."""
    expected = binomtest(*PROPORTIONS[key]).proportion_ci(1 - alpha, method="exact")
    assert _score(TABLE, key, alpha) == pytest.approx((expected.low, expected.high), abs=1e-9)


# What must hold for every measure.


@given(tables())
@settings(max_examples=15)
def test_limits_enclose_the_score_and_the_margin(table: br.Confusion) -> None:
    """For every measure and any table up to 10¹⁵ observations; undefined ones have no limits."""
    for verdict in br.evaluate(None, table, "all"):
        if math.isnan(verdict.score):
            assert math.isnan(verdict.low)
            assert math.isnan(verdict.high)
            continue
        if math.isnan(verdict.low):
            assert table.total < 3
            continue
        assert verdict.low <= verdict.score <= verdict.high
        codomain = br.get_measure(verdict.measure).codomain
        if verdict.score <= codomain.upper:  # and not 1 + 2e-16
            assert codomain.lower <= verdict.low <= verdict.high <= codomain.upper
        if not math.isnan(verdict.margin) and table.total > 2:
            assert verdict.margin_low <= verdict.margin <= verdict.margin_high


# Degenerate tables.


def test_undefined() -> None:
    """A score that is undefined has no limits, and makes no claim."""
    table = br.Confusion(fn=5, tn=25)
    assert all(map(math.isnan, (*_score(table, "PPV"), *_margin(table, "PPV"))))
    assert _score(table, "TPR") == pytest.approx((0, 1 - 0.025 ** (1 / 5)), abs=1e-9)


# How often they are right: every table of 30 observations, weighted by its probability.


def _cells(rate: float, hit: float, alarm: float) -> list[float]:
    return [rate * hit, (1 - rate) * alarm, rate * (1 - hit), (1 - rate) * (1 - alarm)]


CORNERS = {
    "rare, cautious": _cells(0.05, 0.1, 0.02),
    "rare, near-perfect": _cells(0.05, 0.98, 0.01),
    "balanced, cautious": _cells(0.5, 0.1, 0.02),
}
MARGINS = {
    "MCC": lambda tp, fp, fn, tn: (
        (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tn + fn) * (tp + fn) * (tn + fp))
    ),
    "ACC": lambda tp, fp, fn, tn: tp + tn - max(tp + fn, fp + tn),
    "F1": lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn) - 2 * (tp + fn) / (1 + tp + fn),
}


@pytest.mark.parametrize("key", MARGINS)
def test_coverage_by_exact_sums(key: str) -> None:
    """The lower limit of a margin is wrong at most 1.3 × 2.5% of the time, for test sets of 30."""
    counts = np.array([(*three, 30 - sum(three)) for three in product(range(31), repeat=3)])
    counts = counts[counts[:, 3] >= 0]
    masses = np.array([multinomial(30, cells).pmf(counts) for cells in CORNERS.values()])
    wrong, right = np.zeros((2, len(CORNERS)))
    truths = np.array([MARGINS[key](*cells) for cells in CORNERS.values()])
    for (tp, fp, fn, tn), mass in zip(counts.tolist(), masses.T, strict=True):
        if mass.max() < 1e-5:
            continue
        try:
            low, high = _margin(br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn), key)
        except UndefinedMeasureError:  # no positive, so no claim
            low = high = math.nan
        wrong += mass * (low > truths + 1e-12)
        right += mass * ~((low > truths + 1e-12) | (high < truths - 1e-12))
    assert wrong.max() <= 1.3 * 0.025
    assert right.mean() >= 0.93
    assert wrong.max() > 0


def test_base_rates_without_an_expectation_do_not_count() -> None:
    """A function with no score at rare base rates has nearly the limits of one that has all."""

    def product(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return np.sqrt(tp * tn)

    def holed(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return np.where(np.round(tp + fn) == 47, np.nan, product(tp, fp, fn, tn))

    table = br.Confusion(tp=20, fp=10, fn=10, tn=60)
    whole, part = (_margin(table, br.Measure.custom("mine", each)) for each in (product, holed))
    assert whole != part
    assert part == pytest.approx(whole, abs=0.02 * (whole[1] - whole[0]))
