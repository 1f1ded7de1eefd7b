"""The Dutch Draw: a classifier that draws its positive predictions from a hat."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.binary.confusion import Confusion, as_base_rate
from baserate.binary.expectation import expected_scores
from baserate.binary.measures.catalogue import get_measure
from baserate.binary.null import Chance, null_of
from baserate.binary.theta import predicted_positives_of
from baserate.exceptions import InvalidSampleError, InvalidThetaError
from baserate.formatting import shown
from baserate.progress import watched

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.measures.record import Measure
    from baserate.data.columns import Labels
    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]

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

    def score(self, measure: str | Measure) -> NullDistribution:
        """Return the distribution of a measure's score under this draw.

        Parameters
        ----------
        measure
            A measure or its name.
        """
        return null_of(get_measure(measure), self.base_rate, self.predicted_positives)


@dataclass(frozen=True, eq=False)
class DrawsBySize:
    """The expected score and the central 95% of the scores, for draws of many sizes.

    Parameters
    ----------
    predicted_positives
        The sizes of the draws, from 0 to M.
    expectation
        The expected score of each; nan where the measure is undefined.
    low, high
        The central 95% of the scores of each.
    """

    predicted_positives: NDArray[Any]
    expectation: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, rate: BaseRate, measure: Measure) -> DrawsBySize:
        """Return the band of a measure on a test set, fine enough to draw."""
        allowed = measure.allowed(rate)
        sizes = [size for size in _grid(rate.total) if size in allowed]
        counts = np.array(sizes, dtype=np.int64)
        parts = watched(sizes, len(sizes), "drawing", "draws", size=lambda _: 1)
        bounds = [Chance(rate, size).luck_interval(measure) for size in parts]
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
