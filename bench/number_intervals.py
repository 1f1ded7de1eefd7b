"""How often the limits of scores and margins of numbers are wrong.

Test sets are drawn from populations, and limits compared with the score and the margin of 400,000
observations of the same population. Errors are normal, of Student's t with three degrees of freedom
(whose squares have no variance), or lognormal (kurtosis 114). For relative errors and deviances the
truth is positive, with lognormal, gamma or heavier lognormal factors. Two models with equally
good predictions are compared as well: how often limits of the difference exclude 0, and how often
the swap test has a p-value of at most 5%.
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

from baserate.core.direction import Direction
from baserate.regression.fit import Fit
from baserate.regression.measures.catalogue import get_number_measure
from baserate.regression.paired import JointFit, PairedNumbers
from baserate.regression.uncertainty import NumberUncertainty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from baserate.regression.measures.record import NumberMeasure

    Floats = NDArray[np.float64]
    Rng = np.random.Generator

RESULTS = Path(__file__).parent / "number_intervals.json"
ALPHA = 0.05
SIZES = (10, 30, 100, 1000)
ERRORS = ("normal", "t3", "lognormal")
MODELS = {"nothing": 0.0, "a bit": 0.4, "a lot": 2.0}  # how large what it knows is beside errors
POSITIVE = ("MAPE", "MSLE", "Poisson deviance")
MEASURES = (
    "MSE", "RMSE", "MAE", "R2", "D2 absolute error", "MedAE", *POSITIVE,
    "Pearson", "Spearman", "Kendall", "CCC",
)  # fmt: skip
PAIRED = ("MSE", "MAE", "R2", "MedAE", "Pearson", "Spearman")
_POPULATION, _PAIRS = 400_000, 50_000


def errors(kind: str, rows: int, rng: Rng) -> Floats:
    """Return errors with mean 0 and variance 1."""
    if kind == "normal":
        return rng.standard_normal(rows)
    if kind == "t3":
        return np.asarray(rng.standard_t(3, rows) / np.sqrt(3))
    lognormal = np.exp(rng.standard_normal(rows))
    return np.asarray((lognormal - np.exp(0.5)) / np.sqrt((np.e - 1) * np.e))


def factors(kind: str, rows: int, rng: Rng) -> Floats:
    """Return positive factors with mean 1, or nearly."""
    if kind == "t3":
        return rng.gamma(1.5, 1 / 1.5, rows) + 0.05
    spread = 0.5 if kind == "normal" else 0.9
    return np.exp(spread * rng.standard_normal(rows) - spread**2 / 2)


def drawn(kind: str, model: str, rows: int, rng: Rng, *, positive: bool) -> Fit:
    """Return a test set; a model that knows nothing says something that has nothing to do with it.

    Any other model knows all there is to know.
    """
    known, slope = rng.standard_normal(rows), MODELS[model]
    if positive:
        centre = np.exp(slope * known / 4)
        said = centre if slope else np.exp(0.1 * known)
        return Fit(centre * factors(kind, rows, rng), said)
    said = slope * known if slope else 0.3 * known
    return Fit(slope * known + errors(kind, rows, rng), said)


@dataclass
class Found:
    """The shares of test sets with a wrong limit."""

    measure: str
    errors: str
    model: str
    total: int
    test_sets: int
    score_low: float
    score_high: float
    margin_low: float
    margin_high: float


def truth_of(measure: NumberMeasure, population: Fit) -> tuple[float, float]:
    """Return the score and the margin of a population."""
    if measure.key == "Kendall":
        population = Fit(population.truth[:_PAIRS], population.predicted[:_PAIRS])
    score = measure.score(population)
    best = measure.best_constant(population.test_set).value
    return score, (score - best) * (1 if measure.direction is Direction.MAXIMIZE else -1)


def wrong(measure: NumberMeasure, known: NumberUncertainty, truth: tuple[float, float]) -> Floats:
    """Return which limits are wrong."""
    low, high = known.score(measure)
    lowest, highest = known.margin(measure.yardstick(known.fit.test_set))
    score, margin = truth
    return np.array([low > score, high < score, lowest > margin, highest < margin], dtype=float)


def tried(test_sets: int, sizes: tuple[int, ...]) -> Iterator[Found]:
    """Return how often limits are wrong, in every corner."""
    for place, (kind, model) in enumerate((kind, model) for kind in ERRORS for model in MODELS):
        rng = np.random.default_rng([40, place])
        populations = [
            drawn(kind, model, _POPULATION, rng, positive=positive) for positive in (False, True)
        ]
        for key in MEASURES:
            measure, positive = get_number_measure(key), key in POSITIVE
            truth = truth_of(measure, populations[positive])
            for total in sizes:
                runs = test_sets if total < 1000 else max(test_sets // 4, 25)
                sums = np.zeros(4)
                for _ in range(runs):
                    fit = drawn(kind, model, total, rng, positive=positive)
                    sums += wrong(measure, NumberUncertainty(fit, ALPHA), truth)
                yield Found(key, kind, model, total, runs, *(sums / runs).tolist())


def compared(
    test_sets: int, sizes: tuple[int, ...]
) -> Iterator[tuple[str, str, int, float, float]]:
    """Return how often two equally good models are said to differ, by limits and by swaps."""
    rng = np.random.default_rng(41)
    for kind in ERRORS:
        for key in PAIRED:
            measure = get_number_measure(key)
            for total in sizes:
                excluded = small = 0
                for _ in range(test_sets):
                    known = rng.standard_normal(total)
                    one, other = (known + errors(kind, total, rng) for _ in range(2))
                    truth = known + rng.standard_normal(total)
                    pair = PairedNumbers(JointFit(truth, one, other), ALPHA)
                    low, high = pair.limits(measure)
                    excluded += low > 0 or high < 0
                    small += pair.swap_test(measure)[0] <= ALPHA
                yield key, kind, total, excluded / test_sets, small / test_sets


def table(found: list[Found]) -> Iterator[str]:
    """Return means and the worst corners, of each measure and size."""
    groups = defaultdict(list)
    for each in found:
        groups[each.measure, each.total].append(each)
    yield "measure, M: score low, high, margin low, high wrong (%), margin low at worst"
    for (key, total), rows in groups.items():
        columns = ("score_low", "score_high", "margin_low", "margin_high")
        means = [100 * np.mean([getattr(row, name) for row in rows]) for name in columns]
        worst = max(rows, key=lambda row: row.margin_low)
        shares = " ".join(f"{mean:5.1f}" for mean in means)
        where = f"{worst.errors}, {worst.model}"
        yield f"{key:18} {total:5}: {shares}   {100 * worst.margin_low:5.1f} ({where})"


def main() -> None:
    """Try all corners, print a table and write the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few test sets")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    parser.add_argument("--test-sets", type=int, default=400)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--pairs", type=int, nargs="*", default=(30,), help="sizes of pairs")
    options = parser.parse_args()
    start = process_time()
    test_sets = 20 if options.quick else options.test_sets
    sizes = tuple(options.sizes)
    found = list(tried(test_sets, sizes))
    print(*table(found), sep="\n")
    pairs = list(compared(max(test_sets // 4, 10), tuple(options.pairs)))
    print("equally good models: limits exclude 0 (%), swap test at most 5% (%)")
    for key, kind, total, excluded, rejected in pairs:
        print(f"{key:18} {kind:10} {total:5}: {100 * excluded:5.1f} {100 * rejected:5.1f}")
    print(f"{process_time() - start:.0f} s of processor time")
    if options.write:
        names = ("measure", "errors", "total", "limits", "swaps")
        known = {
            "limits": [asdict(each) for each in found],
            "pairs": [dict(zip(names, each, strict=True)) for each in pairs],
        }
        RESULTS.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
