"""The law of TP: against exact fractions if possible, and to 50 digits beyond."""

from __future__ import annotations

import math
import random
from decimal import Context, Inexact, Rounded, localcontext
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import baserate as br
import reference
from baserate.kinds.two_classes.null import quantiles, tails
from baserate.null.hypergeometric import Hypergeometric, log_factorial_excess
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


def test_pmf_to_the_last_digits() -> None:
    """The relative error is below 2e-16 for M up to 10¹⁵, even at p = 1e-160."""
    smallest = 1.0
    for positives, total, drawn, tp in _cases(seed=1, count=150):
        value = _law(positives, total, drawn).pmf(tp)
        exact = reference.pmf(positives, total, drawn, tp)
        if exact > 1e-307:
            smallest = min(smallest, value)
            assert relative_error(value, exact) < 2e-16
    assert smallest < 1e-150


def test_tails_to_the_last_digits() -> None:
    """The relative error of the smaller tail is below 2e-14, against 50 digits."""
    for positives, total, drawn, tp in _cases(seed=2, count=80):
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


def test_ppf_inverts_cdf() -> None:
    """A quantile is the smallest count whose cdf reaches q, for small laws and for M = 10¹²."""
    for positives, total, drawn in ((3, 9, 4), (300, 1000, 400), (10**11, 10**12, 4 * 10**11)):
        law = _law(positives, total, drawn)
        assert law.ppf(1.0) == law.high
        assert law.pmf(law.low - 1) == law.pmf(law.high + 1) == 0
        for q in (0.0, 1e-300, 1e-12, 0.025, 0.3, 0.5, 0.7, 0.975, 1 - 1e-12):
            tp = law.ppf(q)
            assert law.cdf(tp) >= q
            assert tp == law.low or law.cdf(tp - 1) < q
        for tp in (law.mode - 2, law.mode, law.mode + 1):
            if law.low <= tp <= law.high:
                assert law.ppf(law.cdf(tp)) == tp


def test_decimal_context_of_the_user_does_not_matter() -> None:
    """A user's decimal context (traps, three digits) does not change the law."""
    expected = _law(300, 1000, 400).pmf(125)
    with localcontext(Context(prec=3, traps=[Inexact, Rounded])):
        assert _law(300, 1000, 400).pmf(125) == expected


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


def _law_of(table: br.Confusion) -> Hypergeometric:
    return Hypergeometric(table.positives, table.negatives, table.predicted_positives)


def _reflected(table: br.Confusion) -> br.Confusion:
    """The table whose P(TP ≥ tp) is this one's P(TP ≤ tp): all predictions turned around."""
    return br.Confusion(tp=table.fn, fp=table.tn, fn=table.tp, tn=table.fp)


def _exact(table: br.Confusion) -> Fraction:
    """P(TP ≥ tp), by counting subsets."""
    positives, negatives, drawn = table.positives, table.negatives, table.predicted_positives
    ways = math.comb(positives, table.tp) * math.comb(negatives, table.fp)
    total = 0
    for tp in range(table.tp, min(positives, drawn) + 1):
        total += ways
        ways = ways * (positives - tp) * (drawn - tp) // ((tp + 1) * (negatives - drawn + tp + 1))
    return Fraction(total, math.comb(table.total, drawn))


def test_every_small_table() -> None:
    """All 4,844 tables with up to 12 observations are right to the last digit but one."""
    cells = [
        (tp, fp, fn, total - tp - fp - fn)
        for total in range(1, 13)
        for tp in range(total + 1)
        for fp in range(total + 1 - tp)
        for fn in range(total + 1 - tp - fp)
    ]
    tables = [br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn) for tp, fp, fn, tn in cells]
    for table, found in zip(tables, tails(tables), strict=True):
        assert found.better == pytest.approx(float(_exact(table)), rel=1e-15)
        assert found.worse == pytest.approx(float(_exact(_reflected(table))), rel=1e-15)
    for table, ends in zip(tables, quantiles(tables), strict=True):
        law = _law_of(table)
        assert ends == (law.ppf(0.025), law.ppf(0.975))


def test_a_quantile_at_a_step_is_found_by_itself() -> None:
    """P(TP = 0) is 1/6 here: a sum of floats cannot decide whether it reaches 1/6."""
    tables = [br.Confusion(tp=1, fp=1, fn=1, tn=1)] * 2
    law = _law_of(tables[0])
    for levels in ((1 / 6, 0.5), (0.5, 5 / 6), (0.5, 0.5)):
        assert quantiles(tables, levels) == [tuple(map(law.ppf, levels))] * 2
