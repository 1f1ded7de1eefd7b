"""How often intervals of rows that belong together are wrong: `make clusters`, twenty minutes.

Test sets are drawn whose rows resemble each other within clusters. Written into docs/evaluation.md
are how often intervals hold the true number, with `clusters=` and without it, and how often
p-values are below 5% though nothing was learned.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import warnings
import zlib
from collections import defaultdict
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.special import ndtr
from tqdm import tqdm

import baserate as br

sys.path.insert(0, str(Path(__file__).parent))
from page import between

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]
    Rng = np.random.Generator
    Found = dict[str, list[float]]

PAGE = Path(__file__).parent.parent / "docs" / "evaluation.md"
ALPHA = 0.05
CLUSTERS = (20, 30)
SIZES = ("equal", "unequal", "few large")
CORRELATIONS = (0.1, 0.3)
PATTERNS = ("correlation 0.1", "correlation 0.3", "truth constant", "both constant", "rare")
KINDS = ("two classes", "three classes", "scores", "numbers")


@dataclass(frozen=True)
class Drawn:
    """Clusters of some sizes, and normal numbers that are correlated within them."""

    cluster: Array
    rng: Rng

    @classmethod
    def of(cls, sizes: str, clusters: int, rng: Rng) -> Drawn:
        """Draw the clusters: ten rows each, 5 to 20, or 60 in every tenth and 3 to 8 in others."""
        large = clusters // 10
        rows = {
            "equal": np.full(clusters, 10),
            "unequal": rng.integers(5, 21, clusters),
            "few large": np.r_[[60] * large, rng.integers(3, 9, clusters - large)],
        }[sizes]
        return cls(np.repeat(np.arange(clusters), rows), rng)

    def normal(self, share: float) -> Array:
        """Draw numbers of which clusters explain a share of the variance."""
        common = self.rng.normal(size=self.cluster[-1] + 1)[self.cluster]
        own = self.rng.normal(size=self.cluster.size)
        return np.asarray(np.sqrt(share) * common + np.sqrt(1 - share) * own)


def streams(*parts: object) -> Rng:
    """Return a stream of its own for each corner, whatever else is run."""
    return np.random.default_rng([zlib.crc32(repr(part).encode()) for part in parts])


# Intervals.


def true_numbers(correlation: float) -> dict[str, float]:
    """Return the true scores of a model, and how much another one differs: by nothing."""
    rate, hit, alarm = ndtr([-0.5, 0.4, -0.9])
    said = rate * hit + (1 - rate) * alarm
    scores = {
        "ACC": rate * hit + (1 - rate) * (1 - alarm),
        "F1": 2 * rate * hit / (rate + said),
        "AUC": float(ndtr(1.3 / np.sqrt(2))),
        "RMSE": float(np.exp(0.36 * correlation / 0.3)),
    }
    return scores | {f"difference of {name}": 0.0 for name in ("ACC", "AUC")}


def intervals(sizes: str, correlation: float, clusters: int, test_sets: int) -> Found:
    """Return whether intervals hold the true numbers, by `clusters=` and without it."""
    truth, found = true_numbers(correlation), defaultdict(list)
    rng = streams("intervals", sizes, correlation, clusters)
    for _ in range(test_sets):
        drawn = Drawn.of(sizes, clusters, rng)
        y = (drawn.normal(correlation) > 0.5).astype(int)
        scores = {name: 1.3 * y + drawn.normal(correlation) for name in ("first", "second")}
        labels = {name: (each > 0.9).astype(int) for name, each in scores.items()}
        guess = rng.normal(size=y.size)
        spread = np.exp(0.6 * np.sqrt(correlation / 0.3) * rng.normal(size=clusters))
        number = guess + spread[drawn.cluster] * drawn.normal(correlation)
        for how, options in (("", {"clusters": drawn.cluster}), ("ignored", {})):
            said = [
                br.confidence_interval(y, labels["first"], "ACC", **options),
                br.confidence_interval(y, labels["first"], "F1", **options),
                br.confidence_interval(y, scores["first"], "AUC", **options),
                br.confidence_interval(number, guess, "RMSE", **options),
                *br.compare(y, labels, "ACC", **options),
                *br.compare(y, scores, "AUC", **options),
            ]
            for (name, true), each in zip(truth.items(), said, strict=True):
                found[f"{name} {how}".strip()].append(each.low <= true <= each.high)
    return found


# p-values.


def p_values(sizes: str, pattern: str, clusters: int, test_sets: int) -> Found:
    """Return whether p-values are below alpha, where truths and answers are unrelated."""
    found, rng = defaultdict(list), streams("p-values", sizes, pattern, clusters)
    of_truth = float(pattern.split()[1]) if "correlation" in pattern else 1.0
    share = 0.3 if pattern == "truth constant" else of_truth
    while len(found["numbers"]) < test_sets:
        drawn = Drawn.of(sizes, clusters, rng)
        number, guess = drawn.normal(of_truth), drawn.normal(share)
        y, label = (number > (1.3 if pattern == "rare" else 0.3)) * 1, (guess > 0.3) * 1
        if np.ptp(y) == 0 or np.ptp(label) == 0:
            continue
        classes, answers = (np.digitize(each, [-0.5, 0.5]) for each in (number, guess))
        same = {"clusters": drawn.cluster}
        tests = (
            br.p_value(y, label, "MCC", **same),
            br.p_value(classes, answers, "macro F1", **same),
            br.p_value(y, guess, "AUC", **same),
            br.p_value(number, guess, "Pearson", **same),
        )
        for name, p_value in zip(KINDS, tests, strict=True):
            found[name].append(p_value < ALPHA)
    return found


# The page.


def tables(covered: dict[tuple[Any, ...], Found], levels: dict[tuple[Any, ...], Found]) -> str:
    """Return both tables in Markdown: percentages on average over the corners, and the worst."""
    lines = [_line("interval covers", *SIZES), _line("---", *["---:"] * len(SIZES))]
    for name in true_numbers(0.1):
        for how in ("", " ignored"):
            some = [_percentages(covered, sizes, f"{name}{how}") for sizes in SIZES]
            cells = (f"{np.mean(each):.1f} (at least {min(each):.1f})" for each in some)
            lines.append(_line(f"{name}{', rows alone' if how else ''}", *cells))
    lines += ["", _line("p-value below 5%", *PATTERNS), _line("---", *["---:"] * len(PATTERNS))]
    for name in KINDS:
        some = [_percentages(levels, pattern, name) for pattern in PATTERNS]
        lines.append(
            _line(name, *(f"{np.mean(each):.1f} (at most {max(each):.1f})" for each in some))
        )
    return "\n".join(lines)


def _percentages(found: dict[tuple[Any, ...], Found], part: str, name: str) -> list[float]:
    """Return how often something holds, in all corners with a part."""
    return [100 * float(np.mean(each[name])) for corner, each in found.items() if part in corner]


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def run(job: tuple[Any, tuple[Any, ...], int]) -> tuple[Any, tuple[Any, ...], Found]:
    """Draw one corner, in a process of its own."""
    study, corner, test_sets = job
    warnings.simplefilter("ignore")
    return study, corner, study(*corner, test_sets)


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw all corners, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sims", type=int, default=400, help="test sets in a corner, for p-values")
    parser.add_argument("--sims-of-intervals", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--clusters", type=int, nargs="*", default=CLUSTERS)
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    work = [
        (study, corner)
        for study, of in ((p_values, PATTERNS), (intervals, CORRELATIONS))
        for corner in itertools.product(SIZES, of, options.clusters)
    ]
    found: dict[Any, dict[tuple[Any, ...], Found]] = {intervals: {}, p_values: {}}
    sets = {p_values: options.sims, intervals: options.sims_of_intervals}
    jobs = [(study, corner, sets[study]) for study, corner in work]
    with Pool(options.jobs) as pool:
        for study, corner, each in tqdm(pool.imap(run, jobs), total=len(jobs), unit="corner"):
            found[study][corner] = each
    text = tables(found[intervals], found[p_values])
    page = options.page.read_text(encoding="utf-8")
    options.page.write_text(between(page, "clusters", text), encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
