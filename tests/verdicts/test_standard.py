"""The standard of evidence: alpha, adjustments for many looks, and the best of several tries."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import pytest

import baserate as br
from baserate.core.measure import Direction
from baserate.exceptions import BaserateError, InvalidReportError
from baserate.verdicts.outcome import Standard

# A test set, and how many positive predictions a model makes on it.
SETS = [(4, 10, 5), (3, 11, 4), (7, 12, 6)]
GAIN = br.Measure.custom("gain", lambda tp, fp, fn, tn: 3 * tp - 2 * fp)
COST = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
# It does not improve with each true positive.
FAR = br.Measure.custom("far", lambda tp, fp, fn, tn: abs(tp - 2), direction="minimize")
MEASURES: list[Any] = ["ACC", "F1", "MCC", "FNR", "FDR", GAIN, COST, FAR]


def _tables(positives: int, total: int, predicted: int) -> dict[br.Confusion, Fraction]:
    """Every table of a draw, and its probability."""
    found = {}
    for tp in range(max(0, predicted + positives - total), min(positives, predicted) + 1):
        cells = {"tp": tp, "fp": predicted - tp, "fn": positives - tp}
        table = br.Confusion(**cells, tn=total - sum(cells.values()))
        ways = comb(positives, tp) * comb(total - positives, predicted - tp)
        found[table] = Fraction(ways, comb(total, predicted))
    return found


def _law_of_best(
    measure: br.Measure, draws: dict[br.Confusion, Fraction], tries: int
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
    """p-values and luck intervals are those of the best of all draws, enumerated in fractions."""
    measure, draws = br.get_measure(measure), _tables(*test_set)
    law, alpha = _law_of_best(measure, draws, tries), 0.1
    sign = 1 if measure.direction is Direction.MAXIMIZE else -1
    for table in draws:
        (verdict,) = br.evaluate(None, table, measure, alpha=alpha, tries=tries)
        as_good = [mass for s, mass in law.items() if sign * s >= sign * verdict.score - 1e-12]
        assert verdict.p_value == pytest.approx(float(sum(as_good)), rel=1e-12)
        for end, level in ((verdict.null_low, alpha / 2), (verdict.null_high, 1 - alpha / 2)):
            assert _below(law, end, strictly=True) <= level <= _below(law, end, strictly=False)


@pytest.mark.parametrize("tries", [1, 3, 20])
@pytest.mark.parametrize("measure", ["ACC", "F1", "MCC", "FDR"])
def test_luck_seldom_makes_a_claim(measure: str, tries: int) -> None:
    """Of the best of so many draws, at most alpha clear the baseline, and as many are reversed."""
    draws = _tables(8, 24, 8)
    of_table = {table: br.evaluate(None, table, measure, tries=tries) for table in draws}
    claims = {"clears": Fraction(0), "reversed": Fraction(0)}
    below = Fraction(0)
    for table, mass in draws.items():  # from the worst to the best
        chance = (below + mass) ** tries - below**tries
        below += mass
        outcome = of_table[table]["model", measure].outcome.value
        if outcome in claims:
            claims[outcome] += chance
    assert below == 1
    assert max(claims.values()) <= 0.05


def test_tries_alone_make_no_model_worse_than_chance() -> None:
    """A coin that nobody selected is said to be the best of twenty: no evidence, but not worse."""
    coin = br.Confusion(tp=49, fp=51, fn=51, tn=49)
    for tries in (1, 20, 1000):
        (verdict,) = br.evaluate(None, coin, "MCC", tries=tries)
        assert verdict.outcome is br.Outcome.NO_EVIDENCE


def test_tiny_p_values_keep_their_digits() -> None:
    """1 - (1 - p)^t is t·p for a small p, not 0."""
    table = br.Confusion(tp=90, fp=5, fn=10, tn=95)
    once, often = (br.evaluate(None, table, "F1", tries=tries) for tries in (1, 1000))
    assert often["model", "F1"].p_value == pytest.approx(
        1000 * once["model", "F1"].p_value, rel=1e-9
    )


# Adjustments over models and groups.

Y_TRUE = [1] * 30 + [0] * 50
MODELS = {
    "good": [1] * 24 + [0] * 6 + [1] * 8 + [0] * 42,
    "fair": [1] * 17 + [0] * 13 + [1] * 16 + [0] * 34,
    "poor": [1] * 8 + [0] * 22 + [1] * 20 + [0] * 30,
}
GROUPS = ["a", "b"] * 40


def _holm(p_values: list[float]) -> list[float]:
    """Step by step: the smallest p-value times n, the next times n - 1, and never less."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, largest = [0.0] * len(p_values), 0.0
    for step, place in enumerate(order):
        largest = max(largest, (len(p_values) - step) * p_values[place])
        adjusted[place] = min(1.0, largest)
    return adjusted


def _bh(p_values: list[float]) -> list[float]:
    """From the largest down: p·n/k, and never more than the one before."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, smallest = [0.0] * len(p_values), 1.0
    for step in reversed(range(len(p_values))):
        smallest = min(smallest, p_values[order[step]] * len(p_values) / (step + 1))
        adjusted[order[step]] = smallest
    return adjusted


@pytest.mark.parametrize(("adjust", "by_hand"), [("holm", _holm), ("bh", _bh)])
@pytest.mark.parametrize("tries", [1, 4])
def test_adjusted_p_values(adjust: Any, by_hand: Any, tries: int) -> None:
    """Over all claims together, after the tries; Holm widens the intervals of margins too."""
    asked: dict[str, Any] = {"by": GROUPS, "tries": tries}
    plain = br.evaluate(Y_TRUE, MODELS, ["F1", "MCC", COST, FAR], **asked)
    report = br.evaluate(Y_TRUE, MODELS, ["F1", "MCC", COST, FAR], adjust=adjust, **asked)
    before, after = list(plain), list(report)
    assert [v.p_value for v in after] == [v.p_value for v in before]
    expected = by_hand([v.p_value for v in before])
    assert [v.p_adjusted for v in after] == pytest.approx(expected, rel=1e-12)
    expected = by_hand([v.p_worse for v in before])
    assert [v.p_worse for v in after] == pytest.approx(expected, rel=1e-12)
    assert [(v.low, v.high) for v in after] == [(v.low, v.high) for v in before]
    wider = [a.margin_high - a.margin_low for a in after]
    for width, verdict in zip(wider, before, strict=True):
        own = verdict.margin_high - verdict.margin_low
        assert width > 1.1 * own if adjust == "holm" else width == own


def test_an_undefined_measure_is_no_test() -> None:
    """A group in which a measure has no p-value does not count among the looks."""
    tables = {"a": br.Confusion(tp=9, fp=2, fn=1, tn=8), "b": br.Confusion(fn=10, tn=10)}
    own = br.Measure.custom("own", lambda tp, fp, fn, tn: tp / (tp + fp) - (tp == 3))
    report = br.evaluate(None, tables, own, adjust="holm")
    assert math.isnan(report["b", "own"].p_value)
    assert report["a", "own"].p_adjusted == report["a", "own"].p_value


def test_an_adjustment_changes_outcomes() -> None:
    """What clears by itself is unsure among many, and what is reversed has no evidence."""
    lucky = br.Confusion(tp=26, fp=14, fn=14, tn=26)
    unlucky = br.Confusion(tp=14, fp=26, fn=26, tn=14)
    tables = {f"coin {n}": br.Confusion(tp=20, fp=20, fn=20, tn=20) for n in range(20)}
    for adjust in ("holm", "bh"):
        few = br.evaluate(None, {"lucky": lucky, "unlucky": unlucky}, "MCC", adjust=adjust)
        many = br.evaluate(
            None, {"lucky": lucky, "unlucky": unlucky} | tables, "MCC", adjust=adjust
        )
        assert few["lucky", "MCC"].outcome is br.Outcome.CLEARS
        assert many["lucky", "MCC"].outcome is br.Outcome.UNSURE
        assert few["unlucky", "MCC"].outcome is br.Outcome.REVERSED
        assert many["unlucky", "MCC"].outcome is br.Outcome.NO_EVIDENCE
    often = br.evaluate(None, {"lucky": lucky}, "MCC", tries=20)
    assert often["lucky", "MCC"].outcome is br.Outcome.UNSURE


def test_alpha_is_the_level_of_everything() -> None:
    """A smaller alpha makes wider intervals, and asks for more evidence."""
    table = br.Confusion(tp=26, fp=14, fn=14, tn=26)
    widths = []
    for alpha in (0.2, 0.05, 0.01, 0.001):
        (verdict,) = report = br.evaluate(None, table, "MCC", alpha=alpha)
        assert report.alpha == verdict.alpha == alpha
        assert verdict.low < verdict.score < verdict.high
        assert (verdict.outcome is br.Outcome.CLEARS) == (alpha >= 0.01)
        widths.append((verdict.high - verdict.low, verdict.null_high - verdict.null_low))
    assert widths == sorted(widths)
    assert len(set(widths)) == 4


# As data.


@pytest.mark.parametrize("adjust", [None, "holm", "bh"])
def test_json_keeps_the_standard(adjust: Any) -> None:
    """Alpha, the adjustment and the tries survive, and so do the parts of a report."""
    report = br.evaluate(Y_TRUE, MODELS, ["F1", COST], by=GROUPS, alpha=0.2, adjust=adjust, tries=7)
    read = br.Report.from_json(report.to_json())
    assert read == report
    assert read.standard == report["good"].standard == Standard(0.2, adjust, 7)
    assert str(read) == str(report)


@pytest.mark.parametrize(
    ("name", "value"),
    [("alpha", 0), ("alpha", "0.05"), ("adjust", "all"), ("tries", 0), ("tries", 1.5)],
)
def test_json_with_another_standard(name: str, value: object) -> None:
    """A standard that no report has is one clear error."""
    document = json.loads(br.evaluate(Y_TRUE, MODELS["good"], "F1").to_json())
    for changed in (document | {name: value}, {k: v for k, v in document.items() if k != name}):
        with pytest.raises(InvalidReportError, match="a report must be the JSON"):
            br.Report.from_json(json.dumps(changed))


WRONG = {
    "alpha": [0, 1, 0.00001, 0.6, -0.05, math.nan, math.inf, "0.05", True, None, [0.05], 10**400],
    "adjust": ["bonferroni", "", "Holm", 1, True, ["holm"], math.nan],
    "tries": [0, -1, 1.5, "20", True, None, math.nan, 10**10],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in WRONG.items() for value in values]
)
def test_bad_values(name: str, value: object) -> None:
    """An error of ours begins with the name of the argument, and says what must hold."""
    wrong: dict[str, Any] = {name: value}
    with pytest.raises(BaserateError, match=rf"^{name} must be .* \(got ") as caught:
        br.evaluate(Y_TRUE, MODELS["good"], "F1", **wrong)
    assert caught.value.parameter == name
    assert len(str(caught.value)) < 200
