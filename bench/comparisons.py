"""The comparisons of the benchmark: what is computed, and against which peer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from classes import counting_classes
from DutchDraw import DutchDraw as authors
from p_values import p_values_alone
from page import FIRST
from pycm import ConfusionMatrix
from scipy.stats import fisher_exact, hypergeom
from scores import judging_scores
from sklearn.metrics import confusion_matrix, precision_recall_curve
from tasks import judging_each_task
from timing import Comparison

import baserate as br
from baserate.null.hypergeometric import Hypergeometric

if TYPE_CHECKING:
    from collections.abc import Callable

PEERS = ("numpy", "scipy", "scikit-learn", "DutchDraw", "pycm", "duckdb", "pandas")


def third(total: int) -> br.BaseRate:
    """Return a test set with a third of its observations positive."""
    return br.BaseRate(positives=total // 3, total=total)


def _g2_by_scipy(total: int, drawn: int) -> float:
    """Return the expectation of G2 as a sum over scipy's pmf on the whole support."""
    positives = total // 3
    negatives = total - positives
    tp = np.arange(max(0, drawn - negatives), min(positives, drawn) + 1)
    score = np.sqrt(tp / positives * ((negatives - drawn + tp) / negatives))
    return float((score * hypergeom(total, positives, drawn).pmf(tp)).sum())


def expectations(*, quick: bool) -> list[Comparison]:
    """Single expectations and whole curves."""
    total = 10**4 if quick else 10**6
    curve = np.arange(total + 1) / total
    return [
        Comparison(
            "E[G2] at M = 10¹² / at M = 10⁴",
            "itself",
            lambda: br.expected_score(third(10**12), "G2", 0.4),
            lambda: br.expected_score(third(10**4), "G2", 0.4),
            goal="≤ 1.5",
        ),
        Comparison(
            f"E[G2] for every θ* of M = {total:,}, per θ*",
            "scipy, sum over the support",
            lambda: br.expected_score(third(total), "G2", curve),
            lambda: _g2_by_scipy(total, total // 2),
            units=curve.size,
            goal="≤ 0.001",
            rounds=3,
        ),
    ]


def baselines(*, quick: bool) -> list[Comparison]:
    """Baselines with a formula, and the one without."""
    size, draws = (50, 10**4) if quick else (500, 10**5)
    labels = [1] * (size // 3) + [0] * (size - size // 3)
    many = [1] * 1000 + [0] * 2000
    return [
        Comparison(
            f"baseline of G2, M = {size}",
            "DutchDraw",
            lambda: br.baseline(labels, "G2"),
            lambda: authors.optimized_baseline_statistics(labels, "G2"),
            rounds=3,
        ),
        Comparison(
            "baseline of G2, M = 10¹² / at M = 10⁴",
            "itself",
            lambda: br.baseline(third(10**12), "G2"),
            lambda: br.baseline(third(10**4), "G2"),
        ),
        Comparison(
            "baseline of F1, 3,000 labels",
            "DutchDraw",
            lambda: br.baseline(many, "F1"),
            lambda: authors.optimized_baseline_statistics(many, "FBETA", beta=1),
        ),
        Comparison(
            f"baseline of a smooth custom measure, all {draws:,} draws, per draw",
            "scipy, one sum over the support",
            lambda: br.baseline(third(draws), _cost(smooth=True)),
            lambda: _g2_by_scipy(draws, draws // 2),
            units=draws,
            rounds=3,
        ),
        Comparison(
            "the same, not declared smooth",
            "scipy, one sum over the support",
            lambda: br.baseline(third(draws), _cost(smooth=False)),
            lambda: _g2_by_scipy(draws, draws // 2),
            units=draws,
            rounds=3,
        ),
    ]


def _cost(*, smooth: bool) -> br.Measure:
    return br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, smooth=smooth)


def laws(*, quick: bool) -> list[Comparison]:
    """Probabilities of a score."""
    sizes = (10**6,) if quick else (10**6, 10**9)
    found = []
    for total in sizes:
        tp = Hypergeometric(total // 3, total - total // 3, total // 2)
        theirs = hypergeom(total, total // 3, total // 2)
        at = total // 6 + int(2 * tp.sd)
        found += [
            Comparison(
                f"P(TP = tp), M = {total:,}",
                "scipy",
                lambda tp=tp, at=at: tp.pmf(at),
                lambda theirs=theirs, at=at: theirs.pmf(at),
            ),
            Comparison(
                f"P(TP > tp), M = {total:,}",
                "scipy",
                lambda tp=tp, at=at: tp.sf(at),
                lambda theirs=theirs, at=at: theirs.sf(at),
            ),
        ]
    return found


def counting(**_: bool) -> list[Comparison]:
    """Confusion tables of arrays, against one pass over the memory and against peers."""
    size = 10**7
    rng = np.random.default_rng(0)
    truth, prediction = rng.random(size) < 0.3, rng.random(size) < 0.4
    limits: dict[str, tuple[Callable[..., object], str]] = {
        "int64": (np.sum, "≤ 1.6"),
        "bool": (np.count_nonzero, "≤ 2.5"),
        "int8": (np.sum, ""),
        "float64": (np.sum, ""),
    }
    found = []
    for dtype, (read, goal) in limits.items():
        columns = truth.astype(dtype), prediction.astype(dtype)
        found.append(_against_one_read(f"{dtype}, {size:,} labels", columns, read, goal))
    signed = tuple(np.where(column, 1, -1) for column in (truth, prediction))
    found.append(_against_one_read(f"-1/1, {size:,} labels", signed, np.sum, ""))
    pairs = np.stack([truth, prediction], axis=1).astype(np.int64)
    strided = (pairs[:, 0], pairs[:, 1])
    found.append(_against_one_read(f"strided int64, {size:,} labels", strided, np.sum, ""))
    integers = truth.astype(np.int64), prediction.astype(np.int64)
    some = [column[: 10**5] for column in integers]
    found += [
        Comparison(
            f"confusion table, {size:,} int64 labels",
            "scikit-learn",
            lambda: br.ConfusionMatrix.of(*integers),
            lambda: confusion_matrix(*integers),
            goal="≤ 0.02",
            rounds=3,
        ),
        Comparison(
            "confusion table, 100,000 int64 labels",
            "pycm",
            lambda: br.ConfusionMatrix.of(*some),
            lambda: ConfusionMatrix(*some),
        ),
    ]
    return found


def _against_one_read(
    what: str, columns: tuple[np.ndarray, ...], read: Callable[..., object], goal: str
) -> Comparison:
    return Comparison(
        f"confusion table, {what}",
        f"one read of both arrays, numpy.{read.__name__}",
        lambda: br.ConfusionMatrix.of(*columns),
        lambda: [read(column) for column in columns],
        goal=goal,
    )


def evaluating(*, quick: bool) -> list[Comparison]:
    """All verdicts on five models, against counting them; and a p-value against scipy's."""
    size = 10**7
    rng = np.random.default_rng(0)
    truth = rng.random(size) < 0.3
    models = {f"model {number}": truth ^ (rng.random(size) < 0.2) for number in range(5)}
    found = []
    for dtype in ("int64", "bool"):
        y_true = truth.astype(dtype)
        predictions = {name: labels.astype(dtype) for name, labels in models.items()}
        found.append(
            Comparison(
                f"5 models × 22 measures, {size:,} {dtype} labels",
                "one counting pass per model",
                lambda y=y_true, p=predictions: br.evaluate(y, p, "all"),
                lambda y=y_true, p=predictions: [
                    br.ConfusionMatrix.of(y, each) for each in p.values()
                ],
                goal="≤ 2.5",
                rounds=3,
            )
        )
    table = br.ConfusionMatrix(tp=3300, fp=3300, fn=1700, tn=2300)
    cells = [[table.tp, table.fp], [table.fn, table.tn]]
    return [
        *found,
        _many_groups(500 if quick else 5000),
        Comparison(
            "one-sided p-value, 10,600 observations",
            "scipy, fisher_exact",
            lambda: br.p_value(table),
            lambda: fisher_exact(cells, "greater"),
        ),
    ]


def _many_groups(groups: int) -> Comparison:
    """Thirty models on groups of about 200 observations, each with its own base rate."""
    size = 200 * groups
    rng = np.random.default_rng(0)
    by = rng.integers(0, groups, size)
    truth = rng.random(size) < rng.uniform(0.1, 0.7, groups)[by]
    models = {f"model {number}": truth ^ (rng.random(size) < 0.3) for number in range(30)}
    return Comparison(
        f"30 models × {groups:,} groups × F1, {size:,} labels",
        "one counting pass per model",
        lambda: br.evaluate(truth, models, "F1", by=by),
        lambda: [br.ConfusionMatrix.of(truth, each) for each in models.values()],
        rounds=3,
    )


def thresholds(*, quick: bool) -> list[Comparison]:
    """Every cut-off of a model's scores."""
    size = 10**6 if quick else 10**7
    rng = np.random.default_rng(0)
    truth = rng.random(size) < 0.3
    scores = rng.random(size) + 0.2 * truth
    rounded = scores.round(3)
    return [
        Comparison(
            f"threshold curve of {size:,} scores, with its diagnosis",
            "numpy, argsort",
            lambda: br.threshold_curve(truth, scores, "F1").diagnosis,
            lambda: np.argsort(scores),
            goal="≤ 2",
        ),
        Comparison(
            "the same of scores with three decimals",
            "numpy, argsort",
            lambda: br.threshold_curve(truth, rounded, "F1").diagnosis,
            lambda: np.argsort(rounded),
            goal="≤ 2",
        ),
        Comparison(
            "the same",
            "scikit-learn, precision_recall_curve",
            lambda: br.threshold_curve(truth, rounded, "F1").diagnosis,
            lambda: precision_recall_curve(truth, rounded),
        ),
    ]


def starting(*, quick: bool) -> list[Comparison]:  # noqa: ARG001
    """Start the program."""
    program = str(Path(sys.executable).with_name("baserate"))
    return [
        Comparison(
            "baserate --help",
            "python, import click",
            lambda: subprocess.run([program, "--help"], capture_output=True, check=True),
            lambda: subprocess.run([sys.executable, "-c", "import click"], check=True),
            goal="≤ 3",
        )
    ]


def drawing(*, quick: bool) -> list[Comparison]:
    """Random labels."""
    size = 10**5 if quick else 10**6
    draw = br.DutchDraw(third(size), 0.4)

    def shuffled() -> object:
        labels = np.zeros(size, dtype=np.int64)
        labels[: draw.predicted_positives] = 1
        return np.random.default_rng(0).permutation(labels)

    return [
        Comparison(
            f"{size:,} random labels",
            "numpy, shuffling them",
            lambda: draw.predict(rng=0),
            shuffled,
        )
    ]


GROUPS = {
    FIRST: judging_each_task,
    "P-values alone": p_values_alone,
    "Expectations": expectations,
    "Baselines": baselines,
    "Probabilities of a score": laws,
    "Counting": counting,
    "Counting several classes": counting_classes,
    "Many models and groups": evaluating,
    "Ten million scores": judging_scores,
    "Thresholds": thresholds,
    "Random labels": drawing,
    "The program": starting,
}
