"""How often the limits of weighted scores and margins are wrong, and coin flips clear.

Test sets are drawn from populations, and limits compared with the score and the margin of 400,000
observations of the same population. Weights are lognormal, alone or times a weight of the class,
or Pareto (with a variance that hardly exists). A model is a coin flip, good, or good on what weighs
little and bad on what weighs much.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
from baserate.weighted.paired.models import PairedWeighted
from baserate.weighted.uncertainty import WeightedUncertainty

from baserate.binary.measures.catalogue import get_measure
from baserate.exceptions import UndefinedMeasureError
from baserate.weighted.chance import WeightedChance
from baserate.weighted.labels import WeightedLabels
from baserate.weighted.measures import WeightedMeasure
from baserate.weighted.paired.joint import WeightedJoint
from baserate.weighted.yardstick import yardstick_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Rng = np.random.Generator
    Drawn = tuple[Bools, Bools, Floats]

RESULTS = Path(__file__).parent / "weighted_intervals.json"
ALPHA, POSITIVE = 0.05, 0.3
SIZES = (30, 100, 300)
WEIGHTS = ("lognormal 0.5", "lognormal 1", "class, lognormal 0.5", "class, lognormal 1", "Pareto 2")
MODELS = ("coin flip", "good", "bad where heavy")
MEASURES = ("ACC", "BACC", "F1", "MCC")
_POPULATION = 400_000


def drawn(kind: str, model: str, rows: int, rng: Rng) -> Drawn:
    """Return the truth, predictions and weights of a test set."""
    truth = rng.random(rows) < POSITIVE
    spread = 1.0 if kind.endswith("1") else 0.5
    logs = (
        rng.exponential(0.5, rows) if kind.startswith("Pareto") else spread * rng.normal(size=rows)
    )
    weights = np.exp(logs) * np.where(truth & kind.startswith("class"), 2.5, 1.0)
    if model == "coin flip":
        return truth, rng.random(rows) < 0.4, weights
    right = np.full(rows, 0.85)
    if model != "good":
        right = np.clip(0.75 - 0.2 * (logs - logs.mean()) / logs.std(), 0.05, 0.99)
    return truth, np.where(rng.random(rows) < right, truth, ~truth), weights


def truth_of(key: str, drawn_rows: Drawn) -> tuple[float, float]:
    """Return the score and the margin of a population."""
    truth, said, weights = drawn_rows
    cells = [weights[part].sum() for part in
             (truth & said, ~truth & said, truth & ~said, ~truth & ~said)]  # fmt: skip
    share = (cells[0] + cells[2]) / sum(cells)
    score = float(get_measure(key).definition(*cells))
    best = {"ACC": max(share, 1 - share), "BACC": 0.5, "F1": 2 * share / (1 + share), "MCC": 0.0}
    return score, score - best[key]


@dataclass
class Found:
    """The shares of test sets with a wrong limit, and of those that clear the baseline."""

    measure: str
    weights: str
    model: str
    total: int
    test_sets: int
    score_low: float
    score_high: float
    margin_low: float
    margin_high: float
    clears: float


def wrong(key: str, labels: WeightedLabels, truth: tuple[float, float]) -> Floats | None:
    """Return which limits are wrong, and whether the baseline is cleared; None without a score."""
    measure, known = WeightedMeasure.by(get_measure(key)), WeightedUncertainty(labels, ALPHA)
    value, reason = measure.score_or_reason(labels)
    try:
        yardstick = yardstick_of(labels.test_set, measure)
    except UndefinedMeasureError:
        return None
    if reason:
        return None
    low, high = known.score(measure)
    lowest, highest = known.margin(yardstick)
    clears = lowest > 0 and WeightedChance(labels).tails(measure, value).better < ALPHA
    score, margin = truth
    ends = [low > score, high < score, lowest > margin + 1e-12, highest < margin - 1e-12, clears]
    return np.array(ends, dtype=float)


def tried(test_sets: int, sizes: tuple[int, ...]) -> Iterator[Found]:
    """Return how often limits are wrong, in every corner."""
    corners = [(kind, model) for kind in WEIGHTS for model in MODELS]
    for place, (kind, model) in enumerate(corners):
        rng = np.random.default_rng([47, place])
        population = drawn(kind, model, _POPULATION, rng)
        truths = {key: truth_of(key, population) for key in MEASURES}
        for total in sizes:
            sums = {key: np.zeros(6) for key in MEASURES}
            for _ in range(test_sets):
                labels = WeightedLabels.of_rows(*drawn(kind, model, total, rng))
                for key in MEASURES:
                    found = wrong(key, labels, truths[key])
                    if found is not None:
                        sums[key] += np.append(found, 1)
            for key, (*counts, number) in sums.items():
                shares = (np.array(counts) / number).tolist()
                yield Found(key, kind, model, total, int(number), *shares)


def compared(test_sets: int, total: int) -> Iterator[tuple[str, str, float, float]]:
    """Return how often two equally good models are said to differ, by limits and by swaps."""
    rng = np.random.default_rng(48)
    for kind in WEIGHTS:
        sums = {key: np.zeros(2) for key in MEASURES}
        for _ in range(test_sets):
            truth, first, weights = drawn(kind, "good", total, rng)
            second = np.where(rng.random(total) < 0.85, truth, ~truth)
            pair = PairedWeighted(WeightedJoint.of_rows(truth, first, second, weights), ALPHA)
            for key in MEASURES:
                measure = WeightedMeasure.by(get_measure(key))
                low, high = pair.limits(measure)
                sums[key] += (low > 0 or high < 0), pair.swap_test(measure)[0] <= ALPHA
        yield from ((key, kind, *(each / test_sets).tolist()) for key, each in sums.items())


def table(found: list[Found]) -> Iterator[str]:
    """Return means and the worst corners, of each measure and size."""
    groups = defaultdict(list)
    for each in found:
        groups[each.measure, each.total].append(each)
    yield "measure, M: score low, high, margin low, high wrong (%), margin low at worst, flips"
    for (key, total), rows in groups.items():
        columns = ("score_low", "score_high", "margin_low", "margin_high")
        means = [100 * np.mean([getattr(row, name) for row in rows]) for name in columns]
        worst = max(rows, key=lambda row: row.margin_low)
        flips = max(row.clears for row in rows if row.model == "coin flip")
        shares = " ".join(f"{mean:5.1f}" for mean in means)
        where = f"{worst.weights}, {worst.model}"
        most = f"{100 * worst.margin_low:5.1f} ({where})"
        yield f"{key:5} {total:5}: {shares}   {most} {100 * flips:5.1f}"


def main() -> None:
    """Try all corners, print a table and write the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    parser.add_argument("--test-sets", type=int, default=400)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--pairs", type=int, default=100, help="how many pairs of models")
    options = parser.parse_args()
    start = process_time()
    found = list(tried(options.test_sets, tuple(options.sizes)))
    print(*table(found), sep="\n")
    pairs = list(compared(options.pairs, 60))
    print("two equally good models, M = 60: limits exclude 0 (%), swap test at most 5% (%)")
    for key, kind, excluded, rejected in pairs:
        print(f"{key:5} {kind:22}: {100 * excluded:5.1f} {100 * rejected:5.1f}")
    print(f"{process_time() - start:.0f} s of processor time")
    if options.write:
        names = ("measure", "weights", "limits", "swaps")
        known = {
            "limits": [asdict(each) for each in found],
            "pairs": [dict(zip(names, each, strict=True)) for each in pairs],
        }
        RESULTS.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
