"""Scoring rules of probabilities, and measures of the probabilities of two classes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.baseline import BASE_RATE, Optimum
from baserate.core.measure import UNIT, Codomain, Direction, Rule, SklearnCall
from baserate.formatting import number_format
from baserate.measures.rankings import null_of_counts
from baserate.measures.scores import Guesses, ScoreMeasure, without_both
from baserate.null.sums import two_levels
from baserate.observed.scores import ScoreLevels

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.null.distribution import NullDistribution
    from baserate.observed.class_scores import ClassProbabilities
    from baserate.observed.labels import BaseRate
    from baserate.observed.scores import Counts, RankedScores

    Floats = NDArray[Any]


# The most numbers that are scored at once.
_AT_ONCE = 2**20

REMEDY = (
    "the probabilities are miscalibrated; recalibrate them, for example with isotonic regression "
    "on other data"
)
"""What to do with a model that learned something and does not beat the base rate."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoringRule:
    """A proper scoring rule, with the names that two and several classes share."""

    key: str
    name: str
    aliases: tuple[str, ...]
    meaning: str
    pitfall: str
    direction: Direction
    codomain: Codomain
    # The formula for two classes, and that of the base rate for everyone, in LaTeX.
    definition: str
    of_base_rate: str
    function: str | None = None  # scikit-learn's
    # The score of each row of probabilities for each class that may be true, given the smallest
    # probability that is not clipped.
    points: Callable[[Floats, float], Floats] = field(repr=False)
    perfect: float  # the score of certainty that is always right
    # The names of its skill score, scikit-learn's D²: 1 minus the loss over that of the shares.
    skill: tuple[str, str, tuple[str, ...], str] | None = None
    codomain_of_several: Codomain | None = None  # with more classes, if it is another one
    # Of two classes, the number for each probability of which the score is linear in the sum over
    # the positives, and the slope; what a positive adds if this is None.
    lean: Callable[[Floats], tuple[Floats, float]] | None = None

    def free(self, shares: Floats) -> Floats:
        """Return the expected score of class shares for everyone, along the last axis."""
        rows = shares.reshape(-1, shares.shape[-1])
        points = self.points(rows, np.finfo(float).tiny)
        return np.asarray((rows * points).sum(axis=1).reshape(shares.shape[:-1]) + 0.0)

    def of_cells(self, observed: ClassProbabilities, cells: Any = slice(None)) -> Floats:
        """Return what some rows have for the classes that are true; many are read in parts."""
        given, truth = observed.given[cells], observed.truth[cells]
        found, tiny = np.empty(given.size), smallest(observed.rows.dtype)
        step = max(_AT_ONCE // observed.rows.shape[1], 1)
        for start in range(0, given.size, step):
            part = slice(start, start + step)
            points = self.points(observed.rows[given[part]].astype(float), tiny)
            found[part] = points[np.arange(len(points)), truth[part]]
        return found

    def of_two(self, values: Floats) -> tuple[Floats, Floats]:
        """Return what a positive and a negative have with each probability of being positive."""
        exact = values.astype(float)
        found = self.points(np.stack([1 - exact, exact], axis=1), smallest(values.dtype))
        return found[:, 1], found[:, 0]

    def declared(self, *, relative: bool = False) -> dict[str, Any]:
        """Return what measures of it declare, of two classes and of several; or of its skill."""
        key, name, aliases, function = self.key, self.name, self.aliases, self.function
        meaning, pitfall = self.meaning, self.pitfall
        if relative and self.skill is not None:
            key, name, aliases, function = self.skill
            loss = self.name.lower().replace("brier", "Brier")
            meaning = f"The share of the base rate's {loss} that the probabilities save."
            pitfall = (
                "It is on another scale for every test set, as its unit is the base rate's own "
                "loss."
            )
        return {
            "key": key,
            "name": name,
            "aliases": aliases,
            "meaning": meaning,
            "pitfall": pitfall,
            "sklearn": function and SklearnCall(function, argument="y_proba"),
            "direction": Direction.MAXIMIZE if relative else self.direction,
            "codomain": Codomain(-math.inf, 1) if relative else self.codomain,
            "rounds": True,
            "interval": Rule.LOSS,
            "remedy": REMEDY,
            "probabilities": True,
        }


def smallest(kind: np.dtype[Any]) -> float:
    """Return the probability at which scikit-learn clips logarithms: the precision of a dtype."""
    return float(np.finfo(kind if kind.kind == "f" else float).eps)


def _squared_distances(rows: Floats, _: float) -> Floats:
    """Return scikit-learn's Brier score: of the positive class for two, of all for more."""
    found, away = rows**2, 1 - rows
    away *= away
    if rows.shape[1] == 2:
        return np.asarray((found[:, ::-1] + away) / 2)
    # In place: of many rows and classes, new arrays take most of the memory.
    np.subtract(found.sum(axis=1, keepdims=True), found, out=found)
    np.maximum(found, 0.0, out=found)
    found += away
    return np.asarray(found / 2 if rows.shape[1] < 3 else found)


BRIER = ScoringRule(
    key="Brier",
    name="Brier Score",
    aliases=("brier_score", "brier_score_loss", "brier_loss", "neg_brier_score"),
    meaning="The mean squared difference between the probabilities and what happened.",
    pitfall=(
        "A small value looks good if one class is rare, whatever the model: the base rate for "
        "everyone is small then, too."
    ),
    direction=Direction.MINIMIZE,
    codomain=UNIT,
    definition=r"\frac{1}{M} \sum_i (y_i - p_i)^2",
    of_base_rate=r"\pi (1 - \pi)",
    function="brier_score_loss",
    points=_squared_distances,
    perfect=0.0,
    skill=(
        "D2 Brier",
        "Brier Skill Score",
        ("d2_brier_score", "d2_brier", "BSS"),
        "d2_brier_score",
    ),
    # Halved for two classes; the squared distance between two corners is 2.
    codomain_of_several=Codomain(0, 2),
    # Multiples of 0.01 stay what they are, so that equal sums are seen to be equal.
    lean=lambda values: (values.astype(float), -2.0),
)
LOG_LOSS = ScoringRule(
    key="log loss",
    name="Logarithmic Loss",
    aliases=(
        "log_loss",
        "neg_log_loss",
        "cross entropy",
        "logistic loss",
        "binary_cross_entropy",
        "BCE",
    ),
    meaning="The mean of minus the logarithm of the probability that the true class was given.",
    pitfall=(
        "One confident mistake may cost more than all else: a probability of 0 for what happened "
        "counts as one of about 2e-16, which is a loss of 36."
    ),
    direction=Direction.MINIMIZE,
    codomain=Codomain(0, np.inf),
    definition=r"-\frac{1}{M} \sum_i \left( y_i \log p_i + (1 - y_i) \log (1 - p_i) \right)",
    of_base_rate=r"-\pi \log \pi - (1 - \pi) \log (1 - \pi)",
    function="log_loss",
    points=lambda rows, tiny: -np.log(np.clip(rows, tiny, 1 - tiny)),
    perfect=0.0,
    skill=(
        "D2 log loss",
        "Log Loss Skill Score",
        ("d2_log_loss_score", "d2_log_loss", "McFadden's pseudo R2"),
        "d2_log_loss_score",
    ),
)
SPHERICAL = ScoringRule(
    key="spherical",
    name="Spherical Score",
    aliases=("spherical_score",),
    meaning=(
        "The mean probability that the true class was given, each divided by the length of its "
        "row: a proper score from 0 to 1."
    ),
    pitfall="Even the base rate for everyone has at least 0.7 for two classes.",
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=r"\frac{1}{M} \sum_i "
    r"\frac{y_i p_i + (1 - y_i)(1 - p_i)}{\sqrt{p_i^2 + (1 - p_i)^2}}",
    of_base_rate=r"\sqrt{\pi^2 + (1 - \pi)^2}",
    points=lambda rows, _: rows / np.sqrt((rows**2).sum(axis=1, keepdims=True)),
    perfect=1.0,
)
RULES = (BRIER, LOG_LOSS, SPHERICAL)


# --- Two classes ----------------------------------------------------------------------------------

ENDS = {0: "0 for everyone", 1: "1 for everyone", None: "0 or 1 for everyone"}
"""The worst constants in words."""


def means(rule: ScoringRule, counts: Counts) -> Floats:
    """Return the mean of a rule on many test sets."""
    positive, negative = rule.of_two(counts.values)
    total = counts.positives.sum(axis=-1) + counts.negatives.sum(axis=-1)
    return np.asarray((counts.positives @ positive + counts.negatives @ negative) / total)


def _skills(rule: ScoringRule, counts: Counts) -> Floats:
    classes = np.stack([counts.negatives.sum(axis=-1), counts.positives.sum(axis=-1)], axis=-1)
    free = rule.free(classes / classes.sum(axis=-1, keepdims=True))
    return np.asarray(1 - means(rule, counts) / free)


def _free(rule: ScoringRule, rate: BaseRate) -> float:
    return float(rule.free(np.array([rate.negatives, rate.positives]) / rate.total))


def of_rule(rule: ScoringRule, *, relative: bool = False) -> ScoreMeasure:
    """Return the mean of a rule as a measure of two classes, or its skill."""

    def null(rate: BaseRate, levels: ScoreLevels) -> NullDistribution:
        """Return what is linear in a sum over the positives: Σ p, or Σ logit p for log loss."""
        scale, shift = (-1 / _free(rule, rate), 1.0) if relative else (1.0, 0.0)
        of_positive, of_negative = rule.of_two(levels.values)
        weights, slope = of_positive - of_negative, 1.0
        if rule.lean is not None:
            weights, slope = rule.lean(levels.values)
        # The score of one order, on which weights and points agree: the positives spread evenly.
        share = rate.positives / rate.total
        level = share * of_positive + (1 - share) * of_negative - slope * share * weights
        start = scale * float(levels.sizes @ level) / rate.total
        slope = scale * slope / rate.total
        return two_levels(rate.positives, levels.sizes, weights, slope, start + shift)

    def guesses(rate: BaseRate) -> Guesses:
        """Return the best constant, the base rate, and the worst: 0 or 1.

        The expected score of a guess is the mean of what each of its probabilities has as a
        constant.
        """
        positive, negative = rule.of_two(np.array([0.0, 1.0]))
        ends = (positive * rate.positives + negative * rate.negatives) / rate.total
        sign = 1 if rule.direction is Direction.MAXIMIZE else -1
        place = None if ends[0] == ends[1] else int(np.argmin(sign * ends))
        best, worst = _free(rule, rate), float(ends[place or 0])
        if relative:
            best, worst = 0.0, 1 - worst / best
        return Guesses(Optimum(best, BASE_RATE), Optimum(worst, ENDS[place]))

    is_loss = rule.direction is Direction.MINIMIZE and not relative
    return ScoreMeasure(
        **rule.declared(relative=relative),
        definition=rf"1 - \frac{{{rule.definition}}}{{{rule.of_base_rate}}}"
        if relative
        else rule.definition,
        many=partial(_skills if relative else means, rule),
        rule=rule,
        relative=relative,
        null=null,
        guesses=guesses,
        perfect=lambda _: 1.0 if relative else rule.perfect,
        missing=without_both if relative else lambda _: "",
        components=(lambda scores: parts_of(rule, scores).terms) if is_loss else None,
    )


BINS = 15
_EDGES = np.arange(1, BINS) / BINS


def bins_of(values: Floats) -> Floats:
    """Return the bin of each probability; a bin has its upper end, and the first one has 0."""
    return np.searchsorted(_EDGES, values.astype(float), side="left")


def in_bins(values: Floats, weights: Floats) -> Floats:
    """Add up weights by the bin of each probability."""
    return np.asarray(np.bincount(bins_of(values), weights, BINS))


def _calibration_errors(counts: Counts) -> Floats:
    sizes = counts.positives + counts.negatives
    gaps = counts.positives - sizes * counts.values
    starts = np.flatnonzero(np.diff(bins_of(counts.values), prepend=BINS))
    errors = np.abs(np.add.reduceat(gaps, starts, axis=-1)).sum(axis=-1)
    return np.asarray(errors / sizes.sum(axis=-1))


def _null_of_calibration(rate: BaseRate, levels: ScoreLevels) -> NullDistribution:
    """Return the distribution when probabilities are shuffled; rows of one bin are alike."""
    sizes = in_bins(levels.values, levels.sizes)
    expected = in_bins(levels.values, levels.sizes * levels.values.astype(float))
    met = sizes > 0
    bins = ScoreLevels(expected[met] / sizes[met], sizes[met].astype(np.int64))

    def errors(counts: Counts) -> Floats:
        sizes = counts.positives + counts.negatives
        gaps = np.abs(counts.positives - sizes * counts.values)
        return np.asarray(gaps.sum(axis=-1) / sizes.sum(axis=-1))

    return null_of_counts(rate, bins, errors)


def _calibration_guesses(rate: BaseRate) -> Guesses:
    """Return the base rate, and a constant: the gap of each bin is convex in its mean."""
    share = rate.positives / rate.total
    place = None if rate.positives == rate.negatives else int(share < 0.5)
    return Guesses(Optimum(0.0, BASE_RATE), Optimum(max(share, 1 - share), ENDS[place]))


ECE = ScoreMeasure(
    key="ECE",
    name="Expected Calibration Error",
    aliases=("expected_calibration_error", "calibration error"),
    meaning=(
        "The mean gap between probabilities and what happened, in 15 bins of equal width, "
        "weighted by their sizes."
    ),
    pitfall=(
        "The base rate for everyone has 0, the perfect score, without looking; and a perfectly "
        "calibrated model does not: about 0.04 for 1,000 observations."
    ),
    direction=Direction.MINIMIZE,
    codomain=UNIT,
    rounds=True,
    definition=r"\frac{1}{M} \sum_{b=1}^{15} \left| \sum_{i \in b} (y_i - p_i) \right|",
    many=_calibration_errors,
    null=_null_of_calibration,
    guesses=_calibration_guesses,
    perfect=lambda _: 0.0,
    probabilities=True,
)
TWO_CLASS_MEASURES = (
    *map(of_rule, RULES),
    *(of_rule(rule, relative=True) for rule in RULES if rule.skill is not None),
    ECE,
)


# --- Parts of a loss ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Decomposition:
    """A loss, which is miscalibration − discrimination + uncertainty."""

    score: float
    miscalibration: float  # what recalibrating in hindsight would save
    discrimination: float  # what would then be saved on the base rate for everyone
    uncertainty: float  # the loss of the base rate for everyone: the baseline

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


def parts_of(rule: ScoringRule, scores: RankedScores) -> Decomposition:
    """Decompose the mean of a proper loss, whether it has a name here or is one's own."""
    from scipy.optimize import isotonic_regression

    score, _ = of_rule(rule).score_or_reason(scores)
    sizes = scores.positives + scores.negatives
    found = isotonic_regression(scores.positives / sizes, weights=sizes, increasing=False)
    # The recalibrated loss is the mean of what the base rate of each block would have.
    best = found.x[found.blocks[:-1]]
    losses = rule.free(np.stack([1 - best, best], axis=1))
    least = float(np.average(losses, weights=found.weights))
    share = float(scores.positives.sum() / sizes.sum())
    free = float(rule.free(np.array([1 - share, share])))
    return Decomposition(score, max(score - least, 0.0), max(free - least, 0.0), free)
