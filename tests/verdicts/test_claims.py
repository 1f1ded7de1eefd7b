"""How often coin flips are said to clear a baseline, or to be reversed: at most alpha each."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from scipy.stats import hypergeom

import baserate as br
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from exact import enumerated_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

CLAIMS = (br.Outcome.CLEARS, br.Outcome.REVERSED)
COST = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
PARITY = br.Measure.custom("parity", lambda tp, fp, fn, tn: tp % 2)
SPREAD = br.Measure.custom("spread", lambda tp, fp, fn, tn: abs(tp * tn - fp * fn) / 7)
KEYS = ("ACC", "F1", "J", "MCC", "PPV", "G2", "FNR")
MEASURES = (*(TWO_CLASS_MEASURES[key] for key in KEYS), COST, PARITY, SPREAD)
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


@pytest.mark.parametrize(("total", "alpha"), [(7, 0.05), (5, 0.2)])
def test_small_test_sets(total: int, alpha: float) -> None:
    """Given P and P̂, no measure claims more often than alpha; so neither if P̂ is by chance."""
    _hold(total, alpha)


# Large test sets: the sum over all tables that matter.

LARGE = {  # positives, total, predicted positive
    "200, 30% positive, half predicted": (60, 200, 100),
    "200, 30% positive, as many predicted": (60, 200, 60),
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


# Many looks.


def test_the_best_of_many_tries() -> None:
    """The best of twenty coin flips clears at most alpha of the time, and is seldom reversed."""
    claims: dict[br.Outcome, float] = defaultdict(float)
    alone, below, tries = 0.0, 0.0, 20
    for table, mass in _draws("200, 30% positive, as many predicted"):
        upto = min(below + mass, 1.0)
        best = upto**tries - below**tries
        below = upto
        (verdict,) = br.evaluate(None, table, "MCC", tries=tries)
        claims[verdict.outcome] += best
        (unaware,) = br.evaluate(None, table, "MCC")
        alone += best * (unaware.outcome is br.Outcome.CLEARS)
    assert 0 < claims[br.Outcome.CLEARS] + tries * CENTRE <= 0.05
    assert claims[br.Outcome.REVERSED] + tries * CENTRE <= 0.05
    assert alone > 0.2  # without saying how often it was tried
