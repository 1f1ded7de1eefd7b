"""A user's function of four counts: called with numbers, or with arrays if it accepts them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import baserate as br
from baserate.exceptions import InvalidMeasureError
from baserate.measures.two_classes_record import UserFunction


def _cost(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return 5 * fn + fp


def _reciprocals(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return 1 / tp + 1 / fp + 1 / fn + 1 / tn


def _undefined(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp * math.nan


def _branches(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return 1.0 if tp > fn else 0.0


def _as_letters(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return np.array(tp, dtype=str) if isinstance(tp, np.ndarray) else tp


def _rounded(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp / (tp + fn) * (1 + 1e-12 * isinstance(tp, np.ndarray))


def _imprecise(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp / (tp + fn) * (1 + 1e-6 * isinstance(tp, np.ndarray))


@pytest.mark.parametrize(
    ("function", "takes_arrays"),
    [
        (_cost, True),
        (_reciprocals, True),
        (_undefined, True),
        (_rounded, True),
        (_branches, False),
        (_as_letters, False),
        (_imprecise, False),
    ],
)
def test_who_takes_arrays(function: Any, takes_arrays: bool) -> None:  # noqa: FBT001
    """Arrays are used only if they give the same scores as numbers, to nine digits."""
    assert UserFunction.probed("mine", function).vectorised is takes_arrays
    assert UserFunction("mine", function).vectorised is False


def _types(*counts: float) -> set[type]:
    """Return the argument types of a function that does not accept arrays."""
    seen = set()

    def watcher(tp: Any, fp: Any, fn: Any, tn: Any) -> float:
        seen.add(type(tp))
        return 0.0 if tp > fn else 1.0

    column = np.array(counts)
    UserFunction("watcher", watcher)(column, column, column, column)
    return seen


def test_whole_counts_are_integers() -> None:
    """Counts are integers, up to 64 bits, so that a function can index with them."""
    assert _types(0, 3, 1000, 1.5 * 2**62) == {int}
    assert _types(3, 2.0**63) == {float}
    assert _types(3, 0.5) == {float}
    prices = [0.0, 1.0, 8.0]
    lookup = UserFunction("lookup", lambda tp, fp, fn, tn: prices[tp] + prices[fp])
    two = np.array([[1.0, 2.0]])
    assert lookup(two, two, two, two).tolist() == [[2.0, 16.0]]
    assert lookup(*[np.empty((0, 2))] * 4).shape == (0, 2)


def test_an_error_shows_the_first_table() -> None:
    """The error shows the first failing table of many scored together."""

    def fails(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        raise ValueError("no")

    function = UserFunction("fails", fails, vectorised=True)
    columns = [np.array([first, 9.0]) for first in (1.0, 2.0, 3.0, 4.0)]
    with pytest.raises(InvalidMeasureError, match=r"1\.0.*2\.0.*3\.0.*4\.0"):
        function(*columns)


def test_scores_beyond_floats_are_undefined() -> None:
    """A score is undefined if it is a large integer, an OverflowError or inf."""
    table = br.Confusion(tp=2000, fp=1, fn=1, tn=1)
    for function in (
        lambda tp, fp, fn, tn: 2 ** int(tp),
        lambda tp, fp, fn, tn: 2.0 ** int(tp),
        lambda tp, fp, fn, tn: math.exp(tp),
        lambda tp, fp, fn, tn: np.exp(tp),
    ):
        power = br.Measure.custom("power", function)
        with pytest.warns(br.exceptions.UndefinedMeasureWarning, match="no value at"):
            assert math.isnan(power.score(table))


def test_scores_that_are_no_real_numbers() -> None:
    """A non-numeric score raises, even on a table that was not tried at first."""

    def late(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return np.emath.sqrt(tp - 3)

    function = UserFunction.probed("late", late)
    assert function.vectorised
    with pytest.raises(InvalidMeasureError, match="one number per table"):
        function(*[np.array([1.0, 2.0])] * 4)


def test_no_tables_have_no_scores() -> None:
    """No tables give no scores, with arrays and without."""
    rate = br.BaseRate(positives=3, total=10)
    for function in (_reciprocals, _branches):
        assert br.expected_score(rate, br.Measure.custom("mine", function), []).shape == (0,)
