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
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from strategies import tables

TABLE = br.Confusion(tp=98, fp=62, fn=41, tn=102)
COST = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")


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


def test_other_numbers_of_a_proportion() -> None:
    """F1 is 2 TS / (1 + TS), and a count is M times a proportion."""
    low, high = _score(TABLE, "TS")
    assert _score(TABLE, "F1") == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)))
    expected = binomtest(98, 303).proportion_ci(0.95, method="exact")
    assert _score(TABLE, "TP") == pytest.approx((303 * expected.low, 303 * expected.high))


@pytest.mark.parametrize("key", [*PROPORTIONS, "F1"])
def test_the_general_method_is_near_the_exact_one(key: str) -> None:
    """It is at most a tenth of the interval wider or narrower at either end."""
    measure = br.get_measure(key)
    mine = br.Measure.custom("mine", measure.definition.function)
    exact = _score(TABLE, key)
    assert _score(TABLE, mine) == pytest.approx(exact, abs=0.1 * (exact[1] - exact[0]))


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


def test_a_smaller_alpha_has_a_wider_interval() -> None:
    """Of scores and of margins, for every measure."""
    known = [BINARY.uncertainty(TABLE, alpha) for alpha in (0.01, 0.05, 0.1, 0.32, 0.5)]
    for measure in TWO_CLASS_MEASURES.values():
        baseline = BINARY.baseline(TABLE.base_rate, measure)
        for found in (
            [each.score(measure) for each in known],
            [each.margin(baseline.measure, baseline) for each in known],
        ):
            lows, highs = zip(*found, strict=True)
            assert list(lows) == sorted(lows)
            assert list(highs) == sorted(highs, reverse=True)


TURNED = {"FDR": "PPV", "FOR": "NPV", "FNR": "TPR", "FPR": "TNR"}


@pytest.mark.parametrize("key", TURNED)
def test_a_measure_turned_around_has_the_limits_turned_around(key: str) -> None:
    """1 - PPV is to be minimized, and its margin is that of PPV."""
    low, high = _score(TABLE, TURNED[key])
    assert _score(TABLE, key) == pytest.approx((1 - high, 1 - low), rel=1e-12)
    assert _margin(TABLE, key) == pytest.approx(_margin(TABLE, TURNED[key]), abs=1e-12)


def test_a_measure_times_a_factor_has_the_limits_times_that_factor() -> None:
    """BACC is (J + 1) / 2, and a cost in cents is a hundred times that in euros."""
    low, high = _score(TABLE, "J")
    assert _score(TABLE, "BACC") == pytest.approx(((low + 1) / 2, (high + 1) / 2), rel=1e-12)
    low, high = _margin(TABLE, "J")
    assert _margin(TABLE, "BACC") == pytest.approx((low / 2, high / 2), rel=1e-12)
    cents = br.Measure.custom(
        "cents", lambda tp, fp, fn, tn: 100 * fp + 500 * fn, direction="minimize"
    )
    assert _score(TABLE, cents) == pytest.approx([100 * limit for limit in _score(TABLE, COST)])
    assert _margin(TABLE, cents) == pytest.approx([100 * limit for limit in _margin(TABLE, COST)])
    gain = br.Measure.custom("gain", lambda tp, fp, fn, tn: -fp - 5 * fn)
    assert _margin(TABLE, gain) == pytest.approx(_margin(TABLE, COST), rel=1e-12)


def test_the_classes_may_be_swapped() -> None:
    """MCC, J, ACC and kappa do not care which class is the positive one; nor do their limits."""
    swapped = br.Confusion(tp=TABLE.tn, fp=TABLE.fn, fn=TABLE.fp, tn=TABLE.tp)
    for key in ("MCC", "J", "ACC", "KAPPA", "G2"):
        low, high = _margin(TABLE, key)
        assert _margin(swapped, key) == pytest.approx((low, high), abs=0.02 * (high - low))


def test_the_same_twice() -> None:
    """Nothing is random, and a table does not depend on those before it."""
    first = [_margin(TABLE, key) for key in TWO_CLASS_MEASURES]
    _margin(br.Confusion(tp=5, fp=2, fn=1, tn=9), "MCC")
    assert [_margin(TABLE, key) for key in TWO_CLASS_MEASURES] == first


@pytest.mark.parametrize("key", TWO_CLASS_MEASURES)
def test_huge_counts(key: str) -> None:
    """At 10¹⁵ observations, limits are as close as 1e-6 and on both sides of the score."""
    table = br.Confusion(tp=3 * 10**14, fp=10**14, fn=10**14, tn=5 * 10**14)
    score = br.get_measure(key).score(table)
    low, high = _score(table, key)
    assert low < score < high
    assert high - low < 1e-6 * max(score, 1)
    low, high = _margin(table, key)
    margin = br.evaluate(None, table, key)["model", key].margin
    slack = 1e-15 * max(score, 1)
    assert low - slack <= margin <= high + slack


# Custom measures.


def test_custom_measures_of_every_kind() -> None:
    """A function of one table, and one of whole counts only, have the limits of their formula."""
    table = br.Confusion(tp=60, fp=9, fn=5, tn=130)
    ends = (-1, 1)
    formula = br.Measure.custom(
        "formula", lambda tp, fp, fn, tn: tp / (tp + fn) - fp / (fp + tn), codomain=ends
    )
    exact = _margin(table, formula)

    def one_table(tp: float, fp: float, fn: float, tn: float) -> float:
        if tp + fn == 0 or fp + tn == 0:
            return math.nan
        return tp / (tp + fn) - fp / (fp + tn)

    def whole(tp: int, fp: int, fn: int, tn: int) -> float:
        if any(float(count) != int(count) for count in (tp, fp, fn, tn)):
            raise TypeError(tp)
        return one_table(tp, fp, fn, tn)

    assert _margin(table, br.Measure.custom("one", one_table, codomain=ends)) == pytest.approx(
        exact, abs=1e-12
    )
    found = _margin(table, br.Measure.custom("whole", whole, codomain=ends))
    assert found == pytest.approx(exact, abs=0.1 * (exact[1] - exact[0]))


# Degenerate tables.


def test_what_a_single_observation_cannot_change() -> None:
    """Without true positives and true negatives G2 is 0, and one more of either leaves it there."""
    low, high = _score(br.Confusion(fp=15, fn=15), "G2")
    assert low == 0
    assert high == pytest.approx(0.117, abs=0.01)


def test_one_class() -> None:
    """All that a test set without positives says of NPV is that it is high."""
    table = br.Confusion(tn=30)
    assert _score(table, "NPV") == pytest.approx((0.025 ** (1 / 30), 1), abs=1e-9)
    low, high = _margin(table, "NPV")
    assert low < 0 < high


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


def test_the_best_draw_of_another_base_rate() -> None:
    """G2's best draw is two thirds if one observation is positive, and half if more are.

    The sum over all tables of 30, for a model that is nearly always wrong, 12% positive: compared
    with the draw of the observed base rate alone, the lower limit was wrong 8% of the time.
    """
    cells = [0.0032, 0.8755, 0.1188, 0.0025]
    law = multinomial(30, cells)
    at = 30 * (cells[0] + cells[2])  # between 3 and 4 positives
    free = [br.baseline(br.BaseRate(positives=each, total=30), "G2").best.value for each in (3, 4)]
    truth = float(br.get_measure("G2").definition(*cells)) - np.interp(at, (3, 4), free)
    wrong = 0.0
    for tp, fn, tn in product(range(3), range(1, 12), range(3)):
        table = br.Confusion(tp=tp, fp=30 - tp - fn - tn, fn=fn, tn=tn)
        low, _ = _margin(table, "G2")
        wrong += float(law.pmf([tp, table.fp, fn, tn])) * (low > truth + 0.002)
    assert wrong <= 1.3 * 0.025


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
