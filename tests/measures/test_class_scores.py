"""Measures of class scores: scores, best guesses and shuffles, against their definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import baserate as br
from baserate.exceptions import (
    UndefinedMeasureWarning,
)
from baserate.measures.class_areas import Areas

RNG = np.random.default_rng(12)
OF_AREAS = ["AUC ovr", "AUC ovr weighted", "AUC ovo", "AUC ovo weighted"]


# --- Labels ---------------------------------------------------------------------------------------

FACTS = ("score", "low", "high", "baseline", "margin_low", "margin_high", "p_value", "null_high")


@pytest.mark.filterwarnings("ignore::baserate.exceptions.UnseenClassWarning")
@pytest.mark.parametrize("key", ["accuracy", "macro F1"])
def test_labels_by_the_highest_score(key: str) -> None:
    """A measure of labels is that of the argmax, whose ties are the first class's."""
    truth, scores = RNG.integers(0, 3, 30), RNG.integers(0, 3, (2, 30, 4)).astype(float)
    columns = [br.ClassProbabilities.of_rows((0, 1, 2, 3), truth, each) for each in scores]
    labels = scores.argmax(axis=-1)
    for observed, predicted in zip(columns, labels, strict=True):
        (found,) = br.evaluate(None, observed, key)
        (other,) = br.evaluate(truth, predicted, key, task="multiclass")
        for fact in FACTS:
            assert getattr(found, fact) == getattr(other, fact), fact
    names = [0, 1, 2, 3]
    frames = {str(place): _frame(each, names) for place, each in enumerate(scores)}
    (found,) = br.compare(truth, frames, key)
    (other,) = br.compare(truth, {"0": labels[0], "1": labels[1]}, key, task="multiclass")
    for fact in ("difference", "low", "high", "p_value"):
        assert getattr(found, fact) == getattr(other, fact)


def _frame(values: np.ndarray, columns: list[Any]) -> Any:
    import pandas as pd

    return pd.DataFrame(values, columns=columns)


# --- Best guesses ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "counts", "words", "number"),
    [
        (2, (5, 3, 2), "always answering 'a' and 'b'", 1),
        (2, (5, 2, 2), "always answering 'a' and one of 'b' and 'c'", 2),
        (2, (2, 2, 2), "always answering two of 'a', 'b' and 'c'", 3),
        (3, (2, 1), "always answering 'a' and 'b'", 1),
        (3, (1,) * 8, "always answering any three of the 8 classes", 56),
        (7, (*[9] * 7, 1), "always answering 'a', 'b', 'c', 'd', 'e' and 2 more", 1),
    ],
)
def test_answers_that_are_best(k: int, counts: tuple[int, ...], words: str, number: int) -> None:
    """They are the most frequent classes, with those that tie, and are right as often."""
    known = dict(zip("abcdefgh", counts, strict=False))
    best = br.baseline(br.BaseRate(known), f"top-{k} accuracy").best
    assert (str(best.guesses), len(best.guesses)) == (words, number)
    assert best.value == pytest.approx(sum(sorted(counts)[-k:]) / sum(counts))
    assert len(set(best.guesses)) == number


# --- Averages of areas ----------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_many_rows_one_against_another(weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001
    """With 60 rows of each class and more, a sum is as good as shuffles, and has no floor."""
    counts, rows = br.BaseRate({0: 60, 1: 80, 2: 70}), RNG.random((210, 3))
    form, ones = Areas(one_vs_one=True, weighted=weighted), np.ones(210, dtype=np.int64)
    near = form.null(counts, rows, ones)
    monkeypatch.setattr("baserate.measures.class_areas.FEWEST_PROJECTED", 100)
    shuffled = form.null(counts, rows, ones)
    assert (near.method, shuffled.method) == ("saddlepoint", "permutations")
    assert near.var() == pytest.approx(shuffled.var(), rel=0.05)
    for level in (0.5, 0.9, 0.975):
        score = shuffled.ppf(level)
        assert near.sf(score) == pytest.approx(shuffled.sf(score), abs=0.05)  # 999 draws


@pytest.mark.parametrize("key", OF_AREAS)
def test_classes_that_never_occur_have_no_area(key: str) -> None:
    """The score is undefined, and a report says which class it is."""
    frame = _frame(np.eye(3)[[0, 1, 0, 1]], list("abc"))
    (found,) = br.evaluate(list("abab"), {"net": frame}, key)
    assert math.isnan(found.score)
    assert "no observation is 'c'" in found.reason
    with pytest.warns(UndefinedMeasureWarning, match="all observations are 'a'"):
        br.get_measure(key, task="class-scores").score(
            br.ClassProbabilities.of(list("aaa"), np.ones((3, 1)))
        )
