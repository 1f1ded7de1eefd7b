"""The oracle of two models: every way of swapping their answers, row by row, in exact arithmetic.

Nothing here comes from the library. A row is the truth and the answers of both models; a swap
exchanges the answers on a subset of the rows where they differ, and every subset is equally
likely.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import mpmath

from exact import DEFINITIONS, Root, real

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exact import Counts, Exact

Row = tuple[int, int, int]
_NEAR = mpmath.mpf(10) ** -40


@dataclass(frozen=True)
class Pair:
    """The confusion tables of two models."""

    first: Counts
    second: Counts


def rows_of(counts: Sequence[int]) -> list[Row]:
    """Rows of truth, first and second, from the eight counts of 000, 001, …, 111."""
    cells = [(cell >> 2 & 1, cell >> 1 & 1, cell & 1) for cell in range(8)]
    return [cell for cell, count in zip(cells, counts, strict=True) for _ in range(count)]


def _table(rows: Sequence[Row], model: int) -> Counts:
    found = Counter((row[0], row[model]) for row in rows)
    return found[1, 1], found[0, 1], found[1, 0], found[0, 0]


def observed(rows: Sequence[Row]) -> Pair:
    """The tables as they are."""
    return Pair(_table(rows, 1), _table(rows, 2))


def swapped(rows: Sequence[Row]) -> dict[Pair, Fraction]:
    """The law of both tables over all 2^d swaps of the d rows where the models differ."""
    fixed = [row for row in rows if row[1] == row[2]]
    free = [row for row in rows if row[1] != row[2]]
    base = observed(fixed)
    tally: Counter[Pair] = Counter()
    for choice in range(2 ** len(free)):
        exchanged = [
            (truth, b, a) if choice >> place & 1 else (truth, a, b)
            for place, (truth, a, b) in enumerate(free)
        ]
        found = observed(exchanged)
        tally[Pair(_plus(base.first, found.first), _plus(base.second, found.second))] += 1
    return {pair: Fraction(count, 2 ** len(free)) for pair, count in tally.items()}


def _plus(a: Counts, b: Counts) -> Counts:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])


def difference(pair: Pair, definition: Callable[..., Exact]) -> Fraction | mpmath.mpf | None:
    """The second score minus the first; None if one of them does not exist."""
    try:
        first, second = definition(*pair.first), definition(*pair.second)
    except ZeroDivisionError:
        return None
    if isinstance(first, Root) or isinstance(second, Root):
        return real(second) - real(first)
    return second - first


def p_value(
    law: dict[Pair, Fraction], seen: Pair, key: str | Callable[..., Exact]
) -> Fraction | None:
    """The chance of a difference at least as large in size; a swap without scores counts as one."""
    definition = DEFINITIONS[key] if isinstance(key, str) else key
    size = difference(seen, definition)
    if size is None:
        return None
    total = Fraction(0)
    for pair, mass in law.items():
        found = difference(pair, definition)
        if found is None or _is_as_large(found, size):
            total += mass
    return total


def _is_as_large(found: Fraction | mpmath.mpf, size: Fraction | mpmath.mpf) -> bool:
    if isinstance(found, Fraction) and isinstance(size, Fraction):
        return abs(found) >= abs(size)
    return bool(abs(mpmath.mpf(real_of(found))) >= abs(real_of(size)) - _NEAR)


def real_of(value: Fraction | mpmath.mpf) -> mpmath.mpf:
    """The value to 50 digits."""
    return real(value) if isinstance(value, Fraction) else value
