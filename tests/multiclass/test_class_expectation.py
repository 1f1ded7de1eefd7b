"""The expected score of a deck, against the oracle and at sizes that it cannot reach."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import islice
from math import comb
from typing import Any

import mpmath
import numpy as np
import pytest

import baserate as br
import exact_tables
from baserate.baselines.class_mix import (
    ROUGH,
    _of_total,
    expected_score,
    gauss_rule,
    is_exact,
    mean_of_product,
    mix_of_product,
)
from baserate.measures.classes import get_class_measure
from baserate.null.tables import all_tables
from class_measures import measure_of
from exact_tables import DEFINITIONS, compositions, decks, small_test_sets

# Classes that never occur, or are never predicted, are among them.
SMALL = [n for classes in (1, 2, 3, 4) for n in small_test_sets(4, classes, each=False)]


def _tables(n: tuple[int, ...], m: tuple[int, ...]) -> tuple[Any, Any]:
    """All tables of a deck and their probabilities, which are few enough."""
    found = all_tables(n, m)
    assert found is not None
    return found


def _compare(key: str, n: tuple[int, ...]) -> None:
    for m in compositions(sum(n), len(n)):
        expected = exact_tables.expected_score(key, n, m)
        found = expected_score(measure_of(key), n, m)
        if expected is None:
            assert math.isnan(found)
        else:
            assert found == pytest.approx(float(expected), rel=1e-13, abs=1e-15)
        assert is_exact(measure_of(key), n, m)


@pytest.mark.parametrize("key", DEFINITIONS)
def test_small_decks_agree_with_the_oracle(key: str) -> None:
    """Also where a deck has classes that never occur; no score is nan."""
    for n in SMALL[::5]:
        _compare(key, n)


@pytest.mark.exhaustive
@pytest.mark.parametrize("key", DEFINITIONS)
def test_all_small_decks_agree_with_the_oracle(key: str) -> None:
    """All with M ≤ 5 and K ≤ 4."""
    for classes in (1, 2, 3, 4):
        for n in small_test_sets(5, classes, each=False):
            _compare(key, n)


@pytest.mark.parametrize("total", [*range(1, 24), 60])
def test_gauss_agrees_with_the_sum(total: int) -> None:
    """Whatever is marked and drawn, a function with a pole is averaged to the last places."""
    step = 1 if total < 24 else 7
    for marked in range(0, total + 1, step):
        drawn = np.arange(0, total + 1)
        nodes, weights = gauss_rule(np.full_like(drawn, marked), drawn, total)
        found = (weights / (1 + marked + drawn[:, np.newaxis] - nodes)).sum(axis=-1)
        for b in drawn.tolist():
            values = range(max(0, marked + b - total), min(marked, b) + 1)
            ways = [comb(marked, x) * comb(total - marked, b - x) for x in values]
            exact = sum(
                Fraction(way, comb(total, b) * (1 + marked + b - x))
                for way, x in zip(ways, values, strict=True)
            )
            assert found[b] == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize(
    ("marked", "drawn", "total"),
    [
        (700, 860, 1000),
        (3, 5 * 10**8, 10**9),
        (4 * 10**8, 3 * 10**8, 10**9),
        (10**5, 10**14, 10**15),
    ],
)
def test_gauss_agrees_with_fifty_digits(marked: int, drawn: int, total: int) -> None:
    """At any size: 1 / (t - h) = Σ h(h - 1)… / (t (t - 1)…), whose terms have a known mean."""
    pole = marked + drawn
    nodes, weights = gauss_rule(np.array([marked]), np.array([drawn]), total)
    found = float((weights / (pole - nodes)).sum())
    term, exact = mpmath.mpf(1) / pole, mpmath.mpf(0)
    for j in range(400):
        exact += term
        term *= mpmath.mpf(marked - j) * (drawn - j) / (mpmath.mpf(total - j) * (pole - j - 1))
    assert found == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize("key", ["macro Jaccard", "weighted Jaccard", "micro Jaccard"])
@pytest.mark.parametrize("n", [(9, 6, 3), (12, 1, 1), (5, 5, 5)])
def test_jaccard_agrees_with_all_tables(key: str, n: tuple[int, ...]) -> None:
    """Beyond the oracle, the sum over all tables of every deck is the same."""
    measure = get_class_measure(key)
    for m in decks(n)[::7]:
        tables, chances = _tables(n, m)
        whole = float((chances * measure.scores(tables.astype(float))).sum())
        assert expected_score(measure, n, m) == pytest.approx(whole, rel=1e-12)


def test_micro_jaccard_of_a_large_test_set() -> None:
    """The spread of the right answers is small there, and its square is what remains."""
    n = (5 * 10**14, 3 * 10**14, 2 * 10**14)
    right = sum(a * a for a in n) / 10**15
    found = expected_score(get_class_measure("micro Jaccard"), n, n)
    assert found == pytest.approx(right / (2 * 10**15 - right), rel=1e-14)


@pytest.mark.parametrize("key", ["kappa", "linear kappa", "quadratic kappa", "MCC"])
@pytest.mark.parametrize("n", [(10**15 - 1, 1), (7, 3), (10**9, 10**9 - 1, 5)])
def test_agreement_by_chance_is_zero(key: str, n: tuple[int, ...]) -> None:
    """Exactly, however little one of the classes occurs."""
    assert expected_score(get_class_measure(key), n, n) == 0


@pytest.mark.parametrize(
    ("n", "error"), [((4, 4, 4, 4), 0.03), ((10, 10, 10), 2e-3), ((70, 20, 10), 2e-4)]
)
def test_the_mean_of_a_product_is_close(n: tuple[int, ...], error: float) -> None:
    """Covariances to first order: the error falls faster than the size of the test set grows."""
    form = get_class_measure("G-mean").form
    total = sum(n)
    every = [m for m in islice(decks(n), 0, None, max(1, total**2 // 40)) if all(m)]
    assert len(every) > 5
    for m in every:
        tables, chances = _tables(n, m)
        scores = get_class_measure("G-mean").scores(tables.astype(float))
        assert mean_of_product(form, n, m) == pytest.approx(
            float((chances * scores).sum()), rel=error
        )


def test_a_product_without_a_class_is_nothing() -> None:
    """A class that is never predicted has a recall of 0."""
    assert mean_of_product(get_class_measure("G-mean").form, (50, 30, 20), (60, 40, 0)) == 0


def test_the_mean_of_a_product_of_large_counts() -> None:
    """It is the product of the shares, to the order of 1/M."""
    n, m = (5 * 10**14, 3 * 10**14, 2 * 10**14), (3 * 10**14, 3 * 10**14, 4 * 10**14)
    expected = (0.3 * 0.3 * 0.4) ** (1 / 3)
    assert mean_of_product(get_class_measure("G-mean").form, n, m) == pytest.approx(
        expected, rel=1e-13
    )


@pytest.mark.parametrize("n", [(1, 1), (1, 1, 1, 1, 8), (9, 1, 1, 1, 1, 1), (10**9, 10**9, 1)])
def test_the_deck_of_a_product_has_every_class(n: tuple[int, ...]) -> None:
    """Each at least once, and together as many predictions as there are observations."""
    found = mix_of_product(get_class_measure("G-mean").form, n)
    assert sum(found) == sum(n)
    assert min(found) >= 1


def test_rounding_to_a_total_keeps_every_class() -> None:
    """What is raised to 1 is taken from the largest, and what is missing goes to the nearest."""
    assert _of_total(np.array([0.1] * 5 + [2.0, 2.0, 2.0, 2.0, 1.5]), 10) == (1,) * 10
    assert _of_total(np.array([1.2, 3.9, 4.9]), 10) == (1, 4, 5)
    assert _of_total(np.array([1.0, 3.0]), 7) == (2, 5)


def test_the_deck_of_a_product_is_about_the_best() -> None:
    """Where many classes are rare, it is far better than the uniform deck."""
    form, n = get_class_measure("G-mean").form, (500, *(2,) * 20)
    found = mix_of_product(form, n)
    assert sum(found) == sum(n)
    uniform = (40, *(25,) * 20)
    assert mean_of_product(form, n, found) > 1.2 * mean_of_product(form, n, uniform)


def test_any_function_has_an_expectation() -> None:
    """Of all tables if they are few, of some if they are many, of the expected one if M is huge."""
    share = br.Measure.custom("share", lambda table: table[0, 0] / table.sum())
    assert expected_score(share, (2, 2), (3, 1)) == pytest.approx(2 * 3 / 16)
    assert is_exact(share, (2, 2), (3, 1))
    many = (3_000, 4_000, 3_000)
    assert not is_exact(share, many, many)
    assert expected_score(share, many, many) == pytest.approx(0.09, abs=2e-3)
    assert expected_score(share, many, many) == expected_score(share, many, many)
    assert expected_score(share, many, many, effort=ROUGH) == pytest.approx(0.09, abs=2e-3)
    huge = (3 * 10**14, 7 * 10**14)
    assert expected_score(share, huge, huge) == pytest.approx(0.09, rel=1e-12)


def test_tables_of_a_deck_are_all_of_them() -> None:
    """With their probabilities, as the oracle has them."""
    for n, m in (((3, 2, 1), (2, 2, 2)), ((3, 0, 1), (1, 3, 0)), ((1, 4), (0, 5)), ((4,), (4,))):
        tables, chances = _tables(n, m)
        found = {
            tuple(map(tuple, table)): chance
            for table, chance in zip(tables.tolist(), chances.tolist(), strict=True)
        }
        expected = {table: float(p) for table, p in exact_tables.dealt(n, m).items()}
        assert found == pytest.approx(expected, rel=1e-13)
