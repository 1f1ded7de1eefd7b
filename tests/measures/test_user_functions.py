"""Functions of a user: called with numbers or arrays, and recognised where they are affine."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import baserate as br
from baserate.exceptions import InvalidMeasureError
from baserate.measures.affine import affine_score
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.measures.two_classes_record import UserFunction
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
    assert affine_score(br.Measure.custom(name, OTHER[name]), rate) is None
    assert affine_score(TWO_CLASS_MEASURES["ACC"], rate) is None


def test_factors_beyond_floats() -> None:
    """Scores too large for a float are undefined, as for any function."""
    huge = br.Measure.custom("huge", lambda tp, fp, fn, tn: 10**400 * tp)
    rate = br.BaseRate(positives=3, total=10)
    assert affine_score(huge, rate) is None
    with pytest.warns(br.exceptions.UndefinedMeasureWarning):
        assert math.isnan(br.expected_score(rate, huge, 0.5))
    steep = br.Measure.custom("steep", lambda tp, fp, fn, tn: 10**300 * tp)
    assert br.DutchDraw(rate, 0.5).score(steep).var() == math.inf


# --- Functions of four counts ---------------------------------------------------------------------


def _rounded(by: float) -> Callable[..., Any]:
    """A share whose last digits differ for arrays."""
    return lambda tp, fp, fn, tn: tp / (tp + fn) * (1 + by * isinstance(tp, np.ndarray))


TAKES_ARRAYS: dict[str, tuple[Callable[..., Any], bool]] = {
    "cost": (lambda tp, fp, fn, tn: 5 * fn + fp, True),
    "reciprocals": (lambda tp, fp, fn, tn: 1 / tp + 1 / fp + 1 / fn + 1 / tn, True),
    "undefined": (lambda tp, fp, fn, tn: tp * math.nan, True),
    "rounded": (_rounded(1e-12), True),
    "imprecise": (_rounded(1e-6), False),
    "branches": (lambda tp, fp, fn, tn: 1.0 if tp > fn else 0.0, False),
    "letters": (
        lambda tp, fp, fn, tn: np.array(tp, dtype=str) if isinstance(tp, np.ndarray) else tp,
        False,
    ),
}


@pytest.mark.parametrize("name", TAKES_ARRAYS)
def test_who_takes_arrays(name: str) -> None:
    """Arrays are used only if they give the same scores as numbers, to nine digits."""
    function, takes_arrays = TAKES_ARRAYS[name]
    assert UserFunction.probed("mine", function).vectorised is takes_arrays


def test_scores_that_are_no_real_numbers() -> None:
    """A non-numeric score raises, even on a table that was not tried at first."""
    function = UserFunction.probed("late", lambda tp, fp, fn, tn: np.emath.sqrt(tp - 3))
    assert function.vectorised
    with pytest.raises(InvalidMeasureError, match="must return a number"):
        function(*[np.array([1.0, 2.0])] * 4)


# --- Functions of rows ----------------------------------------------------------------------------


def _mean_error(y_true: Any, y_pred: Any) -> float:
    return float(np.abs(y_true - y_pred).mean())


OF_ROWS = br.Measure.custom("my MAE", _mean_error, direction="minimize", codomain=(0, math.inf))
ROWS, MODEL, RIVAL = [1.0, 2, 3, 5, 8, 9, 4], [1.5, 2, 2, 7, 7, 9, 5], [2.0, 1, 5, 3, 5, 7, 8]


def test_a_function_of_rows_answers_as_the_built_in_measure_does() -> None:
    """Score, best guess, all orders and all swaps of few rows; weights that are whole numbers."""
    weights = [1, 2, 3, 1, 1, 2, 1]
    for options in ({}, {"sample_weight": weights, "weights": "importance"}):
        report = br.evaluate(ROWS, MODEL, [OF_ROWS, "MAE"], **options)
        mine, theirs = report.verdicts
        assert (mine.score, mine.p_value) == pytest.approx((theirs.score, theirs.p_value))
        assert mine.baseline == pytest.approx(theirs.baseline, rel=1e-5)
        assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), rel=0.05)
        assert not mine.exact or theirs.exact
    first, second = br.compare(ROWS, {"one": MODEL, "other": RIVAL}, [OF_ROWS, "MAE"]).differences
    assert (first.difference, first.p_value) == pytest.approx((second.difference, second.p_value))
    assert not br.baseline(ROWS, OF_ROWS).exact
    assert pickle.loads(pickle.dumps(OF_ROWS)).key == "my MAE"


def test_a_function_of_rows_without_a_number() -> None:
    """It is undefined where it divides by zero."""
    ratio = br.Measure.custom("ratio", lambda y_true, y_pred: 1 / 0)
    assert math.isnan(br.evaluate(ROWS, MODEL, ratio).verdicts[0].score)
    correlated = br.Measure.custom("r", lambda y, p: np.cov(y, p)[0, 1] if np.ptp(p) else math.nan)
    assert "always the same has no score" in br.evaluate(ROWS, MODEL, correlated).verdicts[0].reason
