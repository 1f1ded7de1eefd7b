"""The definitions of measures of several classes, on a table with a row per true class.

Nothing here comes from the library. Numbers are fractions; square and K-th roots are mpmath
numbers, to 50 digits (see conftest.py).
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt, prod
from typing import TYPE_CHECKING

import mpmath

if TYPE_CHECKING:
    from collections.abc import Callable

Counts = tuple[int, ...]
Table = tuple[Counts, ...]
Exact = Fraction | mpmath.mpf


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
