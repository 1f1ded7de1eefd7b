"""The scores of a model, counted against the truth: all that a measure of scores needs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.base_rate import BaseRate
from baserate.binary.confusion import Confusion
from baserate.core.task import Cells, NothingMore
from baserate.core.words import Words
from baserate.data.labels import positive_masks
from baserate.data.scores import compared, score_vector, swept
from baserate.ranking.curves import curves_of
from baserate.ranking.deck import ScoreDeck

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from baserate.core.curve import Curve
    from baserate.data.labels import Labels

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]

WORDS = Words(
    deck="deck",
    baseline="baseline",
    best=(
        "The best expected score of predictions that never look at their input: of a random "
        "ranking, of the same score for everyone, or of the base rate for everyone."
    ),
    null="the same scores, dealt at random,",
    shared_p="the Mann-Whitney test of the ranking, which AUC and Gini share",
    remedy="it may give too many observations the same score for this measure",
)


@dataclass(frozen=True, eq=False)
class Scores(NothingMore):
    """How many positives and negatives have each distinct score.

    Parameters
    ----------
    values
        The distinct scores, descending.
    positives, negatives
        How many observations of each class have each score.
    threshold
        The lowest score that is predicted positive, if labels are judged too.
    widths
        How far apart the scores of a block may be, if scores were binned; None if they were not.

    Examples
    --------
    >>> scores = Scores.of([0, 1, 0, 1, 0], [0.1, 0.9, 0.4, 0.4, 0.1])
    >>> scores.values.tolist(), scores.positives.tolist(), scores.negatives.tolist()
    ([0.9, 0.4, 0.1], [1, 1, 0], [0, 1, 2])
    """

    values: Floats
    positives: Ints
    negatives: Ints
    threshold: float | None = None
    widths: Floats | None = None

    task = "scores"
    grid = None

    @classmethod
    def of(
        cls,
        y_true: Labels,
        y_score: Any,
        pos_label: object = None,
        *,
        threshold: float | None = None,
    ) -> Scores:
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
        BaseRate.of(y_true, pos_label)  # raises unless one of two classes is positive
        (is_positive,) = positive_masks({"y_true": y_true}, pos_label)
        values, drawn, tp = swept(is_positive, score_vector(y_score, is_positive.size))
        start = int(drawn[0] == 0)
        positives = np.diff(tp, prepend=0)[start:]
        return cls(
            values[start:], positives, np.diff(drawn, prepend=0)[start:] - positives, threshold
        )

    @cached_property
    def test_set(self) -> BaseRate:
        """The test set."""
        positives = int(self.positives.sum())
        return BaseRate(positives=positives, total=positives + int(self.negatives.sum()))

    @cached_property
    def total(self) -> int:
        """The number of observations."""
        return int(self.positives.sum()) + int(self.negatives.sum())

    @cached_property
    def deck(self) -> ScoreDeck:
        """The scores without the truth."""
        return ScoreDeck(self.values, self.positives + self.negatives)

    @property
    def words(self) -> Words:
        """How the task speaks of references and of luck."""
        return WORDS

    @property
    def one_class(self) -> str:
        """What a model is called whose scores are all the same."""
        return "gives every observation the same score" if self.values.size == 1 else ""

    def table(self, threshold: float) -> Confusion:
        """Return the confusion table of the labels at a threshold."""
        above = self.values >= compared(threshold, self.values.dtype)
        tp, fp = int(self.positives[above].sum()), int(self.negatives[above].sum())
        rate = self.test_set
        return Confusion(tp=tp, fp=fp, fn=rate.positives - tp, tn=rate.negatives - fp)

    @property
    def cells(self) -> Cells:
        """The counts that are not 0, as functions of scikit-learn take them."""
        counts = np.concatenate([self.positives, self.negatives])
        truth = np.repeat([1, 0], self.values.size)
        met = counts > 0
        columns = truth, np.tile(self.values, 2), counts
        return Cells(*(column[met].tolist() for column in columns))

    @property
    def facts(self) -> dict[str, Any]:
        """All counts, for JSON."""
        return {
            "scores": self.values.tolist(),
            "positives": self.positives.tolist(),
            "negatives": self.negatives.tolist(),
            "threshold": self.threshold,
            "widths": None if self.widths is None else self.widths.tolist(),
        }

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Scores:
        """Return the scores of a JSON record."""
        widths = facts["widths"]
        return cls(
            np.array(facts["scores"], dtype=float),
            np.array(facts["positives"], dtype=np.int64),
            np.array(facts["negatives"], dtype=np.int64),
            facts["threshold"],
            None if widths is None else np.array(widths, dtype=float),
        )

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

    @property
    def remark(self) -> str:
        """At which threshold labels are judged, if they are."""
        return "" if self.threshold is None else f"labels at {self.threshold:.6g}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        if self is other:
            return True
        same = self.threshold == other.threshold and self.values.size == other.values.size
        return same and all(
            np.array_equal(one, another)
            for one, another in (
                (self.values, other.values),
                (self.positives, other.positives),
                (self.negatives, other.negatives),
            )
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # A few numbers are quick, and two models hardly share them.
        places = np.arange(self.values.size, dtype=float)
        return hash((self.test_set, self.values.size, float(places @ self.positives)))
