"""A model, compared with its own answers shuffled over the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.core.direction import Direction
from baserate.core.law import Tails
from baserate.multiclass.top_k.null import null_of

if TYPE_CHECKING:
    from baserate.multiclass.top_k.answers import TopAnswers
    from baserate.multiclass.top_k.measures import TopKMeasure


@dataclass(frozen=True, eq=False)
class TopChance:
    """What the answers of a model score when they are shuffled.

    Parameters
    ----------
    answers
        What the model answered.
    levels
        The quantiles between which chance is expected to stay, from bad to good.
    """

    answers: TopAnswers
    levels: tuple[float, float]

    def tails(self, measure: TopKMeasure, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad."""
        return null_of(self.answers, measure.k).tails(score, measure.direction)

    def luck_interval(self, measure: TopKMeasure) -> tuple[float, float]:
        """Return between which scores chance stays."""
        low, high = map(null_of(self.answers, measure.k).ppf, self.levels)
        return low, high

    def is_exact(self, measure: TopKMeasure) -> bool:
        """Return whether these chances are exact."""
        return null_of(self.answers, measure.k).exact


def shared_tails(answers: TopAnswers) -> Tails:
    """Return the chances of as many hits, and of as few; nan if each of several ks has its own."""
    if len(answers.ks) > 1:
        return Tails(math.nan, math.nan)
    (k,) = answers.ks
    return null_of(answers, k).tails(answers.hits(k) / answers.total, Direction.MAXIMIZE)
