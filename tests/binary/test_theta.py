"""Round θ to P̂ and back: rounding, sets and intervals."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.observed.theta import (
    ThetaInterval,
    ThetaSet,
    predicted_positives_of,
)


@given(total=st.integers(1, 10**15), data=st.data())
def test_halves_round_up(total: int, data: st.DataObject) -> None:
    """(2k - 1)/(2M) and k/M draw k, as a fraction and as a float."""
    count = data.draw(st.integers(1, total))
    assert predicted_positives_of(Fraction(count, total), total) == count
    assert predicted_positives_of(count / total, total) == count
    assert predicted_positives_of(Fraction(2 * count - 1, 2 * total), total) == count
    assert predicted_positives_of((2 * count - 1) / (2 * total), total) == count


def test_theta_set_is_a_collection() -> None:
    """len, in and iteration work without listing the members."""
    ends = br.baseline(br.BaseRate(positives=3, total=10), "G2").min.guesses
    assert (len(ends), list(ends), repr(ends)) == (2, [0.0, 1.0], "ThetaSet({0, 1})")
    assert 0.0 in ends
    assert 1 in ends
    assert 0.5 not in ends
    assert "0" not in ends
    assert 2 not in ends
    assert float("nan") not in ends
    assert repr(ThetaSet((range(1, 3),), 10)) == "ThetaSet({1/10, 2/10})"
    assert repr(ThetaSet((range(1, 4),), 10)) == "ThetaSet({1/10, …, 3/10})"
    assert ends == ThetaSet((range(1), range(10, 11)), 10)
    assert not ThetaSet((), 10)
    many = ThetaSet(tuple(range(k, k + 1) for k in range(0, 90, 2)), 100)
    assert "…" in str(many)
    assert len(str(many)) < 200


def test_intervals_contain_what_rounds_into_them() -> None:
    """θ lies in the intervals of a set exactly when it rounds to a member."""
    total = 7
    part = ThetaSet((range(1, 3), range(5, 8)), total)
    for numerator in range(2 * 4 * total + 1):
        theta = Fraction(numerator, 8 * total)
        rounds_in = predicted_positives_of(theta, total) in {1, 2, 5, 6, 7}
        assert any(theta in interval for interval in part.intervals) == rounds_in
    open_interval = ThetaInterval(Fraction(0), Fraction(1), False, False)
    assert 0 not in open_interval
    assert str(open_interval) == "(0, 1)"
