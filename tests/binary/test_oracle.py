"""The library against the enumerated definition of the draw."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest

import baserate as br
from baserate.baselines.expectation import expected_scores
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from exact import (
    DEFINITIONS,
    as_float,
    distribution,
    enumerated_tables,
    expectations,
    extremes,
    mean,
    pmf_tables,
    variance,
)
from tools import members

SMALL = [(positives, total) for total in range(1, 9) for positives in range(total + 1)]
# Every M up to 16; then a square, a prime next to a power of two, that power, and round numbers.
TOTALS = (9, 10, 12, 15, 16, 25, 32)
CLOSE = {"rel": 4e-15, "abs": 4e-15}


def _defined(key: str, positives: int, total: int) -> dict[int, dict]:
    laws = {
        drawn: distribution(key, enumerated_tables(positives, total, drawn))
        for drawn in range(total + 1)
    }
    return {drawn: law for drawn, law in laws.items() if law is not None}


def test_oracle_covers_the_catalogue() -> None:
    """The oracle covers every measure with a baseline."""
    assert set(TWO_CLASS_MEASURES) <= set(DEFINITIONS)


def test_oracle_enumerates_every_subset() -> None:
    """The oracle's two ways to count subsets agree."""
    for positives, total in SMALL:
        for drawn in range(total + 1):
            assert enumerated_tables(positives, total, drawn) == pmf_tables(positives, total, drawn)


@pytest.mark.parametrize("key", DEFINITIONS)
def test_score_is_the_definition(key: str) -> None:
    """On every table of up to 8 observations, the score is Table 1's, or both are undefined."""
    measure = br.get_measure(key)
    for positives, total in SMALL:
        for drawn in range(total + 1):
            for table in enumerated_tables(positives, total, drawn):
                confusion = br.Confusion(**dict(zip(("tp", "fp", "fn", "tn"), table, strict=True)))
                law = distribution(key, {table: 1})
                if law is None:
                    with pytest.warns(br.exceptions.UndefinedMeasureWarning):
                        assert np.isnan(measure.score(confusion))
                else:
                    (expected,) = law
                    assert measure.score(confusion) == pytest.approx(as_float(expected), **CLOSE)


@pytest.mark.parametrize("key", DEFINITIONS)
def test_distribution_is_the_enumeration(key: str) -> None:
    """Scores, cdf, sf, mean and variance agree for every draw with M ≤ 8."""
    for positives, total in SMALL:
        rate = br.BaseRate(positives=positives, total=total)
        for drawn, exact in _defined(key, positives, total).items():
            null = br.null_distribution(rate, drawn, key)
            below = 0
            for value in sorted(exact, key=as_float):
                score = as_float(value)
                assert null.sf(score) == pytest.approx(float(1 - below), rel=1e-14)
                below += exact[value]
                assert null.cdf(score) == pytest.approx(float(below), rel=1e-14)
                assert null.ppf(float(below) * (1 - 1e-12)) == pytest.approx(score, **CLOSE)
            assert null.mean() == pytest.approx(as_float(mean(exact)), **CLOSE)
            assert null.var() == pytest.approx(as_float(variance(exact)), **CLOSE)


@pytest.mark.parametrize("key", DEFINITIONS)
def test_allowed_draws_are_those_that_are_defined(key: str) -> None:
    """Table 2, as corrected, says exactly which draws can be scored."""
    measure = br.get_measure(key)
    for positives, total in SMALL:
        rate = br.BaseRate(positives=positives, total=total)
        assert list(measure.allowed(rate)) == list(_defined(key, positives, total))


@pytest.mark.parametrize("key", DEFINITIONS)
def test_baseline_is_the_enumerated_optimum(key: str) -> None:
    """Both optima and all their θ* agree, for every test set with M ≤ 8."""
    for positives, total in SMALL:
        _check_baseline(key, positives, total, enumerated_tables)


@pytest.mark.parametrize("key", DEFINITIONS)
def test_baseline_and_expectation_at_pmf_level(key: str) -> None:
    """They agree, with every expectation, for some M from 9 to 32."""
    for total in TOTALS:
        _check_all(key, total)


@pytest.mark.exhaustive
@pytest.mark.parametrize("total", sorted(set(range(9, 41)) - set(TOTALS)))
@pytest.mark.parametrize("key", DEFINITIONS)
def test_baseline_and_expectation_of_every_total(key: str, total: int) -> None:
    """They agree for all other M up to 40."""
    _check_all(key, total)


def _check_all(key: str, total: int) -> None:
    for positives in range(total + 1):
        _check_baseline(key, positives, total, pmf_tables)


def _check_baseline(key: str, positives: int, total: int, tables: object) -> None:
    rate, measure = br.BaseRate(positives=positives, total=total), br.get_measure(key)
    means = expectations(key, positives, total, tables)
    if not means:
        with pytest.raises(br.exceptions.UndefinedMeasureError):
            br.baseline(rate, key)
        return
    computed = expected_scores(rate, measure, np.array(list(means)))
    assert computed == pytest.approx([as_float(value) for value in means.values()], **CLOSE)
    base = br.baseline(rate, key)
    for optimum, (value, counts) in zip((base.max, base.min), extremes(means), strict=True):
        assert optimum.value == pytest.approx(as_float(value), **CLOSE)
        assert members(optimum.guesses) == counts


def test_predict_draws_every_subset_equally_often() -> None:
    """20,000 draws of 2 from 5 visit all ten subsets about equally often (χ² with 9 degrees)."""
    draw = br.DutchDraw(br.BaseRate(positives=2, total=5), predicted_positives=2)
    rng = np.random.default_rng(7)
    repeats = 20_000
    seen = dict.fromkeys(combinations(range(5), 2), 0)
    for _ in range(repeats):
        seen[tuple(np.flatnonzero(draw.predict(rng)).tolist())] += 1
    expected = repeats / comb(5, 2)
    chi_square = sum((n - expected) ** 2 / expected for n in seen.values())
    assert chi_square < 27.9  # the 99.9% quantile; the seed is fixed


CUSTOM = {
    "parity": lambda tp, fp, fn, tn: tp % 2,
    "step": lambda tp, fp, fn, tn: 1.0 if tp > fn else 0.0,
    "cost": lambda tp, fp, fn, tn: 5 * fn + fp,
    "gmean": lambda tp, fp, fn, tn: (tp * tn / ((tp + fn) * (tn + fp))) ** 0.5,
    "ppv": lambda tp, fp, fn, tn: tp / (tp + fp),
    "j": lambda tp, fp, fn, tn: tp / (tp + fn) + tn / (tn + fp) - 1,
    "mcc": lambda tp, fp, fn, tn: (
        (tp * tn - fp * fn) / ((tp + fp) * (tn + fn) * (tp + fn) * (tn + fp)) ** 0.5
    ),
}


@pytest.mark.parametrize("name", CUSTOM)
def test_custom_measure_gets_what_the_built_in_ones_get(name: str) -> None:
    """The law, moments and baseline of a user's function agree with enumeration, for M ≤ 8."""
    measure = br.Measure.custom(name, CUSTOM[name])
    for positives, total in SMALL:
        rate = br.BaseRate(positives=positives, total=total)
        means = {}
        for drawn in range(total + 1):
            tables = enumerated_tables(positives, total, drawn)
            try:
                scores = {table: CUSTOM[name](*table) for table in tables}
            except ZeroDivisionError:
                with pytest.raises(br.exceptions.UndefinedMeasureError):
                    br.null_distribution(rate, drawn, measure).sf(0)
                continue
            means[drawn] = float(sum(tables[table] * score for table, score in scores.items()))
            null = br.null_distribution(rate, drawn, measure)
            for score in set(scores.values()):
                above = sum(n for table, n in tables.items() if scores[table] >= score - 1e-14)
                assert null.sf(score) == pytest.approx(float(above), rel=1e-13)
            assert null.mean() == pytest.approx(means[drawn], **CLOSE)
        if not means:
            with pytest.raises(br.exceptions.UndefinedMeasureError):
                br.baseline(rate, measure)
            continue
        base = br.baseline(rate, measure)
        for optimum, value in ((base.max, max(means.values())), (base.min, min(means.values()))):
            assert optimum.value == pytest.approx(value, **CLOSE)
            counts = members(optimum.guesses)
            assert counts == [n for n, score in means.items() if abs(score - value) < 1e-13]
