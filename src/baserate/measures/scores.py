"""What is declared of a measure of scores: of two classes, or of the labels that scores give."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from baserate.core.baseline import ANY, Baseline, Optimum
from baserate.core.measure import UNIT, Codomain, Direction, Measure
from baserate.exceptions import InvalidScoresError, UndefinedMeasureError
from baserate.formatting import shown
from baserate.observed.scores import Counts, RankedScores

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from baserate.measures.probabilities import ScoringRule
    from baserate.null.distribution import NullDistribution
    from baserate.observed.labels import BaseRate
    from baserate.observed.scores import ScoreLevels

    Floats = NDArray[np.float64]

S = TypeVar("S")


class Guesses(NamedTuple):
    """The best and the worst guess on a test set, with what they are expected to score."""

    best: Optimum
    worst: Optimum

    @classmethod
    def same(cls, value: float) -> Guesses:
        """Return the guesses of a measure by which all rankings expect the same."""
        return cls(Optimum(value, ANY), Optimum(value, ANY))


def baseline_of(measure: Any, test_set: Any) -> Baseline:
    """Return the baseline of a measure that knows its best and its worst guess, or raise."""
    reason = measure.missing(test_set)
    if reason:
        raise UndefinedMeasureError(f"{measure.key} is undefined: {reason}")
    best, worst = measure.guesses(test_set)
    ends = (best, worst) if measure.direction is Direction.MAXIMIZE else (worst, best)
    return Baseline(measure, test_set, *ends, measure.perfect(test_set))


def without_positives(rate: BaseRate) -> str:
    """Say that there are no positives, if so."""
    return "" if rate.positives else "there are no positives"


def without_both(rate: BaseRate) -> str:
    """Say which class is missing, if one is."""
    return without_positives(rate) or ("" if rate.negatives else "there are no negatives")


class _OfRankedScores(Measure[RankedScores]):
    """A measure that the scores of a model have, in whatever way."""

    takes = (RankedScores,)
    counted_by = "RankedScores.of(y_true, y_score)"

    def score_error(self, observed: RankedScores) -> float:
        """Return how far the score may be from that of the rows, if scores were put in bins.

        It holds for measures that improve if a positive moves up or a negative moves down.
        """
        if observed.exact:
            return 0.0
        score, reason = self.score_or_reason(observed)
        if reason:
            return math.nan
        low, high = observed.bounds(lambda each: self.score_or_reason(each)[0])
        return max(high - score, score - low)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ScoreMeasure(_OfRankedScores):
    """A measure of scores: how well they rank, or how good they are as probabilities.

    Get one with `get_measure("AUC")`.

    Examples
    --------
    >>> import baserate as br
    >>> br.get_measure("roc_auc")
    <Measure AUC: Area under the ROC Curve>
    """

    direction: Direction = Direction.MAXIMIZE
    codomain: Codomain = UNIT
    definition: str = ""  # the formula, in LaTeX
    # The scores of many test sets at once. Counts may be any numbers that are not negative.
    many: Callable[[Counts], Floats] = field(repr=False)
    null: Callable[[BaseRate, ScoreLevels], NullDistribution] = field(repr=False)
    guesses: Callable[[BaseRate], Guesses] = field(repr=False)  # the best and the worst one
    perfect: Callable[[BaseRate], float] = field(default=lambda _: 1.0, repr=False)
    # Why it has no score on a test set; empty if it has one.
    missing: Callable[[BaseRate], str] = field(default=lambda _: "", repr=False)
    probabilities: bool = False  # whether scores must be probabilities
    # Whether it improves with every pair that is put in order: its p-value is that of the ranking.
    monotone: bool = False
    rule: ScoringRule | None = field(default=None, repr=False)  # whose mean it is, if it is one
    relative: bool = False  # whether it is the skill of the rule
    # The parts that add up to the score, each with its name.
    components: Callable[[RankedScores], tuple[tuple[str, float], ...]] | None = None

    def require(self, scores: RankedScores | ScoreLevels) -> None:
        """Raise if the measure needs probabilities, and scores are none; they descend."""
        if not self.probabilities:
            return
        highest, lowest = float(scores.values[0]), float(scores.values[-1])
        if not (lowest >= 0 and highest <= 1):
            raise InvalidScoresError(
                f"must be probabilities from 0 to 1 for {self.key} (got "
                f"{shown(highest if highest > 1 else lowest)}); AUC and AP take any numbers",
                parameter="y_score",
            )

    def score_or_reason(self, observed: RankedScores) -> tuple[float, str]:
        """Return the score, or nan and why there is none."""
        reason = self.missing(observed.test_set)
        if reason:
            return math.nan, reason
        if self not in observed.kept:
            self.require(observed)
            counts = Counts(observed.values, observed.positives, observed.negatives)
            observed.kept[self] = float(self.many(counts))
        return observed.kept[self], ""

    def null_of(self, test_set: BaseRate, levels: ScoreLevels) -> NullDistribution:
        """Return the null distribution of scores, or raise if there is none."""
        reason = self.missing(test_set)
        if reason:
            raise UndefinedMeasureError(f"{self.key} is undefined: {reason}")
        self.require(levels)
        return self.null(test_set, levels)

    def parts(self, observed: RankedScores) -> tuple[tuple[str, float], ...]:
        """Return the parts that add up to the score, each with its name, if it has any."""
        return () if self.components is None else self.components(observed)

    def __reduce__(self) -> Any:
        """Pickle a measure by the name under which users get it."""
        import baserate

        return baserate.get_measure, (self.key,)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OfLabels(Measure[S]):
    """A measure of the labels that scores give, which are counted as labels are."""

    of: Any
    threshold: float | None = None

    monotone = probabilities = False

    @classmethod
    @lru_cache(maxsize=256)
    def at(cls, measure: Any, threshold: float | None) -> Any:
        """Return a measure of labels as one of scores; the same record every time."""
        declared = measure.declared
        if threshold is not None:
            declared["remedy"] = "its threshold may be wrong for this measure"
        return cls(**declared, of=measure, threshold=threshold)

    def labels(self, observed: Any) -> Any:
        """Return the table of the labels of one model, or of two."""
        return observed.matrix if self.threshold is None else observed.table(self.threshold)

    def score_or_reason(self, observed: S) -> tuple[float, str]:
        """Return the score, or nan and why there is none."""
        found: tuple[float, str] = self.of.score_or_reason(self.labels(observed))
        return found

    def missing(self, test_set: Any) -> str:  # noqa: ARG002
        """Return nothing: the table of labels says whether it has a score."""
        return ""

    def require(self, *_: Any) -> None:
        """Any scores give labels."""

    def require_baseline(self) -> None:
        """Raise if the measure cannot have a baseline."""
        self.of.require_baseline()

    @property
    def is_custom(self) -> bool:
        """Whether it is anyone's own function."""
        return bool(self.of.is_custom)

    def __reduce__(self) -> Any:
        """Pickle a measure by what it is made of."""
        return type(self).at, (self.of, self.threshold)


class CutMeasure(OfLabels[RankedScores], _OfRankedScores):
    """A measure of the labels that scores of two classes give at a threshold."""
