"""The law of TP: against exact fractions if possible, and to 50 digits beyond."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import baserate as br
import reference
from baserate.kinds.two_classes_null import quantiles
from baserate.null.hypergeometric import Hypergeometric
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
    for positives, total, drawn, tp in _cases(seed=1, count=100):
        value = _law(positives, total, drawn).pmf(tp)
        exact = reference.pmf(positives, total, drawn, tp)
        if exact > 1e-307:
            smallest = min(smallest, value)
            assert relative_error(value, exact) < 2e-16
    assert smallest < 1e-150


def test_tails_to_the_last_digits() -> None:
    """The relative error of the smaller tail is below 2e-14, against 50 digits."""
    for positives, total, drawn, tp in _cases(seed=2, count=40):
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


def test_a_quantile_at_a_step_is_found_by_itself() -> None:
    """P(TP = 0) is 1/6 here: a sum of floats cannot decide whether it reaches 1/6."""
    tables = [br.ConfusionMatrix(tp=1, fp=1, fn=1, tn=1)] * 2
    for levels in ((1 / 6, 0.5), (0.5, 5 / 6), (0.5, 0.5)):
        assert quantiles(tables, levels) == [tuple(map(_law(2, 4, 2).ppf, levels))] * 2


def test_a_table_that_is_all_but_impossible_is_judged_at_once() -> None:
    """A hundred million true positives where a thousand are likely are never listed."""
    far = br.ConfusionMatrix(tp=10**8, fp=0, fn=10**10 - 10**8, tn=10**15 - 10**10)
    assert br.p_value(far) == 0
    assert br.evaluate(None, far, "F1")["model", "F1"].p_value == 0


def test_one_class_of_any_size_has_one_table() -> None:
    """The likeliest number of true positives may be rounded, and is then still possible."""
    for total in (10**11, 10**13 - 1, 10**15):
        assert br.p_value(br.ConfusionMatrix(tp=total)) == 1
