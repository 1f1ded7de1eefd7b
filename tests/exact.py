"""The oracle: the Dutch Draw enumerated from its definition, in exact arithmetic.

Nothing here comes from the library. A draw is every subset that σ_θ can choose, a score is the
textbook definition of the measure, and a probability is a fraction of the subsets. Scores with a
square root are kept as their squares, and added up at 50 digits (see conftest.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from typing import TYPE_CHECKING

import mpmath

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

Counts = tuple[int, int, int, int]


@dataclass(frozen=True)
class Root:
    """A real number whose square is rational: sign·√square."""

    sign: int
    square: Fraction

    @classmethod
    def of_product(cls, *factors: Fraction) -> Root:
        """√(a·b) of non-negative rates."""
        square = Fraction(1)
        for factor in factors:
            square *= factor
        return cls(int(square > 0), square)


Exact = Fraction | Root


def real(value: Exact) -> mpmath.mpf:
    """The value to 50 digits."""
    if isinstance(value, Root):
        return value.sign * mpmath.sqrt(real(value.square))
    return mpmath.mpf(value.numerator) / value.denominator


def _over(numerator: int, denominator: int) -> Fraction:
    return Fraction(numerator, denominator)  # ZeroDivisionError: the measure is undefined


def _fbeta(beta: Fraction) -> Callable[..., Exact]:
    def f(tp: int, fp: int, fn: int, tn: int) -> Exact:
        ppv, tpr = _over(tp, tp + fp), _over(tp, tp + fn)
        if tp == 0:
            return Fraction(0)  # the harmonic mean of zeros, which Table 1 writes as 1/0
        return (1 + beta**2) / (1 / ppv + beta**2 / tpr)

    return f


def _mcc(tp: int, fp: int, fn: int, tn: int) -> Exact:
    determinant = tp * tn - fp * fn
    square = _over(determinant**2, (tp + fp) * (tn + fn) * (tp + fn) * (tn + fp))
    return Root((determinant > 0) - (determinant < 0), square)


def _kappa(tp: int, fp: int, fn: int, tn: int) -> Exact:
    m = tp + fp + fn + tn
    observed = _over(tp + tn, m)
    expected = _over((tp + fp) * (tp + fn) + (tn + fn) * (tn + fp), m * m)
    return (observed - expected) / (1 - expected)


def _ts(tp: int, fp: int, fn: int, tn: int) -> Exact:
    _over(1, tp + fn)  # Table 2: P > 0
    return _over(tp, tp + fn + fp)


# Table 1, transcribed.
DEFINITIONS: dict[str, Callable[..., Exact]] = {
    "TP": lambda tp, fp, fn, tn: Fraction(tp),
    "TN": lambda tp, fp, fn, tn: Fraction(tn),
    "FN": lambda tp, fp, fn, tn: Fraction(fn),
    "FP": lambda tp, fp, fn, tn: Fraction(fp),
    "TPR": lambda tp, fp, fn, tn: _over(tp, tp + fn),
    "TNR": lambda tp, fp, fn, tn: _over(tn, tn + fp),
    "FNR": lambda tp, fp, fn, tn: _over(fn, tp + fn),
    "FPR": lambda tp, fp, fn, tn: _over(fp, tn + fp),
    "PPV": lambda tp, fp, fn, tn: _over(tp, tp + fp),
    "NPV": lambda tp, fp, fn, tn: _over(tn, tn + fn),
    "FDR": lambda tp, fp, fn, tn: _over(fp, tp + fp),
    "FOR": lambda tp, fp, fn, tn: _over(fn, tn + fn),
    "F1": _fbeta(Fraction(1)),
    "F2": _fbeta(Fraction(2)),
    "F0.5": _fbeta(Fraction(1, 2)),
    "J": lambda tp, fp, fn, tn: _over(tp, tp + fn) + _over(tn, tn + fp) - 1,
    "MK": lambda tp, fp, fn, tn: _over(tp, tp + fp) + _over(tn, tn + fn) - 1,
    "ACC": lambda tp, fp, fn, tn: _over(tp + tn, tp + fp + fn + tn),
    "BACC": lambda tp, fp, fn, tn: (_over(tp, tp + fn) + _over(tn, tn + fp)) / 2,
    "MCC": _mcc,
    "KAPPA": _kappa,
    "FM": lambda tp, fp, fn, tn: Root.of_product(_over(tp, tp + fn), _over(tp, tp + fp)),
    "G2": lambda tp, fp, fn, tn: Root.of_product(_over(tp, tp + fn), _over(tn, tn + fp)),
    "TS": _ts,
}


@cache
def pmf_tables(positives: int, total: int, drawn: int) -> dict[Counts, Fraction]:
    """The same law, from the binomial coefficients that count those subsets."""
    negatives = total - positives
    return {
        (tp, drawn - tp, positives - tp, negatives - drawn + tp): Fraction(
            comb(positives, tp) * comb(negatives, drawn - tp), comb(total, drawn)
        )
        for tp in range(max(0, drawn - negatives), min(positives, drawn) + 1)
    }


Tables = dict[Counts, Fraction]


def _weighted(scores: Collection[Exact], masses: Iterable[Fraction]) -> Fraction | mpmath.mpf:
    pairs = zip(scores, masses, strict=True)
    if any(isinstance(score, Root) for score in scores):
        return mpmath.fsum(real(score) * real(mass) for score, mass in pairs)
    return sum((score * mass for score, mass in pairs), Fraction(0))


def expectations(
    key: str, positives: int, total: int, tables: Callable[[int, int, int], Tables]
) -> dict[int, Fraction | mpmath.mpf]:
    """The expectation of every allowed draw, keyed by P̂; a mean needs no merging of scores."""
    means = {}
    for drawn in range(total + 1):
        law = tables(positives, total, drawn)
        try:
            scores = [DEFINITIONS[key](*table) for table in law]
        except ZeroDivisionError:
            continue
        means[drawn] = _weighted(scores, law.values())
    return means


def extremes(
    means: dict[int, Fraction | mpmath.mpf],
) -> tuple[tuple[Fraction | mpmath.mpf, list[int]], tuple[Fraction | mpmath.mpf, list[int]]]:
    """The maximum and the minimum, each with every P̂ that attains it."""

    def attained(value: Fraction | mpmath.mpf) -> list[int]:
        if isinstance(value, Fraction):
            return [drawn for drawn, other in means.items() if other == value]
        near = mpmath.mpf(10) ** -40
        return [drawn for drawn, other in means.items() if abs(other - value) < near]

    highest, lowest = max(means.values()), min(means.values())
    return (highest, attained(highest)), (lowest, attained(lowest))


def as_float(value: Exact | mpmath.mpf) -> float:
    """The nearest float."""
    if isinstance(value, Fraction | Root):
        return float(real(value))
    return float(value)
