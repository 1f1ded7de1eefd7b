"""How sure a score and its margin are, over test sets like the one that was observed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.confidence import around, limits_of_rate
from baserate.core.direction import Direction
from baserate.multiclass.measures.forms import OfTrace
from baserate.multiclass.plausible.limits import Plausible
from baserate.multiclass.plausible.number import Number
from baserate.multiclass.plausible.sample import Sample
from baserate.multiclass.plausible.tables import needs_cells, scored, scores_one_by_one
from baserate.multiclass.references import references

if TYPE_CHECKING:
    from baserate.core.task import Yardstick
    from baserate.multiclass.matrix import ConfusionMatrix
    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.multiclass.plausible.number import Part
    from baserate.multiclass.references import Reference


@dataclass(frozen=True, eq=False)
class ClassUncertainty:
    """The limits of scores and margins over test sets like this one.

    The cells are taken as a sample of all that could be observed, how frequent the classes are
    included. Classes that were not seen stay out.

    Parameters
    ----------
    table
        What was observed.
    alpha
        How often a pair of limits may be wrong.

    Examples
    --------
    >>> from baserate.multiclass.matrix import ConfusionMatrix
    >>> from baserate.multiclass.measures.catalogue import get_class_measure
    >>> matrix = ConfusionMatrix([[50, 15, 5], [8, 10, 2], [4, 3, 3]])
    >>> known = ClassUncertainty(matrix, alpha=0.05)
    >>> [round(limit, 4) for limit in known.score(get_class_measure("accuracy"))]
    [0.5276, 0.7244]
    """

    table: ConfusionMatrix
    alpha: float

    def score(self, measure: ClassMeasure) -> tuple[float, float]:
        """Return the limits of a score; nan if it has no value here."""
        score, _ = measure.score_or_reason(self.table)
        if math.isnan(score):
            return math.nan, math.nan
        if isinstance(measure.form, OfTrace) and measure.form.of_accuracy:
            return self._of_accuracy(measure.form)
        return around(score, self._within(measure))

    def margin(self, yardstick: Yardstick) -> tuple[float, float]:
        """Return the limits of how much better a score is than the baseline; nan if it has none.

        A claim against the best of several references is a claim against each of them, so each
        is compared, and the smallest limits count. The smallest of several upper limits is too
        small more often than each of them, so they are the farther away the more there are.
        """
        base: Any = yardstick.base
        measure, scale = base.measure, yardstick.scale
        score, _ = measure.score_or_reason(self.table)
        if math.isnan(score):
            return math.nan, math.nan
        compared = self._references(base)
        found = [self._beside(each, looks=len(compared)) for each in compared]
        slack = scale.slack(score, scale.best)
        ends = map(min, zip(*found, strict=True))
        low, high = (0.0 if abs(end) <= slack else end for end in ends)
        return around(scale.advantage(score, scale.best), (low, high))

    def _of_score(self, measure: ClassMeasure) -> tuple[float, float]:
        """Return the limits of a score, which may be beyond those that it can have."""
        if measure not in self._known:
            number = _number(measure, lambda tables: scored(measure, tables))
            self._known[measure] = self._plausible.limits(number)
        return self._known[measure]

    def _within(self, measure: ClassMeasure) -> tuple[float, float]:
        """Return the limits of a score, no farther than scores go."""
        low, high = self._of_score(measure)
        return max(low, measure.codomain.lower), min(high, measure.codomain.upper)

    def _beside(self, reference: Reference, looks: int) -> tuple[float, float]:
        """Return the limits of how much better a score is than a reference."""
        measure = reference.measure
        sign = 1 if measure.direction is Direction.MAXIMIZE else -1
        fixed = reference.everywhere(self.table.true_counts.astype(float))
        if looks == 1 and not math.isnan(fixed):
            low, high = sorted(sign * (end - fixed) for end in self._within(measure))
            return low, high
        number = _number(
            measure, lambda tables: sign * (scored(measure, tables) - reference.expected(tables.n))
        )
        most = measure.codomain.upper - measure.codomain.lower
        low, high = self._plausible.limits(number, looks)
        return max(low, -most), min(high, most)

    def _of_accuracy(self, form: OfTrace) -> tuple[float, float]:
        """Return the limits of Clopper and Pearson."""
        right, total = self.table.correct, self.table.total
        ends = limits_of_rate(right, total - right, self.alpha)
        margins = np.array([float(total)])
        low, high = sorted(float(form.score(end * total, margins, margins)) for end in ends)
        return low, high

    def _references(self, base: Any) -> list[Reference]:
        n = self.table.true_counts.astype(float)
        counts = dict(zip(base.test_set.labels, next(iter(base.best.decks)), strict=True))
        deck = np.array([float(counts.get(label, 0)) for label in self.table.labels])
        return references(base.measure, base.best.value, deck, n)

    @cached_property
    def _known(self) -> dict[ClassMeasure, tuple[float, float]]:
        return {}

    @cached_property
    def _plausible(self) -> Plausible:
        return Plausible(Sample.of(self.table), self.alpha)


def _number(measure: ClassMeasure, part: Part) -> Number:
    return Number((part,), whole=needs_cells(measure), slow=scores_one_by_one(measure))
