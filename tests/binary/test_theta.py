"""Round θ to P̂ and back: rounding, sets and intervals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.observed.theta import (
    ThetaInterval,
    ThetaSet,
    predicted_positives_of,
    predicted_positives_of_all,
)

EVERY_SIZE = np.arange(1, 10**5 + 1)


def test_first_and_last_half_way_point_of_every_size() -> None:
    """1/(2M) draws one and 1 - 1/(2M) draws all, for every M up to 10⁵, as the intervals say."""
    for total in EVERY_SIZE.tolist():
        assert predicted_positives_of(1 / (2 * total), total) == 1
        assert predicted_positives_of(1 - 1 / (2 * total), total) == total


def test_just_below_the_half_way_points_of_every_size() -> None:
    """The float before 1/(2M) draws none, and the one before 1 - 1/(2M) draws all but one."""
    for total in EVERY_SIZE[1::7].tolist():
        assert predicted_positives_of(np.nextafter(1 / (2 * total), 0), total) == 0
        assert predicted_positives_of(np.nextafter(1 - 1 / (2 * total), 0), total) == total - 1


@given(total=st.integers(1, 10**15), data=st.data())
def test_theta_star_comes_back(total: int, data: st.DataObject) -> None:
    """P̂/M draws P̂ again, as a fraction and as a float."""
    count = data.draw(st.integers(0, total))
    assert predicted_positives_of(Fraction(count, total), total) == count
    assert predicted_positives_of(count / total, total) == count


@given(total=st.integers(1, 10**15), data=st.data())
def test_halves_round_up(total: int, data: st.DataObject) -> None:
    """(2k - 1)/(2M) draws k, as a fraction and as a float."""
    count = data.draw(st.integers(1, total))
    assert predicted_positives_of(Fraction(2 * count - 1, 2 * total), total) == count
    assert predicted_positives_of((2 * count - 1) / (2 * total), total) == count


@given(
    total=st.one_of(st.integers(1, 50), st.integers(1, 10**15), st.just(10**15)),
    thetas=st.lists(st.floats(0, 1), min_size=1, max_size=20),
)
def test_arrays_round_as_scalars_do(total: int, thetas: list[float]) -> None:
    """Both ways to round agree, element by element."""
    thetas += [(2 * k + 1) / (2 * total) for k in range(min(total, 30))]
    expected = [predicted_positives_of(theta, total) for theta in thetas]
    assert predicted_positives_of_all(thetas, total).tolist() == expected
    assert predicted_positives_of_all(np.array(thetas), total).tolist() == expected


def test_sets_of_fractions() -> None:
    """Arrays of fractions are rounded exactly."""
    thetas = [Fraction(1, 7), Fraction(1, 14), Fraction(1, 15), 1]
    assert predicted_positives_of_all(thetas, 7).tolist() == [1, 1, 0, 7]


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


def test_membership_is_exact() -> None:
    """0.1 is a member of {1/10}, as a float and as a fraction; its neighbours are not."""
    tenth = ThetaSet((range(1, 2),), 10)
    assert 0.1 in tenth
    assert Fraction(1, 10) in tenth
    assert np.float64(0.1) in tenth
    assert Fraction(0.1) not in tenth  # the float's own value is not one tenth
    assert np.nextafter(0.1, 1) not in tenth


def test_numpy_numbers_are_numbers() -> None:
    """θ from numpy.linspace gives the same draw as θ from Python, with Python integers."""
    rate = br.BaseRate(positives=300_000, total=10**6)
    for theta in np.linspace(0.2, 0.8, 3):
        ours, theirs = br.DutchDraw(rate, theta), br.DutchDraw(rate, float(theta))
        assert type(ours.predicted_positives) is int
        assert ours.score("ACC").var() == theirs.score("ACC").var()
        assert ours.score("MCC").interval(0.95) == theirs.score("MCC").interval(0.95)
    assert br.DutchDraw(rate, np.float32(0.5)).predicted_positives == 500_000
    assert br.DutchDraw(rate, np.longdouble("0.5")).predicted_positives == 500_000
    assert br.DutchDraw(rate, np.int64(1)).predicted_positives == 10**6
    ends = br.baseline(rate, "G2").min.guesses
    assert np.int64(1) in ends
    assert np.float32(0) in ends


def test_floats_lie_in_the_interval_they_draw() -> None:
    """1/(2M) as a float lies in [1/(2M), …) for every M, as it draws one observation."""
    for total in range(2, 200):
        interval = br.baseline(br.BaseRate(positives=2, total=total), "FM").min.guesses.intervals[0]
        assert 1 / (2 * total) in interval
        assert np.nextafter(1 / (2 * total), 0) not in interval
        assert 3 / (2 * total) not in interval
        assert "x" not in interval


def test_a_trillion_members() -> None:
    """The sets are lazy: nothing takes longer than at M = 10."""
    accuracy = br.baseline(br.BaseRate(positives=10**11, total=10**12), "ACC").max
    assert 0.5 not in accuracy.guesses
    assert 0.0 in accuracy.guesses
    even = br.baseline(br.BaseRate(positives=5 * 10**11, total=10**12), "ACC").max
    assert 0.5 in even.guesses
    assert len(even.guesses) == 10**12 + 1
    assert str(even.guesses.intervals[0]) == "[0, 1]"


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
