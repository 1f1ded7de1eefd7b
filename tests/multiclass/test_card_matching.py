"""The exact law of the number of right answers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest

from baserate.binary.base_rate import BaseRate
from baserate.binary.law.hypergeometric import Hypergeometric
from baserate.multiclass.law import card_matching
from baserate.multiclass.law.binomial_moments import Plan
from baserate.multiclass.law.card_matching import matches
from baserate.multiclass.law.saddlepoint import SaddlepointCount, support
from baserate.multiclass.law.trace_law import trace_law
from exact_tables import Counts, compositions, dealt, small_test_sets

MARGINS = [
    ((30, 20, 10), (20, 20, 20)),
    ((100, 3, 2), (90, 10, 5)),
    ((9, 8, 7, 6, 5, 4), (4, 5, 6, 7, 8, 9)),
    ((2,) * 30, (1,) * 60),
    ((40, 0, 20), (0, 30, 30)),
]


def _law(n: Counts, m: Counts) -> dict[int, Fraction]:
    """The law by Greville's formula, in fractions."""
    total, product = sum(n), [1]
    for a, b in zip(n, m + (0,) * (len(n) - len(m)), strict=False):
        factor = [comb(a, i) * comb(b, i) * factorial(i) for i in range(min(a, b) + 1)]
        longer = [0] * (len(product) + len(factor) - 1)
        for i, x in enumerate(product):
            for j, y in enumerate(factor):
                longer[i + j] += x * y
        product = longer
    ways = [count * factorial(total - j) for j, count in enumerate(product)]
    return {
        t: Fraction(
            sum((-1) ** (j - t) * comb(j, t) * ways[j] for j in range(t, len(ways))),
            factorial(total),
        )
        for t in range(len(ways))
    }


@pytest.mark.parametrize("method", ["_directly", "_by_the_rest"])
@pytest.mark.parametrize(("n", "m"), [pair for pair in MARGINS if len(pair[0]) == len(pair[1])])
def test_masses_and_tails_are_greville_s(n: Counts, m: Counts, method: str) -> None:
    """Both ways to sum give P(T = t) and both tails to the last digits, however small."""
    exact = _law(n, m)
    if method == "_directly":
        law = card_matching._directly(Plan.of(n, m, sum(n)))
    else:
        law = card_matching._by_the_rest(n, m)
    for t, mass in exact.items():
        place = t - law.first
        inside = 0 <= place < law.masses.size
        assert (law.masses[place] if inside else 0.0) == pytest.approx(float(mass), rel=4e-15)
        if inside:
            upper = float(sum(p for s, p in exact.items() if s >= t))
            lower = float(sum(p for s, p in exact.items() if s <= t))
            assert law.at_least[place] == pytest.approx(upper, rel=4e-15)
            assert law.at_most[place] == pytest.approx(lower, rel=4e-15)


def test_many_digits_are_summed_where_the_rest_is_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If neither way is cheap, the direct one is taken, as long as it takes a second."""
    n, m = MARGINS[0]
    expected = matches(n, m)
    monkeypatch.setattr(card_matching, "_CHEAP_DIGITS", 0)
    monkeypatch.setattr(card_matching, "_MOST_ADDITIONS", 0)
    assert card_matching._by_the_rest(n, m) is None
    found = matches(n, m)
    assert (found.masses == expected.masses).all()


def test_the_trace_is_the_enumeration() -> None:
    """Tails, quantiles and the support agree with all tables, for every n and m with M ≤ 4."""
    for n in (n for k in (1, 2, 3) for n in small_test_sets(4, k, each=False)):
        for m in compositions(sum(n), len(n)):
            exact: dict[int, Fraction] = {}
            for table, chance in dealt(n, m).items():
                right = sum(row[k] for k, row in enumerate(table))
                exact[right] = exact.get(right, Fraction(0)) + chance
            law = trace_law(n, m)
            assert support(n, m) == (min(exact), max(exact))
            for t in range(-1, sum(n) + 2):
                above = float(sum(p for s, p in exact.items() if s >= t))
                below = float(sum(p for s, p in exact.items() if s <= t))
                assert law.at_least(t) == pytest.approx(above, rel=4e-15)
                assert law.at_most(t) == pytest.approx(below, rel=4e-15)
            assert law.ppf(1.0) == max(exact)
            assert law.ppf(1e-9) == min(exact)


def test_more_digits_change_nothing() -> None:
    """The planned number of digits is enough: with 100 more the law is the same."""
    for n, m in (((60,) * 5, (60,) * 5), ((100, 60, 40), (90, 90, 20)), ((4,) * 40, (4,) * 40)):
        plan = Plan.of(n, m, sum(n))
        law = card_matching._directly(plan)
        finer = card_matching._directly(replace(plan, places=plan.places + 100))
        seen = finer.masses > 1e-305
        assert law.masses[seen] == pytest.approx(finer.masses[seen], rel=1e-15)


def test_far_tails_keep_their_digits() -> None:
    """P(T ≥ t) = 1e-200 of 300 cards agrees with fractions and with the saddlepoint."""
    n = (100, 100, 100)
    exact, law = _law(n, n), matches(n, n)
    for t in (150, 200, 260, 299):
        upper = float(sum(p for s, p in exact.items() if s >= t))
        assert law.at_least[t] == pytest.approx(upper, rel=1e-14)
    assert law.at_least[299] < 1e-130
    assert SaddlepointCount(n, n).at_least(200) == pytest.approx(law.at_least[200], rel=1e-3)


def test_two_classes_are_hypergeometric() -> None:
    """T = 2 TP + constant, whether it is counted as cards or as one cell."""
    n, m = (120, 80), (150, 50)
    cell = Hypergeometric(BaseRate(positives=120, total=200), 150)
    law = card_matching._directly(Plan.of(n, m, 200))
    for tp in cell.counts:
        assert law.masses[2 * tp - 70] == pytest.approx(cell.pmf(tp), rel=1e-14)
        assert trace_law(n, m).at_least(2 * tp - 70) == pytest.approx(cell.sf(tp - 1), rel=1e-14)


@pytest.mark.parametrize(
    ("n", "m"),
    [
        ((10**15 - 300, 200, 100), (10**15 - 3 * 10**9, 10**9, 2 * 10**9)),
        ((10**9, 0, 10**9), (0, 10**9, 10**9)),
        ((10**12, 10, 20), (30, 10**12, 0)),
        ((191, 3485, 5_270_439), (167, 3506, 5_270_442)),
    ],
)
def test_few_matches_of_many_are_exact(n: Counts, m: Counts) -> None:
    """Where few cards can match, or few can miss, the law is exact for any M."""
    law = trace_law(n, m)
    counts, masses = law.nodes()
    assert law.exact
    assert masses.sum() == pytest.approx(1, rel=1e-12)
    mean = sum(Fraction(a * b, sum(n)) for a, b in zip(n, m, strict=True))
    centre = int(mean)
    off = float(mean - centre)
    assert float(masses @ (counts - centre)) == pytest.approx(off, abs=1e-9 * max(1, abs(off)) + 1)


def test_many_classes_that_are_never_right() -> None:
    """Cards of classes that never occur cannot match."""
    law = trace_law((5, 5, 0, 0), (0, 0, 7, 3))
    assert (law.at_least(1), law.at_most(0), law.ppf(0.5)) == (0.0, 1.0, 0)
    assert np.array_equal(matches((5, 5, 0, 0), (0, 0, 7, 3)).masses, [1.0])


@pytest.mark.parametrize(
    ("n", "m"),
    [
        ((10**6, 10**6, 10**6), (10**6, 10**6, 10**6)),
        ((990_000, 5000, 3000, 2000), (985_000, 8000, 4000, 3000)),
        ((8000, 1000, 1000), (8000, 1000, 1000)),
    ],
)
def test_many_matches_are_not_counted(n: Counts, m: Counts) -> None:
    """Where counting would take too long there is a saddlepoint."""
    assert matches(n, m) is None
    assert trace_law(n, m).method == "saddlepoint"
