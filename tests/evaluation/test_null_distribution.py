"""`br.null_distribution`: predictions, guesses and tables of every kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import baserate as br
from baserate.observed.numbers import Numbers

LABELS, ANSWERS = np.array([1, 1, 1, 0, 0, 0, 0]), np.array([1, 1, 0, 1, 0, 0, 0])
CLASSES, GUESSES = list("aaabbc"), list("aabbca")
SCORES = [0.9, 0.4, 0.6, 0.5, 0.2, 0.1, 0.2]
ROWS = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]] * 2
TRUTH, NUMBERS = np.array([1.0, 2.5, 2.5, 4, 7]), np.array([2.0, 1, 3, 3, 9])
TABLE = br.ClassProbabilities.of(CLASSES, ROWS)
RATE, COUNTS = br.BaseRate.of(LABELS), br.BaseRate.of(CLASSES)
# The same null distribution, asked for in several ways.
FORMS: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "two classes": (
        "F1",
        [
            (LABELS, ANSWERS),
            (LABELS, 3),
            (RATE, 3),
            (RATE, br.DutchDraw(RATE, predicted_positives=3)),
            (None, br.DutchDraw(RATE, predicted_positives=3)),
            (None, br.ConfusionMatrix.of(LABELS, ANSWERS)),
            (br.ConfusionMatrix.of(LABELS, ANSWERS),),
        ],
    ),
    "several classes": (
        "macro F1",
        [
            (CLASSES, GUESSES),
            (CLASSES, {"a": 3, "b": 2, "c": 1}),
            (COUNTS, [3, 2, 1]),
            (br.ConfusionMatrix.of(CLASSES, GUESSES),),
        ],
    ),
    "top-k": ("top-2 accuracy", [(CLASSES, ROWS), (TABLE,), (COUNTS, ROWS[::-1])]),
    "scores": (
        "AP",
        [(LABELS, SCORES), (RATE, SCORES[::-1]), (br.RankedScores.of(LABELS, SCORES),)],
    ),
    "class scores": ("AUC ovr", [(CLASSES, ROWS), (TABLE,), (COUNTS, ROWS[::-1])]),
    "numbers": (
        "MAE",
        [
            (TRUTH, NUMBERS),
            (Numbers(TRUTH), NUMBERS[::-1]),
            (TRUTH, {2.0: 1, 1: 1, 3: 2, 9: 1}),
            (br.NumericPredictions.of(TRUTH, NUMBERS),),
        ],
    ),
}


@pytest.mark.parametrize("kind", FORMS)
def test_predictions_guesses_and_tables_have_one_null_distribution(kind: str) -> None:
    """Only what is predicted how often matters, and not in which order."""
    measure, forms = FORMS[kind]
    nulls = [br.null_distribution(*form, measure) for form in forms]
    score = nulls[0].ppf(0.6)
    for null in nulls:
        assert isinstance(null, br.NullDistribution)
        assert null.mean() == pytest.approx(nulls[0].mean(), rel=1e-12)
        assert null.sf(score) == pytest.approx(nulls[0].sf(score), rel=1e-12)
        assert repr(null).startswith(
            f"<null distribution of {measure}: mean {null.mean():.4g}, 95%"
        )
