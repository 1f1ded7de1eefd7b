"""Measures of rankings: scores and baselines, against every way to place the positives."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import baserate as br
from baserate.core.baseline import ANY
from baserate.measures.rankings import (
    discount_sums,
    partial_auc,
)
from baserate.observed.curves import harmonic
from baserate.observed.scores import RankedScores


def test_edges_of_partial_areas_and_average_precision() -> None:
    """Up to a rate of 1 it is the AUC; and without negatives every average precision is perfect."""
    scores = RankedScores.of([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.1])
    assert partial_auc(1.0).score(scores) == pytest.approx(br.get_measure("AUC").score(scores))
    base: Any = br.baseline(br.BaseRate(positives=2, total=5), partial_auc(1))
    assert (base.best.value, base.guesses) == (0.5, ANY)
    alone: Any = br.baseline(br.BaseRate(positives=5, total=5), "AP")
    assert (alone.best.value, alone.guesses) == (1, ANY)
    for number in (1, 2, 39, 40, 41, 10**6, 10**15):
        assert harmonic(number) == pytest.approx(float(mpmath.harmonic(number)), rel=4e-16)


def test_sums_of_discounts_far_down() -> None:
    """A formula continues the sums where a table ends; a discount is the difference of two."""
    for position in (10, 10**6):
        exact = np.sum(1 / np.log2(np.arange(2, position + 2)))
        assert discount_sums(np.array([position]))[0] == pytest.approx(exact, rel=1e-13)
    far = discount_sums(np.array([10**8, 10**8 + 1000]))
    between = np.sum(1 / np.log2(np.arange(10**8 + 2, 10**8 + 1002)))
    assert far[1] - far[0] == pytest.approx(between, rel=1e-9)


def test_a_billion_observations() -> None:
    """Counts do not overflow where a calibration error is of random draws."""
    big = 10**9
    observed = RankedScores(np.array([0.5, 0.1]), np.array([big, big]), np.array([big, 9 * big]))
    null = br.get_measure("ECE").null(observed.test_set, observed.levels)
    assert null.mean() == pytest.approx(1 / 9, rel=1e-3)
    assert null.cdf(0.1) == null.floor
