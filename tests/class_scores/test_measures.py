"""Measures of class scores: scores, best guesses and shuffles, against their definitions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import baserate as br
import exact_scores as oracle
from baserate.exceptions import (
    InvalidCountError,
    InvalidMeasureError,
    InvalidScoresError,
    UndefinedMeasureWarning,
)
from baserate.measures.class_areas import Areas
from baserate.measures.class_scores import CLASS_SCORE_MEASURES, ClassScoreMeasure
from sklearn import metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Rows = list[tuple[Fraction, ...]]
RNG = np.random.default_rng(12)
COUNTS = br.ClassCounts({"a": 1, "b": 1, "c": 0})
OF_AREAS = ["AUC ovr", "AUC ovr weighted", "AUC ovo", "AUC ovo weighted"]


def _measure(name: str) -> ClassScoreMeasure:
    found: ClassScoreMeasure = br.get_measure(name, task="class-scores")
    return found


# --- Definitions ----------------------------------------------------------------------------------


def _brier(truth: Sequence[int], rows: Rows) -> Fraction:
    score = oracle.class_brier(truth, rows)
    return score / 2 if len(rows[0]) == 2 else score


def _skill(loss: Callable[..., Any]) -> Callable[..., Any]:
    def skill(truth: Sequence[int], rows: Rows) -> Any:
        shares = tuple(Fraction(list(truth).count(k), len(truth)) for k in range(len(rows[0])))
        return 1 - loss(truth, rows) / loss(truth, [shares] * len(truth))

    return skill


def _area(rows: Rows, column: int, first: list[int], second: list[int]) -> Fraction:
    """Return the share of pairs that a column puts in order, the first class above the second."""
    scores = [row[column] for row in rows]
    pairs = [(scores[i], scores[j]) for i, j in product(first, second)]
    return sum((Fraction(a > b) + Fraction(a == b, 2) for a, b in pairs), Fraction(0)) / len(pairs)


def _auc(*, one_vs_one: bool, weighted: bool) -> Callable[..., Fraction]:
    """Return an average of areas as scikit-learn defines it."""

    def score(truth: Sequence[int], rows: Rows) -> Fraction:
        of = [[i for i, t in enumerate(truth) if t == k] for k in range(len(rows[0]))]
        if one_vs_one:
            pairs = list(combinations(range(len(of)), 2))
            areas = [(_area(rows, a, of[a], of[b]) + _area(rows, b, of[b], of[a])) / 2
                     for a, b in pairs]  # fmt: skip
            weights = [len(of[a]) + len(of[b]) if weighted else 1 for a, b in pairs]
        else:
            rest = [[i for i in range(len(truth)) if i not in each] for each in of]
            areas = [_area(rows, k, of[k], rest[k]) for k in range(len(of))]
            weights = [len(each) if weighted else 1 for each in of]
        total = sum((w * a for w, a in zip(weights, areas, strict=True)), Fraction(0))
        return total / sum(weights)

    return score


def _top(k: int) -> Callable[..., Fraction]:
    """Return top-k accuracy: of equal scores the later class is higher."""

    def score(truth: Sequence[int], rows: Rows) -> Fraction:
        order = [sorted(range(len(row)), key=lambda c, row=row: (row[c], c)) for row in rows]
        return Fraction(sum(t in o[-k:] for t, o in zip(truth, order, strict=True)), len(rows))

    return score


DEFINED: dict[str, Callable[..., Any]] = {
    "Brier": _brier,
    "log loss": oracle.class_log_loss,
    "spherical": oracle.class_spherical,
    "D2 Brier": _skill(_brier),
    "D2 log loss": _skill(oracle.class_log_loss),
    "ECE": oracle.top_calibration_error,
    "AUC ovr": _auc(one_vs_one=False, weighted=False),
    "AUC ovr weighted": _auc(one_vs_one=False, weighted=True),
    "AUC ovo": _auc(one_vs_one=True, weighted=False),
    "AUC ovo weighted": _auc(one_vs_one=True, weighted=True),
    "top-2 accuracy": _top(2),
}


def _row(*parts: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(part, sum(parts)) for part in parts)


# Rows of three classes and of two, with ties; and the truth.
CASES: list[Any] = [
    ([_row(1, 2, 7), _row(2, 2, 1), _row(5, 4, 1), _row(8, 1, 1)], (0, 1, 2, 0)),
    ([_row(1, 2, 7), _row(1, 2, 7), _row(5, 4, 1), _row(8, 1, 1), _row(1, 1, 1)], (2, 2, 1, 0, 0)),
    ([_row(3, 2), _row(1, 9), _row(1, 9), _row(4, 1), _row(1, 1)], (0, 1, 1, 0, 1)),
    ([_row(1, 3, 6)] * 3 + [_row(2, 3, 5), _row(7, 2, 1), _row(4, 4, 2)], (2, 2, 1, 1, 0, 0)),
]


def _floats(rows: Rows) -> np.ndarray:
    return np.array([[float(p) for p in row] for row in rows])


@pytest.mark.parametrize("key", DEFINED)
@pytest.mark.parametrize(("rows", "truth"), CASES)
def test_all_shuffles(key: str, rows: Rows, truth: tuple[int, ...]) -> None:
    """Score, mean, variance and tails are those of all shuffles of the truth."""
    name = "top-1 accuracy" if key == "top-2 accuracy" and len(rows[0]) == 2 else key
    defined = _top(1) if name != key else DEFINED[key]
    measure, table, value = _measure(name), _floats(rows), defined(truth, rows)
    observed = br.ClassProbabilities.of(truth, table)
    assert measure.score(observed) == pytest.approx(float(value), rel=1e-12, abs=1e-14)
    exact = oracle.shuffled_law(defined, truth, rows)
    null = br.null_distribution(truth, table, measure)
    is_close: Any = {"abs": 1e-13} if null.exact else {"rel": 0.05, "abs": 0.005}
    assert null.mean() == pytest.approx(float(oracle.mean(exact)), **is_close)
    assert null.var() == pytest.approx(float(oracle.variance(exact)), **is_close)
    within = 1e-9 if null.exact else 0.06
    found = {float(each): float(chance) for each, chance in exact.items()}
    for score in found:
        above = sum(chance for each, chance in found.items() if each >= score - 1e-12)
        below = sum(chance for each, chance in found.items() if each <= score + 1e-12)
        assert null.sf(score) == pytest.approx(above, abs=within)
        assert null.cdf(score) == pytest.approx(below, abs=within)
    assert null.exact or key in {"ECE", "AUC ovo", "AUC ovo weighted"}


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("classes", [2, 3, 7])
def test_scikit_learn_agrees(kind: type, classes: int) -> None:
    """Every score that scikit-learn has, also at 0 and 1, with ties and with weights."""
    for size in (20, 300):
        rows = RNG.dirichlet(np.full(classes, 0.3), size)
        rows[RNG.uniform(size=size) < 0.3] = 1 / classes
        rows[0] = np.eye(classes)[0]
        rows = (rows / rows.sum(axis=1, keepdims=True)).astype(kind)
        truth = np.append(np.arange(classes), RNG.integers(0, classes, size - classes))
        weights = RNG.integers(1, 4, size)
        often = np.repeat(np.arange(size), weights)
        for measure in CLASS_SCORE_MEASURES.values():
            call = measure.sklearn
            if call is None or (classes == 2 and call.function in TWO_CLASSES_DIFFER):
                continue
            options = dict(call.options or {})
            is_area = "multi_class" in options
            if not is_area:
                options["labels"] = np.arange(classes)
            theirs = getattr(metrics, call.function)(truth, rows, **options)
            precision = 1e-12 if kind is np.float64 else 2e-5
            assert measure.score(br.ClassProbabilities.of(truth, rows)) == pytest.approx(
                theirs, rel=precision
            )
            if options.get("multi_class") == "ovo":  # which takes no weights in scikit-learn
                theirs = getattr(metrics, call.function)(truth[often], rows[often], **options)
            else:
                options["sample_weight"] = weights
                theirs = getattr(metrics, call.function)(truth, rows, **options)
            observed = br.ClassProbabilities.of(truth[often], rows[often])
            assert measure.score(observed) == pytest.approx(theirs, rel=precision)


# These take one column of two classes, or more than two.
TWO_CLASSES_DIFFER = {"roc_auc_score", "top_k_accuracy_score"}


@pytest.mark.parametrize("key", OF_AREAS)
def test_two_columns_have_the_area_of_one(key: str) -> None:
    """Every average of two classes is the AUC of the second one; so are p-value and interval."""
    truth, column = RNG.integers(0, 2, 40), np.round(RNG.random(40), 1)
    rows = np.column_stack([1 - column, column])
    (found,), (other,) = br.evaluate(truth, rows, key), br.evaluate(truth, column, "AUC")
    assert (found.score, found.baseline) == pytest.approx((other.score, 0.5))
    if "ovr" in key:
        assert found.p_value == pytest.approx(other.p_value, rel=1e-9)
    assert (found.low, found.high) == pytest.approx((other.low, other.high), abs=0.03)


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

# All rows of three classes in steps of a fifth, without 0: a logarithm has no fraction there.
GRID = [_row(*parts) for parts in product(range(1, 4), repeat=3) if sum(parts) == 5]


@pytest.mark.parametrize("key", DEFINED)
@pytest.mark.parametrize("truth", [(0, 0, 1, 2), (0, 1, 2)])
def test_no_guess_is_better_or_worse(key: str, truth: tuple[int, ...]) -> None:
    """The expected score of every guess of a grid is between the extremes."""
    base = br.baseline(truth, key, task="class-scores")
    shares = _row(*(truth.count(k) for k in range(3)))
    for guess in combinations_with_replacement([*GRID, shares], 2):
        rows = [guess[0], *[guess[1]] * (len(truth) - 1)]
        orders = set(permutations(truth))
        mean = float(sum(DEFINED[key](each, rows) for each in orders) / len(orders))
        assert base.min.value - 1e-12 <= mean <= base.max.value + 1e-12
    best = float(DEFINED[key](truth, [shares] * len(truth)))
    assert best <= base.max.value + 1e-12
    if key != "top-2 accuracy":  # where classes tie, the shares are not the best answer
        assert best == pytest.approx(base.best.value, rel=1e-12, abs=1e-15)


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
    best = br.baseline(br.ClassCounts(known), f"top-{k} accuracy").best
    assert (str(best.guesses), len(best.guesses)) == (words, number)
    assert best.value == pytest.approx(sum(sorted(counts)[-k:]) / sum(counts))
    assert len(set(best.guesses)) == number


# --- Averages of areas ----------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_many_rows_one_against_another(weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001
    """With 60 rows of each class and more, a sum is as good as shuffles, and has no floor."""
    counts, rows = br.ClassCounts({0: 60, 1: 80, 2: 70}), RNG.random((210, 3))
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
        _measure(key).score(br.ClassProbabilities.of(list("aaa"), np.ones((3, 1))))


# --- Records --------------------------------------------------------------------------------------


def test_one_class_only() -> None:
    """Skill has no unit there; all else has a score, and the class shares are perfect."""
    observed = br.ClassProbabilities.of_rows(tuple("abc"), np.zeros(3, int), np.eye(3)[[0, 0, 1]])
    for key in ("D2 Brier", "D2 log loss"):
        with pytest.warns(UndefinedMeasureWarning, match="all observations are 'a'"):
            assert _measure(key).score(observed, undefined=-9) == -9
    (found,) = br.evaluate(None, observed, "Brier")
    assert found.outcome is br.Outcome.UNINFORMATIVE


@pytest.mark.parametrize(
    "name", ["top-3 accuracy", "Top 3 Accuracy", "top_3_accuracy", "top3 acc", "accuracy@3"]
)
def test_names_of_any_k(name: str) -> None:
    """A measure has one record, whichever way its name is written; 2 is scikit-learn's default."""
    assert br.get_measure(name) is _measure("top-3 accuracy")
    assert br.get_measure("top_k_accuracy_score") is _measure("top-2 accuracy")


@pytest.mark.parametrize(
    ("error", "message", "ask"),
    [
        (InvalidMeasureError, "given ClassProbabilities", lambda: _measure("Brier").score([[1.0]])),
        (InvalidMeasureError, "k must be at least 1", lambda: _measure("top-0 accuracy")),
        (
            InvalidScoresError,
            "scores must be probabilities from 0 to 1",
            lambda: _measure("Brier").score(br.ClassProbabilities.of([0, 1], [[2, 1], [1, 2]])),
        ),
        (
            InvalidScoresError,
            "2 rows and 3 columns",
            lambda: br.null_distribution(COUNTS, [[1, 2]], "AUC ovr"),
        ),
        (
            InvalidCountError,
            "places of classes",
            lambda: br.ClassProbabilities.from_facts(
                {"labels": ["a"], "dtype": "float64", "rows": [[1.0]], "cells": [[0, 9, 1]]}
            ),
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_scored(error: type[Exception], message: str, ask: Any) -> None:
    """An error says what is wrong."""
    with pytest.raises(error, match=message):
        ask()
