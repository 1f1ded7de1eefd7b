"""Random counts: numpy's below 10⁹, ours beyond."""

from __future__ import annotations

import math

import numpy as np
import pytest

import baserate as br
from baserate.null.hypergeometric import Hypergeometric
from baserate.binary.draw import random_counts, within_memory
from baserate.exceptions import InvalidSampleError


def _law(positives: int, total: int, drawn: int) -> Hypergeometric:
    return Hypergeometric(br.BaseRate(positives=positives, total=total), drawn)


def test_random_counts_have_the_right_law() -> None:
    """The mean and variance of 20,000 counts are within five standard errors."""
    law = _law(30, 100, 40)
    sample = random_counts(law, np.random.default_rng(3), 20_000)
    assert sample.min() >= law.low
    assert sample.max() <= law.high
    variance = float(law.variance)
    assert abs(sample.mean() - float(law.mean)) < 5 * math.sqrt(variance / sample.size)
    assert sample.var() == pytest.approx(variance, rel=5 * math.sqrt(2 / sample.size))


@pytest.mark.parametrize(
    ("positives", "total", "drawn"),
    [
        (10**11, 10**12, 3 * 10**11),  # wide: by rejection
        (3 * 10**14, 10**15, 77 * 10**13),
        (5, 10**12, 3 * 10**11),  # a handful of counts: by inversion
        (10**11, 10**12, 900),  # just below the switch of methods
        (10**11, 10**12, 1700),  # just above it
        (10**12 - 7, 10**12, 5 * 10**11),  # the support does not start at zero
    ],
)
def test_random_counts_at_any_size(positives: int, total: int, drawn: int) -> None:
    """Mean, variance and quantiles of 50,000 counts at M = 10¹² are within standard errors."""
    law = _law(positives, total, drawn)
    sample = random_counts(law, np.random.default_rng(5), 50_000)
    assert (sample == random_counts(law, np.random.default_rng(5), 50_000)).all()
    assert law.low <= sample.min() <= sample.max() <= law.high
    sd = math.sqrt(law.variance)
    assert abs(sample.mean() - float(law.mean)) < 5 * sd / math.sqrt(sample.size)
    assert sample.var() == pytest.approx(sd**2, rel=6 * math.sqrt(2 / sample.size))
    for q in (0.01, 0.2, 0.5, 0.8, 0.99):
        at = law.ppf(q)
        share, expected = (sample <= at).mean(), law.cdf(at)
        assert abs(share - expected) < 5 * math.sqrt(expected * (1 - expected) / sample.size) + 1e-9


def test_a_sample_that_memory_refuses_is_an_error_of_ours() -> None:
    """A sample may be small enough for the limit, and still too large for a machine."""
    error = pytest.raises(InvalidSampleError, match=r"must fit in memory.*got 1,?000")
    with error, within_memory(1000):
        raise MemoryError
