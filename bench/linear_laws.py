"""How close the laws of scores that are linear in the positives are, and how long they take.

`python bench/linear_laws.py [seconds] [seed]` prints two tables. Errors are relative, over both
tails of random blocks with whole weights, whose law is added up block by block; the cases have
probabilities with and without ties, many zeros, outliers, and few distinct values. Times are in
seconds: of mean and variance, of the choice of a method, of a p-value and of a luck interval.
"""

from __future__ import annotations

import math
import sys
import time
from collections import defaultdict
from typing import Any

import numpy as np
from scipy.special import gammaln

from baserate.binary.base_rate import BaseRate
from baserate.core.direction import Direction
from baserate.ranking.law.linear import LinearLaw
from baserate.ranking.law.linear_blocks import WeightedBlocks
from baserate.ranking.law.linear_choice import law_of_sum

LEVELS = (0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6, 1e-8)
POSITIVES = (3, 5, 9, 16, 17, 22, 30, 40, 41, 60, 90, 150)


def exact_masses(sizes: Any, weights: Any, positives: int) -> Any:
    """Return the chance of each sum of whole weights, from 0 on."""
    share = positives / sizes.sum()
    ways = np.zeros((positives + 1, positives * int(weights.max()) + 1))
    ways[0, 0] = 1.0
    for size, weight in zip(sizes.tolist(), weights.tolist(), strict=True):
        counts = np.arange(min(size, positives) + 1)
        logs = gammaln(size + 1) - gammaln(counts + 1) - gammaln(size - counts + 1)
        logs += counts * math.log(share) + (size - counts) * math.log1p(-share)
        grown = ways * math.exp(logs[0])
        for count in counts[1:].tolist():
            part = ways[: positives + 1 - count, : ways.shape[1] - count * weight]
            grown[count:, count * weight :] += math.exp(logs[count]) * part
        ways = grown
    return ways[positives] / ways[positives].sum()


def random_blocks(rng: np.random.Generator, positives: int) -> tuple[Any, Any]:
    """Return sizes and whole weights of some kind."""
    total = min(int(positives * 2 * 10 ** rng.uniform(0, 3.5)), 10**6)
    rows = min(total, 20_000)
    shape = rng.choice([0.3, 1, 2, 5]), rng.choice([0.5, 1, 3, 9])
    values = rng.beta(*shape, rows)
    kind = rng.integers(5)
    if kind == 1:
        values[rng.random(rows) < rng.uniform(0.1, 0.8)] = 0
    elif kind == 2:
        values = rng.normal(size=rows)
        values[: max(1, rows // int(rng.choice([20, 100, 500])))] += rng.choice([-12, 12])
    elif kind == 3:
        values = rng.choice(rng.random(int(rng.integers(6, 25))), rows)
    values = (values - values.min()) / max(np.ptp(values), 1e-9)
    whole = np.rint(values * rng.choice([20, 60, 150])).astype(int)
    weights, sizes = np.unique(whole, return_counts=True)
    return np.maximum(1, np.rint(sizes * (total / rows))).astype(int), weights


def errors(seconds: float, seed: int) -> None:
    """Compare the laws with exact ones, for some time."""
    rng, found = np.random.default_rng(seed), defaultdict(list)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        positives = int(rng.choice(POSITIVES))
        sizes, weights = random_blocks(rng, positives)
        cost = np.minimum(sizes, positives).sum() * positives**2 * int(weights.max())
        if weights.size < 3 or 2 * positives > sizes.sum() or cost > 1e9:
            continue
        masses = exact_masses(sizes, weights, positives)
        blocks, centre = WeightedBlocks.of(sizes, weights.astype(float), positives)
        law = law_of_sum(blocks)
        above, below = np.cumsum(masses[::-1])[::-1], np.cumsum(masses)
        for level in LEVELS:
            for tail, ask, first in ((above, law.at_least, 0), (below, law.at_most, -1)):
                places = np.flatnonzero((tail <= level) & (masses > 0))
                if places.size and tail[places[first]] > level / 5:
                    place = int(places[first])
                    error = ask(place - positives * centre) / tail[place] - 1
                    found[law.method, law.error, level].append(error)
    print("method              stated error       p    cases     lowest    highest")
    for (method, stated, level), each in sorted(found.items()):
        print(
            f"{method:20}{stated:12.4f}{level:10g}{len(each):8}{min(each):11.4f}{max(each):11.4f}"
        )


def times() -> None:
    """Time the laws of many scores."""
    rng = np.random.default_rng(1)
    print("blocks      positives   method               moments  method  p-value  interval")
    for total in (10**3, 10**5, 10**7):
        values = np.sort(rng.beta(2, 5, total))
        for positives in (5, 16, 300, total // 5):
            rate = BaseRate(positives=positives, total=total)
            law = LinearLaw(rate, np.ones(total, int), values)
            marks = [time.perf_counter()]
            deviation = math.sqrt(law.variance())
            marks.append(time.perf_counter())
            method = law.method
            marks.append(time.perf_counter())
            law.tail(law.mean() + 2.5 * deviation, Direction.MAXIMIZE)
            marks.append(time.perf_counter())
            law.interval(0.95)
            marks.append(time.perf_counter())
            taken = "".join(f"{each:9.3f}" for each in np.diff(marks))
            print(f"{total:<12}{positives:<12}{method:20}{taken}")


if __name__ == "__main__":
    given = [float(each) for each in sys.argv[1:]]
    errors(given[0] if given else 120.0, int(given[1]) if len(given) > 1 else 1)
    times()
