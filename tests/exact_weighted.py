"""The oracle of importance weights: every draw of units, in exact arithmetic.

Nothing here comes from the library. A draw is every subset of the units, a unit counts as much as
its weight, and a score is the textbook definition of the measure at the weighted counts.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING

import mpmath

import exact
from exact import DEFINITIONS, real

if TYPE_CHECKING:
    from collections.abc import Sequence

    from exact import Exact

Cells = tuple[Fraction, Fraction, Fraction, Fraction]
Truth = tuple[int, ...]
Weights = tuple[Fraction, ...]
# Two sums of square roots are the same if they are this close, at 50 digits.
_NEAR = mpmath.mpf(10) ** -40


def counted(truth: Sequence[int], predicted: Sequence[int], weights: Sequence[Fraction]) -> Cells:
    """The weighted (tp, fp, fn, tn)."""
    sums = {cell: Fraction(0) for cell in product((1, 0), repeat=2)}
    for label, answer, weight in zip(truth, predicted, weights, strict=True):
        sums[label, answer] += weight
    return sums[1, 1], sums[0, 1], sums[1, 0], sums[0, 0]


@cache
def tables(truth: Truth, weights: Weights, drawn: int) -> dict[Cells, Fraction]:
    """The law of the weighted counts: every subset of `drawn` units is equally likely."""
    tally: dict[Cells, int] = defaultdict(int)
    for subset in combinations(range(len(truth)), drawn):
        chosen = set(subset)
        predicted = [int(unit in chosen) for unit in range(len(truth))]
        tally[counted(truth, predicted, weights)] += 1
    return {table: Fraction(n, comb(len(truth), drawn)) for table, n in tally.items()}


def null(key: str, truth: Truth, weights: Weights, drawn: int) -> dict[Exact, Fraction] | None:
    """The law of a score; None if a draw has none."""
    return exact.distribution(key, tables(truth, weights, drawn))  # type: ignore[arg-type]


def expectations(key: str, truth: Truth, weights: Weights) -> dict[int, Fraction | mpmath.mpf]:
    """The expectation of every draw that has one, by its size."""
    return exact.expectations(
        key,
        0,
        len(truth),
        lambda _, __, drawn: tables(truth, weights, drawn),  # type: ignore[arg-type, return-value]
    )


def tail(scores: dict[Exact, Fraction], score: Exact, *, upper: bool) -> Fraction:
    """The chance of a score at least as high, or at most."""
    sign = 1 if upper else -1
    mark = real(score)
    return sum(
        (mass for value, mass in scores.items() if sign * (real(value) - mark) >= -_NEAR),
        Fraction(0),
    )


def quantile(scores: dict[Exact, Fraction], level: Fraction) -> mpmath.mpf:
    """The lowest score that is not exceeded with at least this chance."""
    below = Fraction(0)
    ordered = sorted((real(value), mass) for value, mass in scores.items())
    for value, mass in ordered:
        below += mass
        if below >= level:
            return value
    return ordered[-1][0]


def swapped(
    key: str,
    truth: Truth,
    first: Truth,
    second: Truth,
    weights: Weights,
) -> Fraction | None:
    """The share of all row-by-row swaps of two models whose scores differ at least as much.

    Swaps that leave a model without a score count.
    """
    observed = _apart(key, truth, first, second, weights)
    if observed is None:
        return None
    reached = 0
    for swap in product((False, True), repeat=len(truth)):
        one = tuple(b if s else a for a, b, s in zip(first, second, swap, strict=True))
        other = tuple(a if s else b for a, b, s in zip(first, second, swap, strict=True))
        apart = _apart(key, truth, one, other, weights)
        reached += apart is None or apart >= observed - _NEAR
    return Fraction(reached, 2 ** len(truth))


def _apart(
    key: str, truth: Truth, first: Truth, second: Truth, weights: Weights
) -> mpmath.mpf | None:
    try:
        scores = [
            real(DEFINITIONS[key](*counted(truth, each, weights))) for each in (first, second)
        ]
    except ZeroDivisionError:
        return None
    return abs(scores[1] - scores[0])


def sums(values: Sequence[int], drawn: int) -> dict[int, int]:
    """How many draws of a size have each sum of whole numbers: beyond what can be enumerated."""
    ways: list[dict[int, int]] = [{0: 1}, *({} for _ in range(drawn))]
    for value in values:
        for size in range(drawn, 0, -1):
            for total, number in ways[size - 1].items():
                ways[size][total + value] = ways[size].get(total + value, 0) + number
    return ways[drawn]
