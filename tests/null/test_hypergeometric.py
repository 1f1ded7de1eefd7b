"""The law of TP: against exact fractions if possible, and to 50 digits beyond."""

from __future__ import annotations

import math
import random
from decimal import Context, Inexact, Rounded, localcontext
from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest
from scipy.stats import hypergeom

import reference
from baserate.null.hypergeometric import Hypergeometric, log_factorial, log_factorial_excess
from reference import relative_error


def _law(positives: int, total: int, drawn: int) -> Hypergeometric:
    return Hypergeometric(positives, total - positives, drawn)


def _cases(seed: int, count: int) -> list[tuple[int, int, int, int]]:
    """Random laws up to M = 10¹⁵ with a count in the middle, in a tail, or far out."""
    rng = random.Random(seed)
    cases = []
    while len(cases) < count:
        total = int(10 ** rng.uniform(0.5, 15))
        positives, drawn = (max(1, int(total * 10 ** rng.uniform(-9, 0))) for _ in range(2))
        positives, drawn = (rng.choice([n, total - n]) for n in (positives, drawn))
        law = _law(positives, total, drawn)
        distance = rng.choice([-37, -20, -8, -3, -1, 0, 0.3, 1, 3, 8, 20, 37]) * rng.random()
        tp = int(law.mean + Fraction(distance * math.sqrt(law.variance)))
        cases.append((positives, total, drawn, min(max(tp, law.low), law.high)))
    return cases


def test_at_a_glance() -> None:
    """A quick overview: exact masses, quantiles, moments, and a tail by Gregory's formula."""
    law = _law(30, 100, 40)
    ways = [comb(30, tp) * comb(70, 40 - tp) for tp in range(law.low, law.high + 1)]
    masses = [float(Fraction(each, comb(100, 40))) for each in ways]
    assert (law.low, law.high, law.size, law.mode) == (0, 30, 31, 12)
    assert (law.mean, law.variance) == (12, Fraction(30 * 70 * 40 * 60, 100 * 100 * 99))
    assert law.masses() == (0, pytest.approx(masses, rel=1e-13))
    first, window = law.window()
    assert window == pytest.approx(masses[first : first + window.size], rel=1e-11, abs=1e-15)
    for tp in (3, 11, 12, 17, 24):
        below = Fraction(sum(ways[: tp + 1]), comb(100, 40))
        assert law.cdf(tp) == pytest.approx(float(below), rel=1e-14)
        assert law.sf(tp) == pytest.approx(float(1 - below), rel=1e-14)
        assert law.ppf(float(below) * (1 - 1e-12)) == tp
    wide = _law(2 * 10**6, 10**7, 5 * 10**6)
    for tp, outward in ((wide.mode - 900, -1), (wide.mode + 900, 1)):
        exact = reference.tail(2 * 10**6, 10**7, 5 * 10**6, tp, outward)
        value = wide.cdf(tp) if outward < 0 else wide.sf(tp - 1)
        assert relative_error(value, exact) < 1e-14
        other = wide.sf(tp) if outward < 0 else wide.cdf(tp - 1)
        assert other == pytest.approx(1 - value, rel=1e-15)
    assert _law(1, 1, 1).variance == 0


def test_small_laws_are_exact() -> None:
    """pmf, cdf and sf of every law with M ≤ 14 equal exact fractions."""
    for total in range(1, 15):
        for positives in range(total + 1):
            for drawn in range(total + 1):
                law = _law(positives, total, drawn)
                below = Fraction(0)
                for tp in range(law.low - 1, law.high + 2):
                    mass = Fraction(0)
                    if law.low <= tp <= law.high:
                        ways = comb(positives, tp) * comb(total - positives, drawn - tp)
                        mass = Fraction(ways, comb(total, drawn))
                    below += mass
                    assert law.pmf(tp) == pytest.approx(float(mass), rel=1e-15)
                    assert law.cdf(tp) == pytest.approx(float(below), rel=1e-15)
                    assert law.sf(tp) == pytest.approx(float(1 - below), rel=1e-15)


def test_pmf_to_the_last_digits() -> None:
    """The relative error is below 2e-16 for M up to 10¹⁵, even at p = 1e-300."""
    smallest = 1.0
    for positives, total, drawn, tp in _cases(seed=1, count=300):
        value = _law(positives, total, drawn).pmf(tp)
        exact = reference.pmf(positives, total, drawn, tp)
        if exact > 1e-307:
            smallest = min(smallest, value)
            assert relative_error(value, exact) < 2e-16
    assert smallest < 1e-200


def test_tails_to_the_last_digits() -> None:
    """The relative error of the smaller tail is below 2e-14, against 50 digits."""
    for positives, total, drawn, tp in _cases(seed=2, count=200):
        law = _law(positives, total, drawn)
        if math.sqrt(law.variance) > 3000 or law.low == law.high:
            continue
        if tp < law.mode:
            value, exact = law.cdf(tp), reference.tail(positives, total, drawn, tp, -1)
        elif tp < law.high:
            value, exact = law.sf(tp), reference.tail(positives, total, drawn, tp + 1, 1)
        else:
            continue
        if exact > 1e-300:
            assert relative_error(value, exact) < 2e-14


@pytest.mark.parametrize("distance", [0, 0.5, 2, 6])
def test_tails_across_the_switch_to_gregory(distance: float) -> None:
    """Just below and above 1,000 terms, both ways to sum a tail agree with the reference."""
    for total in (40_000, 44_000, 45_000, 60_000, 10**6):
        law = _law(total // 2, total, total // 2)
        tp = law.mode + int(distance * math.sqrt(law.variance))
        exact = reference.tail(total // 2, total, total // 2, tp + 1, 1)
        assert relative_error(law.sf(tp), exact) < 1e-14


def test_gregory_agrees_with_adding_up() -> None:
    """A tail has the same sum on the coarse grid and term by term."""
    law = _law(200_000, 500_000, 250_000)
    tp = law.mode + 300
    terms = 4000
    coarse = law._gregory(tp, 1, terms)
    masses = [law.pmf(tp + j) / law.pmf(tp) for j in range(terms)]
    assert coarse == pytest.approx(math.fsum(masses), rel=1e-14)


def test_all_masses_at_once() -> None:
    """All masses that are not below the smallest float equal pmf, count by count."""
    small, long = ((3, 9, 4), (700, 3000, 1200), (4, 4, 4)), (5000, 20_000, 9000)
    for positives, total, drawn in (*small, long, (5, 10**12, 10**11)):
        law = _law(positives, total, drawn)
        first, masses = law.masses()
        for index in range(0, masses.size, max(1, masses.size // 40)):
            assert masses[index] == pytest.approx(law.pmf(first + index), rel=1e-12, abs=0)
        assert masses.sum() == pytest.approx(1, abs=1e-13)
        beyond = [tp for tp in (first - 1, first + masses.size) if law.low <= tp <= law.high]
        assert all(law.pmf(tp) < 1e-300 for tp in beyond)


def test_ppf_inverts_cdf() -> None:
    """A quantile is the smallest count whose cdf reaches q, for small laws and for M = 10¹²."""
    for positives, total, drawn in ((3, 9, 4), (300, 1000, 400), (10**11, 10**12, 4 * 10**11)):
        law = _law(positives, total, drawn)
        assert law.ppf(1.0) == law.high
        for q in (0.0, 1e-300, 1e-12, 0.025, 0.3, 0.5, 0.7, 0.975, 1 - 1e-12):
            tp = law.ppf(q)
            assert law.cdf(tp) >= q
            assert tp == law.low or law.cdf(tp - 1) < q
        for tp in (law.mode - 2, law.mode, law.mode + 1):
            if law.low <= tp <= law.high:
                assert law.ppf(law.cdf(tp)) == tp


def test_scipy_agrees_where_it_answers() -> None:
    """The law equals scipy's, at the sizes and in the tails where scipy still has digits."""
    law, theirs = _law(300, 1000, 400), hypergeom(1000, 300, 400)
    for tp in range(law.low, law.high + 1, 7):
        if theirs.pmf(tp) > 1e-200:
            assert law.pmf(tp) == pytest.approx(theirs.pmf(tp), rel=1e-9)
            assert law.sf(tp) == pytest.approx(theirs.sf(tp), rel=1e-9)
    assert float(law.mean) == pytest.approx(theirs.mean())
    assert float(law.variance) == pytest.approx(theirs.var())


def test_decimal_context_of_the_user_does_not_matter() -> None:
    """A user's decimal context (traps, three digits) does not change the law."""
    expected = _law(300, 1000, 400).pmf(125)
    with localcontext(Context(prec=3, traps=[Inexact, Rounded])):
        assert _law(300, 1000, 400).pmf(125) == expected


def test_log_factorials() -> None:
    """Log-factorials are right to 40 digits, on both sides of the switch to Stirling's series."""
    for n in (0, 1, 2, 127, 128, 129, 1000, 10**6, 10**15, 10**18):
        exact = mpmath.loggamma(mpmath.mpf(n) + 1)
        assert abs(mpmath.mpf(str(log_factorial(n))) - exact) <= abs(exact) * mpmath.mpf(10) ** -40


def test_differences_of_log_factorials() -> None:
    """Loader's form is right to 50 digits, across its switches at |u| = 0.1 and x = 100."""
    for anchor in (20.0, 120.0, 1e4, 1e14):
        for u in (-0.2, -0.101, -0.0999, -1e-7, 0.0, 1e-9, 0.0999, 0.1001, 0.8):
            a, c = mpmath.mpf(anchor), mpmath.mpf(u * anchor)
            exact = (
                mpmath.loggamma(a + c + 1)
                - c * mpmath.log(a)
                - (a * mpmath.log(a) - a + mpmath.log(2 * mpmath.pi * a) / 2)
            )
            value = float(log_factorial_excess(anchor, np.float64(u * anchor)))
            assert abs(value - exact) <= 1e-14 * max(abs(exact), mpmath.mpf("1e-3"))
