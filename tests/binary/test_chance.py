"""Exact p-values and luck intervals, against other libraries and permutations."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact, hypergeom

import baserate as br
from baserate.kinds.two_classes.null import Chance, chances
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from exact import enumerated_tables
from reference import relative_error, tail
from strategies import tables


@pytest.mark.parametrize("total", range(1, 9))
def test_p_value_against_enumeration(total: int) -> None:
    """The p-value is the share of subsets of this size with at least as many true positives."""
    for positives in range(total + 1):
        for drawn in range(total + 1):
            law = enumerated_tables(positives, total, drawn)
            for tp, fp, fn, tn in law:
                exact = sum((mass for other, mass in law.items() if other[0] >= tp), Fraction(0))
                found = br.p_value(br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn))
                assert found == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize("key", TWO_CLASS_MEASURES)
def test_one_number_for_every_measure(key: str) -> None:
    """Doing at least as well by any measure means having at least as many true positives."""
    measure = br.get_measure(key)
    table = br.Confusion(tp=7, fp=4, fn=5, tn=9)
    law = br.DutchDraw(table, predicted_positives=11).score(key)
    score = measure.score(table)
    assert law.tail(score, measure.direction) == pytest.approx(br.p_value(table), rel=1e-12)


@given(tables(st.integers(1, 10**5)))
def test_p_value_beside_scipy(table: br.Confusion) -> None:
    """The one-sided Fisher exact test and hypergeom of scipy agree, to the digits they have."""
    found = br.p_value(table)
    counts = [[table.tp, table.fp], [table.fn, table.tn]]
    assert found == pytest.approx(fisher_exact(counts, "greater").pvalue, rel=1e-7, abs=1e-280)
    law = hypergeom(table.total, table.positives, table.predicted_positives)
    assert found == pytest.approx(law.sf(table.tp - 1), rel=1e-7, abs=1e-280)


@pytest.mark.parametrize(
    ("positives", "total", "drawn", "tp"),
    [(400, 1000, 300, 290), (10**5, 10**6, 10**5, 12500), (3 * 10**8, 10**9, 10**8, 30_100_000)],
)
def test_small_p_values_have_every_digit(positives: int, total: int, drawn: int, tp: int) -> None:
    """The p-value agrees with a 50-digit reference far in the tail."""
    table = br.Confusion.from_tp(tp, br.BaseRate(positives=positives, total=total), drawn)
    assert relative_error(br.p_value(table), tail(positives, total, drawn, tp, 1)) < 1e-12


def test_permutations_agree() -> None:
    """Shuffled predictions do as well as often as the p-value says."""
    rng = np.random.default_rng(5)
    y_true = np.repeat([1, 0], [20, 30])
    y_pred = np.repeat([1, 0, 1, 0], [12, 8, 10, 20])
    table = br.Confusion.of(y_true, y_pred)
    rounds = 40_000
    shuffled = rng.permuted(np.tile(y_pred, (rounds, 1)), axis=1)
    as_good = (shuffled[:, :20].sum(axis=1) >= table.tp).mean()
    p = br.p_value(table)
    assert abs(as_good - p) < 5 * np.sqrt(p * (1 - p) / rounds)


@pytest.mark.parametrize("key", TWO_CLASS_MEASURES)
def test_luck_is_the_central_interval_of_the_score(key: str) -> None:
    """The luck interval is that of the score's own distribution."""
    for table in (
        br.Confusion(tp=7, fp=4, fn=5, tn=9),
        br.Confusion(tp=110, fp=20, fn=29, tn=144),
        br.Confusion(tp=4000, fp=2000, fn=10**6, tn=3 * 10**6),
    ):
        law = br.DutchDraw(table, predicted_positives=table.predicted_positives).score(key)
        low, high = chances([table])[0].null_interval(br.get_measure(key))
        assert (low, high) == pytest.approx(law.interval(0.95), rel=1e-12)
        assert law.cdf(high) + law.sf(low) - 1 >= 0.95


def test_luck_of_a_custom_measure() -> None:
    """A measure that rises and falls with TP has an interval too, unless its law is too long."""
    table = br.Confusion(tp=7, fp=4, fn=5, tn=9)
    odd = br.Measure.custom("odd", lambda tp, fp, fn, tn: (tp - 6) ** 2)
    law = br.DutchDraw(table, predicted_positives=11).score(odd)
    assert chances([table])[0].null_interval(odd) == law.interval(0.95)
    large = br.Confusion(tp=10**10, fp=10**10, fn=10**10, tn=10**10)
    assert np.isnan(chances([large])[0].null_interval(odd)).all()


@pytest.mark.parametrize("total", [3_000, 100_000])
def test_luck_of_a_custom_measure_of_any_size(total: int) -> None:
    """The interval is right for thousands of scores, and for too many to list."""
    chance = Chance(br.BaseRate(positives=total * 2 // 5, total=total), total // 2)
    functions = {
        "ACC": lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn),
        "FDR": lambda tp, fp, fn, tn: fp / (tp + fp),  # which falls with TP
    }
    for key, function in functions.items():
        mine = br.Measure.custom("mine", function, smooth=True)
        expected = chance.null_interval(br.get_measure(key))
        assert chance.null_interval(mine) == pytest.approx(expected, rel=1e-12)
    low = total // 5
    hole = br.Measure.custom("hole", lambda tp, fp, fn, tn: np.where(tp == low, np.nan, tp))
    assert np.isnan(chance.null_interval(hole)).all()
    assert np.isnan(chance.tails(hole, 3.0)[:2]).all()


PARITY = br.Measure.custom("PARITY", lambda tp, fp, fn, tn: tp % 2)
CUSTOM = {
    "PARITY": lambda tp, fp, fn, tn: tp % 2,
    "square": lambda tp, fp, fn, tn: (tp - fn) ** 2,
    "cost": lambda tp, fp, fn, tn: fp + 5 * fn,
}


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
@pytest.mark.parametrize("key", CUSTOM)
def test_the_p_value_is_of_the_measure_s_own_scores(key: str, direction: str) -> None:
    """Of a function that need not rise with TP: the mass of draws that score as well, M ≤ 7."""
    function = CUSTOM[key]
    measure = br.Measure.custom(key, function, direction=direction)
    for positives, total in [(p, m) for m in range(1, 8) for p in range(m + 1)]:
        for drawn in range(total + 1):
            law = enumerated_tables(positives, total, drawn)
            for table in law:
                score, sign = function(*table), 1 if direction == "maximize" else -1
                exact = sum(law[each] for each in law if sign * (function(*each) - score) >= 0)
                confusion = br.Confusion(**dict(zip(("tp", "fp", "fn", "tn"), table, strict=True)))
                found = chances([confusion])[0].tails(measure, float(score)).better
                assert found == pytest.approx(float(exact), rel=1e-13)


def test_a_gate_asks_the_measure_s_own_scores() -> None:
    """Half of all draws have an odd TP: nothing is shown by one, however good the table is."""
    table = br.Confusion(tp=9, fp=1, fn=1, tn=29)
    (verdict,) = br.evaluate(None, table, PARITY)
    assert verdict.p_value == pytest.approx(0.5, abs=1e-3)
    assert br.p_value(table) < 1e-6
    with pytest.raises(AssertionError, match=r"but not significantly: .* p = 0\.500"):
        br.assert_beats_baseline(None, table, PARITY, alpha=0.01)


@pytest.mark.parametrize("total", [30_000, 2 * 10**7])
def test_long_laws_have_the_same_p_value(total: int) -> None:
    """A user's function that rises with TP gets Fisher's p-value."""
    rate = br.BaseRate(positives=total // 2, total=total)
    table = br.Confusion.from_tp(total // 6 + 30, rate, predicted_positives=total // 3)
    squared = br.Measure.custom("squared", lambda tp, fp, fn, tn: tp * tp)
    (verdict,) = br.evaluate(None, table, squared)
    assert verdict.p_value == pytest.approx(br.p_value(table), rel=1e-9)
    assert verdict.null_low < verdict.null_high


def test_far_out_p_values_of_a_user_s_function_have_every_digit() -> None:
    """Counts are listed until their probability is below the smallest float."""
    rate = br.BaseRate(positives=15_000, total=30_000)
    squared = br.Measure.custom("squared", lambda tp, fp, fn, tn: tp * tp)
    table = br.Confusion.from_tp(6_000, rate, predicted_positives=10_000)
    assert 0 < br.p_value(table) < 1e-100
    assert br.p_value(table, squared) == pytest.approx(br.p_value(table), rel=1e-9)


def test_a_p_value_that_is_not_known_passes_no_gate() -> None:
    """The law of a function with gaps has none, and a gate that asks for it stays shut."""
    gaps = br.Measure.custom("gaps", lambda tp, fp, fn, tn: tp / (tp - 1))
    table = br.Confusion(tp=5, fp=1, fn=1, tn=9)
    (verdict,) = br.evaluate(None, table, gaps)
    assert math.isnan(verdict.p_value)
    with pytest.raises(AssertionError):
        br.assert_beats_baseline(None, table, gaps, alpha=0.05)


def test_a_report_shows_p_values_that_measures_do_not_share() -> None:
    """In a row of their own, in every format; and they come back from JSON."""
    report = br.evaluate(None, br.Confusion(tp=9, fp=1, fn=1, tn=29), ["F1", PARITY])
    for text in (str(report), report.to_markdown(), report.to_latex(), report.to_html()):
        assert "PARITY" in text
        assert "0.500" in text
    assert br.Report.from_json(report.to_json()) == report
    (alone,) = br.evaluate(None, br.Confusion(tp=9, fp=1, fn=1, tn=29), PARITY)
    assert "p = 0.500" in str(alone)
