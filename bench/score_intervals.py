"""How often the limits of measures of scores, and of their margins, are wrong.

Test sets are drawn from populations, and limits compared with the truth: the score, or the margin,
that test sets of this size with both classes have on average. Where a lower limit of a margin
looks wrong more often than allowed, ten times as many new test sets decide.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
from collections import defaultdict
from dataclasses import astuple, dataclass, fields
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from baserate.ranking.joint import JointScores
from baserate.ranking.scores import Scores
from baserate.scores.catalogue import get_score_measure
from baserate.scores.task import SCORES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from baserate.ranking.measures.record import ScoreMeasure

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

RESULTS = Path(__file__).parent / "score_intervals.json"

ALLOWED = 1.3
"""The lower limit of a margin may be wrong this many times alpha / 2."""
AGAIN = 10
"""A suspect is tried again with this many times as many test sets."""
SIZES = (30, 100, 1000, 10_000)
SHARES = (0.01, 0.1, 0.5)
AREAS = (0.5, 0.8, 0.97, 0.999)
LEVELS = (2, 5, None)
"""How many different scores there are; None if every one is different."""
CALIBRATIONS = {"calibrated": 1.0, "overconfident": 2.5}
"""By what the logits of calibrated probabilities are multiplied."""
# The truth is the mean over test sets with so many observations in all, and at most so many sets.
_OBSERVATIONS, _MOST_SETS = 4 * 10**6, 4_000

MEASURES = tuple(map(get_score_measure, ("AUC", "AP", "precision@10", "Brier", "log loss")))


@dataclass(frozen=True)
class Corner:
    """A population: normal scores, a standard deviation wide in each class, maybe in few levels.

    Probabilities are those of the class given the score, or more extreme ones. With an area of
    one half, scores are coin flips.
    """

    total: int
    share: float
    area: float
    levels: int | None
    calibration: str

    def test_set(self, rng: np.random.Generator) -> tuple[Bools, Floats]:
        """Return a truth and probabilities."""
        truth = rng.random(self.total) < self.share
        return truth, self.probabilities(rng.standard_normal(self.total) + self.apart * truth, rng)

    def probabilities(self, marks: Floats, rng: np.random.Generator) -> Floats:
        """Return the probabilities of some observations."""
        if self.area == 0.5:
            noise = rng.integers(0, self.levels, marks.size) if self.levels else marks
            logits = logit(self.share) + 0.5 * noise
        elif self.levels:
            logits = logit(self.share) + self._ratios[np.searchsorted(self._cuts, marks)]
        else:
            logits = logit(self.share) + self.apart * marks - self.apart**2 / 2
        return np.asarray(expit(CALIBRATIONS[self.calibration] * logits))

    @property
    def apart(self) -> float:
        """How far apart the means of both classes are."""
        return math.sqrt(2) * float(ndtri(self.area))

    @cached_property
    def _cuts(self) -> Floats:
        marks = np.linspace(-6, 6 + self.apart, 20_001)
        both = (ndtr(marks) + ndtr(marks - self.apart)) / 2
        return np.interp(np.arange(1, self.levels or 1) / (self.levels or 1), both, marks)

    @cached_property
    def _ratios(self) -> Floats:
        edges = np.concatenate([[-np.inf], self._cuts, [np.inf]])
        return np.asarray(np.log(np.diff(ndtr(edges - self.apart)) / np.diff(ndtr(edges))))


@dataclass(frozen=True)
class Found:
    """How often limits are wrong in one corner, by one measure.

    Parameters
    ----------
    total, share, area, levels, calibration, measure
        The corner and the measure.
    test_sets
        How many test sets were simulated.
    score_low, score_high, low, high
        How often the lower limit is above the truth, and the upper one below it, of the score and
        of the margin.
    """

    total: int
    share: float
    area: float
    levels: int | None
    calibration: str
    measure: str
    test_sets: int
    score_low: float
    score_high: float
    low: float
    high: float


def counted(corner: Corner, test_sets: int, seed: int) -> list[Scores]:
    """Return test sets with both classes."""
    rng = np.random.default_rng([seed, corner.total, round(1000 * corner.share)])
    found: list[Scores] = []
    for _ in range(100 * test_sets):
        truth, scores = corner.test_set(rng)
        if 0 < truth.sum() < truth.size:
            found.append(Scores.of(truth, scores))
        if len(found) == test_sets:
            break
    return found


def margin(measure: ScoreMeasure, scores: Scores) -> tuple[float, float]:
    """Return the score, and how much better it is than the baseline."""
    scale = measure.yardstick(scores.test_set).scale
    score = measure.kernel(scores)
    return score, scale.advantage(score, scale.best)


def tried(
    corner: Corner, measures: Sequence[ScoreMeasure], alpha: float, test_sets: int, seed: int
) -> Iterator[Found]:
    """Yield how often limits are wrong in a corner, by each measure."""
    many_sets = counted(corner, min(_OBSERVATIONS // corner.total, _MOST_SETS), seed=0)
    truths = {
        measure: np.mean([margin(measure, each) for each in many_sets], axis=0)
        for measure in measures
    }
    wrong: dict[ScoreMeasure, list[tuple[bool, ...]]] = defaultdict(list)
    for scores in counted(corner, test_sets, seed):
        for measure in measures:
            known = SCORES.uncertainty(scores, alpha)
            yardstick = measure.yardstick(scores.test_set)
            limits = (known.score(measure), known.margin(yardstick))
            wrong[measure].append(
                tuple(
                    is_wrong
                    for (low, high), truth in zip(limits, truths[measure], strict=True)
                    for is_wrong in (low > truth + 1e-9, high < truth - 1e-9)
                )
            )
    for measure, each in wrong.items():
        yield Found(*astuple(corner), measure.key, len(each), *np.mean(each, axis=0).tolist())


def measured(total: int, alpha: float, test_sets: int) -> Iterator[Found]:
    """Yield what is found in all corners of one size; suspects are tried again."""
    for share, area, levels, calibration in itertools.product(SHARES, AREAS, LEVELS, CALIBRATIONS):
        if total * share < 1:
            continue
        corner = Corner(total, share, area, levels, calibration)
        of_order = calibration == "calibrated"  # for rankings the other one is the same
        chosen = [each for each in MEASURES if of_order or each.probabilities]
        for found in tried(corner, chosen, alpha, test_sets, seed=1):
            if found.low <= ALLOWED * alpha / 2:
                yield found
            else:
                again = [each for each in chosen if each.key == found.measure]
                yield from tried(corner, again, alpha, AGAIN * test_sets, seed=2)


def pairs(corner: Corner, test_sets: int, seed: int = 3) -> Iterator[JointScores]:
    """Yield two models on the same test sets: the second has more noise, or less of the signal."""
    rng = np.random.default_rng([seed, corner.total])
    for _ in range(test_sets):
        truth = rng.random(corner.total) < corner.share
        if not 0 < truth.sum() < truth.size:
            continue
        signal = corner.apart * truth
        shared = rng.standard_normal(corner.total)
        marks = [signal + 0.8 * shared + 0.6 * rng.standard_normal(corner.total) for _ in "ab"]
        first, second = (corner.probabilities(each, rng) for each in marks)
        yield JointScores.of_rows(truth, first, second, None)


def of_pairs(corner: Corner, alpha: float, test_sets: int) -> dict[str, tuple[float, ...]]:
    """Return how often each limit of a difference is wrong, and how often p is at most alpha.

    The two models are exchangeable: the true difference is 0.
    """
    found: dict[str, list[tuple[bool, ...]]] = defaultdict(list)
    for joint in pairs(corner, test_sets):
        paired = SCORES.paired(joint, alpha)
        for measure in MEASURES:
            low, high = paired.limits(measure)
            p_value, _ = paired.swap_test(measure)
            found[measure.key].append((low > 0, high < 0, p_value <= alpha))
    return {key: tuple(np.mean(each, axis=0).tolist()) for key, each in found.items()}


def table_of(rows: Iterable[Found]) -> str:
    """Write what was found, measure by measure, as a table in Markdown."""
    of_measure: dict[str, list[Found]] = defaultdict(list)
    for row in rows:
        of_measure[row.measure].append(row)
    names = ("score_low", "score_high", "low", "high")
    lines = [
        "| | score: below | above | margin: below | above | lower limit of the margin, worst |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for key, mine in of_measure.items():
        shares = [f"{100 * np.mean([getattr(row, name) for row in mine]):.1f}%" for name in names]
        lines.append(f"| {' | '.join([key, *shares, worst(mine, 'low')])} |")
    return "\n".join(lines)


def worst(rows: Sequence[Found], name: str) -> str:
    """Say in which corner a limit is wrong most often."""
    row = max(rows, key=lambda each: getattr(each, name))
    share = getattr(row, name)
    error = math.sqrt(share * (1 - share) / row.test_sets)
    where = f"M = {row.total:,}, π = {row.share:g}, AUC {row.area:g}, {row.levels or 'all'} levels"
    return f"{100 * share:.2f}% ± {100 * error:.2f}% ({where}, {row.calibration})"


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
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--test-sets", type=int, default=400, help="simulated in each corner")
    parser.add_argument("--quick", action="store_true", help="40 test sets of 30 and of 100")
    parser.add_argument("--pairs", action="store_true", help="differences between two models")
    arguments = parser.parse_args()
    sizes, test_sets = arguments.sizes, arguments.test_sets
    if arguments.quick:
        sizes, test_sets = (30, 100), 40
    if arguments.pairs:
        for total, share, area in itertools.product(sizes, (0.1, 0.5), (0.8, 0.97)):
            corner = Corner(total, share, area, None, "calibrated")
            print(corner, of_pairs(corner, 0.05, test_sets), flush=True)
        return
    rows: list[Found] = []
    for total in sizes:
        started = perf_counter()
        found = list(measured(total, 0.05, test_sets))
        rows += found
        if not arguments.quick:
            kept = [row for row in saved() if row.total != total]
            save(sorted(kept + found, key=lambda row: row.total))
        print(f"M = {total:,}: {perf_counter() - started:.0f} s; {worst(found, 'low')}", flush=True)
    print(table_of(rows if arguments.quick else saved()))


if __name__ == "__main__":
    main()
