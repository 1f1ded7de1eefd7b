"""Measures of probabilities of several classes, from scoring rules."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from baserate.core.codomain import Codomain
from baserate.core.direction import Direction
from baserate.core.measure import AnyMeasure
from baserate.core.rule import Rule
from baserate.core.sklearn_call import SklearnCall
from baserate.exceptions import InvalidMeasureError, UndefinedMeasureWarning
from baserate.exceptions.base import shown
from baserate.null.sums import linear
from baserate.probability.measures.of_rules import SKILL_PITFALL, skill_meaning
from baserate.probability.several.observed import ClassProbabilities
from baserate.ranking.rules import RULES, ScoringRule, smallest

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.multiclass.class_counts import ClassCounts
    from baserate.null.distribution import NullDistribution
    from baserate.ranking.rules import Skill

    Ints = NDArray[np.int64]
    Floats = NDArray[Any]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ProbabilityMeasure(AnyMeasure[ClassProbabilities]):
    """A measure of probabilities of several classes: a mean over the observations, or its skill.

    Get one with `get_measure("log loss", task="probabilities")`.

    Parameters
    ----------
    key, name, aliases, meaning, pitfall, sklearn, direction, codomain, rounds, counts, remedy
        As for every measure.
    rule
        What a row of probabilities has for each class that may be true.
    relative
        Whether it is the skill of the rule: 1 minus the loss, divided by that of the class shares.

    Examples
    --------
    >>> from baserate.probability.several.catalogue import get_probability_measure
    >>> get_probability_measure("log_loss")
    <Measure log loss: Logarithmic Loss>
    """

    rule: ScoringRule = field(repr=False)
    relative: bool = False

    monotone = False
    additive: ClassVar[bool] = True
    """Whether it is a mean over the observations, so that limits and swaps are known."""

    def score(self, table: ClassProbabilities, undefined: float = math.nan) -> float:
        """Score the probabilities of a model.

        Parameters
        ----------
        table
            The probabilities, counted against the truth.
        undefined
            What to return, with a warning, if there is no score.

        Examples
        --------
        >>> from baserate.probability.several.catalogue import get_probability_measure
        >>> rows = [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.6, 0.3, 0.1]]
        >>> observed = ClassProbabilities.of(["a", "b", "c"], rows)
        >>> round(get_probability_measure("Brier").score(observed), 3)
        0.927
        """
        if not isinstance(table, ClassProbabilities):
            raise InvalidMeasureError(
                f"{self.key} must be given ClassProbabilities to score (got "
                f"{type(table).__name__}); pass ClassProbabilities.of(y_true, probabilities)"
            )
        value, reason = self.score_or_reason(table)
        if reason:
            warnings.warn(f"{self.key} is undefined: {reason}", UndefinedMeasureWarning, 2)
            return undefined
        return value

    def score_or_reason(self, observed: ClassProbabilities) -> tuple[float, str]:
        """Return the score, or nan and why there is none."""
        reason = self.missing(observed.test_set)
        if reason:
            return math.nan, reason
        slope, intercept = self.affine(observed.test_set)
        return slope * observed.mean(self.rule) + intercept, ""

    def missing(self, test_set: ClassCounts) -> str:
        """Say why it has no score on a test set; empty if it has one."""
        met = test_set.occurring.labels
        return f"all observations are {shown(met[0])}" if self.relative and len(met) == 1 else ""

    def affine(self, test_set: ClassCounts) -> tuple[float, float]:
        """Return the slope and the intercept that make the score of the mean of the rule."""
        return (-1 / self.free(test_set), 1.0) if self.relative else (1.0, 0.0)

    def free(self, test_set: ClassCounts) -> float:
        """Return the mean of the rule that the class shares have for everyone."""
        return float(self.rule.free(test_set.array / test_set.total))

    def constants(self, test_set: ClassCounts, corner: int) -> tuple[float, float]:
        """Return the score of the class shares, and of certainty of a class, for everyone."""
        slope, intercept = self.affine(test_set)
        certain = np.eye(test_set.array.size)[[corner]]
        loss = float((self.rule.points(certain, smallest(certain.dtype)) @ test_set.array)[0])
        free = 0.0 if self.relative else self.free(test_set)
        return free, slope * loss / test_set.total + intercept

    def law(
        self, test_set: ClassCounts, rows: Floats, sizes: Ints, tiny: float
    ) -> NullDistribution:
        """Return the law of the score when some rows are dealt at random.

        Parameters
        ----------
        test_set
            The classes, and how often each occurs.
        rows, sizes
            The rows, and how often each occurs.
        tiny
            The smallest probability that is not clipped.
        """
        slope, intercept = self.affine(test_set)
        met = test_set.array > 0
        points = self.rule.points(rows.astype(float), tiny)[:, met]
        counts = tuple(test_set.array[met].tolist())
        return linear(counts, sizes, points.T, slope / test_set.total, intercept)

    def __reduce__(self) -> tuple[Callable[[str], ProbabilityMeasure], tuple[str]]:
        """Pickle a measure by its name."""
        from baserate.probability.several.catalogue import get_probability_measure

        return get_probability_measure, (self.key,)


def _measure(rule: ScoringRule) -> ProbabilityMeasure:
    return ProbabilityMeasure(
        key=rule.key,
        name=rule.name,
        aliases=rule.aliases,
        meaning=rule.meaning,
        pitfall=rule.pitfall,
        sklearn=None if rule.function is None else SklearnCall(rule.function, argument="y_proba"),
        direction=rule.direction,
        codomain=rule.codomain_of_several or rule.codomain,
        rounds=True,
        interval=Rule.LOSS,
        rule=rule,
    )


def _skill(rule: ScoringRule, skill: Skill) -> ProbabilityMeasure:
    return ProbabilityMeasure(
        key=skill.key,
        name=skill.name,
        aliases=skill.aliases,
        meaning=skill_meaning(rule),
        pitfall=SKILL_PITFALL,
        sklearn=SklearnCall(skill.function, argument="y_proba"),
        direction=Direction.MAXIMIZE,
        codomain=Codomain(-math.inf, 1),
        rounds=True,
        interval=Rule.LOSS,
        rule=rule,
        relative=True,
    )


RULE_MEASURES = (
    *map(_measure, RULES),
    *(_skill(rule, rule.skill) for rule in RULES if rule.skill is not None),
)
