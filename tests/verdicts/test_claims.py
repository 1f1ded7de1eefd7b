"""How often coin flips are said to clear a baseline, or to be reversed: at most alpha each."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import pytest

import baserate as br
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from exact import pmf_tables

CLAIMS = (br.Outcome.CLEARS, br.Outcome.REVERSED)
COST = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
PARITY = br.Measure.custom("parity", lambda tp, fp, fn, tn: tp % 2)
SPREAD = br.Measure.custom("spread", lambda tp, fp, fn, tn: abs(tp * tn - fp * fn) / 7)
KEYS = ("ACC", "F1", "J", "MCC", "PPV", "G2", "FNR")
MEASURES = (*(TWO_CLASS_MEASURES[key] for key in KEYS), COST, PARITY, SPREAD)


def _table(cells: tuple[int, ...]) -> br.ConfusionMatrix:
    return br.ConfusionMatrix(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)))


# Every draw of every size, from every small test set: sums in fractions.


def _worst(total: int, alpha: float) -> dict[tuple[str, br.Outcome], Fraction]:
    """The largest probability of each claim, by each measure, over all P and P̂."""
    worst: dict[tuple[str, br.Outcome], Fraction] = defaultdict(Fraction)
    for positives in range(total + 1):
        for drawn in range(total + 1):
            law = pmf_tables(positives, total, drawn)
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
