"""The best guess of class scores."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.baseline import ANY, Baseline, Optimum
from baserate.core.measure import Direction
from baserate.exceptions import UndefinedMeasureError
from baserate.formatting import in_words, shown
from baserate.kinds.class_scores.areas import Areas
from baserate.kinds.class_scores.measures import MeanOf, OfLabels
from baserate.kinds.classes.task import MULTICLASS
from baserate.measures.scoring_rules import smallest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.kinds.class_scores.measures import ClassScoreMeasure
    from baserate.observed.classes import ClassCounts


SHARES = "the class shares for everyone"
# The most classes that are named.
_MOST_NAMED, _MOST_ANSWERED = 3, 5
_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}


def class_score_baseline(test_set: ClassCounts, measure: ClassScoreMeasure) -> Baseline:
    """Return the baseline of a measure of class scores; that of labels for their own.

    The expected mean of a rule is that of each row as a constant. So the best guess is the best
    constant, the class shares, and the worst one is certain of the rarest class; guesses are
    certain of no class that never occurs. An answer of k classes is right as often as these occur
    together. Any ranking that ignores its input puts half of all pairs in order.

    Examples
    --------
    >>> import baserate as br
    >>> print(br.baseline(br.ClassCounts({"a": 70, "b": 20, "c": 10}), "roc_auc_ovr"))
    AUC ovr baseline 0.500 on 100 observations, 3 classes: 70.0% 'a', 20.0% 'b' and 10.0% 'c':
    any guess
    """
    form = measure.form
    if isinstance(form, OfLabels):
        return MULTICLASS.baseline(test_set.occurring, form.measure)
    reason = measure.missing(test_set)
    if reason:
        raise UndefinedMeasureError(f"{measure.key} is undefined: {reason}")
    best, worst = _ends(test_set, measure)
    is_maximized = measure.direction is Direction.MAXIMIZE
    largest, least = (best, worst) if is_maximized else (worst, best)
    perfect = float(is_maximized)
    if isinstance(form, MeanOf) and not form.relative:
        perfect = form.rule.perfect
    return Baseline(measure, test_set, largest, least, perfect)


def _ends(test_set: ClassCounts, measure: ClassScoreMeasure) -> tuple[Optimum, Optimum]:
    """Return the best and the worst guess."""
    form = measure.form
    if isinstance(form, Areas):
        return Optimum(0.5, ANY), Optimum(0.5, ANY)
    if isinstance(form, MeanOf) and form.highest is not None:
        k, known = form.highest, test_set.occurring
        return _answers(known, k, 1), _answers(known, k, -1)
    counts = test_set.array
    rarest = int(counts[counts > 0].min())
    worst = _certainty(test_set, rarest)
    if not isinstance(form, MeanOf):  # the calibration error, of which the class shares have none
        return Optimum(0.0, SHARES), Optimum(1 - rarest / test_set.total, worst)
    certain = np.eye(counts.size)[[np.flatnonzero(counts == rarest)[0]]]
    loss = float((form.rule.points(certain, smallest(certain.dtype)) @ counts)[0])
    slope, intercept = form.affine(test_set)
    return (
        Optimum(0.0 if form.relative else form.free(test_set), SHARES),
        Optimum(slope * loss / test_set.total + intercept, worst),
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


def _answers(known: ClassCounts, k: int, sign: int) -> Optimum:
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
