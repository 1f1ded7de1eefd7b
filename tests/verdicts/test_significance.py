"""The level of tests: alpha, multiple testing, and the best of several tries."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import baserate as br
from baserate.core.measure import Direction
from baserate.core.multiple_testing import adjusted
from baserate.verdicts.power import is_too_small
from baserate.verdicts.verdict import Significance

if TYPE_CHECKING:
    from collections.abc import Sequence

# A test set, and how many positive predictions a model makes on it.
SETS = [(4, 10, 5), (3, 11, 4), (7, 12, 6)]
GAIN = br.Measure.custom("gain", lambda tp, fp, fn, tn: 3 * tp - 2 * fp)
COST = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
# It does not improve with each true positive.
FAR = br.Measure.custom("far", lambda tp, fp, fn, tn: abs(tp - 2), direction="minimize")
MEASURES: list[Any] = ["ACC", "F1", "MCC", "FNR", "FDR", GAIN, COST, FAR]


def _tables(positives: int, total: int, predicted: int) -> dict[br.ConfusionMatrix, Fraction]:
    """Every table of a draw, and its probability."""
    found = {}
    for tp in range(max(0, predicted + positives - total), min(positives, predicted) + 1):
        cells = {"tp": tp, "fp": predicted - tp, "fn": positives - tp}
        table = br.ConfusionMatrix(**cells, tn=total - sum(cells.values()))
        ways = comb(positives, tp) * comb(total - positives, predicted - tp)
        found[table] = Fraction(ways, comb(total, predicted))
    return found


def _law_of_best(
    measure: br.Measure, draws: dict[br.ConfusionMatrix, Fraction], tries: int
) -> dict[float, Fraction]:
    """The best score of so many draws, by all ways in which they may come out."""
    best = max if measure.direction is Direction.MAXIMIZE else min
    law: dict[float, Fraction] = {}
    for drawn in product(draws.items(), repeat=tries):
        score = best(measure.score(table) for table, _ in drawn)
        law[score] = law.get(score, Fraction(0)) + math.prod(mass for _, mass in drawn)
    return law


def _below(law: dict[float, Fraction], limit: float, *, strictly: bool) -> Fraction:
    """The probability of scores below a limit, or at it."""
    slack = -1e-12 if strictly else 1e-12
    return sum((mass for score, mass in law.items() if score <= limit + slack), Fraction(0))


@pytest.mark.parametrize("tries", [1, 2, 3])
@pytest.mark.parametrize("measure", MEASURES, ids=str)
@pytest.mark.parametrize("test_set", SETS, ids=str)
def test_the_best_of_several_draws(
    test_set: tuple[int, int, int], measure: Any, tries: int
) -> None:
    """p-values and null intervals are those of the best of all draws, enumerated in fractions."""
    measure, draws = br.get_measure(measure), _tables(*test_set)
    law, alpha = _law_of_best(measure, draws, tries), 0.1
    sign = 1 if measure.direction is Direction.MAXIMIZE else -1
    for table in draws:
        (verdict,) = br.evaluate(None, table, measure, alpha=alpha, tries=tries)
        as_good = [mass for s, mass in law.items() if sign * s >= sign * verdict.score - 1e-12]
        assert verdict.p_value == pytest.approx(float(sum(as_good)), rel=1e-12)
        for end, level in ((verdict.null_low, alpha / 2), (verdict.null_high, 1 - alpha / 2)):
            assert _below(law, end, strictly=True) <= level <= _below(law, end, strictly=False)


# Adjustments over models and groups.

Y_TRUE = [1] * 30 + [0] * 50
MODELS = {
    "good": [1] * 24 + [0] * 6 + [1] * 8 + [0] * 42,
    "fair": [1] * 17 + [0] * 13 + [1] * 16 + [0] * 34,
    "poor": [1] * 8 + [0] * 22 + [1] * 20 + [0] * 30,
}
GROUPS = ["a", "b"] * 40


@pytest.mark.parametrize("adjust", ["holm", "bh"])
@pytest.mark.parametrize("tries", [1, 4])
def test_adjusted_p_values(adjust: Any, tries: int) -> None:
    """Over all claims together, after the tries; Holm widens the intervals of margins too."""
    asked: dict[str, Any] = {"by": GROUPS, "tries": tries}
    plain = br.evaluate(Y_TRUE, MODELS, ["F1", "MCC", COST, FAR], **asked)
    report = br.evaluate(Y_TRUE, MODELS, ["F1", "MCC", COST, FAR], adjust=adjust, **asked)
    before, after = list(plain), list(report)
    assert [v.p_value for v in after] == [v.p_value for v in before]
    expected = adjusted([v.p_value for v in before], adjust)
    assert [v.p_adjusted for v in after] == pytest.approx(expected, rel=1e-12)
    expected = adjusted([v.p_worse for v in before], adjust)
    assert [v.p_worse for v in after] == pytest.approx(expected, rel=1e-12)
    assert [(v.low, v.high) for v in after] == [(v.low, v.high) for v in before]
    wider = [a.margin_high - a.margin_low for a in after]
    for width, verdict in zip(wider, before, strict=True):
        own = verdict.margin_high - verdict.margin_low
        assert width > 1.1 * own if adjust == "holm" else width == own


# As data.


@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.01])
@given(st.integers(0, 20), st.integers(0, 20))
def test_even_a_perfect_prediction_is_no_evidence(
    alpha: float, positives: int, negatives: int
) -> None:
    """A test set is too small exactly where a prediction without errors has no small p-value."""
    assume(positives + negatives)
    rate = br.BaseRate(positives=positives, total=positives + negatives)
    p_value = Fraction(1, math.comb(rate.total, positives))
    assert br.p_value(br.ConfusionMatrix(tp=positives, tn=negatives)) == pytest.approx(
        float(p_value)
    )
    assert is_too_small(rate, Significance(alpha=alpha)) == (p_value >= Fraction(str(alpha)))


@pytest.mark.parametrize("adjust", [None, "holm"])
def test_a_group_too_small_never_claims_anything(adjust: str | None) -> None:
    """No verdict on such a group clears its baseline, learned, or is reversed."""
    y_true = [1, 0, 0, 0] * 10 + [1, 0, 0]
    models = {"right": y_true, "wrong": [1 - label for label in y_true]}
    by = ["large"] * 40 + ["small"] * 3
    report = br.evaluate(y_true, models, "all", by=by, adjust=adjust)  # type: ignore[arg-type]
    assert {performance.group for performance in report.too_small} == {"small"}
    claims = {br.Outcome.CLEARS, br.Outcome.LEARNED, br.Outcome.REVERSED}
    assert not {verdict.outcome for verdict in report.group("small")} & claims
    assert {verdict.outcome for verdict in report.group("large")} & claims


PS = st.lists(st.floats(0, 1), min_size=1, max_size=7)


def _closed_bonferroni(p_values: Sequence[float]) -> list[Fraction]:
    """Holm by its definition: the closure of Bonferroni over every family that holds a member."""
    exact = [Fraction(p) for p in p_values]
    places = range(len(exact))
    families = [set(each) for size in places for each in combinations(places, size + 1)]
    tests = [
        (family, min(Fraction(1), len(family) * min(exact[i] for i in family)))
        for family in families
    ]
    return [max(p for family, p in tests if i in family) for i in places]


@given(PS)
def test_holm_is_the_closed_bonferroni_test(p_values: list[float]) -> None:
    """Holm's p-value is the largest Bonferroni p-value of any family with that member."""
    expected = [float(p) for p in _closed_bonferroni(p_values)]
    assert adjusted(p_values, "holm") == pytest.approx(expected, rel=1e-15, abs=0)
