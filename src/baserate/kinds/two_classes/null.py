"""Null distributions of two classes, and draws."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.arguments import as_float
from baserate.baselines.expectation import expected_scores, means_of_few
from baserate.core.baseline import COMPUTATION
from baserate.core.measure import Direction
from baserate.core.multiple_testing import Tails
from baserate.exceptions import (
    InvalidSampleError,
    InvalidThetaError,
    TooManyValuesError,
    UndefinedMeasureError,
)
from baserate.formatting import shown
from baserate.measures.affine import affine_score
from baserate.measures.two_classes import get_measure
from baserate.measures.two_classes_record import Margins
from baserate.null.expectation import variance_of_formula
from baserate.null.hypergeometric import Hypergeometric
from baserate.null.hypergeometrics import Hypergeometrics
from baserate.null.two_classes import MOST_LISTED, TwoClasses
from baserate.observed.theta import predicted_positives_of
from baserate.observed.two_classes import Confusion, as_base_rate
from baserate.progress import watched

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from baserate.data.columns import Labels
    from baserate.measures.two_classes_record import TwoClassMeasure
    from baserate.null.distribution import NullDistribution
    from baserate.observed.base_rate import BaseRate

    Floats = NDArray[np.float64]


CENTRAL = (0.025, 0.975)
"""The levels between which chance is expected to stay, unless told otherwise."""


@lru_cache(maxsize=8)  # the scores of a user's function may be a million
def null_of(measure: TwoClassMeasure, rate: BaseRate, drawn: int) -> TwoClasses:
    """Return the distribution of a score when so many positive predictions are shuffled.

    Examples
    --------
    >>> from baserate import BaseRate, get_measure
    >>> null = null_of(get_measure("PPV"), BaseRate(positives=2, total=4), 2)
    >>> null.mean(), round(null.sf(0.5), 4), null.ppf(0.9)
    (0.5, 0.8333, 1.0)
    """
    measure.require_draw(rate, drawn)
    return TwoClasses(
        _true_positives(rate, drawn),
        measure,
        partial(_mean, measure, rate, drawn),
        partial(_variance, measure, rate, drawn),
        is_monotone=measure.monotone or _is_steep(measure, rate),
    )


def _true_positives(rate: BaseRate, drawn: int) -> Hypergeometric:
    return Hypergeometric(rate.positives, rate.negatives, drawn)


def _is_steep(measure: TwoClassMeasure, rate: BaseRate) -> bool:
    """Return whether a score is a straight line whose steps are more than rounding.

    Of more scores than can be listed, single ones tie.
    """
    line = affine_score(measure, rate)
    if line is None:
        return False
    if rate.total > MOST_LISTED:
        return line.slope != 0
    size = abs(line.constant) + abs(line.tp) * rate.positives + abs(line.fp) * rate.negatives
    return abs(line.slope) > 4 * COMPUTATION * size


def _mean(measure: TwoClassMeasure, rate: BaseRate, drawn: int) -> float:
    if measure.draw.expectation is not None:  # a formula, in exact integers
        return float(measure.draw.expectation(Margins.of(rate, drawn)))
    return float(expected_scores(rate, measure, np.array([drawn]))[0])


def _variance(measure: TwoClassMeasure, rate: BaseRate, drawn: int) -> float:
    true_positives, line = _true_positives(rate, drawn), affine_score(measure, rate)
    if measure.draw.slope is not None:
        slope = float(measure.draw.slope(Margins.of(rate, drawn)))
        return slope**2 * float(true_positives.variance)
    if line is not None:
        return as_float(line.slope**2 * true_positives.variance)
    if not measure.rounds:
        return variance_of_formula(measure.definition, true_positives)
    mean = _mean(measure, rate, drawn)

    def squared(*table: NDArray[np.float64]) -> NDArray[np.float64]:
        return (measure.scores(*table) - mean) ** 2

    return float(means_of_few(squared, rate, measure, np.array([drawn]))[0])


def tails(tables: Sequence[Confusion]) -> list[Tails]:
    """Return P(TP ≥ tp) and P(TP ≤ tp) of each table."""
    better, worse = np.full((2, len(tables)), np.nan)
    places, tp, narrow = Hypergeometrics.among(_cells(tables))
    better[places], worse[places] = narrow.at_least(tp), narrow.at_most(tp)
    for place in np.flatnonzero(np.isnan(better)).tolist():
        table = tables[place]
        one = _true_positives(table.base_rate, table.predicted_positives)
        better[place], worse[place] = one.sf(table.tp - 1), one.cdf(table.tp)
    return list(map(Tails, better.tolist(), worse.tolist()))


def _cells(tables: Sequence[Confusion]) -> NDArray[np.int64]:
    rows = [(table.tp, table.fp, table.fn, table.tn) for table in tables]
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


def chances(tables: Sequence[Confusion], levels: tuple[float, float] = CENTRAL) -> list[Chance]:
    """Return what chance does with as many positive predictions as each table has."""
    places, _, narrow = Hypergeometrics.among(_cells(tables))
    (low, is_low), (high, is_high) = narrow.quantiles(*levels)
    certain = is_low & is_high
    ends = zip(low[certain].tolist(), high[certain].tolist(), strict=True)
    known = dict(zip(places[certain].tolist(), ends, strict=True))
    return [
        Chance(table.base_rate, table.predicted_positives, levels, known.get(place))
        for place, table in enumerate(tables)
    ]


@dataclass(frozen=True)
class Chance:
    """The scores of shuffled predictions, with a given number of positive ones."""

    base_rate: BaseRate
    predicted_positives: int
    levels: tuple[float, float] = CENTRAL
    known: tuple[int, int] | None = field(default=None, compare=False, repr=False)

    def null_interval(self, measure: TwoClassMeasure) -> tuple[float, float]:
        """Return between which scores chance stays; nan where it has none, or too many."""
        low, high = self.levels
        if measure.monotone:
            tp = _true_positives(self.base_rate, self.predicted_positives)
            ends = self.known or (tp.ppf(low), tp.ppf(high))
            first, last = sorted(float(measure.definition(*tp.cells(end))) for end in ends)
            return first, last
        if measure.direction is not Direction.MAXIMIZE:
            low, high = 1 - high, 1 - low
        try:
            null = self._null(measure)
            return null.ppf(low), null.ppf(high)
        except (TooManyValuesError, UndefinedMeasureError):
            return math.nan, math.nan

    def tails(self, measure: TwoClassMeasure, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad; nan where it has none.

        Measures that are monotone share `tails`.
        """
        try:
            return self._null(measure).tails(score, measure.direction)
        except (TooManyValuesError, UndefinedMeasureError):
            return Tails(math.nan, math.nan)

    def is_exact(self, measure: TwoClassMeasure) -> bool:  # noqa: ARG002
        """Return True: every chance is a sum over counts."""
        return True

    def _null(self, measure: TwoClassMeasure) -> TwoClasses:
        return null_of(measure, self.base_rate, self.predicted_positives)


# The most random values in one sample; a larger one raises before memory is allocated.
_MOST_RANDOM = 10**10
# As many evenly spaced draws as a plot can show, and some more at both ends, where curves such as
# that of G2 are steep: at the right a draw per doubling, and at the left, which a logarithmic axis
# stretches, several.
_STEPS, _PER_DOUBLING = 256, 4

Rng: TypeAlias = Any
"""A seed, a `numpy.random.Generator`, or None for fresh randomness."""


@dataclass(frozen=True, init=False)
class DutchDraw:
    """The random classifier σ_θ: it predicts a random sample of ⌊Mθ⌉ observations positive.

    Parameters
    ----------
    test_set
        A `BaseRate`, a `Confusion`, or the true labels.
    theta
        The fraction to draw positive. Halves round up, as in the paper's intervals.
    predicted_positives
        The number to draw positive, in place of `theta`.
    pos_label
        The positive class, if the test set is given by its labels.

    Examples
    --------
    >>> from baserate import BaseRate
    >>> draw = DutchDraw(BaseRate(positives=139, total=303), theta=0.4)
    >>> draw.predicted_positives, draw.theta_star
    (121, 0.39933993399339934)
    >>> int(draw.predict(rng=0).sum())
    121
    >>> null = draw.score("F1")
    >>> round(null.mean(), 3), [round(end, 3) for end in null.interval(0.95)]
    (0.427, [0.362, 0.492])
    """

    base_rate: BaseRate
    predicted_positives: int

    def __init__(
        self,
        test_set: BaseRate | Confusion | Labels,
        theta: float | Fraction | None = None,
        *,
        predicted_positives: int | None = None,
        pos_label: object = None,
    ) -> None:
        rate = as_base_rate(test_set, pos_label)
        if theta is not None and predicted_positives is None:
            count = predicted_positives_of(theta, rate.total)
        elif theta is None and predicted_positives is not None:
            count = rate.require_predicted_positives(predicted_positives)
        else:
            raise InvalidThetaError(
                "a draw must have either theta or predicted_positives (got both or neither); "
                "pass for example theta=0.4"
            )
        object.__setattr__(self, "base_rate", rate)
        object.__setattr__(self, "predicted_positives", count)

    @property
    def theta_star(self) -> float:
        """The fraction that is actually drawn, θ* = P̂/M."""
        return self.predicted_positives / self.base_rate.total

    def predict(self, rng: Rng = None) -> NDArray[np.int64]:
        """Draw the labels: every set of P̂ observations is equally likely.

        Parameters
        ----------
        rng
            A seed, a `numpy.random.Generator`, or None. The same seed gives the same labels.
        """
        total = self.base_rate.total
        with within_memory(total):
            drawn = random_sample(total, self.predicted_positives, generator(rng))
            return drawn.astype(np.int64)

    def score(self, measure: str | TwoClassMeasure) -> NullDistribution:
        """Return the distribution of a measure's score under this draw.

        Parameters
        ----------
        measure
            A measure or its name.
        """
        return null_of(get_measure(measure), self.base_rate, self.predicted_positives)


@dataclass(frozen=True, eq=False)
class DrawsBySize:
    """The expected score and the central 95% of the scores, for draws of many sizes."""

    predicted_positives: NDArray[Any]
    expectation: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, rate: BaseRate, measure: TwoClassMeasure) -> DrawsBySize:
        """Return the band of a measure on a test set, fine enough to draw."""
        allowed = measure.allowed(rate)
        sizes = [size for size in _grid(rate.total) if size in allowed]
        counts = np.array(sizes, dtype=np.int64)
        parts = watched(sizes, len(sizes), "drawing", "draws", size=lambda _: 1)
        bounds = [Chance(rate, size).null_interval(measure) for size in parts]
        low, high = np.array(bounds, dtype=float).reshape(-1, 2).T
        return cls(counts, expected_scores(rate, measure, counts), low, high)


def _grid(total: int) -> list[int]:
    even = {total * step // _STEPS for step in range(_STEPS + 1)}
    doublings = range((total // _STEPS).bit_length())
    quarters = range(_PER_DOUBLING * (8 * total // _STEPS).bit_length())
    left = {round(2 ** (quarter / _PER_DOUBLING)) for quarter in quarters}
    return sorted(even | left | {total - 2**power for power in doublings})


def generator(rng: Any) -> np.random.Generator:
    """Return the generator that a user's seed stands for."""
    try:
        return np.random.default_rng(rng)
    except Exception:  # numpy takes many things, and so many things go wrong
        raise InvalidSampleError(
            "must be a whole number of at least 0, a numpy.random.Generator or None "
            f"(got {shown(rng)})",
            parameter="rng",
        ) from None


@contextmanager
def within_memory(size: int) -> Iterator[None]:
    """Raise our own error for a sample that does not fit in memory."""
    if size > _MOST_RANDOM:
        raise _too_large(size)
    try:
        yield
    except MemoryError:
        raise _too_large(size) from None


def _too_large(wanted: int) -> InvalidSampleError:
    return InvalidSampleError(
        f"a sample must fit in memory, and have at most {_MOST_RANDOM:,} values (got "
        f"{shown(wanted)}); ask for exact probabilities instead, as in "
        "DutchDraw(…).score('F1').cdf(0.5)"
    )


def random_sample(total: int, wanted: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which observations are drawn: every set of the wanted size is equally likely."""
    # Independent coins choose a uniform set of some size; removing or adding a uniform part keeps
    # it uniform. The coin's bias only has to be roughly right.
    bias = round(2**16 * (wanted / max(total, 1)))
    drawn: NDArray[np.bool_] = rng.integers(0, 2**16, total, dtype=np.uint16) < bias
    surplus = int(np.count_nonzero(drawn)) - wanted
    candidates = np.flatnonzero(drawn == (surplus > 0))
    drawn[rng.choice(candidates, abs(surplus), replace=False, shuffle=False)] = surplus < 0
    return drawn
