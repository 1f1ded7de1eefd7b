"""The joint table of two models: how often they give each pair of answers, on each class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.paired import mirrored
from baserate.data.groups import plain_group
from baserate.exceptions import InvalidCountError
from baserate.formatting import shown
from baserate.multiclass.matrix import ConfusionMatrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.multiclass.class_counts import ClassCounts

    Ints = NDArray[np.int64]


@dataclass(frozen=True, init=False, eq=False)
class JointMatrix:
    """Truth × first model × second model, by the cells that have observations.

    Parameters
    ----------
    labels
        The classes.
    truth, first_answers, second_answers
        The true class of each cell and both answers, by their places in `labels`. A cell may come
        twice: then its counts add up.
    counts
        How many observations each cell has.

    Examples
    --------
    >>> joint = JointMatrix(("a", "b"), [0, 0, 1, 1], [0, 0, 1, 0], [0, 1, 1, 1], [5, 1, 3, 2])
    >>> joint.first
    ConfusionMatrix([[6, 0], [2, 3]], labels=('a', 'b'))
    >>> joint.second
    ConfusionMatrix([[5, 1], [0, 5]], labels=('a', 'b'))
    >>> joint.disagreements
    3
    """

    labels: tuple[Any, ...]
    truth: Ints
    first_answers: Ints
    second_answers: Ints
    counts: Ints

    def __init__(
        self,
        labels: Sequence[Any],
        truth: Sequence[int] | Ints,
        first_answers: Sequence[int] | Ints,
        second_answers: Sequence[int] | Ints,
        counts: Sequence[int] | Ints,
    ) -> None:
        names = tuple(labels)
        columns = [
            np.asarray(each, dtype=np.int64)
            for each in (truth, first_answers, second_answers, counts)
        ]
        *places, sizes = columns
        if len({each.shape for each in columns}) > 1 or sizes.ndim != 1:
            shapes = [each.shape for each in columns]
            raise InvalidCountError(f"cells must have one count each (got shapes {shown(shapes)})")
        if any(((each < 0) | (each >= len(names))).any() for each in places) or (sizes < 0).any():
            raise InvalidCountError(
                f"cells must be places of {len(names)} classes, with counts of at least 0"
            )
        object.__setattr__(self, "labels", names)
        for name, column in zip(COLUMNS, _merged(places, sizes, len(names)), strict=True):
            column.flags.writeable = False
            object.__setattr__(self, name, column)

    @cached_property
    def first(self) -> ConfusionMatrix:
        """The matrix of the first model."""
        return self._matrix(self.first_answers)

    @cached_property
    def second(self) -> ConfusionMatrix:
        """The matrix of the second model."""
        return self._matrix(self.second_answers)

    @property
    def test_set(self) -> ClassCounts:
        """The classes that occur, and how often."""
        return self.first.test_set

    @property
    def disagreements(self) -> int:
        """The number of observations on which the models give different answers."""
        return int(self.counts[self.first_answers != self.second_answers].sum())

    @property
    def task(self) -> str:
        """The name of the task."""
        return self.first.task

    @property
    def facts(self) -> dict[str, Any]:
        """The classes and the cells, as JSON can hold them."""
        cells = {name: getattr(self, name).tolist() for name in COLUMNS}
        return {"labels": list(map(plain_group, self.labels))} | cells

    @property
    def flat(self) -> dict[str, int]:
        """How many observations there are, and on how many the models differ."""
        return {"observations": self.test_set.total, "disagreements": self.disagreements}

    @property
    def mirrored(self) -> JointMatrix:
        """The same with the second model first."""
        answers = self.second_answers, self.first_answers
        return mirrored(self, JointMatrix(self.labels, self.truth, *answers, self.counts))

    def _matrix(self, answers: Ints) -> ConfusionMatrix:
        table = np.zeros((len(self.labels), len(self.labels)), dtype=np.int64)
        np.add.at(table, (self.truth, answers), self.counts)
        return ConfusionMatrix(table, self.labels)

    def _cells(self) -> tuple[bytes, ...]:
        return tuple(getattr(self, name).tobytes() for name in COLUMNS)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointMatrix):
            return NotImplemented
        return self.labels == other.labels and self._cells() == other._cells()

    def __hash__(self) -> int:
        return hash((self.labels, self._cells()))


COLUMNS = ("truth", "first_answers", "second_answers", "counts")
"""The names of the four columns of the cells."""


def _merged(places: Sequence[Ints], counts: Ints, classes: int) -> list[Ints]:
    """Return the cells that have observations, sorted and each once."""
    keys = (places[0] * classes + places[1]) * classes + places[2]
    each, inverse = np.unique(keys, return_inverse=True)
    sums = np.zeros(each.size, dtype=np.int64)
    np.add.at(sums, inverse, counts)
    each, sums = each[sums > 0], sums[sums > 0]
    rest, second = np.divmod(each, classes)
    truth, first = np.divmod(rest, classes)
    return [truth, first, second, sums]
