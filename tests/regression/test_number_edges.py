"""Numbers at their edges: too many for a table, beyond floats, one value only, records alike."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from baserate.core.observed import Rows, Weights
from baserate.exceptions import InvalidFrameError
from baserate.kinds.numbers.null import null_of
from baserate.kinds.numbers.swaps import swap_test
from baserate.kinds.numbers.task import REGRESSION, Limits, fits_of_frame, pairs_of_frame
from baserate.measures.numbers import get_number_measure
from baserate.measures.numbers_record import TOO_LARGE
from baserate.observed.numbers import JointFit, NumericPredictions
from baserate.report.collection import Report
from baserate.task import Chance
from baserate.verdicts.judge import verdicts

RNG = np.random.default_rng(43)
FEW = Limits(rows=10, needed=10, sample=60)
FRAME = pl.LazyFrame(
    {"y": RNG.random(50), "p": RNG.random(50), "q": RNG.random(50), "w": RNG.random(50)}
)


def test_no_score_has_no_luck() -> None:
    """R2 of a truth that is all the same has none."""
    fit = NumericPredictions.of([2.0, 2.0, 2.0], [1.0, 2.0, 3.0])
    chance = Chance(REGRESSION, fit, (0.025, 0.975))
    assert np.isnan(chance.null_interval(get_number_measure("R2"))).all()
    assert repr(fit) == f"NumericPredictions({fit.test_set.described})"


def test_weighted_rows_of_an_engine_must_be_few() -> None:
    """All of them are read, so there is a limit."""
    rows = Rows(weights=Weights("w", "importance"))
    with pytest.raises(InvalidFrameError, match="at most 10 rows with sample_weight"):
        fits_of_frame(FRAME, "y", {"m": "p"}, rows, FEW)


def test_summaries_are_equal_to_their_own_kind() -> None:
    """Those of the same rows are equal, in words too, and a fit is none of them."""
    one, same = (fits_of_frame(FRAME, "y", {"m": "p"}, Rows(), FEW).tables["m"][None]
                 for _ in range(2))  # fmt: skip
    assert one == same
    assert one != one.test_set
    assert one.test_set == same.test_set
    assert one.test_set != one
    assert repr(one) == repr(one.test_set).replace("Numbers", "Fit")
    assert one.test_set.share == ("observations", "50")
    assert len(one.cells.truth) == one.sample.total
    pair, twin = (pairs_of_frame(FRAME, "y", {"a": "p", "b": "q"}, Rows(), FEW)
                  for _ in range(2))  # fmt: skip
    joint, other = (next(iter(next(iter(each.pairs.values())).values())) for each in (pair, twin))
    assert joint == other
    assert joint != one
    assert hash(joint) == hash(other)


def test_weighted_rows_that_weigh_most_of_a_loss() -> None:
    """One truth near 0 among 6,000, which have weights: MAPE is what its row gets, mostly."""
    y, z = np.append(RNG.random(5_999) + 1, 1e-7), RNG.random(6_000) + 1
    weights = RNG.integers(1, 4, 6_000).astype(float)
    measure = get_number_measure("MAPE")
    law = null_of(measure, NumericPredictions(y, z, weights))
    assert law.method in ("saddlepoint", "permutations")
    most = measure.form.loss(y[-1:], z) * weights[-1] / weights.sum()
    for level in (0.1, 0.5, 0.9):
        assert law.ppf(level) == pytest.approx(np.quantile(most, level), rel=0.02)


def test_squares_beyond_floats_are_not_compared() -> None:
    """Neither a p-value nor limits are made up."""
    joint = JointFit.of([0.0, 1.0, 2.0], [1e200, 1.0, 2.0], [0.0, 1e200, 3.0])
    measure = get_number_measure("MSE")
    assert math.isnan(swap_test(measure, joint)[0])
    assert np.isnan(REGRESSION.paired(joint, 0.05).limits(measure)).all()


def test_roots_of_squares_beyond_floats_are_not_compared() -> None:
    """RMSE has a value there, but its squares have no differences to swap."""
    joint = JointFit.of([0.0, 1.0, 2.0], [1e200, 1.0, 2.0], [0.0, 1e201, 3.0])
    measure = get_number_measure("RMSE")
    assert measure.score_or_reason(joint.first)[0] == pytest.approx(1e200 / math.sqrt(3))
    assert math.isnan(swap_test(measure, joint).p_value)


def test_a_shift_whose_square_no_float_holds_is_no_score() -> None:
    """Concordance divides by it: with such weights there is a reason, and no error of Python."""
    truth, predicted = np.array([0.0, 0, -1, -1, -1]), np.array([0.0, 0, 1, 0, 1])
    weights = np.array([1e-10, 1e-10, 1e300, 1e-300, 1e300])
    value, reason = get_number_measure("CCC").weighted(truth, predicted, weights)
    assert (math.isnan(value), reason) == (True, TOO_LARGE)


def test_scores_that_are_the_same_by_chance() -> None:
    """Different models with the same score differ by nothing that a swap exceeds."""
    joint = JointFit.of([0.0, 1.0, 2.0], [0.0, 2.0, 1.0], [1.0, 0.0, 2.0])
    assert swap_test(get_number_measure("Spearman"), joint) == (1.0, "exact", 0)
    assert swap_test(get_number_measure("Kendall"), joint) == (1.0, "exact", 0)


def test_summaries_say_why_there_is_no_constant() -> None:
    """Also when they are read from JSON."""
    rows, names = Rows(measures=["RMSE", "MSLE"]), {"m": "p"}
    negative = FRAME.with_columns(y=pl.col("y") - 5)
    found = fits_of_frame(negative, "y", names, rows, FEW)
    report = Report(verdicts(REGRESSION, found.tables, REGRESSION.chosen(["RMSE", "MSLE"])))
    assert report["m", "MSLE"].outcome.name == "UNDEFINED"
    again = Report.from_json(report.to_json())
    assert again["m", "MSLE"].reason == report["m", "MSLE"].reason != ""


def test_the_largest_error_has_no_limits() -> None:
    """It is no mean and no quantile of rows; swaps still compare it."""
    paired = REGRESSION.paired(JointFit.of([0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [2.0, 1.0, 1.0]), 0.05)
    measure = get_number_measure("max error")
    assert np.isnan(paired.limits(measure)).all()
    assert paired.swap_test(measure)[0] > 0
    truth = np.array([1.0, 2.0, 4.0])
    for predicted in (truth, truth + 1):  # without an error too
        assert np.isnan(
            REGRESSION.uncertainty(NumericPredictions(truth, predicted), 0.05).score(measure)
        ).all()
