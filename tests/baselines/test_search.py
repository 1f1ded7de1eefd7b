"""Optima without a formula: concavity, scans, searches, and their progress bar."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import baserate as br
import reference
from baserate.baselines.expectation import expected_scores
from baserate.measures.two_classes import TWO_CLASS_MEASURES


def _g2(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    return np.sqrt(tp / (tp + fn) * (tn / (tn + fp)))


def _waves(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    """A measure with many local optima, the best one in the middle."""
    share = (tp + fp) / (tp + fp + fn + tn)
    return np.cos(40 * (share - 0.37)) - (share - 0.37) ** 2


def test_g2_is_strictly_concave() -> None:
    """Checked, not proved: every second difference of E[G2] is negative, for every M ≤ 60.

    The smallest is above 10⁻⁷, and an expectation is right to 10⁻¹⁵, so floats are enough.
    """
    flattest = -1.0
    for total in range(2, 61):
        for positives in range(1, total):
            rate = br.BaseRate(positives=positives, total=total)
            curve = expected_scores(rate, TWO_CLASS_MEASURES["G2"], np.arange(total + 1))
            if total > 2:
                flattest = max(flattest, float(np.diff(curve, 2).max()))
    assert flattest < -1e-7


@pytest.mark.parametrize("total", [10**7, 10**12, 10**13])
@pytest.mark.parametrize("share", [0.5, 0.1, 0.9, 1e-5])
def test_maximum_of_g2_at_any_size(total: int, share: float) -> None:
    """The search finds the exact maximiser, against its neighbours at 60 digits."""
    positives = int(share * total)
    base = br.baseline(br.BaseRate(positives=positives, total=total), "G2")
    assert base.max.exact
    (best,) = (part.start for part in base.max.guesses.counts)
    with mpmath.workdps(60):

        def expectation(drawn: int) -> mpmath.mpf:
            definition = TWO_CLASS_MEASURES["G2"].definition
            return reference.expectation(definition, positives, total, drawn)

        top = expectation(best)
        assert expectation(best - 1) < top > expectation(best + 1)
        assert abs(base.max.value - top) <= 1e-15 * top


def test_beyond_rounding_the_maximiser_is_not_claimed() -> None:
    """If floats cannot distinguish neighbours, the optimum is not called exact."""
    rate = br.BaseRate(positives=2, total=937876856328949)
    optimum = br.baseline(rate, "G2").max
    assert not optimum.exact
    assert abs(optimum.guesses.counts[0].start - 572210430578188) <= 1
    largest = br.BaseRate(positives=10**14, total=10**15)
    assert not br.baseline(largest, "G2").max.exact
    assert br.baseline(largest, "G2").min.exact
    assert br.baseline(largest, "F1").max.exact


def test_a_pole_is_noticed() -> None:
    """1 / (TPR + TNR - 1) has a pole inside: its integral is not taken for its expectation."""

    def pole(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
        return 1 / (tp / (tp + fn) + tn / (tn + fp) - 1)

    rate = br.BaseRate(positives=3001, total=10007)
    smooth = br.Measure.custom("pole", pole, smooth=True)
    with pytest.raises(br.exceptions.InvalidMeasureError, match="leave smooth out"):
        br.baseline(rate, smooth)
    summed = br.baseline(rate, br.Measure.custom("pole", pole))
    assert summed.max.value == pytest.approx(510180.6, abs=0.1)
    assert not summed.max.exact  # a spike far from the mean would be missed
    draw = summed.max.guesses.counts[0].start
    # A single draw is summed in full, even if the function is declared smooth.
    law = br.DutchDraw(rate, predicted_positives=draw).score(smooth)
    assert law.mean() == pytest.approx(summed.max.value, rel=1e-12)


def test_search_says_that_it_searched() -> None:
    """Beyond 10⁵ draws the search claims nothing, but finds what the formulas give here."""
    rate = br.BaseRate(positives=10**11, total=10**12)
    for function, key in ((_g2, "G2"), (_waves, None)):
        base = br.baseline(rate, br.Measure.custom("mine", function, smooth=True))
        assert base.max.exact == base.min.exact is False
        assert str(base).endswith("; found by a search, and not certain")
        if key is not None:
            assert base.max.value == pytest.approx(br.baseline(rate, key).max.value, rel=1e-14)
    assert base.max.value == pytest.approx(1, abs=1e-9)
    assert next(iter(base.max.guesses)) == pytest.approx(0.37, abs=1e-3)


@pytest.mark.parametrize("shape", [None, "concave", "convex"])
def test_constant_expectations_tie_everywhere(shape: Any) -> None:
    """If all draws have the same expectation, all are optimal, for any declared shape."""
    precision = br.Measure.custom(
        "precision", lambda tp, fp, fn, tn: tp / (tp + fp), smooth=True, shape=shape
    )
    base = br.baseline(br.BaseRate(positives=30, total=100), precision)
    assert base.max.guesses.counts == base.min.guesses.counts == (range(1, 101),)


def test_undefined_draws_are_left_out() -> None:
    """1/tp is undefined for every draw that can miss all positives, even with a declared shape."""
    for positives, total in ((6, 10), (500, 1000), (3 * 10**11, 10**12)):
        rate = br.BaseRate(positives=positives, total=total)
        for shape in (None, "convex"):
            inverse = br.Measure.custom(
                "inverse", lambda tp, fp, fn, tn: 1 / tp, smooth=True, shape=shape
            )
            base = br.baseline(rate, inverse)
            assert base.max.value == pytest.approx(
                br.expected_score(rate, inverse, Fraction(total - positives + 1, total)), rel=1e-13
            )
            assert base.min.guesses.counts[-1].stop == total + 1
            assert 1 in base.min.guesses
            assert base.min.guesses.size < 1 + total / 10**6
            assert base.max.guesses.counts[0].start == total - positives + 1


def test_flat_tops_are_not_claimed() -> None:
    """At M = 10¹² many draws tie with the best within rounding, including the true one."""
    rate = br.BaseRate(positives=10**11, total=10**12)
    base = br.baseline(rate, br.Measure.custom("g2", _g2, smooth=True, shape="concave"))
    assert not base.max.exact
    best = br.baseline(rate, "G2").max.guesses.counts[0].start
    assert best in base.max.guesses.counts[0]
    assert base.max.guesses.size < 10**6
