"""Scores between guesses and perfection where observations matter more or less."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from baserate.baselines.dutch_scaler import Mixture, guess_in_words
from baserate.baselines.weighted import WeightedBaseline, weighted_baseline
from baserate.core.measure import Direction
from baserate.core.scale import Scale
from baserate.exceptions import InvalidMeasureError
from baserate.kinds.two_classes.borrowed import BorrowedYardstick
from baserate.kinds.two_classes.task import BINARY
from baserate.measures.weighted import classed
from baserate.observed.weighted import WeightedCounts

if TYPE_CHECKING:
    from baserate.measures.weighted import WeightedMeasure
    from baserate.observed.weighted import WeightedBase


@dataclass(frozen=True)
class WeightedYardstick:
    """A weighted measure on a test set.

    Parameters
    ----------
    base
        The baseline.
    """

    base: WeightedBaseline

    @property
    def measure(self) -> WeightedMeasure:
        """The measure."""
        return self.base.measure

    @cached_property
    def scale(self) -> Scale:
        """The worst draw, the best one and perfection."""
        return Scale.of(self.base, self._perfect)

    @property
    def theta_star(self) -> float:
        """The fraction that the best draw predicts positive; the smallest, if there are several."""
        return next(iter(self.base.best.theta_stars))

    @property
    def reference(self) -> str:
        """The best guess in words."""
        if self.base.min.value == self.base.max.value:
            return "any guess"
        return guess_in_words(self.theta_star)

    def oracle_weight(self, score: float, margin: float) -> float:
        """Return the weight of an oracle that explains a score; nan if there is none."""
        scale = self.scale
        is_within = margin >= 0 and not scale.advantage(score, scale.perfect) > 0
        if not is_within or not scale.room > 0:
            return math.nan
        if margin == 0:
            return 0.0
        try:
            return self._mixture.bracketed(score)
        except InvalidMeasureError:  # a user's function may not take any number
            return math.nan

    @property
    def _mixture(self) -> Mixture:
        """The best draw and an oracle: their expected weights are those of plain counts."""
        base = self.measure.on(self.base.test_set)
        rate = SimpleNamespace(
            positives=base.positive_weight, negatives=base.negative_weight, total=base.total_weight
        )
        facts: Any = SimpleNamespace(measure=self.measure.of, base_rate=rate)
        return Mixture(facts, self.theta_star * base.total_weight, 0.0)  # type: ignore[arg-type]

    @property
    def _perfect(self) -> float:
        """The score of a prediction without errors; nan if it is not known."""
        measure, base = self.measure, self.measure.on(self.base.test_set)
        counts = WeightedCounts(base.positive_weight, 0.0, 0.0, base.negative_weight)
        if measure.of.failing_requirement(counts) is None:  # type: ignore[arg-type]
            score = float(measure.of.definition(*counts))
            if math.isfinite(score):
                return score
        if not measure.of.may_be_undefined:
            # With one class there is nothing to err on: whatever is predicted scores the same.
            return self.base.best.value
        is_maximized = measure.direction is Direction.MAXIMIZE
        end = measure.codomain.upper if is_maximized else measure.codomain.lower
        return end if math.isfinite(end) else math.nan


def yardstick_of(
    base: WeightedBase, measure: WeightedMeasure
) -> BorrowedYardstick | WeightedYardstick:
    """Return how scores are read on a test set, or raise if the measure has no baseline."""
    plain = classed(measure, base)
    if plain is not None:
        return BorrowedYardstick(measure, BINARY.yardstick(base.rate, plain))
    return WeightedYardstick(weighted_baseline(base, measure))
