"""Many laws at once: against exact fractions, and against each law alone."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

import baserate as br
from baserate.kinds.two_classes.null import chances, tails
from baserate.null.hypergeometric import Hypergeometric, log_factorial, log_factorials
from baserate.null.hypergeometrics import Hypergeometrics


def _law(table: br.Confusion) -> Hypergeometric:
    return Hypergeometric(table.positives, table.negatives, table.predicted_positives)


def _cells(tables: list[br.Confusion]) -> np.ndarray:
    return np.array([(table.tp, table.fp, table.fn, table.tn) for table in tables])


def _random_tables(seed: int, count: int, largest: float) -> list[br.Confusion]:
    """Tables in the middle of their law, in a tail, far out and at an end."""
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        total = int(10 ** rng.uniform(0, math.log10(largest)))
        positives, drawn = rng.randint(0, total), rng.randint(0, total)
        if rng.random() < 0.3:
            drawn = positives
        law = Hypergeometric(positives, total - positives, drawn)
        near = round(law.mean) + round(rng.uniform(-7, 7) * math.sqrt(law.variance))
        tp = rng.choice([near, near, rng.randint(law.low, law.high), law.low, law.high])
        tp = min(max(tp, law.low), law.high)
        found.append(br.Confusion.from_tp(tp, br.BaseRate(positives=positives, total=total), drawn))
    return found


def _p_values(tables: list[br.Confusion]) -> list[float]:
    return [each.better for each in tails(tables)]


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
    for table, chance in zip(tables, chances(tables), strict=True):
        law = _law(table)
        assert chance.known in (None, (law.ppf(0.025), law.ppf(0.975)))


def test_p_values_to_the_last_digits() -> None:
    """Up to 3,000 observations, p-values equal exact fractions, down to 1e-300."""
    perfect = br.Confusion(tp=500, tn=500)
    tables = [perfect, *_random_tables(1, 1500, 3000)]
    smallest = 1.0
    for table, found in zip(tables, _p_values(tables), strict=True):
        exact = _exact(table)
        if exact > Fraction(1, 10**306):
            smallest = min(smallest, found)
            assert abs(Fraction(found) / exact - 1) < 1.5e-15
        else:
            assert found < 1e-305
    assert smallest < 1e-299


def test_large_test_sets_agree_with_each_law_by_itself() -> None:
    """Up to 10⁸ observations, p-values are right on both sides of the limit of short laws."""
    tables = _random_tables(2, 600, 10**8)
    places, _, _ = Hypergeometrics.among(_cells(tables))
    assert 100 < places.size < 500
    for table, found in zip(tables, tails(tables), strict=True):
        law = _law(table)
        assert found.better == pytest.approx(law.sf(table.tp - 1), rel=2e-15, abs=1e-305)
        assert found.worse == pytest.approx(law.cdf(table.tp), rel=2e-15, abs=1e-305)


def test_a_narrow_law_of_a_large_test_set() -> None:
    """Factorials of 5·10⁷ cancel down to 1e-254 without losing a digit."""
    table = br.Confusion(tp=170666, fp=49702392, fn=0, tn=170666)
    assert br.p_value(table) == pytest.approx(_law(table).sf(table.tp - 1), rel=1e-15)
    assert br.p_value(table) < 1e-250


def test_quantiles_agree_with_each_law_by_itself() -> None:
    """The central 95% of TP is right for laws of every length."""
    tables = _random_tables(3, 1200, 10**6)
    known = 0
    for table, chance in zip(tables, chances(tables), strict=True):
        law = _law(table)
        expected = law.ppf((1 - 0.95) / 2), law.ppf(1 - (1 - 0.95) / 2)
        known += chance.known is not None
        assert chance.known in (None, expected)
        assert chance.null_interval(br.get_measure("TP")) == expected
    assert known > 800


def test_a_quantile_at_a_step_is_not_certain() -> None:
    """P(TP = 0) is 1/6 here: a sum of floats cannot decide whether it reaches 1/6."""
    laws = Hypergeometrics(*(np.array([2, 2]) for _ in range(3)))
    for level in (1 / 6, 5 / 6):
        ((_, is_certain),) = laws.quantiles(level)
        assert not is_certain.any()
    ((tp, is_certain),) = laws.quantiles(0.5)
    assert is_certain.all()
    assert tp.tolist() == [1, 1]


def test_a_law_does_not_depend_on_those_beside_it() -> None:
    """A model's p-value does not depend on the other models in the evaluation."""
    tables = _random_tables(4, 400, 10**5)
    together = _p_values(tables)
    assert [br.p_value(table) for table in tables] == together
    assert _p_values(tables[::-1])[::-1] == together
    assert [chances([table])[0].known for table in tables] == [c.known for c in chances(tables)]


def test_what_is_short() -> None:
    """A short law has few terms, and counts whose products are exact."""
    short, wide, large = (
        br.Confusion(tp=1, fp=1, fn=1, tn=2**26 - 3),
        br.Confusion(tp=10**5, fp=10**5, fn=10**5, tn=10**5),
        br.Confusion(tp=1, fp=1, fn=1, tn=2**26 - 2),
    )
    places, tp, laws = Hypergeometrics.among(_cells([wide, short, large]))
    assert (places.tolist(), tp.tolist(), laws.total.tolist()) == ([1], [1], [2**26])
    for table in (short, wide, large):
        law = _law(table)
        assert br.p_value(table) == pytest.approx(law.sf(table.tp - 1), rel=1e-15)
        assert chances([table])[0].null_interval(br.get_measure("TP")) == (
            law.ppf(0.025),
            law.ppf(0.975),
        )


def test_no_tables() -> None:
    """No tables give no results."""
    assert _p_values([]) == chances([]) == []


def test_log_factorials_in_two_parts() -> None:
    """A float and its rounding error are the logarithm to 30 digits."""
    counts = np.array([[0, 1, 5], [127, 128, 2**26]])
    near, rest = log_factorials(counts)
    assert near.shape == rest.shape == counts.shape
    for count, high, low in zip(counts.flat, near.flat, rest.flat, strict=True):
        log = Fraction(log_factorial(int(count)))
        assert abs(Fraction(float(high)) + Fraction(float(low)) - log) <= log / 10**30
