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


def _verdict(table: br.Confusion, measure: str = "F1") -> br.Verdict:
    return br.evaluate(None, table, measure)["model", measure]


def test_what_beats_the_baseline_passes() -> None:
    """A verdict passes if it beats the baseline by the margin, and alpha rules out luck."""
    for gate in (Gate(), Gate(margin=0.02), Gate(Fraction(1, 50), 1e-6), Gate(alpha=1)):
        assert gate.shortfall(_verdict(GOOD)) == ""


def test_a_shortfall_is_a_sentence() -> None:
    """The sentence says what the verdict is, and what is missing."""
    assert Gate().shortfall(_verdict(POOR)) == str(_verdict(POOR))
    assert Gate(Fraction(1, 10)).shortfall(_verdict(GOOD)).endswith("is 0.0265591, not 0.1.")
    assert Gate(alpha=1e-9).shortfall(_verdict(GOOD)).endswith("is above alpha = 1e-09.")
    assert "shows nothing by itself" in Gate().shortfall(_verdict(GOOD, "TPR"))
    assert "it needs" in Gate().shortfall(_verdict(br.Confusion(fn=2, tn=3), "PPV"))


@pytest.mark.parametrize("margin", [-0.1, math.nan, "0.1", True, None])
def test_a_margin_is_a_distance(margin: Any) -> None:
    """A margin that is not a distance is an error."""
    with pytest.raises(InvalidMeasureError, match="margin must be a number of at least 0"):
        Gate(margin)


@pytest.mark.parametrize("alpha", [-0.1, 1.1, math.nan, "0.1", True])
def test_alpha_is_a_probability(alpha: Any) -> None:
    """An alpha that is not a probability is an error."""
    with pytest.raises(InvalidProbabilityError, match="alpha must be between 0 and 1"):
        Gate(alpha=alpha)


def _statuses(y_true: list[int], measure: str = "F1") -> dict[object, Status]:
    """The rulings on a model that is right in group A, and always says yes in group B."""
    y_pred, groups = [1, 0, 0, 0, 1, 1, 1], ["A"] * 4 + ["B"] * 3
    report = br.evaluate(y_true, y_pred, measure, by=groups)
    return {ruling.verdict.group: ruling.status for ruling in Gate().rulings(report)}


def test_every_group_has_to_pass() -> None:
    """A group that does not beat its own baseline fails."""
    assert _statuses([1, 0, 0, 0, 1, 1, 0]) == {None: "passed", "A": "passed", "B": "failed"}


@pytest.mark.parametrize("last", [0, 1])
def test_a_group_that_nothing_could_pass_is_not_judged(last: int) -> None:
    """Without positives F1 has no baseline; without negatives the baseline is perfect."""
    found = _statuses([1, 0, 0, 0, last, last, last])
    assert found["A"] is Status.PASSED
    assert found["B"] is Status.NOT_JUDGED


def test_a_group_in_which_the_model_has_no_score_fails() -> None:
    """A group with a baseline to beat fails if the model has no score."""
    report = br.evaluate([1, 0, 1, 0, 0], [1, 0, 0, 0, 0], "PPV", by=["A", "A", "B", "B", "B"])
    statuses = {ruling.verdict.group: ruling.status for ruling in Gate().rulings(report)}
    assert statuses == {None: "passed", "A": "passed", "B": "failed"}


@pytest.mark.parametrize("measure", ["TPR", "PT"])
def test_a_gate_never_opens_because_nothing_was_judged(measure: str) -> None:
    """A measure that shows nothing fails on the whole test set."""
    found = _statuses([1, 0, 0, 0, 1, 1, 0], measure)
    assert found == {None: "failed", "A": "not judged", "B": "not judged"}
