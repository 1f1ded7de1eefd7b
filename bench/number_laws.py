"""How far p-values of shuffled predictions are off, and how long they take.

Run as `python bench/number_laws.py`; it takes some ten minutes. For each kind of data and each
loss it compares the tails that a law gives with those of an oracle:

- all orders of 12 or 13 observations, by sums over sets of cards, with losses rounded to a grid;
- all choices of cards for predictions of two values, by sums over how many were chosen, as far
  out as 1e-8;
- long simulations otherwise, as far out as 300 shuffles tell, which is 6%.

It prints, for each method, how many laws used it and the quantiles of the relative errors.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.regression.law.sum_law import distribution_of
from baserate.regression.law.sums import DealtSum

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = ("normal", "lognormal", "t3", "uniform", "outlier", "counts", "binary")
LOSSES: dict[str, Callable[[Any, Any], Any]] = {
    "products": np.multiply,
    "absolute": lambda y, z: np.abs(y - z),
    "relative": lambda y, z: np.abs(y - z) / np.maximum(np.abs(y), 0.05),
    "pinball": lambda y, z: np.where(y >= z, 0.9 * (y - z), 0.1 * (z - y)),
}
LEVELS = (0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6, 1e-8)
Errors = dict[tuple[str, str, float], list[float]]


def data(kind: str, size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return truths and predictions of a kind."""
    rng = np.random.default_rng(1_000 * size + seed)
    if kind == "counts":
        return rng.poisson(1, size) * 1.0, rng.poisson(2, size) * 1.0
    if kind == "binary":
        return rng.normal(size=size), (rng.random(size) < 0.3) * 1.0
    if kind == "outlier":
        return np.append(rng.normal(size=size - 1), 20), rng.normal(size=size)
    draw = {
        "normal": rng.normal,
        "lognormal": rng.lognormal,
        "uniform": rng.random,
        "t3": lambda size: rng.standard_t(3, size),
    }[kind]
    return draw(size=size), draw(size=size)


def dealt_of(name: str, y: np.ndarray, z: np.ndarray, times: np.ndarray | None) -> DealtSum:
    """Return the sum; of products as measures have them, standardised."""
    if name == "products":
        return DealtSum(np.multiply, (y - y.mean()) / y.std(), (z - z.mean()) / (z.std() or 1.0))
    return DealtSum(LOSSES[name], y, z, times)


def matrix_of(dealt: DealtSum) -> np.ndarray:
    """Return what all rows get from all cards."""
    return dealt.gains(dealt.each_row, dealt.each_card)


def simulated(dealt: DealtSum, shuffles: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of random orders, and the chance of each."""
    rng, scorer = np.random.default_rng(seed), dealt.scorer()
    part = max(1, 500_000 // dealt.total)
    places = np.tile(np.arange(dealt.total), (part, 1))
    found = [scorer(rng.permuted(places, axis=1)) for _ in range(shuffles // part + 1)]
    numbers = np.concatenate(found)
    return numbers, np.full(numbers.size, 1 / numbers.size)


def of_subsets(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all numbers of a matrix of whole numbers, and their chances, card by card."""
    size = len(matrix)
    lowest = matrix.min(axis=1)
    steps = (matrix - lowest[:, np.newaxis]).astype(int)
    laws, length = {0: np.ones(1)}, 1
    for row in range(size):
        length += steps[row].max()
        further: dict[int, np.ndarray] = {}
        for used, law in laws.items():
            for card in range(size):
                if not used >> card & 1:
                    place = further.setdefault(used | 1 << card, np.zeros(length))
                    place[steps[row, card] : steps[row, card] + law.size] += law / (size - row)
        laws = further
    law = laws[(1 << size) - 1]
    return (np.arange(law.size) + lowest.sum()) / size, law


def of_choices(gains: np.ndarray, chosen: int) -> tuple[np.ndarray, np.ndarray]:
    """Return all sums of so many of some whole numbers, and their chances."""
    steps = (gains - gains.min()).astype(int)
    law = np.zeros((chosen + 1, int(np.sort(steps)[-chosen:].sum()) + 1))
    law[0, 0] = 1.0
    for seen, step in enumerate(steps):
        # Of the rows seen so far, each is as likely to be chosen.
        for many in range(min(chosen, seen + 1), 0, -1):
            law[many, step:] += law[many - 1, : law.shape[1] - step]
        law /= 2
    chances = law[chosen] / law[chosen].sum()
    return np.arange(law.shape[1]) + chosen * gains.min(), chances


def compare(
    dealt: DealtSum, numbers: np.ndarray, chances: np.ndarray, deepest: float, errors: Errors
) -> str:
    """Add the relative errors of both tails at some levels; return the method."""
    found = distribution_of(dealt)
    order = np.argsort(numbers)
    ascending, upto = numbers[order], np.cumsum(chances[order])
    downto = np.cumsum(chances[order][::-1])[::-1]
    slack = 1e-9 * np.abs(ascending).max()
    for level in LEVELS:
        if level < deepest:
            continue
        low = ascending[np.searchsorted(upto, level)]
        high = ascending[np.flatnonzero(downto >= level)[-1]]
        below = upto[np.searchsorted(ascending, low + slack, side="right") - 1]
        above = downto[np.searchsorted(ascending, high - slack)]
        size = "small" if dealt.total < 20 else "some" if dealt.total <= 4_000 else "many"
        for known, chance in ((below, found.below(low)), (above, found.above(high))):
            if known < 3 * level:  # no lump that holds most of it
                errors[found.method, size, level].append(chance / known - 1)
    return found.method


def small(errors: Errors, seeds: int) -> None:
    """Compare laws of 12 or 13 observations, on grids of 1/60 of the largest number."""
    for size in (12, 13):
        for kind in KINDS:
            for seed in range(seeds):
                y, z = data(kind, size, seed)
                for name, loss in LOSSES.items():
                    matrix = loss(y[:, np.newaxis], z)
                    matrix = matrix - matrix.mean(axis=0) - matrix.mean(axis=1)[:, np.newaxis]
                    matrix = np.round(60 * matrix / max(np.abs(matrix).max(), 1e-9))
                    places = np.arange(float(size))
                    dealt = DealtSum(
                        lambda i, j, known=matrix: known[i.astype(int), j.astype(int)],
                        places,
                        places,
                    )
                    numbers, chances = of_subsets(matrix)
                    compare(dealt, numbers, chances, 1e-6, errors)
                    print("small", size, kind, seed, name, file=sys.stderr)


def two_values(errors: Errors, seeds: int) -> None:
    """Compare laws of predictions of two values, as far out as 1e-8."""
    for size in (20, 50, 200):
        for kind in ("normal", "lognormal", "t3", "uniform", "outlier", "counts"):
            for seed in range(seeds):
                y = data(kind, size, seed)[0]
                levels = 200 if size < 200 else 60
                y = np.round(levels * y / np.abs(y).max())
                for share in (0.1, 0.4):
                    chosen = max(2, int(share * size))
                    z = np.repeat([0.0, 1.0], [size - chosen, chosen])
                    dealt = dealt_of("products", y, z, None)
                    numbers, chances = of_choices(y, chosen)
                    scaled = (numbers - chosen * y.mean()) / (y.std() * z.std() * size)
                    compare(dealt, scaled, chances, 1e-8, errors)


def long(errors: Errors, sizes: tuple[int, ...], shuffles: int, *, weighted: bool) -> None:
    """Compare laws with long simulations."""
    for size in sizes:
        for kind in KINDS:
            y, z = data(kind, size, 7)
            times = np.random.default_rng(size).exponential(size=size) if weighted else None
            for name in list(LOSSES)[weighted:]:
                times = None if times is None else times / times.mean()
                dealt = dealt_of(name, y, z, times)
                numbers, chances = simulated(dealt, shuffles, 11)
                method = compare(dealt, numbers, chances, 300 / numbers.size, errors)
                print("long", size, kind, name, weighted, method, file=sys.stderr, flush=True)


def report(title: str, errors: Errors) -> None:
    """Print the quantiles of the errors of each method."""
    for (method, size, level), found in sorted(errors.items()):
        low, middle, high = np.quantile(found, [0.05, 0.5, 0.95])
        worst = max(found, key=abs)
        print(
            f"{title:14} {method:12} {size:6} {level:8g}  {len(found):4} tails  "
            f"5% {low:+.3f}  median {middle:+.3f}  95% {high:+.3f}  worst {worst:+.3f}",
            flush=True,
        )


if __name__ == "__main__":
    started, parts = time.time(), sys.argv[1:]
    for title, run in (
        ("small", lambda found: small(found, 2)),
        ("two", lambda found: two_values(found, 3)),
        ("20", lambda found: long(found, (20,), 2_000_000, weighted=False)),
        ("50", lambda found: long(found, (50,), 1_000_000, weighted=False)),
        ("200", lambda found: long(found, (200,), 300_000, weighted=False)),
        ("weighted", lambda found: long(found, (20, 50, 200), 300_000, weighted=True)),
        ("many", lambda found: long(found, (6_000,), 3_000, weighted=False)),
        ("weighted many", lambda found: long(found, (6_000,), 3_000, weighted=True)),
    ):
        if not parts or title in parts:
            errors: Errors = defaultdict(list)
            run(errors)
            report(title, errors)
    print(f"{time.time() - started:.0f} s", file=sys.stderr)
