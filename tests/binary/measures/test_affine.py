"""Scores that are affine in the counts: recognised by symbols, confirmed by numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import baserate as br
from baserate.core.measure import Codomain, Direction
from baserate.measures.affine import affine_score
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from exact import pmf_tables

if TYPE_CHECKING:
    from collections.abc import Callable


def _guarded(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    if tp + fn == 0 or not tn + fp > 0:
        return math.nan
    return np.float64(0.25) * tp / (tp + fn) - fp / np.int64(2) + 1


AFFINE: dict[str, Callable[..., Any]] = {
    "cost": lambda tp, fp, fn, tn: fp + 5 * fn,
    "decimal cost": lambda tp, fp, fn, tn: 0.1 * fp + 2.5 * fn - 1,
    "profit": lambda tp, fp, fn, tn: 100 * tp - (fp + fn) / 7,
    "accuracy": lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn),
    "informedness": lambda tp, fp, fn, tn: tp / (tp + fn) + tn / (tn + fp) - 1,
    "guarded": _guarded,
    "chosen": lambda tp, fp, fn, tn: np.where(tp + fn > 0, fp - tn, 0),
    "constant": lambda tp, fp, fn, tn: 3,
    "a constant root": lambda tp, fp, fn, tn: tp / math.sqrt(tp + fn),
    "fractions": lambda tp, fp, fn, tn: Fraction(1, 3) * +tp - -fn,
    "within bounds": lambda tp, fp, fn, tn: fp - tn if tp + fn >= 4 else tp - fn,
    "up to a bound": lambda tp, fp, fn, tn: fp - tn if tp + fn <= 3 else tp - fn,
    "from a number": lambda tp, fp, fn, tn: 10 - tp,
}


def _hides_a_refusal(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    try:
        return tp * tp
    except Exception:
        return 0


def _tells_symbols_from_numbers(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp**2 if isinstance(tp, int | float | np.ndarray) else tp


def _kinked(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return fp + 5 * fn if fp < 10**11 else 10**12


OTHER: dict[str, Callable[..., Any]] = {
    "product": lambda tp, fp, fn, tn: tp * tn,
    "quotient": lambda tp, fp, fn, tn: tp / (tp + fp + 1),
    "inverse": lambda tp, fp, fn, tn: 1 / (tp + 1),
    "power": lambda tp, fp, fn, tn: tp**2,
    "remainder": lambda tp, fp, fn, tn: tp % 2,
    "whole part": lambda tp, fp, fn, tn: tp // 2,
    "absolute": lambda tp, fp, fn, tn: abs(tp - fp),
    "maximum": lambda tp, fp, fn, tn: max(tp, fp),
    "step": lambda tp, fp, fn, tn: 1.0 if tp > fn else 0.0,
    "spike": lambda tp, fp, fn, tn: 1.0 if tp == 7 else 0.0,
    "truth": lambda tp, fp, fn, tn: 1.0 if tp else 0.0,
    "float": lambda tp, fp, fn, tn: float(tp),
    "root": lambda tp, fp, fn, tn: np.sqrt(tp),
    "attribute": lambda tp, fp, fn, tn: tp.real,
    "key": lambda tp, fp, fn, tn: {3: 1}.get(tp, 0),
    "infinite": lambda tp, fp, fn, tn: tp + math.inf * fp,
    "undefined": lambda tp, fp, fn, tn: math.nan,
    "text": lambda tp, fp, fn, tn: tp if str(tp) == "3" else 2 * tp,
    "hidden": _hides_a_refusal,
    "two faces": _tells_symbols_from_numbers,
    "kinked": _kinked,
}


@pytest.mark.parametrize("name", AFFINE)
def test_affine_scores_by_enumeration(name: str) -> None:
    """Means, variances and both optima equal sums over all tables, on small test sets."""
    measure = br.Measure.custom(name, AFFINE[name])
    for positives, total in ((1, 2), (3, 10), (5, 10), (11, 12)):
        rate = br.BaseRate(positives=positives, total=total)
        assert affine_score(measure, rate) is not None
        means = []
        for drawn in range(total + 1):
            tables = pmf_tables(positives, total, drawn)
            scores = {table: float(AFFINE[name](*table)) for table in tables}
            mean = sum(scores[table] * float(mass) for table, mass in tables.items())
            spread = sum((scores[t] - mean) ** 2 * float(mass) for t, mass in tables.items())
            law = br.DutchDraw(rate, predicted_positives=drawn).score(measure)
            assert law.mean() == pytest.approx(mean, rel=1e-13, abs=1e-13)
            assert law.var() == pytest.approx(spread, rel=1e-12, abs=1e-13)
            means.append(mean)
        base = br.baseline(rate, measure)
        for optimum, extreme in ((base.max, max(means)), (base.min, min(means))):
            assert optimum.exact
            assert optimum.value == pytest.approx(extreme, rel=1e-13, abs=1e-13)
            attained = [k for k, mean in enumerate(means) if abs(mean - extreme) < 1e-12]
            assert [k for part in optimum.guesses.counts for k in part] == attained


@pytest.mark.parametrize("name", OTHER)
def test_what_is_not_affine_is_not_taken_for_it(name: str) -> None:
    """No other operation on a symbol passes as affine, even if the function hides it."""
    rate = br.BaseRate(positives=3 * 10**11, total=10**12)
    measure = br.Measure(
        key=name,
        name=name,
        meaning=name,
        direction=Direction.MAXIMIZE,
        codomain=Codomain(-math.inf, math.inf),
        definition=br.Measure.custom("x", OTHER[name]).definition,
    )
    assert affine_score(measure, rate) is None
    assert affine_score(TWO_CLASS_MEASURES["ACC"], rate) is None


def test_costs_of_the_largest_test_set() -> None:
    """The baseline, law and verdict of a cost are exact at M = 10¹⁵."""
    cost = br.Measure.custom(
        "cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize", codomain=(0, math.inf)
    )
    rate = br.BaseRate(positives=10**14, total=10**15)
    base = br.baseline(rate, cost)
    assert (base.max.value, base.min.value) == (9e14, 5e14)
    assert list(base.min.guesses) == [0.0]
    law = br.DutchDraw(rate, 0.25).score(cost)
    true_positives = br.DutchDraw(rate, 0.25).score("TP")
    assert law.mean() == 0.25 * 9e14 + 0.75 * 5e14
    assert law.var() == pytest.approx(36 * true_positives.var(), rel=1e-14)
    low, high = law.interval(0.95)
    least, most = true_positives.interval(0.95)
    assert (low, high) == (7.5e14 - 6 * most, 7.5e14 - 6 * least)
    assert law.cdf(7.5e14 - 6 * most) == pytest.approx(true_positives.sf(most))
    table = br.Confusion.from_tp(9 * 10**13, rate, 10**14)
    verdict = br.evaluate(None, table, cost)["model", "cost"]
    assert verdict.outcome is br.Outcome.CLEARS
    assert verdict.null_low < 5.4e14 < verdict.null_high


def test_factors_beyond_floats() -> None:
    """Scores too large for a float are undefined, as for any function."""
    huge = br.Measure.custom("huge", lambda tp, fp, fn, tn: 10**400 * tp)
    rate = br.BaseRate(positives=3, total=10)
    assert affine_score(huge, rate) is None
    with pytest.warns(br.exceptions.UndefinedMeasureWarning):
        assert math.isnan(br.expected_score(rate, huge, 0.5))
    steep = br.Measure.custom("steep", lambda tp, fp, fn, tn: 10**300 * tp)
    assert br.DutchDraw(rate, 0.5).score(steep).var() == math.inf


def test_near_ties_of_whole_costs_are_told_apart() -> None:
    """At M = 10¹⁵ one observation decides; rounding of factors does not."""
    cost = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 4 * fn)
    positives, total = 2 * 10**14, 10**15
    level = br.baseline(br.BaseRate(positives=positives, total=total), cost)
    assert level.max.guesses.size == total + 1
    steep = br.baseline(br.BaseRate(positives=positives - 1, total=total), cost)
    assert list(steep.max.guesses) == [1.0]
    assert steep.max.value - steep.min.value == 5
    third = br.Measure.custom("third", lambda tp, fp, fn, tn: 0.1 * fp + 0.3 * fn)
    assert br.baseline(br.BaseRate(positives=1, total=4), third).max.guesses.size == 5
