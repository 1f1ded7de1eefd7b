"""How often the limits of scores and margins are wrong: `make intervals`.

All tables of a test set of 30 are summed; larger test sets are simulated. Where a lower limit of
a margin is wrong more often than alpha / 2, ten times as many new test sets decide.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
from collections import defaultdict
from dataclasses import astuple, dataclass, fields
from functools import cache, lru_cache
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

import baserate as br
from baserate.binary.task import BINARY
from baserate.exceptions import UndefinedMeasureError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from baserate.binary.dutch_scaler import Scaler

HERE = Path(__file__).parent
RESULTS = HERE / "intervals.json"
PAGE = HERE.parent / "docs" / "ideas" / "intervals.md"
MARKS = ("<!-- written by make intervals -->", "<!-- end -->")

SIZES = (30, 100, 300, 1000, 10_000)
SUMMED = 30
"""Up to this size, all tables are summed."""
AGAIN = 10
"""A suspect is tried again with this many times as many test sets."""
BASE_RATES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5)
MODELS = {  # how often a positive, and a negative, is predicted positive
    "near-perfect": (0.98, 0.01),
    "strong": (0.8, 0.1),
    "weak": (0.6, 0.4),
    "coin flip": (0.5, 0.5),
    "cautious": (0.1, 0.02),
    "greedy": (0.95, 0.7),
}
COST = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
PROFIT = br.Measure.custom(
    "profit", lambda tp, fp, fn, tn: (3 * tp - fp) / (tp + fp + fn + 1), smooth=True
)
# FDR, FOR and BACC are PPV and NPV turned around and J halved: their limits are the same ones.
INFORMATIVE = ("PPV", "NPV", "F1", "J", "MK", "ACC", "MCC", "KAPPA", "FM", "G2", "TS")
MEASURES = {each.key: each for each in (*map(br.get_measure, INFORMATIVE), COST, PROFIT)}
UNINFORMATIVE = {
    key: br.get_measure(key) for key in ("TP", "TN", "FN", "FP", "TPR", "TNR", "FNR", "FPR")
}


@dataclass(frozen=True)
class Corner:
    """A population: how large its test sets are, how many are positive, and what the model does."""

    total: int
    base_rate: float
    model: str

    @property
    def cells(self) -> NDArray[np.float64]:
        """The true proportions of tp, fp, fn and tn."""
        (hit, alarm), rate = MODELS[self.model], self.base_rate
        return np.array(
            [rate * hit, (1 - rate) * alarm, rate * (1 - hit), (1 - rate) * (1 - alarm)]
        )

    def truth(self, measure: br.Measure) -> tuple[float, float]:
        """Return the score and the margin at the true proportions."""
        cells = self.cells * self.total
        score, positives = float(measure.definition(*cells)), float(cells[0] + cells[2])
        sign = 1 if measure.direction is br.Direction.MAXIMIZE else -1
        return score, sign * (score - self._baseline(measure, positives, sign))

    def _baseline(self, measure: br.Measure, positives: float, sign: int) -> float:
        """Return the best constant, or else the best draw at the two nearest base rates."""
        total = self.total
        ends = [min(max(near(positives), 1), total - 1) for near in (math.floor, math.ceil)]
        rulers = [yardstick(measure, end, total) for end in ends]
        best = [ruler.base.best for ruler in rulers if ruler is not None]
        constants = {
            0: (0.0, 0.0, positives, total - positives),
            total: (positives, total - positives, 0.0, 0.0),
        }
        if any(end in part for part in best[0].theta_stars.counts for end in constants):
            allowed = measure.allowed(br.BaseRate(positives=ends[0], total=total))
            scores = [float(measure.definition(*constants[k])) for k in constants if k in allowed]
            return sign * max(sign * score for score in scores)
        return float(np.interp(positives, ends, [each.value for each in best]))

    def tables(self, test_sets: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return tables with their weights: all of them, or those that were simulated."""
        if self.total <= SUMMED:
            weights = probabilities(all_tables(self.total), self.cells)
            kept = weights > 1e-12
            return all_tables(self.total)[kept], weights[kept]
        place = [BASE_RATES.index(self.base_rate), list(MODELS).index(self.model)]
        rng = np.random.default_rng([seed, self.total, *place])
        drawn = rng.multinomial(self.total, self.cells, test_sets)
        tables, times = np.unique(drawn, axis=0, return_counts=True)
        return tables, times / test_sets


@dataclass(frozen=True)
class Found:
    """How often limits are right in one corner, by one measure.

    Parameters
    ----------
    total, base_rate, model, measure
        The corner and the measure.
    test_sets
        How many test sets were simulated; 0 if all tables were summed.
    score, margin
        How often the interval of the score, and of the margin, holds the truth, where there is one.
    low, high
        How often the lower limit of the margin is above the truth, and the upper one below it.
    """

    total: int
    base_rate: float
    model: str
    measure: str
    test_sets: int
    score: float
    margin: float
    low: float
    high: float


@cache
def yardstick(measure: br.Measure, positives: int, total: int) -> Scaler | None:
    """Return the baseline of a test set, None if it has none."""
    try:
        return BINARY.yardstick(br.BaseRate(positives=positives, total=total), measure)
    except UndefinedMeasureError:
        return None


@lru_cache(maxsize=1)
def all_tables(total: int) -> NDArray[np.int64]:
    """Return every table of a size."""
    threes = np.array(list(itertools.product(range(total + 1), repeat=3)))
    threes = threes[threes.sum(axis=1) <= total]
    return np.column_stack([threes, total - threes.sum(axis=1)])


def probabilities(tables: NDArray[np.int64], cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the multinomial probability of each table."""
    total = int(tables[0].sum())
    logs = np.array([math.lgamma(count + 1) for count in range(total + 1)])
    return np.asarray(np.exp(logs[total] - logs[tables].sum(axis=1) + tables @ np.log(cells)))


@dataclass(frozen=True)
class Limits:
    """The limits of every table by some measures, each computed once."""

    measures: Sequence[br.Measure]
    alpha: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", lru_cache(maxsize=100_000)(self._of))

    def _of(self, tp: int, fp: int, fn: int, tn: int) -> list[tuple[float, ...]]:
        """Return both limits of the score and both of the margin, for each measure."""
        table = br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn)
        known = BINARY.uncertainty(table, self.alpha)
        rulers = [yardstick(each, table.positives, table.total) for each in self.measures]
        none = math.nan, math.nan
        return [
            (*known.score(measure), *(known.margin(ruler) if ruler else none))
            for measure, ruler in zip(self.measures, rulers, strict=True)
        ]


def rates(
    limits: NDArray[np.float64], weights: NDArray[np.float64], score: float, margin: float
) -> tuple[float, float, float, float]:
    """Return how often the intervals are right, and the limits of the margin wrong."""
    low, high, margin_low, margin_high = limits.T
    slack = 1e-9 * max(abs(score), 1)
    has_score, has_margin = ~np.isnan(low), ~np.isnan(margin_low)
    wrong = (low > score + slack) | (high < score - slack)
    above, below = margin_low > margin + slack, margin_high < margin - slack
    return (
        1 - float(weights[wrong].sum() / max(weights[has_score].sum(), 1e-300)),
        1 - float(weights[above | below].sum() / max(weights[has_margin].sum(), 1e-300)),
        float(weights[above].sum()),
        float(weights[below].sum()),
    )


def tried(corner: Corner, limits: Limits, test_sets: int, seed: int) -> Iterator[Found]:
    """Yield how often limits are right in a corner, by each measure."""
    tables, weights = corner.tables(test_sets, seed)
    found = np.array([limits.of(*table) for table in tables.tolist()])  # type: ignore[attr-defined]
    simulated = 0 if corner.total <= SUMMED else test_sets
    for place, measure in enumerate(limits.measures):
        numbers = rates(found[:, place], weights, *corner.truth(measure))
        yield Found(*astuple(corner), measure.key, simulated, *numbers)


def measured(total: int, alpha: float, test_sets: int) -> Iterator[Found]:
    """Yield what is found in all corners of one size; suspects are tried again."""
    chosen = MEASURES | UNINFORMATIVE if total <= SUMMED else MEASURES
    limits = Limits(tuple(chosen.values()), alpha)
    for rate, model in itertools.product(BASE_RATES, MODELS):
        corner = Corner(total, rate, model)
        found = {each.measure: each for each in tried(corner, limits, test_sets, seed=1)}
        suspects = [key for key, each in found.items() if each.low > alpha / 2]
        if suspects and total > SUMMED:
            only = Limits(tuple(chosen[key] for key in suspects), alpha)
            again = tried(corner, only, AGAIN * test_sets, seed=2)
            found |= {each.measure: each for each in again}
        yield from found.values()


def table_of(rows: Iterable[Found]) -> str:
    """Write what was found, measure by measure, as a table in Markdown."""
    of_measure: dict[str, list[Found]] = defaultdict(list)
    for row in rows:
        of_measure[row.measure].append(row)
    lines = [
        "| | score: mean | worst | margin: mean | worst | lower limit wrong, M = 30 | simulated |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for key, mine in of_measure.items():
        columns = [[getattr(row, name) for row in mine] for name in ("score", "margin")]
        shares = [f"{100 * call(column):.1f}%" for column in columns for call in (np.mean, min)]
        summed = [row for row in mine if not row.test_sets]
        simulated = [row for row in mine if row.test_sets]
        lines.append(f"| {' | '.join([key, *shares, _worst(summed), _worst(simulated)])} |")
    return "\n".join(lines)


def _worst(rows: Sequence[Found]) -> str:
    """Write how often the lower limit is wrong in the worst corner, and where that is."""
    if not rows:
        return ""
    worst = max(rows, key=lambda row: row.low)
    size = f"M = {worst.total:,}, " if worst.test_sets else ""
    return f"{_with_error(worst)} ({size}{worst.base_rate:.0%} positive, {worst.model})"


def _with_error(row: Found) -> str:
    if not row.test_sets:
        return f"{100 * row.low:.2f}%"
    error = math.sqrt(row.low * (1 - row.low) / row.test_sets)
    return f"{100 * row.low:.2f}% ± {100 * error:.2f}%"


def saved(alpha: float) -> list[Found]:
    """Return what was found before, for one alpha."""
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    return [Found(*row) for row in known.get(f"{alpha:g}", [])]


def save(rows: Iterable[Found], alpha: float) -> None:
    """Keep what was found, one line for each corner and measure."""
    known: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    known["columns"] = [field.name for field in fields(Found)]
    known[f"{alpha:g}"] = [
        [round(value, 5) if isinstance(value, float) else value for value in astuple(row)]
        for row in sorted(rows, key=lambda row: row.total)
    ]
    parts = [
        f'"{name}": [\n' + ",\n".join(map(json.dumps, lines)) + "\n]"
        for name, lines in known.items()
    ]
    RESULTS.write_text("{\n" + ",\n".join(parts) + "\n}\n")


def written(page: str, rows: Sequence[Found]) -> str:
    """Return the page with a new table."""
    before, rest = page.split(MARKS[0])
    return f"{before}{MARKS[0]}\n\n{table_of(rows)}\n\n{MARKS[1]}{rest.split(MARKS[1])[1]}"


def main() -> None:
    """Measure the sizes that are asked for, keep the others, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="the rest is kept")
    parser.add_argument("--test-sets", type=int, default=1000, help="simulated in each corner")
    parser.add_argument("--alpha", type=float, default=0.05)
    arguments = parser.parse_args()
    alpha = arguments.alpha
    for total in arguments.sizes:
        started = perf_counter()
        found = list(measured(total, alpha, arguments.test_sets))
        worst = max(found, key=lambda row: row.low)
        save([row for row in saved(alpha) if row.total != total] + found, alpha)
        print(f"M = {total:,}: {perf_counter() - started:.0f} s; worst: {worst}", flush=True)
    if alpha == 0.05 and PAGE.exists():
        PAGE.write_text(written(PAGE.read_text(), saved(alpha)))


if __name__ == "__main__":
    main()
