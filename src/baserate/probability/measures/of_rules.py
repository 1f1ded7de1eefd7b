"""Measures of two classes from scoring rules, and their skill scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from baserate.core.codomain import Codomain
from baserate.core.direction import Direction
from baserate.core.rule import Rule
from baserate.core.sklearn_call import SklearnCall
from baserate.null.sums import two_levels
from baserate.probability.measures.checks import require_probabilities
from baserate.ranking.many import alone, means
from baserate.ranking.measures.area import without_both
from baserate.ranking.measures.record import Extremes, ScoreMeasure
from baserate.ranking.optimum import BASE_RATE, ScoreOptimum
from baserate.ranking.rules import REMEDY, RULES, ScoringRule

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.null.distribution import NullDistribution
    from baserate.ranking.deck import ScoreDeck
    from baserate.ranking.many import Counts
    from baserate.ranking.rules import Skill
    from baserate.ranking.scores import Scores

    Floats = NDArray[Any]

ENDS = {0: "0 for everyone", 1: "1 for everyone", None: "0 or 1 for everyone"}
"""The worst constants in words."""


def shares_of(rate: BaseRate) -> Floats:
    """Return the shares of the negatives and the positives."""
    return np.array([rate.negatives, rate.positives]) / rate.total


def mean_points(rule: ScoringRule, scores: Scores) -> float:
    """Return the mean of a rule over all observations, which may have weights."""
    return alone(means(rule.of_two))(scores)


def dealt(
    rule: ScoringRule, rate: BaseRate, deck: ScoreDeck, scale: float = 1.0, shift: float = 0.0
) -> NullDistribution:
    """Return the law of scale · score + shift when a deck is dealt at random.

    The score is linear in a sum over the positives: Σ p for Brier, Σ logit p for log loss.
    """
    of_positive, of_negative = rule.of_two(deck.values)
    if rule.lean is None:
        weights, slope = of_positive - of_negative, 1.0
    else:
        weights, slope = rule.lean(deck.values)
    # The score of one deal, on which weights and points agree: the positives are spread evenly.
    share = rate.positives / rate.total
    level = share * of_positive + (1 - share) * of_negative - slope * share * weights
    start = scale * float(deck.sizes @ level) / rate.total
    slope = scale * slope / rate.total
    return two_levels(rate.positives, deck.sizes, weights, slope, start + shift)


def constants(rule: ScoringRule, rate: BaseRate) -> tuple[ScoreOptimum, ScoreOptimum]:
    """Return the best and the worst deck.

    The expected score of a deck is the mean over its cards of that of each as a constant. So the
    best deck is the best constant, the base rate, and the worst is the worst constant: 0 or 1.
    """
    shares = shares_of(rate)
    of_ends = np.stack(rule.of_two(np.array([0.0, 1.0]))[::-1], axis=1) @ shares
    sign = 1 if rule.direction is Direction.MAXIMIZE else -1
    place = None if of_ends[0] == of_ends[1] else int(np.argmin(sign * of_ends))
    worst = float(of_ends[place or 0])
    return ScoreOptimum(float(rule.free(shares)), BASE_RATE), ScoreOptimum(worst, ENDS[place])


def _extremes(direction: Direction, best: ScoreOptimum, worst: ScoreOptimum) -> Extremes:
    is_maximized = direction is Direction.MAXIMIZE
    return Extremes(best, worst) if is_maximized else Extremes(worst, best)


def _measure(rule: ScoringRule) -> ScoreMeasure:
    def kernel(scores: Scores) -> float:
        require_probabilities(rule.key, scores)
        return mean_points(rule, scores)

    def law(rate: BaseRate, deck: ScoreDeck) -> NullDistribution:
        require_probabilities(rule.key, deck)
        return dealt(rule, rate, deck)

    def components(scores: Scores) -> tuple[tuple[str, float], ...]:
        from baserate.probability.decomposition import parts_of

        return parts_of(rule, scores).terms

    return ScoreMeasure(
        key=rule.key,
        name=rule.name,
        aliases=rule.aliases,
        meaning=rule.meaning,
        pitfall=rule.pitfall,
        sklearn=None if rule.function is None else _call(rule.function),
        direction=rule.direction,
        codomain=rule.codomain,
        rounds=True,
        definition=rule.definition,
        kernel=kernel,
        many=means(rule.of_two),
        rule=rule,
        interval=Rule.LOSS,
        law=law,
        extremes=lambda rate: _extremes(rule.direction, *constants(rule, rate)),
        perfect=lambda _: rule.perfect,
        missing=lambda _: "",
        probabilities=True,
        components=components if rule.direction is Direction.MINIMIZE else None,
        remedy=REMEDY,
    )


def _skill(rule: ScoringRule, skill: Skill) -> ScoreMeasure:
    def kernel(scores: Scores) -> float:
        require_probabilities(skill.key, scores)
        return alone(many)(scores)

    def many(counts: Counts) -> Floats:
        classes = np.stack([counts.negatives.sum(axis=-1), counts.positives.sum(axis=-1)], axis=-1)
        free = rule.free(classes / classes.sum(axis=-1, keepdims=True))
        return np.asarray(1 - means(rule.of_two)(counts) / free)

    def law(rate: BaseRate, deck: ScoreDeck) -> NullDistribution:
        require_probabilities(skill.key, deck)
        return dealt(rule, rate, deck, scale=-1 / float(rule.free(shares_of(rate))), shift=1.0)

    def extremes(rate: BaseRate) -> Extremes:
        best, worst = constants(rule, rate)
        value = 1 - worst.value / best.value
        return Extremes(ScoreOptimum(0.0, BASE_RATE), ScoreOptimum(value, worst.decks))

    return ScoreMeasure(
        key=skill.key,
        name=skill.name,
        aliases=skill.aliases,
        meaning=skill_meaning(rule),
        pitfall=SKILL_PITFALL,
        sklearn=_call(skill.function),
        direction=Direction.MAXIMIZE,
        codomain=Codomain(-np.inf, 1),
        rounds=True,
        definition=rule.skill_definition,
        kernel=kernel,
        many=many,
        rule=rule,
        relative=True,
        interval=Rule.LOSS,
        law=law,
        extremes=extremes,
        perfect=lambda _: 1.0,
        missing=without_both,
        probabilities=True,
        remedy=REMEDY,
    )


SKILL_PITFALL = (
    "It is on another scale for every test set, as its unit is the base rate's own loss."
)


def skill_meaning(rule: ScoringRule) -> str:
    """Return what the skill score of a rule is, in a sentence."""
    return f"The share of the base rate's {_in_a_sentence(rule.name)} that the probabilities save."


def _in_a_sentence(name: str) -> str:
    """Return a name in lower case, but for Glenn Brier's."""
    return name.lower().replace("brier", "Brier")


def _call(function: str) -> SklearnCall:
    return SklearnCall(function, argument="y_proba")


RULE_MEASURES = (
    *map(_measure, RULES),
    *(_skill(rule, rule.skill) for rule in RULES if rule.skill is not None),
)
