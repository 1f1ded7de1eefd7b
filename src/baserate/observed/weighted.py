"""Labels of two classes that matter more or less: the truth, one model, and two."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.arguments import whole_number
from baserate.core.observed import ByValue, Cells, Joint, Observed, Words
from baserate.observed.labels import COUNTS, Answers, BaseRate, ConfusionMatrix, JointTable
from baserate.records import finite, typed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]


class Blocks(NamedTuple):
    """Observations that are alike: of one class, and of one weight."""

    sizes: Ints  # how many observations each block has
    weights: Floats  # the weight of each of them
    positive: Bools  # whether they are positive


@dataclass(frozen=True, eq=False, repr=False)
class WeightedBase(ByValue):
    """How many observations of each class have each weight: all that a baseline needs."""

    weights: Floats  # distinct, ascending and above 0
    positives: Ints
    negatives: Ints

    @cached_property
    def rate(self) -> BaseRate:
        """The numbers of observations, without their weights."""
        positives, negatives = int(self.positives.sum()), int(self.negatives.sum())
        return BaseRate(positives=positives, total=positives + negatives)

    @property
    def total(self) -> int:
        """The number of observations."""
        return self.rate.total

    @property
    def class_sizes(self) -> tuple[int, ...]:
        """The numbers of positive and of negative observations."""
        return self.rate.class_sizes

    @cached_property
    def positive_weight(self) -> float:
        """The weight of all positive observations."""
        return float(self.weights @ self.positives)

    @cached_property
    def negative_weight(self) -> float:
        """The weight of all negative observations."""
        return float(self.weights @ self.negatives)

    @property
    def total_weight(self) -> float:
        """The weight of all observations."""
        return self.positive_weight + self.negative_weight

    @cached_property
    def blocks(self) -> Blocks:
        """The observations in blocks that are alike, positives first."""
        parts = [(self.positives, True), (self.negatives, False)]
        return Blocks(
            np.concatenate([counts[counts > 0] for counts, _ in parts]),
            np.concatenate([self.weights[counts > 0] for counts, _ in parts]),
            np.concatenate([np.full(np.count_nonzero(counts), is_it) for counts, is_it in parts]),
        )

    @cached_property
    def class_weights(self) -> tuple[float, float] | None:
        """The weights of a positive and of a negative, if a class has one weight; else None."""
        found = [self.weights[counts > 0] for counts in (self.positives, self.negatives)]
        if max(each.size for each in found) > 1:
            return None
        # A class without observations may have any weight.
        one, other = (float(each[0]) if each.size else math.nan for each in found)
        return (other if math.isnan(one) else one), (one if math.isnan(other) else other)

    def scaled(self, factor: float) -> WeightedBase:
        """Return the same observations with all weights times a factor."""
        return WeightedBase(self.weights * factor, self.positives, self.negatives)

    @property
    def described(self) -> str:
        """The test set in a few words."""
        observations = "observation" if self.total == 1 else "observations"
        share = self.positive_weight / self.total_weight
        return (
            f"{self.total:,} {observations}, {self.rate.positives:,} positive, total weight "
            f"{self.total_weight:,.6g}, {share:.1%} of it positive"
        )

    @property
    def share(self) -> tuple[str, str]:
        """What a table says of a group in one cell, after the title of that column."""
        share = self.positive_weight / self.total_weight
        return "positive", f"{self.rate.positives:,} of {self.total:,} ({share:.1%} by weight)"

    def __repr__(self) -> str:
        return f"WeightedBase({self.described})"


NAME = "weighted binary"
"""The name of the task."""
_WORDS = Words(
    best="A Dutch Draw: a fraction θ of the rows, chosen at random, is predicted positive.",
    shared_p="a permutation test of the weighted J, for weighted balanced accuracy",
    remedy="the threshold or the class balance may not suit this measure and these weights",
)
_CELLS = ("tp", "fp", "fn", "tn")


class WeightedCounts(NamedTuple):
    """The weights of the four cells of a table."""

    tp: float
    fp: float
    fn: float
    tn: float


@dataclass(frozen=True, eq=False, repr=False)
class WeightedLabels(Observed):
    """A confusion table for each weight that observations have."""

    weights: Floats  # distinct, ascending and above 0
    tp: Ints
    fp: Ints
    fn: Ints
    tn: Ints

    task = NAME
    words = _WORDS

    @classmethod
    def of_rows(cls, truth: Any, predicted: Any, weights: Any, times: Any = None) -> WeightedLabels:
        """Count labels, row by row, each as often as `times` says; those of weight 0 are left out.

        The truth and the prediction say whether a row is positive.
        """
        is_true, said = np.asarray(truth, dtype=bool), np.asarray(predicted, dtype=bool)
        cells = (is_true & said, ~is_true & said, is_true & ~said, ~is_true & ~said)
        return cls(*_counted_by_weight(cells, np.asarray(weights, dtype=float), times))

    @property
    def total(self) -> int:
        """The number of observations."""
        return self.table.total

    @cached_property
    def table(self) -> ConfusionMatrix:
        """The numbers of observations, without their weights."""
        cells: Any = {name: int(getattr(self, name).sum()) for name in _CELLS}
        return ConfusionMatrix(**cells)

    @cached_property
    def counts(self) -> WeightedCounts:
        """The weight of each cell."""
        return WeightedCounts(*(float(self.weights @ getattr(self, name)) for name in _CELLS))

    @cached_property
    def test_set(self) -> WeightedBase:
        """The test set."""
        return WeightedBase(self.weights, self.tp + self.fn, self.fp + self.tn)

    @property
    def one_class(self) -> str:
        """What a model is called that predicts one class only; empty if it predicts both."""
        return self.table.one_class

    @property
    def cells(self) -> Cells:
        """The weights of the cells that are not empty, with labels 0 and 1."""
        cells = zip((1, 0, 1, 0), (1, 1, 0, 0), self.counts, strict=True)
        truth, predicted, weights = zip(*(cell for cell in cells if cell[2]), strict=True)
        return Cells(truth, predicted, weights)

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> WeightedLabels:
        """Return the counts of a JSON record, or raise if it is none."""
        return cls(_weights_of_record(facts), *(_counts_of_record(facts, name) for name in _CELLS))

    @property
    def flat(self) -> dict[str, int]:
        """How many observations there are, without their weights."""
        table = self.table
        return {
            "observations": table.total,
            "positives": table.positives,
            "predicted_positives": table.predicted_positives,
        }

    def __repr__(self) -> str:
        return f"WeightedLabels({self.test_set.described})"


def _counted_by_weight(cells: Sequence[Bools], weights: Floats, times: Ints | None) -> list[Any]:
    """Return the distinct weights above 0, and how many rows of each cell have each of them."""
    distinct, place = np.unique(weights, return_inverse=True)
    zeros = int(np.searchsorted(distinct, 0.0, side="right"))
    place = place.ravel() - zeros
    counts = []
    for cell in cells:
        here = cell & (weights > 0)
        number = None if times is None else times[here]
        counts.append(np.bincount(place[here], number, distinct.size - zeros).astype(np.int64))
    return [distinct[zeros:], *counts]


def _weights_of_record(facts: Mapping[str, Any]) -> Floats:
    weights = np.array([finite(each) for each in typed(facts["weights"], list)], dtype=float)
    if not weights.size or weights[0] <= 0 or not (np.diff(weights) > 0).all():
        raise ValueError("weights must be above 0, and ascend")
    return weights


def _counts_of_record(facts: Mapping[str, Any], name: str) -> Ints:
    counts = [whole_number(name, typed(each, int)) for each in typed(facts[name], list)]
    if len(counts) != len(facts["weights"]) or min(counts) < 0:
        raise ValueError("there must be a count, of 0 or more, for each weight")
    return np.array(counts, dtype=np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class WeightedJoint(Joint):
    """A joint table for each weight that observations have."""

    weights: Floats  # distinct, ascending and above 0
    # Of shape (8, weights): of the positives, what both models call positive, only the first, only
    # the second, and neither; then the same of the negatives.
    counts: Ints

    @classmethod
    def of_rows(
        cls, truth: Any, first: Any, second: Any, weights: Any, times: Any = None
    ) -> WeightedJoint:
        """Count two models, row by row; see `WeightedLabels.of_rows`."""
        is_true, one, other = (np.asarray(each, dtype=bool) for each in (truth, first, second))
        cells = [
            is_it & said
            for is_it in (is_true, ~is_true)
            for said in (one & other, one & ~other, ~one & other, ~one & ~other)
        ]
        distinct, *counts = _counted_by_weight(cells, np.asarray(weights, dtype=float), times)
        return cls(distinct, np.stack(counts))

    @cached_property
    def first(self) -> WeightedLabels:
        """What the first model did."""
        p, n = self.counts[:4], self.counts[4:]
        return WeightedLabels(self.weights, p[0] + p[1], n[0] + n[1], p[2] + p[3], n[2] + n[3])

    @cached_property
    def second(self) -> WeightedLabels:
        """What the second model did."""
        return self.swapped().first

    def swapped(self) -> WeightedJoint:
        """Return the same with the second model first."""
        return WeightedJoint(self.weights, self.counts[[0, 2, 1, 3, 4, 6, 5, 7]])

    @cached_property
    def table(self) -> JointTable:
        """The numbers of observations, without their weights."""
        sums = [int(each) for each in self.counts.sum(axis=1)]
        return JointTable(Answers(*sums[:4]), Answers(*sums[4:]))

    @property
    def disagreements(self) -> int:
        """The number of observations on which the models differ."""
        return self.table.disagreements

    @property
    def facts(self) -> dict[str, Any]:
        """All counts, for JSON."""
        counts = dict(zip(COUNTS, self.counts.tolist(), strict=True))
        return {"weights": self.weights.tolist()} | counts

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> WeightedJoint:
        """Return the counts of a JSON record, or raise if it is none."""
        counts = np.stack([_counts_of_record(facts, name) for name in COUNTS])
        return cls(_weights_of_record(facts), counts)


def of_cells(_: Sequence[bool], truth: Ints, *others: Any) -> Any:
    """Return the counts per weight of no, one or two models: where they say positive."""
    *said, weights, times = others
    if not said:
        return WeightedLabels.of_rows(truth, truth, weights, times).test_set
    kind: Any = WeightedLabels if len(said) == 1 else WeightedJoint
    return kind.of_rows(truth, *said, weights, times)
