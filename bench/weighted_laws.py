"""How far p-values and baselines of weighted scores are off, against counts and many more draws.

Run as `python bench/weighted_laws.py`. For accuracy with whole weights all draws can be counted by
their sums, and it prints the largest relative error of tails. Then, for each measure, the
probability that the law gives at the scores which 1e-2 and 1e-3 of a long simulation reach, divided
by that fraction; and how far off the expected scores of draws are, in units of the standard error
that they state, and as such.
"""

from __future__ import annotations

import argparse
import math
from time import process_time

import numpy as np

from baserate.binary.measures.catalogue import get_measure
from baserate.core.direction import Direction
from baserate.weighted.labels import WeightedLabels
from baserate.weighted.law.orders import estimated
from baserate.weighted.law.score_law import law_of
from baserate.weighted.measures import WeightedMeasure

MEASURES = ("ACC", "BACC", "TPR", "PPV", "F1", "KAPPA", "MCC", "G2")
LEVELS = (0.3, 0.1, 0.05, 0.01, 1e-3, 1e-4, 1e-6, 1e-8)
_AT_ONCE = 2_000


def weights_of(kind: str, rows: int, rng: np.random.Generator) -> np.ndarray:
    """Return weights of a kind."""
    if kind == "Pareto 1.5":
        return np.exp(rng.exponential(1 / 1.5, rows))
    if kind == "three":
        return rng.choice([1.0, 2.0, 5.0], rows)
    return np.exp(float(kind.split()[1]) * rng.normal(size=rows))


def draws(truth: np.ndarray, weights: np.ndarray, size: int, number: int, seed: int) -> np.ndarray:
    """Return the weights of the four cells in random draws of a size."""
    rng = np.random.default_rng(seed)
    parts = []
    for _ in range(0, number, _AT_ONCE):
        keys = rng.random((_AT_ONCE, truth.size))
        said = keys < np.partition(keys, size, axis=1)[:, size : size + 1]
        parts.append(
            np.stack(
                [
                    (said == is_said).astype(float) @ (weights * (truth == is_true))
                    for is_said, is_true in ((1, 1), (1, 0), (0, 1), (0, 0))
                ]
            )
        )
    return np.concatenate(parts, axis=1)


def compare(kind: str, rows: int, number: int) -> None:
    """Print ratios of tails and errors of means, for all measures."""
    rng = np.random.default_rng(rows)
    truth, weights = rng.random(rows) < 0.3, weights_of(kind, rows, rng)
    base = WeightedLabels.of_rows(truth, truth, weights).test_set
    for size in (rows // 10, rows // 2):
        cells = draws(truth, weights, size, number, seed=size)
        for key in MEASURES:
            measure = WeightedMeasure.by(get_measure(key))
            unit = measure.unit(base)
            scores = np.sort(measure.scores(*(cells * unit)))
            law = law_of(measure, base, size)
            ratios = []
            for level in (1e-2, 1e-3):
                place = int(level * scores.size)
                for score, side in ((scores[-place], Direction.MAXIMIZE),
                                    (scores[place - 1], Direction.MINIMIZE)):  # fmt: skip
                    up = side is Direction.MAXIMIZE
                    reached = (scores >= score - 1e-12) if up else (scores <= score + 1e-12)
                    ratios.append(round(law.tail(float(score), side) / float(reached.mean()), 2))
            (mean,), (error,) = estimated(measure, measure.on(base), np.array([size]))
            apart = mean - scores.mean()
            noise = np.hypot(error, scores.std() / np.sqrt(scores.size))
            text = f"mean off {apart:+.1e} ({apart / noise:+.1f} standard errors)"
            print(
                f"{kind:14} {rows:6} {size:5} {key:6} {law.method:18} {ratios} {text}", flush=True
            )


def count(kind: str, rows: int, size: int) -> None:
    """Print the largest relative error of tails of accuracy, where all draws are counted."""
    rng = np.random.default_rng(rows + size)
    truth = rng.random(rows) < 0.3
    weights = np.maximum(np.rint(400 * weights_of(kind, rows, rng)), 1).astype(int)
    signed = np.where(truth, weights, -weights)
    lowest = int(signed[signed < 0].sum())
    width = int(np.abs(signed).sum()) + 1
    ways = np.zeros((size + 1, width))
    ways[0, -lowest] = 1
    for value in signed.tolist():
        if value >= 0:
            ways[1:, value:] += ways[:-1, : width - value]
        else:
            ways[1:, : width + value] += ways[:-1, -value:]
    masses = ways[size] / math.comb(rows, size)
    measure = WeightedMeasure.by(get_measure("ACC"))
    law = law_of(measure, WeightedLabels.of_rows(truth, truth, weights).test_set, size)
    errors: dict[float, float] = {}
    for side, tails in ((Direction.MAXIMIZE, np.cumsum(masses[::-1])[::-1]),
                        (Direction.MINIMIZE, np.cumsum(masses))):  # fmt: skip
        for level in LEVELS:
            places = np.flatnonzero((tails <= level) & (masses > 0))
            if places.size:
                place = places[0 if side is Direction.MAXIMIZE else -1]
                score = (weights[~truth].sum() + place + lowest) / weights.sum()
                error = abs(law.tail(float(score), side) / tails[place] - 1)
                errors[level] = max(errors.get(level, 0.0), error)
    shown = ", ".join(f"{level:g}: {error:.2%}" for level, error in errors.items())
    print(f"{kind:14} {rows:6} {size:5} {law.method:18} {shown}", flush=True)


def main() -> None:
    """Compare all kinds of weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=(60, 300, 3_000))
    parser.add_argument("--draws", type=int, default=200_000)
    options = parser.parse_args()
    start = process_time()
    for kind in ("lognormal 0.5", "lognormal 1", "Pareto 1.5"):
        for rows, size in ((60, 20), (60, 30), (120, 60)):
            count(kind, rows, size)
    for rows in options.sizes:
        for kind in ("lognormal 0.5", "lognormal 1", "three", "Pareto 1.5"):
            compare(kind, rows, options.draws)
    print(f"{process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()
