"""How often test sets with the rows needed clear the baseline: `make rows`.

80% is aimed at. Before there is data, `br.rows_needed` is told the true score of a population, and
test sets are drawn from it. Once there is data, every pilot that is unsure says how many rows like
its own would settle it: test sets of so many rows are drawn from the rows of the pilot, and, for
comparison, from its population, whose margin may be another one. docs/evaluation.md has the table.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from tqdm import tqdm

import baserate as br

sys.path.insert(0, str(Path(__file__).parent))
from intervals import drawn, percent, streams, verdicts_of
from page import between
from populations import Classes, Numbers, Probabilities, Tables, TestSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from populations import Population

    Rng = np.random.Generator

PAGE = Path(__file__).parent.parent / "docs" / "evaluation.md"
SIZES = (40, 100)
FEWEST = 10  # pilots that are unsure
LARGE = 2_000  # rows at which average precision has its expected score
CASES: list[tuple[str, Population]] = [
    *((name, Tables(0.1, "0.5 found")) for name in ("F1", "MCC")),
    ("ACC", Tables(0.3, "0.7 found")),
    ("AUC", Probabilities(0.1, "1 apart")),
    *((name, Probabilities(0.5, "1 apart")) for name in ("AUC", "log loss", "Brier")),
    *((name, Numbers("normal", "R2 0.2")) for name in ("RMSE", "MAE", "Pearson")),
    ("RMSE", Numbers("lognormal", "R2 0.2")),
    ("macro F1", Classes(3, 0, "weak")),
    ("accuracy", Classes(10, 0, "weak")),
    ("accuracy", Classes(10, 1, "weak")),
    ("AP", Probabilities(0.1, "1 apart")),
]


def before(name: str, population: Population) -> int | None:
    """Return how many rows are needed by the true score; None if the population is another one."""
    if isinstance(population, Numbers):
        return None if population.truth != "normal" else br.rows_needed(name, score=0.2)
    score = population.true(LARGE)[name][0]
    if isinstance(population, Classes):
        return br.rows_needed(name, classes=population.classes, score=score)
    return br.rows_needed(name, base_rate=population.rate, score=score)


def resampled(pilot: TestSet, rows: int, rng: Rng) -> TestSet:
    """Return a test set of so many rows like those of another one."""
    if pilot.truth is None:
        seen = np.asarray(pilot.prediction.counts)
        again = rng.multinomial(rows, seen.ravel() / seen.sum()).reshape(seen.shape)
        table = br.ConfusionMatrix(again)
        if pilot.prediction.has_positive:
            (tn, fp), (fn, tp) = again.tolist()
            table = br.ConfusionMatrix(tp=tp, fp=fp, fn=fn, tn=tn)
        return TestSet(None, table, again, pilot.values)
    places = rng.integers(pilot.truth.size, size=rows)
    y, predicted = pilot.truth[places], pilot.prediction[places]
    return TestSet(y, predicted, np.ones(rows, int), pilot.values, options=pilot.options)


def clears(name: str, test_set: TestSet) -> bool:
    """Return whether a test set clears the baseline; one without a score does not."""
    return bool(verdicts_of(test_set, [name])[0].outcome is br.Outcome.CLEARS)


def studied(case: tuple[str, Population, int, int]) -> list[str]:
    """Return one line of the table."""
    name, population, pilots, test_sets = case
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    rng, cells = streams(11, name, str(population)), [name, str(population)]
    rows = before(name, population)
    cells += ["", ""] if rows is None else [f"{rows:,}", share(name, population, rows, test_sets)]
    for size in SIZES:
        unsure, found = 0, []
        for pilot in drawn(population, size, 10 * pilots, rng):
            more = verdicts_of(pilot, [name])[0].rows_needed
            if np.isfinite(more) and unsure < pilots:
                unsure += 1
                found.append(pilot_says(name, population, pilot, size + int(more), rng))
            elif unsure == pilots:
                break
        if unsure < FEWEST:
            cells += ["", "", ""]
        else:
            rows_, own, others = np.array(found, float).T
            cells += [f"{np.median(rows_):,.0f}", f"{percent(own):.0f}%", f"{percent(others):.0f}%"]
    return cells


def pilot_says(
    name: str, population: Population, pilot: TestSet, rows: int, rng: Rng
) -> tuple[int, float, float]:
    """Return how many rows are needed, and what share of such test sets of both kinds clears."""
    own = [clears(name, resampled(pilot, rows, rng)) for _ in range(EACH)]
    others = [clears(name, each) for each in drawn(population, rows, EACH, rng)]
    return rows, float(np.mean(own)), float(np.mean(others))


EACH = 10  # test sets for each pilot


def share(name: str, population: Population, rows: int, test_sets: int) -> str:
    """Return the percentage of test sets of a population that clear."""
    rng = streams(12, name, str(population))
    found = [clears(name, each) for each in drawn(population, rows, test_sets, rng)]
    return f"{percent(found):.0f}%"


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw all cases, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pilots", type=int, default=40, help="test sets that say how many")
    parser.add_argument("--sims", type=int, default=400, help="test sets before there is data")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    head = ["measure", "predictions", "before there is data", "clear"]
    for size in SIZES:
        head += [f"by {size} rows", "clear, of rows like these", "of the population"]
    lines = [f"| {' | '.join(head)} |", f"| --- | ---{' | ---:' * (len(head) - 2)} |"]
    work = [(*case, options.pilots, options.sims) for case in CASES]
    with Pool(options.jobs) as pool:
        for cells in tqdm(pool.imap(studied, work), total=len(work), unit="case"):
            lines.append(f"| {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    page = options.page.read_text(encoding="utf-8")
    options.page.write_text(between(page, "rows", "\n".join(lines)), encoding="utf-8")


if __name__ == "__main__":
    main()
