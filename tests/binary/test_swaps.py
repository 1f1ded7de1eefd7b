"""The p-value of a difference between two models, against every swap of their answers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

import swaps
from baserate import Measure, get_measure
from baserate.kinds.two_classes.intervals import swap_test
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from baserate.observed.two_classes import Answers, JointTable
from exact import DEFINITIONS, Root

if TYPE_CHECKING:
    from exact import Exact

MOST = 12  # discordant rows: 4,096 swaps
AGREEING, DIFFERING = st.integers(0, 6), st.integers(0, MOST)


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, ...]:
    """The eight counts of 000, 001, …, 111, of at least one row and few on which models differ."""
    split = draw(st.lists(st.integers(0, MOST), min_size=3, max_size=3))
    total = draw(DIFFERING)
    cuts = sorted(min(cut, total) for cut in split)
    negative_second, negative_first, positive_second, positive_first = (
        right - left for left, right in zip([0, *cuts], [*cuts, total], strict=True)
    )
    same = draw(st.lists(AGREEING, min_size=4, max_size=4).filter(lambda each: sum(each) > 0))
    return (
        same[0], negative_second, negative_first, same[1],
        same[2], positive_second, positive_first, same[3],
    )  # fmt: skip


def joint_of(cells: tuple[int, ...]) -> JointTable:
    """The joint table of the eight counts of 000, 001, …, 111."""
    n, n2, n1, n12, p, p2, p1, p12 = cells
    return JointTable(Answers(p12, p1, p2, p), Answers(n12, n1, n2, n))


def _odd(tp: int, fp: int, fn: int, tn: int) -> Exact:
    """Neither monotone nor affine, and undefined here and there."""
    return Fraction((tp - 2) ** 2 - fp * tn, (tp + 2 * fp) % 5)


def _odd_in_floats(tp: float, fp: float, fn: float, tn: float) -> float:
    return ((tp - 2) ** 2 - fp * tn) / ((tp + 2 * fp) % 5)


ODD = Measure.custom("odd", _odd_in_floats)
COST = Measure.custom("cost", lambda tp, fp, fn, tn: 0.1 * fp + 0.7 * fn, direction="minimize")
STRANGE = Measure.custom("strange", lambda tp, fp, fn, tn: 3 * fp - 2 * fn)
PT = get_measure("PT")


def _pt(tp: int, fp: int, fn: int, tn: int) -> Exact:
    tpr, fpr = Fraction(tp, tp + fn), Fraction(fp, fp + tn)
    Fraction(1, 1) / (tpr - fpr)  # it needs TPR ≠ FPR
    roots = mpmath.sqrt(swaps.real_of(tpr)), mpmath.sqrt(swaps.real_of(fpr))
    # As a Root, the square is what 60 digits make of it.
    value = roots[1] / (roots[0] + roots[1])
    return Root(1, Fraction(int(mpmath.floor(value**2 * 10**48 + 0.5)), 10**48))


EXACTLY = {
    ODD: _odd,
    COST: lambda tp, fp, fn, tn: Fraction(fp + 7 * fn, 10),
    STRANGE: lambda tp, fp, fn, tn: Fraction(3 * fp - 2 * fn),
    PT: _pt,
}


@settings(max_examples=30)
@example(cells=(0, 1, 3, 0, 0, 0, 0, 1))  # a score is missing at both ends of the negatives
@given(cells=counts())
def test_every_swap_is_counted(cells: tuple[int, ...]) -> None:
    """For each measure, the p-value is the share of all 2^d swaps that differ as much."""
    rows = swaps.rows_of(cells)
    law, seen, joint = swaps.swapped(rows), swaps.observed(rows), joint_of(cells)
    measures = [(get_measure(key), DEFINITIONS[key]) for key in DEFINITIONS]
    for measure, definition in [*measures, *EXACTLY.items()]:
        expected = swaps.p_value(law, seen, definition)
        found = swap_test(measure, joint)
        assert found.exact
        if expected is None:
            assert math.isnan(found.p_value), measure
        else:
            assert found.p_value == pytest.approx(float(expected), rel=1e-13), measure


@given(st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 1000))
def test_accuracy_is_mcnemars_exact_test(a: int, b: int, c: int, d: int) -> None:
    """The p-value of accuracy is that of the sign test of the rows only one model gets right."""
    joint = JointTable(Answers(10, a, b, 10), Answers(10, c, d, 10))
    found = swap_test(get_measure("ACC"), joint).p_value
    expected = binomtest(a + d, max(a + b + c + d, 1), 0.5).pvalue
    assert found == pytest.approx(expected, rel=1e-10) if expected > 1e-200 else found < 1e-199


NOT_LINEAR = ("PPV", "NPV", "FDR", "FOR", "F1", "J", "MK", "MCC", "KAPPA", "FM", "G2", "TS", "PT")


def test_a_million_rows_against_the_normal_law() -> None:
    """For 10⁶ discordant rows, linear measures are exact, and the others are of random swaps."""
    joint = JointTable(
        Answers(10**6, 149_900, 150_100, 10**5), Answers(10**5, 350_400, 349_600, 10**6)
    )
    expected = binomtest(150_100 + 350_400, 10**6, 0.5).pvalue
    assert swap_test(get_measure("ACC"), joint).p_value == pytest.approx(expected, rel=1e-9)
    for measure in TWO_CLASS_MEASURES.values():
        found = swap_test(measure, joint)
        assert 0.01 < found.p_value < 1
        assert found.method != "permutations" or measure.key in NOT_LINEAR


def test_a_slow_function_is_sampled_and_says_so() -> None:
    """A function that takes no arrays is tried on random swaps when there are too many."""
    joint = JointTable(Answers(10**5, 50_000, 50_200, 10**5), Answers(10**5, 90_300, 90_000, 10**6))

    def one_by_one(tp: float, fp: float, fn: float, tn: float) -> float:
        return 2 * tp / (2 * tp + fp + fn) if tp else 0.0

    found = swap_test(Measure.custom("slow", one_by_one), joint)
    expected = swap_test(get_measure("F1"), joint).p_value
    assert found.method == "permutations"
    assert found.p_value == pytest.approx(expected, abs=4 * math.sqrt(expected / 999))
    assert swap_test(Measure.custom("slow", one_by_one), joint) == found


def test_identical_models_do_not_differ() -> None:
    """Without a discordant row, and with equal scores, the p-value is 1."""
    for joint in (
        JointTable(Answers(3, 0, 0, 2), Answers(1, 0, 0, 9)),
        JointTable(Answers(3, 4, 4, 2), Answers(1, 5, 5, 9)),
    ):
        for measure in (*TWO_CLASS_MEASURES.values(), COST):
            assert swap_test(measure, joint) == (1.0, "exact", 0), measure
