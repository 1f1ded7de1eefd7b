"""The joint table of two models: how often they agree, and how they differ, on each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from baserate.binary.confusion import Confusion

if TYPE_CHECKING:
    from baserate.data.labels import FourCounts
    from baserate.data.models import Both


class Answers(NamedTuple):
    """On one class, how often both models say positive, only one of them does, and neither."""

    both: int
    first: int
    second: int
    neither: int

    @property
    def discordant(self) -> int:
        """How often the models differ."""
        return self.first + self.second


COUNTS = tuple(f"{truth}_{who}" for truth in ("positives", "negatives") for who in Answers._fields)
"""The names of the eight counts."""


@dataclass(frozen=True)
class JointTable:
    """Eight counts: truth × first model × second model.

    Parameters
    ----------
    positives, negatives
        The answers on the rows that are positive, and on those that are negative.

    Examples
    --------
    >>> table = JointTable(Answers(20, 3, 9, 8), Answers(4, 6, 2, 48))
    >>> table.first
    Confusion(tp=23, fp=10, fn=17, tn=50)
    >>> table.second
    Confusion(tp=29, fp=6, fn=11, tn=54)
    >>> table.disagreements
    20
    """

    positives: Answers
    negatives: Answers

    @classmethod
    def of(cls, first: FourCounts, second: FourCounts, both: Both) -> JointTable:
        """Return the joint table of two models.

        Parameters
        ----------
        first, second
            The counts of each model.
        both
            How often both say positive.
        """
        return cls(
            _answers(first.tp + first.fn, first.tp, second.tp, both.positives),
            _answers(first.fp + first.tn, first.fp, second.fp, both.negatives),
        )

    @property
    def first(self) -> Confusion:
        """The table of the first model."""
        right, wrong = self.positives, self.negatives
        return _table(self, right.both + right.first, wrong.both + wrong.first)

    @property
    def second(self) -> Confusion:
        """The table of the second model."""
        right, wrong = self.positives, self.negatives
        return _table(self, right.both + right.second, wrong.both + wrong.second)

    @property
    def mirrored(self) -> JointTable:
        """The same with the second model first."""
        each = (self.positives, self.negatives)
        return JointTable(*(Answers(both, b, a, neither) for both, a, b, neither in each))

    @property
    def disagreements(self) -> int:
        """The number of rows on which the models differ."""
        return self.positives.discordant + self.negatives.discordant

    @property
    def task(self) -> str:
        """The name of the task."""
        return "binary"

    @property
    def facts(self) -> dict[str, Any]:
        """The eight counts."""
        return dict(self.flat)

    @property
    def flat(self) -> dict[str, int]:
        """The eight counts: of both models, of only one of them and of neither, in each class."""
        return dict(zip(COUNTS, (*self.positives, *self.negatives), strict=True))


def _answers(total: int, first: int, second: int, both: int) -> Answers:
    return Answers(both, first - both, second - both, total - first - second + both)


def _table(joint: JointTable, tp: int, fp: int) -> Confusion:
    positives, negatives = sum(joint.positives), sum(joint.negatives)
    return Confusion(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)
