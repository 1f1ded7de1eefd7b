"""Two models side by side: counts from anywhere, the same conclusions, and what they say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate.exceptions import (
    NotInReportError,
)
from baserate.verdicts.verdict import Better

SIZE = 240
RNG = np.random.default_rng(7)
TRUTH = (RNG.random(SIZE) < 0.35).astype(int)


def _model(hits: float, alarms: float) -> Any:
    chance = RNG.random(SIZE)
    return np.where(TRUTH == 1, chance < hits, chance < alarms).astype(int)


MODELS = {"tree": _model(0.6, 0.2), "forest": _model(0.85, 0.1), "knn": _model(0.6, 0.2)}
REGION = np.array(["north", "south", "west"])[RNG.integers(0, 3, SIZE)]
MEASURES = ["F1", "MCC", "ACC", "FPR"]


def _expected() -> br.Comparison:
    by = pl.Series("region", REGION)
    return br.compare(TRUTH, MODELS, MEASURES, by=by)


def test_counts_have_no_decimals() -> None:
    """Numbers of observations are whole in every sentence, 0 and 1 too, and so are their limits."""
    y_true = [1] * 3 + [0] * 20
    first, second = [0] * 5 + [1] + [0] * 17, [1] + [0] * 22
    hits, misses = map(str, br.compare(y_true, {"a": first, "b": second}, ["TP", "FN"]))
    assert "a 0, b 1, a difference of -1 (95% CI -5 to 3;" in hits
    assert "a 3, b 2, a difference of 1 (95% CI -3 to 5;" in misses
    assert str(br.confidence_interval(y_true, second, "TP")) == "TP 1 (95% interval 0 to 5)"


def test_a_model_without_a_score_cannot_be_compared() -> None:
    """Where a score is missing, the difference is undefined and says why; other measures stand."""
    comparison = br.compare(TRUTH, {"tree": MODELS["tree"], "none": 0 * TRUTH}, ["F1", "ACC"])
    undefined = comparison["tree", "none", "F1"]
    assert undefined.outcome == "undefined"
    assert math.isnan(undefined.p_value)
    assert math.isnan(undefined.low)
    assert str(undefined) == (
        "tree and none cannot be compared by F1: none predicts no positives, so it has no score."
    )
    assert comparison["tree", "none", "ACC"].outcome != "undefined"


@pytest.mark.parametrize("adjust", ["holm", "bh"])
def test_p_values_are_adjusted_over_pairs_and_groups(adjust: Any) -> None:
    """Over every pair on the whole and in each group, by all measures; nan does not count."""
    from baserate.core.multiple_testing import adjusted

    models = MODELS | {"none": 0 * TRUTH}
    plain = br.compare(TRUTH, models, ["F1", "ACC"], by=REGION)
    found = br.compare(TRUTH, models, ["F1", "ACC"], by=REGION, adjust=adjust)
    family = [each.p_value for each in plain]
    assert np.array_equal([each.p_adjusted for each in found], adjusted(family, adjust), True)
    assert np.array_equal([each.p_value for each in found], family, True)
    for each in found:
        is_apart = each.low > 0 or each.high < 0
        assert (each.winner is not None) == (each.p_adjusted < 0.05 and is_apart)
    assert any(", adjusted " in str(each) for each in found)


def test_what_a_comparison_does_not_have() -> None:
    """An unknown pair, measure or group is an error that names those there are."""
    found = _expected()
    with pytest.raises(
        NotInReportError, match=r"no pair \('forest', 'tree'\).*\('tree', 'forest'\)"
    ):
        found["forest", "tree"]
    with pytest.raises(NotInReportError, match="no measure 'TPR'"):
        found["tree", "forest", "TPR"]
    with pytest.raises(NotInReportError, match="no group 'east'"):
        found["tree", "forest", "F1", "east"]
    with pytest.raises(NotInReportError, match="asked for a pair"):
        found["tree"]  # type: ignore[call-overload]
    assert found.group(None).groups == ()


def test_what_is_said_of_models_that_are_not_alike() -> None:
    """The sentence, the code and the table name no winner."""
    truth = [1] * 2 + [0] * 98
    bold, timid = [0, 0] + [1] * 30 + [0] * 68, [0, 0] + [1] * 2 + [0] * 96
    comparison = br.compare(truth, {"bold": bold, "timid": timid}, "J")
    (difference,) = comparison
    assert difference.p_value < 0.05
    assert difference.low < 0 < difference.high
    assert difference.outcome is Better.UNSURE
    assert difference.winner is None
    said = "bold and timid differ, but which is better is unclear, by Youden's J: "
    assert str(difference).startswith(f"{said}bold -0.306, timid -0.020, a difference of -0.286")
    assert br.Comparison.from_json(comparison.to_json()) == comparison


def test_edges() -> None:
    """Of infinite scores; equal answers are called that."""
    infinite = br.evaluate([0, 1, 1], [-math.inf, 0.5, math.inf], "AUC")
    assert br.Report.from_json(infinite.to_json()) == infinite
    (same,) = br.compare(TRUTH, {"one": MODELS["tree"], "two": MODELS["tree"]}, "F1")
    assert str(same).startswith("one and two give the same answers, so both have ")
    assert (same.p_value, same.outcome.sentence) == (1, "no evidence of a difference")
    assert same.__eq__(1) is NotImplemented
    (numbers,) = br.compare([1.0, 2.5, 3], {"a": [1, 2, 3.5], "b": [1, 2, 3.5]}, "MAE")
    assert numbers.p_value == 1
    (neither,) = br.compare(TRUTH, {"a": 0 * TRUTH, "b": 0 * TRUTH}, "PPV")
    assert "neither has a score" in neither.reason
