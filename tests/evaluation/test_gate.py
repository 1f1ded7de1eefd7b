"""The gate of a test suite or a pipeline."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

import baserate as br
from baserate.evaluation.gate import Gate, Status
from baserate.exceptions import InvalidMeasureError, InvalidProbabilityError

GOOD = br.Confusion(tp=98, fp=62, fn=41, tn=102)
POOR = br.Confusion(tp=52, fp=41, fn=87, tn=123)


SURE = br.Confusion(tp=120, fp=30, fn=19, tn=134)


def _verdict(table: br.Confusion, measure: str = "F1", alpha: float = 0.05) -> br.Verdict:
    return br.evaluate(None, table, measure, alpha=alpha)["model", measure]


def test_what_clears_the_baseline_passes() -> None:
    """A verdict passes if it clears the baseline, and the lower limit of its margin is enough."""
    for gate in (Gate(), Gate(margin=0.1), Gate(Fraction(1, 10), 0.05)):
        assert gate.shortfall(_verdict(SURE)) == ""
    assert Gate(alpha=1e-3).shortfall(_verdict(SURE, alpha=1e-3)) == ""


def test_without_alpha_numbers_are_compared() -> None:
    """A score above the baseline is enough for the paper's criterion, and not for evidence."""
    assert _verdict(GOOD).outcome is br.Outcome.UNSURE
    assert Gate(alpha=None).shortfall(_verdict(GOOD)) == ""
    assert Gate(Fraction(1, 50), None).shortfall(_verdict(GOOD)) == ""
    assert Gate().shortfall(_verdict(GOOD)).startswith("F1 of model misses the bar: ")


def test_a_shortfall_is_a_sentence() -> None:
    """The sentence says what the verdict is, and what is missing."""
    poor = Gate().shortfall(_verdict(POOR))
    assert poor.startswith("F1 of model misses the bar: the margin is -0.1")
    assert poor.endswith(str(_verdict(POOR)).removeprefix("F1 of model: "))
    short = Gate(Fraction(1, 10), None).shortfall(_verdict(GOOD))
    assert "bar: the margin is 0.0265591, 0.073 below 0.1. " in short
    low = _verdict(SURE).margin_low
    short = Gate(0.2).shortfall(_verdict(SURE))
    assert f"bar: the lower limit of the margin is {low:.6g}, {0.2 - low:.2g} below 0.2. " in short
    assert "is uninformative on its own" in Gate().shortfall(_verdict(GOOD, "TPR"))
    assert "it needs" in Gate().shortfall(_verdict(br.Confusion(fn=2, tn=3), "PPV"))


def test_a_gate_asks_for_its_own_level() -> None:
    """What was judged at 5% is no evidence at 1%; at a stricter level it is."""
    assert "bar: it was judged at alpha = 0.05, not 0.01. " in Gate(alpha=0.01).shortfall(
        _verdict(SURE)
    )
    assert Gate(alpha=0.1).shortfall(_verdict(SURE)) == ""


@pytest.mark.parametrize("margin", [-0.1, math.nan, "0.1", True, None])
def test_a_margin_is_a_distance(margin: Any) -> None:
    """A margin that is not a distance is an error."""
    with pytest.raises(InvalidMeasureError, match="margin must be a number of at least 0"):
        Gate(margin)


@pytest.mark.parametrize("alpha", [-0.1, 0, 1e-5, 0.51, 1, 1.1, math.nan, "0.1", True])
def test_alpha_is_a_level_of_evidence(alpha: Any) -> None:
    """An alpha at which no claim can be made is an error."""
    with pytest.raises(InvalidProbabilityError, match=r"alpha must be between 0\.001 and 0\.5"):
        Gate(alpha=alpha)


def _statuses(last: list[int], measure: str = "F1") -> dict[object, Status]:
    """The rulings on a model that is right in group A, and always says yes in group B."""
    y_true, y_pred = [1, 0, 0, 0] * 10 + last, [1, 0, 0, 0] * 10 + [1, 1, 1]
    report = br.evaluate(y_true, y_pred, measure, by=["A"] * 40 + ["B"] * 3)
    return {ruling.verdict.group: ruling.status for ruling in Gate().rulings(report)}


def test_every_group_has_to_pass() -> None:
    """A group that does not beat its own baseline fails."""
    assert _statuses([1, 1, 0]) == {None: "passed", "A": "passed", "B": "failed"}


@pytest.mark.parametrize("last", [0, 1])
def test_a_group_that_nothing_could_pass_is_not_judged(last: int) -> None:
    """Without positives F1 has no baseline; without negatives the baseline is perfect."""
    found = _statuses([last] * 3)
    assert found["A"] is Status.PASSED
    assert found["B"] is Status.NOT_JUDGED


def test_a_group_in_which_the_model_has_no_score_fails() -> None:
    """A group with a baseline to beat fails if the model has no score."""
    y_true, y_pred = [1, 0] * 10 + [1, 0, 0], [1, 0] * 10 + [0, 0, 0]
    report = br.evaluate(y_true, y_pred, "PPV", by=["A"] * 20 + ["B"] * 3)
    statuses = {ruling.verdict.group: ruling.status for ruling in Gate().rulings(report)}
    assert statuses == {None: "passed", "A": "passed", "B": "failed"}


@pytest.mark.parametrize("measure", ["TPR", "PT"])
def test_a_gate_never_opens_because_nothing_was_judged(measure: str) -> None:
    """A measure that shows nothing fails on the whole test set."""
    found = _statuses([1, 1, 0], measure)
    assert found == {None: "failed", "A": "not judged", "B": "not judged"}
