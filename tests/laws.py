"""The laws as functions, so that a test can also apply them to a broken record."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

import mpmath
import numpy as np
import pytest

import baserate as br
from baserate.measures.two_classes_record import Margins
from tools import attainable, masses, tie

if TYPE_CHECKING:
    from collections.abc import Callable


def score_or_nan(measure: br.Measure, table: br.ConfusionMatrix) -> float:
    """Return a score without a warning; nan if it is undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.exceptions.UndefinedMeasureWarning)
        return measure.score(table)


def _number(count: int) -> mpmath.mpf:
    return mpmath.mpf(count)


def _margins(drawn: br.DutchDraw, number: Callable[[int], object]) -> Margins:
    rate, count = drawn.base_rate, drawn.predicted_positives
    return Margins(
        number(rate.positives), number(rate.negatives), number(count), number(rate.total - count)
    )


def law_of_bounds(measure: br.Measure, table: br.ConfusionMatrix) -> None:
    """A score lies in its codomain, up to the last digit."""
    score = score_or_nan(measure, table)
    if not math.isnan(score):
        assert measure.codomain.lower - 1e-15 <= score <= measure.codomain.upper + 1e-15


def law_of_linearity(measure: br.Measure, table: br.ConfusionMatrix) -> None:
    """slope·TP + intercept equals the definition (Table 3)."""
    if measure.draw.slope is None or measure.failing_requirement(table) is not None:
        return
    cells = [_number(count) for count in (table.tp, table.fp, table.fn, table.tn)]
    drawn = br.DutchDraw(table, predicted_positives=table.predicted_positives)
    margins = _margins(drawn, _number)
    linear = measure.draw.slope(margins) * cells[0] + measure.draw.intercept(margins)
    exact = measure.definition(*cells)
    size = (
        abs(measure.draw.slope(margins) * cells[0])
        + abs(measure.draw.intercept(margins))
        + abs(exact)
    )
    assert abs(linear - exact) <= mpmath.mpf(10) ** -40 * size


def law_of_expectation(measure: br.Measure, drawn: br.DutchDraw) -> None:
    """The closed expectation equals slope·E[TP] + intercept (Table 3)."""
    margins = _margins(drawn, _number)
    if measure.draw.slope is None or measure.failing_requirement(margins) is not None:
        return
    mean = margins.positives * margins.predicted_positives / margins.total
    slope, intercept = measure.draw.slope(margins), measure.draw.intercept(margins)
    affine = slope * mean + intercept
    size = abs(slope * mean) + abs(intercept)
    assert abs(measure.draw.expectation(margins) - affine) <= mpmath.mpf(10) ** -40 * size


def law_of_summation(measure: br.Measure, drawn: br.DutchDraw) -> None:
    """The mean is the sum of all values times their masses, and the masses add up to 1."""
    if drawn.predicted_positives not in measure.allowed(drawn.base_rate):
        return
    null, scores = drawn.score(measure), attainable(drawn, measure)
    values, weights = np.array(scores), masses(null, scores)
    scale = max(abs(scores[0]), abs(scores[-1]), 1e-300)
    assert weights.sum() == pytest.approx(1, abs=1e-13)
    assert (values * weights).sum() == pytest.approx(null.mean(), rel=1e-12, abs=1e-13 * scale)
    spread = ((values - null.mean()) ** 2 * weights).sum()
    assert spread == pytest.approx(null.var(), rel=1e-10, abs=1e-13 * scale**2)


def law_of_optimality(measure: br.Measure, drawn: br.DutchDraw) -> None:
    """No draw expects more than the maximum or less than the minimum (Table 4)."""
    if drawn.predicted_positives not in measure.allowed(drawn.base_rate):
        return
    base = br.baseline(drawn.base_rate, measure)
    mean = drawn.score(measure).mean()
    largest = max(abs(base.max.value), abs(base.min.value))
    slack = 1e-14 * largest + tie(measure, largest)
    assert base.min.value - slack <= mean <= base.max.value + slack
    attains = drawn.theta_star in base.max.guesses
    assert not attains or mean == pytest.approx(base.max.value, rel=1e-14)


def law_of_sklearn(measure: br.Measure, rng: np.random.Generator) -> None:
    """scikit-learn gives the same number, on labels of both classes that predict both."""
    y_true, y_pred = (rng.permutation([0, 1, *rng.integers(0, 2, 20)]) for _ in range(2))
    assert measure.sklearn is not None
    score = measure.score(br.ConfusionMatrix.of(y_true, y_pred))
    assert math.isclose(measure.sklearn.score(y_true, y_pred), score, abs_tol=1e-14)


LAWS_ON_TABLES = [law_of_bounds, law_of_linearity]
LAWS_ON_DRAWS = [law_of_expectation, law_of_summation, law_of_optimality]
