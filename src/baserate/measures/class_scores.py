"""Measures of class scores, which may be probabilities: a column per class."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.baseline import Optimum
from baserate.core.measure import (
    UNIT,
    Catalogue,
    Codomain,
    Direction,
    Measure,
    Rule,
    SklearnCall,
    unknown_measure,
)
from baserate.exceptions import BaserateError, InvalidMeasureError, InvalidScoresError
from baserate.formatting import in_words, listed, shown
from baserate.measures.class_areas import Areas
from baserate.measures.classes import get_class_measure
from baserate.measures.probabilities import (
    BINS,
    ECE,
    REMEDY,
    RULES,
    ScoringRule,
    bins_of,
    in_bins,
    smallest,
)
from baserate.measures.scores import Guesses, OfLabels
from baserate.null.permutations import Permuted, shuffled
from baserate.null.sums import linear, of_tables
from baserate.observed.class_scores import ClassProbabilities, numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from baserate.null.distribution import NullDistribution
    from baserate.observed.labels import BaseRate

    Floats = NDArray[Any]
    Ints = NDArray[np.int64]


SHARES = "the class shares for everyone"
# The most classes that are named.
_MOST_NAMED, _MOST_ANSWERED = 3, 5
_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}
# The most pairs of a class and an answer: with more, a saddlepoint takes seconds.
MAX_PAIRS = 2**17


# --- What a score depends on ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MeanOf:
    """The mean of what a rule gives to each row, or its skill."""

    rule: ScoringRule
    relative: bool = False
    highest: int | None = None

    def missing(self, test_set: BaseRate) -> str:
        """Say why there is no score on a test set; empty if there is one."""
        met = test_set.occurring.labels
        return f"all observations are {shown(met[0])}" if self.relative and len(met) == 1 else ""

    def score(self, observed: ClassProbabilities) -> float:
        """Return the score."""
        if self.rule not in observed.kept:  # which a rule and its skill share
            points = self.rule.of_cells(observed)
            observed.kept[self.rule] = float(observed.counts @ points) / observed.total
        slope, intercept = self._affine(observed.test_set)
        return float(slope * observed.kept[self.rule] + intercept)

    def of_tables(self, rows: Floats) -> Callable[[Floats], Floats]:
        """Return what scores tables (…, classes, rows) of weights."""
        points = self.rule.points(rows.astype(float, copy=False), smallest(rows.dtype))

        def scores(tables: Floats) -> Floats:
            n = tables.sum(axis=-1)
            total = n.sum(axis=-1)
            means = np.einsum("...kj,jk->...", tables, points) / total
            shares = n / total[..., np.newaxis]
            return 1 - means / self.rule.free(shares) if self.relative else np.asarray(means)

        return scores

    def _affine(self, test_set: BaseRate) -> tuple[float, float]:
        """Return the slope and the intercept that make the score of the mean of the rule."""
        return (-1 / self._free(test_set), 1.0) if self.relative else (1.0, 0.0)

    def _free(self, test_set: BaseRate) -> float:
        """Return the mean of the rule that the class shares have for everyone."""
        return float(self.rule.free(test_set.array / test_set.total))

    def guesses(self, test_set: BaseRate) -> Guesses:
        """Return the class shares, and certainty of a rarest class; of answers, some classes.

        The expected mean of a rule is that of each row as a constant. Guesses are certain of no
        class that never occurs. An answer of k classes is right as often as these occur together.
        """
        if self.highest is not None:
            known = test_set.occurring
            return Guesses(*(_answers(known, self.highest, sign) for sign in (1, -1)))
        rarest, worst = _rarest(test_set)
        counts = test_set.array
        certain = np.eye(counts.size)[[np.flatnonzero(counts == rarest)[0]]]
        loss = float((self.rule.points(certain, smallest(certain.dtype)) @ counts)[0])
        slope, intercept = self._affine(test_set)
        return Guesses(
            Optimum(0.0 if self.relative else self._free(test_set), SHARES),
            Optimum(slope * loss / test_set.total + intercept, worst),
        )

    def null(self, test_set: BaseRate, rows: Floats, sizes: Ints) -> NullDistribution:
        """Return the distribution of a sum over the rows."""
        slope, intercept = self._affine(test_set)
        met = test_set.array > 0
        points = self.rule.points(rows.astype(float, copy=False), smallest(rows.dtype))
        points = points if met.all() else points[:, met]
        if self.highest is not None:  # few answers are different
            points, given = numbered(points)
            sizes = np.bincount(given, sizes).astype(np.int64)
            if points.size > MAX_PAIRS:
                return _null_of_answers(test_set.array[met], points, sizes)
        counts = tuple(test_set.array[met].tolist())
        return linear(counts, sizes, points.T, slope / test_set.total, intercept)


def _null_of_answers(n: Ints, points: Floats, sizes: Ints) -> NullDistribution:
    """Return the distribution of the share of hits of many different answers."""
    truth, answers = np.repeat(np.arange(n.size), n), np.repeat(np.arange(sizes.size), sizes)

    def draw(rng: np.random.Generator, number: int) -> Floats:
        return np.asarray(points[answers, shuffled(truth, number, rng)].mean(axis=1))

    return Permuted(draw, truth.size, mean=float(sizes @ points @ n) / truth.size**2)


class TopCalibration:
    """The mean gap between the highest probability and how often that class is right, in bins."""

    def missing(self, test_set: BaseRate) -> str:  # noqa: ARG002
        """Return nothing: there always is a score."""
        return ""

    def score(self, observed: ClassProbabilities) -> float:
        """Return the score."""
        certainty = observed.rows.max(axis=1).astype(float)
        is_hit = observed.answers[observed.given] == observed.truth
        hits = in_bins(certainty[observed.given], observed.counts * is_hit)
        expected = in_bins(certainty, observed.sizes * certainty)
        return float(np.abs(hits - expected).sum() / observed.total)

    def of_tables(self, rows: Floats) -> Callable[[Floats], Floats]:
        """Return what scores tables (…, classes, rows) of weights."""
        tops, certainty = rows.argmax(axis=1), rows.max(axis=1).astype(float)
        in_each = (bins_of(certainty)[:, np.newaxis] == np.arange(BINS)).astype(float)

        def scores(tables: Floats) -> Floats:
            sizes = tables.sum(axis=-2)
            gaps = tables[..., tops, np.arange(tops.size)] - sizes * certainty
            return np.asarray(np.abs(gaps @ in_each).sum(axis=-1) / sizes.sum(axis=-1))

        return scores

    def guesses(self, test_set: BaseRate) -> Guesses:
        """Return the class shares, which have no gap, and certainty of a rarest class."""
        rarest, worst = _rarest(test_set)
        return Guesses(Optimum(0.0, SHARES), Optimum(1 - rarest / test_set.total, worst))

    def null(self, test_set: BaseRate, rows: Floats, sizes: Ints) -> NullDistribution:
        """Return the distribution: rows of one bin and one most likely class are alike."""
        tops, certainty = rows.argmax(axis=1), rows.max(axis=1).astype(float)
        expected = in_bins(certainty, sizes * certainty)
        groups = np.stack([in_bins(certainty, sizes * (tops == k)) for k in range(rows.shape[1])])
        top, place = np.nonzero(groups)
        in_each = (place[:, None] == np.arange(expected.size)).astype(float)

        def score(tables: Floats) -> Floats:
            hits = tables[:, np.arange(top.size), top]
            return np.asarray(np.abs(hits @ in_each - expected).sum(axis=1) / test_set.total)

        return of_tables(groups[top, place].astype(np.int64), test_set.array, score, size=1.0)


# --- Guesses in words -----------------------------------------------------------------------------


def _rarest(test_set: BaseRate) -> tuple[int, str]:
    """Return how often the rarest classes occur, and the constants that are certain of one."""
    rarest = min(count for count in test_set.counts if count)
    pairs = zip(test_set.labels, test_set.counts, strict=True)
    names = [label for label, count in pairs if count == rarest]
    some = in_words(_named(names, _MOST_NAMED)).replace(" and ", " or ")
    return rarest, f"certainty of {some} for everyone"


def _named(labels: Sequence[Any], most: int) -> list[str]:
    left = len(labels) - most
    return [*map(shown, labels[:most]), *([f"{left:,} more"] if left > 0 else [])]


@dataclass(frozen=True)
class AnswerSet:
    """All answers that are equally good: classes that each has, and some that tie; lazily."""

    fixed: tuple[Any, ...]
    tied: tuple[Any, ...] = ()
    chosen: int = 0

    def __len__(self) -> int:
        return comb(len(self.tied), self.chosen)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return (self.fixed + some for some in combinations(self.tied, self.chosen))

    def __str__(self) -> str:
        if not self.tied:
            return f"always answering {in_words(_named(self.fixed, _MOST_ANSWERED))}"
        number = _NUMBERS.get(self.chosen, f"{self.chosen:,}")
        if not self.fixed and len(self.tied) > _MOST_ANSWERED:
            return f"always answering any {number} of the {len(self.tied):,} classes"
        some = f"{number} of {in_words(_named(self.tied, _MOST_ANSWERED))}"
        return f"always answering {in_words([*_named(self.fixed, _MOST_ANSWERED), some])}"


def _answers(known: BaseRate, k: int, sign: int) -> Optimum:
    """Return the k largest classes, or the k smallest, and what they add up to.

    If fewer classes occur, all of them are answered.
    """
    size = min(k, len(known.labels))
    ranked = sorted(known.counts, reverse=sign > 0)
    last = ranked[size - 1]
    pairs = list(zip(known.labels, known.counts, strict=True))
    fixed = tuple(label for label, count in pairs if sign * count > sign * last)
    tied = tuple(label for label, count in pairs if count == last)
    found = AnswerSet(fixed, tied, size - len(fixed))
    if found.chosen == len(tied):
        found = AnswerSet(tuple(label for label in known.labels if label in {*fixed, *tied}))
    return Optimum(sum(ranked[:size]) / known.total, found)


# --- The record -----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ClassScoreMeasure(Measure[ClassProbabilities]):
    """A measure of class scores.

    Get one with `get_measure("log loss", task="class-scores")`.
    """

    takes = (ClassProbabilities,)
    counted_by = "ClassProbabilities.of(y_true, scores)"

    direction: Direction = Direction.MAXIMIZE
    codomain: Codomain = UNIT
    rounds: bool = True
    form: MeanOf | Areas | TopCalibration = field(repr=False)
    probabilities: bool = False

    monotone = False

    def score_or_reason(self, observed: ClassProbabilities) -> tuple[float, str]:
        """Return the score, or nan and why there is none."""
        self.require("scores", observed.problem, len(observed.labels))
        reason = self.missing(observed.test_set)
        return (math.nan, reason) if reason else (self.form.score(observed), "")

    def missing(self, test_set: BaseRate) -> str:
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

    def guesses(self, test_set: BaseRate) -> Guesses:
        """Return the best and the worst guess on a test set."""
        return self.form.guesses(test_set)

    def perfect(self, test_set: BaseRate) -> float:  # noqa: ARG002
        """Return the score of a prediction without errors."""
        if isinstance(self.form, MeanOf) and not self.form.relative:
            return self.form.rule.perfect
        return float(self.direction is Direction.MAXIMIZE)

    def __reduce__(self) -> Any:
        """Pickle a measure by its name."""
        return get_class_score_measure, (self.key,)


class HighestMeasure(OfLabels[ClassProbabilities]):
    """A measure of labels, of the classes with the highest scores.

    Of equal scores the first class is meant, as by numpy's `argmax`.
    """

    takes = (ClassProbabilities,)
    counted_by = ClassScoreMeasure.counted_by


# --- The registry ---------------------------------------------------------------------------------


def of_rule(rule: ScoringRule, *, relative: bool = False, **others: Any) -> ClassScoreMeasure:
    """Return the mean of a rule as a measure of several classes, or its skill."""
    declared = rule.declared(relative=relative)
    if rule.codomain_of_several is not None and not relative:
        declared["codomain"] = rule.codomain_of_several
    return ClassScoreMeasure(**(declared | {"form": MeanOf(rule, relative=relative)} | others))


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
TOP_ECE = ClassScoreMeasure(
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
    direction=Direction.MINIMIZE,
    remedy=REMEDY,
    form=TopCalibration(),
    probabilities=True,
)


@cache
def top_k_accuracy(k: int) -> ClassScoreMeasure:
    """Return top-k accuracy for a k; the same record every time."""
    if k < 1:
        raise InvalidMeasureError(
            f"must be at least 1 (got {k}): it is how many classes are answered", parameter="k"
        )
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
        points=partial(_among_highest, k=k),
        perfect=1.0,
    )
    return of_rule(
        rule,
        sklearn=SklearnCall("top_k_accuracy_score", {"k": k}, argument="y_score"),
        rounds=False,
        interval=Rule.END,
        remedy="",
        form=MeanOf(rule, highest=k),
        probabilities=False,
    )


def _among_highest(rows: Floats, _: float, *, k: int) -> Floats:
    """Return which scores are among the k highest of their row, as 0 and 1.

    Of equal scores the later ones are higher, as in scikit-learn.
    """
    if k >= rows.shape[1]:
        return np.ones(rows.shape)
    lowest = np.partition(rows, -k, axis=1)[:, -k, np.newaxis]
    above, tied = rows > lowest, rows == lowest
    left = k - above.sum(axis=1, keepdims=True)
    return np.asarray(above | (tied & (tied[:, ::-1].cumsum(axis=1)[:, ::-1] <= left)), dtype=float)


# "top-3 accuracy", "top 3 acc", "top_3_accuracy_score" and "accuracy@3". The word is needed: labels
# may be "top 3".
_TOP_K = re.compile(
    r"top[\s_-]*(?P<k>\d{1,9})[\s_-]*(?:accuracy|acc)(?:[\s_-]*score)?"
    r"|(?:accuracy|acc)[\s_-]*@[\s_-]*(?P<k_last>\d{1,9})"
)


def _with_k(name: str) -> ClassScoreMeasure | None:
    found = _TOP_K.fullmatch(name)
    return None if found is None else top_k_accuracy(int(found["k"] or found["k_last"]))


CLASS_SCORE_MEASURES = Catalogue[ClassScoreMeasure](
    __name__,
    "CLASS_SCORE_MEASURES",
    (
        *map(of_rule, RULES),
        *(of_rule(rule, relative=True) for rule in RULES if rule.skill is not None),
        TOP_ECE,
        *AREAS,
        top_k_accuracy(2),
    ),
    numbered=_with_k,
)
"""The measures of class scores, by key. Names know every k, and measures of labels, too."""

REPORTED = ("log loss", "Brier", "accuracy", "balanced accuracy", "macro F1", "AUC ovr")
"""The measures that are judged unless others are asked for."""


def get_class_score_measure(name: Any) -> ClassScoreMeasure | HighestMeasure:
    """Return a measure of class scores by any of its names, or one of labels."""
    if isinstance(name, ClassScoreMeasure | HighestMeasure):
        return name
    found = CLASS_SCORE_MEASURES.named(name)
    if found is not None:
        return found
    try:
        of_labels: HighestMeasure = HighestMeasure.at(get_class_measure(name), None)
    except BaserateError:
        known = listed(CLASS_SCORE_MEASURES, most=len(CLASS_SCORE_MEASURES))
        advice = f"must be one of {known} with any number, or a measure of labels"
        raise unknown_measure(name, " of class scores", (), advice) from None
    return of_labels
