"""Two models that differ in what they do and not in what they score."""

from __future__ import annotations

import numpy as np

import baserate as br
from baserate.verdicts.difference import Better

# A bold and a timid model with the same Youden's J, 0.5, on 2% positives.
POSITIVE, BOLD, TIMID = 0.02, (0.8, 0.3), (0.6, 0.1)


def test_models_of_equal_score_are_rarely_called_better() -> None:
    """Not alike is not better: of two models with equal J, one is called better at most alpha."""
    rng = np.random.default_rng(0)
    claimed = alike = 0
    for _ in range(150):
        truth = rng.random(100) < POSITIVE
        chance = rng.random(100)
        models = {
            name: np.where(truth, chance < tpr, chance < fpr)
            for name, (tpr, fpr) in (("bold", BOLD), ("timid", TIMID))
        }
        if not truth.any():
            continue
        (difference,) = br.compare(truth, models, "J")
        claimed += difference.winner is not None
        alike += not difference.p_value < 0.05
    assert alike < 75  # the p-value alone would call most of them different
    assert claimed / 150 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)


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
