"""What many groups and models at once cost: `make groups`, seconds and memory beside a goal.

Each case runs in a process of its own. Seconds are those of its processor, so that other work on
the machine hardly matters; memory is the most that the process held, data included. Then a whole
verdict beside scikit-learn's scores alone. It asserts nothing.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

import baserate as br

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_MEGABYTES = 500
Call = tuple[tuple[Any, ...], dict[str, Any]]


def groups_of_numbers() -> Call:
    """Return the arguments of a call: many small groups of numbers."""
    return _numbers(2_000 * 40, "RMSE", by=np.repeat(np.arange(2_000), 40))


def groups_with_weights() -> Call:
    """Return those of groups of labels that matter more or less."""
    truth, predicted, by = _labels(500)
    weights = np.random.default_rng(1).uniform(0.2, 3, truth.size)
    return (truth, predicted), {"by": by, "sample_weight": weights, "weights": "importance"}


def many_models() -> Call:
    """Return those of many models of numbers."""
    truth = np.random.default_rng(0).normal(size=800)
    models = {f"model {i}": _numbers(800, seed=i, truth=truth)[0][1] for i in range(100)}
    return (truth, models, ["RMSE", "MAE", "R2"]), {}


def groups_of_labels() -> Call:
    """Return those of very many groups of labels."""
    truth, predicted, by = _labels(10_000)
    return (truth, predicted), {"by": by}


def many_classes() -> Call:
    """Return those of very many classes."""
    truth, other = np.random.default_rng(0).integers(0, 1_000, (2, 20_000))
    hits = np.random.default_rng(1).random(truth.size) < 0.3
    return (truth, np.where(hits, truth, other)), {"task": "multiclass"}


def many_probabilities() -> Call:
    """Return those of probabilities of ten classes."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 10, 10**6)
    odds = rng.random((truth.size, 10))
    odds[np.arange(truth.size), truth] += 0.5
    odds /= odds.sum(axis=1, keepdims=True)
    return (truth, odds), {}


CASES: dict[str, tuple[Callable[[], Call], float]] = {
    "2,000 groups of 40 numbers, RMSE": (groups_of_numbers, 5),
    "500 groups of 100 labels with importance weights": (groups_with_weights, 10),
    "100 models of 800 numbers, RMSE, MAE, R2": (many_models, 5),
    "10,000 groups of 50 labels": (groups_of_labels, 5),
    "1,000 classes, 20,000 labels": (many_classes, 3),
    "probabilities of 10⁶ rows of ten classes": (many_probabilities, 10),
}
# A whole verdict of 1,000 rows beside the scores alone.
RATIOS = {"numbers": 25, "ten classes": 5, "probabilities": 6}


def _numbers(rows: int, *measures: str, seed: int = 0, truth: Any = None, by: Any = None) -> Call:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=rows) if truth is None else truth
    return (y, 0.7 * y + rng.normal(size=rows), *measures), {"by": by}


def _labels(groups: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    by = np.repeat(np.arange(groups), 100 if groups < 1_000 else 50)
    truth = rng.random(by.size) < rng.uniform(0.1, 0.7, groups)[by]
    return truth, truth ^ (rng.random(by.size) < 0.25), by


def _run(case: str) -> None:
    """Evaluate one case, and print the seconds and the megabytes."""
    find, _ = CASES[case]
    args, options = find()
    br.evaluate([0, 1, 1, 0], [0, 1, 0, 0])  # what is loaded on first use
    br.evaluate([0.5, 1, 1, 0], [0, 1, 0.3, 0])
    start = time.process_time()
    br.evaluate(*args, **options)
    seconds = time.process_time() - start
    # Linux's own peak; getrusage() would give the parent's if that was larger.
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    peak = next(line for line in status if line.startswith("VmHWM")).split()[1]
    print(seconds, int(peak) / 1024)


def _ratio(kind: str, rows: int = 1_000) -> float:
    """Return how many times as long a whole verdict takes."""
    from tasks import beside_scores_alone, kinds  # scikit-learn would add to the memory

    truth, predicted, measures = kinds(np.random.default_rng(0), rows)[kind]
    found = beside_scores_alone(kind, truth, predicted, measures)
    found.ours()

    def seconds(call: Callable[[], object]) -> float:
        start = time.process_time()
        for _ in range(5):
            call()
        return time.process_time() - start

    return median(seconds(found.ours) / seconds(found.theirs) for _ in range(9))


def main() -> None:
    """Measure and print."""
    if len(sys.argv) > 1:
        _run(sys.argv[1])
        return
    for case, (_, goal) in CASES.items():
        command = [sys.executable, __file__, case]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds, megabytes = map(float, run.stdout.split())
        print(
            f"{case:50} {seconds:6.2f} s (goal: {goal}) "
            f"{megabytes:5.0f} MB (goal: {MOST_MEGABYTES})",
            flush=True,
        )
    for kind, times in RATIOS.items():
        print(f"{kind + ', 1,000 rows':50} {_ratio(kind):6.1f} × (goal: {times})", flush=True)


if __name__ == "__main__":
    main()
