"""What a score of probabilities consists of: miscalibration, discrimination and uncertainty.

The probabilities are recalibrated by isotonic regression, the best non-decreasing function of them
in hindsight (Dimitriadis, Gneiting and Jordan 2021, doi:10.1073/pnas.2016191118). What that gains
is miscalibration; what the recalibrated ones gain on the base rate is discrimination.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.direction import Direction
from baserate.exceptions import InvalidMeasureError
from baserate.exceptions.base import listed, shown
from baserate.probability.measures.checks import require_probabilities
from baserate.probability.measures.of_rules import mean_points
from baserate.ranking.rules import RULES
from baserate.support.formatting import number_format

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.ranking.rules import ScoringRule
    from baserate.ranking.scores import Scores

    Floats = NDArray[Any]


@dataclass(frozen=True)
class Decomposition:
    """A loss, which is miscalibration − discrimination + uncertainty.

    Parameters
    ----------
    score
        The loss of the probabilities.
    miscalibration
        What recalibrating them in hindsight would save: 0 if they cannot be improved so.
    discrimination
        What they would then save on the base rate for everyone: 0 if they do not tell observations
        apart.
    uncertainty
        The loss of the base rate for everyone: the baseline.

    Examples
    --------
    >>> from baserate.ranking.scores import Scores
    >>> scores = Scores.of([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.2, 0.6, 0.9, 0.9])
    >>> print(decomposed(scores))
    0.178 = miscalibration 0.067 − discrimination 0.139 + uncertainty 0.250
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float

    @property
    def terms(self) -> tuple[tuple[str, float], ...]:
        """The three parts, which add up to the score."""
        return (
            ("miscalibration", self.miscalibration),
            ("discrimination", -self.discrimination),
            ("uncertainty", self.uncertainty),
        )

    def __str__(self) -> str:
        parts = (self.score, self.miscalibration, self.discrimination, self.uncertainty)
        score, off, apart, unsure = map(number_format(parts), parts)
        return f"{score} = miscalibration {off} − discrimination {apart} + uncertainty {unsure}"


def decomposed(scores: Scores, measure: str = "Brier") -> Decomposition:
    """Decompose the loss of some probabilities.

    Parameters
    ----------
    scores
        The probabilities, counted against the truth.
    measure
        The key of a loss: ``"Brier"``, ``"log loss"``, …

    Examples
    --------
    >>> from baserate.ranking.scores import Scores
    >>> parts = decomposed(Scores.of([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5]), "log loss")
    >>> parts.miscalibration, parts.discrimination, round(parts.uncertainty, 4)
    (0.0, 0.0, 0.6931)
    """
    losses = {each.key: each for each in RULES if each.direction is Direction.MINIMIZE}
    rule = losses.get(measure)
    if rule is None:
        raise InvalidMeasureError(
            f"must be one of {listed(losses)} (got {shown(measure)}): no other score is decomposed",
            parameter="measure",
        )
    return parts_of(rule, scores)


def parts_of(rule: ScoringRule, scores: Scores) -> Decomposition:
    """Decompose the mean of a proper loss, whether it has a name here or is one's own."""
    require_probabilities(rule.key, scores)
    sizes = scores.positives + scores.negatives
    score = mean_points(rule, scores)
    best, weights = recalibrated(scores.positives / sizes, sizes)
    # The recalibrated loss is the mean of what the base rate of each block would have for free.
    least = float(np.average(rule.free(np.stack([1 - best, best], axis=1)), weights=weights))
    share = float(scores.positives.sum() / sizes.sum())
    free = float(rule.free(np.array([1 - share, share])))
    return Decomposition(score, max(score - least, 0.0), max(free - least, 0.0), free)


def recalibrated(rates: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Return the distinct rates of an isotonic regression on descending scores, and their sizes."""
    from scipy.optimize import isotonic_regression

    found = isotonic_regression(rates, weights=sizes, increasing=False)
    return found.x[found.blocks[:-1]], found.weights
