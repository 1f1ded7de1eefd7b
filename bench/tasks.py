"""All that `evaluate` gives for each kind of prediction, beside scikit-learn's scores alone."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
from scipy.stats import permutation_test
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    cohen_kappa_score,
    f1_score,
    log_loss,
    matthews_corrcoef,
    mean_absolute_error,
    precision_score,
    r2_score,
    recall_score,
    roc_auc_score,
    root_mean_squared_error,
)
from timing import Comparison

import baserate as br

SCORES_ALONE = "scikit-learn, the scores alone"
LABELS: dict[str, Any] = {
    "ACC": accuracy_score,
    "BACC": balanced_accuracy_score,
    "PPV": precision_score,
    "TPR": recall_score,
    "F1": f1_score,
    "MCC": matthews_corrcoef,
    "KAPPA": cohen_kappa_score,
}
CLASSES: dict[str, Any] = {
    "accuracy": accuracy_score,
    "balanced accuracy": balanced_accuracy_score,
    "macro F1": lambda y, p: f1_score(y, p, average="macro"),
    "weighted F1": lambda y, p: f1_score(y, p, average="weighted"),
    "MCC": matthews_corrcoef,
    "kappa": cohen_kappa_score,
}
RANKINGS: dict[str, Any] = {
    "AUC": roc_auc_score,
    "AP": average_precision_score,
}
PROBABILITIES: dict[str, Any] = {
    "Brier": brier_score_loss,
    "log loss": log_loss,
}
NUMBERS: dict[str, Any] = {
    "RMSE": root_mean_squared_error,
    "MAE": mean_absolute_error,
    "R2": r2_score,
}


def judging_each_task(*, quick: bool) -> list[Comparison]:
    """One model of each kind, on a small and on a large test set."""
    found = []
    for rows in (1_000, 10**5 if quick else 10**6):
        rng = np.random.default_rng(0)
        for kind, (truth, predicted, measures) in kinds(rng, rows).items():
            named = ", ".join(measures)
            found.append(
                beside_scores_alone(f"{kind}, {rows:,}: {named}", truth, predicted, measures)
            )
    return [*found, *(_two_models(rows) for rows in (1_000, 10**4))]


def kinds(rng: np.random.Generator, rows: int) -> dict[str, tuple[Any, Any, dict[str, Any]]]:
    """Return truths and predictions that are better than chance, with the measures of each kind."""
    scores = rng.random(rows)
    ill = (rng.random(rows) < 0.6 * scores).astype(np.int64)
    classes, other = rng.integers(0, 10, (2, rows))
    prices = rng.lognormal(size=rows)
    return {
        "labels": (ill, (scores > 0.6).astype(np.int64), LABELS),
        "ten classes": (classes, np.where(rng.random(rows) < 0.5, classes, other), CLASSES),
        "scores": (ill, scores, RANKINGS),
        "probabilities": (ill, 0.6 * scores, PROBABILITIES),
        "numbers": (prices, 0.5 * prices + rng.lognormal(size=rows), NUMBERS),
    }


def beside_scores_alone(
    task: str, truth: Any, predicted: Any, measures: dict[str, Any]
) -> Comparison:
    """Compare a whole verdict with the scores alone."""
    rows = count()

    def judged() -> object:
        # Another test set each time: what is kept of the last one is of no use.
        row = next(rows) % len(truth)
        truth[row] = truth[row - 1]
        return br.evaluate(truth, {"m": predicted}, list(measures))

    def scored() -> object:
        return [score(truth, predicted) for score in measures.values()]

    return Comparison(task, SCORES_ALONE, judged, scored, rounds=5)


def _two_models(rows: int) -> Comparison:
    """Compare two models by accuracy, by all swaps of their answers and by 999 of them."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, rows)
    models = [truth ^ (rng.random(rows) < share) for share in (0.2, 0.25)]
    right = [(model == truth).astype(float) for model in models]

    def difference(one: Any, other: Any, axis: int) -> Any:
        return np.mean(one, axis=axis) - np.mean(other, axis=axis)

    return Comparison(
        f"two models, {rows:,}: accuracy, difference, interval, exact p-value",
        "scipy, permutation_test with 999 swaps",
        lambda: br.compare(truth, dict(zip("ab", models, strict=True)), "ACC"),
        lambda: permutation_test(
            right,
            difference,
            permutation_type="samples",
            vectorized=True,
            n_resamples=999,
            batch=50,
        ),
        rounds=3,
    )
