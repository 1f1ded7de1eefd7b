"""p-values of a whole family, adjusted for many looks."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from baserate.core.multiple_testing import adjusted, benjamini_hochberg, holm
from baserate.exceptions import InvalidPredictionsError

if TYPE_CHECKING:
    from collections.abc import Sequence

PS = st.lists(st.floats(0, 1), min_size=1, max_size=7)


def _closed_bonferroni(p_values: Sequence[float]) -> list[Fraction]:
    """Holm by its definition: the closure of Bonferroni over every family that holds a member."""
    exact = [Fraction(p) for p in p_values]
    places = range(len(exact))
    families = [set(each) for size in places for each in combinations(places, size + 1)]
    tests = [
        (family, min(Fraction(1), len(family) * min(exact[i] for i in family)))
        for family in families
    ]
    return [max(p for family, p in tests if i in family) for i in places]


@given(PS)
def test_holm_is_the_closed_bonferroni_test(p_values: list[float]) -> None:
    """Holm's p-value is the largest Bonferroni p-value of any family with that member."""
    expected = [float(p) for p in _closed_bonferroni(p_values)]
    assert holm(p_values) == pytest.approx(expected, rel=1e-15, abs=0)


@given(PS)
def test_benjamini_and_hochberg_agree_with_scipy(p_values: list[float]) -> None:
    """The adjusted p-values are those of scipy."""
    expected = false_discovery_control(p_values, method="bh")
    assert benjamini_hochberg(p_values) == pytest.approx(list(expected), rel=1e-14, abs=0)


@given(st.lists(st.one_of(st.floats(0, 1), st.just(math.nan)), max_size=7))
@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_nan_is_no_test(adjust: type, p_values: list[float]) -> None:
    """A nan stays where it is, and the others are adjusted as if it were not there."""
    found = np.array(adjust(p_values))
    known = ~np.isnan(p_values)
    assert np.isnan(found).tolist() == (~known).tolist()
    assert found[known].tolist() == adjust(np.array(p_values)[known].tolist())


@given(PS)
def test_adjusted_p_values_keep_their_order(p_values: list[float]) -> None:
    """Adjusting makes no p-value smaller, none larger than 1, and swaps none of them."""
    for found in (np.array(holm(p_values)), np.array(benjamini_hochberg(p_values))):
        assert (found >= p_values).all()
        assert (found <= 1).all()
        assert (np.diff(found[np.argsort(p_values)]) >= 0).all()


def test_the_way_is_chosen_by_name() -> None:
    """None leaves p-values as they are, and an unknown way is an error that names the ways."""
    assert adjusted([0.01, 0.04], None) == [0.01, 0.04]
    assert adjusted([0.01, 0.04], "holm") == [0.02, 0.04]
    assert adjusted([0.01, 0.04], "bh") == [0.02, 0.04]
    with pytest.raises(InvalidPredictionsError, match="adjust must be 'holm', 'bh' or None"):
        adjusted([0.01], "bonferroni")  # type: ignore[arg-type]
    with pytest.raises(InvalidPredictionsError, match="adjust must be"):
        adjusted([0.01], ["holm"])  # type: ignore[arg-type]
