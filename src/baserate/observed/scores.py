"""Scores of two classes: how many of each class have each score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache, wraps
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar, cast

import numpy as np

from baserate.core.observed import Cells, Observed, Words
from baserate.data.number_rows import read_score_rows
from baserate.data.numbers import compared, read_scores, require_no_nan, require_threshold
from baserate.data.rows import Shown
from baserate.data.score_counts import (
    ScoreCounts,
    apart,
    count_by_score,
    count_weighted,
    in_bins,
    pieces,
    worst_without_ties,
)
from baserate.exceptions import InvalidCountError
from baserate.observed.base_rate import BaseRate
from baserate.observed.curves import curves_of, reliability_of
from baserate.observed.score_records import counts_of_record, record_of
from baserate.observed.two_classes import Confusion

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import Curve
    from baserate.data.columns import Labels

    Floats = NDArray[Any]
    Ints = NDArray[Any]
    Given = ParamSpec("Given")
    Found = TypeVar("Found")
    Reading = Callable[Concatenate["RankedScores", Given], Found]


@dataclass(frozen=True, eq=False)
class ScoreLevels:
    """The distinct scores of a model, and how often each is given.

    Parameters
    ----------
    values
        The distinct scores, descending.
    sizes
        How many observations have each.

    Examples
    --------
    >>> levels = ScoreLevels.of([0.2, 0.9, 0.2, 0.5])
    >>> levels.values.tolist(), levels.sizes.tolist(), levels.total
    ([0.9, 0.5, 0.2], [1, 1, 2], 4)
    """

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

    @property
    def without_ties(self) -> bool:
        """Whether every observation has a score of its own."""
        return self.sizes.size == self.total


WORDS = Words(
    best=(
        "A random ranking, the same score for everyone, or the base rate for everyone, whichever "
        "scores best."
    ),
    shared_p="the Mann-Whitney test of the ranking, for AUC and Gini",
    remedy="too many rows may have the same score for this measure",
)
# A JSON record has at most so many blocks.
_MOST_RECORDED = 2000
# The pairs of so many observations, twice, are still a number of 64 bits.
_MOST_IN_INTEGERS = 2**32
_ARRAYS = ("values", "positives", "negatives", "widths")


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

    def __post_init__(self) -> None:
        for name in _ARRAYS:
            given = getattr(self, name)
            if given is not None:
                array = column(given, is_float=name in {"values", "widths"})
                object.__setattr__(self, name, array)
        require_counts(self)

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
        rows = read_score_rows(y_true, {"y_score": y_score}, pos_label, None, shown=shown)
        return cls.of_rows(rows.is_positive, rows.scores["y_score"], number)

    @classmethod
    def of_rows(
        cls,
        is_positive: NDArray[np.bool_],
        scores: Floats,
        threshold: float | None = None,
        counts: NDArray[np.int64] | None = None,
    ) -> RankedScores:
        """Count scores that were read, each row as often as it was seen."""
        if counts is None:
            return cls.counted(count_by_score(is_positive, scores), threshold)
        return cls.counted(count_weighted(is_positive, scores, counts), threshold)

    @classmethod
    def counted(cls, counts: ScoreCounts, threshold: float | None = None) -> RankedScores:
        """Return scores that were counted elsewhere, by arrays that nobody else holds."""
        values, positives, negatives = map(frozen, counts[:3])
        widths = None if counts.widths is None else frozen(counts.widths)
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
        if self._without_ties:
            # One number says it all, and takes no memory.
            return ScoreLevels(self.values, np.broadcast_to(np.int64(1), self.values.shape))
        return ScoreLevels(self.values, self.positives + self.negatives)

    @property
    def _without_ties(self) -> bool:
        """Whether every observation has a score of its own."""
        return self.total == self.values.size and all(
            (self.positives[part] + self.negatives[part] == 1).all()
            for part in pieces(self.values.size)
        )

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
        # Whole numbers are quick and exact, as long as they do not overflow.
        is_safe = self.positives.dtype.kind in "iu" and self.total < _MOST_IN_INTEGERS
        kind = np.int64 if is_safe else np.float64
        twice: Any = 0
        above: Any = 0
        for part in pieces(self.values.size):
            positives = self.positives[part].astype(kind, copy=False)
            upto = np.cumsum(positives) + above
            twice += (self.negatives[part].astype(kind, copy=False) @ (2 * upto - positives)).item()
            above = upto[-1]
        return float(twice / 2)

    @cached_property
    def kept(self) -> dict[Any, Any]:
        """What was computed of them, by what computed it; see `ranking/kept.py`."""
        return {}

    @property
    def words(self) -> Words:
        """How the task speaks of guesses and of chance."""
        return WORDS

    @cached_property
    def one_class(self) -> str:
        """What a model is called whose scores, or labels at the threshold, are all the same."""
        if self.values.size == 1 and self.widths is None:
            return "gives every observation the same score"
        return "" if self.threshold is None else self.table(self.threshold).one_class

    def table(self, threshold: float) -> Confusion:
        """Return the confusion table of the labels at a threshold."""
        above = self.values >= compared(threshold, self.values.dtype)
        tp, fp = int(self.positives[above].sum()), int(self.negatives[above].sum())
        rate = self.test_set
        return Confusion(tp=tp, fp=fp, fn=rate.positives - tp, tn=rate.negatives - fp)

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
        return (
            self.counted(apart(self.counts, best=True), self.threshold),
            self.counted(apart(self.counts, best=False), self.threshold),
        )

    def bounds(self, kernel: Callable[[RankedScores], float]) -> tuple[float, float]:
        """Return between which values a measure is, for the scores that were put in bins.

        Parameters
        ----------
        kernel
            The measure: of scores, or of labels at a threshold. It improves if a positive moves up
            or a negative moves down.

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
        border = None
        if self.threshold is not None:
            border = compared(self.threshold, self.values.dtype)
        return self.counted(in_bins(self.counts, max(most, 8), border), self.threshold)

    # Records.

    @property
    def cells(self) -> Cells:
        """The counts that are not 0, as functions of scikit-learn take them: a score each."""
        met = (self.positives > 0, self.negatives > 0)
        truth = [1] * int(np.count_nonzero(met[0])) + [0] * int(np.count_nonzero(met[1]))
        scores = np.append(self.values[met[0]], self.values[met[1]]).tolist()
        counts = np.append(self.positives[met[0]], self.negatives[met[1]]).tolist()
        return Cells(truth, cast("Sequence[int]", scores), counts)

    @property
    def facts(self) -> dict[str, Any]:
        """The counts, for JSON: in bins if there are more than 2,000 distinct scores."""
        return record_of(self.in_bins(_MOST_RECORDED).counts, self.threshold)

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> RankedScores:
        """Return the scores of a JSON record."""
        return cls.counted(*counts_of_record(facts))

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
        return curves_of(self)

    @cached_property
    def reliability(self) -> Curve | None:
        """How often probabilities came true; None if scores are not probabilities."""
        return reliability_of(self)

    @property
    def remark(self) -> str:
        """At which threshold labels are judged, if they are."""
        return "" if self.threshold is None else f"labels at {self.threshold:.6g}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RankedScores):
            return NotImplemented
        if self is other:
            return True
        same = self.threshold == other.threshold and self.values.dtype == other.values.dtype
        return same and all(equal(getattr(self, name), getattr(other, name)) for name in _ARRAYS)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # A few numbers are quick, and two models hardly share them.
        some = slice(None, None, max(self.values.size // 64, 1))
        return hash(
            (self.total, self.values.size, self.values[some].tobytes(), *self.positives[some])
        )

    def __reduce__(self) -> Any:
        """Pickle the counts: a copy is as read-only as the original."""
        arguments = (self.values, self.positives, self.negatives, self.threshold, self.widths)
        return RankedScores, arguments

    def __repr__(self) -> str:
        size = self.values.size
        kind = "distinct score" if self.widths is None else "bin"
        return (
            f"RankedScores({self.total:,} observation{'' if self.total == 1 else 's'}, "
            f"{int(self.positives.sum()):,} positive, {size:,} {kind}{'' if size == 1 else 's'})"
        )


def column(given: Any, *, is_float: bool) -> NDArray[Any]:
    """Return a column that nobody can write to: a copy, if somebody can."""
    array = np.asarray(given)
    if is_float and (array.dtype.kind != "f" or array.itemsize > 8):
        array = array.astype(float)
    return frozen(array.copy()) if array.flags.writeable else array


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array that nobody can write to, by this name."""
    view = array.view()
    view.flags.writeable = False
    return view


def equal(first: Any, second: Any) -> bool:
    """Return whether two columns are the same, or both are missing."""
    if first is None or second is None:
        return first is second
    return first.size == second.size and bool((first == second).all())


def require_counts(scores: RankedScores) -> None:
    """Raise unless scores descend, and each is given so many times."""
    values, counts = scores.values, (scores.positives, scores.negatives)
    shapes = {each.shape for each in (values, *counts)} | (
        set() if scores.widths is None else {scores.widths.shape}
    )
    if values.ndim != 1 or len(shapes) > 1:
        raise InvalidCountError(
            "Scores must have a value, positives and negatives per distinct score (got the shapes "
            f"{', '.join(map(str, sorted(shapes)))})"
        )
    if np.isnan(values[:1]).any() or not (values[1:] < values[:-1]).all():
        raise InvalidCountError("values must be scores in descending order, each once")
    if values.size and not min(each.min() for each in counts) >= 0:
        raise InvalidCountError("positives and negatives must be counts of at least 0")
    if scores.widths is not None and not (scores.widths >= 0).all():
        raise InvalidCountError("widths must be at least 0")


class Counts(NamedTuple):
    """The counts of one model on several test sets, of shape (…, blocks), and their scores."""

    values: Floats
    positives: Floats
    negatives: Floats


def alone(many: Callable[[Counts], Floats]) -> Callable[[RankedScores], float]:
    """Return the score of one test set, by what scores many of them."""

    def score(scores: RankedScores) -> float:
        both = (each.astype(float) for each in (scores.positives, scores.negatives))
        return float(many(Counts(scores.values, *both)))

    return score


def areas(counts: Counts) -> Floats:
    """Return how many pairs of a positive and a negative are in order, ties counting half."""
    middle = np.cumsum(counts.positives, axis=-1) - counts.positives / 2
    pairs = counts.positives.sum(axis=-1) * counts.negatives.sum(axis=-1)
    return np.asarray((counts.negatives * middle).sum(axis=-1) / pairs)


def average_precisions(counts: Counts) -> Floats:
    """Return the precision down to the score of each positive, averaged over the positives."""
    upto = np.cumsum(counts.positives, axis=-1)
    drawn = np.cumsum(counts.negatives, axis=-1) + upto
    precision = upto / np.maximum(drawn, np.finfo(float).tiny)
    return np.asarray((counts.positives * precision).sum(axis=-1) / upto[..., -1])


def positives_in_tops(counts: Counts, k: float | Floats) -> Floats:
    """Return the number of positives among the k highest scores; of a block, a part may count.

    A k for each test set is of the shape (test sets, 1).
    """
    sizes = counts.positives + counts.negatives
    above = np.cumsum(sizes, axis=-1) - sizes
    taken = np.clip(k - above, 0.0, sizes)
    parts = np.divide(taken, sizes, out=np.zeros_like(taken), where=sizes > 0)
    return np.asarray((counts.positives * parts).sum(axis=-1))


def means(points: Callable[[Floats], tuple[Floats, Floats]]) -> Callable[[Counts], Floats]:
    """Return the mean of what a positive and a negative add that have each score."""

    def of(counts: Counts) -> Floats:
        positive, negative = points(counts.values)
        total = counts.positives.sum(axis=-1) + counts.negatives.sum(axis=-1)
        return np.asarray((counts.positives @ positive + counts.negatives @ negative) / total)

    return of


# More distinct scores than this are large: a cache should not keep them from being forgotten.
_LARGE = 10**5


def kept(most: int) -> Callable[[Reading[Given, Found]], Reading[Given, Found]]:
    """Keep the results of a function of scores.

    Large scores keep their own, which are forgotten with them; of others the last ones are kept.

    Parameters
    ----------
    most
        How many are kept.
    """

    def decorated(function: Reading[Given, Found]) -> Reading[Given, Found]:
        last = lru_cache(maxsize=most)(function)

        @wraps(function)
        def found(scores: RankedScores, /, *args: Given.args, **kwargs: Given.kwargs) -> Found:
            if scores.values.size <= _LARGE:
                return last(scores, *args, **cast("Any", kwargs))
            key = (function, args, tuple(kwargs.items()))
            if key not in scores.kept:
                scores.kept[key] = function(scores, *args, **kwargs)
            result: Found = scores.kept[key]
            return result

        return found

    return decorated
