"""How often coin flips are said to clear a baseline, or to be reversed: at most alpha each."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import hypergeom

import baserate as br
from baserate.evaluation.gate import Gate
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from exact import enumerated_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

CLAIMS = (br.Outcome.CLEARS, br.Outcome.REVERSED)
COST = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
PARITY = br.Measure.custom("parity", lambda tp, fp, fn, tn: tp % 2)
SPREAD = br.Measure.custom("spread", lambda tp, fp, fn, tn: abs(tp * tn - fp * fn) / 7)
MEASURES = (*TWO_CLASS_MEASURES.values(), COST, PARITY, SPREAD)
CENTRE = 1e-9  # tables less likely than this are left out, and counted as claims


def _table(cells: tuple[int, ...]) -> br.Confusion:
    return br.Confusion(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)))


# Every draw of every size, from every small test set: sums in fractions.


def _worst(total: int, alpha: float) -> dict[tuple[str, br.Outcome], Fraction]:
    """The largest probability of each claim, by each measure, over all P and P̂."""
    worst: dict[tuple[str, br.Outcome], Fraction] = defaultdict(Fraction)
    for positives in range(total + 1):
        for drawn in range(total + 1):
            law = enumerated_tables(positives, total, drawn)
            models = {str(cells): _table(cells) for cells in law}
            masses = {str(cells): mass for cells, mass in law.items()}
            found: dict[tuple[str, br.Outcome], Fraction] = defaultdict(Fraction)
            for verdict in br.evaluate(None, models, MEASURES, alpha=alpha):
                found[verdict.measure, verdict.outcome] += masses[verdict.model]
            for claim, mass in found.items():
                worst[claim] = max(worst[claim], mass)
    return worst


def _hold(total: int, alpha: float) -> None:
    worst = _worst(total, alpha)
    for measure in MEASURES:
        for claim in CLAIMS:
            assert worst[measure.key, claim] <= Fraction(str(alpha)), (measure.key, claim)
    # The bound can fail: some claims are made.
    assert worst["J", br.Outcome.REVERSED] > 0


@pytest.mark.parametrize(("total", "alpha"), [(7, 0.05), (6, 0.1), (5, 0.2)])
def test_small_test_sets(total: int, alpha: float) -> None:
    """Given P and P̂, no measure claims more often than alpha; so neither if P̂ is by chance."""
    _hold(total, alpha)


@pytest.mark.exhaustive
@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("total", range(4, 13))
def test_all_small_test_sets(total: int, alpha: float) -> None:
    """The same for every size up to 12."""
    _hold(total, alpha)


# Large test sets: the sum over all tables that matter.

LARGE = {  # positives, total, predicted positive
    "300, 30% positive, half predicted": (90, 300, 150),
    "300, 30% positive, as many predicted": (90, 300, 90),
    "1,000, 5 positive": (5, 1000, 30),
    "10,000, 2% positive": (200, 10_000, 300),
}


def _draws(case: str) -> Iterator[tuple[br.Confusion, float]]:
    positives, total, drawn = LARGE[case]
    law = hypergeom(total, positives, drawn)
    for tp in range(int(law.ppf(CENTRE)), int(law.isf(CENTRE)) + 1):
        rate = br.BaseRate(positives=positives, total=total)
        yield br.Confusion.from_tp(tp, rate, drawn), float(law.pmf(tp))


@pytest.mark.parametrize("case", LARGE)
def test_large_test_sets(case: str) -> None:
    """Coin flips with as many positive predictions claim at most alpha of the time each."""
    measures = ["F1", "MCC", "ACC", "PPV", "G2", COST]
    claims: dict[tuple[str, br.Outcome], float] = defaultdict(float)
    for table, mass in _draws(case):
        for verdict in br.evaluate(None, table, measures):
            claims[verdict.measure, verdict.outcome] += mass
    for (_, outcome), mass in claims.items():
        assert outcome not in CLAIMS or mass + 2 * CENTRE <= 0.05
    if LARGE[case][0] > 5:  # among five positives, no hit is what most draws have
        assert claims["MCC", br.Outcome.REVERSED] > 0.01
        assert claims["MCC", br.Outcome.CLEARS] > 0.01


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_gates_let_at_most_alpha_through(alpha: float) -> None:
    """With and without a margin; by the numbers alone half of all coin flips pass."""
    passed = {Gate(alpha=alpha): 0.0, Gate(0.05, alpha): 0.0, Gate(alpha=None): 0.0}
    for table, mass in _draws("300, 30% positive, half predicted"):
        (verdict,) = br.evaluate(None, table, "MCC", alpha=alpha)
        for gate in passed:
            passed[gate] += mass * (not gate.shortfall(verdict))
        assert (not Gate(alpha=alpha).shortfall(verdict)) == _asserts(table, alpha)
    certain, with_margin, numbers = passed.values()
    assert with_margin < certain <= alpha
    assert 0.4 < numbers < 0.6


def _asserts(table: br.Confusion, alpha: float) -> bool:
    try:
        br.assert_beats_baseline(None, table, "MCC", alpha=alpha)
    except AssertionError:
        return False
    return True


# Many looks.


@pytest.mark.parametrize("tries", [2, 20])
def test_the_best_of_many_tries(tries: int) -> None:
    """The best of twenty coin flips clears at most alpha of the time, and is seldom reversed."""
    claims: dict[br.Outcome, float] = defaultdict(float)
    alone, below = 0.0, 0.0
    for table, mass in _draws("300, 30% positive, as many predicted"):
        upto = min(below + mass, 1.0)
        best = upto**tries - below**tries
        below = upto
        (verdict,) = br.evaluate(None, table, "MCC", tries=tries)
        claims[verdict.outcome] += best
        (unaware,) = br.evaluate(None, table, "MCC")
        alone += best * (unaware.outcome is br.Outcome.CLEARS)
    assert 0 < claims[br.Outcome.CLEARS] + tries * CENTRE <= 0.05
    assert claims[br.Outcome.REVERSED] + tries * CENTRE <= 0.05
    assert alone > 0.015 * tries


@pytest.mark.parametrize("adjust", ["holm", "bh"])
def test_twenty_models_at_once(adjust: Any) -> None:
    """With p-values adjusted, any claim about twenty coin flips is made at most alpha of the time.

    A simulation of 50 reports; without adjustment every other one has a false claim.
    """
    rng = np.random.default_rng(3)
    rate = br.BaseRate(positives=30, total=100)
    claimed = {br.Outcome.CLEARS: 0, br.Outcome.REVERSED: 0}
    unadjusted = 0
    for _ in range(50):
        tps = rng.hypergeometric(30, 70, 40, size=20)
        models = {str(name): br.Confusion.from_tp(int(tp), rate, 40) for name, tp in enumerate(tps)}
        report = br.evaluate(None, models, "J", adjust=adjust)
        for outcome in claimed:
            claimed[outcome] += any(verdict.outcome is outcome for verdict in report)
        unadjusted += any(verdict.p_value < 0.05 for verdict in report)
    assert unadjusted > 15
    assert max(claimed.values()) <= 2.5 + 3 * math.sqrt(50 * 0.05 * 0.95)


# A model that learned something, and is not worth more than a constant.


def test_a_model_a_little_below_the_baseline() -> None:
    """A true accuracy of 0.8982 where 0.900 is free: p is tiny, and it clears at most 1.3 × 2.5%.

    A simulation of 300 test sets of 1,000; two of five are above their baseline.
    """
    rng = np.random.default_rng(4)
    cells = rng.multinomial(1000, [0.05, 0.0518, 0.05, 0.8482], size=300).tolist()
    verdicts = [br.evaluate(None, _table(tuple(each)), "ACC")["model", "ACC"] for each in cells]
    assert np.median([verdict.p_value for verdict in verdicts]) < 1e-15
    assert np.mean([verdict.beats for verdict in verdicts]) > 0.3
    cleared = np.mean([verdict.outcome is br.Outcome.CLEARS for verdict in verdicts])
    assert cleared <= 1.3 * 0.025 + 3 * math.sqrt(0.025 / 300)


def test_a_tie_is_no_failure_by_a_hair() -> None:
    """A model that ties with the baseline is not below it, nor reversed."""
    for table in (br.Confusion(fn=30, tn=70), br.Confusion(tp=30, fp=70)):
        for key in ("ACC", "F1", "J", "KAPPA"):
            verdict = br.evaluate(None, table, key)["model", key]
            if verdict.margin == 0:
                assert verdict.outcome is br.Outcome.NO_EVIDENCE
                assert "is no better than the baseline" in str(verdict)


def test_enumeration_counts_all_subsets() -> None:
    """The weights of the exact sums add up to one, of C(M, P̂) subsets."""
    law = enumerated_tables(3, 7, 4)
    assert sum(law.values()) == 1
    assert all((mass * comb(7, 4)).denominator == 1 for mass in law.values())
