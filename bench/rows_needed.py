"""How often test sets with the rows needed clear the baseline: `make rows`, half an hour.

Test sets of 40 and of 100 rows are drawn. Of those that are unsure, the ones whose margin is
nearest to the true one say how many rows are needed; then test sets with so many rows are drawn,
and those that clear are counted: 80% is aimed at. The table is in docs/evaluation.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from tqdm import tqdm

import baserate as br

sys.path.insert(0, str(Path(__file__).parent))
from intervals import drawn, streams, verdicts_of
from page import between
from populations import Classes, Numbers, Probabilities, Tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from populations import Population

PAGE = Path(__file__).parent.parent / "docs" / "evaluation.md"
ROWS = (40, 100)
# Margins that are farther from the true one, as a share of it, are not typical.
NEAR, TYPICAL, FEWEST = 0.25, 20, 5
CASES: list[tuple[str, Population]] = [
    ("F1", Tables(0.1, "fair")),
    ("MCC", Tables(0.1, "fair")),
    ("ACC", Tables(0.3, "fair")),
    *((name, Probabilities(0.1, "beta 6")) for name in ("AUC", "AP")),
    *((name, Probabilities(0.5, "beta 6")) for name in ("AUC", "log loss", "Brier")),
    *((name, Numbers("normal", "R2 0.2")) for name in ("RMSE", "MAE", "Pearson")),
    ("RMSE", Numbers("lognormal", "R2 0.2")),
    ("macro F1", Classes(3, 0, "weak")),
    ("accuracy", Classes(10, 1, "weak")),
]


def cleared(
    name: str, population: Population, size: int, pilots: int, test_sets: int
) -> tuple[int, float] | None:
    """Return how many rows are needed, and the percentage of such test sets that clear.

    None if few test sets are unsure whose margin is near the true one: most of them clear already.
    """
    rng, truth = streams(7, name, str(population), size), population.true(size)[name][1]
    seen = [verdicts_of(each, [name])[0] for each in drawn(population, size, pilots, rng)]
    unsure = [each for each in seen if np.isfinite(each.rows_needed)]
    near = [each for each in unsure if abs(each.margin - truth) <= NEAR * truth]
    near = sorted(near, key=lambda each: abs(each.margin - truth))[:TYPICAL]
    if len(near) < FEWEST:
        return None
    rows = size + int(np.median([each.rows_needed for each in near]))
    found = [
        verdicts_of(each, [name])[0].outcome is br.Outcome.CLEARS
        for each in drawn(population, rows, test_sets, rng)
    ]
    return rows, 100 * float(np.mean(found))


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw all cases, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pilots", type=int, default=200, help="test sets that say how many")
    parser.add_argument("--sims", type=int, default=400, help="test sets with so many rows")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    lines = [
        "| measure | predictions | rows needed, by 40 | clear | rows needed, by 100 | clear |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for name, population in tqdm(CASES, unit="case"):
        cells = [name, str(population)]
        for size in ROWS:
            with np.errstate(all="ignore"):
                found = cleared(name, population, size, options.pilots, options.sims)
            cells += ["", ""] if found is None else [f"{found[0]:,}", f"{found[1]:.0f}%"]
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    page = options.page.read_text(encoding="utf-8")
    options.page.write_text(between(page, "rows", "\n".join(lines)), encoding="utf-8")


if __name__ == "__main__":
    main()
