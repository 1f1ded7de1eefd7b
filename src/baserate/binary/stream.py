"""Count a test set that arrives in batches, in one process or many."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from baserate.binary.confusion import Confusion, table_of
from baserate.data.labels import agreed_negative, count_labels
from baserate.exceptions import InvalidLabelsError
from baserate.formatting import shown

if TYPE_CHECKING:
    from baserate.data.columns import Labels


@dataclass
class ConfusionStream:
    """A confusion table that grows batch by batch.

    Streams add up: count parts in any number of processes, send the streams back (they
    pickle) and sum them in any order. An empty stream adds nothing.

    Parameters
    ----------
    pos_label
        The positive class, against the rest. It may be left out for labels 0/1, -1/1 or booleans.

    Examples
    --------
    >>> stream = ConfusionStream()
    >>> for y_true, y_pred in [([0, 1], [0, 1]), ([1, 1], [0, 1])]:
    ...     stream.update(y_true, y_pred)
    >>> stream.table
    Confusion(tp=2, fp=0, fn=1, tn=1)
    >>> other = ConfusionStream()
    >>> other.update([0], [1])
    >>> (stream + other).table
    Confusion(tp=2, fp=1, fn=1, tn=1)
    """

    pos_label: object = None
    table: Confusion = field(default_factory=Confusion, init=False)
    negative: Any = field(default=None, init=False)

    def update(self, y_true: Labels, y_pred: Labels) -> None:
        """Count one more batch.

        Parameters
        ----------
        y_true, y_pred
            The true and the predicted labels of the batch. One batch may hold a single class; all
            batches together must hold both. With `pos_label`, all other classes are the rest, and
            batches may have different ones.
        """
        counts = count_labels({"y_true": y_true, "y_pred": y_pred}, self.pos_label, is_part=True)
        self.negative = agreed_negative("batches", self.negative, counts.negative)
        self.table += table_of(counts)

    def __add__(self, other: ConfusionStream) -> ConfusionStream:
        if not isinstance(other, ConfusionStream):
            return NotImplemented
        if not self.table.total:  # an empty stream does not decide what is positive
            return other._copy()
        if other.table.total and self.pos_label != other.pos_label:
            raise InvalidLabelsError(
                "streams must have the same pos_label to add up "
                f"(got {shown(self.pos_label)} and {shown(other.pos_label)})"
            )
        merged = self._copy()
        merged.table = self.table + other.table
        merged.negative = agreed_negative("batches", self.negative, other.negative)
        return merged

    def __radd__(self, other: object) -> ConfusionStream:
        """Let `sum` start with 0."""
        return self._copy() if other == 0 else NotImplemented

    def _copy(self) -> ConfusionStream:
        copy = ConfusionStream(self.pos_label)
        copy.table, copy.negative = self.table, self.negative
        return copy
