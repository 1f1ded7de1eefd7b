"""The best guess of class scores."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.measure import Direction
from baserate.core.scale import TwoEnds
from baserate.exceptions import UndefinedMeasureError
from baserate.formatting import in_words, number_format, shown
from baserate.kinds.class_scores.areas import Areas
from baserate.kinds.class_scores.measures import MeanOf, OfLabels
from baserate.kinds.classes.task import MULTICLASS
from baserate.measures.scoring_rules import smallest
from baserate.observed.score_guesses import ANY, ScoreOptimum, ScoreYardstick

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.kinds.class_scores.measures import ClassScoreMeasure
    from baserate.observed.classes import ClassCounts


SHARES = "the class shares for everyone"
# The most classes that are named.
_MOST_NAMED, _MOST_ANSWERED = 3, 5
_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}


@dataclass(frozen=True)
class ClassScoreBaseline(TwoEnds[ScoreOptimum]):
    """What the best guess has by a measure of class scores, and the worst one.

    Parameters
    ----------
    measure
        The measure.
    test_set
        The classes, and how often each occurs.
    max, min
        The largest and the smallest expected score of any guess.

    Examples
    --------
    >>> import baserate as br
    >>> counts = br.ClassCounts({"a": 40, "b": 30, "c": 20, "d": 10})
    >>> base = br.baseline(counts, "top-2 accuracy")
    >>> base.best.value, base.worst.value, str(base.best.decks)
    (0.7, 0.3, "always answering 'a' and 'b'")
    >>> print(br.baseline(counts, "roc_auc_ovr"))
    AUC ovr baseline 0.500: any guess
    (100 observations, 4 classes: 40.0% 'a', 30.0% 'b', 20.0% 'c' and 10.0% 'd')
    """

    measure: ClassScoreMeasure
    test_set: ClassCounts
    max: ScoreOptimum
    min: ScoreOptimum

    def __str__(self) -> str:
        write = number_format((self.max.value, self.min.value))
        best, worst = self.best, self.worst
        other = "" if best == worst else f"; {worst.decks} has {write(worst.value)}"
        return (
            f"{self.measure.key} baseline {write(best.value)}: {best.decks}{other} "
            f"({self.test_set.described})"
        )


def yardstick(test_set: ClassCounts, measure: ClassScoreMeasure) -> Any:
    """Return the baseline of a measure, and the scale around it; that of labels for their own."""
    form = measure.form
    if isinstance(form, OfLabels):
        return MULTICLASS.yardstick(test_set.occurring, form.measure)
    perfect = 1.0 if measure.direction is Direction.MAXIMIZE else 0.0
    if isinstance(form, MeanOf) and not form.relative:
        perfect = form.rule.perfect
    return ScoreYardstick(class_score_baseline(test_set, measure), perfect)


def class_score_baseline(test_set: ClassCounts, measure: ClassScoreMeasure) -> ClassScoreBaseline:
    """Return the baseline of a measure of class scores.

    The expected mean of a rule is that of each row as a constant. So the best guess is the best
    constant, the class shares, and the worst one is certain of the rarest class; guesses are
    certain of no class that never occurs. An answer of k classes is right as often as these occur
    together. Any ranking that ignores its input puts half of all pairs in order.

    Examples
    --------
    >>> from baserate.kinds.class_scores.measures import get_class_score_measure
    >>> from baserate.observed.classes import ClassCounts
    >>> counts = ClassCounts({"a": 70, "b": 20, "c": 10})
    >>> print(class_score_baseline(counts, get_class_score_measure("Brier")))
    Brier baseline 0.460: the class shares for everyone; certainty of 'c' for everyone has 1.800
    (100 observations, 3 classes: 70.0% 'a', 20.0% 'b' and 10.0% 'c')
    """
    reason = measure.missing(test_set)
    if reason:
        raise UndefinedMeasureError(f"{measure.key} is undefined: {reason}")
    best, worst = _ends(test_set, measure)
    largest, least = (best, worst) if measure.direction is Direction.MAXIMIZE else (worst, best)
    return ClassScoreBaseline(measure, test_set, max=largest, min=least)


def _ends(test_set: ClassCounts, measure: ClassScoreMeasure) -> tuple[ScoreOptimum, ScoreOptimum]:
    """Return the best and the worst guess."""
    form = measure.form
    if isinstance(form, Areas):
        return ScoreOptimum(0.5, ANY), ScoreOptimum(0.5, ANY)
    if isinstance(form, MeanOf) and form.highest is not None:
        k, known = form.highest, test_set.occurring
        return _answers(known, k, 1), _answers(known, k, -1)
    counts = test_set.array
    rarest = int(counts[counts > 0].min())
    worst = _certainty(test_set, rarest)
    if not isinstance(form, MeanOf):  # the calibration error, which is perfect for free
        return ScoreOptimum(0.0, SHARES), ScoreOptimum(1 - rarest / test_set.total, worst)
    certain = np.eye(counts.size)[[np.flatnonzero(counts == rarest)[0]]]
    loss = float((form.rule.points(certain, smallest(certain.dtype)) @ counts)[0])
    slope, intercept = form.affine(test_set)
    return (
        ScoreOptimum(0.0 if form.relative else form.free(test_set), SHARES),
        ScoreOptimum(slope * loss / test_set.total + intercept, worst),
    )


def _certainty(test_set: ClassCounts, rarest: int) -> str:
    """Name the constants that are certain of one of the rarest classes."""
    pairs = zip(test_set.labels, test_set.counts, strict=True)
    names = [label for label, count in pairs if count == rarest]
    some = in_words(_named(names, _MOST_NAMED)).replace(" and ", " or ")
    return f"certainty of {some} for everyone"


def _named(labels: Sequence[Any], most: int) -> list[str]:
    left = len(labels) - most
    return [*map(shown, labels[:most]), *([f"{left:,} more"] if left > 0 else [])]


@dataclass(frozen=True)
class AnswerSet:
    """All answers that are equally good: classes that each has, and some that tie; lazily.

    Examples
    --------
    >>> found = AnswerSet(("a",), ("b", "c"), 1)
    >>> list(found), len(found)
    ([('a', 'b'), ('a', 'c')], 2)
    >>> print(found)
    always answering 'a' and one of 'b' and 'c'
    """

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


def _answers(known: ClassCounts, k: int, sign: int) -> ScoreOptimum:
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
    return ScoreOptimum(sum(ranked[:size]) / known.total, found)
