"""How often the limits of scores and margins of several classes are wrong.

Test sets are drawn from populations, and limits compared with the truth: the score at the true
proportions, among the classes that the test set has. Where a lower limit of a margin looks wrong
more often than allowed, ten times as many new test sets decide.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
from collections import defaultdict
from dataclasses import astuple, dataclass, fields
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.direction import Direction
from baserate.core.scale import Scale
from baserate.multiclass.class_counts import ClassCounts
from baserate.multiclass.matrix import ConfusionMatrix
from baserate.multiclass.measures.catalogue import get_class_measure
from baserate.multiclass.optimum.baseline import class_baseline
from baserate.multiclass.paired.joint import JointMatrix
from baserate.multiclass.paired.limits import ClassLimits
from baserate.multiclass.uncertainty import ClassUncertainty

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.multiclass.optimum.baseline import ClassBaseline

    Floats = NDArray[np.float64]

RESULTS = Path(__file__).parent / "class_intervals.json"

ALLOWED = 1.3
"""The lower limit of a margin may be wrong this many times alpha / 2."""
AGAIN = 10
"""A suspect is tried again with this many times as many test sets."""
CLASSES = (2, 3, 5, 10)
SIZES = (30, 100, 300, 1000)
BALANCES = ("balanced", "skewed")
MODELS = {"strong": 0.85, "weak": 0.45, "useless": None}  # how often a class is found
MEASURES = (
    "accuracy",
    "balanced accuracy",
    "macro F1",
    "weighted F1",
    "MCC",
    "kappa",
    "macro precision",
    "macro Jaccard",
    "quadratic kappa",
)
PAIRED = ("accuracy", "balanced accuracy", "macro F1", "MCC")
# Population baselines are those of a test set so many times as large.
_FINE = 50


@dataclass(frozen=True)
class Corner:
    """A population: how many classes, how frequent they are, what the model does."""

    classes: int
    total: int
    balance: str
    model: str

    @property
    def cells(self) -> Floats:
        """The true proportions of all cells."""
        ratio = {"balanced": 1.0, "skewed": 0.5 if self.classes <= 5 else 0.7}[self.balance]
        n = ratio ** np.arange(self.classes)
        n /= n.sum()
        found = MODELS[self.model]
        if found is None:  # it knows nothing, and prefers frequent classes a little
            answers = np.tile((n + 1 / self.classes) / 2, (self.classes, 1))
        else:  # and otherwise a later class rather than an earlier one
            wrong = np.tile(np.arange(1.0, self.classes + 1), (self.classes, 1))
            np.fill_diagonal(wrong, 0)
            wrong /= wrong.sum(axis=1, keepdims=True)
            answers = (1 - found) * wrong + found * np.eye(self.classes)
        return np.asarray(n[:, np.newaxis] * answers)

    def tables(self, test_sets: int, seed: int) -> NDArray[np.int64]:
        """Return simulated tables."""
        place = [BALANCES.index(self.balance), list(MODELS).index(self.model)]
        rng = np.random.default_rng([seed, self.classes, self.total, *place])
        drawn = rng.multinomial(self.total, self.cells.ravel(), test_sets)
        return drawn.reshape(test_sets, self.classes, self.classes)

    def truth(self, measure: ClassMeasure, table: ConfusionMatrix) -> tuple[float, float]:
        """Return the true score and margin, among the classes that a test set has."""
        occurs = table.true_counts > 0
        seen = occurs | (table.predicted_counts > 0)
        return _truth(self, measure, tuple(occurs.tolist()), tuple(seen.tolist()))


@lru_cache(maxsize=10_000)
def _truth(
    corner: Corner, measure: ClassMeasure, occurs: tuple[bool, ...], seen: tuple[bool, ...]
) -> tuple[float, float]:
    cells = corner.cells * np.outer(occurs, seen)
    cells *= corner.total / cells.sum()
    score = float(measure.scores(cells))
    counts = np.rint(cells.sum(axis=1) * _FINE).astype(int).tolist()
    try:
        best = class_baseline(ClassCounts(dict(enumerate(counts))), measure).best.value
    except ValueError:  # only one class
        return math.nan, math.nan
    return score, (score - best) * (1 if measure.direction is Direction.MAXIMIZE else -1)


@dataclass(frozen=True)
class Ruler:
    """What a margin needs."""

    base: ClassBaseline
    scale: Scale


@lru_cache(maxsize=10_000)
def ruler(measure: ClassMeasure, test_set: ClassCounts) -> Ruler | None:
    """Return the baseline of a test set, None if it has none."""
    try:
        base = class_baseline(test_set, measure)
    except ValueError:
        return None
    return Ruler(base, Scale.of(base, 1.0 if measure.direction is Direction.MAXIMIZE else 0.0))


@dataclass(frozen=True)
class Found:
    """How often limits are right in one corner, by one measure.

    Parameters
    ----------
    classes, total, balance, model, measure
        The corner and the measure.
    test_sets
        How many test sets were simulated.
    score, margin
        How often the interval of the score, and of the margin, holds the truth, where there is one.
    low, high
        How often the lower limit of the margin is above the truth, and the upper one below it.
    """

    classes: int
    total: int
    balance: str
    model: str
    measure: str
    test_sets: int
    score: float
    margin: float
    low: float
    high: float


def tried(
    corner: Corner, measures: Sequence[ClassMeasure], alpha: float, test_sets: int, seed: int
) -> Iterator[Found]:
    """Yield how often limits are right in a corner, by each measure."""
    rows: dict[str, list[tuple[bool, ...]]] = defaultdict(list)
    for counts in corner.tables(test_sets, seed):
        table = ConfusionMatrix(counts)
        known = ClassUncertainty(table, alpha)
        for measure in measures:
            by = ruler(measure, table.test_set)
            truth = corner.truth(measure, table)
            if by is not None and not math.isnan(measure.score(table)):
                limits = known.score(measure), known.margin(by)
                wrong = [_wrong(*each) for each in zip(limits, truth, strict=True)]
                rows[measure.key].append((*wrong[0], *wrong[1]))
    for measure in measures:
        found = np.array(rows[measure.key]).reshape(-1, 4)
        low, high = found[:, 2].sum() / test_sets, found[:, 3].sum() / test_sets
        covers = 1 - found[:, :2].any(axis=1).mean(), 1 - found[:, 2:].any(axis=1).mean()
        yield Found(
            *astuple(corner), measure.key, test_sets, *map(float, covers), float(low), float(high)
        )


def _wrong(limits: tuple[float, float], truth: float) -> tuple[bool, bool]:
    # Baselines of a population are computed on a fine grid only.
    slack = 2e-4
    return limits[0] > truth + slack, limits[1] < truth - slack


def measured(classes: int, total: int, alpha: float, test_sets: int) -> Iterator[Found]:
    """Yield what is found in all corners of one size; suspects are tried again."""
    chosen = {key: get_class_measure(key) for key in MEASURES}
    for balance, model in itertools.product(BALANCES, MODELS):
        corner = Corner(classes, total, balance, model)
        once = tried(corner, list(chosen.values()), alpha, test_sets, seed=1)
        found = {each.measure: each for each in once}
        suspects = [chosen[key] for key, each in found.items() if each.low > ALLOWED * alpha / 2]
        again = tried(corner, suspects, alpha, AGAIN * test_sets, seed=2) if suspects else ()
        yield from (found | {each.measure: each for each in again}).values()


def paired(corner: Corner, alpha: float, test_sets: int) -> dict[str, tuple[float, float]]:
    """Return how often the limits of a difference between two models are wrong.

    Seven answers in ten are the same, and the others come from two models of the same kind, of
    which the second sometimes gives up and says the first class.
    """
    cells = corner.cells
    answers = cells / cells.sum(axis=1, keepdims=True)
    other = 0.8 * answers + 0.2 * np.eye(corner.classes)[0]
    apart = answers[:, :, np.newaxis] * other[:, np.newaxis, :]
    same = answers[:, :, np.newaxis] * np.eye(corner.classes)
    joint = cells.sum(axis=1)[:, np.newaxis, np.newaxis] * (0.7 * same + 0.3 * apart)
    places = np.unravel_index(np.arange(joint.size), joint.shape)
    rng = np.random.default_rng([3, corner.classes, corner.total])
    drawn = rng.multinomial(corner.total, joint.ravel(), test_sets)
    wrong = {key: np.zeros(2) for key in PAIRED}
    for counts in drawn:
        pair = JointMatrix(range(corner.classes), *places, counts)
        occurs = pair.first.true_counts > 0
        known = ClassLimits(pair, alpha)
        for key in PAIRED:
            measure = get_class_measure(key)
            # Rows of classes that the test set lacks are left out.
            first, second = (joint.sum(axis=axis) * occurs[:, np.newaxis] for axis in (2, 1))
            truth = float(measure.scores(second) - measure.scores(first))
            wrong[key] += _wrong(known.difference(measure), truth)
    shares = {key: (each / test_sets).tolist() for key, each in wrong.items()}
    return {key: (low, high) for key, (low, high) in shares.items()}


def table_of(rows: Iterable[Found]) -> str:
    """Write what was found, measure by measure, as a table in Markdown."""
    of_measure: dict[str, list[Found]] = defaultdict(list)
    for row in rows:
        of_measure[row.measure].append(row)
    lines = [
        "| | score: mean | worst | margin: mean | worst | lower limit wrong |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for key, mine in of_measure.items():
        columns = [[getattr(row, name) for row in mine] for name in ("score", "margin")]
        shares = [f"{100 * call(column):.1f}%" for column in columns for call in (np.mean, min)]
        lines.append(f"| {' | '.join([key, *shares, _worst(mine)])} |")
    return "\n".join(lines)


def _worst(rows: Sequence[Found]) -> str:
    worst = max(rows, key=lambda row: row.low)
    error = math.sqrt(worst.low * (1 - worst.low) / worst.test_sets)
    where = f"K = {worst.classes}, M = {worst.total:,}, {worst.balance}, {worst.model}"
    return f"{100 * worst.low:.2f}% ± {100 * error:.2f}% ({where})"


def saved() -> list[Found]:
    """Return what was found before."""
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"rows": []}
    return [Found(*row) for row in known["rows"]]


def save(rows: Iterable[Found]) -> None:
    """Keep what was found, one line for each corner and measure."""
    lines = [
        json.dumps([round(value, 5) if isinstance(value, float) else value for value in each])
        for each in map(astuple, rows)
    ]
    columns: Any = json.dumps([field.name for field in fields(Found)])
    RESULTS.write_text(f'{{"columns": {columns}, "rows": [\n' + ",\n".join(lines) + "\n]}\n")


def main() -> None:
    """Measure the sizes that are asked for, keep the others, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", type=int, nargs="*", default=CLASSES)
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--test-sets", type=int, default=400, help="simulated in each corner")
    parser.add_argument("--pairs", action="store_true", help="differences between two models")
    arguments = parser.parse_args()
    if arguments.pairs:
        for corner in itertools.starmap(
            Corner, itertools.product(arguments.classes, arguments.sizes, BALANCES, MODELS)
        ):
            print(corner, paired(corner, 0.05, arguments.test_sets), flush=True)
        return
    for classes, total in itertools.product(arguments.classes, arguments.sizes):
        started = perf_counter()
        found = list(measured(classes, total, 0.05, arguments.test_sets))
        kept = [row for row in saved() if (row.classes, row.total) != (classes, total)]
        save(sorted(kept + found, key=lambda row: (row.classes, row.total)))
        worst = max(found, key=lambda row: row.low)
        seconds = perf_counter() - started
        print(f"K = {classes}, M = {total:,}: {seconds:.0f} s; worst: {worst}", flush=True)
    print(table_of(saved()))


if __name__ == "__main__":
    main()
