"""How sure the difference between two models is, over test sets like the one that was observed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from baserate.multiclass.plausible.limits import Plausible
from baserate.multiclass.plausible.number import Number
from baserate.multiclass.plausible.sample import Sample
from baserate.multiclass.plausible.tables import needs_cells, scored, scores_one_by_one

if TYPE_CHECKING:
    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.multiclass.paired.joint import JointMatrix


@dataclass(frozen=True, eq=False)
class ClassLimits:
    """The limits of differences between two models.

    The joint cells are taken as a sample of all that could be observed.

    Parameters
    ----------
    joint
        The joint table of the models.
    alpha
        How often a pair of limits may be wrong.
    """

    joint: JointMatrix
    alpha: float

    def difference(self, measure: ClassMeasure) -> tuple[float, float]:
        """Return the limits of the second score minus the first; nan if one is missing."""
        first, reason = measure.score_or_reason(self.joint.first)
        second, other_reason = measure.score_or_reason(self.joint.second)
        if reason or other_reason:
            return math.nan, math.nan
        number = Number(
            (lambda tables: -scored(measure, tables), lambda tables: scored(measure, tables)),
            whole=needs_cells(measure),
            slow=scores_one_by_one(measure),
        )
        low, high = self._plausible.limits(number)
        if self._is_mirrored:
            low, high = -high, -low
        span = measure.codomain.upper - measure.codomain.lower
        observed = second - first
        return max(min(low, observed), -span), min(max(high, observed), span)

    @property
    def _is_mirrored(self) -> bool:
        """Whether to look at the models the other way round.

        The stream of random numbers tells one cell from another. Whoever swaps the models should
        have the same limits, with the other sign.
        """
        mine, other = self.joint, self.joint.swapped
        return _order(mine) > _order(other)

    @cached_property
    def _plausible(self) -> Plausible:
        joint = self.joint.swapped if self._is_mirrored else self.joint
        answers = joint.first_answers, joint.second_answers
        sample = Sample(joint.truth, answers, joint.counts, len(joint.labels))
        return Plausible(sample, self.alpha)


def _order(joint: JointMatrix) -> list[list[int]]:
    columns = joint.truth, joint.first_answers, joint.second_answers, joint.counts
    return [each.tolist() for each in columns]
