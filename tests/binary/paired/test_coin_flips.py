"""The law of fair coin flips, where its masses matter."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from baserate.binary.paired.coin_flips import CoinFlips


@pytest.mark.parametrize("flips", [*range(20), 100, 101, 1599, 1600, 1700, 5001])
def test_masses_are_binomial(flips: int) -> None:
    """Every number of heads that a float can hold has its exact probability."""
    law = CoinFlips.of(flips)
    exact = [Fraction(math.comb(flips, int(heads)), 2**flips) for heads in law.heads]
    known = [(mass, float(p)) for mass, p in zip(law.masses, exact, strict=True) if p > 1e-290]
    found, expected = (np.array(each) for each in zip(*known, strict=True))
    assert found == pytest.approx(expected, rel=1e-13, abs=0)
    assert 1 - sum(exact) < Fraction(1, 10**300)
    assert (law.left_out, law.exact) == (0.0, True)


@pytest.mark.parametrize("flips", [0, 1, 2, 7, 8, 10**6, 10**6 + 1, 10**9, 10**10, 10**14])
def test_a_law_is_symmetric(flips: int) -> None:
    """Heads and tails are alike, and all masses add up to one."""
    law = CoinFlips.of(flips)
    assert np.array_equal(law.heads + law.heads[::-1], np.full(law.heads.size, float(flips)))
    assert np.array_equal(law.masses, law.masses[::-1])
    assert law.masses.sum() == pytest.approx(1, rel=1e-14)
    assert law.at_least[0] == pytest.approx(1, rel=1e-12)
    assert law.at_least[-1] == 0
    assert law.exact == (flips <= 10**10)


@pytest.mark.parametrize("flips", [10**6, 10**10])
def test_large_laws_at_high_precision(flips: int) -> None:
    """The masses of many flips are those at 50 digits, in the middle and far out."""
    law = CoinFlips.of(flips)
    for place in np.linspace(0, law.heads.size - 1, 9).astype(int).tolist():
        heads = int(law.heads[place])
        expected = mpmath.exp(
            mpmath.loggamma(flips + 1)
            - mpmath.loggamma(heads + 1)
            - mpmath.loggamma(flips - heads + 1)
            - flips * mpmath.log(2)
        )
        if expected > mpmath.mpf(10) ** -290:
            assert law.masses[place] == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("flips", [10, 74, 75, 1000, 10**6])
def test_what_is_left_out_is_small_and_counted(flips: int) -> None:
    """The short law leaves out less than it says, and less than 2e-16."""
    law, whole = CoinFlips.nearly_all(flips), CoinFlips.of(flips)
    kept = np.isin(whole.heads, law.heads)
    assert kept.sum() == law.heads.size
    assert whole.masses[~kept].sum() <= law.left_out <= 2e-16
    assert (law.left_out == 0) == kept.all()
