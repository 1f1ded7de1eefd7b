"""The Dutch Draw: a classifier that draws its positive predictions from a hat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.binary.confusion import Confusion, as_base_rate
from baserate.binary.law.sampling import generator, random_sample, within_memory
from baserate.binary.law.score_distribution import ScoreDistribution
from baserate.binary.measures.catalogue import get_measure
from baserate.binary.theta import predicted_positives_of
from baserate.exceptions import InvalidThetaError

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.measures.record import Measure
    from baserate.data.labels import Labels

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
    >>> law = draw.score("F1")
    >>> round(law.mean(), 3), [round(end, 3) for end in law.interval(0.95)]
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

    def score(self, measure: str | Measure) -> ScoreDistribution:
        """Return the distribution of a measure's score under this draw.

        Parameters
        ----------
        measure
            A measure or its name.
        """
        return ScoreDistribution(get_measure(measure), self.base_rate, self.predicted_positives)
