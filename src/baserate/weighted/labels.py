"""What a model predicted on observations that have weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.arguments import whole_number
from baserate.binary.confusion import Confusion
from baserate.core.task import Cells, NothingMore
from baserate.core.words import Words
from baserate.records import finite, typed
from baserate.weighted.base import WeightedBase, sum_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

NAME = "weighted binary"
"""The name of the task."""
_WORDS = Words(
    best="A Dutch Draw: a fraction θ of the rows, chosen at random, is predicted positive.",
    shared_p="a permutation test of the weighted J, for weighted balanced accuracy",
    remedy="the threshold or the class balance may not suit this measure and these weights",
)
_CELLS = ("tp", "fp", "fn", "tn")


class WeightedCounts(NamedTuple):
    """The weights of the four cells of a table, and the margins that requirements ask for."""

    tp: float
    fp: float
    fn: float
    tn: float

    @property
    def positives(self) -> float:
        """The weight of the positive observations."""
        return self.tp + self.fn

    @property
    def negatives(self) -> float:
        """The weight of the negative observations."""
        return self.fp + self.tn

    @property
    def predicted_positives(self) -> float:
        """The weight of what is predicted positive."""
        return self.tp + self.fp

    @property
    def predicted_negatives(self) -> float:
        """The weight of what is predicted negative."""
        return self.fn + self.tn

    @property
    def total(self) -> float:
        """The weight of all observations."""
        return sum(self)

    def scaled(self, factor: float) -> WeightedCounts:
        """Return all weights times a factor."""
        return WeightedCounts(*(cell * factor for cell in self))


@dataclass(frozen=True, eq=False, repr=False)
class WeightedLabels(NothingMore):
    """A confusion table for each weight that observations have.

    Parameters
    ----------
    weights
        The distinct weights, ascending and above 0.
    tp, fp, fn, tn
        How many observations with each of them are in each cell.

    Examples
    --------
    >>> labels = WeightedLabels.of_rows([1, 1, 0, 0], [1, 0, 1, 0], [1.0, 2.0, 1.0, 5.0])
    >>> labels.counts
    WeightedCounts(tp=1.0, fp=1.0, fn=2.0, tn=5.0)
    >>> labels.table
    Confusion(tp=1, fp=1, fn=1, tn=1)
    """

    weights: Floats
    tp: Ints
    fp: Ints
    fn: Ints
    tn: Ints

    task = NAME
    grid = None

    @classmethod
    def of_rows(cls, truth: Any, predicted: Any, weights: Any, times: Any = None) -> WeightedLabels:
        """Count labels, row by row; those of weight 0 are left out.

        Parameters
        ----------
        truth, predicted
            Whether each row is positive, and is predicted positive.
        weights
            The weight of each row.
        times
            How many observations a row stands for; 1 if it is left out.
        """
        is_true, said = np.asarray(truth, dtype=bool), np.asarray(predicted, dtype=bool)
        cells = (is_true & said, ~is_true & said, is_true & ~said, ~is_true & ~said)
        return cls(*counted_by_weight(cells, np.asarray(weights, dtype=float), times))

    @property
    def total(self) -> int:
        """The number of observations."""
        return self.table.total

    @cached_property
    def table(self) -> Confusion:
        """The numbers of observations, without their weights."""
        return Confusion(**{name: int(getattr(self, name).sum()) for name in _CELLS})

    @cached_property
    def counts(self) -> WeightedCounts:
        """The weight of each cell."""
        return WeightedCounts(*(sum_of(self.weights, getattr(self, name)) for name in _CELLS))

    @cached_property
    def test_set(self) -> WeightedBase:
        """The test set."""
        return WeightedBase(self.weights, self.tp + self.fn, self.fp + self.tn)

    @property
    def words(self) -> Words:
        """How the task speaks of references and of luck."""
        return _WORDS

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

    @property
    def facts(self) -> dict[str, Any]:
        """All counts, for JSON."""
        counts = {name: getattr(self, name).tolist() for name in _CELLS}
        return {"weights": self.weights.tolist()} | counts

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> WeightedLabels:
        """Return the counts of a JSON record, or raise if it is none."""
        return cls(weights_of_record(facts), *(counts_of_record(facts, name) for name in _CELLS))

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

    @cached_property
    def _key(self) -> tuple[bytes, ...]:
        return tuple(getattr(self, name).tobytes() for name in ("weights", *_CELLS))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeightedLabels):
            return NotImplemented
        return self is other or self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def counted_by_weight(
    cells: Sequence[Bools], weights: Floats, times: Ints | None = None
) -> list[Any]:
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


def weights_of_record(facts: Mapping[str, Any]) -> Floats:
    """Return the distinct weights of a JSON record, or raise if they are none."""
    weights = np.array([finite(each) for each in typed(facts["weights"], list)], dtype=float)
    if not weights.size or weights[0] <= 0 or not (np.diff(weights) > 0).all():
        raise ValueError("weights must be above 0, and ascend")
    return weights


def counts_of_record(facts: Mapping[str, Any], name: str) -> Ints:
    """Return the counts per weight of a JSON record, or raise if they are none."""
    counts = [whole_number(name, typed(each, int)) for each in typed(facts[name], list)]
    if len(counts) != len(facts["weights"]) or min(counts) < 0:
        raise ValueError("there must be a count, of 0 or more, for each weight")
    return np.array(counts, dtype=np.int64)
