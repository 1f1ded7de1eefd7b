"""The limits of numbers that are computed from counts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binomtest

from baserate.core.confidence import (
    _gamma_quantiles,
    limits,
    limits_of_rate,
    plausible,
    require_alpha,
)
from baserate.exceptions import InvalidProbabilityError

RATES = [(0, 1), (1, 0), (0, 30), (30, 0), (8, 2), (1, 999), (500, 500), (3, 10**6)]


@pytest.mark.parametrize(("hits", "misses"), RATES)
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1, 0.32])
def test_limits_of_a_rate_are_those_of_scipy(hits: int, misses: int, alpha: float) -> None:
    """The limits of Clopper and Pearson, as scipy.stats has them."""
    expected = binomtest(hits, hits + misses).proportion_ci(1 - alpha, method="exact")
    found = limits_of_rate(hits, misses, alpha)
    assert found == pytest.approx((expected.low, expected.high), rel=1e-9, abs=1e-11)


@pytest.mark.parametrize(("hits", "misses"), RATES)
@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.05, 0.32])
def test_the_general_method_is_the_exact_one_for_a_rate(
    hits: int, misses: int, alpha: float
) -> None:
    """With two cells, its limits are those of Clopper and Pearson, up to 3% of the distance."""
    share = plausible((hits, misses), alpha)[0]
    exact, rate = limits_of_rate(hits, misses, alpha), hits / (hits + misses)
    for found, limit in zip(limits(share, alpha), exact, strict=True):
        assert found == pytest.approx(limit, abs=0.03 * abs(limit - rate) + 1e-9)


def test_plausible_proportions_are_proportions() -> None:
    """They are not negative and sum to 1; a cell without observations has the spare one only."""
    cells = plausible((5, 0, 2, 93), 0.05)
    assert cells.shape[:2] == (4, 4)
    assert (cells >= 0).all()
    np.testing.assert_allclose(cells.sum(axis=0), 1, rtol=1e-12)
    assert not cells[1, [0, 2, 3]].any()
    assert (cells[1, 1] > 0).all()


def test_cells_may_share_the_spare_observation() -> None:
    """Then each has a part of it, and the ways to give it to one cell stay as they are."""
    counts = (0, 5, 5, 0)
    alone, both = plausible(counts, 0.05), plausible(counts, 0.05, [(0, 3)])
    np.testing.assert_array_equal(both[:, :4], alone)
    np.testing.assert_array_equal(both[0, 4], both[3, 4])
    np.testing.assert_allclose(both[0, 4] * 2, alone[0, 0], rtol=1e-12)


def test_points_are_the_same_twice() -> None:
    """Nothing is random."""
    for alpha in (0.05, 0.01):
        np.testing.assert_array_equal(plausible((1, 2, 3), alpha), plausible((1, 2, 3), alpha))


def test_the_error_of_the_points() -> None:
    """Limits of a difference of rates are those of 400,000 random points, to 3% of their sd."""
    rng = np.random.default_rng(1)
    drawn = rng.gamma(np.array([[60], [9], [5], [130], [1]]), size=(5, 400_000))
    drawn /= drawn.sum(axis=0)
    many = np.repeat(drawn[:4, np.newaxis], 4, axis=1)
    for cell in range(4):
        many[cell, cell] += drawn[4]
    exact = limits(_difference(many), 0.05)
    found = limits(_difference(plausible((60, 9, 5, 130), 0.05)), 0.05)
    sd = _difference(many[:, :1]).std()
    assert found == pytest.approx(exact, abs=0.03 * sd)


def _difference(cells: Any) -> Any:
    tp, fp, fn, tn = cells
    return tp / (tp + fn) - fp / (fp + tn)


def test_points_without_a_value_do_not_count() -> None:
    """A number that has no value anywhere has no limits."""
    values = np.array([[1.0, np.nan, 3.0], [2.0, np.nan, np.nan]])
    assert limits(values, 0.5) == (1.0, 3.0)
    assert all(map(math.isnan, limits(np.full((2, 3), np.nan), 0.05)))


@pytest.mark.parametrize("alpha", [0, 1e-5, 0.51, 1, -0.05, math.nan, math.inf, "0.05", True, None])
def test_levels_at_which_nothing_can_be_claimed(alpha: object) -> None:
    """They are errors that say how 5% is written."""
    with pytest.raises(InvalidProbabilityError, match=r"between 0\.001 and 0\.5 .*5% is written"):
        require_alpha(alpha)


def test_a_lattice_has_the_middles_of_equal_parts() -> None:
    """Of a gamma distribution, as scipy has them; of no observation, nothing."""
    middles = np.array([1, 3, 5, 7, 9]) / 10
    assert _gamma_quantiles(3, 5) == pytest.approx(stats.gamma(3).ppf(middles))
    assert _gamma_quantiles(0, 5).tolist() == [0] * 5
