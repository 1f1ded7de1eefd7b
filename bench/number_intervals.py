"""How often the limits of scores and margins of numbers are wrong, and how wide they are.

Test sets are drawn from populations (`number_populations.py`), and limits compared with the score
and the margin of 200,000 observations of the same population. Where the lower limit of the margin
looks wrong too often, test sets are drawn again and again, up to six times as many. Widths are
those of normal errors beside 3.92 standard deviations of the score, as if these were known. Claims
are lower limits of the margin above 0 for models that are no better than the best constant. Two
models with equally good predictions are compared as well: how often limits of the difference
exclude 0, and how often the swap test has a p-value of at most 5%.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from number_populations import ERRORS, MODELS, drawn, drawn_positive, errors

from baserate.core.direction import Direction
from baserate.regression.fit import Fit
from baserate.regression.measures.catalogue import get_number_measure
from baserate.regression.paired import JointFit, PairedNumbers
from baserate.regression.uncertainty import NumberUncertainty
from baserate.regression.uncertainty.limits import best_constant, reading_of_fit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from baserate.regression.measures.record import NumberMeasure

    Floats = NDArray[np.float64]
    Rng = np.random.Generator

RESULTS = Path(__file__).parent / "number_intervals.json"
ALPHA = 0.05
SIZES = (10, 30, 100, 1000)
POSITIVE = ("MAPE", "Poisson deviance")
MEASURES = ("RMSE", "MAE", "R2", "MedAE", *POSITIVE, "Pearson", "Spearman", "CCC")
PAIRED = ("MSE", "MAE", "R2", "MedAE", "Pearson", "Spearman")
CORNERS = [
    *product(("normal", "lognormal"), ERRORS, MODELS),
    *product(("uniform", "counts"), ("normal", "contaminated"), ("a bit", "nearly all")),
]
_POPULATION, _PAIRS = 200_000, 20_000
# So many rows are seldom a problem: they are tried for normal truths with large errors only.
_MANY = 1000
# Cells with more wrong lower limits than this look bad, and are drawn so many times as often.
_LOOKS_BAD, _MORE = 0.03, 6


class Known(NamedTuple):
    """What is true of a population."""

    score: float
    margin: float
    deviation: float


class Cell(NamedTuple):
    """What is looked at at once."""

    measure: NumberMeasure
    corner: tuple[str, str, str]
    total: int


@dataclass
class Found:
    """The shares of test sets with a wrong limit, and how wide limits are."""

    measure: str
    truth: str
    errors: str
    model: str
    total: int
    test_sets: int
    score_low: float
    score_high: float
    margin_low: float
    margin_high: float
    claims: float
    is_worth: bool
    width: float


def known_of(measure: NumberMeasure, population: Fit) -> Known:
    """Return the score and the margin of a population, and the deviation of what a row adds."""
    if measure.key in ("Kendall", "MedAE"):
        population = Fit(population.truth[:_PAIRS], population.predicted[:_PAIRS])
    score = measure.score(population)
    best = measure.best_constant(population.test_set).value
    sign = 1 if measure.direction is Direction.MAXIMIZE else -1
    if measure.key in ("Kendall", "MedAE"):
        return Known(score, sign * (score - best), np.nan)
    constant = best_constant(measure, population.test_set)
    reading = reading_of_fit(measure, population, constant, is_margin=False)
    added = np.nan if reading is None else reading.influences.std() * population.total
    return Known(score, sign * (score - best), float(added))


def looked_at(measure: NumberMeasure, limits: NumberUncertainty, known: Known) -> Floats:
    """Return which limits are wrong, whether there is a claim, and the width."""
    low, high = limits.score(measure)
    lowest, highest = limits.margin(measure.yardstick(limits.fit.test_set))
    wrong = (low > known.score, high < known.score, lowest > known.margin, highest < known.margin)
    return np.array([*wrong, lowest > 0, high - low], dtype=float)


def in_cell(cell: Cell, known: Known, runs: int, rng: Rng) -> Found:
    """Return how often limits are wrong in one corner, for one size."""
    measure, corner, total = cell
    draw = drawn_positive if measure.key in POSITIVE else drawn
    seen: list[Floats] = []
    shares = np.ones(6)
    while shares[2] > _LOOKS_BAD and len(seen) < _MORE * runs:
        for _ in range(runs):
            limits = NumberUncertainty(draw(*corner, total, rng), ALPHA)
            seen.append(looked_at(measure, limits, known))
        shares = np.mean(seen, axis=0)
    ideal = 3.92 * known.deviation / np.sqrt(total)
    width = float(np.median([each[5] for each in seen]) / ideal)
    return Found(
        measure.key, *corner, total, len(seen), *shares[:5].tolist(), known.margin > 0, width
    )


def tried(
    test_sets: int, sizes: tuple[int, ...], measures: tuple[str, ...]
) -> Iterator[Found]:  # fmt: skip
    """Return how often limits are wrong, in every corner."""
    for place, corner in enumerate(CORNERS):
        rng = np.random.default_rng([44, place])
        populations = [draw(*corner, _POPULATION, rng) for draw in (drawn, drawn_positive)]
        for key in measures:
            measure = get_number_measure(key)
            known = known_of(measure, populations[key in POSITIVE])
            rng = np.random.default_rng([44, place, MEASURES.index(key)])
            for total in sizes:
                if total >= _MANY and (corner[0] != "normal" or corner[1] in ("normal", "uneven")):
                    continue
                runs = test_sets if total < _MANY else max(test_sets // 2, 10)
                yield in_cell(Cell(measure, corner, total), known, runs, rng)


def compared(
    test_sets: int, sizes: tuple[int, ...]
) -> Iterator[tuple[str, str, int, float, float]]:
    """Return how often two equally good models are said to differ, by limits and by swaps."""
    rng = np.random.default_rng(41)
    for kind in ERRORS[:4]:
        for key in PAIRED:
            measure = get_number_measure(key)
            for total in sizes:
                excluded = small = 0
                for _ in range(test_sets):
                    known = rng.standard_normal(total)
                    one, other = (known + errors(kind, known, rng) for _ in range(2))
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
    yield "wrong (%): score low, high, margin low, high; their worst | where | claims | width"
    for (key, total), rows in groups.items():
        columns = ("score_low", "score_high", "margin_low", "margin_high")
        means = " ".join(
            f"{100 * np.mean([getattr(r, name) for r in rows]):4.1f}" for name in columns
        )
        tops = " ".join(f"{100 * max(getattr(r, name) for r in rows):4.1f}" for name in columns)
        worst = max(rows, key=lambda row: row.margin_low)
        bad = sum(row.margin_low > 0.0325 for row in rows)
        claims = max((row.claims for row in rows if not row.is_worth), default=0.0)
        widths = [row.width for row in rows if row.errors == row.truth == "normal"] or [np.nan]
        where = f"{worst.truth}, {worst.errors}, {worst.model}, of {worst.test_sets}"
        yield (
            f"{key:18} {total:5}: {means} | {tops} | {100 * worst.margin_low:4.1f} ({where}), "
            f"{bad:2} of {len(rows)} above 3.25 | {100 * claims:4.1f} | {np.median(widths):5.2f}"
        )


def main() -> None:
    """Try all corners, print a table and write the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few test sets")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    parser.add_argument("--verbose", action="store_true", help="print every cell")
    parser.add_argument("--test-sets", type=int, default=34)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--measures", nargs="+", default=MEASURES)
    parser.add_argument("--pairs", type=int, nargs="*", default=(30,), help="sizes of pairs")
    options = parser.parse_args()
    start = process_time()
    test_sets = 10 if options.quick else options.test_sets
    found = []
    for each in tried(test_sets, tuple(options.sizes), tuple(options.measures)):
        found.append(each)
        if options.verbose:
            print(json.dumps(asdict(each)), flush=True)
    print(*table(found), sep="\n")
    pairs = list(compared(test_sets, tuple(options.pairs)))
    print("equally good models: limits exclude 0 (%), swap test at most 5% (%)")
    for key, kind, total, excluded, rejected in pairs:
        print(f"{key:18} {kind:12} {total:5}: {100 * excluded:5.1f} {100 * rejected:5.1f}")
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
