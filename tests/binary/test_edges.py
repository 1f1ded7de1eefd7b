"""Edge cases: M = 1, P = 0, P = M, P̂ = 0, P̂ = M, and counts up to 10¹⁵."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import baserate as br
from baserate.exceptions import UndefinedMeasureError
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from tools import tie

HUGE = 10**15
SIZES = [1, 2, HUGE - 1, HUGE]


@pytest.fixture(autouse=True)
def no_numpy_warning() -> object:
    """Turn overflow, invalid values and division by zero into errors."""
    with np.errstate(all="raise"):
        yield


def _edge_draws() -> list[tuple[int, int, int]]:
    edges = {total: sorted({0, 1, total // 2, total - 1, total}) for total in SIZES}
    return [
        (positives, total, drawn)
        for total in SIZES
        for positives, drawn in product(edges[total], repeat=2)
    ]


@pytest.mark.parametrize("key", TWO_CLASS_MEASURES)
def test_draws_and_baselines_at_the_edges(key: str) -> None:
    """Edge cases have finite numbers, or are undefined; optima are attained by their own θ*."""
    measure = TWO_CLASS_MEASURES[key]
    for positives, total, drawn in _edge_draws():
        rate = br.BaseRate(positives=positives, total=total)
        draw = br.DutchDraw(rate, predicted_positives=drawn)
        if drawn not in measure.allowed(rate):
            with pytest.raises(UndefinedMeasureError):
                draw.score(measure)
            continue
        null = draw.score(measure)
        lowest, middle, highest = null.ppf(0), null.ppf(0.5), null.ppf(1)
        assert lowest <= null.mean() * (1 + 1e-12) + 1e-300
        assert null.mean() <= highest * (1 + 1e-12) + 1e-300
        assert math.isfinite(null.var())
        assert lowest <= middle <= highest
        assert 0 <= null.cdf(middle) <= 1
        assert 0 <= null.sf(middle) <= 1
        base = br.baseline(rate, measure)
        for optimum in (base.max, base.min):
            count = optimum.guesses.counts[0].start
            attained = br.DutchDraw(rate, predicted_positives=count).score(measure).mean()
            slack = 1e-300 + tie(measure, abs(optimum.value))
            assert attained == pytest.approx(optimum.value, rel=1e-14, abs=slack)
