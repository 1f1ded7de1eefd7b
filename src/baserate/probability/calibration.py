"""Evidence that probabilities are miscalibrated.

If they are calibrated, each outcome is a toss of a coin with the probability that was given. So the
miscalibration that was observed is compared with that of outcomes drawn in this way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.probability.measures.checks import require_probabilities
from baserate.support.formatting import p_equals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.scores import Scores

    Floats = NDArray[Any]

# More blocks of equal scores than this are joined with their neighbours.
_MOST_BLOCKS = 2_000
# How many draws: with the observed one they are a round number. Fewer, if there are many blocks.
_DRAWS, _FEWER, _FEW_BLOCKS = 4_999, 999, 200
_SEED = 20_260_218


@dataclass(frozen=True)
class CalibrationTest:
    """Whether there is evidence of miscalibration.

    Parameters
    ----------
    p_value
        The chance of at least as much miscalibration if the probabilities are right.
    draws
        From how many random draws that is known.
    exact
        False: it is a simulation, with random numbers that are always the same.

    Examples
    --------
    >>> from baserate.ranking.scores import Scores
    >>> test = calibration_test(Scores.of([0, 1] * 20, [0.1, 0.4] * 20))
    >>> print(test)
    p ≈ 2.0e-04 for calibrated probabilities, by 4,999 random draws
    """

    p_value: float
    draws: int
    exact: bool = False

    def __str__(self) -> str:
        p = p_equals(self.p_value, exact=self.exact)
        return f"{p} for calibrated probabilities, by {self.draws:,} random draws"


def calibration_test(scores: Scores) -> CalibrationTest:
    """Test whether probabilities are calibrated, by the miscalibration of their Brier score.

    The chance is that of the observed miscalibration among those of simulated outcomes, itself
    counted, so that calibrated probabilities are rejected no more often than the level says. If
    there are more than 2,000 distinct probabilities, neighbours are joined and stand for their
    mean; that makes the simulated outcomes vary a little more, so it is on the safe side.

    Parameters
    ----------
    scores
        The probabilities, counted against the truth.
    """
    require_probabilities("a calibration test", scores)
    values, positives, sizes = _joined(scores)
    draws = _DRAWS if values.size <= _FEW_BLOCKS else _FEWER
    rng = np.random.default_rng(_SEED)
    # A mean of probabilities may exceed 1 in its last place.
    chances = np.clip(values, 0, 1)
    observed = _miscalibration(values, positives, sizes)
    slack = 1e-12 * max(observed, 1.0)
    worse = 0
    for _ in range(draws):
        drawn = rng.binomial(sizes, chances)
        worse += _miscalibration(values, drawn, sizes) >= observed - slack
    return CalibrationTest((1 + worse) / (1 + draws), draws)


def _joined(scores: Scores) -> tuple[Floats, Floats, Floats]:
    """Return probabilities, positives and sizes of blocks, few enough to be drawn many times."""
    values, positives = scores.values.astype(float), scores.positives
    sizes = positives + scores.negatives
    if values.size <= _MOST_BLOCKS:
        return values, positives, sizes
    before = np.cumsum(sizes) - sizes
    # By size, and a block that is larger than its share stays whole.
    place = np.unique(before * _MOST_BLOCKS // int(sizes.sum()), return_index=True)[1]
    total = np.add.reduceat(sizes, place)
    mean = np.add.reduceat(values * sizes, place) / total
    return mean, np.add.reduceat(positives, place), total


def _miscalibration(values: Floats, positives: Floats, sizes: Floats) -> float:
    """Return the squared distance of probabilities to what isotonic regression makes of them."""
    from scipy.optimize import isotonic_regression

    rates = positives / sizes
    best = isotonic_regression(rates, weights=sizes, increasing=False).x
    # Of the squared distances to the outcomes only the parts between the blocks differ.
    return float(sizes @ ((values - rates) ** 2 - (best - rates) ** 2))
