"""Measures of probabilities of two classes: scoring rules, their parts, and calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.baseline import BASE_RATE, Optimum
from baserate.core.measure import UNIT, Codomain, Direction, Rule, SklearnCall
from baserate.exceptions import InvalidMeasureError, InvalidScoresError
from baserate.formatting import listed, number_format, shown
from baserate.measures.rankings import without_both
from baserate.measures.scores_record import Extremes, ScoreMeasure
from baserate.measures.scoring_rules import REMEDY, RULES, ScoringRule
from baserate.null.rankings import null_of_counts
from baserate.null.sums import two_levels
from baserate.observed.scores import ScoreLevels, alone, means

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.measures.scoring_rules import Skill
    from baserate.null.distribution import NullDistribution
    from baserate.observed.base_rate import BaseRate
    from baserate.observed.scores import Counts, RankedScores

    Floats = NDArray[Any]
    Ints = NDArray[np.int64]


def require_probabilities(key: str, scores: RankedScores | ScoreLevels) -> None:
    """Raise unless all scores are from 0 to 1; they descend, so the ends tell.

    Examples
    --------
    >>> from baserate.observed.scores import RankedScores
    >>> require_probabilities("Brier", RankedScores.of([0, 1], [-1.5, 2.0]))
    Traceback (most recent call last):
        ...
    baserate.exceptions.InvalidScoresError: y_score must be probabilities from 0 to 1 for Brier (got
    2.0); AUC and AP take any numbers
    """
    highest, lowest = float(scores.values[0]), float(scores.values[-1])
    if lowest >= 0 and highest <= 1:
        return
    got = highest if highest > 1 else lowest
    raise InvalidScoresError(
        f"must be probabilities from 0 to 1 for {key} (got {shown(got)}); AUC and AP take any "
        "numbers",
        parameter="y_score",
    )


ENDS = {0: "0 for everyone", 1: "1 for everyone", None: "0 or 1 for everyone"}
"""The worst constants in words."""


def shares_of(rate: BaseRate) -> Floats:
    """Return the shares of the negatives and the positives."""
    return np.array([rate.negatives, rate.positives]) / rate.total


def mean_points(rule: ScoringRule, scores: RankedScores) -> float:
    """Return the mean of a rule over all observations, which may have weights."""
    return alone(means(rule.of_two))(scores)


def null_of_rule(
    rule: ScoringRule, rate: BaseRate, levels: ScoreLevels, scale: float = 1.0, shift: float = 0.0
) -> NullDistribution:
    """Return the null distribution of scale · score + shift, given the levels of the scores.

    The score is linear in a sum over the positives: Σ p for Brier, Σ logit p for log loss.
    """
    of_positive, of_negative = rule.of_two(levels.values)
    if rule.lean is None:
        weights, slope = of_positive - of_negative, 1.0
    else:
        weights, slope = rule.lean(levels.values)
    # The score of one order, on which weights and points agree: the positives are spread evenly.
    share = rate.positives / rate.total
    level = share * of_positive + (1 - share) * of_negative - slope * share * weights
    start = scale * float(levels.sizes @ level) / rate.total
    slope = scale * slope / rate.total
    return two_levels(rate.positives, levels.sizes, weights, slope, start + shift)


def constants(rule: ScoringRule, rate: BaseRate) -> tuple[Optimum, Optimum]:
    """Return the best and the worst guess.

    The expected score of a guess is the mean of what each of its probabilities has as a constant.
    So the best guess is the best constant, the base rate, and the worst is the worst: 0 or 1.
    """
    shares = shares_of(rate)
    of_ends = np.stack(rule.of_two(np.array([0.0, 1.0]))[::-1], axis=1) @ shares
    sign = 1 if rule.direction is Direction.MAXIMIZE else -1
    place = None if of_ends[0] == of_ends[1] else int(np.argmin(sign * of_ends))
    worst = float(of_ends[place or 0])
    return Optimum(float(rule.free(shares)), BASE_RATE), Optimum(worst, ENDS[place])


def _extremes(direction: Direction, best: Optimum, worst: Optimum) -> Extremes:
    is_maximized = direction is Direction.MAXIMIZE
    return Extremes(best, worst) if is_maximized else Extremes(worst, best)


def _measure(rule: ScoringRule) -> ScoreMeasure:
    def kernel(scores: RankedScores) -> float:
        require_probabilities(rule.key, scores)
        return mean_points(rule, scores)

    def null(rate: BaseRate, levels: ScoreLevels) -> NullDistribution:
        require_probabilities(rule.key, levels)
        return null_of_rule(rule, rate, levels)

    def components(scores: RankedScores) -> tuple[tuple[str, float], ...]:
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
        null=null,
        extremes=lambda rate: _extremes(rule.direction, *constants(rule, rate)),
        perfect=lambda _: rule.perfect,
        missing=lambda _: "",
        probabilities=True,
        components=components if rule.direction is Direction.MINIMIZE else None,
        remedy=REMEDY,
    )


def _skill(rule: ScoringRule, skill: Skill) -> ScoreMeasure:
    def kernel(scores: RankedScores) -> float:
        require_probabilities(skill.key, scores)
        return alone(many)(scores)

    def many(counts: Counts) -> Floats:
        classes = np.stack([counts.negatives.sum(axis=-1), counts.positives.sum(axis=-1)], axis=-1)
        free = rule.free(classes / classes.sum(axis=-1, keepdims=True))
        return np.asarray(1 - means(rule.of_two)(counts) / free)

    def null(rate: BaseRate, levels: ScoreLevels) -> NullDistribution:
        require_probabilities(skill.key, levels)
        return null_of_rule(
            rule, rate, levels, scale=-1 / float(rule.free(shares_of(rate))), shift=1.0
        )

    def extremes(rate: BaseRate) -> Extremes:
        best, worst = constants(rule, rate)
        value = 1 - worst.value / best.value
        return Extremes(Optimum(0.0, BASE_RATE), Optimum(value, worst.guesses))

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
        null=null,
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


BINS = 15
_EDGES = np.arange(1, BINS) / BINS
MEANING = (
    "The mean gap between probabilities and what happened, in 15 bins of equal width, weighted by "
    "their sizes."
)
PITFALL = (
    "The base rate for everyone has 0, the perfect score, without looking; and a perfectly "
    "calibrated model does not: about 0.04 for 1,000 observations."
)


def in_bins(values: Floats, weights: Floats) -> Floats:
    """Add up weights by the bin of each probability; a bin has its upper end, the first has 0.

    Examples
    --------
    >>> in_bins(np.array([0.0, 0.05, 1 / 15, 0.5, 1.0]), np.ones(5)).astype(int).tolist()
    [3, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1]
    """
    bins = np.searchsorted(_EDGES, values.astype(float), side="left")
    return np.asarray(np.bincount(bins, weights, BINS))


def calibration_error(scores: RankedScores) -> float:
    """Return the expected calibration error of some scores, which may have weights."""
    require_probabilities("ECE", scores)
    return alone(calibration_errors)(scores)


def calibration_errors(counts: Counts) -> Floats:
    """Return the expected calibration errors of many test sets."""
    sizes = counts.positives + counts.negatives
    gaps = counts.positives - sizes * counts.values
    bins = np.searchsorted(_EDGES, counts.values.astype(float), side="left")
    starts = np.flatnonzero(np.diff(bins, prepend=BINS))
    errors = np.abs(np.add.reduceat(gaps, starts, axis=-1)).sum(axis=-1)
    return np.asarray(errors / sizes.sum(axis=-1))


def _null(rate: BaseRate, levels: ScoreLevels) -> NullDistribution:
    """Return the distribution when probabilities are shuffled; rows of one bin are alike."""
    require_probabilities("ECE", levels)
    sizes = in_bins(levels.values, levels.sizes)
    expected = in_bins(levels.values, levels.sizes * levels.values.astype(float))
    met = sizes > 0
    bins = ScoreLevels(expected[met] / sizes[met], sizes[met].astype(np.int64))
    return null_of_counts(rate, bins, _gaps)


def _gaps(counts: Counts) -> Floats:
    """Return the calibration errors of many test sets, whose blocks are bins."""
    sizes = counts.positives + counts.negatives
    gaps = np.abs(counts.positives - sizes * counts.values)
    return np.asarray(gaps.sum(axis=-1) / sizes.sum(axis=-1))


def _calibration_extremes(rate: BaseRate) -> Extremes:
    """Return the extremes: the gap of each bin is convex in its mean, so a constant is worst."""
    share = rate.positives / rate.total
    place = None if rate.positives == rate.negatives else int(share < 0.5)
    worst = Optimum(max(share, 1 - share), ENDS[place])
    return Extremes(worst, Optimum(0.0, BASE_RATE))


ECE = ScoreMeasure(
    key="ECE",
    name="Expected Calibration Error",
    aliases=("expected_calibration_error", "calibration error"),
    meaning=MEANING,
    pitfall=PITFALL,
    direction=Direction.MINIMIZE,
    codomain=UNIT,
    rounds=True,
    definition=r"\frac{1}{M} \sum_{b=1}^{15} \left| \sum_{i \in b} (y_i - p_i) \right|",
    kernel=calibration_error,
    many=calibration_errors,
    null=_null,
    extremes=_calibration_extremes,
    perfect=lambda _: 0.0,
    missing=lambda _: "",
    probabilities=True,
)


TWO_CLASS_MEASURES = (*RULE_MEASURES, ECE)


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
    >>> from baserate.observed.scores import RankedScores
    >>> scores = RankedScores.of([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.2, 0.6, 0.9, 0.9])
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


def decomposed(scores: RankedScores, measure: str = "Brier") -> Decomposition:
    """Decompose the loss of some probabilities.

    Parameters
    ----------
    scores
        The probabilities, counted against the truth.
    measure
        The key of a loss: ``"Brier"``, ``"log loss"``, …

    Examples
    --------
    >>> from baserate.observed.scores import RankedScores
    >>> parts = decomposed(RankedScores.of([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5]), "log loss")
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


def parts_of(rule: ScoringRule, scores: RankedScores) -> Decomposition:
    """Decompose the mean of a proper loss, whether it has a name here or is one's own."""
    require_probabilities(rule.key, scores)
    sizes = scores.positives + scores.negatives
    score = mean_points(rule, scores)
    best, weights = recalibrated(scores.positives / sizes, sizes)
    # The recalibrated loss is the mean of what the base rate of each block would have.
    least = float(np.average(rule.free(np.stack([1 - best, best], axis=1)), weights=weights))
    share = float(scores.positives.sum() / sizes.sum())
    free = float(rule.free(np.array([1 - share, share])))
    return Decomposition(score, max(score - least, 0.0), max(free - least, 0.0), free)


def recalibrated(rates: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Return the distinct rates of an isotonic regression on descending scores, and their sizes."""
    from scipy.optimize import isotonic_regression

    found = isotonic_regression(rates, weights=sizes, increasing=False)
    return found.x[found.blocks[:-1]], found.weights
