"""Measures of class scores."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from baserate.arguments import whole_number
from baserate.core.measure import (
    UNIT,
    Catalogue,
    Codomain,
    Direction,
    Measure,
    Rule,
    SklearnCall,
    chosen,
    unknown_measure,
)
from baserate.exceptions import InvalidMeasureError, InvalidScoresError
from baserate.formatting import listed, shown
from baserate.kinds.class_scores.areas import Areas
from baserate.kinds.class_scores.observed import ClassProbabilities
from baserate.kinds.classes.task import MULTICLASS
from baserate.measures.classes import CLASS_MEASURES
from baserate.measures.probabilities import ECE, SKILL_PITFALL, in_bins, skill_meaning
from baserate.measures.scoring_rules import REMEDY, RULES, ScoringRule

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.measures.classes_record import ClassMeasure
    from baserate.observed.classes import ClassCounts

    Floats = NDArray[Any]


# --- What a score depends on ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MeanOf:
    """The mean of what a rule gives to each row, or its skill.

    Parameters
    ----------
    rule
        What a row of scores has for each class that may be true.
    relative
        Whether it is the skill of the rule: 1 minus the loss, divided by that of the class shares.
    highest
        How many classes with the highest scores are answered; None for rules of probabilities.
    """

    rule: ScoringRule
    relative: bool = False
    highest: int | None = None

    def missing(self, test_set: ClassCounts) -> str:
        """Say why there is no score on a test set; empty if there is one."""
        met = test_set.occurring.labels
        return f"all observations are {shown(met[0])}" if self.relative and len(met) == 1 else ""

    def score(self, observed: ClassProbabilities) -> float:
        """Return the score."""
        slope, intercept = self.affine(observed.test_set)
        return slope * observed.mean(self.rule) + intercept

    def affine(self, test_set: ClassCounts) -> tuple[float, float]:
        """Return the slope and the intercept that make the score of the mean of the rule."""
        return (-1 / self.free(test_set), 1.0) if self.relative else (1.0, 0.0)

    def free(self, test_set: ClassCounts) -> float:
        """Return the mean of the rule that the class shares have for everyone."""
        return float(self.rule.free(test_set.array / test_set.total))


@dataclass(frozen=True, eq=False)
class TopCalibration:
    """The mean gap between the highest probability and how often that class is right, in bins."""

    def missing(self, test_set: ClassCounts) -> str:  # noqa: ARG002
        """Return nothing: there always is a score."""
        return ""

    def score(self, observed: ClassProbabilities) -> float:
        """Return the score."""
        certainty = observed.rows.max(axis=1).astype(float)
        is_hit = observed.answers[observed.given] == observed.truth
        hits = in_bins(certainty[observed.given], observed.counts * is_hit)
        expected = in_bins(certainty, observed.sizes * certainty)
        return float(np.abs(hits - expected).sum() / observed.total)


@dataclass(frozen=True, eq=False)
class OfLabels:
    """A measure of labels, of the classes with the highest scores."""

    measure: ClassMeasure

    def missing(self, test_set: ClassCounts) -> str:  # noqa: ARG002
        """Return nothing: a confusion matrix says whether it has a score."""
        return ""

    def score(self, observed: ClassProbabilities) -> float:
        """Return the score."""
        return self.measure.score_or_reason(observed.matrix)[0]


# --- The record -----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ClassScoreMeasure(Measure[ClassProbabilities]):
    """A measure of class scores.

    Get one with `get_measure("log loss", task="class-scores")`.

    Parameters
    ----------
    key, name, aliases, meaning, pitfall, sklearn, direction, codomain, rounds, counts, remedy,
    interval
        As for every measure.
    form
        What a score depends on: the mean of a rule, the ranking of each class, or the labels with
        the highest scores.
    probabilities
        Whether it takes probabilities only.

    Examples
    --------
    >>> get_class_score_measure("log_loss"), get_class_score_measure("roc_auc_ovr")
    (<Measure log loss: Logarithmic Loss>, <Measure AUC ovr: AUC, One Class against the Rest>)
    """

    takes = (ClassProbabilities,)
    counted_by = "ClassProbabilities.of(y_true, scores)"

    form: MeanOf | Areas | TopCalibration | OfLabels = field(repr=False)
    probabilities: bool = False

    monotone = False

    @property
    def is_custom(self) -> bool:
        """Whether it is anyone's own function."""
        return isinstance(self.form, OfLabels) and self.form.measure.is_custom

    def score_or_reason(self, observed: ClassProbabilities) -> tuple[float, str]:
        """Return the score, or nan and why there is none."""
        self.require("scores", observed.problem, len(observed.labels))
        if isinstance(self.form, OfLabels):
            return self.form.measure.score_or_reason(observed.matrix)
        reason = self.form.missing(observed.test_set)
        return (math.nan, reason) if reason else (self.form.score(observed), "")

    def missing(self, test_set: ClassCounts) -> str:
        """Say why it has no score on a test set; empty if it has one."""
        return self.form.missing(test_set)

    def require(self, name: str, problem: str, columns: int) -> None:
        """Raise if a table cannot be scored."""
        if self.probabilities and problem:
            raise InvalidScoresError(problem, parameter=name)
        k = self.form.highest if isinstance(self.form, MeanOf) else None
        if k is not None and k >= columns:
            raise InvalidMeasureError(
                f"{self.key} needs scores of more than {k} classes (got {columns} columns): the "
                f"top {k} of {columns} would always be right"
            )

    @property
    def rule(self) -> ScoringRule:
        """The rule whose mean it is."""
        return cast("MeanOf", self.form).rule

    @property
    def relative(self) -> bool:
        """Whether it is the skill of a rule."""
        return isinstance(self.form, MeanOf) and self.form.relative

    def __reduce__(self) -> tuple[Callable[[Any], ClassScoreMeasure], tuple[Any]]:
        """Pickle a measure by its name, and a user's own by what it is made of."""
        named = self.form.measure if isinstance(self.form, OfLabels) else self.key
        return get_class_score_measure, (named,)


# --- The registry ---------------------------------------------------------------------------------


def _of_rule(rule: ScoringRule, **others: Any) -> ClassScoreMeasure:
    return ClassScoreMeasure(
        **{
            "key": rule.key,
            "name": rule.name,
            "aliases": rule.aliases,
            "meaning": rule.meaning,
            "pitfall": rule.pitfall,
            "sklearn": rule.function and SklearnCall(rule.function, argument="y_proba"),
            "direction": rule.direction,
            "codomain": rule.codomain_of_several or rule.codomain,
            "rounds": True,
            "interval": Rule.LOSS,
            "remedy": REMEDY,
            "form": MeanOf(rule),
            "probabilities": True,
            **others,
        }
    )


def _skill(rule: ScoringRule) -> ClassScoreMeasure:
    skill = rule.skill
    assert skill is not None  # noqa: S101
    return _of_rule(
        rule,
        key=skill.key,
        name=skill.name,
        aliases=skill.aliases,
        meaning=skill_meaning(rule),
        pitfall=SKILL_PITFALL,
        sklearn=SklearnCall(skill.function, argument="y_proba"),
        direction=Direction.MAXIMIZE,
        codomain=Codomain(-math.inf, 1),
        form=MeanOf(rule, relative=True),
    )


def _area(key: str, name: str, form: Areas, meaning: str, *aliases: str) -> ClassScoreMeasure:
    options = {
        "multi_class": "ovo" if form.one_vs_one else "ovr",
        "average": "weighted" if form.weighted else "macro",
    }
    return ClassScoreMeasure(
        key=key,
        name=name,
        aliases=(f"roc_{key.lower().replace(' ', '_')}", *aliases),
        meaning=meaning,
        pitfall=(
            "It looks at the order of observations within each column: a model may rank every "
            "class well, and still have the wrong class on top of most rows."
        ),
        sklearn=SklearnCall("roc_auc_score", options, argument="y_score"),
        direction=Direction.MAXIMIZE,
        codomain=UNIT,
        rounds=True,
        remedy="it ranks worse than at random in some classes",
        form=form,
    )


AREAS = (
    _area(
        "AUC ovr",
        "AUC, One Class against the Rest",
        Areas(),
        "The AUC of each class against all others by its own column, averaged over the classes.",
        "auc one vs rest", "roc_auc_ovr_macro", "macro AUC", "multiclass AUC",
    ),
    _area(
        "AUC ovr weighted",
        "Weighted AUC, One Class against the Rest",
        Areas(weighted=True),
        "The AUC of each class against all others by its own column, averaged over the "
        "observations.",
        "weighted AUC",
    ),
    _area(
        "AUC ovo",
        "AUC, One Class against Another",
        Areas(one_vs_one=True),
        "The AUC of each class against each other one by its own column, averaged over the pairs "
        "(Hand and Till 2001): how often classes occur does not matter.",
        "auc one vs one", "roc_auc_ovo_macro", "Hand and Till's M",
    ),
    _area(
        "AUC ovo weighted",
        "Weighted AUC, One Class against Another",
        Areas(one_vs_one=True, weighted=True),
        "The AUC of each class against each other one by its own column, averaged over the pairs "
        "by how often they occur.",
    ),
)  # fmt: skip
TOP_ECE = _of_rule(
    RULES[0],
    key=ECE.key,
    name=ECE.name,
    aliases=ECE.aliases,
    meaning=(
        "The mean gap between the probability of the most likely class and how often it is right, "
        "in 15 bins of equal width, weighted by their sizes. Of equal probabilities the first "
        "class is meant."
    ),
    pitfall=(
        "The class shares for everyone have 0, the perfect score, without looking; and a perfectly "
        "calibrated model does not."
    ),
    sklearn=None,
    codomain=UNIT,
    interval=Rule.END,
    form=TopCalibration(),
)


def top_k_accuracy(k: int) -> ClassScoreMeasure:
    """Return top-k accuracy for a k; the same record every time.

    Examples
    --------
    >>> top_k_accuracy(5)
    <Measure top-5 accuracy: Top-5 Accuracy>
    """
    size = whole_number("k", k)
    if size < 1:
        raise InvalidMeasureError(
            f"must be at least 1 (got {size}): it is how many classes are answered", parameter="k"
        )
    return _top_k(size)


@cache
def _top_k(k: int) -> ClassScoreMeasure:
    default = ("top_k_accuracy", "top_k_accuracy_score", "top-k accuracy") if k == 2 else ()
    rule = ScoringRule(
        key=f"top-{k} accuracy",
        name=f"Top-{k} Accuracy",
        aliases=(f"top_{k}_accuracy", f"accuracy@{k}", *default),
        meaning=(
            f"The fraction of observations whose true class is among the {k} with the highest "
            "scores."
            if k > 1
            else "The fraction of observations whose true class has the highest score."
        ),
        pitfall=(
            "Always answering the most frequent classes is often right, and the more often the "
            "more classes are answered."
        ),
        direction=Direction.MAXIMIZE,
        codomain=UNIT,
        definition=rf"\frac{{1}}{{M}} \sum_i [y_i \in T_{{{k}}}(s_i)]",
        of_base_rate="1",
        points=lambda rows, _: among_highest(rows, k),
        perfect=1.0,
    )
    return _of_rule(
        rule,
        sklearn=SklearnCall("top_k_accuracy_score", {"k": k}, argument="y_score"),
        rounds=False,
        interval=Rule.END,
        remedy="",
        form=MeanOf(rule, highest=k),
        probabilities=False,
    )


def among_highest(rows: Floats, k: int) -> Floats:
    """Return which scores are among the k highest of their row, as 0 and 1.

    Of equal scores the later ones are higher, as in scikit-learn.

    Examples
    --------
    >>> among_highest(np.array([[0.1, 0.4, 0.3, 0.3], [0.2, 0.2, 0.2, 0.2]]), 2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]]
    """
    if k >= rows.shape[1]:
        return np.ones(rows.shape)
    lowest = np.partition(rows, -k, axis=1)[:, -k, np.newaxis]
    above, tied = rows > lowest, rows == lowest
    left = k - above.sum(axis=1, keepdims=True)
    return np.asarray(above | (tied & (tied[:, ::-1].cumsum(axis=1)[:, ::-1] <= left)), dtype=float)


CLASS_SCORE_MEASURES = Catalogue[ClassScoreMeasure](
    __name__,
    "CLASS_SCORE_MEASURES",
    (
        *map(_of_rule, RULES),
        *(_skill(rule) for rule in RULES if rule.skill is not None),
        TOP_ECE,
        *AREAS,
        top_k_accuracy(2),
    ),
)
"""The measures of class scores, by key. Names know every k, and measures of labels, too."""

REPORTED = ("log loss", "Brier", "accuracy", "balanced accuracy", "macro F1", "AUC ovr")
"""The measures that are judged unless others are asked for."""

# "top-3 accuracy", "top 3 acc", "top_3_accuracy_score" and "accuracy@3". The word is needed: labels
# may be "top 3".
_TOP_K = re.compile(
    r"top[\s_-]*(?P<k>\d{1,9})[\s_-]*(?:accuracy|acc)(?:[\s_-]*score)?"
    r"|(?:accuracy|acc)[\s_-]*@[\s_-]*(?P<k_last>\d{1,9})"
)


@cache
def by_highest(measure: ClassMeasure) -> ClassScoreMeasure:
    """Return a measure of labels, of the classes with the highest scores.

    Of equal scores the first class is meant, as by numpy's `argmax`.

    Examples
    --------
    >>> rows = [[0.5, 0.5, 0.0], [0.1, 0.2, 0.7], [0.6, 0.3, 0.1]]
    >>> observed = ClassProbabilities.of(["a", "b", "c"], rows)
    >>> round(get_class_score_measure("accuracy").score(observed), 3)
    0.333
    """
    return ClassScoreMeasure(**measure.declared, form=OfLabels(measure))


def get_class_score_measure(name: Any) -> ClassScoreMeasure:
    """Return a measure of class scores by any of its names.

    Examples
    --------
    >>> get_class_score_measure("d2_brier_score"), get_class_score_measure("Top 5 accuracy")
    (<Measure D2 Brier: Brier Skill Score>, <Measure top-5 accuracy: Top-5 Accuracy>)
    """
    if isinstance(name, ClassScoreMeasure):
        return name
    found = CLASS_SCORE_MEASURES.named(name) if isinstance(name, str) else None
    if found is not None:
        return found
    plain = unicodedata.normalize("NFKC", name).casefold().strip() if isinstance(name, str) else ""
    top = _TOP_K.fullmatch(plain)
    if top is not None:
        return top_k_accuracy(int(top["k"] or top["k_last"]))
    of_labels = MULTICLASS.named(name)
    if of_labels is None:
        known = listed(CLASS_SCORE_MEASURES, most=len(CLASS_SCORE_MEASURES))
        advice = f"must be one of {known} with any number, or a measure of labels"
        raise unknown_measure(name, " of class scores", (), advice)
    return by_highest(of_labels)


def chosen_class_score_measures(measures: Any) -> tuple[ClassScoreMeasure, ...]:
    """Return the requested measures, each once; those that people report for None."""
    # Top-k accuracy is for those who name a k: it may be too large.
    every = [key for key in CLASS_SCORE_MEASURES if key != _top_k(2).key]
    every += CLASS_MEASURES
    return chosen(every, measures, get_class_score_measure, REPORTED)
