"""Test sets that are too small to show anything."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import baserate as br
from baserate.verdicts.outcome import Standard
from baserate.verdicts.reach import is_too_small


@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.01])
@given(st.integers(0, 20), st.integers(0, 20))
def test_even_a_perfect_prediction_is_no_evidence(
    alpha: float, positives: int, negatives: int
) -> None:
    """A test set is too small exactly where a prediction without errors has no small p-value."""
    assume(positives + negatives)
    rate = br.BaseRate(positives=positives, total=positives + negatives)
    p_value = Fraction(1, math.comb(rate.total, positives))
    assert br.p_value(br.Confusion(tp=positives, tn=negatives)) == pytest.approx(float(p_value))
    assert is_too_small(rate, Standard(alpha=alpha)) == (p_value >= Fraction(str(alpha)))


def test_the_boundary_is_exact() -> None:
    """One positive in 20 has p = 0.05, which is not below 0.05; one in 21 has less."""
    sizes = {size: br.BaseRate(positives=1, total=size) for size in (20, 21)}
    assert is_too_small(sizes[20], Standard())
    assert not is_too_small(sizes[21], Standard())
    assert is_too_small(sizes[21], Standard(tries=2))
    assert not is_too_small(sizes[20], Standard(alpha=0.06))


def test_huge_test_sets_are_answered_at_once() -> None:
    """No number of ways is counted further than the answer needs."""
    assert not is_too_small(
        br.BaseRate(positives=10**14, total=10**15), Standard(alpha=1e-3, tries=10**6)
    )
    assert is_too_small(br.BaseRate(positives=0, total=10**15), Standard())


@pytest.mark.parametrize("adjust", [None, "holm"])
def test_a_group_too_small_never_claims_anything(adjust: str | None) -> None:
    """No verdict on such a group clears its baseline, learned, or is reversed."""
    y_true = [1, 0, 0, 0] * 10 + [1, 0, 0]
    models = {"right": y_true, "wrong": [1 - label for label in y_true]}
    by = ["large"] * 40 + ["small"] * 3
    report = br.evaluate(y_true, models, "all", by=by, adjust=adjust)  # type: ignore[arg-type]
    assert {performance.group for performance in report.too_small} == {"small"}
    claims = {br.Outcome.CLEARS, br.Outcome.LEARNED, br.Outcome.REVERSED}
    assert not {verdict.outcome for verdict in report.group("small")} & claims
    assert {verdict.outcome for verdict in report.group("large")} & claims
