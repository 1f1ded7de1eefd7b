"""Which scores are linear in the table, given its margins."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, total_ordering
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.measures.two_classes_record import UserFunction

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.measures.two_classes_record import TwoClassMeasure
    from baserate.observed.labels import BaseRate


# A function may treat symbols unlike numbers, so it is also called with this many tables.
_TABLES = 16


class _NotAffineError(BaseException):
    """What is done with a symbol is not affine; no `Exception`, which a function may catch."""


@total_ordering
class Symbol:
    """a·TP + b·FP + c, in exact arithmetic; a float counts as the fraction it represents."""

    __array_ufunc__ = None  # numpy leaves the arithmetic to this class
    __slots__ = ("constant", "fp", "tp")

    def __init__(self, tp: Fraction, fp: Fraction, constant: Fraction) -> None:
        self.tp, self.fp, self.constant = tp, fp, constant

    @classmethod
    def of(cls, value: Any) -> Symbol:
        """Return a number as a symbol."""
        if isinstance(value, Symbol):
            return value
        number = value.item() if isinstance(value, np.generic) else value
        if not isinstance(number, numbers.Rational | float):
            raise _NotAffineError
        try:
            return cls(Fraction(0), Fraction(0), Fraction(number))
        except (OverflowError, ValueError):  # infinite, or nan
            raise _NotAffineError from None

    def number(self) -> Fraction:
        """Return the value of a symbol that is constant on this test set."""
        if self.tp or self.fp:
            raise _NotAffineError
        return self.constant

    def _apart(self, other: Any) -> Fraction:
        return (self + -self.of(other)).number()

    def times(self, factor: Fraction) -> Symbol:
        """Return the symbol times a factor."""
        return Symbol(self.tp * factor, self.fp * factor, self.constant * factor)

    def __add__(self, other: Any) -> Symbol:
        o = self.of(other)
        return Symbol(self.tp + o.tp, self.fp + o.fp, self.constant + o.constant)

    __radd__ = __add__

    def __neg__(self) -> Symbol:
        return self.times(Fraction(-1))

    def __pos__(self) -> Symbol:
        return self

    def __sub__(self, other: Any) -> Symbol:
        return self + -self.of(other)

    def __rsub__(self, other: Any) -> Symbol:
        return self.of(other) + -self

    def __mul__(self, other: Any) -> Symbol:
        o = self.of(other)
        return o.times(self.constant) if not (self.tp or self.fp) else self.times(o.number())

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Symbol:
        return self.times(1 / self.of(other).number())

    def __rtruediv__(self, other: Any) -> Symbol:
        return self.of(other) / self

    # The following operations work only for a constant, such as P = TP + FN.

    def __eq__(self, other: object) -> bool:
        return self._apart(other) == 0

    def __lt__(self, other: Any) -> bool:
        return self._apart(other) < 0

    def __bool__(self) -> bool:
        return bool(self.number())

    def __float__(self) -> float:
        return float(self.number())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__array"):  # numpy looks these up on every object
            raise AttributeError(name)
        raise _NotAffineError

    def _refuse(self, *_: Any) -> Any:
        raise _NotAffineError

    __hash__ = _refuse
    __abs__ = __round__ = __trunc__ = __floor__ = __ceil__ = _refuse
    __int__ = __index__ = __complex__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _refuse
    __pow__ = __rpow__ = __str__ = __repr__ = __format__ = _refuse


@dataclass(frozen=True)
class AffineScore:
    """A score that equals a·TP + b·FP + c on a test set, and so does its expectation."""

    tp: Fraction
    fp: Fraction
    constant: Fraction
    base_rate: BaseRate

    def __call__(self, tp: int, fp: int) -> Fraction:
        """Return the score of a table."""
        return self.tp * tp + self.fp * fp + self.constant

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The scores of predicting everything negative and everything positive."""
        return self(0, 0), self(self.base_rate.positives, self.base_rate.negatives)

    @property
    def slope(self) -> Fraction:
        """The gain of one more true positive, in a draw of any size."""
        return self.tp - self.fp

    def means(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return the expected score of each draw, on a straight line between the ends."""
        first, last = self.ends
        step = (last - first) / self.base_rate.total
        bottom = first.denominator * step.denominator
        a, b = int(first * bottom), int(step * bottom)
        means = [(a + b * count) / bottom for count in counts.ravel().tolist()]
        return np.array(means, dtype=float).reshape(counts.shape)


@lru_cache(maxsize=256)
def affine_score(measure: TwoClassMeasure, base_rate: BaseRate) -> AffineScore | None:
    """Return a user's measure as an affine function of the counts, or None if it is not."""
    function = measure.definition.function
    if not isinstance(function, UserFunction):
        return None
    found = by_symbols(function.function, base_rate)
    return found if found is not None and _is_confirmed(found, function) else None


def by_symbols(function: Callable[..., Any], rate: BaseRate) -> AffineScore | None:
    """Return what a function does with symbols; None if it is more than adding and scaling."""
    zero, one = Fraction(0), Fraction(1)
    tp, fp = Symbol(one, zero, zero), Symbol(zero, one, zero)
    try:
        value = function(tp, fp, rate.positives - tp, rate.negatives - fp)
        result = Symbol.of(value.item() if isinstance(value, np.ndarray) else value)
    except (Exception, _NotAffineError):  # whatever the error, the score is not known to be affine
        return None
    return AffineScore(result.tp, result.fp, result.constant, rate)


def _is_confirmed(score: AffineScore, function: UserFunction) -> bool:
    """Return whether numbers confirm the symbols, at the corners and at random tables."""
    rate, rng = score.base_rate, np.random.default_rng(0)
    corners = [(tp, fp) for tp in (0, rate.positives) for fp in (0, rate.negatives)]
    ends = [rate.positives, rate.negatives]
    for tp, fp in (*corners, *rng.integers(0, ends, (_TABLES, 2), endpoint=True).tolist()):
        value = function(tp, fp, rate.positives - tp, rate.negatives - fp)
        size = abs(score.tp) * rate.positives + abs(score.fp) * rate.negatives + abs(score.constant)
        if (
            not math.isfinite(value)
            or abs(Fraction(value) - score(tp, fp)) > Fraction(COMPUTATION) * size
        ):
            return False
    return True
