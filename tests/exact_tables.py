"""The oracle of several classes: class mixes in all orders, in exact arithmetic.

Nothing here comes from the library. A measure is its textbook definition on a table C, a row per
true class; dealing a deck m against true counts n gives each table with those margins with
probability ∏n_k! ∏m_k! / (M! ∏C_kj!). Numbers are fractions. Square and K-th roots are mpmath
numbers, to 50 digits (see conftest.py), and are compared at 40.

    >>> exact_law("accuracy", (2, 1), (1, 2)).at_least(Fraction(1))
    Fraction(0, 1)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import factorial, isqrt, prod
from typing import TYPE_CHECKING

import mpmath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Counts = tuple[int, ...]
Table = tuple[Counts, ...]
Exact = Fraction | mpmath.mpf

# Numbers with a root that differ by less than this are equal.
_SAME = Fraction(1, 10**40)


# --- all class mixes and all tables ---------------------------------------------------------------


def compositions(total: int, parts: int) -> Iterator[Counts]:
    """All ways to write a total as a sum of some whole numbers, zeros included, in order."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total, -1, -1):
        for rest in compositions(total - first, parts - 1):
            yield first, *rest


def mixes(n: Counts) -> list[Counts]:
    """All class mixes of a guess: as many as observations, of the classes that occur."""
    return [
        m
        for m in compositions(sum(n), len(n))
        if all(a or not b for a, b in zip(n, m, strict=True))
    ]


def tables_with_margins(n: Counts, m: Counts) -> Iterator[Table]:
    """All tables with these row sums and column sums."""
    if len(n) == 1:
        yield (m,)
        return
    for row in _rows(n[0], m):
        left = tuple(a - b for a, b in zip(m, row, strict=True))
        for rest in tables_with_margins(n[1:], left):
            yield row, *rest


def _rows(size: int, room: Counts) -> Iterator[Counts]:
    """All rows with this sum that fit into the columns."""
    if len(room) == 1:
        if size <= room[0]:
            yield (size,)
        return
    for first in range(min(size, room[0]), -1, -1):
        for rest in _rows(size - first, room[1:]):
            yield first, *rest


@cache
def dealt(n: Counts, m: Counts) -> dict[Table, Fraction]:
    """The probability of each table when the deck m is dealt against the true counts n."""
    ways = prod(map(factorial, (*n, *m)))
    return {
        table: Fraction(
            ways, factorial(sum(n)) * prod(factorial(cell) for row in table for cell in row)
        )
        for table in tables_with_margins(n, m)
    }


# --- definitions ----------------------------------------------------------------------------------


def _true(table: Table) -> Counts:
    return tuple(map(sum, table))


def _predicted(table: Table) -> Counts:
    return tuple(map(sum, zip(*table, strict=True)))


def _right(table: Table) -> int:
    return sum(row[k] for k, row in enumerate(table))


def root(value: Fraction, degree: int = 2) -> Exact:
    """The root of a fraction: a fraction if it is one, and otherwise 50 digits."""
    if degree == 2:
        above, below = isqrt(value.numerator), isqrt(value.denominator)
        if above * above == value.numerator and below * below == value.denominator:
            return Fraction(above, below)
    if value in (0, 1):
        return value
    return mpmath.root(mpmath.mpf(value.numerator) / value.denominator, degree)


def _accuracy(table: Table) -> Fraction:
    return Fraction(_right(table), sum(_true(table)))


def _hamming(table: Table) -> Fraction:
    return 1 - _accuracy(table)


def _kappa(weight: Callable[[int, int], int]) -> Callable[[Table], Fraction]:
    """1 - observed / expected disagreement, each cell with its weight."""

    def kappa(table: Table) -> Fraction:
        n, m = _true(table), _predicted(table)
        places = [(j, k) for j in range(len(n)) for k in range(len(m))]
        observed = sum(weight(j, k) * table[j][k] for j, k in places)
        expected = Fraction(sum(weight(j, k) * n[j] * m[k] for j, k in places), sum(n))
        return 1 - observed / expected

    return kappa


def _mcc(table: Table) -> Exact:
    n, m = _true(table), _predicted(table)
    total = sum(n)
    above = total * _right(table) - sum(a * b for a, b in zip(n, m, strict=True))
    square = (total**2 - sum(a * a for a in n)) * (total**2 - sum(b * b for b in m))
    return Fraction(0) if square == 0 else above / root(Fraction(square))


def _recalls(table: Table) -> list[Fraction]:
    """The recall of each class that occurs."""
    return [Fraction(row[k], sum(row)) for k, row in enumerate(table) if sum(row)]


def _balanced(table: Table) -> Fraction:
    recalls = _recalls(table)
    return sum(recalls) / Fraction(len(recalls))


def _adjusted(table: Table) -> Fraction:
    chance = Fraction(1, len(_recalls(table)))
    return (_balanced(table) - chance) / (1 - chance)


def _g_mean(table: Table) -> Exact:
    recalls = _recalls(table)
    return root(prod(recalls, start=Fraction(1)), len(recalls))


def _precision(right: int, n: int, m: int) -> Fraction:
    return Fraction(right, m)


def _recall(right: int, n: int, m: int) -> Fraction:
    return Fraction(right, n)


def _jaccard(right: int, n: int, m: int) -> Fraction:
    return Fraction(right, n + m - right)


def _f(beta: Fraction) -> Callable[[int, int, int], Fraction]:
    def f(right: int, n: int, m: int) -> Fraction:
        weight = beta**2
        return (1 + weight) * right / (weight * n + m)

    return f


def _average(
    score: Callable[[int, int, int], Fraction], *, weighted: bool, empty: int | None = 0
) -> Callable[[Table], Fraction]:
    """The scores of the classes that occur or are predicted; `empty` is 0/0, None leaves it out."""

    def average(table: Table) -> Fraction:
        parts = []
        for k, (n, m) in enumerate(zip(_true(table), _predicted(table), strict=True)):
            if n + m == 0:
                continue
            try:
                value = score(table[k][k], n, m)
            except ZeroDivisionError:
                if empty is None:
                    continue
                value = Fraction(empty)
            parts.append((n if weighted else 1, value))
        whole = sum(weight for weight, _ in parts)
        # Only classes that never occur have a precision: all of them are 0.
        return sum((weight * value for weight, value in parts), Fraction(0)) / (whole or 1)

    return average


def _micro_jaccard(table: Table) -> Fraction:
    right, total = _right(table), sum(_true(table))
    return Fraction(right, 2 * total - right)


DEFINITIONS: dict[str, Callable[[Table], Exact]] = {
    "accuracy": _accuracy,
    "Hamming loss": _hamming,
    "kappa": _kappa(lambda j, k: int(j != k)),
    "linear kappa": _kappa(lambda j, k: abs(j - k)),
    "quadratic kappa": _kappa(lambda j, k: (j - k) ** 2),
    "MCC": _mcc,
    "balanced accuracy": _balanced,
    "adjusted balanced accuracy": _adjusted,
    "G-mean": _g_mean,
    "macro F1": _average(_f(Fraction(1)), weighted=False),
    "weighted F1": _average(_f(Fraction(1)), weighted=True),
    "macro F2": _average(_f(Fraction(2)), weighted=False),
    "weighted F0.5": _average(_f(Fraction(1, 2)), weighted=True),
    "micro F1": _accuracy,
    "macro precision": _average(_precision, weighted=False),
    "macro precision (1 for 0/0)": _average(_precision, weighted=False, empty=1),
    "macro precision (nan for 0/0)": _average(_precision, weighted=False, empty=None),
    "weighted precision": _average(_precision, weighted=True),
    "weighted precision (1 for 0/0)": _average(_precision, weighted=True, empty=1),
    "weighted precision (nan for 0/0)": _average(_precision, weighted=True, empty=None),
    "micro precision": _accuracy,
    "macro recall": _average(_recall, weighted=False),
    "weighted recall": _average(_recall, weighted=True),
    "micro recall": _accuracy,
    "macro Jaccard": _average(_jaccard, weighted=False),
    "weighted Jaccard": _average(_jaccard, weighted=True),
    "micro Jaccard": _micro_jaccard,
}
"""The measures by key; ZeroDivisionError says that there is no score."""


def same(a: Exact, b: Exact) -> bool:
    """Whether two numbers are equal: exactly, or to 40 digits if one of them has a root."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b
    return abs(_real(a) - _real(b)) <= _real(_SAME)


def _real(value: Exact) -> mpmath.mpf:
    if isinstance(value, Fraction):
        return mpmath.mpf(value.numerator) / value.denominator
    return value


# --- distributions --------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExactLaw:
    """A distribution: ascending scores, each once, and their probabilities."""

    scores: tuple[Exact, ...]
    chances: tuple[Fraction, ...]

    @property
    def mean(self) -> Exact:
        """The expected score."""
        return _dot(self.chances, self.scores)

    @property
    def variance(self) -> Exact:
        """The variance of the score."""
        mean = self.mean
        return _dot(self.chances, [_times(_minus(s, mean), _minus(s, mean)) for s in self.scores])

    def at_least(self, score: Exact) -> Fraction:
        """P(score ≥ s)."""
        pairs = zip(self.scores, self.chances, strict=True)
        return sum((p for s, p in pairs if same(s, score) or s > score), Fraction(0))

    def at_most(self, score: Exact) -> Fraction:
        """P(score ≤ s)."""
        pairs = zip(self.scores, self.chances, strict=True)
        return sum((p for s, p in pairs if same(s, score) or s < score), Fraction(0))

    def quantile(self, level: Fraction) -> Exact:
        """The smallest score with P(score ≤ s) ≥ level."""
        below = Fraction(0)
        for score, chance in zip(self.scores, self.chances, strict=True):
            below += chance
            if below >= level:
                return score
        return self.scores[-1]


def _dot(chances: Sequence[Fraction], values: Sequence[Exact]) -> Exact:
    if all(isinstance(value, Fraction) for value in values):
        return sum((p * v for p, v in zip(chances, values, strict=True)), Fraction(0))
    return mpmath.fsum(_real(p) * _real(v) for p, v in zip(chances, values, strict=True))


def _minus(a: Exact, b: Exact) -> Exact:
    return a - b if isinstance(a, Fraction) and isinstance(b, Fraction) else _real(a) - _real(b)


def _times(a: Exact, b: Exact) -> Exact:
    return a * b if isinstance(a, Fraction) and isinstance(b, Fraction) else _real(a) * _real(b)


def law_of_function(score: Callable[[Table], Exact], n: Counts, m: Counts) -> ExactLaw | None:
    """The law of any function of a table; None if it has no score on one of the tables."""
    chances: dict[Exact, Fraction] = {}
    try:
        for table, chance in dealt(n, m).items():
            value = score(table)
            chances[value] = chances.get(value, Fraction(0)) + chance
    except ZeroDivisionError:
        return None
    merged: list[tuple[Exact, Fraction]] = []
    for value in sorted(chances, key=_real):
        if merged and same(merged[-1][0], value):
            merged[-1] = (merged[-1][0], merged[-1][1] + chances[value])
        else:
            merged.append((value, chances[value]))
    return ExactLaw(*map(tuple, zip(*merged, strict=True)))


@cache
def exact_law(key: str, n: Counts, m: Counts) -> ExactLaw | None:
    """The law of a measure when a deck is dealt; None if it has no score."""
    return law_of_function(DEFINITIONS[key], n, m)


def expected_score(key: str, n: Counts, m: Counts) -> Exact | None:
    """The expected score of a deck; None if it has none."""
    law = exact_law(key, n, m)
    return None if law is None else law.mean


@dataclass(frozen=True)
class Extreme:
    """An extreme expected score, and all class mixes that have it."""

    value: Exact
    guesses: frozenset[Counts]


def extremes(key: str, n: Counts) -> tuple[Extreme, Extreme] | None:
    """The largest and the smallest expected score of a reference; None if no deck has a score."""
    means = {m: mean for m in mixes(n) if (mean := expected_score(key, n, m)) is not None}
    if not means:
        return None
    ends = (max(means.values(), key=_real), min(means.values(), key=_real))
    highest, lowest = (
        Extreme(end, frozenset(m for m, mean in means.items() if same(mean, end))) for end in ends
    )
    return highest, lowest


def small_test_sets(most: int, classes: int, *, each: bool = True) -> list[Counts]:
    """All true counts up to a total; every class occurs, unless told otherwise."""
    return [
        n
        for total in range(1, most + 1)
        for n in compositions(total, classes)
        if all(n) or not each
    ]
