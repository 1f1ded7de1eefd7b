"""Scores of two classes: how many of each class have each score, of one model or of two."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.observed import Cells, Joint, Observed, Rows, Words, count_places
from baserate.data.numbers import compared, read_scores, require_no_nan, require_threshold
from baserate.data.rows import Shown
from baserate.data.score_counts import (
    ScoreCounts,
    added_up,
    apart,
    bins_between,
    count_by_score,
    first_of_bins,
    in_bins,
    read_score_rows,
    worst_without_ties,
)
from baserate.exceptions import InvalidCountError
from baserate.observed.curves import curves_of_scores, reliability_of
from baserate.observed.labels import Answers, BaseRate, ConfusionMatrix, JointTable
from baserate.records import number, numbers, typed, whole, written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from baserate.core.observed import Curve
    from baserate.data.columns import Labels

    Floats = NDArray[Any]
    Ints = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ScoreLevels:
    """The distinct scores of a model, and how often each is given."""

    values: Floats
    sizes: Ints

    @classmethod
    def of(cls, scores: Any) -> ScoreLevels:
        """Return the levels of some scores, in any order."""
        read = read_scores("scores", scores)
        require_no_nan("scores", read)
        values, sizes = np.unique(read, return_counts=True)
        return cls(values[::-1], sizes[::-1])

    @cached_property
    def total(self) -> int:
        """The number of observations."""
        return int(self.sizes.sum())

    @cached_property
    def upto(self) -> Ints:
        """How many observations have at least each score."""
        return np.cumsum(self.sizes)


WORDS = Words(
    best=(
        "A random ranking, the same score for everyone, or the base rate for everyone, whichever "
        "scores best."
    ),
    shared_p="the Mann-Whitney test of the ranking, for AUC and Gini",
    remedy="too many rows may have the same score for this measure",
)
# A JSON record has at most so many blocks, or pairs of scores; these are put together by halves.
MOST_RECORDED, _FEWEST = 2000, 8


@dataclass(frozen=True, eq=False, repr=False)
class RankedScores(Observed):
    """How many positives and negatives have each distinct score.

    Parameters
    ----------
    values
        The distinct scores, descending; of a bin, the middle.
    positives, negatives
        How many observations of each class have each score.
    threshold
        The lowest score that is predicted positive, if labels are judged too.
    widths
        How far apart the scores of a block may be, if scores were binned; None if they were not.

    Examples
    --------
    >>> scores = RankedScores.of([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.1])
    >>> scores
    RankedScores(5 observations, 2 positive, 3 distinct scores)
    >>> scores.values.tolist(), scores.positives.tolist(), scores.negatives.tolist()
    ([0.9, 0.4, 0.1], [1, 1, 0], [0, 1, 2])
    """

    values: Floats
    positives: Ints
    negatives: Ints
    threshold: float | None = None
    widths: Floats | None = None

    task = "scores"
    words = WORDS

    def __post_init__(self) -> None:
        columns = {name: each for name, each in self.counts._asdict().items() if each is not None}
        for name, each in columns.items():
            columns[name] = _column(each, is_float=name in {"values", "widths"})
            object.__setattr__(self, name, columns[name])
        values, counts = self.values, (self.positives, self.negatives)
        shapes = {each.shape for each in columns.values()}
        if values.ndim != 1 or len(shapes) > 1:
            raise InvalidCountError(
                "Scores must have a value, positives and negatives per distinct score (got the "
                f"shapes {', '.join(map(str, sorted(shapes)))})"
            )
        if np.isnan(values[:1]).any() or not (values[1:] < values[:-1]).all():
            raise InvalidCountError("values must be scores in descending order, each once")
        if values.size and not min(each.min() for each in counts) >= 0:
            raise InvalidCountError("positives and negatives must be counts of at least 0")
        if self.widths is not None and not (self.widths >= 0).all():
            raise InvalidCountError("widths must be at least 0")

    @classmethod
    def of(
        cls,
        y_true: Labels,
        y_score: Any,
        pos_label: object = None,
        *,
        threshold: float | None = None,
    ) -> RankedScores:
        """Count scores against true labels.

        Parameters
        ----------
        y_true
            The true labels.
        y_score
            A number per observation, higher if it is more likely to be positive.
        pos_label
            The positive class.
        threshold
            The lowest score that is predicted positive.
        """
        number = None if threshold is None else require_threshold(threshold)
        shown = Shown("y_true", {"y_score": "y_score"})
        asked = Rows(pos_label=pos_label)
        rows = read_score_rows(y_true, {"y_score": y_score}, asked, shown)
        return cls.of_rows(rows.truth, rows.models["y_score"], number)

    @classmethod
    def of_rows(
        cls,
        is_positive: NDArray[np.bool_],
        scores: Floats,
        threshold: float | None = None,
        counts: NDArray[np.int64] | None = None,
    ) -> RankedScores:
        """Count scores that were read, each row as often as it was seen."""
        return cls.counted(count_by_score(is_positive, scores, counts), threshold)

    @classmethod
    def counted(cls, counts: ScoreCounts, threshold: float | None = None) -> RankedScores:
        """Return scores that were counted elsewhere, by arrays that nobody else holds."""
        values, positives, negatives = map(_frozen, counts[:3])
        widths = None if counts.widths is None else _frozen(counts.widths)
        return cls(values, positives, negatives, threshold, widths)

    @property
    def counts(self) -> ScoreCounts:
        """The counts per score."""
        return ScoreCounts(self.values, self.positives, self.negatives, self.widths)

    @cached_property
    def total(self) -> int:
        """The number of observations, M."""
        return int(self.positives.sum()) + int(self.negatives.sum())

    @cached_property
    def test_set(self) -> BaseRate:
        """The test set."""
        return BaseRate(positives=int(self.positives.sum()), total=self.total)

    @cached_property
    def levels(self) -> ScoreLevels:
        """The scores without the truth."""
        return ScoreLevels(self.values, self.positives + self.negatives)

    @cached_property
    def true_positives(self) -> Ints:
        """How many positives have at least each score."""
        return np.cumsum(self.positives)

    @cached_property
    def predicted_positives(self) -> Ints:
        """How many observations have at least each score."""
        return self.levels.upto

    @cached_property
    def pairs_in_order(self) -> float:
        """How many pairs of a positive and a negative are in order; a tie is half of one."""
        # Floats: the number of pairs may have more than 64 bits.
        middle = np.cumsum(self.positives, dtype=float) - self.positives / 2
        return float(self.negatives @ middle)

    @cached_property
    def kept(self) -> dict[Any, Any]:
        """What measures computed of them, which is forgotten with them."""
        return {}

    @cached_property
    def one_class(self) -> str:
        """What a model is called whose scores, or labels at the threshold, are all the same."""
        if self.values.size == 1 and self.widths is None:
            return "gives every observation the same score"
        return "" if self.threshold is None else self.table(self.threshold).one_class

    def table(self, threshold: float) -> ConfusionMatrix:
        """Return the confusion table of the labels at a threshold."""
        above = self.values >= compared(threshold, self.values.dtype)
        tp, fp = int(self.positives[above].sum()), int(self.negatives[above].sum())
        rate = self.test_set
        return ConfusionMatrix(tp=tp, fp=fp, fn=rate.positives - tp, tn=rate.negatives - fp)

    # Bins.

    @property
    def exact(self) -> bool:
        """Whether no scores were put together in bins."""
        return self.widths is None

    @property
    def auc_error(self) -> float:
        """How far the AUC of the scores themselves may be from that of the bins; 0 without bins.

        Half of all pairs in a bin count as being in order. The bound is if all or none of them are.
        """
        if self.widths is None or not (self.positives.any() and self.negatives.any()):
            return 0.0
        wide = self.widths > 0
        shares = (each / float(each.sum()) for each in (self.positives, self.negatives))
        positives, negatives = (each[wide] for each in shares)
        return float(positives @ negatives) / 2

    def extremes(self) -> tuple[RankedScores, RankedScores]:
        """Return the scores in the best and in the worst order that bins leave open.

        In the best one, the positives of a bin have its highest score and the negatives its
        lowest; in the worst one, the other way round. A measure that improves if a positive moves
        up or a negative moves down is between its values for these two.
        """
        best, worst = (apart(self.counts, best=is_best) for is_best in (True, False))
        return self.counted(best, self.threshold), self.counted(worst, self.threshold)

    def bounds(self, kernel: Callable[[RankedScores], float]) -> tuple[float, float]:
        """Return between which values a measure is, for the scores that were put in bins.

        The measure, of scores or of labels at a threshold, improves if a positive moves up or a
        negative moves down.

        Examples
        --------
        >>> import numpy as np
        >>> truth, values = np.arange(40) % 3 == 0, np.arange(40) / 40
        >>> scores = RankedScores.of(truth, values).in_bins(10)
        >>> low, high = scores.bounds(lambda each: each.table(0.5).tp)
        >>> int(low), int(high), int((truth & (values >= 0.5)).sum())
        (5, 7, 7)
        """
        if self.widths is None:
            value = kernel(self)
            return value, value
        strict = self.counted(worst_without_ties(self.counts), self.threshold)
        found = [kernel(each) for each in (*self.extremes(), strict)]
        return min(found), max(found)

    def in_bins(self, most: int) -> RankedScores:
        """Return scores with neighbours put together, to at most so many blocks."""
        at = self.threshold
        border = None if at is None else compared(at, self.values.dtype)
        return self.counted(in_bins(self.counts, max(most, 8), border), self.threshold)

    # Records.

    @property
    def cells(self) -> Cells:
        """The counts that are not 0, as functions of scikit-learn take them: a score each."""
        is_negative, place = np.nonzero([self.positives, self.negatives])
        counts = np.stack([self.positives, self.negatives])[is_negative, place]
        return Cells((1 - is_negative).tolist(), self.values[place].tolist(), counts.tolist())

    @property
    def facts(self) -> dict[str, Any]:
        """The counts, for JSON: in bins if there are more than 2,000 distinct scores."""
        few = self.in_bins(MOST_RECORDED)
        return {
            "scores": written(few.values),
            "positives": few.positives.tolist(),
            "negatives": few.negatives.tolist(),
            "precision": few.values.dtype.name,
            "threshold": None if few.threshold is None else written([few.threshold])[0],
            "widths": None if few.widths is None else written(few.widths),
        }

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> RankedScores:
        """Return the scores of a JSON record."""
        widths, threshold = facts["widths"], facts["threshold"]
        found = cls(
            numbers(facts["scores"], facts["precision"]),
            whole(facts["positives"]),
            whole(facts["negatives"]),
            None if threshold is None else number(threshold),
            None if widths is None else numbers(widths),
        )
        if not found.levels.sizes.all():
            raise ValueError("a score has no observations")
        return found

    @property
    def flat(self) -> dict[str, int]:
        """The counts of a data frame."""
        rate = self.test_set
        counts = {
            "positives": rate.positives,
            "negatives": rate.negatives,
            "distinct_scores": self.values.size,
        }
        return counts if self.threshold is None else counts | self.table(self.threshold).flat

    @cached_property
    def curves(self) -> tuple[Curve, ...]:
        """The ROC and the precision-recall curve; none if one class is missing."""
        return curves_of_scores(self)

    @cached_property
    def reliability(self) -> Curve | None:
        """How often probabilities came true; None if scores are not probabilities."""
        return reliability_of(self)

    @property
    def remark(self) -> str:
        """At which threshold labels are judged, if they are."""
        return "" if self.threshold is None else f"labels at {self.threshold:.6g}"

    def __reduce__(self) -> Any:
        """Pickle the counts: a copy is as read-only as the original."""
        return RankedScores, (*self.counts[:3], self.threshold, self.widths)

    def __repr__(self) -> str:
        size = self.values.size
        kind = "distinct score" if self.widths is None else "bin"
        return (
            f"RankedScores({self.total:,} observation{'' if self.total == 1 else 's'}, "
            f"{int(self.positives.sum()):,} positive, {size:,} {kind}{'' if size == 1 else 's'})"
        )


def _column(given: Any, *, is_float: bool) -> NDArray[Any]:
    """Return a column that nobody can write to: a copy, if somebody can."""
    array = np.asarray(given)
    if is_float and (array.dtype.kind != "f" or array.itemsize > 8):
        array = array.astype(float)
    return _frozen(array.copy()) if array.flags.writeable else array


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array that nobody can write to, by this name."""
    view = array.view()
    view.flags.writeable = False
    return view


class Counts(NamedTuple):
    """The counts of one model on several test sets, of shape (…, blocks), and their scores."""

    values: Floats
    positives: Floats
    negatives: Floats
    rows: Floats | None = None  # of each block, where they are the same on all test sets


@dataclass(frozen=True, eq=False, repr=False)
class JointScores(Joint):
    """How many positives and negatives have each pair of scores."""

    first_scores: Floats
    second_scores: Floats
    positives: Ints
    negatives: Ints
    threshold: float | None = None
    differing: int | None = None  # on how many rows the models differ, if bins do not show it

    twins = ("first_scores", "second_scores")

    def __post_init__(self) -> None:
        names = ("first_scores", "second_scores", "positives", "negatives")
        for name in names:
            object.__setattr__(self, name, _frozen(np.asarray(getattr(self, name))))
        if (
            len({getattr(self, name).shape for name in names}) > 1
            or min(each.min(initial=0) for each in self._counts) < 0
        ):
            raise InvalidCountError(
                "JointScores must have two scores, and counts of at least 0, per distinct pair"
            )

    @classmethod
    def of_rows(
        cls,
        is_positive: NDArray[np.bool_],
        first: Floats,
        second: Floats,
        threshold: float | None = None,
        counts: NDArray[np.int64] | None = None,
    ) -> JointScores:
        """Count the pairs of scores of some rows, each as often as it was seen."""
        seen = np.ones(first.size, dtype=np.int64) if counts is None else counts
        both = (np.where(rows, seen, 0) for rows in (is_positive, ~is_positive))
        return cls._added_up(first, second, *both, threshold)

    @classmethod
    def _added_up(
        cls, first: Floats, second: Floats, positives: Ints, negatives: Ints, *others: Any
    ) -> JointScores:
        values, one = np.unique(first, return_inverse=True)
        levels, two = np.unique(second, return_inverse=True)
        keys = one.astype(np.uint64) * np.uint64(levels.size) + two.astype(np.uint64)
        if values.size == keys.size:  # the scores of the first model are in order already
            pairs, place = np.empty_like(keys), one
            pairs[one] = keys
        else:
            pairs, place = np.unique(keys, return_inverse=True)
        yes, no = (count_places(place, each, pairs.size) for each in (positives, negatives))
        one, two = np.divmod(pairs.astype(np.int64), levels.size)
        return cls(values[one], levels[two], yes, no, *others)

    @cached_property
    def first(self) -> RankedScores:
        """What the first model did."""
        return RankedScores.counted(added_up(self.first_scores, *self._counts), self.threshold)

    @cached_property
    def second(self) -> RankedScores:
        """What the second model did."""
        return RankedScores.counted(added_up(self.second_scores, *self._counts), self.threshold)

    @property
    def _counts(self) -> tuple[Ints, Ints]:
        return self.positives, self.negatives

    @cached_property
    def disagreements(self) -> int:
        """The number of observations on which the models differ."""
        if self.differing is not None:
            return self.differing
        differ = self.first_scores != self.second_scores
        return int((self.positives + self.negatives)[differ].sum())

    def table(self, threshold: float) -> JointTable:
        """Return how many of each class both, one and no model call positive at a threshold."""
        scores = (self.first_scores, self.second_scores)
        first, second = (each >= compared(threshold, each.dtype) for each in scores)
        cells = (first & second, first & ~second, ~first & second, ~first & ~second)
        return JointTable(
            *(Answers(*(int(each[cell].sum()) for cell in cells)) for each in self._counts)
        )

    def in_bins(self, most: int) -> JointScores:
        """Return the pairs with neighbouring scores put together, to at most so many pairs.

        Both models have the same bins, so that equal scores stay equal.
        """
        if self.positives.size <= most:
            return self
        kind = np.result_type(self.first_scores, self.second_scores)
        scores = np.append(self.first_scores, self.second_scores).astype(kind)
        marginal = added_up(scores, *(np.append(each, each) for each in self._counts))
        size = most
        while True:
            first = first_of_bins(marginal, size, self.threshold)
            last = np.append(first[1:], marginal.values.size) - 1
            ends = marginal.values[last], marginal.values[first]
            middle = bins_between(*ends, first, first, kind).values
            one, two = (
                middle[np.searchsorted(-ends[1], -each.astype(kind), side="right") - 1]
                for each in (self.first_scores, self.second_scores)
            )
            others = (self.threshold, self.disagreements)
            found = JointScores._added_up(one, two, *self._counts, *others)
            if found.positives.size <= most or size <= _FEWEST:
                return found
            size = max(size // 2, _FEWEST)

    @property
    def facts(self) -> dict[str, Any]:
        """The counts, for JSON: in bins if there are more than 2,000 distinct pairs."""
        few = self.in_bins(MOST_RECORDED)
        return {
            "first_scores": written(few.first_scores),
            "second_scores": written(few.second_scores),
            "positives": few.positives.tolist(),
            "negatives": few.negatives.tolist(),
            "precision": [few.first_scores.dtype.name, few.second_scores.dtype.name],
            "threshold": None if few.threshold is None else written([few.threshold])[0],
            "differing": few.differing,
        }

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> JointScores:
        """Return two models from a JSON record."""
        threshold, differing = facts["threshold"], facts["differing"]
        first, second = facts["precision"]
        return cls(
            numbers(facts["first_scores"], first),
            numbers(facts["second_scores"], second),
            whole(facts["positives"]),
            whole(facts["negatives"]),
            None if threshold is None else number(threshold),
            None if differing is None else typed(differing, int),
        )

    @property
    def flat(self) -> dict[str, int]:
        """The counts of a data frame."""
        rate = self.first.test_set
        return {
            "positives": rate.positives,
            "negatives": rate.negatives,
            "disagreements": self.disagreements,
        }

    def __repr__(self) -> str:
        pairs = f"{self.positives.size:,} distinct pairs of scores"
        return f"JointScores({self.total:,} observations, {pairs})"
