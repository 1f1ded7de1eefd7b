"""One question, asked in two ways, has one answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from front_door import verdict
from properties.agreement import EVERYTHING, ROUNDING, assert_agree, by_parts, few_examples
from properties.kinds import Sketch, labels, scores, sketches

if TYPE_CHECKING:
    from collections.abc import Callable

    import baserate as br

    Answers = tuple[br.Verdict, br.Verdict]


def _one_or_two_columns(measure: str) -> Callable[[Sketch], Answers]:
    """Ask about probabilities of the second class, and about those of both."""

    def ask(sketch: Sketch) -> Answers:
        rows = scores(sketch)
        columns = np.column_stack([1 - rows.first, rows.first])
        return (
            verdict(rows.y_true, rows.first, measure),
            verdict(rows.y_true, columns, measure, task="class-scores"),
        )

    return ask


def _two_of_several(measure: str, of_several: str) -> Callable[[Sketch], Answers]:
    """Ask about two classes by a measure of two, and by the same one of several."""

    def ask(sketch: Sketch) -> Answers:
        rows = labels(sketch)
        return (
            verdict(rows.y_true, rows.first, measure, task="binary"),
            verdict(rows.y_true, rows.first, of_several, task="multiclass"),
        )

    return ask


QUESTIONS = {
    "Brier, one column or two": _one_or_two_columns("Brier"),
    "D2 Brier, one column or two": _one_or_two_columns("D2 Brier"),
    "log loss, one column or two": _one_or_two_columns("log loss"),
    "D2 log loss, one column or two": _one_or_two_columns("D2 log loss"),
    "spherical, one column or two": _one_or_two_columns("spherical"),
    "accuracy, two of several classes": _two_of_several("ACC", "accuracy"),
    "balanced accuracy, two of several classes": _two_of_several("BACC", "balanced accuracy"),
    "MCC, two of several classes": _two_of_several("MCC", "MCC"),
    "kappa, two of several classes": _two_of_several("KAPPA", "kappa"),
}
WHOLE = ("score", "scale", "p-value", "intervals", "outcome")
RESAMPLED = "two classes are resampled by four counts with Dutch Draws, several by cells with mixes"
KNOWN = {
    (f"{key}, two of several classes", "intervals"): RESAMPLED
    for key in ("accuracy", "balanced accuracy", "MCC", "kappa")
}
STUDENT = "losses of numbers have Student's t, and those of probabilities a spare observation"


@by_parts(QUESTIONS, WHOLE, KNOWN)
@given(sketch=sketches)
@example(sketch=Sketch(rows=22, seed=2, signal=0.5, share=0.5, levels=4))
@example(sketch=Sketch(rows=16, seed=46, signal=0.5, share=0.5, levels=4))
@example(sketch=Sketch(rows=15, seed=6, signal=0.5, share=0.5, levels=4))
@example(sketch=Sketch(rows=5, seed=0, signal=0.5, share=0.5, levels=4))
@few_examples
def test_two_ways_to_ask(name: str, facts: list[str], sketch: Sketch) -> None:
    """Both ways give the same score, interval, p-value and outcome."""
    assert_agree(*QUESTIONS[name](sketch), facts, ROUNDING)


@by_parts(
    ["squares"],
    ("score", "p-value", "intervals", "outcome"),  # numbers have no worst guess, so another scale
    {("squares", "intervals"): STUDENT},
)
@given(sketch=sketches)
@example(sketch=Sketch(rows=22, seed=2, signal=0.5, share=0.5, levels=4))
@few_examples
def test_squares(name: str, facts: list[str], sketch: Sketch) -> None:
    """0 and 1 as numbers by MSE have the verdict of two classes by Brier."""
    rows = scores(sketch)
    found = verdict(rows.y_true, rows.first, "MSE", task="regression")
    assert_agree(found, verdict(rows.y_true, rows.first, "Brier"), facts, ROUNDING)


@pytest.mark.parametrize("measure", ["F1", "MCC", "ACC"])
@given(sketch=sketches)
@few_examples
def test_labels_are_scores_at_a_threshold(measure: str, sketch: Sketch) -> None:
    """Labels that were cut from scores are judged as scores with the threshold are."""
    rows = scores(sketch)
    cut = verdict(rows.y_true, rows.first, measure, threshold=0.5)
    labelled = verdict(rows.y_true, (rows.first >= 0.5).astype(int), measure)
    assert_agree(cut, labelled, EVERYTHING)


@given(
    predicted=st.integers(5, 12).flatmap(
        lambda k: st.lists(st.integers(0, k - 1), min_size=k, max_size=k)
    )
)
@example(predicted=[0, 1, 2, 3, 3])
@few_examples
def test_classes_of_one_row(predicted: list[int]) -> None:
    """Where every class has one row, balanced accuracy is accuracy."""
    classes = list(range(len(predicted)))
    found = verdict(classes, predicted, "balanced accuracy", task="multiclass")
    expected = verdict(classes, predicted, "accuracy", task="multiclass")
    assert_agree(found, expected, EVERYTHING, ROUNDING)
