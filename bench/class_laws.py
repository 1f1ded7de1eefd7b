"""How close the approximate laws of several classes are, and how long all of them take.

`python bench/class_laws.py` prints two tables, in a few minutes. Errors are relative, over both
tails where the exact probability is between 1e-6 and 0.9; exact tails come from card matching, or
from a list of all tables. Times are in seconds: of the law with its p-value, and of the luck
interval.
"""

from __future__ import annotations

import time

import numpy as np

from baserate.core.direction import Direction
from baserate.multiclass.law import card_matching, enumeration, trace_law
from baserate.multiclass.law.linear_form import linear_form
from baserate.multiclass.law.saddlepoint import LinearSum, SaddlepointCount
from baserate.multiclass.law.score_law import ScoreLaw
from baserate.multiclass.law.scores_of_tables import ScoresOfTables, slack_of
from baserate.multiclass.measures.catalogue import get_class_measure

UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE
SHARES = ((0.7, 0.2, 0.1), (0.62, 0.28, 0.1))
SUMS = ("macro F1", "balanced accuracy", "weighted F1", "weighted precision", "linear kappa")


def zipf(classes: int, total: int, seed: int) -> tuple[int, ...]:
    """Return counts of classes that get rarer and rarer."""
    shares = 1 / np.arange(1, classes + 1)
    drawn = np.random.default_rng(seed).multinomial(total, shares / shares.sum())
    return tuple(map(int, drawn))


def errors_of_counts() -> None:
    """Compare the saddlepoint of the number of right answers with card matching."""
    print("right answers       M     sd   worst error, 1e-6 < p < 0.9   worst, p > 1e-100")
    cases = [
        ("3 classes", (70, 20, 10), (62, 28, 10)),
        ("3 classes", (700, 200, 100), (620, 280, 100)),
        ("3 classes", (1400, 400, 200), (1240, 560, 200)),
        ("one of 85%", (1700, 150, 150), (1700, 150, 150)),
        ("10 equal", (200,) * 10, (200,) * 10),
        ("10 rarer", zipf(10, 2000, 1), zipf(10, 2000, 2)),
        ("100 equal", (20,) * 100, (20,) * 100),
        ("100 rarer", zipf(100, 2000, 1), zipf(100, 2000, 2)),
        ("1000 equal", (100,) * 1000, (100,) * 1000),
    ]
    for name, n, m in cases:
        exact, law = card_matching.matches(n, m), SaddlepointCount(n, m)
        found: list[tuple[float, float]] = []
        for place in range(0, exact.masses.size, max(1, exact.masses.size // 400)):
            count = place + exact.first
            for known, tail in (
                (exact.at_least[place], law.at_least),
                (exact.at_most[place], law.at_most),
            ):
                if 1e-100 < known < 0.9:
                    found.append((float(known), abs(tail(count) / known - 1)))
        near = max(error for known, error in found if known > 1e-6)
        far = max(error for _, error in found)
        sd = ScoreLaw(get_class_measure("accuracy"), n, m).variance() ** 0.5 * sum(n)
        print(f"{name:15} {sum(n):6} {sd:6.1f} {near:29.1e} {far:19.1e}")


def errors_of_sums() -> None:
    """Compare the saddlepoint of weighted sums with all tables, also where it is not used."""
    print("\nweighted sum                M  used   worst error at p > 1e-2   1e-4   1e-6")
    # Longer lists than the library makes.
    vars(enumeration).update(_MOST_TABLES=2_000_000, _MOST_CELLS=20_000_000)
    for total in (100, 200, 300, 400):
        n, m = (tuple(round(total * share) for share in shares) for shares in SHARES)
        tables, chances = enumeration.all_tables(n, m)
        for key in SUMS:
            measure = get_class_measure(key)
            scores = measure.scores(tables.astype(float))
            exact = ScoresOfTables(scores, chances, slack_of(scores, 1), rises=True)
            weights, added = linear_form(measure, n, m)
            is_dense = "kappa" in key
            law = (
                LinearSum.of_cells(n, m, weights)
                if is_dense
                else LinearSum.of_diagonal(n, m, np.diag(weights))
            )
            worst = []
            for least in (1e-2, 1e-4, 1e-6):
                levels = np.geomspace(least, 0.5, 40)
                worst.append(0.0)
                for level in levels:
                    for at, direction, tail in (
                        (1 - level, UP, law.at_least),
                        (level, DOWN, law.at_most),
                    ):
                        score = exact.quantile(at)
                        known = exact.tail(score, direction)
                        worst[-1] = max(worst[-1], abs(tail(score - added) / known - 1))
            print(
                f"{key:22} {total:6} {law.is_smooth!s:>5}"
                f" {worst[0]:25.1e} {worst[1]:6.0e} {worst[2]:6.0e}"
            )


def times() -> None:
    """Measure how long a law takes, with its p-value, and with its luck interval."""
    print("\nlaw                      classes          M  method          p-value   interval")
    cases = [
        ("accuracy", (1200, 800), (1500, 500)),
        ("accuracy", (667, 667, 666), (667, 667, 666)),
        ("accuracy", (1600, 200, 200), (1600, 200, 200)),
        ("accuracy", zipf(10, 2000, 1), zipf(10, 2000, 2)),
        ("accuracy", zipf(100, 2000, 1), zipf(100, 2000, 2)),
        ("accuracy", zipf(1000, 2000, 1), zipf(1000, 2000, 2)),
        ("accuracy", zipf(1000, 10**9, 1), zipf(1000, 10**9, 2)),
        ("macro F1", zipf(1000, 10**9, 1), zipf(1000, 10**9, 2)),
        ("macro F1", (700, 200, 100), (620, 280, 100)),
        ("macro Jaccard", (700, 200, 100), (620, 280, 100)),
        ("macro Jaccard", zipf(100, 10**6, 1), zipf(100, 10**6, 2)),
        ("G-mean", zipf(10, 10**6, 1), zipf(10, 10**6, 2)),
        ("linear kappa", zipf(100, 10**6, 1), zipf(100, 10**6, 2)),
        ("linear kappa", zipf(1000, 10**9, 1), zipf(1000, 10**9, 2)),
    ]
    for key, n, m in cases:
        trace_law.trace_law.cache_clear()
        law = ScoreLaw(get_class_measure(key), n, m)
        start = time.perf_counter()
        law.tail(law.mean() * 1.01 + 1e-3, UP)
        p_value = time.perf_counter()
        law.quantiles((0.025, 0.975))
        interval = time.perf_counter()
        print(
            f"{key:22} {len(n):9} {sum(n):10}  {law.method:14} {p_value - start:8.2f} "
            f"{interval - p_value:10.2f}"
        )


if __name__ == "__main__":
    errors_of_counts()
    errors_of_sums()
    times()
