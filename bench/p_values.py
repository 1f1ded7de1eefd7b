"""The p-value of each default measure alone, beside 999 shuffles of scikit-learn's score."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    brier_score_loss,
    f1_score,
    log_loss,
    median_absolute_error,
    roc_auc_score,
)
from tasks import CLASSES, NUMBERS, kinds
from timing import Comparison

import baserate as br

if TYPE_CHECKING:
    from collections.abc import Iterator

BY_HAND = "999 shuffles of scikit-learn's score"
SHUFFLES = 999
# What is asked of sums, counted or by a saddlepoint, and of permutations.
OF_SUMS, OF_PERMUTATIONS = "≤ 1/20 and 10 ms", "≤ 150 ms"
CLASS_PROBABILITIES: dict[str, Any] = {
    "log loss": log_loss,
    "Brier": brier_score_loss,
    "accuracy": lambda y, p: accuracy_score(y, p.argmax(axis=1)),
    "balanced accuracy": lambda y, p: balanced_accuracy_score(y, p.argmax(axis=1)),
    "macro F1": lambda y, p: f1_score(y, p.argmax(axis=1), average="macro"),
    "AUC ovr": lambda y, p: roc_auc_score(y, p, multi_class="ovr"),
}


def p_values_alone(*, quick: bool) -> list[Comparison]:
    """Each kind of prediction by each of its default measures, and the median error."""
    rows = 300 if quick else 1_000
    return list(_comparisons(rows, np.random.default_rng(0)))


def _comparisons(rows: int, rng: np.random.Generator) -> Iterator[Comparison]:
    found = kinds(rng, rows)
    classes, answers, _ = found["ten classes"]
    probabilities = rng.dirichlet(np.ones(10), rows) + 0.1 * np.eye(10)[answers]
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    prices, predicted, _ = found["numbers"]
    kept = {
        **found,
        "ten classes": (classes, answers, CLASSES),
        "class probabilities": (classes, probabilities, CLASS_PROBABILITIES),
        "numbers": (prices, predicted, {**NUMBERS, "MedAE": median_absolute_error}),
    }
    for kind, (truth, predictions, measures) in kept.items():
        for measure, score in measures.items():
            task = f"{kind}, {rows:,}: p-value of {measure}"
            yield _beside_shuffles(task, truth.copy(), predictions, measure, score)


def _beside_shuffles(task: str, truth: Any, predicted: Any, measure: str, score: Any) -> Comparison:
    turn, rng = count(), np.random.default_rng(0)

    def ours() -> object:
        # Another test set each time: what is kept of the last one is of no use.
        row = next(turn) % len(truth)
        truth[row] = truth[row - 1]
        return br.p_value(truth, predicted, measure)

    def by_hand() -> object:
        reached = score(truth, predicted)
        scores = [score(rng.permutation(truth), predicted) for _ in range(SHUFFLES)]
        return (1 + np.sum(np.array(scores) >= reached)) / (1 + SHUFFLES)

    method = br.null_distribution(truth, predicted, measure).method
    goal = OF_PERMUTATIONS if method == "permutations" else OF_SUMS
    return Comparison(f"{task}, {method}", BY_HAND, ours, by_hand, goal=goal, rounds=3)
