"""Scores between the baseline and perfection."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.arguments import as_float, is_number, is_probability
from baserate.core.measure import Direction
from baserate.exceptions import InvalidMeasureError, InvalidProbabilityError, UndefinedMeasureError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.measures.two_classes_record import TwoClassMeasure
    from baserate.observed.theta import ThetaSet

    Floats = NDArray[np.float64]


def require_score(score: Any) -> float:
    """Return a score as a float, or raise if it is not a valid score."""
    number = as_float(score) if is_number(score) else math.inf
    if math.isinf(number):
        raise InvalidMeasureError(
            f"must be a finite number (got {shown(score)} of type {type(score).__name__})",
            parameter="score",
        )
    return number


def perfect_score(measure: TwoClassMeasure, table: Any, best: float) -> float:
    """Return the score of a table without errors; nan if it is not known."""
    if measure.failing_requirement(table) is None:
        score = float(measure.definition(table.tp, table.fp, table.fn, table.tn))
        if math.isfinite(score):
            return score
    if not measure.may_be_undefined:
        # With one class there is nothing to err on: whatever is predicted scores the same.
        return best
    maximize = measure.direction is Direction.MAXIMIZE
    end = measure.codomain.upper if maximize else measure.codomain.lower
    return end if math.isfinite(end) else math.nan


# Exact for a product of four counts of a test set of 10¹⁸ with the square of a score.
_EXACT = Context(prec=400)
# A quotient with this many digits resolves any weight half-way between two floats, so the float
# is correctly rounded. A root is irrational, or a float itself: fewer digits suffice.
_QUOTIENT, _ROOT = Context(prec=120), Context(prec=40)
# For a function of unknown shape, try this many weights and this many optimal draws.
_WEIGHTS = np.linspace(0, 1, 257)
_MOST_DRAWS = 65


@dataclass(frozen=True)
class Scaler:
    """The Dutch Scaler of one measure on one test set, for any number of scores."""

    base: Baseline
    rho: float = 0.0

    def weight(self, score: float) -> float:
        """Return the weight of the oracle that explains a score, or raise if there is none."""
        margin = self.base.scale.advantage(score, self.base.scale.best)
        why = self._why_not(score, margin)
        if why:
            raise UndefinedMeasureError(
                f"the Dutch Scaler of {self.base.measure.key} is undefined: {why}"
            )
        if margin == 0:
            return 0.0
        if self.base.measure.level is not None:
            return min([mixture.solved(score) for mixture in self._mixtures])
        return min([mixture.bracketed(score) for mixture in self._mixtures])

    @cached_property
    def _mixtures(self) -> list[Mixture]:
        best = self.base.guesses
        # For a declared measure the least α is at an end of the range of optimal θ*: at a given α
        # the score rises or falls with θ, or peaks at an end.
        draws = _some(best) if self.base.measure.level is None else _ends(best)
        return [Mixture(self.base, draw, self.rho) for draw in draws]

    @cached_property
    def _oracle(self) -> float:
        is_perfect = self.rho == 0 and not self.base.measure.may_be_undefined
        return self.base.scale.perfect if is_perfect else Mixture(self.base, 0, self.rho).oracle

    def _why_not(self, score: float, margin: float) -> str:
        """Say why no mixture can reach a score, if none can."""
        scale = self.base.scale
        named = f"an oracle that is wrong with probability rho = {self.rho:g}"
        if math.isnan(score):
            return "the score is nan"
        if not scale.informative:
            return f"the best draw is as good as a perfect prediction ({scale.best:.6g})"
        if margin < 0:
            return f"the score {score:.6g} is worse than the baseline {scale.best:.6g}"
        oracle = self._oracle
        if not scale.advantage(oracle, scale.best) > 0:
            return f"{named} scores {oracle:.6g}, no better than the baseline {scale.best:.6g}"
        if scale.advantage(score, oracle) > 0:
            return f"the score {score:.6g} is better than the {oracle:.6g} of {named}"
        return ""


@dataclass(frozen=True)
class Mixture:
    """A mixture of a draw and an oracle."""

    base: Baseline
    predicted_positives: int
    rho: float

    def solved(self, score: float) -> float:
        """Return the smallest weight at which a declared measure reaches the score."""
        with localcontext(_EXACT):
            # The level is at most quadratic in the weight: three values determine it.
            whole = Decimal(score)
            constant, at_one, at_minus_one = [self._level(whole, each) for each in self._three]
            if constant >= 0:
                return 0.0
            linear, square = (at_one - at_minus_one) / 2, (at_one + at_minus_one) / 2 - constant
            roots = _roots(square, linear, constant)
            # The oracle reaches the score, up to rounding.
            return float(min((root for root in roots if 0 < root <= 1), default=1))

    def bracketed(self, score: float) -> float:
        """Return the smallest weight at which any measure reaches the score, by bisection."""
        reached = self._reaches(score, _WEIGHTS)
        first = int(reached.argmax()) if reached.any() else _WEIGHTS.size - 1
        if first == 0:
            return 0.0
        low, high = float(_WEIGHTS[first - 1]), float(_WEIGHTS[first])
        while low < (middle := (low + high) / 2) < high:
            if self._reaches(score, np.array([middle]))[0]:
                high = middle
            else:
                low = middle
        return high

    @property
    def oracle(self) -> float:
        """The score of the oracle itself."""
        return float(self.base.measure.scores(*self.cells(np.ones(1)))[0])

    def cells(self, weights: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the expected (tp, fp, fn, tn) for given weights of the oracle."""
        rate = self.base.test_set
        theta = self.predicted_positives / rate.total
        tp = rate.positives * (theta + weights * (1 - self.rho - theta))
        fp = rate.negatives * (theta + weights * (self.rho - theta))
        return tp, fp, rate.positives - tp, rate.negatives - fp

    @cached_property
    def _three(self) -> list[tuple[int, int, int, int]]:
        """The counts at three weights."""
        return [self._whole_cells(weight) for weight in (0, 1, -1)]

    def _whole_cells(self, weight: int) -> tuple[int, int, int, int]:
        """Return the expected counts times M and the denominator of ρ, exactly."""
        rate, (wrong, asked) = self.base.test_set, self.rho.as_integer_ratio()
        drawn = self.predicted_positives * asked
        tp = rate.positives * (drawn + weight * ((asked - wrong) * rate.total - drawn))
        fp = rate.negatives * (drawn + weight * (wrong * rate.total - drawn))
        whole = rate.total * asked
        return tp, fp, rate.positives * whole - tp, rate.negatives * whole - fp

    def _level(self, score: Decimal, cells: tuple[int, int, int, int]) -> Decimal:
        """Return a number that is non-negative where the score is reached, in exact arithmetic.

        A level is homogeneous in the counts, so their unit does not matter.
        """
        measure = self.base.measure
        assert measure.level is not None  # noqa: S101
        level: Decimal = measure.level(score, *cells)
        return level if measure.direction is Direction.MAXIMIZE else -level

    def _reaches(self, score: float, weights: Floats) -> NDArray[np.bool_]:
        measure = self.base.measure
        values: Floats = measure.scores(*self.cells(weights))
        return values >= score if measure.direction is Direction.MAXIMIZE else values <= score


def require_rho(rho: Any) -> float:
    """Return how often an oracle is wrong, or raise if that is not a probability."""
    if not is_probability(rho):
        raise InvalidProbabilityError(
            f"must be between 0 and 1 (got {shown(rho)}): how often the oracle is wrong",
            parameter="rho",
        )
    return float(rho)


def _ends(draws: ThetaSet) -> set[int]:
    return {end for part in draws.counts for end in (part[0], part[-1])}


def _some(draws: ThetaSet) -> Iterable[int]:
    """Return all draws, or a few of each part of a large set."""
    for part in draws.counts:
        first, last = part[0], part[-1]
        steps = min(last - first, _MOST_DRAWS - 1)
        yield from {first + (last - first) * step // max(steps, 1) for step in range(steps + 1)}


def _roots(square: Decimal, linear: Decimal, constant: Decimal) -> list[Decimal]:
    """Return the real roots of a polynomial, without cancellation."""
    if square == 0:
        return [_QUOTIENT.divide(-constant, linear)] if linear else []
    # It is negative only by rounding, at the highest score of any mixture.
    discriminant = max(linear * linear - 4 * square * constant, Decimal(0))
    q = -(linear + _ROOT.sqrt(discriminant).copy_sign(linear)) / 2
    return [_ROOT.divide(q, square), _ROOT.divide(constant, q)] if q else [q]


def guess_in_words(theta: float) -> str:
    """Say what a Dutch Draw predicts.

    Examples
    --------
    >>> guess_in_words(1.0), guess_in_words(0.0), guess_in_words(0.25)
    ('everyone positive', 'everyone negative', 'a random 25% positive')
    """
    if theta in (0.0, 1.0):
        return "everyone positive" if theta else "everyone negative"
    return f"a random {100 * theta:.3g}% positive"
