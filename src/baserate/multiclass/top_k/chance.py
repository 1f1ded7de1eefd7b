"""Could it be luck? A model, compared with its own answers dealt at random."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.core.law import Tails
from baserate.multiclass.top_k.law import hit_law

if TYPE_CHECKING:
    from baserate.multiclass.top_k.answers import TopAnswers
    from baserate.multiclass.top_k.measures import TopKMeasure


@dataclass(frozen=True, eq=False)
class TopChance:
    """What the answers of a model score when they are dealt at random.

    Parameters
    ----------
    answers
        What the model answered.
    levels
        The quantiles between which luck is expected to stay, from bad to good.
    """

    answers: TopAnswers
    levels: tuple[float, float]

    def tails(self, measure: TopKMeasure, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad."""
        law = hit_law(self.answers, measure.k)
        hits = round(score * self.answers.total)
        return Tails(law.at_least(hits), law.at_most(hits))

    def luck_interval(self, measure: TopKMeasure) -> tuple[float, float]:
        """Return between which scores luck stays."""
        law = hit_law(self.answers, measure.k)
        low, high = (law.ppf(level) / self.answers.total for level in self.levels)
        return low, high

    def is_exact(self, measure: TopKMeasure) -> bool:
        """Return whether these chances are exact, and no approximation or simulation."""
        return hit_law(self.answers, measure.k).exact


def shared_tails(answers: TopAnswers) -> Tails:
    """Return the chances of as many hits, and of as few; nan if each of several ks has its own."""
    if len(answers.ks) > 1:
        return Tails(math.nan, math.nan)
    law, hits = hit_law(answers, answers.ks[0]), answers.hits(answers.ks[0])
    return Tails(law.at_least(hits), law.at_most(hits))
