"""Null distributions of two classes, and draws.

Shuffled predictions have P̂ positives among P and N, so the true positives decide the score. A
measure that rises or falls with them needs no list of its scores: bisection over the counts finds
one, at any size. The scores of any other function are listed.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.arguments import as_float
from baserate.baselines.expectation import expected_scores, means_of_few, variance_of_formula
from baserate.core.baseline import COMPUTATION
from baserate.core.measure import Direction
from baserate.core.multiple_testing import Tails
from baserate.data.labels import four_counts
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
from baserate.null.distribution import Listed, NullDistribution
from baserate.null.hypergeometric import Hypergeometric, many
from baserate.observed.labels import ConfusionMatrix, as_base_rate
from baserate.observed.theta import predicted_positives_of
from baserate.progress import watched
from baserate.task import Chance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from baserate.data.columns import Labels
    from baserate.measures.two_classes_record import TwoClassMeasure
    from baserate.observed.labels import BaseRate

    Floats = NDArray[np.float64]


CENTRAL = (0.025, 0.975)
"""The levels between which chance is expected to stay, unless told otherwise."""
# The most scores to list; those of a million counts take half a second.
MOST_LISTED = 10**6
# Masses are above the smallest float within 38 standard deviations, and some counts more.
_REACH = 38.0, 600
# Up to these standard deviations, tails and quantiles of many tables are found at once; a quantile
# that is this close to a step of the sum is found by itself.
_NARROW, _LISTED, _UNDECIDED = 100, 2000, 1e-9


@lru_cache(maxsize=8)  # the scores of a user's function may be a million
def null_of(measure: TwoClassMeasure, rate: BaseRate, drawn: int) -> TwoClasses:
    """Return the distribution of a score when this many positive predictions are shuffled.

    Examples
    --------
    >>> from baserate import BaseRate, get_measure
    >>> null = null_of(get_measure("PPV"), BaseRate(positives=2, total=4), 2)
    >>> null.mean(), round(null.sf(0.5), 4), null.ppf(0.9)
    (0.5, 0.8333, 1.0)
    """
    measure.require_draw(rate, drawn)
    return TwoClasses(measure, rate, drawn)


class TwoClasses(NullDistribution):
    """The score of shuffled predictions of two classes."""

    method = "exact"

    def __init__(self, measure: TwoClassMeasure, rate: BaseRate, drawn: int) -> None:
        self._measure, self._rate, self._drawn = measure, rate, drawn
        self._tp = Hypergeometric(rate.positives, rate.negatives, drawn)
        self.score_of = measure.key

    @cached_property
    def listed(self) -> Listed | None:
        """All scores, because those of a user's function may rise, fall and repeat."""
        if self._measure.monotone or _is_steep(self._measure, self._rate):
            return None
        longest = 2 * math.ceil(_REACH[0] * self._tp.sd + _REACH[1])
        if min(self._tp.size, longest) > MOST_LISTED:
            raise TooManyValuesError(
                f"at most {MOST_LISTED:,} scores can be listed (got predictions with "
                f"{self._tp.size:,}): of such test sets only measures of the catalogue, and "
                "sums of counts, have a null distribution"
            )
        first, masses = self._tp.masses()
        scores = _finite(self._measure, self._tp, first + np.arange(masses.size))
        return Listed(scores, masses, self._measure.magnitude(0.0))

    @cached_property
    def _count(self) -> Hypergeometric:
        """What the score rises with: TP, or FN, which is the TP of the opposite predictions."""
        ends = self._tp.low, self._tp.high
        first, last = (float(self._measure.definition(*self._tp.cells(tp))) for tp in ends)
        return self._tp if first <= last else self._tp.opposite

    @property
    def size(self) -> int:
        """How many scores there are, by their places: 0, 1, 2 and so on; 0 if they are listed."""
        return 0 if self.listed is not None else self._count.size

    def score(self, place: int) -> float:
        """Return the score at a place, in ascending order."""
        cells = self._count.cells(self._count.low + place)
        if self._count is not self._tp:
            # The opposite predictions' TP, FP, FN and TN are these predictions' FN, TN, TP and FP.
            cells = cells[2], cells[3], cells[0], cells[1]
        return float(self._measure.definition(*cells))

    def at_least(self, place: int) -> float:
        """Return the probability of the score at a place and of all higher ones."""
        return self._count.sf(self._count.low + place - 1)

    def mean(self) -> float:
        """Return the expected score."""
        expectation = self._measure.draw.expectation
        if expectation is not None:  # a formula, in exact integers
            return float(expectation(Margins.of(self._rate, self._drawn)))
        return float(expected_scores(self._rate, self._measure, np.array([self._drawn]))[0])

    def var(self) -> float:
        """Return the variance of the score."""
        measure, line = self._measure, affine_score(self._measure, self._rate)
        if measure.draw.slope is not None:
            slope = float(measure.draw.slope(Margins.of(self._rate, self._drawn)))
            return slope**2 * float(self._tp.variance)
        if line is not None:
            return as_float(line.slope**2 * self._tp.variance)
        if not measure.rounds:
            return variance_of_formula(measure.definition, self._tp)
        mean = self.mean()

        def squared(*table: Floats) -> Floats:
            return (measure.scores(*table) - mean) ** 2

        return float(means_of_few(squared, self._rate, measure, np.array([self._drawn]))[0])

    def sf(self, score: float) -> float:
        """Return the probability of at least a score; nan for nan."""
        if math.isnan(score):
            return math.nan
        return self.listed.sf(score) if self.listed else self.at_least(self.places(score)[0])

    def cdf(self, score: float) -> float:
        """Return the probability of at most a score; nan for nan."""
        if math.isnan(score):
            return math.nan
        if self.listed is not None:
            return self.listed.cdf(score)
        return self._count.cdf(self._count.low + self.places(score)[1])

    def tails(self, score: float, direction: Direction) -> Tails:
        """Return the probability of a score at least as good, and of one at most as good.

        Those of a table are found as they are for many tables, to the last digit.
        """
        if not self._measure.monotone or math.isnan(score):
            return super().tails(score, direction)
        place, other = self.places(score)
        if place != other:
            return super().tails(score, direction)
        rises, count = self._count is self._tp, self._count.low + place
        tp = count if rises else self._rate.positives - count
        (found,) = tails([ConfusionMatrix.from_tp(tp, self._rate, self._drawn)])
        is_better_above = rises == (direction is Direction.MAXIMIZE)
        return found if is_better_above else Tails(found.worse, found.better)

    def ppf(self, level: float) -> float:
        """Return the lowest score that is not exceeded with at least a probability."""
        if self.listed is not None:
            return self.listed.ppf(level)
        return self.score(self._count.ppf(level) - self._count.low)

    def places(self, score: float) -> tuple[int, int]:
        """Return the first place that is at least a score, and the last that is at most it.

        A score with a rounding error is meant to be the nearest one, if it is not a quarter of the
        way to the next: docs/decisions/0003-hypergeometric.md.
        """
        first = bisect_left(range(self.size), score, key=self.score)
        near = [place for place in (first - 1, first) if 0 <= place < self.size]
        scores = [self.score(place) for place in near]
        apart = [abs(each - score) for each in scores]
        largest = max(abs(self.score(0)), abs(self.score(self.size - 1)))
        slack = COMPUTATION * self._measure.magnitude(largest)
        if len(near) == 2:
            slack = min(slack, (scores[1] - scores[0]) / 4)
        nearest = apart.index(min(apart))
        return (near[nearest],) * 2 if apart[nearest] <= slack else (first, first - 1)


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


def _finite(measure: TwoClassMeasure, true_positives: Hypergeometric, tp: NDArray[Any]) -> Floats:
    """Return the scores of some counts, or raise if one of them, or an end, has none."""
    # A function divides by zero where a cell is empty: at an end, however unlikely that is.
    every = np.append(tp, [true_positives.low, true_positives.high]).astype(float)
    cells = true_positives.cells(every)
    scores = measure.scores(*cells)
    missing = np.flatnonzero(~np.isfinite(scores))
    if missing.size:
        where = [int(cell[missing[0]]) for cell in cells]
        evidence = "tp = {}, fp = {}, fn = {}, tn = {}".format(*where)
        raise UndefinedMeasureError.no_distribution(
            measure.key, "a number for every score it can have", evidence
        )
    return scores[: tp.size]


def tails(tables: Sequence[ConfusionMatrix]) -> list[Tails]:
    """Return P(TP ≥ tp) and P(TP ≤ tp) of each table."""
    better, worse = np.full((2, len(tables)), np.nan)
    cells = _cells(tables)
    for which, first, below, above in many(cells, _NARROW):
        place = cells[which, 0] - first, np.arange(which.size)
        better[which], worse[which] = above[place], below[place]
    for wide in np.flatnonzero(np.isnan(better)).tolist():
        table = tables[wide]
        one = Hypergeometric(table.positives, table.negatives, table.predicted_positives)
        better[wide], worse[wide] = one.sf(table.tp - 1), one.cdf(table.tp)
    return list(map(Tails, better.tolist(), worse.tolist()))


def _cells(tables: Sequence[ConfusionMatrix]) -> NDArray[np.int64]:
    rows = [(table.tp, table.fp, table.fn, table.tn) for table in tables]
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


def quantiles(
    tables: Sequence[ConfusionMatrix], levels: tuple[float, float] = CENTRAL
) -> list[tuple[int, int]]:
    """Return between which TP chance stays, with as many positive predictions as each table has."""
    found: list[Any] = [None] * len(tables)
    for which, first, below, _ in many(_cells(tables), _LISTED):
        ends, others = (
            np.array([first + (below < level + aside).sum(axis=0) for level in levels]).T.tolist()
            for aside in (-_UNDECIDED, _UNDECIDED)
        )
        for place, low_and_high, other in zip(which.tolist(), ends, others, strict=True):
            found[place] = tuple(low_and_high) if low_and_high == other else None
    for place, table in enumerate(tables):
        if found[place] is None:
            tp = Hypergeometric(table.positives, table.negatives, table.predicted_positives)
            found[place] = tp.ppf(levels[0]), tp.ppf(levels[1])
    return found


def scores_between(
    measure: TwoClassMeasure, table: ConfusionMatrix, ends: tuple[int, int]
) -> tuple[float, float]:
    """Return the scores of a table with other TP, for a measure that is monotone in them."""
    p, n, drawn = table.positives, table.negatives, table.predicted_positives
    cells = (four_counts(tp, p, n, drawn) for tp in ends)
    low, high = sorted(float(measure.definition(*each)) for each in cells)
    return low, high


@dataclass(frozen=True, eq=False)
class TableChance(Chance):
    """What shuffled predictions score; measures that are monotone share the quantiles of TP."""

    ends: tuple[int, int] = (0, 0)

    def null_interval(self, measure: TwoClassMeasure) -> tuple[float, float]:
        """Return between which scores chance stays; nan where it has none, or too many."""
        if not measure.monotone:
            return super().null_interval(measure)
        return scores_between(measure, self.observed, self.ends)

    def is_exact(self, measure: TwoClassMeasure) -> bool:  # noqa: ARG002
        """Return True: all tables are counted."""
        return True

    def will_ask(self, measure: object, **what: bool) -> list[Any]:  # noqa: ARG002
        """Return nothing: no saddlepoint is asked."""
        return []


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
        A `BaseRate`, a `ConfusionMatrix`, or the true labels.
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
        test_set: BaseRate | ConfusionMatrix | Labels,
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
        # The most likely table of each size.
        hits = [(rate.positives + 1) * (size + 1) // (rate.total + 2) for size in sizes]
        tables = [
            ConfusionMatrix.from_tp(tp, rate, size) for tp, size in zip(hits, sizes, strict=True)
        ]
        found = quantiles(tables) if measure.monotone else [(0, 0)] * len(tables)
        each = list(zip(tables, found, strict=True))
        parts = watched(each, len(sizes), "drawing", "draws", size=lambda _: 1)
        bounds = [cls._ends(measure, table, ends) for table, ends in parts]
        low, high = np.array(bounds, dtype=float).reshape(-1, 2).T
        return cls(counts, expected_scores(rate, measure, counts), low, high)

    @staticmethod
    def _ends(
        measure: TwoClassMeasure, table: ConfusionMatrix, ends: tuple[int, int]
    ) -> tuple[float, float]:
        if measure.monotone:
            return scores_between(measure, table, ends)
        try:
            return null_of(measure, table.test_set, table.predicted_positives).interval(0.95)
        except (TooManyValuesError, UndefinedMeasureError):
            return math.nan, math.nan


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
